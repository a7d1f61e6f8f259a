import { expect, test } from "vitest";
import { prepareWindowEvents } from "../../src/chat/event-reads-store.ts";
import type { Db } from "../../src/database/open-database.ts";
import { DAY_MS, openStore, rows, texts } from "./open-store.ts";
import { deletion, say } from "./say.ts";

const waiting = (db: Db) => prepareWindowEvents(db).waiting("den", DAY_MS).events;

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
