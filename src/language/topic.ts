// Pure: values in, values out.
import { LANGUAGES } from "./languages.ts";
import { languageOf, scriptOf } from "./which-language.ts";
import { normalWords, plainText, wordsIn } from "./words.ts";

/** A longer topic is a sentence, and matches nothing but itself. */
const TOPIC_WORDS_MAX = 5;
/** Runs of these many words; ones and twos are all taken, in any order. */
const RUN_LENGTHS = [3, 4, TOPIC_WORDS_MAX];
/** Beyond these a fact is read no further: it may have 200 characters. */
const FACT_WORDS_MAX = 40;
const NOTE_WORDS_MAX = 8;
/** One word alone does not tell its language, and each has other endings. */
const LATIN_LANGUAGES = LANGUAGES.filter(({ script }) => script === "Latn");

/**
 * The normal forms of a topic, each the topic's telling words without order: one for each language that it may be in.
 * None where it says nothing, or is longer than a topic.
 */
export function topicForms(topic: string): string[] {
  const short = readings(topic).filter(({ length }) => length <= TOPIC_WORDS_MAX);
  return [...new Set(short.map(formOf))].filter((form) => form !== "");
}

/** Whether a fact holds every telling word of a topic. */
export function isAboutTopic(fact: string, topic: string): boolean {
  const held = new Set([...normalWords(fact), ...surfacesOf(fact)]);
  return readings(topic).some((words) => words.length > 0 && words.every((word) => held.has(word)));
}

/**
 * The forms of every topic that a fact may be said to be about: its words one by one and two by two, runs of up to
 * five, and all of them.
 */
export function formsIn(fact: string): string[] {
  return [...new Set([normalWords(fact), surfacesOf(fact)].flatMap(formsOfWords))];
}

/**
 * The forms that keep a fact, and what says nearly the same, from being learned again: its words two by two, and all of
 * them together.
 */
export function formsOfFact(fact: string): string[] {
  const words = [...new Set(normalWords(fact))].slice(0, NOTE_WORDS_MAX);
  return [...new Set([...pairsOf(words), formOf(words)])].filter((form) => form !== "");
}

function formsOfWords(words: readonly string[]): string[] {
  const some = words.slice(0, FACT_WORDS_MAX);
  const unique = [...new Set(some)];
  const runs = some.flatMap((_, from) =>
    RUN_LENGTHS.map((length) => formOf(some.slice(from, from + length))),
  );
  return [...unique, ...pairsOf(unique), ...runs, formOf(unique.slice(0, NOTE_WORDS_MAX))];
}

function pairsOf(words: readonly string[]): string[] {
  return words.flatMap((one, index) => words.slice(index + 1).map((other) => formOf([one, other])));
}

function formOf(words: readonly string[]): string {
  return [...new Set(words)].sort().join(" ");
}

/** The words of a topic in each language that it may be in, and as they were written. */
function readings(topic: string): string[][] {
  if (normalWords(topic).length === 0) return [];
  const isLatin = scriptOf(plainText(topic)) === "Latn";
  const languages = isLatin ? LATIN_LANGUAGES : [languageOf(topic)];
  return [
    ...languages.map((language) => wordsIn(topic, language).map(({ stem }) => stem)),
    surfacesOf(topic),
  ];
}

function surfacesOf(text: string): string[] {
  return wordsIn(text).map(({ surface }) => surface.toLowerCase());
}
