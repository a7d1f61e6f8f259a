import { expect, test } from "vitest";
import { findTraits, PROVIDERS } from "../../src/catalogue/providers.ts";
import { calculateDollars, getPrice } from "../../src/models/call-store.ts";
import { getNextPacificMidnight } from "../../src/models/gemini.ts";
import { Breaker } from "../../src/models/model-gate.ts";

test.each([
  ["gemini-3.5-flash-lite", { kind: "level", lowest: "minimal" }],
  ["models/gemini-3.5-flash-lite-001", { kind: "level", lowest: "minimal" }],
  ["gemini-3.7-flash", { kind: "level", lowest: "low" }],
  ["gemini-3-pro-preview", { kind: "level", lowest: "low" }],
  ["gemini-2.5-pro", { kind: "budget", lowest: 128 }],
  ["gemini-2.5-flash-lite", { kind: "budget", lowest: 0 }],
  ["gemini-9", { kind: "none" }],
])("%s thinks as little as it can be told to", (model, thinking) => {
  expect(findTraits(PROVIDERS.gemini, model).reasoning).toEqual(thinking);
});

test("an unknown model behind an OpenAI-compatible endpoint is taken for a plain one", () => {
  expect(findTraits(PROVIDERS["openai-compatible"], "llama3.2")).toMatchObject({
    takesTemperature: true,
    limitField: "max_tokens",
  });
});

test("a known price counts cached tokens apart, an unknown model has none, and the operator's own wins", () => {
  const price = getPrice("gemini-3.5-flash-lite", {});
  const usage = { promptTokens: 3_000_000, cachedTokens: 1_000_000, outputTokens: 1_000_000 };
  expect(price && calculateDollars(price, usage, 0)).toBeCloseTo(0.6 + 0.03 + 2.5, 9);
  expect(getPrice("llama3.2", {})).toBeNull();
  expect(getPrice("constructor", {})).toBeNull();
  const own = { input: 1, cached: 1, output: 1 };
  expect(getPrice("gemini-3.5-flash-lite", { "gemini-3.5-flash-lite": own })).toBe(own);
});

test.each([
  ["in summer", "2026-07-01T12:00:00Z", "2026-07-02T07:00:00Z"],
  ["in winter", "2026-12-01T12:00:00Z", "2026-12-02T08:00:00Z"],
  ["late in the evening there", "2026-07-02T06:59:59Z", "2026-07-02T07:00:00Z"],
  ["at midnight", "2026-07-02T07:00:00Z", "2026-07-03T07:00:00Z"],
  ["on the day clocks go forward", "2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"],
  ["on the day clocks go back", "2026-11-01T07:30:00Z", "2026-11-02T08:00:00Z"],
])("midnight in California, %s", (_when, from, to) => {
  expect(new Date(getNextPacificMidnight(Date.parse(from))).toISOString()).toBe(
    new Date(to).toISOString(),
  );
});

test("each probe that fails doubles the pause, up to five minutes", () => {
  const breaker = new Breaker();
  let nowMs = 0;
  for (let n = 0; n < 5; n += 1) breaker.report("fault", false, nowMs);
  const pauses: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const pass = breaker.admit(nowMs);
    if (pass.kind === "go") throw new Error("it should wait");
    pauses.push(pass.untilMs - nowMs);
    nowMs = pass.untilMs;
    expect(breaker.admit(nowMs)).toEqual({ kind: "go", isProbe: true });
    breaker.report("fault", true, nowMs);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});
