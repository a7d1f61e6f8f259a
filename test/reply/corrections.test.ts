import { expect, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openLlmCallStore, openModelCorrections } from "../../src/models/call-store.ts";

const MODEL = "m1";

/** A reply's call as the gate writes it down, and what the turn learns from it. */
function call(db: Db, corrections: ReturnType<typeof openModelCorrections>, promptTokens: number) {
  corrections.learn(MODEL, 1_000, promptTokens);
  openLlmCallStore(db).add({
    purpose: "reply",
    model: MODEL,
    promptTokens,
    cachedTokens: 0,
    outputTokens: 10,
    estimatedTokens: 1_000,
    latencyMs: 1,
    outcome: "ok",
    dollars: null,
    createdAtMs: 1,
  });
}

test("what was learned of a model's counts is there after a restart, each model's its own", () => {
  const db = openDatabase(":memory:");
  const corrections = openModelCorrections(openLlmCallStore(db));
  for (let n = 0; n < 40; n += 1) call(db, corrections, n < 20 ? 1_200 : 1_300 + n);
  const factor = corrections.factor(MODEL);
  expect(factor).toBeGreaterThan(1.3);
  const restarted = openModelCorrections(openLlmCallStore(db));
  expect(restarted.factor(MODEL)).toBeCloseTo(factor, 6);
  expect(restarted.factor("m2")).toBe(1);
});

test("a count that cannot be one teaches nothing, before a restart and after", () => {
  const db = openDatabase(":memory:");
  const corrections = openModelCorrections(openLlmCallStore(db));
  call(db, corrections, 1_100);
  for (const lie of [0, 1, 90_000]) call(db, corrections, lie);
  corrections.learn(MODEL, 1_000, null);
  expect(corrections.factor(MODEL)).toBeCloseTo(1.1, 12);
  expect(openModelCorrections(openLlmCallStore(db)).factor(MODEL)).toBeCloseTo(1.1, 12);
});
