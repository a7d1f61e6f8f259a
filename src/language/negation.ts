// Pure: values in, values out.
import { LANGUAGES, type Language } from "./languages.ts";
import {
  type FoundEntry,
  foldText,
  type ReadText,
  readWords,
  type WordFinder,
  wordFinder,
} from "./word-spans.ts";
import { stemOf } from "./words.ts";

/** A negator denies what stands up to so many words behind it, and before it. */
const WORDS_BEHIND_MAX = 5;
const WORDS_BEFORE_MAX = 2;
/** An ending of a Japanese word, which the segmenter cuts off, is no word. */
const KANA = /^\p{sc=Hira}+$/u;
/** A clause ends there, and before a conjunction. */
const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]|\s[-–—]\s/u;

const FINDERS = new Map<string, WordFinder>(
  LANGUAGES.map(({ code, negators, deniesNothing, stopWords, conjunctions }) => [
    code,
    wordFinder({ negators, deniesNothing, stopWords, conjunctions }),
  ]),
);

/**
 * The words of a text that say something, each with whether it is denied: a negator of the language stands up to five
 * words before it or two behind it in its clause, and not in a phrase that denies nothing.
 */
export function tokensWithDenial(text: string, language: Language) {
  const read = readWords(text);
  const { found, negators } = negatorsIn(read, language);
  const silent = placesOf(found, "stopWords");
  const clauses = clausesOf(read, placesOf(found, "conjunctions"));
  const between = (from: number, to: number): number =>
    read.words.slice(from + 1, to).filter(({ word }) => !KANA.test(word)).length;
  const denied = (at: number): boolean =>
    negators.some(
      ({ from, to }) =>
        clauses[from] === clauses[at] &&
        (at > to ? at - to <= WORDS_BEHIND_MAX : between(at, from) < WORDS_BEFORE_MAX),
    );
  const isNegator = (at: number): boolean =>
    negators.some(({ from, to }) => at >= from && at <= to && from !== to) ||
    negators.some(({ from, to }) => from === at && to === at && isBare(read, at, language));
  return read.words.flatMap(({ word }, at) =>
    silent.has(at) || isNegator(at)
      ? []
      : [{ stem: foldText(stemOf(word, language.code)), denied: denied(at) }],
  );
}

/** Whether a text denies anything: it holds a negator that is no part of a phrase which denies nothing. */
export function deniesAnything(text: string, language: Language): boolean {
  return negatorsIn(readWords(text), language).negators.length > 0;
}

/** The entries of a language in a text, and those of them that deny. */
function negatorsIn(read: ReadText, { code }: Language) {
  const found = FINDERS.get(code)?.(read) ?? [];
  const harmless = found.filter(({ name }) => name === "deniesNothing");
  const negators = found.filter(
    (one) => one.name === "negators" && !harmless.some((phrase) => isWithin(one, phrase)),
  );
  return { found, negators };
}

/** Whether a word is a negator and nothing else: an ending that denies has a word before it that counts. */
function isBare({ words }: ReadText, at: number, { negators }: Language): boolean {
  return negators.some((entry) => foldText(entry).replaceAll("*", "") === words[at]?.word);
}

function isWithin(one: FoundEntry, other: FoundEntry): boolean {
  return one.from >= other.from && one.to <= other.to;
}

function placesOf(found: readonly FoundEntry[], list: string): ReadonlySet<number> {
  return new Set(
    found
      .filter(({ name }) => name === list)
      .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
  );
}

/** Of each word the number of the clause that it stands in. */
function clausesOf({ folded, words }: ReadText, joints: ReadonlySet<number>): number[] {
  let clause = 0;
  return words.map(({ start }, at) => {
    const before = words[at - 1]?.end ?? start;
    if (joints.has(at) || CLAUSE_END.test(folded.slice(before, start))) clause += 1;
    return clause;
  });
}
