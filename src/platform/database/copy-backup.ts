import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { SCHEMA_VERSION } from "./migrations.ts";
import { type Db, makePrivateFile, SCHEMA_FILE } from "./open-database.ts";

/** Raw chat, what a process says about itself, and what is kept for some days only. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "events",
  "removed_support",
  "note_candidates",
  "runtime",
  "notices",
  "made_files",
]);
/** Texts that live for a day: nobody could take them out of a backup when they run out. */
const BLANKED: ReadonlySet<string> = new Set(["replies.text", "action_log.args_json"]);
/** An episode without its events that nobody summarised says nothing. */
const KEPT: Readonly<Record<string, string>> = {
  episodes: "stage <> 'claimed'",
  episode_participants: "episode_id IN (SELECT id FROM live.episodes WHERE stage <> 'claimed')",
};

/**
 * Writes a copy of a database to `target`, whole or not at all. What lives for a day is never written to it. Reads from
 * one snapshot, beside whoever else writes; blocks its own process. Throws what SQLite or the file system throws.
 */
export function copyBackup(databaseFile: string, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
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
  const db = new Database(part, { timeout: 5_000 });
  try {
    db.pragma("journal_mode = OFF");
    db.pragma("temp_store = MEMORY");
    db.exec(readFileSync(SCHEMA_FILE, "utf8"));
    const triggers = named(db, "SELECT name FROM sqlite_master WHERE type = 'trigger'");
    const sql = named(db, "SELECT sql FROM sqlite_master WHERE type = 'trigger'");
    for (const trigger of triggers) db.exec(`DROP TRIGGER ${trigger}`);
    db.prepare("ATTACH ? AS live").run(databaseFile);
    db.transaction(() => copyTables(db))();
    db.exec("DETACH live");
    for (const statement of sql) db.exec(statement);
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
