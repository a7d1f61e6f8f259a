// Pure: values in, values out.
import type { KeyedHash } from "../../language/keyed-hash.ts";
import {
  alikeChars,
  charactersWithin,
  endingsOf,
  singularOf,
  withoutMarks,
  wordsOf,
} from "./word-forms.ts";

/**
 * Hashes the words of notes. An index may hold hashes where it may hold no words, and with what a ranking needs in the
 * index, it reads a few neighbouring pages instead of one for each note.
 *
 * A word becomes the hashes of its forms, one behind the other (`WORD_HASH_CHARS` each): the word itself, and what else
 * may be looked for and find it. Marks on letters do not count. A space ends a word; the topics follow behind `|`.
 */
export interface WordHasher {
  /** Stands beside what it made. */
  readonly number: number;
  /** What is stored with a note of these words and topics. */
  ofNote(words: string, topics: string): string;
  whole(word: string): string;
  /** Of as much as makes two words alike; null where the word is too short for that. */
  beginning(word: string): string | null;
  /** Of what a longer word may end with. */
  ending(part: string): string;
  /** Of what may stand anywhere in a word of East Asia. */
  character(one: string): string;
}

/** Another name when other forms are hashed: then all is hashed anew. */
const FORMS = "forms 1";
/** Behind the words, where there are topics. */
export const TOPICS_FOLLOW = "|";
/** Of the words hashed last: most of a chat is the same few thousand. */
const WORDS_REMEMBERED_MAX = 20_000;

export function wordHasher(key: Pick<KeyedHash, "word" | "number">): WordHasher {
  const hashing = (kind: string) =>
    remembering((word) => key.word(`${kind} ${withoutMarks(word)}`));
  const whole = hashing("whole");
  const beginningOf = hashing("beginning");
  const ending = hashing("ending");
  const character = hashing("character");
  const beginning = (word: string): string | null => {
    const characters = Array.from(word);
    const alike = alikeChars(word);
    return characters.length < alike ? null : beginningOf(characters.slice(0, alike).join(""));
  };
  const formsOf = remembering((word) => {
    const singular = singularOf(word);
    return [
      whole(word),
      singular === null ? "" : whole(singular),
      beginning(word) ?? "",
      ...endingsOf(word).map(ending),
      ...charactersWithin(word).map(character),
    ].join("");
  });
  const allOf = (text: string): string => [...new Set(wordsOf(text))].map(formsOf).join(" ");
  return {
    number: key.number(FORMS),
    ofNote: (words, topics) =>
      allOf(words) + (topics === "" ? "" : TOPICS_FOLLOW + allOf(topics.toLowerCase())),
    whole,
    beginning,
    ending,
    character,
  };
}

function remembering(make: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const made = make(word);
    if (known.size >= WORDS_REMEMBERED_MAX) known.clear();
    known.set(word, made);
    return made;
  };
}
