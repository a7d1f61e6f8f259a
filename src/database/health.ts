import { randomInt } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, toSentence } from "../errors.ts";
import { classifyTrouble, describeRestore, describeTrouble } from "./database-fault.ts";
import type { Notices } from "./notices-store.ts";
import { type Db, truncateWal } from "./open-database.ts";

const KIND = "database";
/** Checks in a row that must find a loss: one may fall between two steps of another program. */
const STRIKES = 2;
/** Another program may hold the database for some milliseconds. */
const BUSY_NOTICE_AFTER_MS = 1_000;
/** Busy errors at most this far apart belong together. */
const BUSY_AGAIN_WITHIN_MS = 5_000;

/** Where a database file holds its application id: https://www.sqlite.org/fileformat.html#the_application_id */
const MARK_AT = 68;
const MARK_BYTES = 4;

/** Watches whether the database file is in place and writable. */
export class DatabaseHealth {
  /** Resolves with a Fault if the daemon must stop: the file is missing, replaced or damaged. */
  readonly broken: Promise<Fault>;
  readonly #file: string;
  readonly #notices: Notices;
  #break: (fault: Fault) => void = () => undefined;
  /** The files with their inodes at the start. */
  readonly #opened: readonly { readonly path: string; readonly inode: number | undefined }[];
  /** The open file and the number in its header; null if it could not be marked. */
  readonly #mark: { readonly handle: number; readonly value: number } | null;
  #strikes = 0;
  #isRaised = true;
  #busySinceMs = 0;
  #lastBusyMs = Number.NEGATIVE_INFINITY;

  /** Opens the file, and writes its mark if it has none: see `openMark`. */
  constructor(db: Db, notices: Notices) {
    this.#file = db.name;
    this.#notices = notices;
    this.broken = new Promise((resolve) => {
      this.#break = resolve;
    });
    this.#mark = openMark(db);
    this.#opened = [db.name, `${db.name}-wal`].map((path) => ({ path, inode: tryStat(path)?.ino }));
  }

  /** Closes the file handle, which drops SQLite's locks: close the database first. */
  close(): void {
    if (this.#mark !== null) closeSync(this.#mark.handle);
  }

  /**
   * Handles an error of a read or write. Returns false, and does nothing, unless it is SQLite's error about the file.
   * Damage resolves `broken`. Any other cause raises a notice, but a busy database only after 1 s.
   */
  handleError(thrown: unknown): boolean {
    const trouble = classifyTrouble(thrown);
    if (trouble === null) return false;
    const { what, fix } = describeTrouble(trouble, this.#file);
    if (trouble === "damaged")
      this.#resolveBroken(`${this.#file} was damaged while the bot ran`, fix);
    else if (trouble !== "busy" || !this.#recordBusy()) {
      this.#isRaised = true;
      const message = `The database takes no writes: ${what}. Replies go on, and chat waits in memory. ${toSentence(fix)}`;
      this.#notices.raise(KIND, "warning", message);
    }
    return true;
  }

  /** Clears the notice that the database takes no writes. Call it after each successful write. */
  noteWrite(): void {
    this.#lastBusyMs = Number.NEGATIVE_INFINITY;
    if (this.#isRaised) this.#notices.clear(KIND);
    this.#isRaised = false;
  }

  /** Resolves `broken` if two checks in a row find the file or its log gone or replaced. Call it regularly. */
  checkFiles(): void {
    const loss = this.#findLoss();
    this.#strikes = loss === null ? 0 : this.#strikes + 1;
    if (loss === null || this.#strikes !== STRIKES) return;
    const fix =
      loss.path === this.#file
        ? `put the file back into ${dirname(loss.path)}, or ${describeRestore(loss.path)}, then start the bot again`
        : "start the bot again; what it wrote in the last minutes may be lost";
    this.#resolveBroken(`${loss.path} was ${loss.how} while the bot ran`, fix);
  }

  #resolveBroken(what: string, fix: string): void {
    this.#notices.raise(KIND, "error", `The bot stops: ${what}. ${toSentence(fix)}`);
    this.#break(new Fault(`database: ${what}`, { code: "broken", fix }));
  }

  /** Records a busy error. Returns true if the database has been busy for less than 1 s. */
  #recordBusy(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#lastBusyMs > BUSY_AGAIN_WITHIN_MS) this.#busySinceMs = nowMs;
    this.#lastBusyMs = nowMs;
    return nowMs - this.#busySinceMs < BUSY_NOTICE_AFTER_MS;
  }

  /** Returns what happened to a file that was opened; null if all are in place. */
  #findLoss(): { readonly path: string; readonly how: string } | null {
    for (const { path, inode } of this.#opened) {
      const found = tryStat(path);
      if (inode !== undefined && found?.ino !== inode)
        return { path, how: found === undefined ? "deleted or moved" : "replaced" };
    }
    if (tryStat(this.#file)?.size === 0) return { path: this.#file, how: "emptied" };
    if (this.#mark === null || readMark(this.#mark.handle) === this.#mark.value) return null;
    return { path: this.#file, how: "replaced" };
  }
}

/**
 * Opens the database's file, and returns the handle with its mark: a random number in the header. Writes a mark if it
 * has none. No backup has the mark, so it shows that a file was copied over the database, although the inode stays.
 * Returns null if the file cannot be marked or read.
 */
function openMark(db: Db) {
  try {
    if (db.pragma("application_id", { simple: true }) === 0)
      db.pragma(`application_id = ${randomInt(1, 2 ** 31 - 1)}`);
    truncateWal(db);
    const value = Number(db.pragma("application_id", { simple: true }));
    const handle = openSync(db.name, "r");
    return readMark(handle) === value ? { handle, value } : null;
  } catch {
    return null; // A database that takes nothing now is marked at the next start.
  }
}

function readMark(handle: number): number | null {
  const bytes = Buffer.alloc(MARK_BYTES);
  return readSync(handle, bytes, 0, MARK_BYTES, MARK_AT) < MARK_BYTES ? null : bytes.readInt32BE();
}

function tryStat(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // This user may no longer enter a folder above it.
  }
}
