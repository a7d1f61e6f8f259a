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
import { type BoundedMap, boundedMap } from "../bounded-map.ts";
import { copied } from "./clean.ts";
import { LANGUAGES, type Language, type StemmerName } from "./languages.ts";
import { languageOf, scriptOf } from "./which-language.ts";
import { foldText, segmentsOf } from "./word-spans.ts";

/** A word of a sentence: as it was written, and as it is compared. */
interface TextWord {
  readonly surface: string;
  readonly stem: string;
}

/** A text longer than this is not read past it, in UTF-16 units. */
const TEXT_CHARS_MAX = 2_000;
/** What the segmenter finds in Latin letters (Unicode's annex 29), many times as fast. */
const LETTER = "A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f";
const LATIN_WORD = new RegExp(
  `[${LETTER}\\d_]+(?:(?:(?<=[${LETTER}])[:.'](?=[${LETTER}])|(?<=\\d)[,;.'](?=\\d))[${LETTER}\\d_]+)*`,
  "g",
);
/** ASCII, Latin letters with marks, and the signs that are common beside them. */
const LATIN_ONLY = /^[ -~\u00a1\u00ab\u00bb\u00bf-\u024f\u2013\u2014\u201c-\u201e\u20ac]*$/;
const ASCII_ONLY = /^[ -~]*$/;
/** What `plainText` would change in ASCII. */
const NEEDS_CARE = /\{u:|`| {2}/;
/** Of the words seen last: most of a chat is the same few thousand. Stems alone, and no text. */
const STEMS_REMEMBERED_MAX = 5_000;
const stemsRemembered = new Map<string, BoundedMap<string, string>>();
/** Those in every language with Latin letters: what people say to the bot and near it. */
const LATIN_REMEMBERED_MAX = 2_000;
const latinRemembered = boundedMap<string, readonly string[]>(LATIN_REMEMBERED_MAX);
const DIGIT = /\d/;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const POSSESSIVE = /'s(?![\p{L}\p{N}])/gu;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
const JOINTS = /(?<=\p{L})-(?=\p{L})/gu;
/** What of a word in kanji or katakana is an ending: 飲む and 飲んだ are one word. */
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
const STOPS = new Map<string, ReadonlySet<string>>(
  LANGUAGES.map(({ code, stopWords }) => [code, new Set(stopWords.map(foldText))]),
);
const NO_WORDS: ReadonlySet<string> = new Set();
/** Languages in Latin letters whose words have forms that are known. */
const LATIN_CODES = LANGUAGES.filter(
  ({ script, code }) => script === "Latn" && STEMS.has(code),
).map(({ code }) => code);

/**
 * The words of a text as they are compared: NFKC, lower case, stemmed where the language is known (Snowball: English,
 * Spanish, Portuguese, German, French, Italian, Turkish, Russian, Arabic; endings in kana, particles of Korean), without
 * stop words and without people. In their order, repeated ones too.
 */
export function normalWords(text: string): string[] {
  return wordsIn(text).map(({ stem }) => stem);
}

/**
 * The same with each word as it was written, which tells names. `known` is the language where it is; null where it has
 * no file: then no word is a stop word, and words in Latin letters are stemmed as English.
 */
export function wordsIn(text: string, known?: Language | null): readonly TextWord[] {
  const plain = plainText(text);
  return plainWords(plain, known === undefined ? readLanguage(plain) : (known?.code ?? null));
}

/** The same of what `plainText` gave, in a language by its code. */
function plainWords(plain: string, language: string | null): readonly TextWord[] {
  const stops = (language === null ? null : STOPS.get(language)) ?? NO_WORDS;
  return segments(plain).flatMap((surface) => {
    const lower = surface.toLowerCase();
    if (stops.has(foldText(lower))) return [];
    const bare = withoutElided(lower, stops);
    return stops.has(foldText(bare)) ? [] : [{ surface, stem: stemOf(bare, language ?? IN_DOUBT) }];
  });
}

/** A word without the stop word that lost its vowel before it: "eau" for "l'eau". */
function withoutElided(word: string, stops: ReadonlySet<string>): string {
  const at = word.indexOf("'") + 1;
  return at > 0 && at < word.length && stops.has(word.slice(0, at)) ? word.slice(at) : word;
}

/** A text as it is read here: without people and what cannot be seen, NFKC, one kind of apostrophe, single spaces. */
export function plainText(text: string): string {
  if (ASCII_ONLY.test(text) && !NEEDS_CARE.test(text)) return text.slice(0, TEXT_CHARS_MAX).trim();
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replace(/\{u:[\w-]{1,40}\}(?:['’]s(?![\p{L}\p{N}]))?/gu, " ")
    .normalize("NFKC")
    .replace(APOSTROPHES, "'")
    .replace(/\p{DI}+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** The code of a text's language: English in doubt for Latin letters, "other" where it has no file. */
function readLanguage(text: string): string {
  return languageOf(text)?.code ?? (scriptOf(text) === "Latn" ? IN_DOUBT : "other");
}

/** A word as it is compared in each of the languages in Latin letters: a question and a note may be read as two. */
export function latinStemsOf(word: string): readonly string[] {
  if (!LATIN.test(word)) return [];
  const known = latinRemembered.get(word);
  if (known !== undefined) return known;
  const own = copied(word);
  const stems = LATIN_CODES.map((code) => STEMS.get(code)?.(own) ?? own);
  // Of equal strings one is kept.
  const value = stems.map((stem) => [own, ...stems].find((other) => other === stem) ?? stem);
  if (!DIGIT.test(own)) latinRemembered.set(own, value);
  return value;
}

function segments(plain: string): string[] {
  const bare = plain.replace(POSSESSIVE, "").replace(JOINTS, " ");
  const words = LATIN_ONLY.test(bare)
    ? (bare.match(LATIN_WORD) ?? [])
    : segmentsOf(bare).map(({ segment }) => segment);
  return words.filter((word) => SAYS_SOMETHING.test(word));
}

/** How a word in lower case is compared in a sentence of a language, by its code. */
export function stemOf(said: string, language: string): string {
  const remembered =
    stemsRemembered.get(language) ?? boundedMap<string, string>(STEMS_REMEMBERED_MAX);
  const known = remembered.get(said);
  if (known !== undefined) return known;
  const word = copied(said);
  // A word in Latin letters between others is a name or English.
  const code = LATIN.test(word) && !LATIN_CODES.includes(language) ? IN_DOUBT : language;
  const stem = STEMS.get(code)?.(word) ?? word;
  stemsRemembered.set(language, remembered);
  // A word with a digit hardly comes again.
  if (!DIGIT.test(word)) remembered.set(word, stem);
  return stem;
}
