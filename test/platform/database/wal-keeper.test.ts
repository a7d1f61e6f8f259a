import { readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { setImmediate as macrotask } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { startChild } from "../../../src/platform/database/child.ts";
import {
  type Db,
  isWalLonger,
  openDatabase,
} from "../../../src/platform/database/open-database.ts";
import { filesOf, walKeeper } from "../../../src/platform/database/wal-keeper.ts";
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
  const wal = walKeeper(db, gate);
  onTestFinished(async () => {
    await wal.close();
    db.close();
  });
  // The database itself is not opened here: closing it would drop SQLite's locks of this process.
  const log = () => readFileSync(`${file}-wal`);
  return { folder, file, db, gate, wal, log };
}

/** The monotonic clock alone: what a process takes is real. */
function stoppedClock() {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return { passes: (ms: number) => void vi.advanceTimersByTime(ms) };
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

test("where a reader keeps it from being emptied, it is done a while later", async () => {
  const clock = stoppedClock();
  const { file, db, wal, log } = room();
  const held = reader(file);
  sayAndTakeBack(db);
  wal.markDirty();
  await wal.emptyIfDirty();
  expect(log().includes(SECRET)).toBe(true);
  held.close();
  await wal.emptyIfDirty();
  expect(log().includes(SECRET)).toBe(true);
  clock.passes(1_000);
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("whoever asks while the log is being emptied is told how that ended", async () => {
  const { file, wal } = room();
  const held = reader(file);
  wal.markDirty();
  const tries = [wal.emptyIfDirty()];
  await macrotask();
  tries.push(wal.emptyIfDirty());
  expect(await Promise.all(tries)).toEqual([false, false]);
  held.close();
});

test("a reader that stays lets a process begin twice a minute, and no oftener", async () => {
  const clock = stoppedClock();
  const { file, db, wal, log } = room();
  const held = reader(file);
  for (let n = 0; n < 6; n += 1) {
    expect(await wal.empty()).toBe(false);
  }
  sayAndTakeBack(db);
  wal.markDirty();
  held.close();
  clock.passes(29_999);
  await wal.emptyIfDirty();
  expect(log().includes(SECRET)).toBe(true);
  clock.passes(1);
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("while another process has the database to itself, nothing is begun", async () => {
  const { db, gate, wal } = room();
  await gate.close();
  grow(db);
  expect(wal.keepShort()).toBe(true);
  let isEmpty = false;
  const emptied = wal.empty().then((done) => {
    isEmpty = done;
  });
  // As long as another takes to be done.
  await walKeeper(db, writeGate()).empty();
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

test("what could not be emptied is emptied later, though nothing more was taken away", async () => {
  const clock = stoppedClock();
  const { file, db, wal, log } = room();
  const held = reader(file);
  sayAndTakeBack(db);
  expect(await wal.empty()).toBe(false);
  held.close();
  clock.passes(1_000);
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("where no process is to be had, what was taken away leaves the log all the same", async () => {
  const { db, wal, log } = room();
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = join(temporaryFolder(), "nothing");
  sayAndTakeBack(db);
  wal.markDirty();
  await wal.emptyIfDirty();
  expect(log()).toHaveLength(0);
});

test("a log that is written to while it is copied begins anew, too", async () => {
  const { file, db } = room();
  grow(db);
  const count = db.prepare("INSERT INTO counters (name, value) VALUES (hex(randomblob(8)), 1)");
  const writing = setInterval(() => count.run(), 10);
  const job = startChild("database-child", ["copy-wal", file, filesOf(file)], {
    folder: new URL("../../../src/platform/database/child.ts", import.meta.url).href,
    temporaryFolder: dirname(file),
    timeMsMax: 60_000,
  });
  await job.ended;
  clearInterval(writing);
  count.run();
  const [state] = db.pragma("wal_checkpoint(NOOP)") as { log: number }[];
  expect(state?.log).toBeLessThan(4_000);
});
