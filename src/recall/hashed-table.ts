import { WORD_HASH_CHARS } from "../text/keyed-hash.ts";
import type { Hit, Hits, Meant, Sought } from "./sought.ts";
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

/** Nearly every hash is none that is looked for: its last bits tell so. */
const MARKS = 4_096;

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
    marks[number & (MARKS - 1)] = 1;
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
  const entryAt = (hashes: string, at: number): Entry | undefined => {
    const number = numberAt(hashes, at);
    return marks[number & (MARKS - 1)] === 1 ? known.get(number) : undefined;
  };
  /** The first of a word's forms that is looked for is what it counts as; its parts, behind them, count besides. */
  const scanWord = (hashes: string, from: number, to: number, hit: Hit): void => {
    let isFound = false;
    for (let at = from; at < to; at += WORD_HASH_CHARS) {
      const entry = entryAt(hashes, at);
      if (entry === undefined || (isFound && !entry.isPart)) continue;
      hit(entry.term, entry.strength);
      isFound = true;
    }
  };
  const scanWords = (hashes: string, from: number, to: number, hit: Hit): void => {
    for (let at = from; at < to; ) {
      let end = at + WORD_HASH_CHARS;
      while (end < to && hashes.charCodeAt(end) !== SPACE_CODE) end += WORD_HASH_CHARS;
      scanWord(hashes, at, end, hit);
      at = end + 1;
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
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** By ASCII code, the number that a character of base64url stands for. */
const VALUES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Math.max(0, BASE64URL.indexOf(String.fromCharCode(code))),
);

/** The hash that stands there, as a number. */
function numberAt(hashes: string, at: number): number {
  let number = 0;
  for (let n = at; n < at + WORD_HASH_CHARS; n += 1) {
    number = (number << BITS_A_CHAR) | (VALUES[hashes.charCodeAt(n)] ?? 0);
  }
  return number;
}
