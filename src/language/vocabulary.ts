// Pure: values in, values out.

import { distance } from "fastest-levenshtein";
import numbers from "./data/numbers.json" with { type: "json" };
import { fold } from "./fold.ts";
import { type Language, splitEntries } from "./languages.ts";
import { memoize } from "./memoize.ts";
import { PERSON } from "./people.ts";
import { getStemmedWords } from "./stems.ts";
import { isUnspaced, splitWords, type WordSpan } from "./words.ts";

/** Models fix spelling: from five letters on, one may differ. */
const MENDED_LETTERS_MIN = 5;
/** In a window a shorter word is often another word: "thinks", "thanks". */
const MISSPELT_LETTERS_MIN = 7;
/** Two forms of a word share this many first letters, and this share of the longer one. */
const FORM_LETTERS_MIN = 4;
const FORM_SHARE_MIN = 0.6;
const SYLLABLES = /^[\p{sc=Hang}]+$/u;
const DIGIT = /\p{N}/u;
const CAPITAL = /^\p{Lu}/u;

/** A content word, ready to compare. */
export interface ContentWord {
  readonly word: string;
  readonly stem: string;
  /** True if its capital may show a name. */
  readonly isName: boolean;
}

const LABEL_WORD = /^(?:p\d{1,4}|streamer)$/;

/** Number words and their digits, by language: `two=2`. "One" is missing, because it is an article, too. */
const numerals = memoize(
  () =>
    new Map(
      Object.entries(numbers).map(([code, list]) => [
        code,
        new Map(
          splitEntries(list).map((entry) => {
            const [written = "", value = ""] = entry.split("=");
            return [fold(written), value] as const;
          }),
        ),
      ]),
    ),
);

/** Returns the digits of a folded number word: "2" for "two". Null for other words, and for one. */
export function readNumeral(word: string, language: Language | null): string | null {
  return language === null ? null : (numerals().get(language.code)?.get(word) ?? null);
}

const ALTERNATIVES = /(?<!\p{L})\p{L}+(?:\/\p{L}+)+/gu;

/** Reads the content words of a text, in order, without labels. Words joined by a slash count together: "she/her". */
export function readContent(text: string, language: Language | null): readonly ContentWord[] {
  const joined = (text.match(ALTERNATIVES) ?? []).map((one) => fold(one));
  const single = getStemmedWords(text.replaceAll(PERSON, " "), language)
    .map(({ surface, stem }) => ({
      word: fold(surface),
      stem: readNumeral(fold(surface), language) ?? fold(stem),
      isName: CAPITAL.test(surface),
    }))
    .filter(({ word }) => !LABEL_WORD.test(word));
  return [...single, ...joined.map((word) => ({ word, stem: word, isName: false }))];
}

/** Words of some lines. */
export interface WordBag {
  readonly holds: (word: ContentWord) => boolean;
}

/** A line with its words, for a bag. */
export interface WordLine {
  readonly folded: string;
  readonly words: readonly WordSpan[];
  readonly content: readonly ContentWord[];
}

/** Reads the words of a line. */
export function readWordLine(text: string, language: Language | null): WordLine {
  const folded = fold(text);
  return { folded, words: splitWords(folded), content: readContent(text, language) };
}

/** Collects the words of lines, to ask whether they hold another word or a form of it. */
export function createWordBag(lines: readonly WordLine[]): WordBag {
  const exact = new Set<string>();
  const byStart = new Map<string, Set<string>>();
  for (const { content, words } of lines) {
    for (const { word, stem } of content) {
      exact.add(word).add(stem);
      const start = word.slice(0, 2);
      byStart.set(start, (byStart.get(start) ?? new Set()).add(word));
    }
    for (const { word } of words) {
      exact.add(word).add(replaceDigits(word));
    }
  }
  const unspaced = lines.map(({ folded }) => folded).filter((text) => isUnspaced(text));
  const seen = new Map<string, boolean>();
  const look = ({ word, stem }: ContentWord): boolean =>
    exact.has(word) ||
    exact.has(stem) ||
    (isUnspaced(word) && unspaced.some((text) => text.includes(word))) ||
    [...(byStart.get(word.slice(0, 2)) ?? [])].some((other) => isForm(word, other));
  return {
    holds: (word) => {
      const known = seen.get(word.word) ?? look(word);
      seen.set(word.word, known);
      return known;
    },
  };
}

const DIGIT_LETTERS: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t" },
};
const DIGIT_AS_LETTER = /(?<=\p{L})\d(?=\p{L})/gu;

/** A word with letters for the digits within it: "vodka" for "v0dka". */
function replaceDigits(word: string): string {
  return word.replace(DIGIT_AS_LETTER, (digit) => DIGIT_LETTERS[digit] ?? digit);
}

/** Returns true if two words are forms of one, or one misspells the other. Numbers have no forms. */
export function isForm(one: string, other: string): boolean {
  if (DIGIT.test(one) || DIGIT.test(other)) return false;
  if (Math.min(one.length, other.length) >= MISSPELT_LETTERS_MIN && isMisspelling(one, other))
    return true;
  const shared = countSharedLetters(one, other);
  const lettersMin = SYLLABLES.test(one) ? 2 : FORM_LETTERS_MIN;
  return shared >= lettersMin && shared / Math.max(one.length, other.length) >= FORM_SHARE_MIN;
}

/** Returns true if two words of five letters or more differ by one letter. */
export function isMisspelling(one: string, other: string): boolean {
  const shortest = Math.min(one.length, other.length);
  return shortest >= MENDED_LETTERS_MIN && distance(one, other) <= 1;
}

function countSharedLetters(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at;
  return length;
}
