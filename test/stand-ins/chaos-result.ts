import type { Db } from "../../src/database/open-database.ts";

export interface ChaosResult {
  /** How often each fault was driven. */
  readonly faults: Readonly<Record<string, number>>;
  readonly lines: number;
  /** Wishes that were answered, and of these, those that the database does not hold. */
  readonly wishes: number;
  readonly wishesLost: readonly string[];
  /** People who were told that they are forgotten, and of whom something is left. */
  readonly forgotten: number;
  readonly notForgotten: readonly string[];
  /** Summarised episodes, decisions about actions and notes that a look saw; and those that were gone in the end. */
  readonly seen: Readonly<Record<Kept, number>>;
  readonly lost: Readonly<Record<Kept, readonly number[]>>;
  readonly answers: number;
  readonly answeredTwice: number;
  /** Rows of `replies` that no run ended. */
  readonly unsettled: number;
  /** Episodes that cover an event which another one covers, too. */
  readonly coveredTwice: number;
  readonly integrity: string;
  readonly exit: number | NodeJS.Signals;
  /** Whether the bot answered in the end, in time after the last fault. */
  readonly answersAgain: boolean;
  readonly logBytes: number;
  /** Growth of the live heap, KB an hour; null if no run was long enough to tell. */
  readonly growth: number | null;
}

export type Kept = "episodes" | "decisions" | "notes";

export const KEPT_NAMES = ["episodes", "decisions", "notes"] as const;

/** So much of it is one run that what comes after the warm-up is enough to tell. */
const GROWTH_SEEN_MS_MIN = 30 * 60_000;
/** A leak of a hundred bytes a line is ten times this. */
const GROWTH_KB_PER_HOUR_MAX = 250;
/** As the files of the log may have together. */
const LOG_BYTES_MAX = 12_100_000;

/** An episode counts its events when it claims them; where another one claims one of them later, it has one fewer. */
export function coveredTwice(db: Db): number {
  const robbed = db.prepare(
    `SELECT count(*) FROM episodes e WHERE e.kind IN ('window', 'direct', 'gap')
     AND e.event_count <> (SELECT count(*) FROM events WHERE episode_id = e.id)`,
  );
  return Number(robbed.pluck().get());
}

/** What was wrong with a run of so many ms, in words; also a run that proves nothing because it saw nothing. */
export function wrongIn(result: ChaosResult, ms: number): string[] {
  const { wishesLost, notForgotten, answeredTwice, unsettled, lost, seen, growth } = result;
  const checks: Readonly<Record<string, boolean>> = {
    "a wish was lost": wishesLost.length > 0,
    "somebody was not forgotten": notForgotten.length > 0,
    "a row was lost": KEPT_NAMES.some((kept) => lost[kept].length > 0),
    "a line was answered twice": answeredTwice > 0,
    "a reply was never settled": unsettled > 0,
    "an event is in two episodes": result.coveredTwice > 0,
    "the database is damaged": result.integrity !== "ok",
    "the end was no orderly one": result.exit !== 0,
    "the bot answers no more": !result.answersAgain,
    "the log is too large": result.logBytes > LOG_BYTES_MAX,
    "memory grows, or was not measured":
      growth === null ? ms >= GROWTH_SEEN_MS_MIN : growth > GROWTH_KB_PER_HOUR_MAX,
    "no wish was answered": result.wishes === 0,
    "nobody was forgotten": result.forgotten === 0,
    "a kind of row was never seen": KEPT_NAMES.some((kept) => seen[kept] === 0),
  };
  return Object.keys(checks).filter((what) => checks[what] === true);
}
