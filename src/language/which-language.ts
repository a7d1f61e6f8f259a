// Pure: values in, values out.
import { LANGUAGES, type Language } from "./languages.ts";
import { foldText, wordSpans } from "./word-spans.ts";

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
const WORDS_MAX = 400;

/** Of a word the languages whose function words or negators it is. */
const CLUES = cluesOf(LANGUAGES);

/**
 * The language of a text: by its script or, where several languages share one, the file whose function words fit most
 * of the text and the window it stands in. Null where none fits: then nothing about its words is judged.
 */
export function languageOf(text: string, window: readonly string[] = []): Language | null {
  const script = scriptOf(text);
  if (script === null) return null;
  const able = LANGUAGES.filter((language) => language.script === script);
  if (able.length === 1) return NOT_ARABIC.test(text) ? null : (able[0] ?? null);
  return fitting(text, able) ?? (window.length === 0 ? null : fitting(window.join("\n"), able));
}

/** The script of a text, as the files name it; Latin only where nothing else stands in it. */
export function scriptOf(text: string): Language["script"] | null {
  const found = SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  return found ?? (LATIN.test(text) ? "Latn" : null);
}

function fitting(text: string, able: readonly Language[]): Language | null {
  const words = wordSpans(foldText(text)).slice(0, WORDS_MAX);
  const hits = new Map<Language, number>();
  for (const { word } of words) {
    for (const language of CLUES.get(word) ?? []) hits.set(language, (hits.get(language) ?? 0) + 1);
  }
  const [best] = able
    .map((language) => ({ language, count: hits.get(language) ?? 0 }))
    .sort((one, other) => other.count - one.count);
  return best !== undefined && best.count > 0 && best.count / words.length >= FIT_MIN
    ? best.language
    : null;
}

function cluesOf(languages: readonly Language[]): ReadonlyMap<string, readonly Language[]> {
  const clues = new Map<string, Language[]>();
  for (const language of languages) {
    const words = [...language.stopWords, ...language.negators].map(foldText);
    for (const word of new Set(words.filter((one) => !/[*\s]/.test(one)))) {
      clues.set(word, [...(clues.get(word) ?? []), language]);
    }
  }
  return clues;
}
