// Pure: values in, values out.
import type { RecallPolicy } from "../../platform/config/memory-schema.ts";

/** What a note's score is made of; the four add up to it. */
export interface ScoreTerms {
  /** Confidence, less with the time since it was last confirmed. */
  readonly base: number;
  readonly importance: number;
  /** For words shared with what the speaker says; 0 for what does not depend on it. */
  readonly lexical: number;
  /** For topics that are talked of. */
  readonly topic: number;
}

/** A note as a prompt shows it. */
export interface RecalledNote {
  readonly id: number;
  readonly fact: string;
  readonly topics: string;
  readonly kind: string;
  readonly score: number;
  /** Since when it is known, epoch ms. */
  readonly createdAtMs: number;
  readonly terms?: ScoreTerms;
}

/** A note about the person who speaks, with what its place in the prompt rests on. */
export interface LoreNote extends RecalledNote {
  readonly terms: ScoreTerms;
  /** A number of `PLACES`; replies are recorded with it. */
  readonly place: number;
}

/** Why a note stands where it does. */
export const PLACES = {
  /** One of the places kept for who the speaker is. */
  kept: 0,
  best: 1,
  /** Behind the best. */
  next: 2,
  /** Beyond what a prompt wants of one kind. */
  tooMany: 3,
  /** Among the best, in a place kept for the newest. */
  newest: 4,
  /** A newer note says nearly the same. */
  repeated: 5,
} as const;

/** What a note's place says of it, by its number; empty where the score alone decided. */
export const PLACE_NAMES: readonly string[] = ["kept", "", "", "too many", "newest", "repeated"];

/** The base of a note's score: 0 to its confidence. */
export type BaseScore = (
  kind: string,
  confidence: number,
  pinned: number,
  lastConfirmedAtMs: number,
) => number;

const DAY_MS = 86_400_000;

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
