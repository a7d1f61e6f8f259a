import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { checkBackup } from "../database/check-backup.ts";
import { SCHEMA_VERSION } from "../database/migrations.ts";
import {
  type Db,
  emptyDatabase,
  makePrivateFile,
  openDatabase,
  removeDatabase,
  SCHEMA_FILE,
  vacuum,
} from "../database/open-database.ts";
import { Fault, messageOf } from "../errors.ts";

/** Raw chat, what a process says about itself, and what is kept for some days only. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "events",
  "removed_support",
  "note_candidates",
  "runtime",
  "notices",
]);
/** Texts that live for a day: nobody could take them out of a backup when they run out. */
const BLANKED: ReadonlySet<string> = new Set(["replies.text", "action_log.args_json"]);
/** An episode without its events that nobody summarised says nothing. */
const KEPT: Readonly<Record<string, string>> = {
  episodes: "stage <> 'claimed'",
  episode_participants: "episode_id IN (SELECT id FROM live.episodes WHERE stage <> 'claimed')",
};

/** Makes a backup without chat at a path that is free, and checks it. Throws a Fault if it cannot. */
export function makeBackup(path: string, databaseFile: string): void {
  refuseExisting(path);
  try {
    copyBackup(databaseFile, path);
    checkBackup(path);
  } catch (cause) {
    rmSync(path, { force: true });
    throw new Fault(`${path}: the backup could not be made (${messageOf(cause)})`, {
      code: "database",
      mend: "check that the disk has room and the folder is writable, or name another file",
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
    mend: "name another one, or remove it first",
  });
}

/**
 * Writes a copy of a database to `target`, whole or not at all. What lives for a day is never written to it. Reads from
 * one snapshot, beside whoever else writes; blocks its own process. Throws what SQLite or the file system throws.
 */
function copyBackup(databaseFile: string, target: string): void {
  const part = `${target}.part`;
  removeDatabase(part);
  makePrivateFile(part);
  try {
    fill(part, databaseFile);
    syncToDisk(part);
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}

function fill(part: string, databaseFile: string): void {
  const db = emptyDatabase(part);
  try {
    db.pragma("journal_mode = OFF");
    // The whole file is synced before it gets its name.
    db.pragma("synchronous = OFF");
    db.pragma("temp_store = MEMORY");
    db.prepare("ATTACH ? AS live").run(databaseFile);
    db.transaction(() => {
      db.exec(readFileSync(SCHEMA_FILE, "utf8"));
      const triggers = named(db, "SELECT name FROM main.sqlite_master WHERE type = 'trigger'");
      const sql = named(db, "SELECT sql FROM main.sqlite_master WHERE type = 'trigger'");
      for (const trigger of triggers) db.exec(`DROP TRIGGER main.${trigger}`);
      copyTables(db);
      for (const statement of sql) db.exec(statement);
    })();
    db.exec("DETACH live");
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  } finally {
    db.close();
  }
}

function copyTables(db: Db): void {
  const tables = named(
    db,
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const table of tables) {
    if (LEFT_OUT.has(table)) continue;
    const columns = named(db, `SELECT '"' || name || '"' FROM pragma_table_info('${table}')`);
    const values = columns.map((column) =>
      BLANKED.has(`${table}.${column.replaceAll('"', "")}`) ? "NULL" : column,
    );
    const where = KEPT[table] ?? "1";
    db.exec(
      `INSERT INTO main.${table} (${columns.join(", ")})
       SELECT ${values.join(", ")} FROM live.${table} WHERE ${where}`,
    );
  }
  // Ids are never used twice, also those of what was left out.
  db.exec("DELETE FROM main.sqlite_sequence");
  db.exec(
    "INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM live.sqlite_sequence",
  );
}

function named(db: Db, sql: string): string[] {
  return db.prepare<[], string>(sql).pluck().all();
}

function syncToDisk(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes a database one file, that can be copied and moved: it has no write-ahead log beside it from then on. */
export function toSingleFile(file: string): void {
  const db = openDatabase(file);
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/** Every text that lives for a day, and the episodes that say nothing without it. */
const STRIP = `
DELETE FROM events;
UPDATE replies SET text = NULL WHERE text IS NOT NULL;
UPDATE action_log SET args_json = NULL WHERE args_json IS NOT NULL;
DELETE FROM episodes WHERE stage = 'claimed';
DELETE FROM note_candidates;
DELETE FROM runtime;
DELETE FROM notices;
`;

/**
 * Brings a database up to date and takes all of chat out of it, to the last byte: a copy that somebody made of a data
 * folder may hold lines that are older than a day by now, or that a moderator removed since.
 */
export function stripChat(file: string): void {
  const db = openDatabase(file);
  try {
    db.transaction(() => db.exec(STRIP))();
    vacuum(db);
  } finally {
    db.close();
  }
}
