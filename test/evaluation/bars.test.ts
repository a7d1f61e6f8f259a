import { beforeAll, expect, test } from "vitest";
import { AGES, type Evaluation, evaluate, openFactsModel } from "../../src/evaluation/replay.ts";
import type { StrategyName } from "../../src/evaluation/replay-room.ts";
import { loadScenario, SHIPPED } from "../../src/evaluation/scenario.ts";

const run = (names: readonly string[]): Promise<Evaluation> =>
  evaluate({
    scenarios: names.map(loadScenario),
    strategies: ["seed", "shipped"],
    llmFor: openFactsModel,
    model: "offline",
  });

let whole: Evaluation;
// The dearest thing that the tests do: once, for all of them.
beforeAll(async () => {
  whole = await run(SHIPPED);
}, 120_000);

test("the shipped scenarios tell the strategies apart, and the shipped order holds its bars", () => {
  const { recall, scenarios, survival } = whole;
  const of = (name: StrategyName) => {
    const found = recall.find(({ strategy }) => strategy === name);
    if (found === undefined) throw new Error("not measured");
    return found;
  };
  for (const { strategy, byAge } of recall) {
    const cells = AGES.map((age) => `${age}: ${byAge[age].share.toFixed(2)} of ${byAge[age].of}`);
    process.stdout.write(`${strategy.padEnd(11)} ${cells.join(", ")}\n`);
  }
  const [shipped, seed] = [of("shipped"), of("seed")];
  for (const age of AGES) {
    expect(shipped.byAge[age].of, age).toBeGreaterThanOrEqual(age === "0" ? 9 : 50);
    // What was just told is all that the seed shows; what is asked for outranks it.
    const atLeast = age === "0" ? 0.95 : seed.byAge[age].share;
    expect(shipped.byAge[age].share, age).toBeGreaterThanOrEqual(atLeast);
  }
  expect(seed.byAge["10+"].share).toBeLessThanOrEqual(0.3);
  for (const age of AGES) expect(shipped.byAge[age].share, age).toBeGreaterThanOrEqual(0.9);
  // In scenarios whose notes are made too, a corrected fact is not shown any more.
  expect(shipped.stale).toBe(0);
  expect(survival.note / survival.told).toBeGreaterThanOrEqual(0.9);
  for (const { scenario, audit, prompts, othersMin } of scenarios) {
    expect(audit, scenario).toMatchObject({ duplicates: 0, orphans: 0 });
    expect(prompts.overBudget, scenario).toBe(0);
    expect(othersMin, scenario).toBeGreaterThanOrEqual(30);
  }
});

test("the same scenario twice gives the same figures to the last digit, whatever ran before it", async () => {
  const [one, other] = [await run(["corrections"]), await run(["corrections"])];
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  const among = whole.scenarios.find(({ scenario }) => scenario === "corrections");
  expect(JSON.stringify(one.scenarios[0])).toBe(JSON.stringify(among));
}, 60_000);
