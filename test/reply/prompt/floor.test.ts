import { expect, test } from "vitest";
import { z } from "zod";
import { toConfig } from "../../../src/config/load.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { refuseTightBudget } from "../../../src/reply/assemble.ts";

test("the smallest budget that may be set has room for the default persona", () => {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const prompt = schema.properties?.["prompt"];
  const budget = typeof prompt === "object" ? prompt.properties?.["budgetTokens"] : undefined;
  const budgetTokens = typeof budget === "object" ? (budget.minimum ?? 0) : 0;
  expect(budgetTokens).toBeGreaterThan(0);
  refuseTightBudget(toConfig({ channel: "a", prompt: { budgetTokens } }, "."), 1);
});
