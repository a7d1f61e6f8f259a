// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import { NOTE_PROPERTIES } from "../catalogue/note-kinds.ts";
import { fold } from "../language/fold.ts";
import { findLanguage, LANGUAGES, type Language, languageFinder } from "../language/languages.ts";
import { hasNegator } from "../language/negation.ts";
import { findPeople } from "../language/people.ts";
import { getStemmedWords, readNumeral } from "../language/stems.ts";
import { isUnspaced, splitWords } from "../language/words.ts";
import type { Property } from "./check-sorted.ts";

const DIGIT = /\p{N}/u;
/** Words joined by a slash, such as pronouns. Stop words in them count. */
const JOINED = /\p{L}+(?:\/\p{L}+)+/gu;

/**
 * Returns the key of a fact: its viewers' ids, and the stems of its words in order. Number words become digits. Stop
 * words are left out, but not negators. Only facts with equal keys confirm each other by wording.
 */
export function makeFactKey(fact: string): string {
  const language = findLanguage(fact);
  const stems = new Map(
    getStemmedWords(fact, language).map(({ surface, stem }) => [fold(surface), fold(stem)]),
  );
  const folded = fold(fact);
  const joined = new Set((folded.match(JOINED) ?? []).flatMap((words) => words.split("/")));
  const isKept = (word: string): boolean => negators().has(word) || joined.has(word);
  const key = splitWords(folded)
    .flatMap(
      ({ word }) => readNumeral(word, language) ?? stems.get(word) ?? (isKept(word) ? word : []),
    )
    .join(" ");
  return `${findPeople(fact).join(" ")}|${key === "" ? folded : key}`;
}

/**
 * Returns true if `fact` cannot confirm `known`. Only one denies; one function word or numeral is swapped; they name
 * other viewers; or `fact` has a new number. Other words do not count. `window`: texts of the same extraction, which
 * show the language.
 */
export function isDifferent(known: string, fact: string, window: readonly string[] = []): boolean {
  const languages = findNegatorLanguages(known, fact, window);
  if (languages.some((one) => isDenied(known, one) !== isDenied(fact, one))) return true;
  const language = findLanguage(fact, [known]);
  if (language !== null && swapsWord(known, fact, language)) return true;
  const numbers = findNumbers(known, language);
  if (findNumbers(fact, language).some((one) => !numbers.includes(one))) return true;
  return findPeople(known).join() !== findPeople(fact).join();
}

/** Two forms of one word share this many first letters. */
const STEM_CHARS_MIN = 2;

/**
 * Returns the languages whose negators are looked for: those of the facts. All languages if the facts differ in one
 * added word, or in the ending of one word.
 */
function findNegatorLanguages(
  known: string,
  fact: string,
  window: readonly string[],
): readonly Language[] {
  const languagesOf = languageFinder([known, fact, ...window]);
  const [both] = languagesOf(`${known}\n${fact}`);
  const languages = both ? [both] : [known, fact].flatMap((text) => languagesOf(text)[0] ?? []);
  // One added word, or one with another ending, may be a negation in any language: "yer", "yemez".
  const [was, is] = findOneDifference(listWords(known), listWords(fact)) ?? [null, null];
  const isForm = was !== null && was.slice(0, STEM_CHARS_MIN) === is.slice(0, STEM_CHARS_MIN);
  return was === "" || isForm ? LANGUAGES : languages;
}

function listWords(text: string): string[] {
  return splitWords(fold(text)).map(({ word }) => word);
}

/** Returns the only difference of two lists, "" for a missing word; null if there is none or several. */
function findOneDifference(
  one: readonly string[],
  other: readonly string[],
): readonly [string, string] | null {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const from = long.findIndex((part, at) => part !== short[at]);
  const more = long.length - short.length;
  if (from < 0 || more > 1) return null;
  const isOne = long.slice(from + 1).join(" ") === short.slice(from + 1 - more).join(" ");
  return isOne ? [more === 1 ? "" : (short[from] ?? ""), long[from] ?? ""] : null;
}

/**
 * True if two facts differ only in one function word ("on", "off"), or one numeral of a script without spaces. An added
 * word is no swap.
 */
function swapsWord(known: string, fact: string, language: Language): boolean {
  const words = findOneDifference(listWords(known), listWords(fact));
  const stopWords = new Set(language.stopWords.map((one) => fold(one)));
  if (words?.every((word) => stopWords.has(word))) return true;
  const characters = findOneDifference([...known], [...fact]) ?? [""];
  return characters.every((one) => isUnspaced(one) && readNumeral(one, language) !== null);
}

/** Returns true if a fact has a negator of the language; false for an unknown language. */
export function isDenied(fact: string, language: Language | null = findLanguage(fact)): boolean {
  return language !== null && hasNegator(fact, language);
}

/**
 * Returns true if exactly one of two facts denies, and both have the same content words. The affirmed one may have
 * more: "drinks coffee every morning" for "drinks no coffee". But it must not name another thing: "a black dog collar"
 * for "no black dog". False for an unknown language.
 */
export function isOpposite(known: string, fact: string): boolean {
  const language = findLanguage(`${known}\n${fact}`);
  if (language === null || isDenied(known, language) === isDenied(fact, language)) return false;
  const [denied, affirmed] = isDenied(known, language) ? [known, fact] : [fact, known];
  const [wanted, held] = [readUndenied(denied, language), readUndenied(affirmed, language)];
  if (wanted.length === 0) return false;
  const stemsOf = (words: typeof held) => joinSortedUnique(words.map(({ stem }) => stem));
  if (stemsOf(wanted) === stemsOf(held)) return true;
  // One word, or one with a noun behind it, may be another thing: "bass clarinet", "black dog collar".
  const isRun = (from: number): boolean =>
    wanted.every(({ stem }, n) => held[from + n]?.stem === stem) &&
    held[from + wanted.length - 1]?.isLast === true;
  return wanted.length > 1 && held.some((_, from) => isRun(from));
}

/** Returns the stems of a fact's content words without negators, in order. `isLast`: no such word follows at once. */
function readUndenied(fact: string, language: Language) {
  const stems = new Map(
    getStemmedWords(fact, language).map(({ surface, stem }) => [fold(surface), fold(stem)]),
  );
  const denying = new Set(language.negators.flatMap((one) => fold(one).split(" ")));
  const read = listWords(fact).map((word) =>
    denying.has(word) || mayDeny(word) ? "" : (stems.get(word) ?? ""),
  );
  return read.flatMap((stem, at) => (stem === "" ? [] : [{ stem, isLast: !read[at + 1] }]));
}

function joinSortedUnique(words: readonly string[]): string {
  return [...new Set(words)].sort().join(" ");
}

/** Returns the stems of a short value, sorted; the folded value if it has none. */
function makeValueKey(value: string): string {
  const stems = getStemmedWords(value, findLanguage(value)).map(({ stem }) => fold(stem));
  return stems.length === 0 ? fold(value).trim() : joinSortedUnique(stems);
}

/** Returns the numbers of a fact; number words of the language become digits. */
function findNumbers(fact: string, language: Language | null): readonly string[] {
  return splitWords(fold(fact))
    .map(({ word }) => readNumeral(word, language) ?? word)
    .filter((word) => DIGIT.test(word));
}

/** Returns true if a word is a negator in any language. */
export function mayDeny(word: string): boolean {
  return negators().has(word);
}

const negators = memoize(
  () => new Set(LANGUAGES.flatMap((language) => language.negators).map((one) => fold(one))),
);

/** The share of common words from which two notes say nearly the same. */
const NEARLY_SAME_MIN = 0.6;

/** Returns true if at least 60 % of the words of two notes are in both. */
export function sharesMostWords(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  if (few.size < NEARLY_SAME_MIN * many.size) return false;
  let shared = 0;
  for (const word of few) if (many.has(word)) shared += 1;
  return shared / (one.size + other.size - shared) >= NEARLY_SAME_MIN;
}

interface FactWithProperty {
  readonly fact: string;
  readonly property: Property | null;
}

/** Returns true if both are known and have different values. Does not compare their names and games. */
export function hasOtherValue(one: Property | null, other: Property | null): boolean {
  return one !== null && other !== null && makeValueKey(one.value) !== makeValueKey(other.value);
}

/** Returns true if both have the same name and the same game. Their values may differ. */
export function isSameProperty(one: Property, other: Property): boolean {
  return one.name === other.name && makeValueKey(one.game ?? "") === makeValueKey(other.game ?? "");
}

/**
 * Returns true if two notes have different values of a property that a viewer has once. False if one of them denies.
 */
export function isRival(one: FactWithProperty, other: FactWithProperty): boolean {
  if (one.property === null || other.property === null) return false;
  return (
    NOTE_PROPERTIES[one.property.name].isSingle &&
    isSameProperty(one.property, other.property) &&
    hasOtherValue(one.property, other.property) &&
    !isDenied(one.fact) &&
    !isDenied(other.fact)
  );
}
