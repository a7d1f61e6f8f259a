// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import ar from "./data/ar.json" with { type: "json" };
import de from "./data/de.json" with { type: "json" };
import en from "./data/en.json" with { type: "json" };
import es from "./data/es.json" with { type: "json" };
import fr from "./data/fr.json" with { type: "json" };
import hi from "./data/hi.json" with { type: "json" };
import it from "./data/it.json" with { type: "json" };
import ja from "./data/ja.json" with { type: "json" };
import ko from "./data/ko.json" with { type: "json" };
import pl from "./data/pl.json" with { type: "json" };
import pt from "./data/pt.json" with { type: "json" };
import ru from "./data/ru.json" with { type: "json" };
import tr from "./data/tr.json" with { type: "json" };
import uk from "./data/uk.json" with { type: "json" };
import zh from "./data/zh.json" with { type: "json" };
import { fold } from "./fold.ts";
import { PERSON } from "./people.ts";
import { createWordFinder, splitWords, type WordSpan } from "./words.ts";

/** The sentences of code in chat, with gaps: how to be forgotten, questions before an action, why one was not done. */
export type Sayings = typeof en.says & {
  /** Questions before an action, translated from the catalogue's English, by the action's name and form: `delete reply`. */
  readonly asks: Readonly<Record<string, string>>;
};

/** Stemmers, by Snowball's names and two of our own. */
export type StemmerName =
  | "arabic"
  | "english"
  | "french"
  | "german"
  | "italian"
  | "japanese"
  | "korean"
  | "portuguese"
  | "russian"
  | "spanish"
  | "turkish";

/**
 * A file `data/<code>.json`: words, not rules, so that a speaker reviews it in ten minutes. Words are lower case, in NFC.
 * `word*`, `*word` and `*word*` match words that begin with, end with or contain it. The entries of a list are separated
 * by spaces, or by ` | ` if one of them is a phrase.
 */
export interface LanguageFile {
  /** ISO 639-1. */
  readonly code: string;
  readonly name: string;
  /** ISO 15924. */
  readonly script: "Latn" | "Cyrl" | "Jpan" | "Hang" | "Hani" | "Arab" | "Deva";
  /** Names the stemmer that takes the endings off words; null if words are compared as they are written. */
  readonly stemmer: StemmerName | null;
  /** True if compounds are one word, so that a question may ask for the end of a word. */
  readonly compounds: boolean;
  /** ISO 3166 codes of the countries whose phone numbers are recognised. */
  readonly countries: string;
  /** Letters that no other language with a file has: they identify it as a function word does. */
  readonly letters: string;
  /** Words that do not say what a sentence is about. In Latin letters they also identify the language. */
  readonly stopWords: string;
  /** Words that deny the words near them. */
  readonly negators: string;
  readonly yes: string;
  readonly no: string;
  /**
   * Whole sentences that ask to be forgotten: `a/b` is one of these words, `(a)` is optional. The last entry lists
   * words allowed before and after; `_` is a space in it.
   */
  readonly forgetMe: string;
  readonly says: Sayings;
}

/** A language with its lists split. */
export type Language = ReturnType<typeof readFile>;

/** Splits one list of a file: at ` | ` if it has one, else at spaces. */
export function splitEntries(text: string): readonly string[] {
  return text === "" ? [] : text.split(text.includes(" | ") ? " | " : " ");
}

function readFile(file: LanguageFile) {
  return {
    ...file,
    countries: splitEntries(file.countries),
    stopWords: splitEntries(file.stopWords),
    negators: splitEntries(file.negators),
    yes: splitEntries(file.yes),
    no: splitEntries(file.no),
    forgetMe: splitEntries(file.forgetMe),
  };
}

/**
 * All languages with a file. A language without one is not judged by another's words. A test checks each file, because
 * a check at each start would take a twentieth of it.
 */
export const LANGUAGES = (
  [en, de, es, pt, fr, it, pl, tr, ru, uk, ja, ko, zh, ar, hi] as readonly LanguageFile[]
).map(readFile);

/**
 * Returns the sentences of code in a language; in English if the code is null or has no file. `pt-BR` is read as `pt`.
 */
export function findSayings(code: string | null): Sayings {
  const [short] = (code ?? "en").toLowerCase().split("-");
  return LANGUAGES.find((one) => one.code === short)?.says ?? en.says;
}

/** Letters that identify a script. The first match counts. */
const SCRIPTS: readonly (readonly [RegExp, Language["script"]])[] = [
  [/[\p{sc=Hira}\p{sc=Kana}]/u, "Jpan"],
  [/\p{sc=Hang}/u, "Hang"],
  [/\p{sc=Han}/u, "Hani"],
  [/\p{sc=Cyrl}/u, "Cyrl"],
  [/\p{sc=Arab}/u, "Arab"],
  [/\p{sc=Deva}/u, "Deva"],
];
/** Letters of Persian and Urdu, which Arabic does not have. */
const NOT_ARABIC = /[پچژگکیٹڈڑںے]/u;
const LATIN = /\p{sc=Latn}/u;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_LETTER = /[a-z]/i;
/** The share of the words that a language must fit. Else there is no file for the language. */
const FIT_MIN = 0.15;
/**
 * The share for a window. By chance words of Finnish and Czech chat fit Polish for a sixth, and those with a file for a
 * third.
 */
const WINDOW_FIT_MIN = 0.22;
const WORDS_MAX = 400;
/** This many words identify the language of a line in any window. */
const SURE_HITS_MIN = 2;
/** Fewer lines do not identify a language. */
const WINDOW_LINES_MIN = 3;

/** Built on first use: it takes 30 ms that a start does not need. */
const clueLists = memoize(() => ({
  /** The languages that have a word as a function word, or as a negator. */
  stopWords: collectClues(({ stopWords }) => stopWords),
  negators: collectClues(({ negators }) => negators),
  /** A short negator alone is too often a word of a language without a file: "ne", "ni". */
  longNegators: collectClues(({ negators }) => negators.filter(({ length }) => length > 2)),
  /** Negators of several words, "no longer", "parou de", by the code of their language. */
  phrases: createWordFinder(
    Object.fromEntries(
      LANGUAGES.map(({ code, negators }) => [
        code,
        negators.filter((one) => /^[^*]+ [^*]+$/.test(one)),
      ]),
    ),
  ),
  /** Negators within a word that are long enough to be in no other language: "içmiyor". */
  inner: new Map(
    LANGUAGES.map(({ code, negators }) => [
      code,
      negators.filter((one) => /^\*.{5,}\*$/u.test(one)).map((one) => fold(one).slice(1, -1)),
    ]),
  ),
}));

/**
 * Finds the language of a text by its script. If several languages share the script, the function words of the text and
 * its window decide. Null if none fits, but Cyrillic text is then Russian.
 */
export function findLanguage(text: string, window: readonly string[] = []): Language | null {
  return languageFinder(window)(text)[0] ?? null;
}

/**
 * Returns a function that lists the languages of a text: the likeliest one, then others that fit as well, and those of
 * its window. Word lists of all of them apply. If no language fits, the list is empty; for Cyrillic text it is then
 * all languages in Cyrillic.
 */
export function languageFinder(window: readonly string[]): (text: string) => readonly Language[] {
  const windowFits = new Map<Language["script"], readonly Language[]>();
  /**
   * True if the words of the text identify its language. One alone is too often a word of a language without a file:
   * then the window decides.
   */
  const isSure = ({ hits }: Fit): boolean =>
    hits >= SURE_HITS_MIN || window.length < WINDOW_LINES_MIN;
  return (written) => {
    const text = removePeople(written);
    const script = findScript(text);
    // Japanese may be written in Chinese characters alone.
    const isKanji = script === "Hani" && window.some((line) => findScript(line) === "Jpan");
    const able = LANGUAGES.filter((one) => one.script === (isKanji ? "Jpan" : script));
    const [first] = able;
    if (first === undefined) return [];
    if (able.length === 1) return NOT_ARABIC.test(text) ? [] : able;
    const fits = windowFits.get(first.script) ?? fitWindow(window, able);
    windowFits.set(first.script, fits);
    const own = fitLanguages(text, able);
    const all = [...(isSure(own) ? own.languages : []), ...fits];
    if (fits.length > 0) all.push(...own.languages);
    // Cyrillic text without a known word may be in any of its languages. It is read as the first.
    return all.length > 0 ? [...new Set(all)] : able.filter((one) => one.script === "Cyrl");
  };
}

function removePeople(text: string): string {
  return text.includes("{u:") ? text.replaceAll(PERSON, " ") : text;
}

/** Returns those of the languages `able` that fit a window best; empty for an empty window, or if none fits. */
function fitWindow(window: readonly string[], able: readonly Language[]): readonly Language[] {
  if (window.length === 0) return [];
  const fit = fitLanguages(removePeople(window.join("\n")), able);
  const shareMin = window.length < WINDOW_LINES_MIN ? FIT_MIN : WINDOW_FIT_MIN;
  return fit.share >= shareMin ? fit.languages : [];
}

/** Returns the first script of `SCRIPTS` that a text has letters of, else Latin; null if it has neither. */
export function findScript(text: string): Language["script"] | null {
  if (ASCII.test(text)) return ASCII_LETTER.test(text) ? "Latn" : null;
  const found = SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  return found ?? (LATIN.test(text) ? "Latn" : null);
}

interface Fit {
  /** The languages that fit best; none if none fits. */
  readonly languages: readonly Language[];
  readonly hits: number;
  /** The share of all words. */
  readonly share: number;
}

function fitLanguages(text: string, able: readonly Language[]): Fit {
  const folded = fold(text);
  const words = splitWords(folded).slice(0, WORDS_MAX);
  const clues = clueLists();
  const stopWords = countClues(words, clues.stopWords);
  const negators = countClues(words, clues.negators);
  const longNegators = negators.size === 0 ? negators : countClues(words, clues.longNegators);
  const phrases = clues.phrases({ folded, words });
  const hasOwnLetters = !ASCII.test(text);
  const counts = able.map((language) => {
    const inner = clues.inner.get(language.code) ?? [];
    const sure =
      (stopWords.get(language) ?? 0) +
      words.filter(({ word }) => inner.some((part) => word.includes(part))).length +
      phrases.reduce(
        (sum, { name, from, to }) => (name === language.code ? sum + to - from + 1 : sum),
        0,
      ) +
      (hasOwnLetters ? countLetters(text, language) : 0);
    const denied = negators.get(language) ?? 0;
    // A negator alone may be another language's word: "sin" is "his" in Danish, "pas" is "just now" in Dutch.
    const isCertain =
      sure > 0 || (longNegators.has(language) && denied / words.length >= WINDOW_FIT_MIN);
    return isCertain ? sure + denied : 0;
  });
  const hits = Math.max(...counts);
  const share = hits / words.length;
  const isFit = hits > 0 && share >= FIT_MIN;
  return { languages: isFit ? able.filter((_, at) => counts[at] === hits) : [], hits, share };
}

/** Counts the words with a letter that only this language has; 0 for ASCII, which has none of these letters. */
function countLetters(text: string, { letters }: Language): number {
  const found = [...letters].filter((letter) => text.includes(letter));
  if (found.length === 0) return 0;
  return text.split(/\s+/u).filter((word) => found.some((letter) => word.includes(letter))).length;
}

type Clues = ReadonlyMap<string, readonly Language[]>;

/** Counts the words that are clues of each language. A word may count for several. Languages without one are missing. */
function countClues(words: readonly WordSpan[], clues: Clues): Map<Language, number> {
  const hits = new Map<Language, number>();
  for (const { word } of words) {
    // "nell'acqua" begins with a function word that lost its vowel.
    const matches = clues.get(word) ?? clues.get(word.slice(0, word.indexOf("'") + 1));
    for (const language of matches ?? []) hits.set(language, (hits.get(language) ?? 0) + 1);
  }
  return hits;
}

/** Lists the languages of each word, folded. Leaves out phrases and entries with a star. */
function collectClues(listOf: (language: Language) => readonly string[]): Clues {
  const clues = new Map<string, Language[]>();
  for (const language of LANGUAGES) {
    const words = listOf(language).map((one) => fold(one));
    for (const word of new Set(words.filter((one) => !/[*\s]/.test(one)))) {
      clues.set(word, [...(clues.get(word) ?? []), language]);
    }
  }
  return clues;
}
