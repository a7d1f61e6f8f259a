// Pure: values in, values out.

import { LANGUAGES } from "./languages.ts";
import { readStems, stemWords } from "./stems.ts";
import { findLanguage, findScript } from "./which-language.ts";

/** A longer topic is a sentence, and matches nothing but itself. */
const TOPIC_WORDS_MAX = 5;
/** Runs of these many words; ones and twos are all taken, in any order. */
const RUN_LENGTHS = [3, 4, TOPIC_WORDS_MAX];
/** Beyond these a fact is read no further: it may have 200 characters. */
const FACT_WORDS_MAX = 40;
const NOTE_WORDS_MAX = 8;
/** So many letters, and so much of a word, tell which word it is. */
const BEGINNING_CHARS_MIN = 3;
const BEGINNING_SHARE_MIN = 0.55;
/** One word alone does not tell its language, and each has other endings. */
const LATIN_LANGUAGES = LANGUAGES.filter(({ script }) => script === "Latn");

/**
 * The normal forms of a topic, each the topic's telling words without order: one for each language that it may be in.
 * None where it says nothing, or is longer than a topic.
 */
export function readTopicForms(topic: string): string[] {
  const short = readTopic(topic).filter(({ length }) => length <= TOPIC_WORDS_MAX);
  return [...new Set([...short.map(joinForm), ...short.flatMap(markBeginnings)])].filter(
    (form) => form !== "",
  );
}

/** Whether a fact holds every telling word of a topic. */
export function isAboutTopic(fact: string, topic: string): boolean {
  const held = new Set([...readStems(fact), ...readSurfaces(fact), ...findBeginnings(fact)]);
  return readTopic(topic).some(
    (words) =>
      (words.length > 0 && words.every((word) => held.has(word))) ||
      markBeginnings(words).some((beginning) => held.has(beginning)),
  );
}

/**
 * The forms of every topic that a fact may be said to be about: its words one by one and two by two, runs of up to
 * five, and all of them.
 */
export function findTopicForms(fact: string): string[] {
  const forms = [readStems(fact), readSurfaces(fact)].flatMap(combineWords);
  return [...new Set([...forms, ...findBeginnings(fact)])];
}

/**
 * In a language whose endings nothing takes off, words of which most begins alike are one: a topic of one word is also
 * its beginning, marked as one, and a fact is about every beginning that is most of a word.
 */
function markBeginnings(words: readonly string[]): string[] {
  const [word = "", ...more] = words;
  if (more.length > 0 || word.length < BEGINNING_CHARS_MIN) return [];
  const cut = word.length > BEGINNING_CHARS_MIN + 1 ? [word.slice(0, -1)] : [];
  return [word, ...cut].map((beginning) => `${beginning}*`);
}

function findBeginnings(fact: string): string[] {
  const language = findLanguage(fact);
  const isStemmed = language === null ? findScript(fact) === "Latn" : language.stemmer;
  if (isStemmed) return [];
  return stemWords(fact, language).flatMap(({ surface }) => {
    const word = surface.toLowerCase();
    const min = Math.max(BEGINNING_CHARS_MIN, Math.ceil(word.length * BEGINNING_SHARE_MIN));
    return Array.from(
      { length: Math.max(0, word.length - min + 1) },
      (_, cut) => `${word.slice(0, word.length - cut)}*`,
    );
  });
}

/**
 * The forms that keep a fact, and what says nearly the same, from being learned again: its words two by two, and all of
 * them together.
 */
export function readFactForms(fact: string): string[] {
  const words = [...new Set(readStems(fact))].slice(0, NOTE_WORDS_MAX);
  return [...new Set([...pairWords(words), joinForm(words)])].filter((form) => form !== "");
}

function combineWords(words: readonly string[]): string[] {
  const some = words.slice(0, FACT_WORDS_MAX);
  const unique = [...new Set(some)];
  const runs = some.flatMap((_, from) =>
    RUN_LENGTHS.map((length) => joinForm(some.slice(from, from + length))),
  );
  return [...unique, ...pairWords(unique), ...runs, joinForm(unique.slice(0, NOTE_WORDS_MAX))];
}

function pairWords(words: readonly string[]): string[] {
  return words.flatMap((one, index) =>
    words.slice(index + 1).map((other) => joinForm([one, other])),
  );
}

function joinForm(words: readonly string[]): string {
  return [...new Set(words)].sort().join(" ");
}

/** The words of a topic in each language that it may be in, and as they were written. */
function readTopic(topic: string): string[][] {
  if (readStems(topic).length === 0) return [];
  const isLatin = findScript(topic) === "Latn";
  const languages = isLatin ? LATIN_LANGUAGES : [findLanguage(topic)];
  return [
    ...languages.map((language) => stemWords(topic, language).map(({ stem }) => stem)),
    readSurfaces(topic),
  ];
}

function readSurfaces(text: string): string[] {
  return stemWords(text).map(({ surface }) => surface.toLowerCase());
}
