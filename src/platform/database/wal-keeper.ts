import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type ChildJob, startChild } from "./child.ts";
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
  /**
   * Empties it where it may hold such a text, or was to be emptied and could not: then half a minute later at most. True:
   * it holds none. Never rejects.
   */
  emptyIfDirty(): Promise<boolean>;
  /**
   * Empties it, once the gate is open. True: nothing that was deleted before stands in it any more; false: somebody who
   * reads is in the way, try again. Never rejects.
   */
  empty(): Promise<boolean>;
  /** Ends what is under way, without harm to the file. */
  close(): Promise<void>;
}

/** While it is closed nothing is begun. */
type Gate = Pick<WriteGate, "isClosed" | "opened">;

/** 16 MB, some minutes of chat. */
const PAGES_MAX = 4_000;
/** How long whoever writes waits for a log that stays long: after it, it writes on. */
const WAIT_MS_MAX = 10_000;
/** Before the next try, where a reader was in the way; twice as long after each time. */
const REST_MS_MIN = 1_000;
const REST_MS_MAX = 30_000;
/** What was copied counts only at its end: a slow disk gets time. */
const TIME_MS_MAX = 10 * 60_000;
const PASSES_MAX = 10;

export function walKeeper(db: Db, gate: Gate): WalKeeper {
  const child = oneChild(db.name);
  return { ...copier(db, gate, child), ...emptier(db, gate, child), close: child.close };
}

type OneChild = ReturnType<typeof oneChild>;

/** One process at a time: `start` only where none is at work. */
function oneChild(file: string) {
  const opened = filesOf(file);
  let job: ChildJob<unknown> | null = null;
  let isOver = false;
  return {
    isAtWork: () => job !== null,
    /** Resolves once none is at work. */
    free: async (): Promise<void> => {
      while (job !== null) await job.ended;
    },
    /** Resolves with what it said: null where it said nothing, or could not be started. At the end it is false. */
    start: async (task: "copy-wal" | "empty-wal"): Promise<unknown> => {
      if (isOver) return false;
      job = startChild("database-child", [task, file, opened], {
        folder: import.meta.url,
        temporaryFolder: dirname(file),
        timeMsMax: TIME_MS_MAX,
      });
      const said = await job.ended;
      job = null;
      return isOver ? false : said;
    },
    close: async (): Promise<void> => {
      isOver = true;
      job?.kill();
      await job?.ended;
    },
  };
}

/** Pauses between tries, each twice as long as the last. */
function rests() {
  let nextMs = REST_MS_MIN;
  let untilMs = 0;
  return {
    isOver: () => performance.now() >= untilMs,
    begin: () => {
      untilMs = performance.now() + nextMs;
      nextMs = Math.min(2 * nextMs, REST_MS_MAX);
    },
    end: () => {
      [nextMs, untilMs] = [REST_MS_MIN, 0];
    },
  };
}

function copier(db: Db, gate: Gate, child: OneChild): Pick<WalKeeper, "keepShort"> {
  const rest = rests();
  let longSinceMs: number | null = null;
  const copy = async (): Promise<void> => {
    if (child.isAtWork() || !rest.isOver()) return;
    await child.start("copy-wal");
    rest.begin();
  };
  return {
    keepShort: () => {
      if (gate.isClosed()) return true;
      if (!isWalLonger(db, PAGES_MAX)) {
        longSinceMs = null;
        rest.end();
        return true;
      }
      longSinceMs ??= performance.now();
      void copy();
      return performance.now() - longSinceMs > WAIT_MS_MAX;
    },
  };
}

function emptier(
  db: Db,
  gate: Gate,
  child: OneChild,
): Pick<WalKeeper, "markDirty" | "emptyIfDirty" | "empty"> {
  let isDirty = false;
  let next: Promise<boolean> | null = null;
  /** The last of those that were. */
  let begun = Promise.resolve(true);
  const rest = rests();
  /** Where no process is to be had, what was taken away goes all the same. */
  const emptyHere = (): boolean => {
    try {
      return truncateWal(db);
    } catch {
      // Whoever writes hears of it, and tells it.
      return false;
    }
  };
  const emptyNow = async (): Promise<boolean> => {
    const startedAtMs = performance.now();
    const said = await child.start("empty-wal");
    const isStuck = performance.now() - startedAtMs >= TIME_MS_MAX;
    return said === null && !isStuck && !gate.isClosed() ? emptyHere() : said === true;
  };
  const emptyNext = async (): Promise<boolean> => {
    await gate.opened();
    while (child.isAtWork()) await child.free().then(gate.opened);
    begun = next ?? begun;
    next = null;
    // What is taken away from now on may stand in it afterwards.
    isDirty = false;
    const isEmpty = await emptyNow();
    isDirty ||= !isEmpty;
    if (isEmpty) rest.end();
    else rest.begin();
    return isEmpty;
  };
  const empty = (): Promise<boolean> => {
    next ??= emptyNext();
    return next;
  };
  return {
    markDirty: () => {
      isDirty = true;
    },
    emptyIfDirty: () => {
      if (!isDirty) return begun;
      return rest.isOver() ? empty() : Promise.resolve(false);
    },
    empty,
  };
}

/** Which files a database and what SQLite keeps beside it are. */
export function filesOf(file: string): string {
  const of = (end: string) => statSync(`${file}${end}`, { throwIfNoEntry: false })?.ino ?? "none";
  return ["", "-wal", "-shm"].map(of).join();
}

/**
 * Copies all that no reader needs as it was, where the files are still those `opened`. Blocks until then: for a process of
 * its own. True where the log then was emptied.
 */
export function copyWal(file: string, opened: string, isToEmpty: boolean): boolean {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Nothing was read of it yet: into another file the log would be copied, and beside an empty one deleted.
    if (filesOf(file) !== opened || statSync(file).size === 0) return false;
    // Chat goes on meanwhile. A log of which nothing is left begins anew, any other grows on.
    let before = 0;
    let after = copyOnce(db);
    for (let passes = 1; after > before && passes < PASSES_MAX; passes += 1) {
      before = after;
      after = copyOnce(db);
    }
    // Whoever writes is kept from it by this: little is left.
    return isToEmpty && truncateWal(db);
  } finally {
    db.close();
  }
}

/** Copies what there is as it begins; gives how much that was, all that was copied before included. */
function copyOnce(db: Db): number {
  const [state] = db.pragma("wal_checkpoint(PASSIVE)") as { checkpointed: number }[];
  return state?.checkpointed ?? 0;
}
