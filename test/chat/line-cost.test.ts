import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventStore } from "../../src/chat/event-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { say } from "./say.ts";

const LINES_BEFORE = 20_000;
const LINES_A_BATCH = 150;
const BATCHES = 40;
const OVER_ALL_OF_THE_TABLE = `
  DROP INDEX events_by_message; CREATE UNIQUE INDEX events_by_message ON events (message_id);
  DROP INDEX events_by_user; CREATE INDEX events_by_user ON events (user_id, id);`;

/** Scattered like the ids of Twitch, and the same in each run. */
function idOf(n: number): string {
  const [high, low] = [(n * 2_654_435_761) % 4_294_967_296, (n * 40_503) % 65_536];
  return `${high.toString(16).padStart(8, "0")}-${low.toString(16)}-4d1f-a3c7-0242ac120002`;
}

/** The bytes of write-ahead log for a line of a busy channel, behind as much chat as makes indexes deep. */
function bytesOfLine(otherIndexes: string): number {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const db = openDatabase(file);
  db.exec(otherIndexes);
  const store = eventStore(db, { now: () => 1_000, expiryMs: 60_000, flushRows: 1_000_000 });
  let said = 0;
  const line = (): void => {
    said += 1;
    const by = `viewer${(said * 7_919) % 300}`;
    store.add(say("the lantern of the next street is lit", { by, messageId: idOf(said) }));
  };
  while (said < LINES_BEFORE) line();
  store.flush();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.pragma("wal_autocheckpoint = 0");
  while (said < LINES_BEFORE + BATCHES * LINES_A_BATCH) {
    for (let n = 0; n < LINES_A_BATCH; n += 1) line();
    store.flush();
  }
  expect(store.counts().events).toBe(said);
  const walBytes = statSync(`${file}-wal`).size;
  db.close();
  return walBytes / (BATCHES * LINES_A_BATCH);
}

test("a line writes less than half of what it would with indexes over all of the table", () => {
  expect(bytesOfLine("")).toBeLessThan(bytesOfLine(OVER_ALL_OF_THE_TABLE) / 2);
}, 60_000);

test("a thousand lines at once are written in few commits", () => {
  let commits = 0;
  const db = openDatabase(":memory:");
  const onFlushed = (): void => {
    commits += 1;
  };
  const store = eventStore(db, { now: () => 1_000, expiryMs: 60_000, onFlushed });
  for (let n = 0; n < 1_000; n += 1) store.add(say(`lantern ${n}`, { messageId: `m-${n}` }));
  expect(store.counts().events).toBe(1_000);
  expect(commits).toBeLessThanOrEqual(2);
  db.close();
});
