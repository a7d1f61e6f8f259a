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
/** The segmenter cuts such an ending off a Japanese word. It does not count as a word between. */
const KANA = /^\p{sc=Hira}+$/u;
/** "Not only", "can't wait" and the answer "no i was" hold a negator and deny nothing. Folded. */
const NO_DENIAL =
  /(?<!\p{L})no (?=(?:i|we)(?:'(?:m|ve|d|ll|re)|m|ve)?(?!\p{L}))|not only|not just|(?:cannot|can't|cant) wait|nicht nur|no solo|no solamente|nao so(?!\p{L})|nao apenas|pas seulement|non solo|nie tylko|sadece degil|не только|не тільки|だけでなく|뿐만 아니라|不仅|不只|ليس فقط|न केवल/gu;
/** The end of a clause. */
const CLAUSE_END = /[.,;:!?…。、！？；，؟،؛।\n]|\s[-–—]\s/u;

const FINDERS = new Map<string, WordFinder>(
  LANGUAGES.map(({ code, negators, stopWords }) => [
    code,
    createWordFinder({ negators, stopWords }),
  ]),
);
/** Negators of one word, without their stars, by the code of their language. */
const BARE_NEGATORS = new Map<string, ReadonlySet<string>>(
  LANGUAGES.map(({ code, negators }) => [
    code,
    new Set(negators.map((entry) => fold(entry).replaceAll("*", ""))),
  ]),
);

/**
 * Returns the folded stems of a text's content words, each with whether it is denied. A negator denies up to five words
 * after it and two before it in its clause. `isDirect`: it is denied, and no content word is between.
 */
export function readTokensWithDenial(text: string, language: Language) {
  const places = readPlaces(readWords(text), language);
  return places.flatMap(({ word, isContent }, at) => {
    if (!isContent) return [];
    const isFar = (_: Place, steps: number): boolean => steps >= WORDS_BEHIND_MAX;
    let between = 0;
    const isBehind = (one: Place): boolean => {
      if (!KANA.test(one.word)) between += 1;
      return between >= WORDS_BEFORE_MAX;
    };
    const isOther = (one: Place): boolean => one.isContent;
    const denied = reaches(places, at, -1, isFar) || reaches(places, at, 1, isBehind);
    const isNext = reaches(places, at, -1, isOther) || reaches(places, at, 1, isOther);
    const stem = fold(getStem(word, language.code));
    return [{ stem, denied, isDirect: denied && isNext }];
  });
}

/** Walks from a word through its clause. Returns true at a negator; false after a word for which `isEnd` is true. */
function reaches(
  places: readonly Place[],
  at: number,
  step: 1 | -1,
  isEnd: (one: Place, steps: number) => boolean,
): boolean {
  const clause = places[at]?.clause;
  for (let steps = 1; ; steps += 1) {
    const one = places[at + step * steps];
    if (one === undefined || one.clause !== clause) return false;
    if (step === 1 ? one.startsNegator : one.endsNegator) return true;
    if (isEnd(one, steps)) return false;
  }
}

/** Returns true if a text holds a negator that denies something. */
export function hasNegator(text: string, language: Language): boolean {
  return readPlaces(readWords(text), language).some(({ startsNegator }) => startsNegator);
}

/** Returns the words of a text that only deny, folded: "no" and "longer" of "no longer". */
export function listNegators(text: string, language: Language): ReadonlySet<string> {
  const places = readPlaces(readWords(text), language);
  return new Set(places.flatMap(({ word, denies }) => (denies ? [word] : [])));
}

/** A word of a text, and its part in a negation. */
interface Place {
  readonly word: string;
  /** The number of its clause. */
  readonly clause: number;
  /** True if the word only denies. A content word with a denying part, as in Turkish, does not only deny. */
  readonly denies: boolean;
  readonly startsNegator: boolean;
  readonly endsNegator: boolean;
  /** True if the word is no stop word and does not only deny. */
  readonly isContent: boolean;
}

function readPlaces({ folded, words }: ReadText, { code }: Language): Place[] {
  const found = FINDERS.get(code)?.({ folded, words }) ?? [];
  const bare = BARE_NEGATORS.get(code);
  const idle = [...folded.matchAll(NO_DENIAL)];
  const isIdle = ({ from, to }: FoundEntry): boolean =>
    idle.some(
      ({ 0: { length }, index }) =>
        (words[from]?.start ?? 0) >= index && (words[to]?.end ?? 0) <= index + length,
    );
  const negators = found.filter((entry) => entry.name === "negators" && !isIdle(entry));
  const denying = listPlaces(
    negators.filter(({ from, to }) => from !== to || bare?.has(words[from]?.word ?? "")),
  );
  const silent = listPlaces(found.filter(({ name }) => name === "stopWords"));
  const starts = new Set(negators.map(({ from }) => from));
  const ends = new Set(negators.map(({ to }) => to));
  let clause = 0;
  return words.map(({ word, start }, at) => {
    if (CLAUSE_END.test(folded.slice(words[at - 1]?.end ?? start, start))) clause += 1;
    const denies = denying.has(at);
    const isContent = !denies && !silent.has(at);
    return {
      word,
      clause,
      denies,
      isContent,
      startsNegator: starts.has(at),
      endsNegator: ends.has(at),
    };
  });
}

function listPlaces(entries: readonly FoundEntry[]): ReadonlySet<number> {
  return new Set(
    entries.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
  );
}
