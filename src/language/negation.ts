// Pure: values in, values out.

import { fold } from "./fold.ts";
import { LANGUAGES, type Language } from "./languages.ts";
import { getStem } from "./stems.ts";
import {
  createWordFinder,
  type FoundEntry,
  type ReadText,
  readWords,
  type WordFinder,
} from "./word-lists.ts";

/** A negator denies this many words after it, and before it. */
const WORDS_BEHIND_MAX = 5;
const WORDS_BEFORE_MAX = 2;
/** An ending of a Japanese word, which the segmenter cuts off, is no word. */
const KANA = /^\p{sc=Hira}+$/u;
/** "Not only" and "can't wait" hold a negator and deny nothing. Folded. */
const NO_DENIAL =
  /not only|not just|(?:cannot|can't|cant) wait|nicht nur|no solo|no solamente|nao so(?!\p{L})|nao apenas|pas seulement|non solo|nie tylko|sadece degil|не только|не тільки|だけでなく|뿐만 아니라|不仅|不只|ليس فقط|न केवल/gu;
/** The end of a clause. */
const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]|\s[-–—]\s/u;

const FINDERS = new Map<string, WordFinder>(
  LANGUAGES.map(({ code, negators, stopWords }) => [
    code,
    createWordFinder({ negators, stopWords }),
  ]),
);

/**
 * Returns the content words of a text, each with whether it is denied. A negator denies up to five words after it and
 * two before it in its clause. The nearest word is denied directly: in "can't wait to move" it is "wait".
 */
export function readTokensWithDenial(text: string, language: Language) {
  const read = readWords(text);
  const { found, negators } = findNegators(read, language);
  const silent = findPlaces(found, "stopWords");
  const clauses = numberClauses(read);
  const between = (from: number, to: number): number =>
    read.words.slice(from + 1, to).filter(({ word }) => !KANA.test(word)).length;
  const isDenied = (at: number): boolean =>
    negators.some(
      ({ from, to }) =>
        clauses[from] === clauses[at] &&
        (at > to ? at - to <= WORDS_BEHIND_MAX : between(at, from) < WORDS_BEFORE_MAX),
    );
  const counts = (at: number): boolean => !silent.has(at) && !isNegator(at);
  /** True if no other content word is between it and the negator. */
  const isDirect = (at: number): boolean =>
    negators.some(({ from, to }) => {
      if (clauses[from] !== clauses[at]) return false;
      const [first, last] = at > to ? [to + 1, at] : [at + 1, from];
      return read.words.slice(first, last).every((_, n) => !counts(first + n));
    });
  const isNegator = (at: number): boolean =>
    negators.some(({ from, to }) => at >= from && at <= to && from !== to) ||
    negators.some(({ from, to }) => from === at && to === at && isBare(read, at, language));
  return read.words.flatMap(({ word }, at) =>
    silent.has(at) || isNegator(at)
      ? []
      : [
          {
            stem: fold(getStem(word, language.code)),
            denied: isDenied(at),
            isDirect: isDenied(at) && isDirect(at),
          },
        ],
  );
}

/** True if a text holds a negator. */
export function hasNegator(text: string, language: Language): boolean {
  return findNegators(readWords(text), language).negators.length > 0;
}

/** Finds the entries of a language in a text, and the negators among them. */
function findNegators(read: ReadText, { code }: Language) {
  const found = FINDERS.get(code)?.(read) ?? [];
  const idle = [...read.folded.matchAll(NO_DENIAL)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  const isIdle = ({ from, to }: FoundEntry): boolean =>
    idle.some(
      ({ start, end }) =>
        (read.words[from]?.start ?? 0) >= start && (read.words[to]?.end ?? 0) <= end,
    );
  const negators = found.filter((entry) => entry.name === "negators" && !isIdle(entry));
  return { found, negators };
}

/** Returns true if a word is only a negator. A denying ending has a content word before it. */
function isBare({ words }: ReadText, at: number, { negators }: Language): boolean {
  return negators.some((entry) => fold(entry).replaceAll("*", "") === words[at]?.word);
}

function findPlaces(found: readonly FoundEntry[], list: string): ReadonlySet<number> {
  return new Set(
    found
      .filter(({ name }) => name === list)
      .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
  );
}

/** Returns the number of each word's clause. */
function numberClauses({ folded, words }: ReadText): number[] {
  let clause = 0;
  return words.map(({ start }, at) => {
    const before = words[at - 1]?.end ?? start;
    if (CLAUSE_END.test(folded.slice(before, start))) clause += 1;
    return clause;
  });
}
