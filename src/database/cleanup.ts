import { z } from "zod";
import { toSentence } from "../errors.ts";
import { classifyTrouble, type DatabaseTrouble, describeTrouble } from "./database-fault.ts";
import type { Notices } from "./notices-store.ts";
import { type Db, truncateWal } from "./open-database.ts";
import { Counters, RuntimeStore } from "./runtime-store.ts";

/** The runtime value that counts the removals that the last VACUUM covered. */
const NAME = "cleanup";
const rowSchema = z.strictObject({
  texts: z.int(),
  people: z.int(),
  dueSinceMs: z.int().nullable(),
  endedAtMs: z.int().nullable(),
  /** SQLite's code of the last failure; null after a success. */
  failure: z.string().nullable(),
});
type Row = z.output<typeof rowSchema>;
const NEVER: Row = { texts: 0, people: 0, dueSinceMs: null, endedAtMs: null, failure: null };

export interface CleanupState {
  /**
   * Which removals need a VACUUM: those of viewers or from memory (`now`), only other texts (`soon`), or none (null).
   */
  readonly due: "now" | "soon" | null;
  /** Since when removed bytes may be left in the file or its log; null if none can be. */
  readonly pendingSinceMs: number | null;
  readonly endedAtMs: number | null;
  readonly failure: string | null;
}

/** Reads whether bytes of removed text may be left in the database file. Writes nothing. */
export function readCleanupState(db: Db, now: () => number): CleanupState {
  return makeState(readRow(db, now), readRemovalCounts(db), now());
}

function readRow(db: Db, now: () => number): Row {
  return new RuntimeStore(db, now).read(NAME, rowSchema)?.value ?? NEVER;
}

/**
 * Returns two counters that only grow, to compare with earlier values: removals of texts, and of viewers. One removal may
 * add several. `people` also grows when a removed message withdraws claims. Triggers of schema.sql count.
 */
function readRemovalCounts(db: Db): { texts: number; people: number } {
  const counts = new Counters(db).read("removed.");
  return { texts: counts["removed.texts"] ?? 0, people: counts["removed.people"] ?? 0 };
}

function makeState(row: Row, counted: { texts: number; people: number }, nowMs: number) {
  const { dueSinceMs, endedAtMs, failure } = row;
  const textsDue = counted.texts === row.texts ? null : ("soon" as const);
  const due = counted.people === row.people ? textsDue : ("now" as const);
  const pendingSinceMs = dueSinceMs ?? (due === null ? null : nowMs);
  return { due, pendingSinceMs, endedAtMs, failure };
}

/** A VACUUM for ordinary removals runs at most this often. A forget does not wait for it. */
const VACUUM_EVERY_MS = 10 * 60_000;
/** The longest that a removed text waits for its cleanup if no other program reads the database. */
export const CLEANUP_WAIT_MS_MAX = VACUUM_EVERY_MS;
const RETRY_MS = 60_000;
const RETRY_BUSY_MS = 3_000;
const REPLY_WAIT_MS_MAX = 30_000;
const KIND = "cleanup_failed";

/** Removes the bytes of deleted text from the database file and its write-ahead log. */
export class Cleanup {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #notices: Notices;
  readonly #runtime: RuntimeStore;
  #isLogDirty = false;
  /** Counts of the removals that the last VACUUM covered, until the log is truncated; else null. */
  #vacuumed: { texts: number; people: number } | null = null;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #replying = 0;
  #waitsForReplySinceMs: number | null = null;

  /** Clears the notice of a failed cleanup if no VACUUM is due. */
  constructor(db: Db, now: () => number, notices: Notices) {
    this.#db = db;
    this.#now = now;
    this.#notices = notices;
    this.#runtime = new RuntimeStore(db, now);
    if (readCleanupState(db, now).due === null) notices.clear(KIND);
  }

  /** Makes the next `run` truncate the write-ahead log, which may hold a removed text. */
  markRemoved(): void {
    this.#isLogDirty = true;
  }

  /** Runs `work`, which makes a reply, and returns its result. A due VACUUM waits until no reply runs, at most 30 s. */
  async whileReplying<T>(work: () => Promise<T>): Promise<T> {
    this.#replying += 1;
    try {
      return await work();
    } finally {
      this.#replying -= 1;
    }
  }

  /**
   * Runs a VACUUM if one is due, and no reply, recent VACUUM or recent failure delays it. After it or `markRemoved`,
   * truncates the write-ahead log. Call it regularly; with a year's database, it blocks for 30 ms. Stores the
   * database's error instead of throwing it, and raises a notice unless the database is busy.
   */
  run(): void {
    try {
      this.#clean();
    } catch (thrown) {
      const trouble = classifyTrouble(thrown);
      if (trouble === null) throw thrown;
      this.#storeFailure(thrown, trouble);
    }
  }

  #clean(): void {
    const row = readRow(this.#db, this.#now);
    const counted = readRemovalCounts(this.#db);
    const state = makeState(row, counted, this.#now());
    if (state.due !== null) this.#storeDueSinceIfNone(row);
    if (this.#vacuumed === null && this.#mayVacuum(state)) {
      this.#db.exec("VACUUM");
      this.#waitsForReplySinceMs = null;
      this.#vacuumed = counted;
    }
    const vacuumed = this.#vacuumed;
    if (vacuumed === null && !this.#isLogDirty) return;
    // Another program reads the database: `status` says that the cleanup is pending.
    if (!truncateWal(this.#db)) {
      this.#storeDueSinceIfNone(row);
      return;
    }
    this.#isLogDirty = false;
    if (vacuumed !== null)
      this.#save({ ...vacuumed, dueSinceMs: null, endedAtMs: this.#now(), failure: null });
    else if (state.due === null && row.dueSinceMs !== null) this.#save({ dueSinceMs: null });
    this.#vacuumed = null;
    this.#notices.clear(KIND);
  }

  /** Returns true if a VACUUM is due and nothing delays it. Starts its wait for replies. */
  #mayVacuum({ due, endedAtMs }: CleanupState): boolean {
    const nowMs = this.#now();
    if (due === null || nowMs < this.#notBeforeMs) return false;
    const sinceLastMs = nowMs - (endedAtMs ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back makes the time negative.
    if (due === "soon" && sinceLastMs >= 0 && sinceLastMs < VACUUM_EVERY_MS) return false;
    this.#waitsForReplySinceMs ??= nowMs;
    return this.#replying === 0 || nowMs - this.#waitsForReplySinceMs > REPLY_WAIT_MS_MAX;
  }

  #storeFailure(thrown: unknown, trouble: DatabaseTrouble): void {
    this.#notBeforeMs = this.#now() + (trouble === "busy" ? RETRY_BUSY_MS : RETRY_MS);
    const failure = (thrown as { code?: string }).code ?? trouble;
    try {
      this.#save({ failure });
    } catch {
      // A database that takes no row has its own notice.
    }
    if (trouble === "busy") return;
    const { what, fix } = describeTrouble(trouble, this.#db.name);
    this.#notices.raise(
      KIND,
      "error",
      `Deleted text may be left in unused parts of the database file: the cleanup failed (${what}). The bot tries again every minute. ${toSentence(fix)}`,
    );
  }

  #storeDueSinceIfNone({ dueSinceMs }: Row): void {
    if (dueSinceMs === null) this.#save({ dueSinceMs: this.#now() });
  }

  #save(change: Partial<Row>): void {
    this.#runtime.write(NAME, { ...readRow(this.#db, this.#now), ...change });
  }
}
