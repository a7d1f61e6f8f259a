import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../../src/log.ts";
import { noticeBoard } from "../../../src/platform/database/notices-store.ts";
import {
  type Db,
  isWalLonger,
  openDatabase,
} from "../../../src/platform/database/open-database.ts";
import { walKeeper } from "../../../src/platform/database/wal-keeper.ts";
import { writeGate } from "../../../src/platform/database/write-gate.ts";
import { until } from "../../stand-ins/until.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ON_POSIX = process.platform !== "win32";
const SECRET = "the parrot sings at midnight on tuesdays";

function room() {
  const folder = temporaryFolder();
  const file = join(folder, "forgetmenot.db");
  const db = openDatabase(file);
  const gate = writeGate();
  const notices = noticeBoard(db, Date.now, openLog("silent"));
  const wal = walKeeper({ db, gate, notices });
  onTestFinished(async () => {
    await wal.close();
    db.close();
  });
  // The database itself is not opened here: closing it would drop SQLite's locks of this process.
  const log = () => readFileSync(`${file}-wal`);
  return { folder, file, db, gate, notices, wal, log };
}

/** Makes the write-ahead log longer than what is left in it, and shorter than what SQLite leaves in it by itself. */
function grow(db: Db): void {
  const session = db.prepare(
    "INSERT INTO stream_sessions (channel, started_at, recap) VALUES ('c', ?, ?)",
  );
  db.transaction(() => {
    for (let n = 0; n < 20; n += 1) session.run(n, "x".repeat(1_000_000));
  })();
}

function sayAndTakeBack(db: Db): void {
  db.prepare("INSERT INTO stream_sessions (channel, started_at, recap) VALUES ('c', 1, ?)").run(
    SECRET,
  );
  db.exec("UPDATE stream_sessions SET recap = NULL");
}

function reader(file: string): Db {
  const db = openDatabase(file, { readOnly: true });
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM counters").get();
  return db;
}

test("a log that grew is copied by somebody else: whoever writes much waits, and everybody else goes on", async () => {
  const { db, wal } = room();
  expect(wal.keepShort()).toBe(true);
  grow(db);
  expect(wal.keepShort()).toBe(false);
  db.exec("INSERT INTO counters (name, value) VALUES ('a', 1)");
  await until(() => wal.keepShort());
  expect(isWalLonger(db, 1)).toBe(false);
});

test("a reader that needs the log is waited for", async () => {
  const { file, db, wal } = room();
  const held = reader(file);
  grow(db);
  expect(wal.keepShort()).toBe(false);
  await wal.empty();
  expect(wal.keepShort()).toBe(false);
  held.close();
  await until(() => wal.keepShort());
  expect(isWalLonger(db, 1)).toBe(false);
});

test("a text that was taken away leaves the log, and nothing is done where none was", async () => {
  const { db, wal, log } = room();
  sayAndTakeBack(db);
  await wal.emptyIfDirty();
  expect(log().includes(SECRET)).toBe(true);
  wal.markDirty();
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("where a reader keeps it from being emptied, the next call does it", async () => {
  const { file, db, wal, log } = room();
  const held = reader(file);
  sayAndTakeBack(db);
  wal.markDirty();
  await wal.emptyIfDirty();
  expect(log().includes(SECRET)).toBe(true);
  held.close();
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("while another process has the database to itself, nothing is begun", async () => {
  const { db, gate, notices, wal } = room();
  await gate.close();
  grow(db);
  expect(wal.keepShort()).toBe(true);
  let isEmpty = false;
  const emptied = wal.empty().then((done) => {
    isEmpty = done;
  });
  // As long as another takes to be done.
  await walKeeper({ db, gate: writeGate(), notices }).empty();
  expect(isEmpty).toBe(false);
  gate.open();
  await emptied;
  expect(isEmpty).toBe(true);
  expect(isWalLonger(db, 0)).toBe(false);
});

test.runIf(ON_POSIX)("into another file in the database's place nothing is copied", async () => {
  const { folder, file, db, wal } = room();
  db.exec("INSERT INTO counters (name, value) VALUES ('mine', 1)");
  const other = join(folder, "other.db");
  openDatabase(other).close();
  renameSync(file, join(folder, "moved.db"));
  renameSync(other, file);
  const before = readFileSync(file);
  expect(await wal.empty()).toBe(false);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("at the end nothing is left under way, and nothing is begun after it", async () => {
  const { db, wal } = room();
  grow(db);
  expect(wal.keepShort()).toBe(false);
  await wal.close();
  expect(await wal.empty()).toBe(false);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
});

test("where no process can be started for it again and again, that is told until one can", async () => {
  const { notices, wal } = room();
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = `${execPath}-is-gone`;
  const told = () => notices.list().map(({ kind }) => kind);
  expect(await wal.empty()).toBe(false);
  expect(await wal.empty()).toBe(false);
  expect(told()).toEqual([]);
  expect(await wal.empty()).toBe(false);
  expect(told()).toEqual(["wal_failed"]);
  process.execPath = execPath;
  expect(await wal.empty()).toBe(true);
  expect(told()).toEqual([]);
});
