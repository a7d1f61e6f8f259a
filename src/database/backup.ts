import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { Fault, getMessage } from "../errors.ts";
import { EARLIER_VERSION, SCHEMA_VERSION } from "./migrations.ts";
import {
  copyWithoutChat,
  type Db,
  getSchemaVersion,
  openDatabase,
  SCHEMA_FILE,
} from "./open-database.ts";
import { Database } from "./sqlite.ts";

/**
 * Writes a backup to `target`, and checks it. `copyWithoutChat` says what it leaves out. Throws a Fault if `target`
 * exists, or if the backup fails; then it leaves no file.
 */
export function makeBackup(target: string, databaseFile: string): void {
  refuseExisting(target);
  try {
    copyWithoutChat(databaseFile, target);
    checkBackup(target);
  } catch (cause) {
    rmSync(target, { force: true });
    throw new Fault(`${target}: the backup could not be made (${getMessage(cause)})`, {
      code: "database",
      fix: "check that the disk has room and the folder is writable, or name another file",
      cause,
    });
  }
}

/** Throws a Fault if a file or folder is at `path`. It may be the only backup, so it is never overwritten. */
export function refuseExisting(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  throw new Fault(`${path}: there is a ${found.isDirectory() ? "folder" : "file"} already`, {
    code: "usage",
    fix: "name another one, or remove it first",
  });
}

/** Migrates a database in place, and moves its write-ahead log into it, so that the file can be copied alone. */
export function toSingleFile(file: string): void {
  const db = openDatabase(file);
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/**
 * Throws a Fault unless a file is an undamaged database with the exact schema of this release or the one before.
 * Refuses one whose write-ahead log or journal holds data. Writes nothing, and runs no trigger of the file.
 */
export function checkBackup(file: string): void {
  if (!existsSync(file)) throw makeUnfitFault(file, "there is no such file");
  for (const end of ["-wal", "-journal"]) {
    if ((statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
      throw makeUnfitFault(
        file,
        `part of it is still in ${file}${end}, as if a program had it open`,
      );
    }
  }
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma("trusted_schema = OFF");
    db.pragma("cell_size_check = ON");
    const why = findUnfitReason(db);
    if (why !== null) throw makeUnfitFault(file, why);
  } catch (cause) {
    throw cause instanceof Fault ? cause : makeUnfitFault(file, getMessage(cause));
  } finally {
    db?.close();
  }
}

/** Finds a row if merged accounts form a circle: a chain of 50 is one. */
const ALIASES_IN_A_RING = `
WITH RECURSIVE up (user_id, depth) AS (
  SELECT same_as, 1 FROM identity_aliases
  UNION
  SELECT alias.same_as, depth + 1 FROM up JOIN identity_aliases alias ON alias.user_id = up.user_id WHERE depth < 50
) SELECT 1 FROM up WHERE depth = 50 LIMIT 1`;

function findUnfitReason(db: Db): string | null {
  const version = getSchemaVersion(db);
  if (version !== EARLIER_VERSION && version !== SCHEMA_VERSION)
    return `it has version ${version}, this program reads versions ${EARLIER_VERSION} and ${SCHEMA_VERSION}`;
  if (hashSchema(db) !== getSchemaHash(version))
    return "its tables, views or triggers are not this program's";
  const integrity = db.pragma("integrity_check(1)", { simple: true });
  if (integrity !== "ok") return "it is damaged";
  const orphans = db.prepare("SELECT 1 FROM pragma_foreign_key_check LIMIT 1").get();
  if (orphans !== undefined) return "it is damaged: rows refer to missing rows";
  return db.prepare(ALIASES_IN_A_RING).get() === undefined
    ? null
    : "it is damaged: merged accounts form a circle";
}

function makeUnfitFault(file: string, why: string): Fault {
  return new Fault(`${file}: cannot be used (${why})`, {
    code: "database",
    fix: "name a file that `forgetmenot backup` made; nothing was changed",
  });
}

const EARLIER_SCHEMA_HASH = "00e804dcd2b8d37c47809d97af9ab591ba41a372dc543dd85be8c88af1f24f9a";

/** Splits SQL into quoted strings and names, comments, spaces, and all else. */
const PIECE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\s+|[^'"\s-]+|-/g;

/** Returns the hash of the schema that a database of this release or the one before must have. */
export function getSchemaHash(version: typeof EARLIER_VERSION | typeof SCHEMA_VERSION): string {
  if (version === EARLIER_VERSION) return EARLIER_SCHEMA_HASH;
  const db = new Database(":memory:");
  try {
    db.exec(readFileSync(SCHEMA_FILE, "utf8"));
    return hashSchema(db);
  } finally {
    db.close();
  }
}

/** Returns a hash of all tables, indexes, views and triggers, without spacing and comments. */
export function hashSchema(db: Db): string {
  const parts = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      "SELECT type, name, sql FROM sqlite_master",
    )
    .all()
    .map(({ type, name, sql }) => {
      const pieces = (sql?.match(PIECE) ?? []).filter((piece) => !/^(--|\s)/.test(piece));
      // Inside quotes, spaces and punctuation are content.
      const words = pieces.flatMap((piece) =>
        /^['"]/.test(piece) ? [piece] : (piece.match(/[\w.]+|[^\w.]/g) ?? []),
      );
      return `${type} ${name} ${words.join(" ")}`;
    })
    .sort();
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}
