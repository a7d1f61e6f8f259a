import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { RemovedText } from "../../src/chat/normalise.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openStore, rows, texts } from "./open-store.ts";
import { deletion, say, timeout } from "./say.ts";

test("busy: all stays buffered, and is written when it is free", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  let nowMs = 0;
  const onError = vi.fn();
  const { db, store } = openStore({ now: () => nowMs, onError }, file);
  const other = openDatabase(file);
  onTestFinished(() => {
    other.close();
  });
  other.exec("BEGIN IMMEDIATE");
  for (let n = 0; n < 70; n += 1) store.add(say(`line ${n}`));
  expect(store.flush()).toBe(false);
  expect(store.flush()).toBe(false);
  expect(onError).toHaveBeenCalledOnce();
  expect(store.latestOfViewers("den", 5)).toEqual([]);
  expect(store.unwritten()).toBe(70);
  other.exec("ROLLBACK");
  nowMs += 1_000;
  expect(store.flush()).toBe(true);
  expect(texts(db)).toEqual(Array.from({ length: 70 }, (_, n) => `line ${n}`));
});

test("busy: a removal holds for readers before it is written, and is told twice", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  let nowMs = 0;
  const removed: RemovedText[] = [];
  const { db, store } = openStore(
    { now: () => nowMs, onRemoved: (what) => removed.push(what) },
    file,
  );
  store.add(say("rude words", { messageId: "m", by: "tarn" }));
  store.flush();
  const other = openDatabase(file);
  onTestFinished(() => {
    other.close();
  });
  other.exec("BEGIN IMMEDIATE");
  store.add(say("ruder words", { messageId: "n", by: "tarn" }));
  store.add(timeout("tarn", "tarn"));
  expect(store.latestOfViewers("den", 5)).toEqual([]);
  expect(store.byMessageId("m")).toBeNull();
  expect(removed).toMatchObject([{ userId: "tarn", eventIds: [] }]);
  other.exec("ROLLBACK");
  nowMs += 1_000;
  store.flush();
  expect(texts(db)).toEqual([null, null, null]);
  expect(removed[1]).toMatchObject({ messageIds: ["n", "m"], eventIds: [2, 1] });
});

test("full: the oldest go, counted, and no removal among them", () => {
  const { db, store } = openStore();
  db.exec("BEGIN");
  store.add(deletion("m"));
  for (let n = 0; n < 50_000; n += 1) store.add(say("x"));
  db.exec("ROLLBACK");
  store.flush();
  const dropped = store.unwritten();
  expect(dropped).toBeGreaterThan(0);
  expect(rows(db).length + dropped).toBe(50_001);
  expect(rows(db)[0]).toMatchObject({ kind: "deletion" });
});

test("within somebody's transaction nothing is written: their rollback would take it along", () => {
  const { db, store } = openStore();
  db.exec("BEGIN");
  store.add(say("kept"));
  expect(store.flush()).toBe(false);
  db.exec("ROLLBACK");
  expect(store.latestOfViewers("den", 5).map(({ text }) => text)).toEqual(["kept"]);
});

test("a row that it never takes is left out and reported, and the others are written", () => {
  const onError = vi.fn();
  const { db, store } = openStore({ onError });
  for (let n = 0; n < 10; n += 1) {
    store.add(say(`line ${n}`, n === 6 ? { amount: 0.5 } : {}));
  }
  store.flush();
  expect(store.unwritten()).toBe(0);
  expect(rows(db)).toHaveLength(9);
  expect(texts(db)).not.toContain("line 6");
  expect(onError).toHaveBeenCalledOnce();
});
