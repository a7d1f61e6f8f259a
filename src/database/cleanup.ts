import { z } from "zod";
import { toSentence } from "../errors.ts";
import { classifyTrouble, type DatabaseTrouble, describeTrouble } from "./database-fault.ts";
import type { Notices } from "./notices-store.ts";
import { type Db, truncateWal } from "./open-database.ts";
import { openRuntimeStore } from "./runtime-store.ts";

/**
 * Two counters say that text was removed from memory. Triggers of schema.sql count in the transaction that removes, so
 * a crash loses nothing and no caller has to ask for a cleanup.
 */
const TEXTS = "removed.texts";
const PEOPLE = "removed.people";
/** The runtime value that says which removals the last VACUUM covered. */
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
  /** Why a VACUUM is due: a forget or a removal reached memory (`now`), other text was removed (`soon`), or null. */
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
  return openRuntimeStore(db, now).read(NAME, rowSchema)?.value ?? NEVER;
}

/** Counts the removals so far, cleaned up or not. Those of `people` make a cleanup due now. */
function readRemovalCounts(db: Db): { texts: number; people: number } {
  const count = db.prepare<[string], number>("SELECT value FROM counters WHERE name = ?").pluck();
  return { texts: count.get(TEXTS) ?? 0, people: count.get(PEOPLE) ?? 0 };
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
/** Another connection holds its lock for milliseconds, or another program holds it for long. */
const RETRY_BUSY_MS = 3_000;
/** The longest delay of a VACUUM by replies in progress. */
const REPLY_WAIT_MS_MAX = 30_000;
const KIND = "cleanup_failed";

/**
 * Removes the bytes of deleted text from the database file and its write-ahead log, in this process. A year's database
 * takes about 30 ms. `isReplying` delays a VACUUM until no reply is in progress.
 */
export function openCleanup(
  db: Db,
  now: () => number,
  notices: Notices,
  isReplying: () => boolean = () => false,
) {
  const runtime = openRuntimeStore(db, now);
  let isLogDirty = false;
  /** The counters that a VACUUM covered whose log is not truncated yet. */
  let vacuumed: { texts: number; people: number } | null = null;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let waitsForReplySinceMs: number | null = null;
  if (readCleanupState(db, now).due === null) notices.clear(KIND);
  const save = (change: Partial<Row>): void =>
    runtime.write(NAME, { ...readRow(db, now), ...change });
  const mayVacuum = (state: CleanupState, nowMs: number): boolean => {
    if (state.due === null || nowMs < notBeforeMs) return false;
    const sinceLastMs = nowMs - (state.endedAtMs ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back makes the time negative.
    if (state.due === "soon" && sinceLastMs >= 0 && sinceLastMs < VACUUM_EVERY_MS) return false;
    waitsForReplySinceMs ??= nowMs;
    return !isReplying() || nowMs - waitsForReplySinceMs > REPLY_WAIT_MS_MAX;
  };
  const clean = (): void => {
    const row = readRow(db, now);
    const counted = readRemovalCounts(db);
    const state = makeState(row, counted, now());
    const notePending = (): void => {
      if (row.dueSinceMs === null) save({ dueSinceMs: now() });
    };
    if (state.due !== null) notePending();
    if (vacuumed === null && mayVacuum(state, now())) {
      db.exec("VACUUM");
      waitsForReplySinceMs = null;
      vacuumed = counted;
    }
    if (vacuumed === null && !isLogDirty) return;
    // Another program that reads the database keeps the log from being truncated: `status` says so until it is done.
    if (!truncateWal(db)) {
      notePending();
      return;
    }
    isLogDirty = false;
    if (vacuumed !== null) save({ ...vacuumed, dueSinceMs: null, endedAtMs: now(), failure: null });
    else if (state.due === null && row.dueSinceMs !== null) save({ dueSinceMs: null });
    vacuumed = null;
    notices.clear(KIND);
  };
  const fail = (thrown: unknown, trouble: DatabaseTrouble): void => {
    notBeforeMs = now() + (trouble === "busy" ? RETRY_BUSY_MS : RETRY_MS);
    const failure = (thrown as { code?: string }).code ?? trouble;
    try {
      save({ failure });
    } catch {
      // A database that takes no row has its own notice.
    }
    if (trouble === "busy") return;
    const { what, fix } = describeTrouble(trouble, db.name);
    notices.raise(
      KIND,
      "error",
      `Deleted text may be left in unused parts of the database file: the cleanup failed (${what}). The bot tries again every minute. ${toSentence(fix)}`,
    );
  };
  return {
    /** Notes that a text was removed that the write-ahead log may hold. */
    markRemoved: (): void => {
      isLogDirty = true;
    },
    /** Does due work; a VACUUM blocks. Throws only because of a bug. */
    run: (): void => {
      try {
        clean();
      } catch (thrown) {
        const trouble = classifyTrouble(thrown);
        if (trouble === null) throw thrown;
        fail(thrown, trouble);
      }
    },
  };
}

export type Cleanup = ReturnType<typeof openCleanup>;
