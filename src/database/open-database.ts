import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { makeFolder } from "../config/private-file.ts";
import { Fault, getMessage, writeOrFault } from "../errors.ts";
import { backupPath, makeUnusableFault, toDatabaseFault } from "./database-fault.ts";
import { EARLIER_VERSION, MIGRATION, SCHEMA_VERSION } from "./migrations.ts";
import { Database } from "./sqlite.ts";
import { prepareLate } from "./statements.ts";

export type Db = Sqlite.Database;

export interface OpenOptions {
  /** Reads only: creates and migrates nothing. */
  readonly readOnly?: boolean;
  /** Limit for a statement that waits for another process's write, ms. It blocks the event loop. */
  readonly busyTimeoutMs?: number;
}

/** Name inside the data folder. */
const DATABASE_NAME = "forgetmenot.db";
export const SCHEMA_FILE = new URL("../../schema.sql", import.meta.url);
/** Holds the pages that every lookup among a million notes passes. SQLite's 16 MB would not be faster. */
const CACHE_KIB = 4_000;
/** A commit writes whole pages: SQLite's default of 4 KB would write three times as much. A file keeps its own. */
const PAGE_BYTES = 1_024;
const UNWRITABLE = {
  code: "folder",
  fix: "make the folder writable for this user, or set dataDir to another one",
} as const;
/** The log is copied into the file at 4 MB: each copy waits for the disk. */
const WAL_PAGES_MAX = 4_000;

/**
 * Opens the database at `file` (or ":memory:"), creates it from schema.sql, or migrates one of the previous release.
 * Throws a Fault for a folder without write access, or a file that `refuseUnfit` refuses. Such a file stays unchanged.
 * Read-only, it also refuses a missing file.
 */
export function openDatabase(file: string, options: OpenOptions = {}): Db {
  const readOnly = options.readOnly ?? false;
  const isNew = file === ":memory:" || !existsSync(file);
  if (isNew && readOnly) {
    throw new Fault(`database: no file at ${file}`, {
      code: "database",
      fix: "start the bot once, or name the right configuration with --config",
    });
  }
  if (!isNew) refuseUnfit(file, readOnly);
  if (file !== ":memory:" && !readOnly) makePrivateFile(file);
  const db = new Database(file, { readonly: readOnly, timeout: options.busyTimeoutMs ?? 5_000 });
  try {
    if (!readOnly) {
      db.pragma(`page_size = ${PAGE_BYTES}`);
      db.pragma("journal_mode = WAL");
      db.pragma(`wal_autocheckpoint = ${WAL_PAGES_MAX}`);
      db.pragma("synchronous = NORMAL");
      db.pragma("secure_delete = ON");
    }
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    // A file that is truncated or unplugged ends a process that maps it.
    db.pragma("mmap_size = 0");
    if (!readOnly && getSchemaVersion(db) !== SCHEMA_VERSION) migrate(db, file);
    prepareLate(db);
    return db;
  } catch (cause) {
    db.close();
    throw cause instanceof Fault ? cause : makeUnusableFault(file, cause);
  }
}

/** Makes a folder if it is missing, and lets only its owner enter. Throws a Fault if that fails. */
export function makePrivateFolder(folder: string): void {
  writeOrFault(`dataDir: ${folder}`, UNWRITABLE, () => {
    makeFolder(folder);
    chmodSync(folder, 0o700);
  });
}

/** Tables that no other program's database has. */
const OWN_TABLES = ["note_candidates", "note_evidence"];

/**
 * Throws a Fault for a file that SQLite cannot read, that is another program's, or whose version this program cannot
 * use. With `readOnly` it also refuses an empty file and the version before: both need a write. Writes nothing.
 */
export function refuseUnfit(file: string, readOnly: boolean): void {
  const refuse = (problem: string, fix: string): never => {
    throw new Fault(`database: ${file} ${problem}`, { code: "database", fix });
  };
  let db: Db | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    const tables = readFirstColumn(db, "SELECT name FROM sqlite_master WHERE type = 'table'");
    const version = getSchemaVersion(db);
    const has = `has version ${version}, this program`;
    const elsewhere = "point dataDir at another folder";
    if (tables.length > 0 && !OWN_TABLES.every((name) => tables.includes(name)))
      refuse("belongs to another program", `${elsewhere}; the file was not touched`);
    if (version > SCHEMA_VERSION)
      refuse(`${has} knows up to ${SCHEMA_VERSION}`, `update ForgetMeNot, or ${elsewhere}`);
    if (tables.length > 0 && version < EARLIER_VERSION) {
      const fix = `start it once with the release before this one, or ${elsewhere}`;
      refuse(`${has} reads versions ${EARLIER_VERSION} and ${SCHEMA_VERSION}`, fix);
    }
    if (readOnly && version < SCHEMA_VERSION) {
      const fix = "start the bot once: it brings the database up to date";
      refuse(`${has} reads version ${SCHEMA_VERSION}`, fix);
    }
  } catch (cause) {
    throw cause instanceof Fault ? cause : makeUnusableFault(file, cause);
  } finally {
    db?.close();
  }
}

/**
 * Makes `file` and its folder if they are missing, and lets only their owner use them. Throws a Fault if that fails.
 */
export function makePrivateFile(file: string): void {
  const folder = dirname(file);
  makePrivateFolder(folder);
  writeOrFault(`dataDir: ${folder}`, UNWRITABLE, () => {
    // Closing a file drops every POSIX lock of this process on it, SQLite's too: one that exists is not opened here.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
  });
}

/** Removes a database with SQLite's side files. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true });
  removeSideFiles(file);
}

/** Removes SQLite's side files. Call it only without a database of that name: a new one would use them. */
export function removeSideFiles(file: string): void {
  for (const end of ["-wal", "-shm", "-journal"]) rmSync(`${file}${end}`, { force: true });
}

export function getSchemaVersion(db: Db): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/**
 * Creates the schema, or migrates it to this release. First backs up an existing one with the daemon's file name, into
 * `backups`. Throws a Fault, without changes, if the backup fails.
 */
function migrate(db: Db, file: string): void {
  if (getSchemaVersion(db) !== 0 && basename(file) === DATABASE_NAME) {
    const folder = dirname(file);
    try {
      copyWithoutChat(file, backupPath(folder, `before-v${SCHEMA_VERSION}`, Date.now()));
    } catch (cause) {
      const why = `a backup before it could not be made (${getMessage(cause)})`;
      throw new Fault(`database: ${file} was not updated, since ${why}`, {
        code: "database",
        fix: `free some space on the disk of ${folder}, and start again`,
        cause,
      });
    }
  }
  db.transaction(() => {
    const version = getSchemaVersion(db);
    if (version === 0) db.exec(readFileSync(SCHEMA_FILE, "utf8"));
    if (version === EARLIER_VERSION) db.exec(MIGRATION);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).exclusive();
}

/** Tables that are empty in a copy: raw chat, process state, and data with a lifetime of days. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "events",
  "removed_support",
  "note_candidates",
  "runtime",
  "notices",
]);
/** Columns that are NULL in a copy: texts with a lifetime of a day. */
const BLANKED: ReadonlySet<string> = new Set(["replies.text", "action_log.args_json"]);
/** Conditions for rows that are copied. An unsummarised episode is empty without its events. */
const COPIED_ROWS: Readonly<Record<string, string>> = {
  episodes: "stage <> 'claimed'",
  episode_participants: "episode_id IN (SELECT id FROM live.episodes WHERE stage <> 'claimed')",
};

/** Selects the tables, indexes and triggers that are not SQLite's own. */
const OWN = "WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";

/**
 * Writes a copy of a database to `target`, whole or not at all, and replaces a file there. Leaves out raw chat,
 * notices, process state, and data that lives for days. Throws errors of SQLite and the file system.
 */
export function copyWithoutChat(databaseFile: string, target: string): void {
  const part = `${target}.part`;
  removeDatabase(part);
  makePrivateFile(part);
  try {
    fillCopy(part, databaseFile);
    const handle = openSync(part, "r+");
    fsyncSync(handle);
    closeSync(handle);
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}

function fillCopy(part: string, databaseFile: string): void {
  const db = new Database(part, { timeout: 5_000 });
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma("journal_mode = OFF");
    // The whole file is synced before it gets its name.
    db.pragma("synchronous = OFF");
    db.pragma("temp_store = MEMORY");
    db.pragma("foreign_keys = OFF");
    db.prepare("ATTACH ? AS live").run(databaseFile);
    const version = Number(db.pragma("live.user_version", { simple: true }));
    db.transaction(() => {
      const statements = readFirstColumn(
        db,
        `SELECT sql FROM live.sqlite_master ${OWN} ORDER BY type <> 'table'`,
      );
      // A migrated database has the same tables as a fresh one, worded differently.
      if (version === SCHEMA_VERSION) db.exec(readFileSync(SCHEMA_FILE, "utf8"));
      else for (const sql of statements) db.exec(sql);
      const triggers = db
        .prepare<[], { name: string; sql: string }>(
          "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'",
        )
        .all();
      for (const { name } of triggers) db.exec(`DROP TRIGGER main.${name}`);
      const tables = readFirstColumn(
        db,
        `SELECT name FROM main.sqlite_master ${OWN} AND type = 'table'`,
      );
      for (const table of tables) {
        if (LEFT_OUT.has(table)) continue;
        const columns = readFirstColumn(
          db,
          `SELECT '"' || name || '"' FROM pragma_table_info('${table}')`,
        );
        const values = columns.map((column) =>
          BLANKED.has(`${table}.${column.replaceAll('"', "")}`) ? "NULL" : column,
        );
        const where = COPIED_ROWS[table] ?? "1";
        db.exec(
          `INSERT INTO main.${table} (${columns.join(", ")})
           SELECT ${values.join(", ")} FROM live.${table} WHERE ${where}`,
        );
      }
      // Ids are never reused, also those of rows that were left out.
      db.exec("DELETE FROM main.sqlite_sequence");
      db.exec(
        "INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM live.sqlite_sequence",
      );
      for (const { sql } of triggers) db.exec(sql);
    })();
    db.exec("DETACH live");
    db.pragma(`user_version = ${version}`);
  } finally {
    db.close();
  }
}

function readFirstColumn(db: Db, sql: string): string[] {
  return db.prepare<[], string>(sql).pluck().all();
}

/** Rewrites the database without deleted bytes. Returns false if the log, read by another connection, may hold some. */
export function runVacuum(db: Db): boolean {
  db.exec("VACUUM");
  return truncateWal(db);
}

/**
 * Truncates the write-ahead log, so that deleted text is removed from it too. Returns false, without waiting, if
 * another connection reads from it.
 */
export function truncateWal(db: Db): boolean {
  const busyTimeoutMs = Number(db.pragma("busy_timeout", { simple: true }));
  db.pragma("busy_timeout = 0");
  try {
    // The first column is 1 if a reader blocked the checkpoint.
    return db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

/**
 * Runs `read` on the database at `file`, and returns its result. Writes and migrates nothing. Throws a Fault for a
 * missing file, for one that `refuseUnfit` refuses, and for SQLite's errors, also those of `read`.
 */
export function readUnmigrated<T>(file: string, read: (db: Db) => T): T {
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
    return read(db);
  } catch (cause) {
    throw toDatabaseFault(file, cause);
  } finally {
    db?.close();
  }
}

/** Returns the bytes of a database and its write-ahead log; 0 if both are missing. */
export function getBytesOnDisk(file: string): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(file) + sizeOf(`${file}-wal`);
}

/** Returns false if a page is damaged. Does not compare indexes with their tables. Blocks two seconds a gigabyte. */
export function isWhole(db: Db): boolean {
  return db.pragma("quick_check(1)", { simple: true }) === "ok";
}

/** Returns the first line of the error if SQLite cannot be used at all; null if it can. */
export function findSqliteFailure(): string | null {
  try {
    new Database(":memory:").close();
    return null;
  } catch (thrown) {
    return getMessage(thrown).split("\n")[0] ?? "";
  }
}

/**
 * Returns a function that undoes a later start. It removes the data folder, or else the database, if that does not
 * exist now.
 */
export function makeStartUndo(dataDir: string, databaseFile: string): () => void {
  if (!existsSync(dataDir)) return () => rmSync(dataDir, { recursive: true, force: true });
  if (existsSync(databaseFile)) return () => undefined;
  return () => removeDatabase(databaseFile);
}
