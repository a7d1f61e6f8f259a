// Pure: values in, values out.

import { findLanguage, findScript, LANGUAGES } from "./languages.ts";
import { getStemmedWords, readStemmedWords, readStems } from "./stems.ts";

/** The most words of a topic. A longer one is a sentence, and has no form. */
const TOPIC_WORDS_MAX = 5;
/** Lengths in words of the runs that become forms. Single words and pairs become forms, too, in any order. */
const RUN_LENGTHS = [3, 4, TOPIC_WORDS_MAX];
/** The most words of a fact that are read: it may have 200 characters. */
const FACT_WORDS_MAX = 40;
const NOTE_WORDS_MAX = 8;
/** A beginning identifies a word if it has this many letters and this share of the word. */
const BEGINNING_CHARS_MIN = 3;
const BEGINNING_SHARE_MIN = 0.55;
/** Languages in which a topic is read: one word does not identify its language, and each has other endings. */
const LATIN_LANGUAGES = LANGUAGES.filter(({ script }) => script === "Latn");

/**
 * Returns the normal forms of a topic, sorted stems, one for each language that it may be in. A topic of one word also
 * has the forms of `markBeginnings`. Empty if it has no content word or more than five.
 */
export function readTopicForms(topic: string): string[] {
  const short = readTopic(topic).filter(({ length }) => length <= TOPIC_WORDS_MAX);
  return [...new Set([...short.map(joinForm), ...short.flatMap(markBeginnings)])].filter(
    (form) => form !== "",
  );
}

/**
 * Returns true if a fact holds every content word of a topic. If the fact's language has no stemmer, a topic of one
 * word, maybe without its last letter, may also be the first 55 % or more of a word.
 */
export function isAboutTopic(fact: string, topic: string): boolean {
  const held = new Set([...readStems(fact), ...readSurfaces(fact), ...findBeginnings(fact)]);
  return readTopic(topic).some(
    (words) =>
      (words.length > 0 && words.every((word) => held.has(word))) ||
      markBeginnings(words).some((beginning) => held.has(beginning)),
  );
}

/**
 * Returns the forms of every topic that a fact may be about: single words, pairs, runs of up to five, and its first
 * eight words. Reads 40 words. Without a stemmer the beginnings of words (`word*`) are forms, too.
 */
export function findTopicForms(fact: string): string[] {
  const forms = [readStems(fact), readSurfaces(fact)].flatMap((words) => {
    const some = words.slice(0, FACT_WORDS_MAX);
    const unique = [...new Set(some)];
    const runs = some.flatMap((_, from) =>
      RUN_LENGTHS.map((length) => joinForm(some.slice(from, from + length))),
    );
    const whole = joinForm(unique.slice(0, NOTE_WORDS_MAX));
    return [...unique, ...listAllPairs(unique), ...runs, whole];
  });
  return [...new Set([...forms, ...findBeginnings(fact)])];
}

/**
 * Returns a topic of one word, whole and without its last letter, as beginnings: `word*`. None for more words or less
 * than three letters. In a language without a stemmer, words with the same beginning are one word.
 */
function markBeginnings(words: readonly string[]): string[] {
  const [word = "", ...more] = words;
  if (more.length > 0 || word.length < BEGINNING_CHARS_MIN) return [];
  const cut = word.length > BEGINNING_CHARS_MIN + 1 ? [word.slice(0, -1)] : [];
  return [word, ...cut].map((beginning) => `${beginning}*`);
}

/** Returns the beginnings (`word*`) of a fact's words that may identify them; none if its language has a stemmer. */
function findBeginnings(fact: string): string[] {
  const language = findLanguage(fact);
  const isStemmed = language === null ? findScript(fact) === "Latn" : language.stemmer;
  if (isStemmed) return [];
  return getStemmedWords(fact, language).flatMap(({ surface }) => {
    const word = surface.toLowerCase();
    const min = Math.max(BEGINNING_CHARS_MIN, Math.ceil(word.length * BEGINNING_SHARE_MIN));
    return Array.from(
      { length: Math.max(0, word.length - min + 1) },
      (_, cut) => `${word.slice(0, word.length - cut)}*`,
    );
  });
}

/**
 * Returns the forms to suppress, so that neither a removed fact nor a similar one becomes a note again: pairs of its
 * first eight words, and all eight.
 */
export function readFactForms(fact: string): string[] {
  const words = [...new Set(readStems(fact))].slice(0, NOTE_WORDS_MAX);
  return [...new Set([...listAllPairs(words), joinForm(words)])].filter((form) => form !== "");
}

/** Returns every two of the words as a form, neighbours or not. */
function listAllPairs(words: readonly string[]): string[] {
  return words.flatMap((one, index) =>
    words.slice(index + 1).map((other) => joinForm([one, other])),
  );
}

function joinForm(words: readonly string[]): string {
  return [...new Set(words)].sort().join(" ");
}

/**
 * Returns the words of a topic in each language that it may be in, and as they were written. Empty if it has no content
 * word.
 */
function readTopic(topic: string): string[][] {
  if (readStems(topic).length === 0) return [];
  const isLatin = findScript(topic) === "Latn";
  const languages = isLatin ? LATIN_LANGUAGES : [findLanguage(topic)];
  return [
    ...languages.map((language) => getStemmedWords(topic, language).map(({ stem }) => stem)),
    readSurfaces(topic),
  ];
}

function readSurfaces(text: string): string[] {
  return readStemmedWords(text).map(({ surface }) => surface.toLowerCase());
}
