import { expect, test } from "vitest";
import { EventStore } from "../../src/chat/event-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { say } from "./say.ts";

test("a thousand lines at once are written in few commits", () => {
  let commits = 0;
  const db = openDatabase(":memory:");
  const onFlushed = (): void => {
    commits += 1;
  };
  const store = new EventStore(db, { now: () => 1_000, expiryMs: 60_000, onFlushed });
  for (let n = 0; n < 1_000; n += 1) store.add(say(`lantern ${n}`, { messageId: `m-${n}` }));
  expect(db.prepare("SELECT count(*) FROM events").pluck().get()).toBe(1_000);
  expect(commits).toBeLessThanOrEqual(2);
  db.close();
});
