// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import { readStems } from "../language/stems.ts";
import { makeFactKey } from "../memory/fact-key.ts";
import type { Trail } from "../reply/trail.ts";
import type { ScenarioFact } from "./scenario.ts";

/** Counts active notes, notes that repeat another one of their subject, and notes without evidence. */
export function auditNotes(
  notes: readonly { subjectId: string | null; fact: string; evidence: number }[],
) {
  const keys = notes.map(({ subjectId, fact }) => JSON.stringify([subjectId, makeFactKey(fact)]));
  return {
    activeNotes: notes.length,
    duplicates: notes.length - new Set(keys).size,
    orphans: notes.filter(({ evidence }) => evidence === 0).length,
  };
}

/** Sizes and sections of a replay's prompts. */
export type PromptMeasures = ReturnType<typeof measurePrompts>;

/** Measures prompts by their trails, in order. Tokens are estimates before correction. */
export function measurePrompts(
  trails: readonly Pick<Trail, "sections" | "prefix" | "ladder" | "overBudget">[],
) {
  const sizes = trails.map(({ sections }) =>
    Object.values(sections).reduce((sum, tokens) => sum + tokens, 0),
  );
  const prefixShares = trails.map(({ prefix }, at) => prefix.tokens / Math.max(1, sizes[at] ?? 1));
  const changes = trails.filter(
    ({ prefix }, at) => at > 0 && prefix.hash !== trails[at - 1]?.prefix.hash,
  );
  const names = trails.flatMap(({ sections, ladder }) => [
    ...Object.keys(sections),
    ...ladder.map(({ section }) => section),
  ]);
  const sections = [...new Set(names)].sort().map((name) => {
    const present = trails.filter((trail) => (trail.sections[name] ?? 0) > 0);
    const cut = trails.filter(({ ladder }) => ladder.some(({ section }) => section === name));
    const shares = { present: present.length / trails.length, cut: cut.length / trails.length };
    return [name, shares] as const;
  });
  return {
    prompts: trails.length,
    tokensMean: calculateMean(sizes),
    tokensMax: Math.max(0, ...sizes),
    /** Mean share of the tokens that the prefix had. */
    prefixShare: calculateMean(prefixShares),
    callsPerPrefixChange: trails.length / Math.max(1, changes.length),
    overBudget: trails.filter(({ overBudget }) => overBudget).length,
    /** By section: the share of prompts that had it, and the share in which the ladder cut it. */
    sections: Object.fromEntries(sections),
  };
}

/** Says whether a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Share of a fact's words that recognises it if it has no `words`. */
const WORDS_SHARE = 0.6;

/**
 * Recognises a fact in a claim, note or summary, without a model: one word of each group of `words`, and none of
 * `without`, in any case. Without `words`, three in five of the fact's own words.
 */
export function makeRecogniser({ fact, words = [], without }: ScenarioFact): Recognise {
  if (words.length > 0) {
    const groups = words.map((group) => group.map((one) => fold(one)));
    const forbidden = without.map((one) => fold(one));
    return (sentence) => {
      const folded = fold(sentence);
      const has = (word: string): boolean => folded.includes(word);
      return groups.every((group) => group.some(has)) && !forbidden.some(has);
    };
  }
  const own = [...new Set(readStems(fact))];
  const needed = Math.ceil(own.length * WORDS_SHARE);
  return (sentence) => {
    const there = new Set(readStems(sentence));
    return own.length > 0 && own.filter((word) => there.has(word)).length >= needed;
  };
}

/** 0 for no values. */
export function calculateMean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
