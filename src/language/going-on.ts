// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import lists from "./data/going-on.json" with { type: "json" };
import { fold } from "./fold.ts";
import { findLanguage, languageFinder, splitEntries } from "./languages.ts";
import { getStemmedWords } from "./stems.ts";
import { createWordFinder, isUnspaced, readWords } from "./words.ts";

const findersOf = memoize(
  () =>
    new Map(
      Object.entries(lists).map(([code, { leads, asks, exclaims }]) => [
        code,
        createWordFinder({
          leads: splitEntries(leads),
          asks: splitEntries(asks),
          exclaims: splitEntries(exclaims),
        }),
      ]),
    ),
);
const reactions = memoize(() =>
  createWordFinder({ reacts: Object.values(lists).flatMap(({ reacts }) => splitEntries(reacts)) }),
);

/** Returns true if a line holds a laugh or thanks, in any language with a list. */
export function isReaction(text: string): boolean {
  return reactions()(readWords(text)).length > 0;
}

/**
 * Returns true if a line begins with a question word, also after leading words: "and how much". "What a game" does not
 * ask. `before` is the line that it follows: its language counts too.
 */
export function beginsWithQuestionWord(text: string, before: string): boolean {
  return languageFinder([before])(text).some(({ code }) => {
    const found = findersOf().get(code)?.(readWords(text)) ?? [];
    const starts = new Set([0]);
    for (const { name, from, to } of found)
      if (name === "leads" && starts.has(from)) starts.add(to + 1);
    const heads = found.filter(({ from }) => starts.has(from)).map(({ name }) => name);
    return heads.includes("asks") && !heads.includes("exclaims");
  });
}

/** The most words of a line that may take up a word: a longer one often shares a word by chance. */
const SHORT_WORDS = 8;
const RARE_CHARS_MIN = 4;

/**
 * Returns true if a line of two to eight different words repeats a rare word of an answer, and holds no laugh or thanks.
 * A rare word is no stop word, has four letters or more or a script without spaces, and is in none of the messages
 * `others`.
 */
export function takesUpWord(text: string, answer: string, others: readonly string[]): boolean {
  const count = new Set(readWords(text).words.map(({ word }) => word)).size;
  if (count < 2 || count > SHORT_WORDS || isReaction(text)) return false;
  const language = findLanguage(text, [answer]);
  const answered = new Set(getStemmedWords(answer, language).map(({ stem }) => stem));
  const said = others.map((other) => fold(other));
  return getStemmedWords(text, language).some(({ surface, stem }) => {
    const isLong = surface.length >= RARE_CHARS_MIN || isUnspaced(surface);
    return isLong && answered.has(stem) && !said.some((other) => other.includes(fold(surface)));
  });
}
