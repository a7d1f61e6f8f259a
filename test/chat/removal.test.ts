import fc from "fast-check";
import { expect, test } from "vitest";
import { EventStore } from "../../src/chat/event-store.ts";
import type { RemovedText } from "../../src/chat/normalise.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openStore } from "./open-store.ts";
import { CLEAR, deletion, say, timeout } from "./say.ts";

function open() {
  const removed: RemovedText[] = [];
  const onRemoved = (what: RemovedText) => removed.push(what);
  return { ...openStore({ now: () => 5_000, expiryMs: 1, onRemoved }), removed };
}

function kept(db: Db): string[] {
  return db
    .prepare<[], string>("SELECT text FROM events WHERE text IS NOT NULL ORDER BY id")
    .pluck()
    .all();
}

test.each([true, false])(
  "a deletion takes its message's text (written before: %s)",
  (isWritten) => {
    const { db, store, removed } = open();
    store.add(say("rude words", { messageId: "m", by: "tarn" }));
    store.add(say("kind words", { messageId: "n", by: "tarn" }));
    if (isWritten) store.flush();
    store.add(deletion("m"));
    expect(kept(db)).toEqual(["kind words"]);
    expect(removed).toEqual([
      {
        removal: { by: "message", messageId: "m" },
        userId: "tarn",
        messageIds: ["m"],
        eventIds: [1],
      },
    ]);
    const row = "SELECT removed_at AS removedAt, memorable FROM events WHERE id = 1";
    expect(db.prepare(row).get()).toEqual({ removedAt: 5_000, memorable: 0 });
    expect(db.prepare("SELECT user_id FROM events WHERE kind = 'deletion'").pluck().get()).toBe(
      "tarn",
    );
  },
);

test("a deletion that overtakes its message takes its text all the same", () => {
  const { db, store } = open();
  store.add(deletion("m"));
  store.add(say("rude words", { messageId: "m" }));
  store.flush();
  expect(kept(db)).toEqual([]);
  const removedAt = "SELECT removed_at FROM events WHERE kind = 'message'";
  expect(db.prepare(removedAt).pluck().get()).toBe(5_000);
});

test.each([true, false])(
  "a timeout takes that user's texts in that channel, and no later ones (written before: %s)",
  (isWritten) => {
    const { db, store, removed } = open();
    store.add(say("rude words", { by: "tarn", messageId: "m" }));
    store.add(say("somebody else's"));
    store.add(say("in another channel", { by: "tarn", channel: "attic" }));
    if (isWritten) store.flush();
    store.add(timeout("tarn", "tarn"));
    store.add(say("sorry", { by: "tarn" }));
    store.flush();
    expect(kept(db)).toEqual(["somebody else's", "in another channel", "sorry"]);
    expect(removed).toMatchObject([{ userId: "tarn", messageIds: ["m"], eventIds: [1] }]);
  },
);

test.each([true, false])(
  "a timeout that names only a login takes the texts of its holders (written before: %s)",
  (isWritten) => {
    const { db, store } = open();
    store.add(say("rude words", { by: "tarn" }));
    store.add(say("kind words"));
    if (isWritten) store.flush();
    store.add(timeout(null, "tarn"));
    expect(kept(db)).toEqual(["kind words"]);
  },
);

test.each([true, false])(
  "a clear takes every text of its channel (written before: %s)",
  (isWritten) => {
    const { db, store, removed } = open();
    store.add(say("one", { messageId: "m1" }));
    store.add(say("two", { by: "nightbot", memorable: false }));
    store.add(say("three", { channel: "attic" }));
    if (isWritten) store.flush();
    store.add(CLEAR);
    expect(kept(db)).toEqual(["three"]);
    expect(removed).toMatchObject([{ userId: null, messageIds: ["m1"], eventIds: [1, 2] }]);
  },
);

test("texts can be removed without a moderator's event", () => {
  const { db, store, removed } = open();
  for (const by of ["wren", "tarn", "moss"]) store.add(say(`by ${by}`, { by, messageId: by }));
  store.remove({ by: "message", messageId: "moss" });
  expect(kept(db)).toEqual(["by wren", "by tarn"]);
  store.remove({ by: "person", channel: "den", userId: "tarn", login: "" });
  expect(kept(db)).toEqual(["by wren"]);
  store.remove({ by: "channel", channel: "den" });
  expect(kept(db)).toEqual([]);
  expect(removed.map(({ eventIds }) => eventIds)).toEqual([[3], [2], [1]]);
  expect(db.prepare("SELECT count(*) FROM events").pluck().get()).toBe(3);
});

type Step =
  | { readonly do: "say"; readonly by: string; readonly id: string }
  | { readonly do: "delete"; readonly id: string }
  | { readonly do: "timeout"; readonly by: string; readonly isNamed: boolean }
  | { readonly do: "clear" }
  | { readonly do: "flush" };

const by = fc.constantFrom("wren", "tarn", "moss");
const id = fc.constantFrom(..."abcdefgh");
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("say" as const), by, id }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), id }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("timeout" as const), by, isNamed: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("flush" as const) }) },
  ),
  { maxLength: 40 },
);

/** What must be readable in the end: a plain account of the rules, without buffer or database. */
function expected(script: readonly Step[]): string[] {
  let open: { by: string; id: string; text: string }[] = [];
  const seen = new Set<string>();
  const deleted = new Set<string>();
  script.forEach((step, n) => {
    if (step.do === "say" && !seen.has(step.id)) {
      seen.add(step.id);
      if (!deleted.has(step.id)) open.push({ ...step, text: `text ${n}` });
    }
    if (step.do === "delete") {
      deleted.add(step.id);
      open = open.filter((line) => line.id !== step.id);
    }
    if (step.do === "timeout") open = open.filter((line) => line.by !== step.by);
    if (step.do === "clear") open = [];
  });
  return open.map(({ text }) => text);
}

function play(store: EventStore, step: Step, n: number): void {
  switch (step.do) {
    case "say":
      store.add(say(`text ${n}`, { by: step.by, messageId: step.id }));
      return;
    case "delete":
      store.add(deletion(step.id));
      return;
    case "timeout":
      store.add(timeout(step.isNamed ? null : step.by, step.by));
      return;
    case "clear":
      store.add(CLEAR);
      return;
    case "flush":
      store.flush();
  }
}

test("whatever the order, what was removed cannot be read and what was not can", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (script, isHeldUp) => {
      const db = openDatabase(":memory:");
      const store = new EventStore(db, { now: () => 5_000, expiryMs: 1 });
      if (isHeldUp) db.exec("BEGIN");
      script.forEach((step, n) => {
        play(store, step, n);
      });
      if (isHeldUp) db.exec("COMMIT");
      const read = store.latestOfViewers("den", 100);
      expect(read.map(({ text }) => text)).toEqual(expected(script));
      expect(kept(db)).toEqual(expected(script));
      const ids = db.prepare<[], number>("SELECT id FROM events ORDER BY rowid").pluck().all();
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
      db.close();
    }),
    { numRuns: 50 },
  );
});
