import type { OutcomeKind } from "./outcome.ts";
import type { TrailFigures } from "./trail-figures.ts";

/** One row of `replies` as a report reads it: no text. */
export interface ReplyFacts {
  readonly id: number;
  readonly channel: string;
  readonly trigger: string;
  readonly state: string;
  readonly reason: string | null;
  readonly atMs: number;
  readonly sentAtMs: number | null;
  readonly latencyMs: number | null;
  readonly model: string | null;
  /** null where no prompt was made, or where its record cannot be read. */
  readonly trail: TrailFigures | null;
  readonly isDamaged: boolean;
  /** Empty where nothing is known. */
  readonly outcomes: readonly OutcomeKind[];
}
