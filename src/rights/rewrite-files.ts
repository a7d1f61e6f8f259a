import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { writePrivately } from "../config/write-privately.ts";
import { checkBackup } from "../db/check-backup.ts";
import { makePrivateFile, openDatabase } from "../db/open.ts";
import { toSingleFile } from "../db/single-file.ts";
import { vacuumFile } from "../db/vacuum-file.ts";
import { parseExport, sealExport } from "../memory/export-format.ts";
import type { KeyedHash } from "../text/keyed-hash.ts";
import { forgetStore } from "./forget-store.ts";
import type { MadeFile } from "./made-files-store.ts";
import { type Tombstones, tombstoneStore } from "./tombstone-store.ts";
import { isOfForgotten } from "./viewer-export.ts";
import { withoutPeople } from "./without-people.ts";

export interface Rewritten {
  readonly rewritten: readonly string[];
  /** Are not there any more. */
  readonly gone: readonly string[];
  /** Could not be rewritten: not writable, or changed by somebody. */
  readonly failed: readonly string[];
}

/**
 * Brings files that the program made in line with who asked to be forgotten since. Each is replaced whole, or stays as it
 * was. Blocks: for a process of its own. Never throws for a file.
 */
export function rewriteFiles(
  files: readonly MadeFile[],
  tombstones: Tombstones,
  hash: KeyedHash,
): Rewritten {
  const rewritten: string[] = [];
  const gone: string[] = [];
  const failed: string[] = [];
  for (const file of files) {
    try {
      const isChanged = rewriteFile(file, tombstones, hash);
      if (!existsSync(file.path)) gone.push(file.path);
      else if (isChanged) rewritten.push(file.path);
    } catch {
      failed.push(file.path);
    }
  }
  return { rewritten, gone, failed };
}

/** Whether it had to be. */
function rewriteFile({ path, kind }: MadeFile, tombstones: Tombstones, hash: KeyedHash): boolean {
  if (!existsSync(path)) return false;
  switch (kind) {
    case "backup":
      return rewriteBackup(path, tombstones, hash);
    case "export":
      return rewriteExport(path, tombstones, hash);
    case "viewer":
      if (isOfForgotten(readFileSync(path, "utf8"), tombstones)) rmSync(path);
      return false;
  }
}

function rewriteBackup(path: string, tombstones: Tombstones, hash: KeyedHash): boolean {
  const part = `${path}.part`;
  checkBackup(path);
  rmSync(part, { force: true });
  try {
    makePrivateFile(part);
    copyFileSync(path, part);
    if (!bringUpToDate(part, tombstones, hash)) return false;
    renameSync(part, path);
    return true;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${part}${end}`, { force: true });
  }
}

/**
 * Makes a database forget whom it does not know to be forgotten yet; leaves no byte of them, and one file. False where
 * there was nothing to do.
 */
export function bringUpToDate(file: string, tombstones: Tombstones, hash: KeyedHash): boolean {
  const db = openDatabase(file);
  try {
    const store = tombstoneStore(db);
    const unknown = store.unknown(tombstones);
    if (unknown.size === 0) return false;
    const latestMs = Math.max(...tombstones.forgets.map(({ atMs }) => atMs));
    forgetStore(db, hash, () => latestMs).forgetHashed(unknown);
    store.absorb(tombstones, hash);
  } finally {
    db.close();
  }
  const end = vacuumFile(file);
  if (end.kind !== "done") throw new Error("the database could not be cleaned");
  toSingleFile(file);
  return true;
}

function rewriteExport(path: string, tombstones: Tombstones, hash: KeyedHash): boolean {
  const parsed = parseExport(readFileSync(path, "utf8"), Number.MAX_SAFE_INTEGER);
  if (!parsed.ok) throw new Error("the file is not as it was made");
  const left = withoutPeople(parsed.content, tombstones, hash);
  if (left === parsed.content) return false;
  writePrivately(path, sealExport(left));
  return true;
}
