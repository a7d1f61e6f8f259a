// Pure: values in, values out.
import type { NoteKind, NoteSource } from "../platform/config/names.ts";
import type { Importance, Lifetime } from "./note-prompt.ts";

/** How many days a note of a kind lives since it was last confirmed; null is for good. */
export type KindDays = Readonly<Record<NoteKind, number | null>>;

/** Design part 6, point 6. Configuration may set others. */
export const KIND_DAYS: KindDays = {
  profile: null,
  constraint: null,
  preference: 90,
  running_bit: 30,
  event: 30,
  state: 7,
};
/** What nobody confirmed for so long is stale. */
export const STALE_AFTER_DAYS = 180;

const DAY_MS = 86_400_000;
const MODEL_DAYS: Readonly<Record<Lifetime, number | null>> = {
  "1d": 1,
  "3d": 3,
  "7d": 7,
  "30d": 30,
  permanent: null,
};
const IMPORTANCE: Readonly<Record<Importance, number>> = { low: 0, medium: 0.1, high: 0.2 };

/** What a note's lifetime is made of. */
interface Living {
  readonly kind: NoteKind;
  /** As the model chose it; null where nobody did. It only shortens what the kind has. */
  readonly lifetime: Lifetime | null;
  /** What its viewer asked to keep stays until they say otherwise. */
  readonly source: NoteSource;
}

/** When a note that was confirmed at `confirmedAtMs` runs out, epoch ms; null is never. */
export function expiryOf(
  { kind, lifetime, source }: Living,
  confirmedAtMs: number,
  kindDays: KindDays,
): number | null {
  if (source === "viewer_request") return null;
  const days = [kindDays[kind], lifetime === null ? null : MODEL_DAYS[lifetime]].filter(
    (limit) => limit !== null,
  );
  return days.length === 0 ? null : confirmedAtMs + Math.min(...days) * DAY_MS;
}

/** When a note runs out that is to live so long from `fromMs`, epoch ms, whatever its kind says; null is never. */
export function endOf(lifetime: Lifetime, fromMs: number): number | null {
  const days = MODEL_DAYS[lifetime];
  return days === null ? null : fromMs + days * DAY_MS;
}

/** What was last confirmed before this is stale, epoch ms. */
export function staleBefore(nowMs: number, days: number): number {
  return nowMs - days * DAY_MS;
}

/** What importance adds to the score of recall: 0, 0.1 or 0.2. */
export function importanceOf(importance: Importance): number {
  return IMPORTANCE[importance];
}
