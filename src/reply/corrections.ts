import type { LlmCallStore } from "../platform/models/call-store.ts";

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

/**
 * How far one model's own token counts lie from our estimates: `factor` times the estimate is what to expect.
 */
export interface Correction {
  /** Replies learned from so far. */
  readonly replies: number;
  readonly factor: number;
}

/** An estimate, before any correction, and what the provider counted for the same prompt; tokens. */
export interface CountedPrompt {
  readonly estimated: number;
  readonly actual: number;
}

/** A model that nothing is known about: estimates stand as they are. */
export function startCorrection(): Correction {
  return { replies: 0, factor: 1 };
}

/**
 * The correction after one more reply: the plain mean of the ratios of the first ten, from then on an
 * exponential mean. Both counts are tokens; `estimated` must be uncorrected, or the factor would chase itself.
 * A pair that is no count (zero, negative, not finite) changes nothing.
 */
export function nextCorrection(state: Correction, estimated: number, actual: number): Correction {
  if (!isCount(estimated) || !isCount(actual)) return state;
  const ratio = Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, actual / estimated));
  const replies = state.replies + 1;
  const share = replies <= PLAIN_MEAN_REPLIES ? 1 / replies : NEWEST_SHARE;
  return { replies, factor: state.factor + (ratio - state.factor) * share };
}

/** What a model's recorded prompts teach, oldest first: for start-up. */
export function learnCorrection(prompts: Iterable<CountedPrompt>): Correction {
  let state = startCorrection();
  for (const { estimated, actual } of prompts) state = nextCorrection(state, estimated, actual);
  return state;
}

const PLAIN_MEAN_REPLIES = 10;
const NEWEST_SHARE = 0.2;

// A ratio outside is a miscount or a prompt of another kind; clamping each ratio keeps the mean inside too.
const FACTOR_MIN = 0.7;
const FACTOR_MAX = 1.6;

function isCount(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens > 0;
}
