import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Config } from "../config/load.ts";
import { Cleanup } from "../database/cleanup.ts";
import { BACKUP_FOLDER, backupPath, formatTimeStamp } from "../database/database-fault.ts";
import type { NoticeBoard, Notices } from "../database/notices-store.ts";
import { type Db, removeDatabase } from "../database/open-database.ts";
import { getMessage } from "../errors.ts";
import { openStaleCopies } from "../privacy/forget-store.ts";
import type { OperatorContext } from "../privacy/operator.ts";

/** The UTC time in the name of a backup that the program made. */
const STAMP = /(\d{8}-\d{6}Z)(?:-\d+)?\.db$/;
const DAILY_NAME = /^forgetmenot-auto-\d{8}-\d{6}Z(?:-\d+)?\.db$/;
const EXPORT_FOLDER = "exports";
const HOUR_MS = 3_600_000;
/** No daily backup is due earlier in a run: a start is busy enough. */
const AFTER_START_MS = 60_000;
const RETRY_MS = 10 * 60_000;
/** Pause after a forget's copies are replaced: if many viewers ask at once, one new backup serves them. */
const AFTER_FORGET_MS = 5_000;

interface Parts {
  readonly db: Db;
  readonly databaseFile: string;
  readonly config: () => Config["backup"];
  readonly notices: Notices;
  readonly now: () => number;
}

/**
 * Makes "daily" backups, in truth every `everyHours` hours, unless that is false. After a forget, deletes the exports
 * and replaces the backups that may hold the viewer. A thread makes and checks each backup, so chat never waits for it.
 */
export class BackupKeeper {
  readonly #parts: Parts;
  readonly #dataDir: string;
  readonly #startedAtMs: number;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  /** The last backup of this run, by its own clock: files carry the wall clock, which may be set. */
  #madeAtMs = Number.NEGATIVE_INFINITY;
  #worker: Worker | null = null;
  #inProgress: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#dataDir = dirname(parts.databaseFile);
    this.#startedAtMs = parts.now();
  }

  /**
   * Replaces the copies that a forget made stale; if there are none, makes the daily backup if it is due. The daemon
   * calls it often; a call joins a run in progress. Never rejects: after a failure it raises a notice, and does nothing
   * for ten minutes.
   */
  runIfDue(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#inProgress ??= this.#cleanOrBackUp()
      // A file that another program has open cannot be deleted on Windows.
      .catch((thrown: unknown) => this.#raiseAndPause(getMessage(thrown)))
      .finally(() => {
        this.#inProgress = null;
      });
    return this.#inProgress;
  }

  /** Stops a backup in progress, and waits for its end; nothing half done stays. `runIfDue` then does nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    await this.#inProgress;
  }

  async #cleanOrBackUp(): Promise<void> {
    const { config, db, notices, now } = this.#parts;
    if (config().everyHours === false) notices.clear("backup_failed");
    if (now() < this.#notBeforeMs) return;
    const copies = openStaleCopies(db, now);
    const stale = copies.read();
    if (stale === null) {
      if (this.#isDailyDue()) await this.#makeDaily();
      return;
    }
    this.#deleteExports(stale.sinceMs);
    const backups = listBackupsSince(this.#dataDir, stale.sinceMs);
    if (backups.length > 0) {
      if ((await this.#make()) === null) return;
      for (const file of backups) rmSync(file, { force: true, recursive: true });
    }
    copies.settle(stale);
    this.#notBeforeMs = now() + AFTER_FORGET_MS;
  }

  /** True if no daily backup was made in the last `everyHours` hours. False in the first minute of a run. */
  #isDailyDue(): boolean {
    const { config, now } = this.#parts;
    const { everyHours } = config();
    if (everyHours === false || now() < this.#startedAtMs + AFTER_START_MS) return false;
    const files = listDailyBackups(this.#dataDir);
    if (files.length === 0) return true;
    const madeAtMs = [this.#madeAtMs, ...files.map(readWriteTimeMs)];
    // A backup dated in the future was made while the clock was wrong.
    return madeAtMs.every((ms) => Math.abs(now() - ms) >= everyHours * HOUR_MS);
  }

  /** Makes a daily backup, then deletes the oldest ones beyond `keep`. Deletes none if it cannot be made. */
  async #makeDaily(): Promise<void> {
    const path = await this.#make();
    if (path === null) return;
    const others = listDailyBackups(this.#dataDir).filter((file) => file !== path);
    const extra = others.length + 1 - this.#parts.config().keep;
    for (const old of others.slice(0, Math.max(0, extra))) rmSync(old, { force: true });
  }

  /** Makes a backup. Returns its path; null if that failed, which becomes a notice, or if the keeper was closed. */
  async #make(): Promise<string | null> {
    const { databaseFile, notices, now } = this.#parts;
    const path = backupPath(this.#dataDir, "auto", now());
    const file = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { workerData: { databaseFile, path } });
    this.#worker = worker;
    const failure = await new Promise<string | null>((resolve) => {
      worker.once("message", resolve);
      worker.once("error", (cause) => resolve(getMessage(cause)));
      worker.once("exit", () => resolve("the backup thread ended early"));
    });
    removeDatabase(`${path}.part`);
    if (this.#isClosed) return null;
    if (failure !== null) {
      this.#raiseAndPause(failure);
      return null;
    }
    this.#madeAtMs = now();
    notices.clear("backup_failed");
    return path;
  }

  #raiseAndPause(why: string): void {
    const { notices, now } = this.#parts;
    this.#notBeforeMs = now() + RETRY_MS;
    notices.raise(
      "backup_failed",
      "warning",
      `A backup could not be made (${why}). The bot tries again in ten minutes. Free some disk space, then type \`forgetmenot backup\` to try at once.`,
    );
  }

  /** Deletes the exports in the data folder that were made at `sinceMs` or later. Raises a notice if there were any. */
  #deleteExports(sinceMs: number): void {
    const folder = join(this.#dataDir, EXPORT_FOLDER);
    const stale = listFiles(folder).filter((file) => readWriteTimeMs(file) >= sinceMs);
    if (stale.length === 0) return;
    for (const file of stale) rmSync(file, { force: true, recursive: true });
    this.#parts.notices.raise(
      "exports_deleted",
      "info",
      `${stale.length} of your exports in ${folder} were deleted, since a viewer in them was forgotten. Make a new one with \`forgetmenot memory export\`.`,
    );
  }
}

/** Returns the daily backups of a data folder, the oldest first. */
export function listDailyBackups(dataDir: string): readonly string[] {
  const files = listFiles(join(dataDir, BACKUP_FOLDER));
  return files.filter((file) => DAILY_NAME.test(basename(file)));
}

/** Returns the backups in a data folder made at `sinceMs` or later, by the time in the name, else by the file's time. */
function listBackupsSince(dataDir: string, sinceMs: number): readonly string[] {
  const since = formatTimeStamp(sinceMs);
  return listFiles(join(dataDir, BACKUP_FOLDER)).filter((file) => {
    const stamp = STAMP.exec(file)?.[1];
    const isNew = stamp === undefined ? readWriteTimeMs(file) >= sinceMs : stamp >= since;
    return file.endsWith(".db") && isNew;
  });
}

/** Returns the paths in a folder by name; none if it cannot be read. */
function listFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).sort();
    return names.map((name) => join(folder, name));
  } catch {
    return []; // the folder is made with the first file
  }
}

/** Returns when a file was last written, epoch ms; 0 if it is missing. */
function readWriteTimeMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Cleans up after a forget while no daemon runs, as the daemon would. Removes bytes from the database file, deletes
 * exports and replaces backups. Failures become notices.
 */
export async function cleanNow(
  { config, db, now }: OperatorContext,
  notices: NoticeBoard,
): Promise<void> {
  new Cleanup(db, now, notices).run();
  const { databaseFile, backup } = config;
  await new BackupKeeper({ db, databaseFile, config: () => backup, notices, now }).runIfDue();
}
