import { existsSync, rmSync, statSync } from "node:fs";
import { messageOf } from "../errors.ts";
import { toDatabaseFault } from "./database-fault.ts";
import { type Db, refuseUnfit, removeDatabase } from "./open-database.ts";
import { Database } from "./sqlite.ts";

/**
 * Runs `look` on the database at `file`, and leaves the folder as it was: nothing is migrated, nothing is written.
 * Throws a Fault for a file that is no database of this program, that is newer, or that is damaged where it is read.
 */
export function lookAt<T>(file: string, look: (db: Db) => T): T {
  // A connection that may only read leaves the files of the write-ahead log behind where there were none; one that may
  // write takes them away again, but would also take over what a crashed process left in them.
  const readonly = existsSync(`${file}-wal`) || existsSync(`${file}-journal`);
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly, fileMustExist: true });
    db.pragma("query_only = ON");
    db.pragma("trusted_schema = OFF");
    // Reads the file: whoever opens it first and closes it last takes those files away again.
    schemaVersionOf(db);
    refuseUnfit(file, false);
    return look(db);
  } catch (cause) {
    throw toDatabaseFault(file, cause);
  } finally {
    db?.close();
  }
}

/** Of a database and its write-ahead log. */
export function bytesOnDisk(file: string): number {
  return ["", "-wal"].reduce(
    (sum, end) => sum + (statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

export function schemaVersionOf(db: Db): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/** Reads every page: about two seconds for a gigabyte, and it blocks until then. False where one is damaged. */
export function isWhole(db: Db): boolean {
  return db.pragma("quick_check(1)", { simple: true }) === "ok";
}

/** Why SQLite cannot be used at all, in its first words; null where it can. */
export function sqliteFailure(): string | null {
  try {
    new Database(":memory:").close();
    return null;
  } catch (thrown) {
    return messageOf(thrown).split("\n")[0] ?? "";
  }
}

/**
 * Looks at a data folder before a start. The function that it gives takes away what the start made, where there was
 * nothing before: a start that was refused leaves no trace.
 */
export function beforeStart(dataDir: string, databaseFile: string): () => void {
  if (!existsSync(dataDir)) return () => rmSync(dataDir, { recursive: true, force: true });
  if (existsSync(databaseFile)) return () => undefined;
  return () => removeDatabase(databaseFile);
}
