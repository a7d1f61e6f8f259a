import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as macrotask } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLog } from "../../src/log.ts";
import { noticeBoard } from "../../src/platform/database/notices-store.ts";
import { type Db, openDatabase } from "../../src/platform/database/open-database.ts";
import { vacuumDueAtMs, vacuumQueue } from "../../src/platform/database/vacuum-queue.ts";
import { walKeeper } from "../../src/platform/database/wal-keeper.ts";
import { writeGate } from "../../src/platform/database/write-gate.ts";
import { fileKeeper } from "../../src/privacy/file-keeper.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const MINUTE_MS = 60_000;

function room() {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const db = openDatabase(file, { busyTimeoutMs: 250 });
  const clock = { nowMs: 1_700_000_000_000 };
  const now = () => clock.nowMs;
  const queue = vacuumQueue(db, now);
  const gate = writeGate();
  const notices = noticeBoard(db, now, openLog("silent"));
  const under = { way: false };
  const isForgetting = () => under.way;
  const wal = walKeeper(db, gate);
  const tries: Promise<boolean>[] = [];
  const emptyIfDirty = () => {
    const tried = wal.emptyIfDirty();
    tries.push(tried);
    return tried;
  };
  const keeper = fileKeeper({
    databaseFile: file,
    queue,
    gate,
    notices,
    now,
    wal: { ...wal, emptyIfDirty },
    isForgetting,
  });
  onTestFinished(async () => {
    await keeper.close();
    await wal.close();
    db.close();
  });
  return { file, db, clock, queue, gate, notices, wal, tries, keeper, under };
}

let people = 0;

function forgetSomebody(db: Db): void {
  people += 1;
  db.prepare("INSERT INTO forgets (who, forgotten_at) VALUES (?, 1)").run(`h:${people}`);
}

function removeText(db: Db): void {
  db.exec(
    `INSERT INTO events (channel, kind, text, created_at, expires_at) VALUES ('c', 'message', 'a line', 1, 2);
     UPDATE events SET text = NULL`,
  );
}

/** Rows of `episodes`, each with a text that stands nowhere else. */
function fill(db: Db, rows: number, chars: number): void {
  const insert = db.prepare(
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, summary, created_at) VALUES ('c', 'window', 1, 1, 1, ?, 1)",
  );
  db.transaction(() => {
    for (let n = 0; n < rows; n += 1) insert.run(`summary ${n} `.padEnd(chars, "lantern "));
  })();
}

test("a VACUUM that is due waits until whoever is going is gone", async () => {
  const { db, queue, keeper, under } = room();
  removeText(db);
  under.way = true;
  await keeper.look();
  expect(queue.state().dueSinceMs).not.toBeNull();
  under.way = false;
  await keeper.look();
  expect(queue.state().dueSinceMs).toBeNull();
});

test("a forget's VACUUM runs at once, and afterwards nothing is due", async () => {
  const { file, db, queue, keeper } = room();
  fill(db, 2_000, 500);
  db.pragma("secure_delete = OFF");
  db.exec("DELETE FROM episodes WHERE id % 3 = 0");
  forgetSomebody(db);
  expect(queue.state().dueSinceMs).not.toBeNull();
  await keeper.look();
  expect(queue.state()).toMatchObject({ dueSinceMs: null, failures: 0 });
  expect(readFileSync(file, "latin1")).not.toContain("summary 2 ");
  expect(readFileSync(file, "latin1")).toContain("summary 1 ");
  expect(readFileSync(`${file}-wal`, "latin1")).not.toContain("summary");
});

test("after other removals ten minutes lie between two; a forget does not wait for that", async () => {
  const { db, clock, queue, keeper } = room();
  removeText(db);
  await keeper.look();
  expect(queue.state().dueSinceMs).toBeNull();
  clock.nowMs += MINUTE_MS;
  removeText(db);
  await keeper.look();
  expect(queue.state().dueSinceMs).not.toBeNull();
  clock.nowMs += 8 * MINUTE_MS;
  await keeper.look();
  expect(queue.state().dueSinceMs).not.toBeNull();
  clock.nowMs += MINUTE_MS;
  await keeper.look();
  expect(queue.state().dueSinceMs).toBeNull();
  clock.nowMs += MINUTE_MS;
  removeText(db);
  forgetSomebody(db);
  await keeper.look();
  expect(queue.state().dueSinceMs).toBeNull();
});

test("what is due outlives the process, and a request during a run needs another run", () => {
  const { db, clock, queue } = room();
  removeText(db);
  expect(queue.note()).toMatchObject({ due: "soon", dueSinceMs: clock.nowMs });
  const { removals } = queue.state();
  forgetSomebody(db);
  queue.done(removals, 20);
  const reopened = vacuumQueue(db, () => clock.nowMs + 5);
  expect(reopened.state()).toMatchObject({ due: "now", dueSinceMs: clock.nowMs + 5 });
  reopened.done(reopened.state().removals, 20);
  expect(reopened.state()).toMatchObject({ due: null, dueSinceMs: null });
});

test("a failure is told, put off further each time, and cleared by success", async () => {
  const { file, db, clock, queue, notices, wal, keeper } = room();
  forgetSomebody(db);
  const held = openDatabase(file);
  const missing = fileKeeper({
    ...{ queue, notices, gate: writeGate(), now: () => clock.nowMs },
    wal,
    databaseFile: `${file}.missing`,
    isForgetting: () => false,
  });
  await missing.look();
  held.close();
  expect(queue.state()).toMatchObject({ failures: 1, failure: "SQLITE_CANTOPEN" });
  expect(notices.list().map(({ kind }) => kind)).toEqual(["vacuum_failed"]);
  expect(vacuumDueAtMs(queue.state())).toBe(clock.nowMs + 30_000);
  queue.failed("SQLITE_FULL");
  expect(vacuumDueAtMs(queue.state())).toBe(clock.nowMs + 60_000);
  for (let n = 0; n < 20; n += 1) queue.failed("SQLITE_FULL");
  expect(vacuumDueAtMs(queue.state())).toBe(clock.nowMs + 60 * MINUTE_MS);
  clock.nowMs += 60 * MINUTE_MS;
  await keeper.look();
  expect(queue.state()).toMatchObject({ dueSinceMs: null, failures: 0 });
  expect(notices.list()).toEqual([]);
});

test("a VACUUM whose end the database does not take down is not begun again until it does", async () => {
  const { file, db, clock, queue, notices, wal } = room();
  forgetSomebody(db);
  queue.note();
  const other = openDatabase(file);
  db.pragma("busy_timeout = 0");
  const gate = writeGate();
  const times = { begun: 0, ended: 0 };
  const keeper = fileKeeper({
    ...{ notices, now: () => clock.nowMs, isForgetting: () => false },
    wal,
    databaseFile: `${file}.missing`,
    queue: {
      ...queue,
      failed: (code) => {
        times.ended += 1;
        queue.failed(code);
      },
    },
    gate: {
      ...gate,
      close: () => {
        times.begun += 1;
        return gate.close();
      },
    },
  });
  other.exec("BEGIN IMMEDIATE");
  const looking = setInterval(() => void keeper.look().catch(() => undefined), 10);
  onTestFinished(() => clearInterval(looking));
  await until(() => times.ended === 3);
  expect(times.begun).toBe(1);
  expect(gate.isClosed()).toBe(false);
  other.close();
  await until(() => queue.state().failures === 1);
  expect(times.begun).toBe(1);
  expect(notices.list().map(({ kind }) => kind)).toEqual(["vacuum_failed"]);
});

test("it stays due while a reader holds the write-ahead log", async () => {
  const { file, db, queue, keeper } = room();
  fill(db, 500, 500);
  const reader = openDatabase(file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM episodes").get();
  db.exec("DELETE FROM episodes WHERE id % 2 = 0");
  forgetSomebody(db);
  let isOver = false;
  const looked = keeper.look().then(() => {
    isOver = true;
  });
  await until(() => readFileSync(`${file}-wal`).length > 0);
  expect(isOver).toBe(false);
  expect(queue.state().dueSinceMs).not.toBeNull();
  reader.close();
  await looked;
  expect(queue.state().dueSinceMs).toBeNull();
});

test("after a reader was in the way no process begins for a second", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { file, db, queue, tries, keeper } = room();
  const reader = openDatabase(file, { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM episodes");
  forgetSomebody(db);
  const looked = keeper.look();
  await until(() => tries.length === 1);
  expect(await tries[0]).toBe(false);
  reader.close();
  await until(() => tries.length === 3);
  expect(queue.state().dueSinceMs).not.toBeNull();
  vi.advanceTimersByTime(1_000);
  await looked;
  expect(queue.state().dueSinceMs).toBeNull();
});

test("the event loop goes on while it runs, and writes that wait for the gate are done after it", async () => {
  const { file, db, gate, keeper } = room();
  const other = openDatabase(file);
  forgetSomebody(db);
  const looked = keeper.look();
  // It keeps the other process at its beginning, for ten seconds at the most.
  other.exec("BEGIN IMMEDIATE");
  await until(() => gate.isClosed());
  const written: boolean[] = [];
  gate.whenOpen(() => written.push(gate.isClosed()));
  for (let turn = 0; turn < 100; turn += 1) {
    await macrotask();
    expect(gate.isClosed()).toBe(true);
  }
  expect(written).toEqual([]);
  other.close();
  await looked;
  expect(written).toEqual([false]);
});

test("the gate closes only when nobody writes, and lets nobody begin meanwhile", async () => {
  const gate = writeGate();
  const order: string[] = [];
  let finish = (): void => undefined;
  const first = gate.hold(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  await delay(0);
  const closed = gate.close().then(() => order.push("closed"));
  const second = gate.hold(async () => void order.push("second"));
  await delay(5);
  expect(order).toEqual([]);
  finish();
  await closed;
  expect(order).toEqual(["closed"]);
  gate.open();
  await Promise.all([first, second]);
  expect(order).toEqual(["closed", "second"]);
});

test("whoever is waited for in chat waits ten seconds for a gate, and no longer", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const gate = writeGate();
  await gate.close();
  const order: string[] = [];
  vi.advanceTimersByTime(9_980);
  const soon = gate.openedSoon().then(() => order.push("soon"));
  const held = gate.hold(async () => void order.push("held"));
  void gate.opened().then(() => order.push("opened"));
  await delay(50);
  expect(order).toEqual([]);
  vi.advanceTimersByTime(20);
  await Promise.all([soon, held]);
  expect(order.toSorted()).toEqual(["held", "soon"]);
  expect(gate.isClosed()).toBe(true);
  gate.open();
});

test("a gate that is opened while it waits to close stays open, and can be closed again", async () => {
  const gate = writeGate();
  const order: string[] = [];
  let finish = (): void => undefined;
  const held = gate.hold(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const closed = gate.close();
  const second = gate.hold(async () => void order.push("second"));
  gate.open();
  await Promise.all([closed, second]);
  expect(order).toEqual(["second"]);
  expect(gate.isClosed()).toBe(false);
  const again = gate.close();
  finish();
  await Promise.all([held, again]);
  expect(gate.isClosed()).toBe(true);
});

test("closing ends a VACUUM under way, and it stays due", async () => {
  const { db, queue, gate, keeper } = room();
  fill(db, 5_000, 1_000);
  forgetSomebody(db);
  void keeper.look();
  await until(() => gate.isClosed());
  await keeper.close();
  expect(gate.isClosed()).toBe(false);
  expect(queue.state()).toMatchObject({ failures: 0 });
  expect(queue.state().dueSinceMs).not.toBeNull();
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
});

test("closing ends at once where the VACUUM still waits for somebody who writes, and leaves the gate open", async () => {
  const { db, queue, gate, keeper } = room();
  forgetSomebody(db);
  void gate.hold(() => new Promise(() => undefined));
  const looked = keeper.look();
  await keeper.close();
  await looked;
  expect(gate.isClosed()).toBe(false);
  expect(queue.state()).toMatchObject({ failures: 0 });
  expect(queue.state().dueSinceMs).not.toBeNull();
});
