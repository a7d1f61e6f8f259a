// Pure: values in, values out.
import type { LlmFailure } from "../platform/models/model-port.ts";

/** After so many answers of no use an episode is given up. */
export const TRIES_MAX = 5;
const RETRY_MS_MIN = 30_000;
const RETRY_MS_MAX = 30 * 60_000;

/** The model read it and gave nothing usable: these count as tries. All others may pass, and wait. */
export const CONTENT_FAILURES: ReadonlySet<LlmFailure> = new Set<LlmFailure>([
  "blocked",
  "empty",
  "invalid_json",
  "truncated",
]);

/** 30 s, doubled with each failure in a row, up to 30 min. Design part 6, point 11. */
export function backoffMs(failuresInARow: number): number {
  return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failuresInARow - 1));
}
