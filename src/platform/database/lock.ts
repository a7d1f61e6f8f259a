import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../errors.ts";
import { troubleOf } from "./database-fault.ts";
import { type Db, makePrivateFile } from "./open-database.ts";
import { Database } from "./sqlite.ts";

const LOCK_FILE = "forgetmenot.lock";
/** Held by whoever changes or removes a backup or an export. */
const FILES_LOCK = "files.lock";
/** Another process needs no longer for one file. */
const FILE_MS_MAX = 10 * 60_000;

export interface Lock {
  /** Takes it anew where somebody removed its file; false where another process has it by now. Cheap. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Makes this process the one daemon of a data folder. The lock is SQLite's own on an empty file beside the database:
 * the operating system drops it with the process, however that ends, and it works alike on Windows, macOS and Linux.
 * Throws a Fault where another process holds it.
 */
export function lockFolder(folder: string): Lock {
  let db = tryLock(folder, LOCK_FILE, ASKERS_MS_MAX);
  if (db === null) throw twoRun(folder, "locked");
  const file = join(folder, LOCK_FILE);
  let inode = inodeOf(file);
  return {
    isHeld: () => {
      if (inodeOf(file) === inode) return true;
      db?.close();
      try {
        db = tryLock(folder, LOCK_FILE, 0);
      } catch {
        return true; // what nobody can lock nobody has: the disk is read-only, or a folder stands there
      }
      inode = inodeOf(file);
      return db !== null;
    },
    release: () => void db?.close(),
  };
}

/** What to say where two bots want one data folder, or have it. */
export function twoRun(folder: string, code: "locked" | "broken"): Fault {
  return new Fault(`dataDir: another ForgetMeNot is running on ${folder}`, {
    code,
    mend: "stop that one first, or give this one a dataDir of its own",
  });
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Does work on one of the files that the program made of a data folder; waits until no other process is at any of them. */
export function withMadeFile<T>(folder: string, work: () => T): T {
  const db = tryLock(folder, FILES_LOCK, FILE_MS_MAX);
  if (db === null) throw new Error("another process is at the backups and exports");
  try {
    return work();
  } finally {
    db.close();
  }
}

/** Whether a daemon runs on a data folder right now. */
export function isLocked(folder: string): boolean {
  // Asking must not make the file, nor fail where there is no folder yet.
  if (!existsSync(join(folder, LOCK_FILE))) return false;
  const db = openLockFile(folder, LOCK_FILE, 0);
  try {
    db.exec("BEGIN; SELECT count(*) FROM sqlite_master; COMMIT");
    return false;
  } catch (cause) {
    if (troubleOf(cause) === "busy") return true;
    throw cause;
  } finally {
    db.close();
  }
}

/** Waits a moment: somebody who only asks `isLocked` must not keep a daemon from starting. */
const ASKERS_MS_MAX = 500;

function tryLock(folder: string, name: string, timeoutMs: number): Db | null {
  makePrivateFile(join(folder, name));
  const db = openLockFile(folder, name, timeoutMs);
  try {
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (cause) {
    db.close();
    if (troubleOf(cause) === "busy") return null;
    throw cause;
  }
}

function openLockFile(folder: string, name: string, timeout: number): Db {
  return new Database(join(folder, name), { timeout });
}
