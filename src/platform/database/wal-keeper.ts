import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type ChildJob, startChild } from "./child.ts";
import { type Db, isWalLonger } from "./open-database.ts";
import { Database } from "./sqlite.ts";
import type { WriteGate } from "./write-gate.ts";

/**
 * Copies the write-ahead log into the database, in a process of its own: whoever does it waits for the disk. SQLite itself
 * does it only where the log grew twice as long.
 */
export interface WalKeeper {
  /**
   * Has it copied where it has grown. False as long as that goes on, or somebody who reads keeps it from being done:
   * whoever writes much had better wait, or SQLite copies it inside a commit.
   */
  keepShort(): boolean;
  /** A text was taken away that it may still hold. */
  soil(): void;
  /** Empties it where it may hold such a text; what cannot be done now is done at the next call. */
  tidy(): Promise<void>;
  /** Resolves with whether it is empty: then nothing that was deleted stands in it any more. Never rejects. */
  empty(): Promise<boolean>;
  /** Ends what is under way, without harm to the file. */
  close(): Promise<void>;
}

/** 16 MB, some minutes of chat. */
const PAGES_MAX = 4_000;
/** How long whoever writes waits for a reader that keeps the log from being copied: after it, it writes on. */
const READER_MS_MAX = 10_000;
/** Before the rest is copied, where a reader was in the way. */
const REST_MS = 1_000;
const TIME_MS_MAX = 60_000;

/** Nothing is copied while the gate is closed. */
export function walKeeper(db: Db, gate: Pick<WriteGate, "isClosed" | "opened">): WalKeeper {
  const { ino } = statSync(db.name);
  let underWay: ChildJob<unknown> | null = null;
  let isOver = false;
  let isSoiled = false;
  let restUntilMs = 0;
  let longSinceMs: number | null = null;
  /** The log belongs to the file that was opened: in another's place it would be copied into that. */
  const isThere = (): boolean => {
    const now = statSync(db.name, { throwIfNoEntry: false });
    return now?.ino === ino && now.size > 0;
  };
  const start = async (task: "copy-wal" | "empty-wal"): Promise<boolean> => {
    if (isOver || !isThere()) return false;
    underWay = startChild("database-child", [task, db.name], {
      folder: import.meta.url,
      temporaryFolder: dirname(db.name),
      timeMsMax: TIME_MS_MAX,
    });
    const isDone = (await underWay.ended) === true;
    underWay = null;
    return isDone;
  };
  const copy = async (): Promise<void> => {
    if (underWay !== null || performance.now() < restUntilMs) return;
    await start("copy-wal");
    restUntilMs = performance.now() + REST_MS;
  };
  const empty = async (): Promise<boolean> => {
    await gate.opened();
    while (underWay !== null) await underWay.ended;
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
      return performance.now() - longSinceMs > READER_MS_MAX;
    },
    soil: () => {
      isSoiled = true;
    },
    tidy: async () => {
      if (!isSoiled) return;
      // What is taken away meanwhile may stand in it afterwards.
      isSoiled = false;
      if (!(await empty())) isSoiled = true;
    },
    empty,
    close: async () => {
      isOver = true;
      underWay?.kill();
      await underWay?.ended;
    },
  };
}

/** Copies all that no reader needs as it was. Blocks until then: for a process of its own. True where it then was emptied. */
export function copyWal(file: string, isToEmpty: boolean): boolean {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Whoever writes is not kept from it by this, but by what comes after it: little is left then.
    db.pragma("wal_checkpoint(PASSIVE)");
    return isToEmpty && db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } finally {
    db.close();
  }
}
