import { expect, test } from "vitest";
import { z } from "zod";
import { JSON_SHAPES, MORE_JSON_SHAPES } from "./json-shapes.ts";
import { openWorkbench, question } from "./workbench.ts";

const schema = z.object({
  topic: z.string(),
  summary: z.string(),
  claims: z.array(
    z.object({ subject: z.string(), statement: z.string(), quotes: z.array(z.string()) }),
  ),
});

test("there are forty shapes", () => {
  expect(JSON_SHAPES).toHaveLength(40);
});

test.each(JSON_SHAPES)("%s teaches something with one paid call", async (_name, answer) => {
  const claim = { subject: "P2", statement: "P2 plays the cello", quotes: ["i play the cello"] };
  expect(await claimsFrom(answer)).toContainEqual(claim);
});

test.each(MORE_JSON_SHAPES)("%s teaches something as well", async (_name, answer) => {
  const claim = { subject: "P3", statement: "P3 züchtet Bienen", quotes: ["ich züchte bienen"] };
  expect(await claimsFrom(answer)).toContainEqual(claim);
});

async function claimsFrom(answer: string) {
  const bench = openWorkbench();
  const usage = { promptTokens: 80, cachedTokens: 0, outputTokens: 20 };
  const llm = bench.gate(async () => ({ ok: true, text: answer, finish: "stop", usage }));
  const asked = await llm.ask(question({ purpose: "summarise", schema }));
  expect(bench.rows()).toHaveLength(1);
  bench.close();
  return schema.parse(asked.ok ? asked.value : null).claims;
}
