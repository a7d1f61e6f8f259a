// Pure: values in, values out.
import { normalWords } from "../../language/words.ts";
import type { ScenarioFact } from "./scenario.ts";

/** Says whether a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Of the words of a fact that names none by which it is known, so many have to be there. */
const WORDS_SHARE = 0.6;

/**
 * By what a fact is recognised in a claim, a note or a summary, without a model as judge: a word of each of its
 * groups and none of those that must not be there, in any case; where it names none, most of its own words.
 */
export function recogniser(
  { fact, words, without }: ScenarioFact,
  wordsOf: WordsOf = readWords,
): Recognise {
  if (words === undefined || words.length === 0) return byOwnWords(fact, wordsOf);
  const groups = words.map((group) => group.map(fold));
  const forbidden = without.map(fold);
  return (sentence) => {
    const folded = fold(sentence);
    const has = (word: string): boolean => folded.includes(word);
    return groups.every((group) => group.some(has)) && !forbidden.some(has);
  };
}

type WordsOf = (sentence: string) => ReadonlySet<string>;

/** Reads the words of a sentence once, however many facts are looked for in it. */
export function wordsReadOnce(): WordsOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (sentence) => {
    const found = known.get(sentence) ?? readWords(sentence);
    known.set(sentence, found);
    return found;
  };
}

function readWords(sentence: string): ReadonlySet<string> {
  return new Set(normalWords(sentence));
}

function byOwnWords(fact: string, wordsOf: WordsOf): Recognise {
  const own = [...wordsOf(fact)];
  const needed = Math.ceil(own.length * WORDS_SHARE);
  return (sentence) => {
    const there = wordsOf(sentence);
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
