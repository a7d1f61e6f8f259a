// Pure: values in, values out.
import type { LlmFailure } from "../platform/models/model-port.ts";

/** After so many answers of no use a thing is given up. */
export const TRIES_MAX = 5;
const RETRY_MS_MIN = 30_000;
const RETRY_MS_MAX = 30 * 60_000;

/** The model read it and gave nothing usable: these count as tries. All others may pass, and wait. */
const CONTENT_FAILURES: ReadonlySet<LlmFailure> = new Set<LlmFailure>([
  "blocked",
  "empty",
  "invalid_json",
  "truncated",
]);

/** What to do after a failure. `wait`: the model is no use right now, for anything. */
type Retry =
  | { readonly kind: "give_up" }
  | { readonly kind: "again"; readonly attempts: number; readonly atMs: number }
  | { readonly kind: "wait"; readonly atMs: number };

/**
 * The one retry policy of memory, for summaries, notes and recaps. What the model answered wrongly costs a try; what
 * could not be reached costs none. Failures in a row are counted in the process alone.
 */
export interface RetryPolicy {
  after(
    failed: {
      readonly key: string;
      readonly failure: LlmFailure;
      readonly retryAtMs: number | null;
      readonly attempts: number;
    },
    nowMs: number,
  ): Retry;
  /** It went well: the next failure is the first. */
  forget(key: string): void;
}

export function retryPolicy(): RetryPolicy {
  const inARow = new Map<string, number>();
  return {
    after: ({ key, failure, retryAtMs, attempts }, nowMs) => {
      if (!CONTENT_FAILURES.has(failure)) {
        const row = (inARow.get(key) ?? 0) + 1;
        inARow.set(key, row);
        return { kind: "wait", atMs: Math.max(retryAtMs ?? 0, nowMs + backoffMs(row)) };
      }
      inARow.delete(key);
      const tries = attempts + 1;
      if (tries >= TRIES_MAX) return { kind: "give_up" };
      return { kind: "again", attempts: tries, atMs: nowMs + backoffMs(tries) };
    },
    forget: (key) => void inARow.delete(key),
  };
}

/** 30 s, doubled with each failure in a row, up to 30 min. */
function backoffMs(failuresInARow: number): number {
  return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failuresInARow - 1));
}
