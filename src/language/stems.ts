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
import { distance } from "fastest-levenshtein";
import { BoundedMap, memoize } from "../bounded-map.ts";
import { copyString } from "./clean.ts";
import numbers from "./data/numbers.json" with { type: "json" };
import { fold, plainText } from "./fold.ts";
import {
  findLanguage,
  findScript,
  LANGUAGES,
  type Language,
  type StemmerName,
  splitEntries,
} from "./languages.ts";
import { PERSON } from "./people.ts";
import { isUnspaced, splitWords, type WordSpan } from "./words.ts";

/** A word as it was written, and its stem. */
export interface StemmedWord {
  readonly surface: string;
  readonly stem: string;
}

/** The most UTF-16 units of a text that are read. */
const TEXT_CHARS_MAX = 2_000;
const PERSON_TOKEN = /\{u:[\w-]{1,40}\}(?:['’]s(?![\p{L}\p{N}]))?/gu;
/** The most words remembered for a language: most of a chat is the same few thousand words. */
const STEMS_REMEMBERED_MAX = 5_000;
const stemsRemembered = new Map<string, BoundedMap<string, string>>();
const LATIN_REMEMBERED_MAX = 2_000;
const latinRemembered = new BoundedMap<string, readonly string[]>(LATIN_REMEMBERED_MAX);
const ASCII = /^[\0-\x7f]*$/;
const ASCII_DIGIT = /\d/;
const POSSESSIVE = /'s$/u;
const LETTER_OR_ASCII_DIGIT = /[\p{L}\p{N}]/u;
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
  return readStemmedWords(text).map(({ stem }) => stem);
}

/** Returns the folded stems of a note's topics. Topics in ASCII are read as English: a few words do not show a language. */
export function readTopicStems(topics: string): string[] {
  if (!ASCII.test(topics)) return readStems(topics).map((stem) => fold(stem));
  return (topics.toLowerCase().match(/\w+/g) ?? []).map((word) => getStem(word, IN_DOUBT));
}

/**
 * Returns a text's words with their stems, without stop words and viewers' tokens. Finds the language itself; text in
 * Latin letters that fits none is read as English. Reads the first 2,000 UTF-16 units.
 */
export function readStemmedWords(text: string): readonly StemmedWord[] {
  const plain = toPlain(text);
  const code = findLanguage(plain)?.code;
  return stemWords(plain, code ?? (findScript(plain) === "Latn" ? IN_DOUBT : null));
}

/**
 * Returns what `readStemmedWords` does, in a known language. Null, for a language without a file: no word is a stop
 * word, and Latin words are stemmed as English.
 */
export function getStemmedWords(text: string, language: Language | null): readonly StemmedWord[] {
  return stemWords(toPlain(text), language?.code ?? null);
}

function toPlain(text: string): string {
  return plainText(text.slice(0, TEXT_CHARS_MAX).replace(PERSON_TOKEN, " "));
}

function stemWords(plain: string, code: string | null): readonly StemmedWord[] {
  const stops = code === null ? NO_WORDS : (stopWordsOf().get(code) ?? NO_WORDS);
  return splitWords(plain).flatMap(({ word }) => {
    const surface = word.replace(POSSESSIVE, "");
    if (!LETTER_OR_ASCII_DIGIT.test(surface)) return [];
    const lower = surface.toLowerCase();
    // A stop word may have lost its vowel: "eau" for "l'eau".
    const start = lower.indexOf("'") + 1;
    const isElided = start > 0 && start < lower.length && stops.has(lower.slice(0, start));
    const bare = isElided ? lower.slice(start) : lower;
    if (stops.has(fold(lower)) || stops.has(fold(bare))) return [];
    return [{ surface, stem: getStem(bare, code ?? IN_DOUBT) }];
  });
}

/**
 * Returns the folded stems of a word in all languages with Latin letters, each once: a question and a note may be taken
 * for two languages. Empty for a word without Latin letters.
 */
export function getLatinStems(word: string): readonly string[] {
  if (!LATIN.test(word)) return [];
  const known = latinRemembered.get(word);
  if (known !== undefined) return known;
  const own = copyString(word);
  const value = [...new Set(LATIN_CODES.map((code) => fold(STEMS.get(code)?.(own) ?? own)))];
  if (!ASCII_DIGIT.test(own)) latinRemembered.set(own, value);
  return value;
}

/**
 * Returns the stem of a word; give it in lower case. A word in Latin letters is stemmed as English if `language`, a
 * code, has no Latin stemmer. Any other word without a stemmer stays.
 */
export function getStem(written: string, language: string): string {
  const remembered =
    stemsRemembered.get(language) ?? new BoundedMap<string, string>(STEMS_REMEMBERED_MAX);
  const known = remembered.get(written);
  if (known !== undefined) return known;
  const word = copyString(written);
  // A word in Latin letters between others is a name or English.
  const code = LATIN.test(word) && !LATIN_CODES.includes(language) ? IN_DOUBT : language;
  const stem = STEMS.get(code)?.(word) ?? word;
  stemsRemembered.set(language, remembered);
  // A word with a digit hardly comes again.
  if (!ASCII_DIGIT.test(word)) remembered.set(word, stem);
  return stem;
}

/** `isMisspelling` compares words of this many letters or more: models fix spelling. */
const MENDED_LETTERS_MIN = 5;
/**
 * The least letters of a misspelt word in a window: a shorter one is often another word, such as "thinks" and "thanks".
 */
const MISSPELT_LETTERS_MIN = 7;
/** Two forms of a word have this many first letters in common, and this share of the longer one's letters. */
const FORM_LETTERS_MIN = 4;
const FORM_SHARE_MIN = 0.6;
const SYLLABLES = /^[\p{sc=Hang}]+$/u;
const DIGIT = /\p{N}/u;
const DIGITS_OR_LETTERS = /\p{N}+|\p{L}+/gu;
const CAPITAL = /^\p{Lu}/u;

export interface ContentWord {
  readonly word: string;
  readonly stem: string;
  /** True if its capital may show a name. */
  readonly isName: boolean;
}

const LABEL_WORD = /^(?:p\d{1,4}|streamer)$/;

/** Number words and their digits, by language: `two=2`. "One" is missing, because it is an article, too. */
const numerals = memoize(
  () =>
    new Map(
      Object.entries(numbers).map(([code, list]) => [
        code,
        new Map(
          splitEntries(list).map((entry) => {
            const [written = "", value = ""] = entry.split("=");
            return [fold(written), value] as const;
          }),
        ),
      ]),
    ),
);

/** Returns the digits of a folded number word: "2" for "two". Null for other words, for "one" and without a language. */
export function readNumeral(word: string, language: Language | null): string | null {
  return language === null ? null : (numerals().get(language.code)?.get(word) ?? null);
}

/** A label or token, with the ending of a possessive. */
const LABEL_WITH_ENDING = new RegExp(`(?:${PERSON.source})(?:['’]s(?![\\p{L}\\p{N}]))?`, "gu");
const ALTERNATIVES = /(?<!\p{L})\p{L}+(?:\/\p{L}+)+/gu;

/** Reads the content words of a text, in order, without labels. Adds words with a slash as one at the end: "she/her". */
export function readContent(text: string, language: Language | null): readonly ContentWord[] {
  const joined = (text.match(ALTERNATIVES) ?? []).map((one) => fold(one));
  const single = getStemmedWords(text.replaceAll(LABEL_WITH_ENDING, " "), language)
    .map(({ surface, stem }) => ({
      word: fold(surface),
      stem: readNumeral(fold(surface), language) ?? fold(stem),
      isName: CAPITAL.test(surface),
    }))
    .filter(({ word }) => !LABEL_WORD.test(word));
  return [...single, ...joined.map((word) => ({ word, stem: word, isName: false }))];
}

/** The words of some lines. `holds` returns true if a word, a form of it or a misspelling is among them. */
export interface WordBag {
  readonly holds: (word: ContentWord) => boolean;
}

export interface WordLine {
  readonly folded: string;
  readonly words: readonly WordSpan[];
  readonly content: readonly ContentWord[];
}

export function readWordLine(text: string, language: Language | null): WordLine {
  const folded = fold(text);
  return { folded, words: splitWords(folded), content: readContent(text, language) };
}

export function createWordBag(lines: readonly WordLine[]): WordBag {
  const exact = new Set<string>();
  const byStart = new Map<string, Set<string>>();
  for (const { content, words } of lines) {
    for (const { word, stem } of content) {
      exact.add(word).add(stem);
      const start = word.slice(0, 2);
      byStart.set(start, (byStart.get(start) ?? new Set()).add(word));
    }
    for (const { word } of words) {
      // Letters for the digits within it: "vodka" for "v0dka".
      exact.add(word).add(word.replace(DIGIT_AS_LETTER, (digit) => DIGIT_LETTERS[digit] ?? digit));
      // "5pm" is two words, too.
      if (DIGIT.test(word)) for (const [part] of word.matchAll(DIGITS_OR_LETTERS)) exact.add(part);
    }
  }
  const unspaced = lines.map(({ folded }) => folded).filter((text) => isUnspaced(text));
  const seen = new Map<string, boolean>();
  const look = ({ word, stem }: ContentWord): boolean =>
    exact.has(word) ||
    exact.has(stem) ||
    (isUnspaced(word) && unspaced.some((text) => text.includes(word))) ||
    [...(byStart.get(word.slice(0, 2)) ?? [])].some((other) => isForm(word, other));
  return {
    holds: (word) => {
      const known = seen.get(word.word) ?? look(word);
      seen.set(word.word, known);
      return known;
    },
  };
}

const DIGIT_LETTERS: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t" },
};
const DIGIT_AS_LETTER = /(?<=\p{L})\d(?=\p{L})/gu;

/**
 * Returns true if two folded words share their first four letters or more (Korean: two), and 60 % of the longer word.
 * From seven letters on, it is also true if they differ by one letter. False if one has a digit, even for equal words.
 */
export function isForm(one: string, other: string): boolean {
  if (DIGIT.test(one) || DIGIT.test(other)) return false;
  const shortest = Math.min(one.length, other.length);
  if (shortest >= MISSPELT_LETTERS_MIN && isMisspelling(one, other)) return true;
  let shared = 0;
  while (shared < shortest && one[shared] === other[shared]) shared += 1;
  const lettersMin = SYLLABLES.test(one) ? 2 : FORM_LETTERS_MIN;
  return shared >= lettersMin && shared / Math.max(one.length, other.length) >= FORM_SHARE_MIN;
}

/** Returns true if two words of five letters or more differ by one letter at most. */
export function isMisspelling(one: string, other: string): boolean {
  const shortest = Math.min(one.length, other.length);
  return shortest >= MENDED_LETTERS_MIN && distance(one, other) <= 1;
}

const SHORT_LETTERS_MAX = 6;
/** A clipped word has at least this many letters: "cali". */
const CLIPPED_LETTERS_MIN = 3;
const CAPITALS = /^\p{Lu}+$/u;
/** Matches a word that is clipped within: "hrs", "yr". */
const NO_VOWEL = /^[b-df-hj-np-tv-z]+$/u;
const SMALL_LETTER = /\p{Ll}/u;

/**
 * Returns the words of a statement, folded, that one of the texts abbreviates in two to six letters. It may have their
 * initials ("nyc", "bg3"), their start ("cali"), or some of their letters, in capitals or without a vowel ("OH",
 * "hrs"). A function word abbreviates nothing.
 */
export function findAbbreviated(
  statement: string,
  texts: readonly string[],
  language: Language | null,
): ReadonlySet<string> {
  const words = splitWords(fold(statement.replaceAll(LABEL_WITH_ENDING, " "))).map(({ word }) =>
    word.replace(POSSESSIVE, ""),
  );
  const stops = stopWordsOf().get(language?.code ?? IN_DOUBT) ?? NO_WORDS;
  const found = texts.flatMap((text) => {
    const bare = text.replaceAll(LABEL_WITH_ENDING, " ");
    const tokens = splitWords(bare).map(({ word }) => word);
    const isShouted = !SMALL_LETTER.test(bare);
    return tokens.flatMap((token) => {
      const short = fold(token);
      const isCode = NO_VOWEL.test(short) || (!isShouted && CAPITALS.test(token));
      const mayBeShort = short.length > 1 && short.length <= SHORT_LETTERS_MAX;
      if (!mayBeShort || (stops.has(short) && !isCode)) return [];
      const clipped = words.filter(
        (word) =>
          word.length > short.length &&
          (isCode
            ? hasLettersOf(word, short)
            : short.length >= CLIPPED_LETTERS_MIN && word.startsWith(short)),
      );
      return [...clipped, ...words.flatMap((_, at) => takeInitials(words.slice(at), short))];
    });
  });
  return new Set(found);
}

/** Returns true if a word begins as an abbreviation does, and has its other letters in order. */
function hasLettersOf(word: string, short: string): boolean {
  let at = 0;
  for (const letter of word) if (letter === short[at]) at += 1;
  return word[0] === short[0] && at === short.length;
}

/** Returns the first words whose initials, or whole numbers, are an abbreviation; none if fewer than two. */
function takeInitials(words: readonly string[], short: string): readonly string[] {
  let left = short;
  for (const [at, word] of words.entries()) {
    const part = DIGIT.test(word) ? word : (word[0] ?? "");
    if (part === "" || !left.startsWith(part)) return [];
    left = left.slice(part.length);
    if (left === "") return at > 0 ? words.slice(0, at + 1) : [];
  }
  return [];
}
