// Pure: values in, values out.

import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { type BoundedMap, createBoundedMap } from "../bounded-map.ts";
import { copyString } from "./clean.ts";
import { fold, plainText } from "./fold.ts";
import { LANGUAGES, type Language, type StemmerName } from "./languages.ts";
import { memoize } from "./memoize.ts";
import { findLanguage, findScript } from "./which-language.ts";
import { splitWords } from "./words.ts";

/** A word as it was written, and its stem. */
export interface StemmedWord {
  readonly surface: string;
  readonly stem: string;
}

/** UTF-16 units. The rest of a longer text is not read. */
const TEXT_CHARS_MAX = 2_000;
const PERSON_TOKEN = /\{u:[\w-]{1,40}\}(?:['’]s(?![\p{L}\p{N}]))?/gu;
/** Most of a chat is the same few thousand words. */
const STEMS_REMEMBERED_MAX = 5_000;
const stemsRemembered = new Map<string, BoundedMap<string, string>>();
const LATIN_REMEMBERED_MAX = 2_000;
const latinRemembered = createBoundedMap<string, readonly string[]>(LATIN_REMEMBERED_MAX);
const DIGIT = /\d/;
const POSSESSIVE = /'s$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** The ending of a word in kanji or katakana: 飲む and 飲んだ are one word. */
const OKURIGANA = /(?<=[\p{sc=Han}\p{sc=Kana}ー])\p{sc=Hira}+$/u;
const KOREAN_PARTICLE =
  /(?<=\p{sc=Hang}{2})(?:에서|으로|에게|까지|부터|은|는|이|가|의|에|도|와|과|로)$|(?<=\p{sc=Hang})[을를]$/u;
const LATIN = /\p{sc=Latn}/u;
const IN_DOUBT = "en";
const STEMMERS: Readonly<Record<StemmerName, (word: string) => string>> = {
  english: (word) => english(word.replace(/(?<=\p{L}{3})our(?=\p{L}*$)/u, "or")),
  spanish,
  portuguese,
  german,
  french,
  italian,
  turkish,
  russian: (word) => russian(word.replaceAll("ё", "е")),
  arabic: (word) => arabic(word.replace(/^(?:وال|ال)(?=\p{L}{2})/u, "")),
  japanese: (word) => word.replace(OKURIGANA, ""),
  korean: (word) => word.replace(KOREAN_PARTICLE, ""),
};
const STEMS = new Map(
  LANGUAGES.flatMap(({ code, stemmer }) => (stemmer === null ? [] : [[code, STEMMERS[stemmer]]])),
);
const stopWordsOf = memoize(
  () =>
    new Map<string, ReadonlySet<string>>(
      LANGUAGES.map(({ code, stopWords }) => [code, new Set(stopWords.map((word) => fold(word)))]),
    ),
);
const NO_WORDS: ReadonlySet<string> = new Set();
/** Languages in Latin letters that have a stemmer. */
const LATIN_CODES = LANGUAGES.filter(
  ({ script, code }) => script === "Latn" && STEMS.has(code),
).map(({ code }) => code);

/**
 * Returns the stems of a text's words, in order, repeated ones too. Leaves out stop words and viewers' tokens. Notes are
 * stored with these words.
 */
export function readStems(text: string): string[] {
  return getStemmedWords(text).map(({ stem }) => stem);
}

/**
 * Returns a text's words with their stems, without stop words and viewers' tokens. A null `known` means a language without
 * a file: then no word is a stop word, and words in Latin letters are stemmed as English.
 */
export function getStemmedWords(text: string, known?: Language | null): readonly StemmedWord[] {
  const plain = plainText(text.slice(0, TEXT_CHARS_MAX).replace(PERSON_TOKEN, " "));
  const language = known === undefined ? guessLanguage(plain) : (known?.code ?? null);
  const stops = (language === null ? null : stopWordsOf().get(language)) ?? NO_WORDS;
  return splitWords(plain).flatMap(({ word }) => {
    const surface = word.replace(POSSESSIVE, "");
    if (!LETTER_OR_DIGIT.test(surface)) return [];
    const lower = surface.toLowerCase();
    if (stops.has(fold(lower))) return [];
    const bare = cutElision(lower, stops);
    return stops.has(fold(bare)) ? [] : [{ surface, stem: getStem(bare, language ?? IN_DOUBT) }];
  });
}

/** Cuts a stop word that lost its vowel: "eau" for "l'eau". */
function cutElision(word: string, stops: ReadonlySet<string>): string {
  const at = word.indexOf("'") + 1;
  return at > 0 && at < word.length && stops.has(word.slice(0, at)) ? word.slice(at) : word;
}

/** Returns the code of a text's language: English in doubt for Latin letters, "other" if it has no file. */
function guessLanguage(text: string): string {
  return findLanguage(text)?.code ?? (findScript(text) === "Latn" ? IN_DOUBT : "other");
}

/** Stems a word in each language with Latin letters: a question and a note may be taken for two languages. */
export function getLatinStems(word: string): readonly string[] {
  if (!LATIN.test(word)) return [];
  const known = latinRemembered.get(word);
  if (known !== undefined) return known;
  const own = copyString(word);
  const stems = LATIN_CODES.map((code) => STEMS.get(code)?.(own) ?? own);
  // Of equal strings one is kept.
  const value = stems.map((stem) => [own, ...stems].find((other) => other === stem) ?? stem);
  if (!DIGIT.test(own)) latinRemembered.set(own, value);
  return value;
}

/** Stems a word in lower case. `language` is a code. */
export function getStem(written: string, language: string): string {
  const remembered =
    stemsRemembered.get(language) ?? createBoundedMap<string, string>(STEMS_REMEMBERED_MAX);
  const known = remembered.get(written);
  if (known !== undefined) return known;
  const word = copyString(written);
  // A word in Latin letters between others is a name or English.
  const code = LATIN.test(word) && !LATIN_CODES.includes(language) ? IN_DOUBT : language;
  const stem = STEMS.get(code)?.(word) ?? word;
  stemsRemembered.set(language, remembered);
  // A word with a digit hardly comes again.
  if (!DIGIT.test(word)) remembered.set(word, stem);
  return stem;
}
