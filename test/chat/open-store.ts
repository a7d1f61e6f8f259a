import { onTestFinished } from "vitest";
import { EventStore, type EventStoreOptions } from "../../src/chat/event-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";

export const DAY_MS = 86_400_000;

/** A store on a database of the running test's own, at 1,000 ms past the epoch, with 24 h to live. */
export function openStore(
  options: Partial<EventStoreOptions> = {},
  file = ":memory:",
): { db: Db; store: EventStore } {
  const db = openDatabase(file, { busyTimeoutMs: 0 });
  const store = new EventStore(db, { now: () => 1_000, expiryMs: DAY_MS, ...options });
  onTestFinished(() => {
    store.close();
    db.close();
  });
  return { db, store };
}

/** Every event as it stands in the table, in order of arrival. */
export function rows(db: Db): Record<string, unknown>[] {
  return db.prepare<[], Record<string, unknown>>("SELECT * FROM events ORDER BY id").all();
}

export function texts(db: Db): unknown[] {
  return rows(db).map(({ text }) => text);
}
