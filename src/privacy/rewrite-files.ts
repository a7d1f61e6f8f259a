import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { parseExport, sealExport } from "../memory/export-format.ts";
import { writePrivately } from "../platform/config/write-privately.ts";
import { checkBackup } from "../platform/database/check-backup.ts";
import { makePrivateFile, openDatabase } from "../platform/database/open-database.ts";
import { toSingleFile } from "../platform/database/single-file.ts";
import { vacuumFile } from "../platform/database/vacuum-file.ts";
import { forgetStore } from "./forget-store.ts";
import type { MadeFile } from "./made-files-store.ts";
import { type Tombstones, tombstoneStore } from "./tombstone-store.ts";
import { isOutOfDate } from "./viewer-export.ts";
import { dropUnwanted, type Wishes } from "./wishes-store.ts";
import { withoutUnwanted } from "./without-unwanted.ts";

export interface Rewritten {
  readonly rewritten: readonly string[];
  /** Are not there any more. */
  readonly gone: readonly string[];
  /** Could not be rewritten: not writable, or changed by somebody. */
  readonly failed: readonly string[];
}

/**
 * Brings files that the program made in line with what people asked to have forgotten since. Each is replaced whole, or stays as it
 * was. Blocks: for a process of its own. Never throws for a file.
 */
export function rewriteFiles(files: readonly MadeFile[], wishes: Wishes): Rewritten {
  const rewritten: string[] = [];
  const gone: string[] = [];
  const failed: string[] = [];
  for (const file of files) {
    try {
      const isChanged = rewriteFile(file, wishes);
      if (!existsSync(file.path)) gone.push(file.path);
      else if (isChanged) rewritten.push(file.path);
    } catch {
      failed.push(file.path);
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
      if (isOutOfDate(readFileSync(path, "utf8"), wishes.tombstones)) rmSync(path);
      return false;
  }
}

function rewriteBackup(path: string, wishes: Wishes): boolean {
  const part = `${path}.part`;
  checkBackup(path);
  rmSync(part, { force: true });
  try {
    makePrivateFile(part);
    copyFileSync(path, part);
    if (!bringUpToDate(part, wishes)) return false;
    renameSync(part, path);
    return true;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${part}${end}`, { force: true });
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
  const parsed = parseExport(readFileSync(path, "utf8"), Number.MAX_SAFE_INTEGER);
  if (!parsed.ok) throw new Error("the file is not as it was made");
  const left = withoutUnwanted(parsed.content, wishes);
  if (left === parsed.content) return false;
  writePrivately(path, sealExport(left));
  return true;
}
