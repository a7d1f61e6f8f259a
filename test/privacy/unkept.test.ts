import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault } from "../../src/errors.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { enlist, makeBackup } from "../../src/privacy/made-files-store.ts";
import { restoreBackup } from "../../src/privacy/restore.ts";
import { NOW_MS, type Remembered, remembered } from "./remembered.ts";

const now = () => NOW_MS + 60_000;

/** Whether a database knows Lana, of whom no backup of before does. */
function knowsLana(file: string): boolean {
  const db = openDatabase(file, { readOnly: true });
  try {
    return db.prepare("SELECT 1 FROM viewers WHERE login = 'lana'").get() !== undefined;
  } finally {
    db.close();
  }
}

function heldByAnother({ file }: Remembered): () => void {
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  return () => void other.close();
}

function withoutFolder({ dataDir }: Remembered): () => void {
  const folder = join(dataDir, "backups");
  writeFileSync(folder, "");
  return () => rmSync(folder);
}

test("a backup or an export that the database does not take down is none: no forget would reach it", () => {
  const house = remembered();
  const { db, file, dataDir, hash } = house;
  db.pragma("busy_timeout = 0");
  const letGo = heldByAnother(house);
  const parts = { db, databaseFile: file, hash, now };
  const backup = join(dataDir, "backups", "one.db");
  expect(() => makeBackup(backup, parts)).toThrow(Fault);
  const path = join(dataDir, "one.json");
  writeFileSync(path, "{}");
  expect(() => enlist({ path, kind: "export" }, parts)).toThrow(Fault);
  expect([backup, path].filter(existsSync)).toEqual([]);
  letGo();
});

test.each([
  ["another program writes to it", heldByAnother],
  ["no backup of it can be made", withoutFolder],
] as const)(
  "what the database knows is not given up for a restore where %s: that is refused, and nothing changed",
  (_, hinder) => {
    const house = remembered();
    const { dataDir, file, hash, db } = house;
    const copy = join(dataDir, "..", "copy.db");
    makeBackup(copy, { db, databaseFile: file, hash, now });
    db.exec(
      "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES ('9', 'lana', 'Lana', 1, 1)",
    );
    db.close();
    const letGo = hinder(house);
    const restore = () => restoreBackup(copy, { dataDir, databaseFile: file, hash, now });
    expect(restore).toThrow(Fault);
    letGo();
    expect(knowsLana(file)).toBe(true);
    expect(restore()).toMatchObject({ wasUnreadable: false });
    expect(knowsLana(file)).toBe(false);
    const kept = readdirSync(join(dataDir, "backups"));
    expect(kept.map((name) => knowsLana(join(dataDir, "backups", name)))).toEqual([true]);
  },
  20_000,
);
