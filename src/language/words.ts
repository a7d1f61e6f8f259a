// Pure: values in, values out.
import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import {
  LANGUAGE_CLUES,
  LETTER_CLUES,
  MORE_NUMBERS,
  NUMBER_WORDS,
  STOP_WORDS,
} from "./stop-words.ts";

/** A language whose function words are known. */
type Known = keyof typeof STOP_WORDS;
export type Language = Known | "other";

/** A word of a sentence: as it was written, and as it is compared. */
interface TextWord {
  readonly surface: string;
  readonly stem: string;
}

/** A text longer than this is not read past it, in UTF-16 units. */
const TEXT_CHARS_MAX = 2_000;
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
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
const stemsRemembered = new Map<Language, Map<string, string>>();
const PERSON_TOKEN = /\{u:[\w-]{1,40}\}/gu;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const POSSESSIVE = /'s(?![\p{L}\p{N}])/gu;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
/** "they/them" is one word: its halves are stop words. */
const PRONOUNS =
  /(?<=(?<!\p{L})(?:any|s?he|they|it|her|him|them))\/(?=(?:all|any|it|its|s?he|they|her|hers|him|his|them|theirs)(?!\p{L}))/giu;
const CONTRACTION = /n't|cannot/iu;
const MADE_OF_SEVERAL = /[/'-]/;
const NUMBERS_FROM = 2;
const NO_CLUE: readonly number[] = [];
/** What of a word in kanji or katakana is an ending: 飲む and 飲んだ are one word. */
const OKURIGANA = /(?<=[\p{sc=Han}\p{sc=Kana}ー])\p{sc=Hira}+$/u;
const KOREAN_PARTICLE =
  /(?<=\p{sc=Hang}{2})(?:에서|으로|에게|까지|부터|은|는|이|가|을|를|의|에|도|와|과|로)$/u;
const LATIN = /\p{sc=Latn}/u;
const LATIN_LANGUAGES = ["en", "es", "pt", "de", "fr"] as const;
const SCRIPTS: readonly (readonly [RegExp, Language])[] = [
  [/[\p{sc=Hira}\p{sc=Kana}]/u, "ja"],
  [/\p{sc=Han}/u, "zh"],
  [/\p{sc=Hang}/u, "ko"],
  [/\p{sc=Cyrl}/u, "ru"],
  [/\p{sc=Arab}/u, "ar"],
];
const STEMS: Readonly<Record<Language, (word: string) => string>> = {
  en: (word) => english(word.replace(/(?<=\p{L}{3})our(?=\p{L}*$)/u, "or")),
  es: spanish,
  pt: portuguese,
  de: german,
  fr: french,
  ru: (word) => russian(word.replaceAll("ё", "е")),
  ar: (word) => arabic(word.replace(/^(?:وال|ال)(?=\p{L}{2})/u, "")),
  ja: (word) => word.replace(OKURIGANA, ""),
  zh: (word) => word,
  ko: (word) => word.replace(KOREAN_PARTICLE, ""),
  other: (word) => word,
};
const STOPS = new Map<Language, ReadonlySet<string>>(
  languages().map((language) => [language, new Set(STOP_WORDS[language].split(" "))]),
);
/** Of a function word the languages that it speaks for, by their place among those in Latin letters. */
const CLUES = cluesOfLanguages();
const DIGITS = new Map<Language, ReadonlyMap<string, string>>(
  languages().map((language) => [language, digitsOf(NUMBER_WORDS[language])]),
);

/**
 * The words of a text as they are compared: NFKC, lower case, stemmed where the language is known (Snowball: English,
 * Spanish, Portuguese, German, French, Russian, Arabic; endings in kana, particles of Korean), without stop words and
 * without people. Number words from two to twelve become digits. In their order, repeated ones too.
 */
export function normalWords(text: string): string[] {
  return wordsIn(text).map(({ stem }) => stem);
}

/** The same with each word as it was written, which tells names; `known` is the language where it is. */
export function wordsIn(text: string, known?: Language): readonly TextWord[] {
  const plain = plainText(text);
  const language = known ?? languageOf(plain);
  return segments(plain, language).flatMap((surface) => {
    const lower = surface.toLowerCase();
    return STOPS.get(language)?.has(lower) === true
      ? []
      : [{ surface, stem: stemOf(lower, language) }];
  });
}

/**
 * What two facts that say the same word for word have in common: their words as `normalWords` gives them, in order.
 * Empty only for a text without anything that can be seen.
 */
export function noteKey(fact: string): string {
  const words = normalWords(fact);
  return words.length > 0 ? words.join(" ") : plainText(fact).toLowerCase();
}

/** A text as it is read here: without people and what cannot be seen, NFKC, one kind of apostrophe, single spaces. */
export function plainText(text: string): string {
  if (ASCII_ONLY.test(text) && !NEEDS_CARE.test(text)) return text.slice(0, TEXT_CHARS_MAX).trim();
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replace(PERSON_TOKEN, " ")
    .normalize("NFKC")
    .replace(APOSTROPHES, "'")
    .replace(/\p{DI}+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** The language of a sentence by its script and, for Latin letters, by its function words; English in doubt. */
export function languageOf(text: string): Language {
  return readLanguage(text).language;
}

/**
 * The same, and whether that is beyond doubt: by its script, or because more speaks for English than for any other.
 */
export function readLanguage(text: string): {
  readonly language: Language;
  readonly isClear: boolean;
} {
  const script = ASCII_ONLY.test(text)
    ? undefined
    : SCRIPTS.find(([letters]) => letters.test(text))?.[1];
  if (script !== undefined) return { language: script, isClear: true };
  if (!LATIN.test(text)) return { language: "other", isClear: true };
  const counts = cluesIn(text);
  const [english = 0, ...others] = counts;
  const isClear = others.every((count) => count < english);
  const best = counts.indexOf(Math.max(...counts));
  return { language: LATIN_LANGUAGES[best] ?? "en", isClear };
}

/** A word as it is compared in each of the languages in Latin letters: a question and a note may be read as two. */
export function latinStemsOf(word: string): readonly string[] {
  if (!LATIN.test(word)) return [];
  return LATIN_LANGUAGES.map((language) => stemOf(word, language));
}

/** How much of a text speaks for each of the languages in Latin letters, in their order. */
function cluesIn(text: string): number[] {
  const words =
    text
      .toLowerCase()
      .replace(POSSESSIVE, "")
      .match(/\p{L}+/gu) ?? [];
  const counts = LATIN_LANGUAGES.map((language) => Number(LETTER_CLUES[language].test(text)));
  for (const word of words) {
    for (const at of CLUES.get(word) ?? NO_CLUE) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

function cluesOfLanguages(): ReadonlyMap<string, readonly number[]> {
  const clues = new Map<string, number[]>();
  for (const [at, language] of LATIN_LANGUAGES.entries()) {
    for (const word of new Set(`${STOP_WORDS[language]} ${LANGUAGE_CLUES[language]}`.split(" "))) {
      clues.set(word, [...(clues.get(word) ?? NO_CLUE), at]);
    }
  }
  return clues;
}

function segments(plain: string, language: Language): string[] {
  const whole = language === "en" ? withoutContractions(plain) : plain;
  const bare = MADE_OF_SEVERAL.test(whole)
    ? whole
        .replace(PRONOUNS, "")
        .replace(POSSESSIVE, "")
        .replace(/(?<=\p{L})['-](?=\p{L})/gu, " ")
    : whole;
  const words = LATIN_ONLY.test(bare)
    ? (bare.match(LATIN_WORD) ?? [])
    : Array.from(WORDS.segment(bare), ({ segment }) => segment);
  return words.filter((word) => SAYS_SOMETHING.test(word));
}

/** "can't" and "cannot" say "can not". */
export function withoutContractions(english: string): string {
  if (!CONTRACTION.test(english)) return english;
  return english
    .replace(/\bwon't\b/giu, "will not")
    .replace(/\bcan(?:not|'t)\b/giu, "can not")
    .replace(/n't\b/giu, " not");
}

/** How a word in lower case is compared in a sentence of a language. */
export function stemOf(word: string, language: Language): string {
  const remembered = stemsRemembered.get(language) ?? new Map<string, string>();
  const known = remembered.get(word);
  if (known !== undefined) return known;
  const stem = newStem(word, language);
  if (remembered.size >= STEMS_REMEMBERED_MAX) remembered.clear();
  remembered.set(word, stem);
  stemsRemembered.set(language, remembered);
  return stem;
}

function newStem(word: string, language: Language): string {
  const digits = DIGITS.get(language)?.get(word);
  if (digits !== undefined) return digits;
  const isLatin = LATIN_LANGUAGES.some((one) => one === language);
  // A word in Latin letters between others is a name or English.
  return STEMS[LATIN.test(word) && !isLatin ? "en" : language](word);
}

function languages(): readonly Known[] {
  return Object.keys(STOP_WORDS) as Known[];
}

function digitsOf(list: string): ReadonlyMap<string, string> {
  const words = list.split(" ").map((word, index) => [word, `${index + NUMBERS_FROM}`] as const);
  return new Map([...words, ...Object.entries(MORE_NUMBERS)]);
}
