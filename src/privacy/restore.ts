import { existsSync, renameSync } from "node:fs";
import { checkBackup, makeBackup, toSingleFile } from "../database/backup.ts";
import { backupPath, classifyTrouble, toDatabaseFault } from "../database/database-fault.ts";
import {
  openDatabase,
  removeDatabase,
  removeSideFiles,
  runVacuum,
  truncateWal,
} from "../database/open-database.ts";
import { Fault, getMessage } from "../errors.ts";
import type { KeyedHash } from "../language/people.ts";
import { applyRecord, mergeRecord, openStaleCopies } from "./forget-store.ts";
import { type PrivacyRecord, readRecord } from "./record.ts";
import { removeUnfitTexts } from "./texts-store.ts";

export interface RestoreResult {
  /** How many forgets of the record file the backup lacked; they were carried out again. */
  readonly forgotten: number;
  /** How many texts were left out because this program would not have written them. */
  readonly unfit: number;
  /** True if the previous database could not be opened: it was replaced without a backup, and its content is lost. */
  readonly wasUnreadable: boolean;
}

interface RestoreParts {
  readonly dataDir: string;
  readonly databaseFile: string;
  readonly hash: KeyedHash;
  readonly now: () => number;
}

/**
 * Replaces the present database by the backup `file`. The caller holds the lock of the data folder. First checks the
 * file, merges requests of the present database into the record file, and backs that database up. Then migrates a copy of
 * the file, and removes forgotten viewers, forgotten topics and unfit texts. Last renames the copy into place. Throws a
 * Fault, and keeps the present database, if the file is unusable, the copy cannot be renamed, or the user can fix why the
 * present database cannot be backed up.
 */
export function restoreBackup(file: string, parts: RestoreParts): RestoreResult {
  const { dataDir, databaseFile, hash, now } = parts;
  checkBackup(file);
  const wasUnreadable = !backUpPresent(parts);
  const record = readRecord(dataDir);
  const fresh = `${databaseFile}.restored`;
  removeDatabase(fresh);
  try {
    makeBackup(fresh, file);
    const left = cleanCopy(fresh, record, hash, now());
    replace(fresh, databaseFile);
    return { ...left, wasUnreadable };
  } finally {
    removeDatabase(fresh);
  }
}

/**
 * Merges the present database with the record file, and backs it up. Returns true if that worked or there is no
 * database. Returns false, without a backup, if it failed and `isFixable` is false; else throws a Fault.
 */
function backUpPresent({ dataDir, databaseFile, hash, now }: RestoreParts): boolean {
  if (!existsSync(databaseFile)) return true;
  try {
    const db = openDatabase(databaseFile);
    try {
      // What the database alone knows of requests must reach the restored one.
      mergeRecord(db, dataDir, hash, now());
      truncateWal(db);
    } finally {
      db.close();
    }
    makeBackup(backupPath(dataDir, "before-restore", now()), databaseFile);
    return true;
  } catch (cause) {
    if (isFixable(cause)) throw toDatabaseFault(databaseFile, cause);
    return false;
  }
}

/**
 * True if the user can fix the error. Of a Fault, its cause counts; one without a cause names a file that is well, such
 * as a newer version's. False for a damaged database, a failing disk and an unknown error.
 */
function isFixable(thrown: unknown): boolean {
  if (thrown instanceof Fault) return thrown.cause === undefined || isFixable(thrown.cause);
  const trouble = classifyTrouble(thrown);
  if (trouble === null) return thrown instanceof Error && "syscall" in thrown;
  return trouble !== "damaged" && trouble !== "disk";
}

/** Migrates a copy, removes forgotten viewers, forgotten topics and unfit texts from it, and vacuums it. */
function cleanCopy(file: string, record: PrivacyRecord, hash: KeyedHash, nowMs: number) {
  const db = openDatabase(file);
  try {
    const unfit = removeUnfitTexts(db, () => nowMs);
    const forgotten = applyRecord(db, record, hash, nowMs);
    openStaleCopies(db, () => nowMs).markDoubtful();
    runVacuum(db);
    return { forgotten, unfit };
  } finally {
    db.close();
    toSingleFile(file);
  }
}

/** Renames `fresh` to `databaseFile`. Call it when the present file is backed up and its write-ahead log is empty. */
function replace(fresh: string, databaseFile: string): void {
  try {
    removeSideFiles(databaseFile);
    renameSync(fresh, databaseFile);
  } catch (cause) {
    throw new Fault(`${databaseFile}: could not be replaced (${getMessage(cause)})`, {
      code: "database",
      fix: "close whatever else has it open, and try again; the old one is unchanged",
      cause,
    });
  }
}

/** Deletes what a killed restore left in a data folder whose lock this process holds. */
export function removeLeftovers(databaseFile: string): void {
  for (const end of [".restored", ".restored.part"]) removeDatabase(`${databaseFile}${end}`);
}
