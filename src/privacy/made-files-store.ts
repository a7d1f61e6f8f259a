import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { Fault, messageOf } from "../errors.ts";
import type { KeyedHash } from "../language/people.ts";
import { parseExport, sealExport } from "../memory/export-store.ts";
import { readText, writePrivately } from "../platform/config/private-file.ts";
import { checkBackup } from "../platform/database/check-backup.ts";
import { asDatabaseFault, BACKUP_FOLDER } from "../platform/database/database-fault.ts";
import { withMadeFile } from "../platform/database/lock.ts";
import {
  type Db,
  makePrivateFile,
  openDatabase,
  removeDatabase,
} from "../platform/database/open-database.ts";
import { vacuumFile } from "../platform/database/vacuum.ts";
import type { VacuumQueue } from "../platform/database/vacuum-queue.ts";
import { copyBackup, toSingleFile } from "./backup-copy-store.ts";
import { forgetStore } from "./forget-store.ts";
import type { ViewerRecord } from "./viewer-record-store.ts";
import {
  dropUnwanted,
  type Tombstones,
  tombstoneStore,
  type Wishes,
  wishesIn,
  withoutUnwanted,
} from "./wishes-store.ts";

export interface MadeFile {
  /** Absolute. */
  readonly path: string;
  /** `viewer`: all that is kept about one person. */
  readonly kind: "backup" | "export" | "viewer";
}

/** Files that the program made and that hold memory: a forget reaches them, too. */
export interface MadeFilesStore {
  add(file: MadeFile): void;
  remove(path: string): void;
  list(): MadeFile[];
}

export function madeFilesStore(db: Db, now: () => number): MadeFilesStore {
  const add = db.prepare<[string, string, number]>(
    `INSERT INTO made_files (path, kind, created_at) VALUES (?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, created_at = excluded.created_at`,
  );
  const remove = db.prepare<[string]>("DELETE FROM made_files WHERE path = ?");
  const list = db.prepare<[], MadeFile>("SELECT path, kind FROM made_files ORDER BY path");
  return {
    add: ({ path, kind }) => void add.run(path, kind, now()),
    remove: (path) => void remove.run(path),
    list: () => list.all(),
  };
}

/** How the program names its backups. */
const BACKUP_NAME = /^forgetmenot-.*\d{8}-\d{6}Z\.db$/;

/**
 * Takes up the backups of a data folder that its database does not know: it was moved, or another one stood in its place
 * when they were made. Whoever asks to be forgotten leaves them, too.
 */
export function adoptBackups(
  dataDir: string,
  { list, add }: Pick<MadeFilesStore, "list" | "add">,
  queue: Pick<VacuumQueue, "filesFound">,
): void {
  const folder = join(dataDir, BACKUP_FOLDER);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const known = new Set(list().map(({ path }) => path));
  const found = readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name))
    .map((name) => resolve(folder, name))
    .filter((path) => !known.has(path));
  for (const path of found) add({ path, kind: "backup" });
  if (found.length > 0) queue.filesFound();
}

export interface Rewritten {
  readonly rewritten: readonly string[];
  /** Are not there any more. */
  readonly gone: readonly string[];
  /** Could not be rewritten: not writable, or changed by somebody. */
  readonly failed: readonly string[];
}

/**
 * Brings files that the program made in line with what people asked to have forgotten until then. Each is replaced whole, or
 * stays as it was; one process at a time, so that none puts back what another took out. Blocks: for a process of its own.
 * Never throws for a file.
 */
export function rewriteFiles(
  files: readonly MadeFile[],
  { db, databaseFile, hash }: Pick<MadeFileParts, "db" | "databaseFile" | "hash">,
): Rewritten {
  const folder = dirname(databaseFile);
  const rewritten: string[] = [];
  const gone: string[] = [];
  const failed: string[] = [];
  for (const file of files) {
    try {
      const isChanged = withMadeFile(folder, () => rewriteFile(file, wishesIn(db, hash)));
      if (!existsSync(file.path)) gone.push(file.path);
      else if (isChanged) rewritten.push(file.path);
    } catch {
      (existsSync(file.path) ? failed : gone).push(file.path);
    }
  }
  return { rewritten, gone, failed };
}

/** Whether it had to be. */
function rewriteFile({ path, kind }: MadeFile, wishes: Wishes): boolean {
  if (!existsSync(path)) return false;
  switch (kind) {
    case "backup":
      return rewriteBackup(path, wishes);
    case "export":
      return rewriteExport(path, wishes);
    case "viewer":
      if (isOutOfDate(readText(path), wishes.tombstones)) rmSync(path);
      return false;
  }
}

function rewriteBackup(path: string, wishes: Wishes): boolean {
  const part = `${path}.part`;
  checkBackup(path);
  // What a process left that was killed at this would be taken for a part of the copy.
  removeDatabase(part);
  try {
    makePrivateFile(part);
    copyFileSync(path, part);
    if (!bringUpToDate(part, wishes)) return false;
    renameSync(part, path);
    return true;
  } finally {
    removeDatabase(part);
  }
}

/**
 * Makes a copy of the database forget whom and what it does not know to be forgotten yet; leaves no byte of it, and one
 * file. False where there was nothing to do.
 */
export function bringUpToDate(file: string, wishes: Wishes): boolean {
  const { tombstones, hash } = wishes;
  const db = openDatabase(file);
  try {
    const store = tombstoneStore(db);
    const unknown = store.unknown(tombstones);
    const latestMs = latestOf(tombstones);
    if (unknown.size > 0) forgetStore(db, hash, () => latestMs).forgetHashed(unknown);
    if (dropUnwanted(db, wishes, latestMs) + unknown.size === 0) return false;
    store.absorb(tombstones, hash);
  } finally {
    db.close();
  }
  const end = vacuumFile(file);
  if (end.kind !== "done") throw new Error("the database could not be cleaned");
  toSingleFile(file);
  return true;
}

function latestOf({ forgets, suppressions }: Tombstones): number {
  return [...forgets, ...suppressions].reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
}

function rewriteExport(path: string, wishes: Wishes): boolean {
  const parsed = parseExport(readText(path), Number.MAX_SAFE_INTEGER);
  if (!parsed.ok) throw new Error("the file is not as it was made");
  const left = withoutUnwanted(parsed.content, wishes);
  if (left === parsed.content) return false;
  writePrivately(path, sealExport(left));
  return true;
}

export interface MadeFileParts {
  /** Of the data folder. */
  readonly db: Db;
  readonly databaseFile: string;
  readonly hash: KeyedHash;
  readonly now: () => number;
}

/** Makes a backup at `path`, where nothing may be yet, without a line of chat in it. Throws a Fault where it cannot. */
export function makeBackup(path: string, parts: MadeFileParts): void {
  refuseExisting(path);
  try {
    copyBackup(parts.databaseFile, path);
  } catch (cause) {
    throw new Fault(`${path}: the backup could not be made (${messageOf(cause)})`, {
      code: "database",
      mend: "look whether the disk is full and the folder writable, or name another file",
      cause,
    });
  }
  enlist({ path, kind: "backup" }, parts);
}

/**
 * A forget reaches the file from now on, and one that came while it was written reaches it, too. Throws a Fault where the
 * database does not take it down; then the file is gone.
 */
export function enlist(file: MadeFile, parts: MadeFileParts): void {
  try {
    madeFilesStore(parts.db, parts.now).add(file);
  } catch (cause) {
    rmSync(file.path, { force: true });
    throw asDatabaseFault(parts.databaseFile, cause);
  }
  rewriteFiles([file], parts);
}

/** Throws a Fault where there is something already: it may be the only copy of it. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new Fault(
    `${path}: there is a ${statSync(path).isDirectory() ? "folder" : "file"} already`,
    {
      code: "usage",
      mend: "name another one, or remove it first",
    },
  );
}

interface ViewerExport {
  /** Keyed hashes of the accounts: by them a later forget knows the file. */
  readonly whos: readonly string[];
  readonly exportedAtMs: number;
  readonly record: ViewerRecord;
}

const headSchema = z.object({ whos: z.array(z.string()), exportedAtMs: z.number() });

/** The file for one person: all that is kept about them, without a line of chat. */
export function sealViewerExport(made: ViewerExport): string {
  return `${JSON.stringify(made, null, 2)}\n`;
}

/**
 * Whether the person whom a file is about had themselves, or anything about them, forgotten since it was made: then there
 * can be a new one. Throws for a file that is none of these.
 */
function isOutOfDate(text: string, { forgets, suppressions }: Tombstones): boolean {
  const { whos, exportedAtMs } = headSchema.parse(JSON.parse(text));
  return [...forgets, ...suppressions].some(
    ({ who, atMs }) => whos.includes(who) && atMs >= exportedAtMs,
  );
}
