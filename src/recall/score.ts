import type { RecallPolicy } from "../config/memory-schema.ts";

const DAY_MS = 86_400_000;

/**
 * The base of a note's score in SQL: its confidence, halved when `scale` days have passed since it was last confirmed.
 * A kind that this program does not know ages as a state does; what is pinned does not age. Design part 6, Recall.
 */
export const BASE_SCORE = `confidence * (1.0 / (1 + (1 - pinned) * max(0, :now - last_confirmed_at) / ${DAY_MS}.0
      / CASE kind WHEN 'preference' THEN :preferenceDays WHEN 'event' THEN :eventDays WHEN 'profile' THEN :profileDays
          WHEN 'running_bit' THEN :runningBitDays WHEN 'constraint' THEN :constraintDays ELSE :stateDays END))`;

export interface ScaleParameters {
  readonly profileDays: number;
  readonly constraintDays: number;
  readonly preferenceDays: number;
  readonly runningBitDays: number;
  readonly eventDays: number;
  readonly stateDays: number;
}

export function scaleParameters(scales: RecallPolicy["scales"]): ScaleParameters {
  return {
    profileDays: scales.profile,
    constraintDays: scales.constraint,
    preferenceDays: scales.preference,
    runningBitDays: scales.running_bit,
    eventDays: scales.event,
    stateDays: scales.state,
  };
}
