import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventStore } from "../../src/events/store.ts";
import { openStore } from "./open-store.ts";
import { deletion, say, timeout } from "./say.ts";

type Act =
  | { readonly do: "say"; readonly by: string }
  | { readonly do: "bot" }
  | { readonly do: "delete"; readonly back: number }
  | { readonly do: "expire" }
  | { readonly do: "read"; readonly limit: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant("say" as const), by: fc.constantFrom("wren", "tarn") }),
  fc.record({ do: fc.constant("say" as const), by: fc.constantFrom("wren", "tarn") }),
  fc.record({ do: fc.constant("read" as const), limit: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant("delete" as const), back: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ do: fc.constantFrom("bot" as const, "expire" as const) }),
);

function perform(store: EventStore, what: Act, n: number): void {
  switch (what.do) {
    case "say":
      store.add(say(`line ${n}`, { by: what.by, messageId: `m${n}` }));
      return;
    case "bot":
      store.add(say(`bot ${n}`, { messageId: `m${n}`, memorable: false }));
      return;
    case "delete":
      store.add(deletion(`m${n - what.back}`));
      return;
    case "expire":
      store.expireTexts(Number.MAX_SAFE_INTEGER, 1);
      return;
    case "read":
  }
}

test("what was read before and what came since are told apart from what lost its text", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (script) => {
      const { db, store } = openStore();
      const latest = db
        .prepare<[number], string>(
          "SELECT text FROM events WHERE text IS NOT NULL AND memorable = 1 ORDER BY id DESC LIMIT ?",
        )
        .pluck();
      for (const [n, what] of script.entries()) {
        perform(store, what, n);
        if (what.do !== "read") continue;
        const read = store.recentChat("den", what.limit).map(({ text }) => text);
        expect(read).toEqual(latest.all(what.limit).reverse());
      }
      db.close();
    }),
    { numRuns: 200 },
  );
});

test("a line that was read is gone from the next read once its viewer is timed out", () => {
  const { store } = openStore();
  store.add(say("mine", { by: "wren", messageId: "m1" }));
  store.add(say("yours", { by: "tarn", messageId: "m2" }));
  expect(store.recentChat("den", 2).map(({ text }) => text)).toEqual(["mine", "yours"]);
  store.add(timeout("wren", "wren", 60));
  expect(store.recentChat("den", 2).map(({ text }) => text)).toEqual(["yours"]);
  store.add(say("ours", { by: "tarn", messageId: "m3" }));
  expect(store.recentChat("den", 2).map(({ text }) => text)).toEqual(["yours", "ours"]);
});
