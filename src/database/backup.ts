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

/** Makes a backup without chat at a path that is free, and checks it. Throws a Fault if it cannot. */
export function makeBackup(path: string, databaseFile: string): void {
  refuseExisting(path);
  try {
    copyWithoutChat(databaseFile, path);
    checkBackup(path);
  } catch (cause) {
    rmSync(path, { force: true });
    throw new Fault(`${path}: the backup could not be made (${getMessage(cause)})`, {
      code: "database",
      fix: "check that the disk has room and the folder is writable, or name another file",
      cause,
    });
  }
}

/** Throws a Fault if something is at this path already: it may be the only copy. */
export function refuseExisting(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  throw new Fault(`${path}: there is a ${found.isDirectory() ? "folder" : "file"} already`, {
    code: "usage",
    fix: "name another one, or remove it first",
  });
}

/** Makes a database a single file that can be copied and moved, without a write-ahead log. */
export function toSingleFile(file: string): void {
  const db = openDatabase(file);
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/**
 * Throws a Fault for a file that is not a whole database of this program. It may be another program's, newer, or damaged.
 * It may also have foreign triggers or views, which would run when the database is used. Writes nothing, and runs
 * nothing from the file.
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
    const problem = findProblem(db);
    if (problem !== null) throw makeUnfitFault(file, problem);
  } catch (cause) {
    throw cause instanceof Fault ? cause : makeUnfitFault(file, getMessage(cause));
  } finally {
    db?.close();
  }
}

const ALIASES_IN_A_RING = `
WITH RECURSIVE up (user_id, depth) AS (
  SELECT same_as, 1 FROM identity_aliases
  UNION
  SELECT alias.same_as, depth + 1 FROM up JOIN identity_aliases alias ON alias.user_id = up.user_id WHERE depth < 50
) SELECT 1 FROM up WHERE depth = 50 LIMIT 1`;

function findProblem(db: Db): string | null {
  const version = getSchemaVersion(db);
  if (version > SCHEMA_VERSION) {
    return `it has version ${version}, this program knows up to ${SCHEMA_VERSION}`;
  }
  if (version < EARLIER_VERSION) {
    return `it has version ${version}, this program reads versions ${EARLIER_VERSION} and ${SCHEMA_VERSION}`;
  }
  const expected = getExpectedPrint(version);
  if (expected === null || printSchema(db) !== expected) {
    return "its tables, views or triggers are not this program's";
  }
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

/** The print of the release before; the present one's is made from schema.sql. A test compares it with the record. */
const EARLIER_PRINT = "00e804dcd2b8d37c47809d97af9ab591ba41a372dc543dd85be8c88af1f24f9a";

/** A quoted string or name, a comment, or anything else. */
const PIECE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\s+|[^'"\s-]+|-/g;

/** Returns the schema fingerprint of a database version; null for an unknown version. */
export function getExpectedPrint(version: number): string | null {
  if (version === EARLIER_VERSION) return EARLIER_PRINT;
  if (version !== SCHEMA_VERSION) return null;
  const db = new Database(":memory:");
  try {
    db.exec(readFileSync(SCHEMA_FILE, "utf8"));
    return printSchema(db);
  } finally {
    db.close();
  }
}

/** Returns a fingerprint of all tables, indexes, views and triggers, without spacing and comments. */
export function printSchema(db: Db): string {
  const parts = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      "SELECT type, name, sql FROM sqlite_master",
    )
    .all()
    .map(({ type, name, sql }) => `${type} ${name} ${normaliseSql(sql ?? "")}`)
    .sort();
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Removes comments and evens out spacing, but not inside quotes: there they are content. */
function normaliseSql(sql: string): string {
  const pieces = (sql.match(PIECE) ?? []).filter((piece) => !/^(--|\s)/.test(piece));
  return pieces
    .flatMap((piece) => (/^['"]/.test(piece) ? [piece] : (piece.match(/[\w.]+|[^\w.]/g) ?? [])))
    .join(" ");
}
