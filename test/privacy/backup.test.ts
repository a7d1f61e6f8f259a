import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { openLog } from "../../src/log.ts";
import { exportContent, parseExport, sealExport } from "../../src/memory/export-store.ts";
import { suppressionStore } from "../../src/memory/suppression-store.ts";
import { writePrivately } from "../../src/platform/config/private-file.ts";
import { checkBackup } from "../../src/platform/database/check-backup.ts";
import { noticeBoard } from "../../src/platform/database/notices-store.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { vacuumQueue } from "../../src/platform/database/vacuum-queue.ts";
import { cleanNow, startRewriting } from "../../src/privacy/file-keeper.ts";
import { keepJournal, readJournal } from "../../src/privacy/forget-journal.ts";
import {
  enlist,
  madeFilesStore,
  makeBackup,
  sealViewerExport,
} from "../../src/privacy/made-files-store.ts";
import { restoreBackup } from "../../src/privacy/restore.ts";
import { viewerRecords } from "../../src/privacy/viewer-record-store.ts";
import { tombstoneStore } from "../../src/privacy/wishes-store.ts";
import {
  ANSWER,
  CHAT_LINE,
  NOW_MS,
  type Remembered,
  ROSA,
  remembered,
  THAD,
} from "./remembered.ts";

const now = () => NOW_MS + 60_000;

function backedUp(): Remembered & { readonly path: string } {
  const house = remembered();
  const path = join(house.dataDir, "backups", "one.db");
  makeBackup(path, { db: house.db, databaseFile: house.file, hash: house.hash, now });
  return { ...house, path };
}

function clean(house: Remembered): boolean {
  const { db, dataDir, file, hash } = house;
  const notices = noticeBoard(db, now, openLog("silent"));
  return cleanNow({ db, dataDir, databaseFile: file, hash, notices, now });
}

function people(file: string): string[] {
  const db = openDatabase(file);
  const ids = db.prepare<[], string>("SELECT user_id FROM viewers ORDER BY 1").pluck().all();
  db.close();
  return ids;
}

test("a backup holds memory, and no line of chat, no answer and no held argument", () => {
  const { path, db } = backedUp();
  checkBackup(path);
  const bytes = readFileSync(path, "latin1");
  for (const text of [CHAT_LINE, ANSWER]) expect(bytes).not.toContain(text);
  const copy = new Database(path);
  const count = (table: string) => copy.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect(["events", "semantic_notes", "note_evidence", "replies", "viewers"].map(count)).toEqual([
    0, 2, 2, 1, 2,
  ]);
  const seq = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
  expect(copy.prepare(seq).pluck().get()).toBe(db.prepare(seq).pluck().get());
  copy.close();
  if (platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(madeFilesStore(db, now).list()).toEqual([{ path, kind: "backup" }]);
});

test("a backup never takes the place of a file, and one that fails leaves none", () => {
  const { path, db, file, hash } = backedUp();
  expect(() => makeBackup(path, { db, databaseFile: file, hash, now })).toThrow("a file already");
  const other = join(path, "..", "two.db");
  expect(() => makeBackup(other, { db, databaseFile: join(file, "no"), hash, now })).toThrow(
    "could not be made",
  );
  expect(existsSync(other)).toBe(false);
  expect(existsSync(`${other}.part`)).toBe(false);
});

test("a forget takes the person out of the backups, to the last byte, and says so only then", async () => {
  const house = backedUp();
  house.forget(ROSA.userId);
  expect(vacuumQueue(house.db, now).state()).toMatchObject({ due: "now", filesDue: true });
  const { ended } = startRewriting(house.file);
  expect(await ended).toEqual({ rewritten: [house.path], gone: [], failed: [] });
  const bytes = readFileSync(house.path, "latin1").toLowerCase();
  for (const trace of Object.values(ROSA)) expect(bytes).not.toContain(trace.toLowerCase());
  expect(people(house.path)).toEqual([THAD.userId]);
  expect(clean(house)).toBe(true);
  expect(vacuumQueue(house.db, now).state()).toMatchObject({ due: null, filesDue: false });
});

test("processes that bring the same backups in line at once take turns, and none fails", async () => {
  const house = backedUp();
  const { db, file, hash } = house;
  for (const name of ["two.db", "three.db"]) {
    makeBackup(join(house.dataDir, "backups", name), { db, databaseFile: file, hash, now });
  }
  house.forget(ROSA.userId);
  const ends = await Promise.all([1, 2, 3].map(() => startRewriting(file).ended));
  expect(ends.map((end) => end?.failed)).toEqual([[], [], []]);
  expect(ends.flatMap((end) => end?.rewritten ?? [])).toHaveLength(3);
  for (const { path } of madeFilesStore(db, now).list()) {
    expect(people(path)).toEqual([THAD.userId]);
  }
});

test.each([
  ["-wal", "WAL"],
  ["-journal", "DELETE"],
])(
  "what a process left behind that was killed while it rewrote a backup (%s) comes into no backup",
  (end, mode) => {
    const house = backedUp();
    const part = `${house.path}.part`;
    copyFileSync(house.path, part);
    const killed = new Database(part);
    killed.exec("UPDATE viewers SET login = 'from_the_killed'");
    killed.pragma("synchronous = OFF");
    killed.pragma(`journal_mode = ${mode}`);
    killed.exec("BEGIN; UPDATE viewers SET login = 'from_the_killed_too'");
    if (mode === "WAL") killed.exec("COMMIT");
    const left = readFileSync(`${part}${end}`);
    killed.close();
    writeFileSync(`${part}${end}`, left);
    house.forget(ROSA.userId);
    expect(clean(house)).toBe(true);
    expect(readFileSync(house.path, "latin1")).not.toContain("from_the_killed");
    expect(people(house.path)).toEqual([THAD.userId]);
    expect(readdirSync(join(house.dataDir, "backups"))).toEqual(["one.db"]);
  },
);

/** Somebody has one topic forgotten, after the copies were made. */
function withoutLamps(house: Remembered): void {
  const { db, hash } = house;
  const suppressions = suppressionStore(db, hash, now);
  suppressions.suppressTopic(ROSA.userId, "paper lamps");
  suppressions.suppressFact(ROSA.userId, `{u:${ROSA.userId}} collects paper lamps`);
  db.prepare("DELETE FROM semantic_notes WHERE id = 1").run();
}

test("what somebody had forgotten of them leaves backups and exports; what is still known of them, and of others, stays", () => {
  const house = remembered();
  const { db, dataDir, file, hash } = house;
  db.exec(`INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)
    VALUES ('lanternroom', 'viewer', '${ROSA.userId}', 'profile', 'sells paper, and lamps', .8, 'active', 'extracted', 1, 1)`);
  db.exec("INSERT INTO note_evidence VALUES (3, 1, NULL, 'extracted', .8, 'm', '1', 1)");
  const parts = { db, databaseFile: file, hash, now };
  const backup = join(dataDir, "backups", "one.db");
  makeBackup(backup, parts);
  const copy = join(dataDir, "..", "copy.db");
  writeFileSync(copy, readFileSync(backup));
  const [all, own] = [join(dataDir, "exports", "all.json"), join(dataDir, "exports", "own.json")];
  const content = exportContent({ db, isOptedOut: () => false, now }, null);
  writePrivately(all, sealExport(content));
  enlist({ path: all, kind: "export" }, parts);
  const record = viewerRecords(db, hash)([ROSA.userId]);
  const whos = [hash.person(ROSA.userId)];
  writePrivately(own, sealViewerExport({ whos, exportedAtMs: NOW_MS, record }));
  enlist({ path: own, kind: "viewer" }, parts);
  withoutLamps(house);
  expect(vacuumQueue(db, now).state()).toMatchObject({ due: "now", filesDue: true });
  expect(clean(house)).toBe(true);
  const left = ["sells paper, and lamps", `{u:${THAD.userId}} collects paper lamps`];
  expect(facts(backup)).toEqual(left);
  const bytes = readFileSync(backup, "latin1");
  expect(bytes).not.toContain(`{u:${ROSA.userId}} collects paper lamps`);
  const parsed = parseExport(readFileSync(all, "utf8"), now());
  expect(parsed.ok && parsed.content.notes.map(({ fact }) => fact).sort()).toEqual(left);
  expect(existsSync(own)).toBe(false);
  db.close();
  restoreBackup(copy, { dataDir, databaseFile: file, hash, now });
  expect(facts(file)).toEqual(left);
});

test("an export that an editor saved in UTF-16 is rewritten like any other when somebody had a fact forgotten", () => {
  const house = remembered();
  const { db, dataDir, file, hash } = house;
  const path = join(dataDir, "exports", "all.json");
  const text = sealExport(exportContent({ db, isOptedOut: () => false, now }, null));
  writePrivately(path, text);
  writeFileSync(path, Buffer.from(`\uFEFF${text}`, "utf16le"));
  enlist({ path, kind: "export" }, { db, databaseFile: file, hash, now });
  withoutLamps(house);
  expect(clean(house)).toBe(true);
  const parsed = parseExport(readFileSync(path, "utf8"), now());
  const own = `{u:${ROSA.userId}} collects paper lamps`;
  expect(parsed.ok && parsed.content.notes.map(({ fact }) => fact).includes(own)).toBe(false);
  expect(parsed.ok).toBe(true);
  db.close();
});

function facts(file: string): string[] {
  const db = openDatabase(file);
  const all = db.prepare<[], string>("SELECT fact FROM semantic_notes ORDER BY 1").pluck().all();
  db.close();
  return all;
}

test("a backup that is gone is forgotten; one that somebody changed is told and stays due", () => {
  const house = backedUp();
  const other = join(house.dataDir, "backups", "gone.db");
  madeFilesStore(house.db, now).add({ path: other, kind: "backup" });
  writeFileSync(house.path, "something else by now");
  house.forget(ROSA.userId);
  expect(clean(house)).toBe(false);
  expect(
    madeFilesStore(house.db, now)
      .list()
      .map(({ path }) => path),
  ).toEqual([house.path]);
  const [notice] = noticeBoard(house.db, now, openLog("silent")).list();
  expect(notice).toMatchObject({ kind: "made_files", severity: "error" });
  expect(notice?.message).toContain(house.path);
});

test("a restore forgets again whom was forgotten since, and keeps what the backup held", () => {
  const house = backedUp();
  const { db, dataDir, file, hash } = house;
  // A copy that the program does not know of, so that no forget reached it.
  const copy = join(dataDir, "..", "copy.db");
  writeFileSync(copy, readFileSync(house.path));
  house.forget(ROSA.userId);
  db.exec("DELETE FROM semantic_notes");
  db.close();
  const done = restoreBackup(copy, { dataDir, databaseFile: file, hash, now });
  expect(done).toEqual({ forgotten: 1, unfit: 0, wasUnreadable: false });
  expect(people(file)).toEqual([THAD.userId]);
  const restored = openDatabase(file);
  expect(restored.prepare("SELECT subject_id FROM semantic_notes").pluck().all()).toEqual([
    THAD.userId,
  ]);
  expect(tombstoneStore(restored).read().forgets).toEqual([
    { who: hash.person(ROSA.userId), atMs: NOW_MS + 60_000 },
  ]);
  restored.close();
  const bytes = readFileSync(file, "latin1").toLowerCase();
  for (const trace of Object.values(ROSA)) expect(bytes).not.toContain(trace.toLowerCase());
  expect(existsSync(`${file}.aside`)).toBe(false);
  expect(existsSync(`${file}.restored`)).toBe(false);
});

test("a restore of a copy that was never ours to make holds no chat", () => {
  const { db, dataDir, file, hash } = remembered();
  db.pragma("wal_checkpoint(TRUNCATE)");
  const copy = join(dataDir, "..", "raw.db");
  writeFileSync(copy, readFileSync(file));
  db.close();
  restoreBackup(copy, { dataDir, databaseFile: file, hash, now });
  const bytes = readFileSync(file, "latin1");
  for (const text of [CHAT_LINE, ANSWER]) expect(bytes).not.toContain(text);
  expect(people(file)).toEqual([ROSA.userId, THAD.userId]);
});

test("whoever was forgotten stays so where the database is lost", () => {
  const house = backedUp();
  const { db, dataDir, file, hash } = house;
  const copy = join(dataDir, "..", "copy.db");
  writeFileSync(copy, readFileSync(house.path));
  keepJournal({ db, dataDir, hash: () => hash, now })();
  house.forget(ROSA.userId);
  db.prepare("INSERT INTO suppressions VALUES (?, NULL, 5)").run(hash.person(THAD.userId));
  keepJournal({ db, dataDir, hash: () => hash, now })();
  expect(readJournal(dataDir).forgets).toHaveLength(1);
  const text = readFileSync(join(dataDir, "forgets.json"), "utf8");
  for (const trace of Object.values(ROSA)) expect(text).not.toContain(trace);
  db.close();
  writeFileSync(file, "not a database any more");
  for (const end of ["-wal", "-shm"]) writeFileSync(`${file}${end}`, "");
  const done = restoreBackup(copy, { dataDir, databaseFile: file, hash, now });
  expect(done).toEqual({ forgotten: 1, unfit: 0, wasUnreadable: true });
  expect(people(file)).toEqual([THAD.userId]);
  const restored = openDatabase(file);
  expect(restored.prepare("SELECT opted_out FROM viewers").pluck().get()).toBe(1);
  restored.close();
});

test("a new database beside an old journal knows at once who is opted out and forgotten", () => {
  const { db, dataDir, hash, forget } = remembered();
  forget(ROSA.userId);
  keepJournal({ db, dataDir, hash: () => hash, now })();
  const fresh = openDatabase(join(dataDir, "fresh.db"));
  keepJournal({ db: fresh, dataDir, hash: () => hash, now })();
  expect(tombstoneStore(fresh).read()).toEqual(tombstoneStore(db).read());
  fresh.close();
});

test("a backup of an older release is brought up to date", () => {
  const { db, dataDir, file, hash } = remembered();
  db.close();
  const old = join(dataDir, "..", "old.db");
  const first = new Database(old);
  first.exec(readFileSync("test/platform/database/schema-v6.sql", "utf8"));
  first.pragma("user_version = 6");
  first.exec("INSERT INTO viewers VALUES ('5', 'old', 'Old', 1, 1, 0)");
  first.close();
  restoreBackup(old, { dataDir, databaseFile: file, hash, now });
  expect(people(file)).toEqual(["5"]);
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ["a trigger", "CREATE TRIGGER evil AFTER INSERT ON forgets BEGIN DELETE FROM viewers; END"],
  ["a view", "CREATE VIEW spy AS SELECT * FROM viewers"],
  ["a table more", "CREATE TABLE more (a)"],
  ["a virtual table", "CREATE VIRTUAL TABLE words USING fts5 (text)"],
  ["an index on a text", "CREATE INDEX texts ON events (text)"],
  ["a column more", "ALTER TABLE viewers ADD COLUMN email TEXT"],
  ["no table of notes", "DROP TABLE note_evidence"],
  ["a newer version", "PRAGMA user_version = 99"],
  ["a version that never was", "PRAGMA user_version = 0"],
  ["a row that refers to nothing", "PRAGMA foreign_keys = OFF; DELETE FROM semantic_notes"],
  ["accounts in a ring", "INSERT INTO identity_aliases VALUES ('1', '2', 1), ('2', '1', 1)"],
  [
    "our trigger with another body",
    "DROP TRIGGER prefix_session; CREATE TRIGGER prefix_session AFTER UPDATE ON stream_sessions BEGIN DELETE FROM viewers; END",
  ],
];

test.each(HOSTILE)("a file with %s is refused, and nothing is changed", (_, sql) => {
  const { path, db, dataDir, file, hash } = backedUp();
  db.close();
  const changed = new Database(path);
  changed.exec(sql);
  changed.close();
  const [before, backup] = [readFileSync(file), readFileSync(path)];
  const run = () => restoreBackup(path, { dataDir, databaseFile: file, hash, now });
  expect(run).toThrow("cannot be used");
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readFileSync(path).equals(backup)).toBe(true);
  expect(existsSync(`${file}.restored`)).toBe(false);
});

test("damaged files, other files and files that are open elsewhere are refused", () => {
  const { path, db, dataDir, file, hash } = backedUp();
  db.close();
  const run = () => restoreBackup(path, { dataDir, databaseFile: file, hash, now });
  const good = readFileSync(path);
  writeFileSync(`${path}-wal`, "frames");
  expect(run).toThrow("still in");
  writeFileSync(`${path}-wal`, "");
  const torn = Buffer.from(good);
  torn.fill(7, 4_096 * 2, 4_096 * 5);
  for (const bytes of [torn, good.subarray(0, 5_000), Buffer.from("hello"), Buffer.alloc(0)]) {
    writeFileSync(path, bytes);
    expect(run).toThrow("cannot be used");
  }
  writeFileSync(path, good);
  expect(run().forgotten).toBe(0);
});
