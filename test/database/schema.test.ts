import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getSchemaHash, hashSchema } from "../../src/database/backup.ts";
import { EARLIER_VERSION, SCHEMA_VERSION } from "../../src/database/migrations.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { Database } from "../../src/database/sqlite.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** schema.sql as the last release had it. */
const EARLIER_SCHEMA = "test/database/schema-v6.sql";
/** The hash of schema.sql at SCHEMA_VERSION. A change of the schema needs a migration, and a new hash here. */
const HASH = "47003916f5298dbf30291181ed32b55ffe2dcab63949009bc2a5c3b2f1bf7d86";

test("a fresh database is what schema.sql says, under the program's version", () => {
  const db = openDatabase(":memory:");
  expect(shape(db)).toEqual(shape(built("schema.sql")));
  expect(shape(db).length).toBeGreaterThan(40);
  expect(db.pragma("user_version", { simple: true })).toBe(SCHEMA_VERSION);
});

test("a backup of this and of the last release is known by its hash", () => {
  expect(getSchemaHash(SCHEMA_VERSION)).toBe(HASH);
  expect(getSchemaHash(EARLIER_VERSION)).toBe(hashSchema(built(EARLIER_SCHEMA)));
});

test("a database of the last release becomes what a fresh one is, and keeps its rows", () => {
  const db = migrated(
    "INSERT INTO channel_state (channel, title) VALUES ('some_channel', 'a title')",
  );
  expect(shape(db)).toEqual(shape(openDatabase(":memory:")));
  expect(db.pragma("user_version", { simple: true })).toBe(SCHEMA_VERSION);
  expect(db.prepare("SELECT title FROM channel_state").pluck().all()).toEqual(["a title"]);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(db.pragma("foreign_key_check")).toEqual([]);
});

test("the migration says since when notes are active, and when they stopped", () => {
  const note =
    "INSERT INTO semantic_notes (id, channel, scope, kind, fact, confidence, status, source_kind,";
  const db = migrated(`
    ${note} created_at, last_confirmed_at) VALUES (1, 'c', 'channel', 'event', 'new', 0.9, 'active', 'extracted', 50, 60);
    ${note} created_at, last_confirmed_at, superseded_by)
      VALUES (2, 'c', 'channel', 'event', 'old', 0.9, 'superseded', 'extracted', 10, 20, 1);
    ${note} created_at, last_confirmed_at, expires_at)
      VALUES (3, 'c', 'channel', 'event', 'over', 0.9, 'expired', 'extracted', 10, 20, 30);
    ${note} created_at, last_confirmed_at, status_before)
      VALUES (4, 'c', 'channel', 'event', 'never', 0.9, 'expired', 'extracted', 10, 20, 'shadow');`);
  const spans = db.prepare("SELECT active_from, ended_at FROM semantic_notes ORDER BY id");
  expect(spans.raw().all()).toEqual([
    [50, null],
    [10, 50],
    [10, 30],
    [null, null],
  ]);
});

test("the migration keeps what came of replies, but for kinds that are no longer gathered", () => {
  const db = migrated(`
    INSERT INTO replies (id, channel, user_id, "trigger", state, created_at)
      VALUES (1, 'c', '7', 'mention', 'sent', 1);
    INSERT INTO reply_outcomes VALUES (1, 'good', 5), (1, 'went_on', 6), (1, 'positive', 7), (1, 'none', 8),
      (1, 'negative', 9), (1, 'viewer_answered', 10);`);
  expect(db.prepare("SELECT kind, created_at FROM reply_outcomes").raw().all()).toEqual([
    ["good", 5],
    ["viewer_answered", 10],
  ]);
});

test("every foreign key has an index that leads with it: without one, deleting a parent reads the whole table", () => {
  const db = openDatabase(":memory:");
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  const keys = tables.flatMap((table) =>
    rows<{ from: string }>(db, `foreign_key_list(${table})`).map(({ from }) => ({ table, from })),
  );
  expect(keys.length).toBeGreaterThan(8);
  const bare = keys.filter(({ table, from }) => !leadingColumns(db, table).includes(from));
  expect(bare).toEqual([]);
});

test("no index holds a text: it would be a copy of it", () => {
  const db = openDatabase(":memory:");
  const indexed = rows<{ name: string }>(db, "table_list")
    .filter(({ name }) => !name.startsWith("sqlite_"))
    .flatMap(({ name: table }) =>
      columnsOfIndexes(db, table).map((column) => `${table}.${column}`),
    );
  expect(indexed.length).toBeGreaterThan(30);
  const texts = /\.(text|fact|statement|summary|recap|title|words|topics|args_json|message)$/;
  expect(indexed.filter((name) => texts.test(name))).toEqual([]);
});

test("ids of events, replies and notes are never used twice, also after everything was pruned", () => {
  const db = openDatabase(":memory:");
  const addEvent = () =>
    db
      .prepare(
        "INSERT INTO events (channel, kind, created_at, expires_at) VALUES ('c', 'message', 1, 2)",
      )
      .run().lastInsertRowid;
  const first = [addEvent(), addEvent(), addEvent()];
  db.exec("DELETE FROM events; VACUUM");
  expect(first).toEqual([1, 2, 3]);
  expect(addEvent()).toBe(4);
});

/** Returns a database of the last release that `rows` filled and this program opened. */
function migrated(rows: string): Db {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const old = new Database(file);
  old.exec(readFileSync(EARLIER_SCHEMA, "utf8"));
  old.pragma(`user_version = ${EARLIER_VERSION}`);
  old.exec(rows);
  old.close();
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  return db;
}

function built(schemaFile: string): Db {
  const db = new Database(":memory:");
  db.exec(readFileSync(schemaFile, "utf8"));
  return db;
}

/** What a database is made of, without comments, spacing, and the order in which it was made. */
function shape(db: Db): string[] {
  return db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'",
    )
    .all()
    .map(({ type, name, sql }) => `${type} ${name} ${normalised(sql ?? "")}`)
    .sort();
}

function normalised(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .trim();
}

function leadingColumns(db: Db, table: string): string[] {
  return rows<{ name: string }>(db, `index_list(${table})`).flatMap(({ name }) =>
    rows<{ name: string }>(db, `index_info(${name})`)
      .slice(0, 1)
      .map((column) => column.name),
  );
}

function columnsOfIndexes(db: Db, table: string): string[] {
  return rows<{ name: string; origin: string }>(db, `index_list(${table})`)
    .filter(({ origin }) => origin === "c")
    .flatMap(({ name }) =>
      rows<{ name: string }>(db, `index_info(${name})`).map((column) => column.name),
    );
}

function rows<Row>(db: Db, pragma: string): Row[] {
  return db.pragma(pragma) as Row[];
}
