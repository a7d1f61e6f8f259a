import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { type LlmCallRow, openLlmCallStore, openSpendWindow } from "../../src/models/call-store.ts";

const WINDOW_MS = 1_000;

const row = (createdAtMs: number, overrides: Partial<LlmCallRow> = {}): LlmCallRow => ({
  purpose: "reply",
  model: "m",
  promptTokens: 80,
  cachedTokens: 0,
  outputTokens: 20,
  estimatedTokens: 90,
  latencyMs: 500,
  outcome: "ok",
  dollars: 0.25,
  createdAtMs,
  ...overrides,
});

test("reading as time goes gives what summing anew gives, also when the clock is set back", () => {
  const step = fc.record({
    moveMs: fc.integer({ min: -200, max: 700 }),
    added: fc.array(fc.constantFrom("reply", "summarise", "extract", "rerank"), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const db = openDatabase(":memory:");
      const store = openLlmCallStore(db);
      const window = openSpendWindow(store, WINDOW_MS);
      let nowMs = 10_000;
      for (const { moveMs, added } of steps) {
        nowMs += moveMs;
        for (const purpose of added) store.add(row(nowMs, { purpose }));
        const anew = openSpendWindow(store, WINDOW_MS).read(nowMs);
        expect(window.read(nowMs)).toEqual(anew);
      }
      db.close();
    }),
    { numRuns: 40 },
  );
});

test("what the server turned away costs no tokens, what it did not count costs the estimate", () => {
  const db = openDatabase(":memory:");
  const store = openLlmCallStore(db);
  const uncounted = { promptTokens: null, outputTokens: null };
  store.add(row(1, { ...uncounted, outcome: "rate_limit" }));
  store.add(row(2, { ...uncounted, outcome: "timeout" }));
  store.add(row(3, uncounted));
  expect(openSpendWindow(store, WINDOW_MS).read(4).reply).toMatchObject({ calls: 3, tokens: 180 });
  db.close();
});

test("with 20,000 calls in the last day the look at what was spent costs what it does with 200", () => {
  expect(lookMs(20_000)).toBeLessThan(lookMs(200) * 10);
});

/** The median time of a look, in ms, with so many calls in the window: one comes and one leaves before each. */
function lookMs(calls: number): number {
  const db = openDatabase(":memory:");
  const store = openLlmCallStore(db);
  const spacingMs = 4_000;
  db.transaction(() => {
    for (let n = 1; n <= calls; n += 1) store.add(row(n * spacingMs));
  })();
  const window = openSpendWindow(store, calls * spacingMs);
  let nowMs = calls * spacingMs;
  window.read(nowMs);
  const times = Array.from({ length: 500 }, () => {
    nowMs += spacingMs;
    store.add(row(nowMs));
    const startedAt = performance.now();
    window.read(nowMs);
    return performance.now() - startedAt;
  });
  db.close();
  return times.toSorted((a, b) => a - b)[250] ?? Number.NaN;
}
