import type { z } from "zod";
import { calculateBackoffMs } from "../clock.ts";
import type { LlmPurpose } from "../config/names.ts";
import { estimateTokens } from "../language/tokens.ts";
import type { LlmFailure } from "../models/model-port.ts";
import type { LearningParts } from "./memory-loop.ts";

/** The most useless answers for a task. */
export const TRIES_MAX = 5;
const RETRY = { baseMs: 30_000, capMs: 30 * 60_000 };

/** Failures by a useless answer. They count as tries. */
const USELESS: ReadonlySet<LlmFailure> = new Set<LlmFailure>([
  "blocked",
  "empty",
  "invalid_json",
  "truncated",
]);

/** A running step of learning: summaries, notes or recaps. */
export interface LearningStep extends LearningParts {
  /** The constant part of its questions. */
  readonly instructions: string;
  readonly signal: AbortSignal;
}

export interface NoAnswer {
  readonly ok: false;
  readonly failure: LlmFailure;
  readonly retryAtMs: number | null;
}

/** The model answered, but no part is usable. */
export const NOTHING_USABLE: NoAnswer = { ok: false, failure: "empty", retryAtMs: null };

interface Question {
  /** The part that changes. */
  readonly tail: string;
  /** Returns true if its sources were removed since. The question may wait before it is sent. */
  readonly isStale: () => boolean;
}

/**
 * Asks the model for JSON of a shape. Returns `ok: false` with the failure if there is no usable answer. Does not send
 * if sources were removed or memory may not work: that is `ok: false`, too.
 */
export async function askForJson<T>(
  { llm, instructions, signal, mayWork }: LearningStep,
  purpose: LlmPurpose,
  { tail, isStale }: Question,
  schema: z.ZodType<T>,
): Promise<NoAnswer | { readonly ok: true; readonly value: T; readonly model: string }> {
  const estimatedTokens = estimateTokens(instructions) + estimateTokens(tail);
  const answer = await llm.ask({
    ...{ purpose, prefix: instructions, tail, schema, estimatedTokens, signal },
    isStale: () => !mayWork() || isStale(),
  });
  if (!answer.ok) return answer;
  const { value, model } = answer;
  return value === null ? NOTHING_USABLE : { ok: true, value, model };
}

/** The next step after a failure. `wait`: the model cannot be used now, which costs no try. */
type Retry =
  | { readonly kind: "give_up" }
  | { readonly kind: "again"; readonly attempts: number; readonly atMs: number }
  | { readonly kind: "wait"; readonly atMs: number };

/**
 * Plans the next try of a task after `attempts` useless answers and this failure. Gives up at the fifth useless answer.
 */
export function planRetry(
  attempts: number,
  { failure, retryAtMs }: NoAnswer,
  nowMs: number,
): Retry {
  const atMs = nowMs + calculateBackoffMs(attempts, 1, RETRY);
  if (!USELESS.has(failure)) return { kind: "wait", atMs: Math.max(retryAtMs ?? 0, atMs) };
  if (attempts + 1 >= TRIES_MAX) return { kind: "give_up" };
  return { kind: "again", attempts: attempts + 1, atMs };
}
