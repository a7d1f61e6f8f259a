import { normalWords } from "../text/words.ts";
import type { ScenarioFact } from "./scenario.ts";

/** Says whether a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Of the words of a fact that names none by which it is known, so many have to be there. */
const WORDS_SHARE = 0.6;

/**
 * By what a fact is recognised in a claim, a note or a summary, without a model as judge: a word of each of its
 * groups and none of those that must not be there, in any case; where it names none, most of its own words.
 */
export function recogniser({ fact, words, without }: ScenarioFact): Recognise {
  if (words === undefined || words.length === 0) return byOwnWords(fact);
  const groups = words.map((group) => group.map(fold));
  const forbidden = without.map(fold);
  return (sentence) => {
    const folded = fold(sentence);
    const has = (word: string): boolean => folded.includes(word);
    return groups.every((group) => group.some(has)) && !forbidden.some(has);
  };
}

function byOwnWords(fact: string): Recognise {
  const own = [...new Set(normalWords(fact))];
  const needed = Math.ceil(own.length * WORDS_SHARE);
  return (sentence) => {
    const there = new Set(normalWords(sentence));
    return own.length > 0 && own.filter((word) => there.has(word)).length >= needed;
  };
}

/** Lower case, without marks on letters. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}
