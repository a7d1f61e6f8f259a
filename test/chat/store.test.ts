import fc from "fast-check";
import { expect, test } from "vitest";
import { WindowEvents } from "../../src/chat/event-reads-store.ts";
import type { Db } from "../../src/database/open-database.ts";
import { until } from "../stand-ins/until.ts";
import { DAY_MS, openStore, rows, texts } from "./open-store.ts";
import { CLEAR, deletion, say, timeout } from "./say.ts";

test("an event is a row, with everything that is known of it", () => {
  const { db, store } = openStore();
  const parent = { messageId: "p", userId: "7" };
  const added = store.add(
    say("hello den", { messageId: "m", parent, sentAtMs: 990, amount: 5 }),
    true,
  );
  expect(added.id).toBeNull();
  store.flush();
  expect(added.id).toBe(1);
  expect(rows(db)).toEqual([
    {
      id: 1,
      channel: "den",
      kind: "message",
      user_id: "wren",
      message_id: "m",
      parent_id: "p",
      text: "hello den",
      to_bot: 1,
      memorable: 1,
      no_window: 0,
      amount: 5,
      sent_at: 990,
      created_at: 1_000,
      expires_at: 1_000 + DAY_MS,
      removed_at: null,
      episode_id: null,
      reply_id: null,
    },
  ]);
});

test("every other kind is a row of its own", () => {
  const { db, store } = openStore();
  store.add(timeout("7", "tarn", 60));
  store.add(timeout("8", "moss", null));
  store.add(deletion("m"));
  store.add(CLEAR);
  store.flush();
  const kept = rows(db).map((row) => [
    row["kind"],
    row["user_id"],
    row["message_id"],
    row["amount"],
  ]);
  expect(kept).toEqual([
    ["timeout", "7", null, 60],
    ["ban", "8", null, null],
    ["deletion", null, "m", null],
    ["clear", null, null, null],
  ]);
});

test("64 events are written without waiting, fewer after a while, all in order of arrival", async () => {
  const batches: number[] = [];
  const { db, store } = openStore({
    flushMs: 50,
    onFlushed: (events) => batches.push(events.length),
  });
  for (let n = 0; n < 64; n += 1) store.add(say(`line ${n}`, { sentAtMs: 1_000 - n }));
  await new Promise(setImmediate);
  expect(batches).toEqual([64]);
  store.add(say("one more"));
  await until(() => batches.length === 2);
  expect(batches).toEqual([64, 1]);
  expect(texts(db)).toEqual([...Array.from({ length: 64 }, (_, n) => `line ${n}`), "one more"]);
});

test("a read counts what was added before it", () => {
  const { store } = openStore();
  store.add(say("first"));
  store.add(say("second", { by: "tarn" }));
  expect(store.latestOfViewers("den", 5).map(({ text }) => text)).toEqual(["first", "second"]);
  store.add(say("third", { messageId: "m3" }));
  expect(store.latestOf("den", "wren", 5, null).map(({ text }) => text)).toEqual([
    "first",
    "third",
  ]);
  store.add(say("fourth", { messageId: "m4" }));
  expect(store.byMessageId("m4")).toMatchObject({ id: 4, userId: "wren", displayName: "wren" });
});

test("a line of the bot is its own, whether or not a reply sent it", () => {
  const { store } = openStore();
  const isOwn = { kind: "bot", isBotItself: true, memorable: false } as const;
  store.add(say("Time out tarn for 60 s?", { ...isOwn, messageId: "m1" }));
  store.add(say("frogs like lamps", { ...isOwn, messageId: "m2", replyId: 7 }));
  expect(store.latestOfBot("den", 5, 9).map(({ answers }) => answers)).toEqual([null, null]);
});

test("a message seen twice is stored once, in a batch or later, and both have its id", () => {
  const { db, store } = openStore();
  const first = store.add(say("hi all", { messageId: "m", kind: "bot", memorable: false }));
  const second = store.add(say("hi all", { messageId: "m", kind: "bot", memorable: false }));
  store.flush();
  const third = store.add(say("hi all", { messageId: "m", kind: "bot", memorable: false }));
  store.flush();
  expect(rows(db)).toHaveLength(1);
  expect([first.id, second.id, third.id]).toEqual([1, 1, 1]);
  store.add(deletion("m"));
  expect(texts(db)).toEqual([null, null]);
});

test("what an opted-out person says never reaches the database", () => {
  const { db, store } = openStore({ isOptedOut: (userId) => userId === "tarn" });
  store.add(say("keep me out", { by: "tarn" }));
  store.add(say("keep me"));
  store.flush();
  expect(rows(db)).toMatchObject([
    { user_id: "tarn", text: null, memorable: 0 },
    { user_id: "wren", text: "keep me", memorable: 1 },
  ]);
  expect(db.prepare("SELECT user_id FROM viewers").pluck().all()).toEqual(["wren"]);
});

test("a callback may add and read: nothing is written twice", () => {
  let answered = false;
  const { db, store } = openStore({
    onFlushed: () => {
      if (answered) return;
      answered = true;
      store.add(say("answer"));
      expect(store.latestOfViewers("den", 5)).toHaveLength(2);
    },
  });
  store.add(say("question"));
  store.flush();
  expect(texts(db)).toEqual(["question", "answer"]);
});

test("pace counts people's messages in a window", () => {
  let nowMs = 60_000;
  const { store } = openStore({ now: () => nowMs });
  for (let n = 0; n < 60; n += 1) {
    nowMs += 1_000;
    store.add(say("tick"));
    store.add(say("beep", { isKnownBot: true, memorable: false }));
  }
  expect(store.pace("den", 60_000)).toBe(60);
  expect(store.pace("den", 10_000)).toBe(10);
  expect(store.pace("attic", 60_000)).toBe(0);
  nowMs += 600_000;
  store.add(say("tick"));
  expect(store.pace("den", 600_000)).toBe(1);
  nowMs += 3_600_000;
  expect(store.pace("den", 600_000)).toBe(0);
});

test("ids ascend, and none is used again after everything was pruned", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
      (sizes) => {
        const { db, store } = openStore();
        let last = 0;
        for (const size of sizes) {
          const added = Array.from({ length: size }, (_, n) => store.add(say(`line ${n}`)));
          store.flush();
          for (const { id } of added) {
            expect(id).toBe(last + 1);
            last += 1;
          }
          expect(store.retention.expireTexts(1_000 + DAY_MS, 100)).toBe(size);
          expect(store.retention.pruneOldest(1_000 + DAY_MS, 100).pruned).toBe(size);
          expect(rows(db)).toEqual([]);
        }
      },
    ),
    { numRuns: 20 },
  );
});

test("lines are found by person and by message in every chunk of 4,096", () => {
  const { db, store } = openStore();
  db.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 4094)");
  for (const n of [1, 2, 3]) store.add(say(`lantern ${n}`, { messageId: `m-${n}` }));
  const [channel, userId] = ["den", "wren"];
  expect(store.latestOf(channel, userId, 2, null).map(({ text }) => text)).toEqual([
    "lantern 2",
    "lantern 3",
  ]);
  expect(store.latestOf(channel, userId, 5, 4096).map(({ id }) => id)).toEqual([4095]);
  expect(store.byMessageId("m-1")?.id).toBe(4095);
  store.remove({ by: "message", messageId: "m-1" });
  expect(store.byMessageId("m-1")).toBeNull();
  store.remove({ by: "person", channel: channel, userId: userId, login: "" });
  expect(store.latestOf(channel, userId, 5, null)).toEqual([]);
});

test("a thousand lines at once are written in few commits", () => {
  const batches: number[] = [];
  const { db, store } = openStore({ onFlushed: (events) => batches.push(events.length) });
  for (let n = 0; n < 1_000; n += 1) store.add(say(`lantern ${n}`, { messageId: `m-${n}` }));
  store.flush();
  expect([rows(db).length, batches.length]).toEqual([1_000, 1]);
});

const waiting = (db: Db) => new WindowEvents(db, () => 0).countWaiting("den", DAY_MS).events;

function summarise(db: Db, ids: readonly number[]): void {
  db.exec(`INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at)
           VALUES (1, 'den', 'window', 1, 0, 0, 0)`);
  for (const id of ids) db.prepare("UPDATE events SET episode_id = 1 WHERE id = ?").run(id);
}

test("a text goes when it runs out and not before, in slices", () => {
  let nowMs = 0;
  const { db, store } = openStore({ now: () => nowMs });
  for (nowMs = 1; nowMs <= 5; nowMs += 1) store.add(say(`line ${nowMs}`));
  store.flush();
  expect(store.retention.expireTexts(DAY_MS, 100)).toBe(0);
  expect(store.retention.expireTexts(DAY_MS + 3, 2)).toBe(2);
  expect(texts(db)).toEqual([null, null, "line 3", "line 4", "line 5"]);
  expect(store.retention.expireTexts(DAY_MS + 3, 2)).toBe(1);
  expect(store.retention.expireTexts(DAY_MS + 3, 2)).toBe(0);
  expect(rows(db)).toHaveLength(5);
});

test("a text that ran out is no removed text, and does not wait any more", () => {
  const { db, store } = openStore();
  store.add(say("line"));
  store.flush();
  expect(waiting(db)).toBe(1);
  store.retention.expireTexts(1_000 + DAY_MS, 10);
  expect(waiting(db)).toBe(0);
  expect(rows(db)[0]).toMatchObject({ text: null, removed_at: null });
});

test("rows leave from the old end only, and only without a text", () => {
  let nowMs = 0;
  const { db, store } = openStore({ now: () => nowMs });
  const left = () => rows(db).map(({ id }) => id);
  for (const at of [1, 2, 9, 3, 4]) {
    nowMs = at;
    store.add(say(`line ${at}`));
  }
  store.flush();
  expect(store.retention.pruneOldest(DAY_MS + 5, 100)).toEqual({ pruned: 0, unsummarised: 0 });
  store.retention.expireTexts(DAY_MS + 5, 100);
  expect(store.retention.pruneOldest(DAY_MS + 5, 1).pruned).toBe(1);
  expect(store.retention.pruneOldest(DAY_MS + 5, 100).pruned).toBe(1);
  expect(store.retention.pruneOldest(DAY_MS + 5, 100).pruned).toBe(0);
  expect(left()).toEqual([3, 4, 5]);
  store.retention.expireTexts(DAY_MS + 9, 100);
  expect(store.retention.pruneOldest(DAY_MS + 9, 100).pruned).toBe(3);
  expect(left()).toEqual([]);
});

test("what could have been summarised and never was is counted when it goes", () => {
  const { db, store } = openStore();
  store.add(say("summarised"));
  store.add(say("never summarised"));
  store.add(say("a bot's", { memorable: false }));
  store.add(say("deleted", { messageId: "m" }));
  store.add(deletion("m"));
  summarise(db, [1]);
  store.retention.expireTexts(1_000 + DAY_MS, 100);
  expect(store.retention.pruneOldest(1_000 + DAY_MS, 100)).toEqual({ pruned: 5, unsummarised: 1 });
});
