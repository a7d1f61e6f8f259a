import { setImmediate as macrotask } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepWordsHashed } from "../../src/daemon/word-hashes.ts";
import { openDatabase } from "../../src/db/open.ts";
import { writeGate } from "../../src/db/write-gate.ts";
import { openLog } from "../../src/log.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import { addNote } from "../recall/memories.ts";
import { until } from "../stand-ins/until.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test("new notes are hashed within a minute, however many", async () => {
  const { addNotes, left } = room();
  addNotes(70);
  vi.advanceTimersByTime(MINUTE_MS);
  await until(() => left() === 0);
  addNotes(1);
  vi.advanceTimersByTime(MINUTE_MS);
  await until(() => left() === 0);
});

test("while another process has the database nothing is written, and then all of it", async () => {
  const { addNotes, left, gate } = room();
  addNotes(30);
  await gate.close();
  vi.advanceTimersByTime(3 * MINUTE_MS);
  expect(left()).toBe(30);
  gate.open();
  await until(() => left() === 0);
});

test("at the end it stops between two slices", async () => {
  const { addNotes, left, gate, closeAll } = room();
  addNotes(60);
  await gate.close();
  vi.advanceTimersByTime(MINUTE_MS);
  await closeAll();
  gate.open();
  await macrotask();
  expect(left()).toBe(60);
});

function room() {
  const db = openDatabase(":memory:");
  const gate = writeGate();

  const closers: (() => unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  const log = openLog("silent");
  keepWordsHashed({ log }, { db, gate, hash: keyedHash("a key for tests") }, { closers, closeAll });
  const waiting = db
    .prepare<[], number>("SELECT count(*) FROM semantic_notes WHERE hashed_by IS NULL")
    .pluck();
  return {
    gate,
    closeAll,
    left: () => waiting.get(),
    addNotes: (count: number) => {
      for (let n = 0; n < count; n += 1) addNote(db, { scope: "viewer", subjectId: "7" });
    },
  };
}
