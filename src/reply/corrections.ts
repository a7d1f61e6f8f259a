import type { LlmCallStore } from "../platform/models/call-store.ts";
import { type Correction, learnCorrection, nextCorrection } from "./prompt/correction.ts";

export interface Corrections {
  /** What an estimate is multiplied by for this model; 1 while nothing is known. */
  factor(model: string): number;
  /** `promptTokens` as the provider counted; null teaches nothing. */
  learn(model: string, estimatedTokens: number, promptTokens: number | null): void;
}

/** Calls that a start looks back at: more cannot matter to a mean that forgets by a fifth each time. */
const CALLS_BACK = 60;

/** Beyond these a count is a lie, or of a prompt that the server cut: nothing is learned from it. */
const RATIO_MIN = 0.5;
const RATIO_MAX = 2.2;

/** The correction of each model's estimate, taken up at start from the calls that are on record. */
export function modelCorrections(calls: Pick<LlmCallStore, "recentCounts">): Corrections {
  const states = new Map<string, Correction>();
  const stateOf = (model: string): Correction => {
    const known = states.get(model);
    if (known !== undefined) return known;
    const pairs = calls.recentCounts(model, "reply", CALLS_BACK).reverse();
    const learned = learnCorrection(
      pairs
        .filter(({ estimatedTokens, promptTokens }) => isPlausible(promptTokens / estimatedTokens))
        .map(({ estimatedTokens, promptTokens }) => ({
          estimated: estimatedTokens,
          actual: promptTokens,
        })),
    );
    states.set(model, learned);
    return learned;
  };
  return {
    factor: (model) => stateOf(model).factor,
    learn: (model, estimatedTokens, promptTokens) => {
      if (promptTokens === null || !isPlausible(promptTokens / estimatedTokens)) return;
      states.set(model, nextCorrection(stateOf(model), estimatedTokens, promptTokens));
    },
  };
}

function isPlausible(ratio: number): boolean {
  return ratio >= RATIO_MIN && ratio <= RATIO_MAX;
}
