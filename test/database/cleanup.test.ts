import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Cleanup, readCleanupState } from "../../src/database/cleanup.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { failingWrites } from "../stand-ins/failing-writes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const MINUTE_MS = 60_000;

function open() {
  const db = openDatabase(join(temporaryFolder(), "forgetmenot.db"));
  onTestFinished(() => void db.close());
  const clock = { nowMs: 1_760_000_000_000 };
  const raised: string[] = [];
  const notices = {
    raise: (kind: string) => void raised.push(kind),
    clear: () => undefined,
  };
  const now = () => clock.nowMs;
  const start = () => new Cleanup(db, now, notices);
  return { db, clock, raised, now, start, state: () => readCleanupState(db, now) };
}

function forget(db: Db, who: string): void {
  db.prepare("INSERT INTO forgets (who, forgotten_at) VALUES (?, 1)").run(who);
}

function removeNote(db: Db): void {
  db.exec(`INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind,
      created_at, last_confirmed_at) VALUES ('den', 'viewer', '5', 'profile', 'a fact', 1, 'active', 'extracted', 1, 1);
    DELETE FROM semantic_notes`);
}

test("a forget is cleaned at once, again and again", () => {
  const { db, start, state } = open();
  const cleanup = start();
  for (const who of ["h:1", "h:2"]) {
    forget(db, who);
    expect(state().due).toBe("now");
    cleanup.run();
    expect(state()).toMatchObject({ due: null, pendingSinceMs: null });
  }
});

test("other removals from memory are cleaned once in ten minutes", () => {
  const { db, clock, start, state } = open();
  const cleanup = start();
  removeNote(db);
  cleanup.run();
  expect(state().due).toBeNull();
  removeNote(db);
  clock.nowMs += 9 * MINUTE_MS;
  cleanup.run();
  expect(state().due).toBe("soon");
  clock.nowMs += MINUTE_MS;
  cleanup.run();
  expect(state().due).toBeNull();
});

test("what is due outlives the process", () => {
  const { db, start, state } = open();
  start();
  forget(db, "h:1");
  start().run();
  expect(state().due).toBeNull();
});

test("it stays pending while another program reads the database", () => {
  const { db, clock, start, state } = open();
  const cleanup = start();
  forget(db, "h:1");
  const reader = openDatabase(db.name);
  reader.exec("BEGIN; SELECT count(*) FROM forgets");
  const sinceMs = clock.nowMs;
  cleanup.run();
  clock.nowMs += MINUTE_MS;
  cleanup.run();
  expect(state().pendingSinceMs).toBe(sinceMs);
  reader.close();
  cleanup.run();
  expect(state()).toMatchObject({ due: null, pendingSinceMs: null });
});

test("a removed line alone needs no VACUUM, and waits for a reader of the log", () => {
  const { db, start, state } = open();
  const cleanup = start();
  const reader = openDatabase(db.name);
  db.exec("INSERT INTO switches VALUES ('paused', 0, 'cli', 1)");
  reader.exec("BEGIN; SELECT count(*) FROM switches");
  cleanup.markRemoved();
  cleanup.run();
  expect(state()).toMatchObject({ due: null, endedAtMs: null });
  expect(state().pendingSinceMs).not.toBeNull();
  reader.close();
  cleanup.run();
  expect(state()).toMatchObject({ pendingSinceMs: null, endedAtMs: null });
});

test("a VACUUM waits for a reply in progress, half a minute at most", () => {
  const { db, clock, start, state } = open();
  const cleanup = start();
  void cleanup.whileReplying(() => new Promise(() => undefined));
  forget(db, "h:1");
  cleanup.run();
  expect(state().due).toBe("now");
  clock.nowMs += 31_000;
  cleanup.run();
  expect(state().due).toBeNull();
});

test("a failure raises a notice, is tried again, and ends with success", () => {
  const { db, clock, raised, start, state } = open();
  const cleanup = start();
  forget(db, "h:1");
  const writes = failingWrites();
  writes.armAll("SQLITE_FULL");
  cleanup.run();
  expect(raised).toEqual(["cleanup_failed"]);
  writes.disarm();
  cleanup.run();
  expect(state().due).toBe("now");
  clock.nowMs += MINUTE_MS;
  cleanup.run();
  expect(state()).toMatchObject({ due: null, failure: null });
});
