import { setImmediate as macrotask } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepWordsHashed } from "../../src/daemon/word-hashes.ts";
import { keyedHash } from "../../src/language/keyed-hash.ts";
import { openLog } from "../../src/log.ts";
import { wordHasher } from "../../src/memory/recall/word-hasher.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { writeGate } from "../../src/platform/database/write-gate.ts";
import { addNote } from "../memory/recall/memories.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test("what is there at the start is hashed at once, a slice after each pause", async () => {
  const { pass, left } = room(25);
  expect(left()).toBe(25);
  const after = [await pass(), await pass(), await pass()];
  expect(after).toEqual([15, 5, 0]);
});

test("what is new is hashed within a minute", async () => {
  const { addNotes, pass, left } = room();
  await pass();
  addNotes(1);
  await pass();
  expect(left()).toBe(1);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(await pass()).toBe(0);
});

test("while another process has the database nothing is written, and then all of it", async () => {
  const { pass, gate } = room(25);
  expect(await pass()).toBe(15);
  await gate.close();
  expect([await pass(), await pass()]).toEqual([15, 15]);
  gate.open();
  expect([await pass(), await pass()]).toEqual([5, 0]);
});

test("at the end it stops between two slices", async () => {
  const { pass, gate, closeAll } = room(25);
  expect(await pass()).toBe(15);
  await gate.close();
  await pass();
  await closeAll();
  gate.open();
  expect([await pass(), await pass()]).toEqual([15, 15]);
});

function room(notesBefore = 0) {
  const db = openDatabase(":memory:");
  const addNotes = (count: number): void => {
    for (let n = 0; n < count; n += 1) addNote(db, { scope: "viewer", subjectId: "7" });
  };
  addNotes(notesBefore);
  const gate = writeGate();
  const closers: (() => unknown)[] = [];
  const pauses: (() => void)[] = [];
  keepWordsHashed(
    { log: openLog("silent"), wait: () => new Promise((resolve) => pauses.push(resolve)) },
    { db, gate, hasher: wordHasher(keyedHash("a key for tests")) },
    { closers, closeAll, takers: [] },
  );
  async function closeAll(): Promise<void> {
    for (const close of closers.splice(0).reverse()) await close();
  }
  const waiting = db
    .prepare<[], number>("SELECT count(*) FROM semantic_notes WHERE hashed_by IS NULL")
    .pluck();
  const left = () => waiting.get();
  return {
    gate,
    closeAll,
    left,
    addNotes,
    /** Ends a pause, if there is one: how many notes are left after what follows. */
    pass: async () => {
      pauses.shift()?.();
      await macrotask();
      return left();
    },
  };
}
