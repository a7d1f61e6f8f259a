import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { openCleanup } from "../database/cleanup.ts";
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

/** The daily backups of a data folder, the oldest first. */
export function listDailyBackups(dataDir: string): readonly string[] {
  return listNames(join(dataDir, BACKUP_FOLDER))
    .filter((name) => DAILY_NAME.test(name))
    .map((name) => join(dataDir, BACKUP_FOLDER, name));
}

/** All backups in a data folder that were made at `sinceMs` or later, by their names or else by their file times. */
function listBackupsSince(dataDir: string, sinceMs: number): readonly string[] {
  const since = formatTimeStamp(sinceMs);
  return listNames(join(dataDir, BACKUP_FOLDER))
    .filter((name) => name.endsWith(".db"))
    .map((name) => join(dataDir, BACKUP_FOLDER, name))
    .filter((file) => {
      const stamp = STAMP.exec(file)?.[1];
      return stamp === undefined ? readWriteTimeMs(file) >= sinceMs : stamp >= since;
    });
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // the folder is made with the first file
  }
}

/**
 * Deletes exports in the data folder that were made since `sinceMs`, and leaves other files alone. Returns how many.
 */
function deleteExports(dataDir: string, sinceMs: number): number {
  const folder = join(dataDir, EXPORT_FOLDER);
  const stale = listNames(folder)
    .map((name) => join(folder, name))
    .filter((file) => readWriteTimeMs(file) >= sinceMs);
  for (const file of stale) rmSync(file, { force: true, recursive: true });
  return stale.length;
}

/** Deletes the backups made since `sinceMs`, except the new one, which was made and checked before. */
function deleteBackups(dataDir: string, sinceMs: number, except: string): void {
  for (const file of listBackupsSince(dataDir, sinceMs)) {
    if (file !== except) rmSync(file, { force: true, recursive: true });
  }
}

const HOUR_MS = 3_600_000;
/** A start is busy enough, and a start that fails soon needs no backup. */
const AFTER_START_MS = 60_000;
const RETRY_MS = 10 * 60_000;
/** Many viewers may ask to be forgotten at once: one new backup serves them. */
const AFTER_FORGET_MS = 5_000;
const KIND = "backup_failed";
const EXPORTS_KIND = "exports_deleted";

/**
 * Makes the backup that is due by `everyHours`. After a forget, deletes the exports and replaces the backups that may
 * hold the viewer. A thread makes and checks each backup, so chat never waits for it.
 */
export function openBackupKeeper(parts: {
  readonly db: Db;
  readonly databaseFile: string;
  readonly config: () => { readonly everyHours: number | false; readonly keep: number };
  readonly notices: Notices;
  readonly now: () => number;
}) {
  const { db, databaseFile, config, notices, now } = parts;
  const dataDir = dirname(databaseFile);
  const copies = openStaleCopies(db, now);
  const startedAtMs = now();
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  /** When this run made a backup, by its own clock: files carry the wall clock, which may be set. */
  let madeAtMs = Number.NEGATIVE_INFINITY;
  let worker: Worker | null = null;
  let inProgress: Promise<void> | null = null;
  let isClosed = false;
  const isDailyDue = (): boolean => {
    const { everyHours } = config();
    if (everyHours === false || now() < startedAtMs + AFTER_START_MS) return false;
    const files = listDailyBackups(dataDir);
    const agesMs = [madeAtMs, ...files.map(readWriteTimeMs)].map((ms) => now() - ms);
    // A backup dated in the future was made while the clock was wrong, and says nothing.
    const youngestMs = Math.min(...agesMs.filter((ms) => ms > -HOUR_MS));
    return files.length === 0 || youngestMs >= everyHours * HOUR_MS;
  };
  const fail = (why: string): void => {
    notBeforeMs = now() + RETRY_MS;
    notices.raise(
      KIND,
      "warning",
      `A backup could not be made (${why}). The bot tries again in ten minutes. Free some disk space, then type \`forgetmenot backup\` to try at once.`,
    );
  };
  /** Makes a backup; returns its path, or null if that failed. */
  const make = async (): Promise<string | null> => {
    const path = backupPath(dataDir, "auto", now());
    const file = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url);
    worker = new Worker(file, { workerData: { databaseFile, path } });
    const failure = await waitForResult(worker);
    removeDatabase(`${path}.part`);
    if (isClosed) return null;
    if (failure !== null) {
      fail(failure);
      return null;
    }
    madeAtMs = now();
    notices.clear(KIND);
    return path;
  };
  const replaceStale = async (stale: { sinceMs: number; forgets: number }): Promise<void> => {
    const exports = deleteExports(dataDir, stale.sinceMs);
    if (exports > 0) {
      notices.raise(
        EXPORTS_KIND,
        "info",
        `${exports} of your exports in ${join(dataDir, EXPORT_FOLDER)} were deleted, since a viewer in them was forgotten. Make a new one with \`forgetmenot memory export\`.`,
      );
    }
    if (listBackupsSince(dataDir, stale.sinceMs).length > 0) {
      const path = await make();
      if (path === null) return;
      deleteBackups(dataDir, stale.sinceMs, path);
    }
    copies.settle(stale);
    notBeforeMs = now() + AFTER_FORGET_MS;
  };
  const makeDaily = async (): Promise<void> => {
    const path = await make();
    if (path === null) return;
    // A backup named with a later time was made while the clock was wrong: delete it first.
    const all = listDailyBackups(dataDir);
    const own = all.indexOf(path) + 1;
    const oldestFirst = [...all.slice(own), ...all.slice(0, own)];
    for (const old of oldestFirst.slice(0, -config().keep)) rmSync(old, { force: true });
  };
  const work = async (): Promise<void> => {
    if (config().everyHours === false) notices.clear(KIND);
    if (now() < notBeforeMs) return;
    const stale = copies.read();
    if (stale !== null) await replaceStale(stale);
    else if (isDailyDue()) await makeDaily();
  };
  const workOrNotify = async (): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      // A file that another program has open cannot be deleted on Windows.
      fail(getMessage(thrown));
    }
  };
  return {
    /** Makes the backup that is due, if one is; joins one in progress. Never rejects. */
    look: (): Promise<void> => {
      if (isClosed) return Promise.resolve();
      inProgress ??= workOrNotify().finally(() => {
        inProgress = null;
      });
      return inProgress;
    },
    /** Stops a backup in progress; nothing half done stays. */
    close: async (): Promise<void> => {
      isClosed = true;
      await worker?.terminate();
      await inProgress;
    },
  };
}

/** Resolves with why a backup could not be made; null if it was. */
function waitForResult(worker: Worker): Promise<string | null> {
  return new Promise((resolve) => {
    worker.once("message", resolve);
    worker.once("error", (cause) => resolve(getMessage(cause)));
    worker.once("exit", () => resolve("the backup thread ended early"));
  });
}

/**
 * Does what the daemon does by itself, for a command while no daemon runs: removes the bytes of forgotten viewers from
 * the database file, and replaces old backups. Failures become notices.
 */
export async function cleanNow(
  { config, db, now }: OperatorContext,
  notices: NoticeBoard,
): Promise<void> {
  openCleanup(db, now, notices).run();
  const { databaseFile, backup } = config;
  await openBackupKeeper({ db, databaseFile, config: () => backup, notices, now }).look();
}

function readWriteTimeMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
