// Pure: values in, values out.
import type { RecallPolicy } from "../../platform/config/memory-schema.ts";

const DAY_MS = 86_400_000;

/** The base of a note's score: 0 to its confidence. */
export type BaseScore = (
  kind: string,
  confidence: number,
  pinned: number,
  lastConfirmedAtMs: number,
) => number;

/**
 * Base scores as they are at `nowMs`: a note's confidence, halved when `scale` days have passed since it was last
 * confirmed. A kind that this program does not know ages as a state does; what is pinned does not age. Design part 6,
 * Recall.
 */
export function baseScores(nowMs: number, scales: RecallPolicy["scales"]): BaseScore {
  const daysOf = new Map<string, number>(Object.entries(scales));
  return (kind, confidence, pinned, lastConfirmedAtMs) => {
    if (pinned !== 0) return confidence;
    const ageDays = Math.max(0, nowMs - lastConfirmedAtMs) / DAY_MS;
    return confidence / (1 + ageDays / (daysOf.get(kind) ?? scales.state));
  };
}
