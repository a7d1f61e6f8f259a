import { randomInt } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, toSentence } from "../errors.ts";
import { classifyTrouble, describeTrouble, restoreWith } from "./database-fault.ts";
import type { Notices } from "./notices-store.ts";
import { type Db, truncateWal } from "./open-database.ts";

const KIND = "database";
/** One look may fall between two steps of another program. */
const STRIKES = 2;
/** Another program may hold the database for some milliseconds at a time: no notice before this. */
const BUSY_NOTICE_AFTER_MS = 1_000;
const BUSY_AGAIN_WITHIN_MS = 5_000;

export type DatabaseHealth = ReturnType<typeof watchDatabaseHealth>;

/** Watches whether the database file is in place and writable. */
export function watchDatabaseHealth(db: Db, notices: Notices) {
  const file = db.name;
  const mark = openMark(db);
  let breakWith: (fault: Fault) => void = () => undefined;
  const broken = new Promise<Fault>((resolve) => {
    breakWith = resolve;
  });
  const stop = (what: string, fix: string): void => {
    notices.raise(KIND, "error", `The bot stops: ${what}. ${toSentence(fix)}`);
    breakWith(new Fault(`database: ${what}`, { code: "broken", fix }));
  };
  let isRaised = true;
  const busy = { sinceMs: Number.NEGATIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
  const isPassing = (): boolean => {
    const nowMs = performance.now();
    if (nowMs - busy.lastMs > BUSY_AGAIN_WITHIN_MS) busy.sinceMs = nowMs;
    busy.lastMs = nowMs;
    return nowMs - busy.sinceMs < BUSY_NOTICE_AFTER_MS;
  };
  const opened = [file, `${file}-wal`].map((path) => ({ path, inode: getStat(path)?.ino }));
  let strikes = 0;
  return {
    /** Resolves with a Fault if the daemon must stop: the file is missing, replaced or damaged. */
    broken,
    /** Call it after the database was closed. */
    close: mark.close,
    /** Takes what a read or write threw and notifies the streamer. False if it was not the database's error. */
    heard: (thrown: unknown): boolean => {
      const trouble = classifyTrouble(thrown);
      if (trouble === null) return false;
      const { what, fix } = describeTrouble(trouble, file);
      if (trouble === "damaged") stop(`${file} was damaged while the bot ran`, fix);
      else if (trouble !== "busy" || !isPassing()) {
        isRaised = true;
        notices.raise(
          KIND,
          "warning",
          `The database takes no writes: ${what}. Replies go on, and chat waits in memory. ${toSentence(fix)}`,
        );
      }
      return true;
    },
    /** A write succeeded: the problem is over. */
    works: (): void => {
      busy.lastMs = Number.NEGATIVE_INFINITY;
      if (isRaised) notices.clear(KIND);
      isRaised = false;
    },
    /** Checks that the file is still the one that was opened. Cheap; never throws. */
    look: (): void => {
      const lost = opened.find(
        ({ path, inode }) => inode !== undefined && getStat(path)?.ino !== inode,
      );
      const isEmpty = lost === undefined && getStat(file)?.size === 0;
      const isOther = lost === undefined && !isEmpty && mark.isLost();
      strikes = lost === undefined && !isEmpty && !isOther ? 0 : strikes + 1;
      if (strikes !== STRIKES) return;
      const path = lost?.path ?? file;
      const isMissing = getStat(path) === undefined;
      const replaced = isEmpty ? "emptied" : "replaced";
      const how = isMissing ? "deleted or moved" : replaced;
      const fix =
        path === file
          ? `put the file back into ${dirname(file)}, or ${restoreWith(file)}, then start the bot again`
          : "start the bot again; what it wrote in the last minutes may be lost";
      stop(`${path} was ${how} while the bot ran`, fix);
    },
  };
}

/** Where a database file holds its application id: https://www.sqlite.org/fileformat.html#the_application_id */
const MARK_AT = 68;
const MARK_BYTES = 4;

/**
 * Marks the database with its own number, which no backup has. So a file copied over it is noticed, although its
 * inode stays. The handle stays open until the end, since closing it would drop SQLite's locks.
 */
function openMark(db: Db) {
  const bytes = Buffer.alloc(MARK_BYTES);
  let handle: number | null = null;
  let mark = 0;
  const read = (): number | null => {
    if (handle === null || readSync(handle, bytes, 0, MARK_BYTES, MARK_AT) < MARK_BYTES)
      return null;
    return bytes.readInt32BE();
  };
  let wasThere = false;
  try {
    if (db.pragma("application_id", { simple: true }) === 0) {
      db.pragma(`application_id = ${randomInt(1, 2 ** 31 - 1)}`);
      truncateWal(db);
    }
    mark = Number(db.pragma("application_id", { simple: true }));
    handle = openSync(db.name, "r");
    wasThere = read() === mark;
  } catch {
    // A database that takes nothing now is marked at the next start.
  }
  return {
    isLost: (): boolean => {
      const isThere = read() === mark;
      wasThere ||= isThere;
      return wasThere && !isThere;
    },
    close: (): void => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

/** Undefined if the file is not there or cannot be reached. */
function getStat(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder above it may not be entered any more
  }
}
