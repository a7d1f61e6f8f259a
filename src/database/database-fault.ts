import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { REINSTALL } from "../config/environment.ts";
import { quotePath } from "../config/private-file.ts";
import { Fault, getMessage } from "../errors.ts";
import { Database } from "./sqlite.ts";

/** A cause that prevents reads or writes. All but `damaged` pass once the user fixes the cause. */
export type DatabaseTrouble = "busy" | "full" | "read_only" | "disk" | "damaged";

/** The folder in the data folder for backups that the user gave no name. */
export const BACKUP_FOLDER = "backups";

/** Classifies an SQLite error by its code; null for any error that does not concern the file. */
export function classifyTrouble(thrown: unknown): DatabaseTrouble | null {
  if (!(thrown instanceof Database.SqliteError)) return null;
  const { code } = thrown;
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return "busy";
  if (/^SQLITE_FULL/.test(code)) return "full";
  if (/^SQLITE_(READONLY|PERM|CANTOPEN|AUTH)/.test(code)) return "read_only";
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "damaged";
  return /^SQLITE_IOERR/.test(code) ? "disk" : null;
}

/** Returns the problem and its fix, one line each, without a full stop. `file` is the database. */
export function describeTrouble(
  trouble: DatabaseTrouble,
  file: string,
): { readonly what: string; readonly fix: string } {
  switch (trouble) {
    case "busy":
      return {
        what: "another program has the database open",
        fix: `close whatever has ${file} open, such as a database viewer or a virus scanner`,
      };
    case "full":
      return { what: "the disk is full", fix: `free some space on the disk of ${dirname(file)}` };
    case "read_only":
      return {
        what: "the database cannot be written",
        fix: `make ${dirname(file)} and what is in it writable for this user`,
      };
    case "disk":
      return {
        what: "the disk reported an error",
        fix: `check that the disk of ${dirname(file)} is plugged in, has room, and is whole`,
      };
    case "damaged":
      return { what: "the database is damaged", fix: describeRestore(file) };
  }
}

/** Returns the fix of a lost database: restore its newest backup. If none is found, the user names one. */
export function describeRestore(file: string): string {
  const newest = findNewestBackup(dirname(file));
  return newest === null
    ? "type `forgetmenot restore FILE` with a backup of yours; nothing was changed, so keep the folder as it is until then"
    : formatRestore(newest);
}

function formatRestore(backup: string): string {
  return `type \`forgetmenot restore ${quotePath(backup)}\``;
}

/** Returns an unused path in a data folder: `backups/forgetmenot-WHY-20260103-211500Z.db`. Makes no folder or file. */
export function backupPath(dataDir: string, why: string, nowMs: number): string {
  const name = join(dataDir, BACKUP_FOLDER, `forgetmenot-${why}-${formatTimeStamp(nowMs)}`);
  let path = `${name}.db`;
  // Another one may have been made within the same second.
  for (let n = 2; existsSync(path); n += 1) path = `${name}-${n}.db`;
  return path;
}

/** Formats epoch ms in UTC, such as `20260103-211500Z`. */
export function formatTimeStamp(nowMs: number): string {
  const iso = new Date(nowMs).toISOString().slice(0, 19);
  return `${iso.replaceAll(/[-:]/g, "").replace("T", "-")}Z`;
}

/** Returns the path of the newest `.db` file in `backups`, by the time in its name; null if none. */
function findNewestBackup(dataDir: string): string | null {
  const folder = join(dataDir, BACKUP_FOLDER);
  const stampOf = (name: string): string => /\d{8}-\d{6}Z/.exec(name)?.[0] ?? "";
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".db"));
    const newest = names.toSorted((a, b) => stampOf(a).localeCompare(stampOf(b))).at(-1);
    return newest === undefined ? null : join(folder, newest);
  } catch {
    return null; // There is no such folder, or this user cannot read it.
  }
}

/** Makes a Fault of any SQLite error; returns anything else unchanged. */
export function toDatabaseFault(file: string, thrown: unknown): unknown {
  return thrown instanceof Database.SqliteError ? makeUnusableFault(file, thrown) : thrown;
}

/**
 * Makes the Fault for an unusable database, with the fix for its cause. An SQLite error without a known cause counts as
 * damage. Any other error means that a part of the program is missing, such as SQLite's native part.
 */
export function makeUnusableFault(file: string, cause: unknown): Fault {
  if (!(cause instanceof Database.SqliteError)) {
    const details = { code: "database", fix: REINSTALL, cause } as const;
    return new Fault(`database: SQLite cannot be loaded (${getMessage(cause)})`, details);
  }
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const { what, fix } = isFolder
    ? {
        what: "a folder has its name",
        fix: `move that folder away, then put the database back, or ${describeRestore(file)}`,
      }
    : describeTrouble(classifyTrouble(cause) ?? "damaged", file);
  const why = getMessage(cause);
  return new Fault(`database: ${file} cannot be used (${what}: ${why})`, {
    code: "database",
    fix,
    cause,
  });
}

/** Throws a Fault if the database is missing or empty, but a backup exists. A start would begin without memory. */
export function refuseLostDatabase({
  dataDir,
  databaseFile,
}: {
  readonly dataDir: string;
  readonly databaseFile: string;
}): void {
  // A data folder that is a file, or inside one, has its own error.
  if (!existsSync(dataDir) || !statSync(dataDir).isDirectory()) return;
  const found = statSync(databaseFile, { throwIfNoEntry: false });
  const backup = (found?.size ?? 0) > 0 ? null : findNewestBackup(dataDir);
  if (backup === null) return;
  const state = found === undefined ? "is missing" : "is empty";
  throw new Fault(`database: ${databaseFile} ${state}, and ${backup} shows that there was one`, {
    code: "database",
    fix: `put it back, or ${formatRestore(backup)}; to begin with an empty memory, set dataDir to another folder`,
  });
}
