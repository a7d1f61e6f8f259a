// Pure: values in, values out.
import { LANGUAGES, type Language } from "./languages.ts";
import { PERSON } from "./people.ts";
import { foldText, type WordSpan, wordSpans } from "./word-spans.ts";

/** Letters by which a script, or a language that shares one, is known; the first that fits counts. */
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
/** A language has to fit so much of the words: else the text is in one that there is no file of. */
const FIT_MIN = 0.15;
/** Of a window more: by chance those of Finnish and Czech chat fit Polish for a sixth, and those with a file for a third. */
const WINDOW_FIT_MIN = 0.22;
const WORDS_MAX = 400;
/** So many words tell the language of a line, whatever the window around it is in. */
const SURE_HITS_MIN = 2;
/** Fewer lines tell no language of their own. */
const WINDOW_LINES_MIN = 3;

/** Of a word the languages whose function word, or whose negator, it is. */
const STOP_WORDS = cluesOf(({ stopWords }) => stopWords);
const NEGATORS = cluesOf(({ negators }) => negators);
/** A short negator alone is too often a word of a language without a file: "ne", "ni". */
const LONG_NEGATORS = cluesOf(({ negators }) => negators.filter(({ length }) => length > 2));

/**
 * The language of a text: by its script or, where several languages share one, the file whose function words fit most
 * of the text and the window it stands in. Null where none fits: then nothing about its words is judged.
 */
export function languageOf(text: string, window: readonly string[] = []): Language | null {
  return languagesIn(window)(text);
}

/** The same for many texts of one window, which is read once. */
export function languagesIn(window: readonly string[]): (text: string) => Language | null {
  const fallbacks = new Map<Language["script"], Language | null>();
  const fallback = (script: Language["script"], able: readonly Language[]): Language | null => {
    const known = fallbacks.get(script);
    const found = known === undefined ? fittingWindow(window, able) : known;
    fallbacks.set(script, found);
    return found ?? (script === "Cyrl" ? cyrillic(able) : null);
  };
  return (written) => {
    const text = unnamed(written);
    const script = scriptOf(text);
    if (script === null) return null;
    const able = LANGUAGES.filter((language) => language.script === script);
    if (able.length === 1) return NOT_ARABIC.test(text) ? null : (able[0] ?? null);
    const own = fitting(text, able);
    // One word alone is too often a word of a language without a file, too: then the window says.
    if (own !== null && (own.hits >= SURE_HITS_MIN || window.length < WINDOW_LINES_MIN))
      return own.language;
    return fallback(script, able);
  };
}

function unnamed(text: string): string {
  return text.includes("{u:") ? text.replaceAll(PERSON, " ") : text;
}

function fittingWindow(window: readonly string[], able: readonly Language[]): Language | null {
  const fit = fitting(unnamed(window.join("\n")), able);
  const shareMin = window.length < WINDOW_LINES_MIN ? FIT_MIN : WINDOW_FIT_MIN;
  return fit !== null && fit.share >= shareMin ? fit.language : null;
}

/** Cyrillic without a word or letter of another language is read as Russian. */
function cyrillic(able: readonly Language[]): Language | null {
  return able.find(({ code }) => code === "ru") ?? null;
}

/** The script of a text, as the files name it; Latin only where nothing else stands in it. */
export function scriptOf(text: string): Language["script"] | null {
  const found = SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  return found ?? (LATIN.test(text) ? "Latn" : null);
}

interface Fit {
  readonly language: Language;
  /** How many words told it. */
  readonly hits: number;
  /** Of all words. */
  readonly share: number;
}

function fitting(text: string, able: readonly Language[]): Fit | null {
  const words = wordSpans(foldText(text)).slice(0, WORDS_MAX);
  const clues = [STOP_WORDS, NEGATORS, LONG_NEGATORS].map((list) => countClues(words, list));
  const [best] = able
    .map((language) => {
      const [stops = 0, negators = 0, long = 0] = clues.map((hits) => hits.get(language) ?? 0);
      const sure = stops + lettersIn(text, language);
      return { language, count: sure + long === 0 ? 0 : sure + negators };
    })
    .sort((one, other) => other.count - one.count);
  if (best === undefined || best.count === 0) return null;
  const share = best.count / words.length;
  return share < FIT_MIN ? null : { language: best.language, hits: best.count, share };
}

/** How many words have a letter that only this language has. */
function lettersIn(text: string, { letters }: Language): number {
  if (letters === "") return 0;
  return text.split(/\s+/u).filter((word) => [...letters].some((letter) => word.includes(letter)))
    .length;
}

type Clues = ReadonlyMap<string, readonly Language[]>;

function countClues(words: readonly WordSpan[], clues: Clues): Map<Language, number> {
  const hits = new Map<Language, number>();
  for (const { word } of words) {
    // "nell'acqua" begins with a function word that lost its vowel.
    const told = clues.get(word) ?? clues.get(word.slice(0, word.indexOf("'") + 1)) ?? [];
    for (const language of told) hits.set(language, (hits.get(language) ?? 0) + 1);
  }
  return hits;
}

function cluesOf(listOf: (language: Language) => readonly string[]): Clues {
  const clues = new Map<string, Language[]>();
  for (const language of LANGUAGES) {
    const words = listOf(language).map(foldText);
    for (const word of new Set(words.filter((one) => !/[*\s]/.test(one)))) {
      clues.set(word, [...(clues.get(word) ?? []), language]);
    }
  }
  return clues;
}
