import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseAnswer, toPlainSchema } from "../../src/models/json.ts";
import { JSON_SHAPES, MORE_JSON_SHAPES } from "./json-shapes.ts";
import { openWorkbench, question } from "./workbench.ts";

const schema = z.object({ a: z.string(), b: z.array(z.number()) });

test("brackets and quotes within a string end nothing", () => {
  const value = { a: 'x}"]', b: [1] };
  const text = `Sure. ${JSON.stringify(value)} That is all {really}.`;
  expect(parseAnswer(text, schema)).toEqual({ ok: true, value });
});

test.each([
  "",
  "no",
  "{",
  "{}",
  "null",
  "[]",
  '{"b":[true]}',
  '{"c":"x","d":[1]}',
  '{"a":{},"b":1}',
])("%j is refused with a complaint", (text) => {
  const parsed = parseAnswer(text, schema);
  expect(parsed.ok ? null : parsed.complaint).toMatch(/./);
});

test("items that do not fit are dropped one by one, and forms that are nearly right are mended", () => {
  const notes = z.object({
    notes: z.array(
      z.strictObject({
        kind: z.enum(["fact", "joke"]),
        claims: z.array(z.int()).max(2),
        note: z.int().nullable(),
        sure: z.boolean(),
      }),
    ),
  });
  const good = { kind: "fact", claims: [1], note: null, sure: true };
  const answer = {
    notes: [
      { kind: "Fact", claims: ["1", "two"], sure: "True", why: "said so" },
      { kind: "rumour", claims: "many" },
      { kind: "rumour", sure: 3, claims: [2] },
      { ...good, claims: [1, 2, 3] },
    ],
  };
  expect(parseAnswer(JSON.stringify(answer), notes)).toEqual({
    ok: true,
    value: { notes: [good, { ...good, claims: [1, 2] }] },
  });
  expect(parseAnswer(JSON.stringify([good]), notes)).toEqual({
    ok: true,
    value: { notes: [good] },
  });
});

test("a value that says <think> in a string is left whole", () => {
  expect(parseAnswer('{"a":"<think>","b":[]}', schema)).toEqual({
    ok: true,
    value: { a: "<think>", b: [] },
  });
});

test("no text makes it throw, not even with a refinement that does", () => {
  const touchy = z.unknown().refine(() => {
    throw new Error("touchy");
  });
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    "```",
    "<think>",
    "</think>",
    "a",
    ":",
  );
  const text = fc
    .array(fc.oneof(piece, fc.string()), { maxLength: 40 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (one) => {
      expect(typeof parseAnswer(one, touchy).ok).toBe("boolean");
    }),
  );
  const deep = "[".repeat(400_000);
  expect(parseAnswer(deep, schema).ok).toBe(false);
  expect(parseAnswer(deep + "]".repeat(400_000), schema).ok).toBe(false);
});

test("a schema keeps its order and what providers know, and drops what they refuse", () => {
  const shape = toPlainSchema(
    z.object({
      id: z.int().min(1).max(9).describe("which"),
      kind: z.literal("x"),
      note: z.string().max(40).regex(/a/).nullable(),
      extra: z
        .string()
        .transform((text) => text.length)
        .optional(),
    }),
  );
  expect(shape).toEqual({
    type: "object",
    properties: {
      id: { type: "integer", minimum: 1, maximum: 9, description: "which" },
      kind: { type: "string", enum: ["x"] },
      note: { type: ["string", "null"] },
      extra: { type: "string" },
    },
    additionalProperties: false,
    required: ["id", "kind", "note"],
  });
});

const claimsSchema = z.object({
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
  const asked = await llm.ask(question({ purpose: "summarise", schema: claimsSchema }));
  expect(bench.rows()).toHaveLength(1);
  bench.close();
  return claimsSchema.parse(asked.ok ? asked.value : null).claims;
}
