import { expect, test } from "vitest";
import { EventStore } from "../../src/chat/event-store.ts";
import { openViewerStore } from "../../src/chat/viewer-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";

/** Every statement that a function prepares on a database. */
function prepared(db: Db, use: () => void): string[] {
  const statements: string[] = [];
  const spied = new Proxy(db.prepare, {
    apply: (target, self, args: [string]) => {
      statements.push(args[0]);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(db, "prepare", { value: spied, configurable: true });
  use();
  Reflect.deleteProperty(db, "prepare");
  return statements;
}

function plan(db: Db, sql: string): string[] {
  const unknowns = [...sql.matchAll(/\?/g)].map(() => null);
  const named = [...sql.matchAll(/[@:$](\w+)/g)].map(([, name = ""]) => [name, null]);
  return db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...unknowns, ...(named.length === 0 ? [] : [Object.fromEntries(named)]))
    .map(({ detail }) => detail);
}

/** The tables that a statement reads from end to end. Its own subqueries and lists, which are bounded, are none. */
function scans(db: Db, sql: string): string[] {
  const steps = plan(db, sql);
  const own = new Set(
    steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(step)?.[1] ?? []),
  );
  return steps
    .flatMap((step) => /^SCAN (\S+)/.exec(step)?.[1] ?? [])
    .filter((table) => table !== "CONSTANT" && table !== "json_each" && !own.has(table));
}

test("every statement goes by an index", () => {
  const db = openDatabase(":memory:");
  const statements = prepared(db, () => {
    const store = new EventStore(db, { now: () => 0, expiryMs: 1 });
    openViewerStore(db, store.flush);
    store.retention.capEnds(0, 1);
    store.retention.expireTexts(0, 1);
    store.retention.pruneOldest(0, 1);
  });
  expect(statements.length).toBeGreaterThan(15);
  const scanning = statements.filter((sql) => scans(db, sql).length > 0);
  expect(scanning).toEqual([]);
  db.close();
});

test("one person's lines and texts are found by the person, not through the whole channel", () => {
  const db = openDatabase(":memory:");
  const ofPerson = prepared(db, () => new EventStore(db, { now: () => 0, expiryMs: 1 })).filter(
    (sql) => sql.includes("user_id = ?") && /(UPDATE|FROM) events/.test(sql),
  );
  // Their lines, the chunks that have some, their last message, and their texts.
  expect(ofPerson).toHaveLength(4);
  for (const sql of ofPerson) expect(plan(db, sql).join()).toContain("INDEX events_by_user");
  db.close();
});

test("the bot's own messages are found by their own index, not through the whole channel", () => {
  const db = openDatabase(":memory:");
  const [ofBot = ""] = prepared(db, () => new EventStore(db, { now: () => 0, expiryMs: 1 })).filter(
    (sql) => sql.startsWith("SELECT e.id") && sql.includes("e.kind = 'bot'"),
  );
  expect(plan(db, ofBot).join()).toContain("INDEX events_own");
  db.close();
});
