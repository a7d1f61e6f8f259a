import { expect, test } from "vitest";
import { EventStore } from "../../src/chat/event-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { say } from "./say.ts";

/** Chat around the end of a chunk of 4,096 rows: the next event is the last one in it. */
function openAtEnd() {
  const db = openDatabase(":memory:");
  db.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 4094)");
  const store = new EventStore(db, { now: () => 1_000, expiryMs: 60_000 });
  return { db, store };
}

test("a message is stored once, also where it comes again in the next chunk", () => {
  const { db, store } = openAtEnd();
  store.add(say("the lantern is lit", { messageId: "m-1" }));
  store.flush();
  store.add(say("the lantern is lit", { messageId: "m-1" }));
  store.add(say("and out again", { messageId: "m-2" }));
  store.add(say("and out again", { messageId: "m-2" }));
  store.flush();
  const ids = db.prepare("SELECT id, message_id FROM events ORDER BY id").raw().all();
  expect(ids).toEqual([
    [4095, "m-1"],
    [4096, "m-2"],
  ]);
  expect(store.counts().duplicates).toBe(2);
  db.close();
});

test("lines are found by person and by message in every chunk", () => {
  const { db, store } = openAtEnd();
  for (const n of [1, 2, 3]) store.add(say(`lantern ${n}`, { messageId: `m-${n}` }));
  const [channel, userId] = ["den", "wren"];
  expect(store.ownRecent(channel, userId, 2).map(({ text }) => text)).toEqual([
    "lantern 2",
    "lantern 3",
  ]);
  expect(store.ownRecent(channel, userId, 5, 4096).map(({ id }) => id)).toEqual([4095]);
  expect(store.byMessageId("m-1")?.id).toBe(4095);
  store.remove({ by: "message", messageId: "m-1" });
  expect(store.byMessageId("m-1")).toBeNull();
  store.remove({ by: "person", channel: channel, userId: userId, login: "" });
  expect(store.ownRecent(channel, userId, 5)).toEqual([]);
  db.close();
});
