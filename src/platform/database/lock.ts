import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../errors.ts";
import { troubleOf } from "./database-fault.ts";
import { type Db, makePrivateFile } from "./open-database.ts";
import { Database } from "./sqlite.ts";

const LOCK_FILE = "forgetmenot.lock";

export interface Lock {
  release(): void;
}

/**
 * Makes this process the one daemon of a data folder. The lock is SQLite's own on an empty file beside the database:
 * the operating system drops it with the process, however that ends, and it works alike on Windows, macOS and Linux.
 * Throws a Fault where another process holds it.
 */
export function lockFolder(folder: string): Lock {
  makePrivateFile(join(folder, LOCK_FILE));
  const db = tryLock(folder);
  if (db === null) {
    throw new Fault(`dataDir: another ForgetMeNot is running on ${folder}`, {
      code: "locked",
      mend: "stop that one first, or give this one a dataDir of its own",
    });
  }
  return { release: () => db.close() };
}

/** Whether a daemon runs on a data folder right now. */
export function isLocked(folder: string): boolean {
  // Asking must not make the file, nor fail where there is no folder yet.
  if (!existsSync(join(folder, LOCK_FILE))) return false;
  const db = openLockFile(folder, 0);
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

function tryLock(folder: string): Db | null {
  const db = openLockFile(folder, ASKERS_MS_MAX);
  try {
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (cause) {
    db.close();
    if (troubleOf(cause) === "busy") return null;
    throw cause;
  }
}

function openLockFile(folder: string, timeoutMs: number): Db {
  return new Database(join(folder, LOCK_FILE), { timeout: timeoutMs });
}
