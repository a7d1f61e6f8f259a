// Pure: values in, values out.
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

/** What a note's place says of it, by its number (`Weighed.place`); empty where the score alone decided. */
export const PLACE_NAMES: readonly string[] = ["kept", "", "", "too many", "newest"];
