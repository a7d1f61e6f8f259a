import { expect, test } from "vitest";
import { AGES, type Evaluation, evaluate } from "../../src/evaluation/evaluate.ts";
import { loadScenario, shippedScenarios } from "../../src/evaluation/load-scenario.ts";
import { STRATEGIES, type StrategyName } from "../../src/evaluation/strategies.ts";
import { offlineModel } from "../../src/offline/model.ts";

const run = (names: readonly string[]): Promise<Evaluation> =>
  evaluate({
    scenarios: names.map(loadScenario),
    strategies: STRATEGIES,
    llmFor: () => offlineModel(),
    model: "offline",
  });

test("the shipped scenarios tell the strategies apart, and the shipped order holds its bars", async () => {
  const { recall, scenarios, survival } = await run(shippedScenarios());
  const of = (name: StrategyName) => {
    const found = recall.find(({ strategy }) => strategy === name);
    if (found === undefined) throw new Error("not measured");
    return found;
  };
  for (const { strategy, byAge } of recall) {
    const cells = AGES.map((age) => `${age}: ${byAge[age].share.toFixed(2)} of ${byAge[age].of}`);
    process.stdout.write(`${strategy.padEnd(11)} ${cells.join(", ")}\n`);
  }
  const [shipped, recency] = [of("shipped"), of("recency")];
  for (const age of AGES) {
    expect(shipped.byAge[age].of, age).toBeGreaterThanOrEqual(50);
    expect(shipped.byAge[age].share, age).toBeGreaterThanOrEqual(recency.byAge[age].share);
  }
  expect(recency.byAge["10+"].share).toBeLessThanOrEqual(0.3);
  expect(shipped.byAge["3-9"].share).toBeGreaterThanOrEqual(0.7);
  expect(shipped.byAge["10+"].share).toBeGreaterThanOrEqual(0.7);
  expect(of("no-lexical").byAge["10+"].share).toBeLessThan(shipped.byAge["10+"].share);
  // In scenarios whose notes the offline model makes too, what was corrected is not shown any more.
  expect(shipped.stale).toBe(0);
  expect(survival.note / survival.told).toBeGreaterThanOrEqual(0.9);
  for (const { scenario, audit, prompts, othersMin } of scenarios) {
    expect(audit, scenario).toMatchObject({ duplicates: 0, conflicts: 0, orphans: 0, echoes: 0 });
    expect(prompts.overBudget, scenario).toBe(0);
    expect(othersMin, scenario).toBeGreaterThanOrEqual(30);
  }
}, 120_000);

test("the same scenarios twice give the same figures to the last digit", async () => {
  const names = ["quiet", "corrections"];
  expect(JSON.stringify(await run(names))).toBe(JSON.stringify(await run(names)));
}, 60_000);
