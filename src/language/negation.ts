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
} from "./words.ts";

/** A negator denies this many words after it, and before it. */
const WORDS_BEHIND_MAX = 5;
const WORDS_BEFORE_MAX = 2;
/** An ending of a Japanese word, which the segmenter cuts off, is no word. */
const KANA = /^\p{sc=Hira}+$/u;
/** "Not only", "can't wait" and the answer "no i was" hold a negator and deny nothing. Folded. */
const NO_DENIAL =
  /(?<!\p{L})no (?=(?:i|we)(?:'?(?:m|ve|d|ll|re))?(?!\p{L}))|not only|not just|(?:cannot|can't|cant) wait|nicht nur|no solo|no solamente|nao so(?!\p{L})|nao apenas|pas seulement|non solo|nie tylko|sadece degil|не только|не тільки|だけでなく|뿐만 아니라|不仅|不只|ليس فقط|न केवल/gu;
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
  const { found, negators, negating } = findNegators(read, language);
  const silent = findPlaces(found, "stopWords");
  const clauses = numberClauses(read);
  const starts = new Set(negators.map(({ from }) => from));
  const ends = new Set(negators.map(({ to }) => to));
  const isNegator = (at: number): boolean => negating.has(at);
  const counts = (at: number): boolean => !silent.has(at) && !isNegator(at);
  /** Walks from a word through its clause to a negator. Stops before that if `isPassed` says so of a place. */
  const reaches = (at: number, step: 1 | -1, isPassed: (place: number) => boolean): boolean => {
    const edges = step === 1 ? starts : ends;
    for (let place = at + step; clauses[place] === clauses[at]; place += step) {
      if (edges.has(place)) return true;
      if (isPassed(place)) return false;
    }
    return false;
  };
  const isDenied = (at: number): boolean => {
    let between = 0;
    return (
      reaches(at, -1, (place) => at - place >= WORDS_BEHIND_MAX) ||
      reaches(at, 1, (place) => {
        if (!KANA.test(read.words[place]?.word ?? "")) between += 1;
        return between >= WORDS_BEFORE_MAX;
      })
    );
  };
  /** True if no other content word is between it and the negator. */
  const isDirect = (at: number): boolean => reaches(at, -1, counts) || reaches(at, 1, counts);
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

/** Returns the words of a text that only deny, folded: "no" and "longer" of "no longer". */
export function listNegators(text: string, language: Language): ReadonlySet<string> {
  const read = readWords(text);
  const { negating } = findNegators(read, language);
  return new Set([...negating].map((at) => read.words[at]?.word ?? ""));
}

/** Finds the entries of a language in a text, the negators among them, and the places of words that only deny. */
function findNegators(read: ReadText, language: Language) {
  const found = FINDERS.get(language.code)?.(read) ?? [];
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
  const negating = new Set(
    negators.flatMap(({ from, to }) =>
      from !== to || isBare(read, from, language)
        ? Array.from({ length: to - from + 1 }, (_, n) => from + n)
        : [],
    ),
  );
  return { found, negators, negating };
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
