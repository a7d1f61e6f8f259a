import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../errors.ts";
import { classifyTrouble } from "./database-fault.ts";
import { type Db, makePrivateFile } from "./open-database.ts";
import { Database } from "./sqlite.ts";

const LOCK_FILE = "forgetmenot.lock";
/** A command that asks `isLocked` at this moment must not prevent a start. */
const WAIT_MS_MAX = 500;

/**
 * Locks a data folder, so that this process is its one daemon. Throws a Fault if another process holds the lock. This
 * is SQLite's lock on an empty file: every operating system drops it when the process ends.
 */
export function lockFolder(folder: string): { release: () => void } {
  makePrivateFile(join(folder, LOCK_FILE));
  const db = openLockFile(folder, WAIT_MS_MAX);
  try {
    db.exec("BEGIN EXCLUSIVE");
    return { release: () => void db.close() };
  } catch (cause) {
    db.close();
    if (classifyTrouble(cause) !== "busy") throw cause;
    throw new Fault(`dataDir: another ForgetMeNot is running on ${folder}`, {
      code: "locked",
      fix: "end that one first, with Quit on its page or with Ctrl-C in its window, or give this one a dataDir of its own",
      cause,
    });
  }
}

/** Throws a Fault if a daemon runs on a data folder. Its fix says to end the daemon, then `nextStep`. */
export function refuseRunning(folder: string, nextStep: string): void {
  if (!isLocked(folder)) return;
  throw new Fault(`dataDir: the bot is running on ${folder}`, {
    code: "locked",
    fix: `end it with Quit on its page, or with Ctrl-C in its window, then ${nextStep}`,
  });
}

/** Returns true if a daemon runs on a data folder right now. Makes no file. */
export function isLocked(folder: string): boolean {
  if (!existsSync(join(folder, LOCK_FILE))) return false;
  const db = openLockFile(folder, 0);
  try {
    db.exec("BEGIN; SELECT count(*) FROM sqlite_master; COMMIT");
    return false;
  } catch (cause) {
    if (classifyTrouble(cause) === "busy") return true;
    throw cause;
  } finally {
    db.close();
  }
}

function openLockFile(folder: string, waitMs: number): Db {
  return new Database(join(folder, LOCK_FILE), { timeout: waitMs });
}
