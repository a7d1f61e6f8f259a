import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { LlmCallStore } from "../../src/models/call-store.ts";

const MODEL = "m1";

/** Opens a store with the calls of one reply for each count. Each was estimated at 1,000 tokens. */
function openStore(counts: readonly (number | null)[]) {
  const store = new LlmCallStore(openDatabase(":memory:"));
  const usage = { cachedTokens: 0, outputTokens: 10, estimatedTokens: 1_000 };
  const call = { ...usage, purpose: "reply", model: MODEL, outcome: "ok" } as const;
  for (const promptTokens of counts)
    store.add({ ...call, promptTokens, latencyMs: 1, dollars: null, createdAtMs: 1 });
  return store;
}

test("a model's estimates are corrected by its counts, each model's by its own", () => {
  const store = openStore([1_200, 1_300, 1_100]);
  expect(store.correction(MODEL)).toBeCloseTo(1.2, 12);
  expect(store.correction("m2")).toBe(1);
});

test("the correction follows a model that counts otherwise from now on", () => {
  const counts = Array.from({ length: 30 }, (_, n) => (n < 10 ? 1_500 : 1_000));
  expect(openStore(counts).correction(MODEL)).toBeCloseTo(1, 12);
});

test("a count that cannot be one teaches nothing", () => {
  expect(openStore([1_100, 0, 1, 90_000, null]).correction(MODEL)).toBeCloseTo(1.1, 12);
});

test("the correction stays within 0.7 and 1.6 whatever a provider reports", () => {
  const counts = fc.array(fc.nat({ max: 3_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(counts, (all) => {
      const factor = openStore(all).correction(MODEL);
      expect(factor).toBeGreaterThanOrEqual(0.7);
      expect(factor).toBeLessThanOrEqual(1.6);
    }),
    { numRuns: 40 },
  );
});
