import type { Db } from "../platform/database/open-database.ts";
import type { Tally } from "./tally.ts";

/** What became of the notes that were offered. */
export interface NoteTally {
  /** New ones, those that wait for approval or stay in the shadow among them. */
  readonly made: number;
  readonly confirmed: number;
  readonly superseded: number;
  /** Notes that made room under a cap. */
  readonly evicted: number;
  readonly dropped: number;
  readonly droppedByReason: Tally;
  /** That wait for the streamer's approval now, whenever they were made. */
  readonly waiting: number;
}

/** Counts, from `note_candidates`, what was decided since a time. */
export function noteTally(db: Db): (sinceMs: number) => NoteTally {
  const rows = db.prepare<[number], Row>(
    `SELECT decision, reason, count(*) AS count FROM note_candidates
     WHERE created_at > ? GROUP BY decision, reason ORDER BY count(*) DESC, reason`,
  );
  // Names what the partial index is of, or every note is read.
  const waiting = db
    .prepare<[], number>(
      `SELECT count(*) FROM semantic_notes
       WHERE status IN ('shadow', 'pending') AND status = 'pending'`,
    )
    .pluck();
  return (sinceMs) => {
    const all = rows.all(sinceMs);
    const of = (name: string): readonly Row[] => all.filter(({ decision }) => decision === name);
    const count = (name: string): number => of(name).reduce((total, row) => total + row.count, 0);
    return {
      made: count("write"),
      confirmed: count("confirm"),
      superseded: count("supersede"),
      evicted: count("evict"),
      dropped: count("drop"),
      droppedByReason: Object.fromEntries(of("drop").map((row) => [row.reason, row.count])),
      waiting: waiting.get() ?? 0,
    };
  };
}

interface Row {
  readonly decision: string;
  readonly reason: string;
  readonly count: number;
}
