import { type KeyedHash, WORD_HASH_CHARS } from "../text/keyed-hash.ts";
import { ALIKE, type Hit, type Meant, type Sought } from "./sought.ts";
import { alikeChars, withoutMarks, wordsOf } from "./word-forms.ts";

/**
 * Hashes the words of notes. An index may hold hashes where it may hold no words, and with what a ranking needs in the
 * index, it reads a few neighbouring pages instead of one for each note.
 *
 * A note's words are five characters of base64url for each: the word, without the marks on its letters; where it ends
 * in `s`, the word without; and its beginning, where it is long enough to be alike to another. A space ends a word, and
 * the topics follow behind `|`.
 */
export interface WordHasher {
  /** Of the key: what was hashed with another is not compared. */
  readonly keyNumber: number;
  /** What is stored with a note of these words and topics. */
  ofNote(words: string, topics: string): string;
  whole(word: string): string;
  /** null: it is too short to be alike to another. */
  beginning(word: string): string | null;
}

/** What hashes words. */
export type WordKey = Pick<KeyedHash, "word" | "keyNumber">;

const TOPICS_FOLLOW = "|";
/** Of the words hashed last: most of a chat is the same few thousand. */
const HASHES_REMEMBERED_MAX = 20_000;

export function wordHasher(hash: WordKey): WordHasher {
  const wholes = remembering((word) => hash.word(`word ${withoutMarks(word)}`));
  const beginnings = remembering((word) => hash.word(`beginning ${withoutMarks(word)}`));
  const beginning = (word: string): string | null => {
    const chars = alikeChars(word.charCodeAt(0));
    return word.length < chars ? null : beginnings(word.slice(0, chars));
  };
  const formsOf = (word: string): string => {
    const singular = word.length > 1 && word.endsWith("s") ? wholes(word.slice(0, -1)) : "";
    return wholes(word) + singular + (beginning(word) ?? "");
  };
  const allOf = (text: string): string => wordsOf(text).map(formsOf).join(" ");
  return {
    keyNumber: hash.keyNumber,
    ofNote: (words, topics) =>
      allOf(words) + (topics === "" ? "" : TOPICS_FOLLOW + allOf(topics.toLowerCase())),
    whole: wholes,
    beginning,
  };
}

function remembering(hashOf: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const made = hashOf(word);
    if (known.size >= HASHES_REMEMBERED_MAX) known.clear();
    known.set(word, made);
    return made;
  };
}

/** Words that are looked for in what `WordHasher.ofNote` made. */
export interface HashedTable {
  /** Calls `hitWord` and `hitTopic` for the words of a note and of its topics. Whether it has topics. */
  scan(hashes: string, hitWord: Hit, hitTopic: Hit): boolean;
}

/** Nearly every hash is none that is looked for: its last bits tell so. */
const MARKS = 4_096;

/** Parts of words cannot be found in hashes: what has any is looked for in the words as they are written. */
export function hashedTable({ words }: Pick<Sought, "words">, hasher: WordHasher): HashedTable {
  const known = new Map<number, Meant>();
  const marks = new Uint8Array(MARKS);
  const keep = (hash: string, meant: Meant): void => {
    const number = numberAt(hash, 0);
    const before = known.get(number);
    if (before !== undefined && before.strength >= meant.strength) return;
    known.set(number, meant);
    marks[number & (MARKS - 1)] = 1;
  };
  for (const { word, term, strength, isLoose } of words) {
    for (const one of wordsOf(word)) {
      keep(hasher.whole(one), { term, strength });
      const beginning = isLoose ? hasher.beginning(one) : null;
      if (beginning !== null) keep(beginning, { term, strength: strength * ALIKE });
    }
  }
  const meantAt = (hashes: string, at: number): Meant | undefined => {
    const number = numberAt(hashes, at);
    return marks[number & (MARKS - 1)] === 1 ? known.get(number) : undefined;
  };
  /** Of the word that begins at `at`, the first form that is looked for is what it counts as. */
  const meantFrom = (hashes: string, at: number, end: number): Meant | undefined => {
    for (let form = at; form < end; form += WORD_HASH_CHARS) {
      const meant = meantAt(hashes, form);
      if (meant !== undefined) return meant;
    }
    return undefined;
  };
  const scan = (hashes: string, from: number, to: number, hit: Hit): void => {
    for (let at = from; at < to; ) {
      let end = at + WORD_HASH_CHARS;
      while (end < to && hashes.charCodeAt(end) !== SPACE_CODE) end += WORD_HASH_CHARS;
      const meant = meantFrom(hashes, at, end);
      if (meant !== undefined) hit(meant.term, meant.strength);
      at = end + 1;
    }
  };
  return {
    scan: (hashes, hitWord, hitTopic) => {
      const topics = hashes.indexOf(TOPICS_FOLLOW);
      if (topics < 0) {
        scan(hashes, 0, hashes.length, hitWord);
        return false;
      }
      scan(hashes, 0, topics, hitWord);
      scan(hashes, topics + 1, hashes.length, hitTopic);
      return true;
    },
  };
}

const SPACE_CODE = 0x20;

const BITS_A_CHAR = 6;
/** By ASCII code, the number that a character of base64url stands for. */
const VALUES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Math.max(
    0,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".indexOf(
      String.fromCharCode(code),
    ),
  ),
);

/** The hash that stands there, as a number. */
function numberAt(hashes: string, at: number): number {
  let number = 0;
  for (let n = at; n < at + WORD_HASH_CHARS; n += 1) {
    number = (number << BITS_A_CHAR) | (VALUES[hashes.charCodeAt(n)] ?? 0);
  }
  return number;
}
