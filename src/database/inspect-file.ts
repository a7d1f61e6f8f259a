import { existsSync, rmSync, statSync } from "node:fs";
import { getMessage } from "../errors.ts";
import { toDatabaseFault } from "./database-fault.ts";
import { type Db, getSchemaVersion, refuseUnfit, removeDatabase } from "./open-database.ts";
import { Database } from "./sqlite.ts";

/**
 * Runs `look` on the database at `file`, without writes or migration. Throws a Fault for a file that is another
 * program's, newer, or damaged where it is read.
 */
export function lookAt<T>(file: string, look: (db: Db) => T): T {
  // A read-only connection leaves new log files behind. A writable one removes them, but would also recover those of
  // a crashed process.
  const readonly = existsSync(`${file}-wal`) || existsSync(`${file}-journal`);
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly, fileMustExist: true });
    db.pragma("query_only = ON");
    db.pragma("trusted_schema = OFF");
    // Reads the file: the first connection that closes last removes those files.
    getSchemaVersion(db);
    refuseUnfit(file, false);
    return look(db);
  } catch (cause) {
    throw toDatabaseFault(file, cause);
  } finally {
    db?.close();
  }
}

/** Returns the size of a database and its write-ahead log. */
export function getBytesOnDisk(file: string): number {
  return ["", "-wal"].reduce(
    (sum, end) => sum + (statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/**
 * Returns false if a page is damaged. Does not compare indexes with their tables. Blocks: two seconds for a gigabyte.
 */
export function isWhole(db: Db): boolean {
  return db.pragma("quick_check(1)", { simple: true }) === "ok";
}

/** Returns why SQLite cannot be used at all, in its first words; null if it can. */
export function findSqliteFailure(): string | null {
  try {
    new Database(":memory:").close();
    return null;
  } catch (thrown) {
    return getMessage(thrown).split("\n")[0] ?? "";
  }
}

/**
 * Inspects a data folder before a start. Returns a function that removes what the start created, so that a refused
 * start leaves no trace.
 */
export function beforeStart(dataDir: string, databaseFile: string): () => void {
  if (!existsSync(dataDir)) return () => rmSync(dataDir, { recursive: true, force: true });
  if (existsSync(databaseFile)) return () => undefined;
  return () => removeDatabase(databaseFile);
}
