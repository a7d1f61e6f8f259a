import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type ChildJob, startChild } from "./child.ts";
import type { NoticeBoard } from "./notices-store.ts";
import { type Db, isWalLonger, truncateWal } from "./open-database.ts";
import { Database } from "./sqlite.ts";
import type { WriteGate } from "./write-gate.ts";

/**
 * Copies the write-ahead log into the database, in a process of its own: whoever does it waits for the disk. SQLite itself
 * does it only where the log grew twice as long.
 */
export interface WalKeeper {
  /**
   * Has it copied where it has grown. False while that goes on, or somebody who reads keeps it from being done, for ten
   * seconds at most: whoever writes much had better wait, or SQLite copies it inside a commit.
   */
  keepShort(): boolean;
  /** A text was taken away that it may still hold. */
  markDirty(): void;
  /** Empties it where it may hold such a text; what cannot be done now is done at the next call. */
  emptyIfDirty(): Promise<void>;
  /**
   * Empties it, once the gate is open. True: nothing that was deleted stands in it any more; false: somebody who reads is
   * in the way, try again. Never rejects.
   */
  empty(): Promise<boolean>;
  /** Ends what is under way, without harm to the file. */
  close(): Promise<void>;
}

interface WalParts {
  readonly db: Db;
  /** While it is closed nothing is begun. */
  readonly gate: Pick<WriteGate, "isClosed" | "opened">;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
}

/** 16 MB, some minutes of chat. */
const PAGES_MAX = 4_000;
/** How long whoever writes waits for a log that stays long: after it, it writes on. */
const WAIT_MS_MAX = 10_000;
/** Before the rest is copied, where a reader was in the way. */
const REST_MS = 1_000;
/** What was copied counts only at its end: a slow disk gets time. */
const TIME_MS_MAX = 10 * 60_000;
/** The kind of its notice. */
const FAILED = "wal_failed";
const FAILURES_TOLD = 3;
const FAILED_MESSAGE =
  "the write-ahead log beside the database is not emptied, no process could be started for it: what was deleted may stand in it; it is tried again: look with `forgetmenot doctor`, and restart the bot";

export function walKeeper({ db, gate, notices }: WalParts): WalKeeper {
  const first = filesOf(db);
  let underWay: ChildJob<unknown> | null = null;
  let isOver = false;
  let isDirty = false;
  let failures = 0;
  /** At first it is one from before this process, perhaps. */
  let isTold = true;
  let restUntilMs = 0;
  let longSinceMs: number | null = null;
  const count = (hasFailed: boolean): void => {
    failures = hasFailed ? failures + 1 : 0;
    if (failures >= FAILURES_TOLD) notices.raise(FAILED, "warning", FAILED_MESSAGE);
    else if (isTold && failures === 0) notices.clear(FAILED);
    isTold = failures >= FAILURES_TOLD;
  };
  const begin = (task: "copy-wal" | "empty-wal"): ChildJob<unknown> | null => {
    try {
      // In another file's place the log would be copied into that, and without its index nobody sees who else writes.
      if (isOver || filesOf(db).some((ino, at) => ino === null || ino !== first[at])) return null;
      return startChild("database-child", [task, db.name], {
        folder: import.meta.url,
        temporaryFolder: dirname(db.name),
        timeMsMax: TIME_MS_MAX,
      });
    } catch {
      // No process to be had now, or no disk: the next call tries again.
      count(true);
      return null;
    }
  };
  const start = async (task: "copy-wal" | "empty-wal"): Promise<boolean> => {
    underWay = begin(task);
    if (underWay === null) return false;
    const said = await underWay.ended;
    underWay = null;
    if (!isOver) count(said === null);
    return said === true;
  };
  const copy = async (): Promise<void> => {
    if (underWay !== null || performance.now() < restUntilMs) return;
    await start("copy-wal");
    restUntilMs = performance.now() + REST_MS;
  };
  const empty = async (): Promise<boolean> => {
    do {
      await gate.opened();
      await underWay?.ended;
    } while (underWay !== null || gate.isClosed());
    return start("empty-wal");
  };
  return {
    keepShort: () => {
      if (gate.isClosed()) return true;
      if (!isWalLonger(db, PAGES_MAX)) {
        longSinceMs = null;
        restUntilMs = 0;
        return true;
      }
      longSinceMs ??= performance.now();
      void copy();
      return performance.now() - longSinceMs > WAIT_MS_MAX;
    },
    markDirty: () => {
      isDirty = true;
    },
    emptyIfDirty: async () => {
      if (!isDirty) return;
      // What is taken away meanwhile may stand in it afterwards.
      isDirty = false;
      if (!(await empty())) isDirty = true;
    },
    empty,
    close: async () => {
      isOver = true;
      underWay?.kill();
      await underWay?.ended;
    },
  };
}

/** Which files a database and what SQLite keeps beside it are; null where one is not there, or holds nothing. */
function filesOf({ name }: Db): (number | null)[] {
  return ["", "-wal", "-shm"].map((end) => {
    const found = statSync(`${name}${end}`, { throwIfNoEntry: false });
    return found === undefined || (end === "" && found.size === 0) ? null : found.ino;
  });
}

/** Copies all that no reader needs as it was. Blocks until then: for a process of its own. True where it then was emptied. */
export function copyWal(file: string, isToEmpty: boolean): boolean {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // This keeps nobody from writing, and emptying does: little is left for it.
    db.pragma("wal_checkpoint(PASSIVE)");
    return isToEmpty && truncateWal(db);
  } finally {
    db.close();
  }
}
