// Pure: values in, values out.
import { WORD_HASH_CHARS } from "../../language/keyed-hash.ts";
import type { Hit, Hits, Meant, Sought } from "./query-terms.ts";
import { wordsOf } from "./word-forms.ts";
import { TOPICS_FOLLOW, type WordHasher } from "./word-hasher.ts";

/** Two words that begin alike are often one in two forms; as often they are not. */
const ALIKE = 0.5;

/** What is looked for, in a note's words as `WordHasher.ofNote` made them. */
export interface HashedTable {
  /** Whether the note has topics. */
  scan(hashes: string, hits: Hits): boolean;
}

interface Entry extends Meant {
  /** Whether it is a part of a word only: the word may stand for something else besides. */
  readonly isPart: boolean;
}

/**
 * Recall runs this over each of a viewer's notes with every reply: it goes over the characters once and makes no
 * strings.
 */
export function hashedTable(sought: Sought, hasher: WordHasher): HashedTable {
  const known = new Map<number, Entry>();
  const marks = new Uint8Array(MARKS);
  const keep = (hash: string | null, entry: Entry): void => {
    if (hash === null) return;
    const number = numberAt(hash, 0);
    const before = known.get(number);
    if (before !== undefined && before.strength >= entry.strength) return;
    known.set(number, entry);
    marks[markAt(hash, 0)] = 1;
  };
  for (const { word, term, strength, isLoose } of sought.words) {
    // What a note has as several words is looked for as several.
    for (const one of wordsOf(word)) {
      keep(hasher.whole(one), { term, strength, isPart: false });
      if (!isLoose) continue;
      keep(hasher.beginning(one), { term, strength: strength * ALIKE, isPart: false });
    }
  }
  for (const { part, ...meant } of sought.inside) {
    keep(hasher.character(part), { ...meant, isPart: true });
  }
  for (const { part, ...meant } of sought.endings) {
    keep(hasher.ending(part), { ...meant, isPart: true });
  }
  /** The first of a word's forms that is looked for is what it counts as; its parts, behind them, count besides. */
  const hitAt = (hashes: string, at: number, hit: Hit, isFound: boolean): boolean => {
    const entry = known.get(numberAt(hashes, at));
    if (entry === undefined || (isFound && !entry.isPart)) return isFound;
    hit(entry.term, entry.strength);
    return true;
  };
  const scanWords = (hashes: string, from: number, to: number, hit: Hit): void => {
    let isFound = false;
    for (let at = from; at < to; ) {
      if (hashes.charCodeAt(at) === SPACE_CODE) {
        isFound = false;
        at += 1;
      } else {
        if (marks[markAt(hashes, at)] === 1) isFound = hitAt(hashes, at, hit, isFound);
        at += WORD_HASH_CHARS;
      }
    }
  };
  return {
    scan: (hashes, hits) => {
      const topics = hashes.indexOf(TOPICS_FOLLOW);
      scanWords(hashes, 0, topics < 0 ? hashes.length : topics, hits.word);
      if (topics < 0) return false;
      scanWords(hashes, topics + 1, hashes.length, hits.topic);
      return true;
    },
  };
}

const SPACE_CODE = 0x20;
const BITS_A_CHAR = 6;

/** The hash that stands there, as a number. Codes of characters overlap by a bit: of its 30 bits some 28 are told apart. */
function numberAt(hashes: string, at: number): number {
  let number = 0;
  for (let n = at; n < at + WORD_HASH_CHARS; n += 1) {
    number = (number << BITS_A_CHAR) ^ hashes.charCodeAt(n);
  }
  return number;
}

/** Nearly every hash is none that is looked for: two of its characters tell so. */
const MARKS = 4_096;

function markAt(hashes: string, at: number): number {
  return ((hashes.charCodeAt(at) << BITS_A_CHAR) ^ hashes.charCodeAt(at + 1)) & (MARKS - 1);
}
