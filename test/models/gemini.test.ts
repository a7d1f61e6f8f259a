import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  type GeminiAnswer,
  geminiBlocks,
  geminiFails,
  geminiSays,
  openGeminiServer,
  quotaFailure,
  retryInfo,
} from "../stand-ins/gemini-server.ts";
import type { ModelServer } from "../stand-ins/model-server.ts";
import { KEY, openWorkbench, question, type settings, type Workbench } from "./workbench.ts";

let server: ModelServer;
let bench: Workbench;

beforeEach(async () => {
  server = await openGeminiServer();
  bench = openWorkbench();
});
afterEach(async () => {
  await server.close();
  bench.close();
});

const gemini = (overrides: Partial<ReturnType<typeof settings>> = {}) =>
  bench.provider({ baseUrl: `${server.url}/`, ...overrides });
const generationConfig = (at: number) => {
  const sent = server.requests[at]?.body as Sent | undefined;
  return sent?.generationConfig;
};

interface Sent {
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

test("the prefix is the system instruction and the tail one user content, with the key in a header", async () => {
  const answer = await gemini().ask(question());
  expect(answer).toMatchObject({ ok: true, text: "ok", finish: "stop", value: null });
  const [request] = server.requests;
  expect(request?.path).toBe("/v1beta/models/gemini-3.5-flash-lite:generateContent");
  expect(request?.headers["x-goog-api-key"]).toBe(KEY);
  expect(request?.body).toMatchObject({
    systemInstruction: { parts: [{ text: "You are Mark." }] },
    contents: [{ role: "user", parts: [{ text: "ada: how was the raid?" }] }],
  });
});

test("each model gets the thinking field it knows, and a temperature only where it takes one", async () => {
  const llm = gemini({
    models: { reply: null, summarise: "gemini-2.5-flash", extract: "gemini-2.5-pro", rerank: null },
  });
  await llm.ask(question());
  await llm.ask(question({ purpose: "summarise" }));
  await llm.ask(question({ purpose: "extract" }));
  expect(generationConfig(0)).toEqual({
    candidateCount: 1,
    maxOutputTokens: 1_024,
    thinkingConfig: { thinkingLevel: "minimal" },
  });
  expect(generationConfig(1)).toMatchObject({
    temperature: 0.2,
    thinkingConfig: { thinkingBudget: 0 },
  });
  expect(generationConfig(2)).toMatchObject({ thinkingConfig: { thinkingBudget: 128 } });
});

test("thought parts are no part of the text, and are counted as output", async () => {
  server.enqueue(
    geminiSays({
      thought: "Let me see.",
      text: "Hi!",
      promptTokens: 90,
      cachedTokens: 60,
      outputTokens: 4,
      thoughtTokens: 30,
    }),
  );
  const answer = await gemini().ask(question());
  expect(answer).toMatchObject({
    text: "Hi!",
    usage: { promptTokens: 90, cachedTokens: 60, outputTokens: 34 },
  });
  const dollars = (30 * 0.3 + 60 * 0.03 + 34 * 2.5) / 1_000_000;
  expect(bench.rows()[0]?.dollars).toBeCloseTo(dollars, 12);
});

const FINISHES: readonly [GeminiAnswer, object][] = [
  [
    { text: "half a sent", finishReason: "MAX_TOKENS" },
    { ok: true, finish: "max_tokens" },
  ],
  [{ finishReason: "MAX_TOKENS" }, { ok: false, failure: "truncated" }],
  [
    { thought: "Hm.", finishReason: "STOP" },
    { ok: false, failure: "empty", finish: "stop" },
  ],
  [
    { text: "bad", finishReason: "SAFETY" },
    { ok: false, failure: "blocked", finish: "safety" },
  ],
  [{ finishReason: "PROHIBITED_CONTENT" }, { ok: false, failure: "blocked" }],
];
test.each(FINISHES)("a candidate %j becomes %j", async (said, expected) => {
  // Silence is asked once more, without reasoning.
  server.enqueue(geminiSays(said), geminiSays(said));
  expect(await gemini().ask(question())).toMatchObject(expected);
});

test("a blocked prompt is told as blocked", async () => {
  server.enqueue(geminiBlocks("SAFETY"));
  const answer = await gemini().ask(question());
  expect(answer).toMatchObject({ ok: false, failure: "blocked", finish: "safety" });
});

test("a refused request is asked once more without thinking and sampling, and so from then on", async () => {
  server.enqueue(geminiFails(400, "INVALID_ARGUMENT"));
  const llm = gemini();
  expect(await llm.ask(question())).toMatchObject({ ok: true });
  await llm.ask(question());
  expect(server.requests).toHaveLength(3);
  expect(generationConfig(0)).toHaveProperty("thinkingConfig");
  expect(generationConfig(1)).not.toHaveProperty("thinkingConfig");
  expect(generationConfig(2)).not.toHaveProperty("thinkingConfig");
  expect(bench.rows()).toHaveLength(2);
});

test("a request that is refused plainly too is told, and not remembered", async () => {
  server.enqueue(geminiFails(400, "INVALID_ARGUMENT"), geminiFails(400, "INVALID_ARGUMENT"));
  const llm = gemini();
  const answer = await llm.ask(question());
  expect(answer).toMatchObject({ failure: "request", detail: "HTTP 400 INVALID_ARGUMENT" });
  await llm.ask(question());
  expect(generationConfig(2)).toHaveProperty("thinkingConfig");
});

test("a wrong key is told as such, without a second try, and shown to the streamer until it works", async () => {
  const llm = gemini();
  server.enqueue(geminiFails(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }], KEY));
  expect(await llm.ask(question())).toMatchObject({ failure: "auth" });
  expect(server.requests).toHaveLength(1);
  expect(bench.notices.list()).toMatchObject([
    { kind: "model", cause: "access", severity: "error" },
  ]);
  await llm.ask(question());
  expect(bench.notices.list()).toEqual([]);
});

test("a short delay that the server asks for is waited for; a long one is told", async () => {
  const llm = gemini();
  server.enqueue(geminiFails(429, "RESOURCE_EXHAUSTED", [retryInfo("0.01s")]));
  expect(await llm.ask(question())).toMatchObject({ ok: true });
  server.enqueue(geminiFails(429, "RESOURCE_EXHAUSTED", [retryInfo("37s")]));
  const retryAtMs = bench.clock.nowMs + 37_000;
  expect(await llm.ask(question())).toMatchObject({ failure: "rate_limit", retryAtMs });
  expect(server.requests).toHaveLength(3);
});

test("a spent daily quota stops the model until midnight in California, and is told once", async () => {
  const llm = gemini();
  const details = [
    quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
    retryInfo("5s"),
  ];
  server.enqueue(geminiFails(429, "RESOURCE_EXHAUSTED", details));
  const midnightMs = Date.UTC(2026, 9, 11, 7);
  for (let n = 0; n < 3; n += 1) {
    expect(await llm.ask(question())).toMatchObject({ failure: "quota", retryAtMs: midnightMs });
  }
  expect(server.requests).toHaveLength(1);
  expect(bench.notices.list()).toMatchObject([{ kind: "model", cause: "quota", count: 1 }]);
  bench.clock.nowMs = midnightMs;
  expect(await llm.ask(question())).toMatchObject({ ok: true });
  expect(bench.notices.list()).toEqual([]);
});

const plainGemini = () => bench.provider({ baseUrl: server.url });

const claims = z.object({
  who: z.string().min(1),
  events: z.array(z.int().positive()).max(5),
  kind: z.enum(["fact", "joke"]),
});

test("a schema is sent with its fields in declared order, and the answer comes back parsed", async () => {
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[3],"kind":"joke"}' }));
  const answer = await plainGemini().ask({
    ...question({ purpose: "extract" }),
    schema: claims,
  });
  expect(answer).toMatchObject({ value: { who: "ada", events: [3], kind: "joke" } });
  expect(generationConfig(0)).toMatchObject({
    responseMimeType: "application/json",
    responseJsonSchema: {
      type: "object",
      required: ["who", "events", "kind"],
      properties: { kind: { type: "string", enum: ["fact", "joke"] }, events: { maxItems: 5 } },
    },
  });
});

test("an answer that does not validate is repaired by one more question that shows the error", async () => {
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[3],"kind":"song"}' }));
  server.enqueue(
    geminiSays({ text: '{"who":"ada","events":[3],"kind":"fact"}', promptTokens: 180 }),
  );
  const answer = await plainGemini().ask({
    ...question({ purpose: "extract" }),
    schema: claims,
  });
  expect(answer).toMatchObject({ ok: true, value: { kind: "fact" } });
  const second = JSON.stringify(server.requests[1]?.body);
  expect(second).toContain("kind: Invalid option");
  expect(bench.rows()).toMatchObject([
    { outcome: "invalid_json", estimatedTokens: 100 },
    { outcome: "ok", estimatedTokens: 0 },
  ]);
});

test("an answer that stays wrong is told after one repair", async () => {
  server.enqueue(geminiSays({ text: "{}" }), geminiSays({ text: "no" }));
  const answer = await plainGemini().ask({
    ...question({ purpose: "extract" }),
    schema: claims,
  });
  expect(answer).toMatchObject({ failure: "invalid_json" });
  expect(server.requests).toHaveLength(2);
});

test("an answer that was cut off is not repaired: it would be cut off again", async () => {
  server.enqueue(geminiSays({ text: '{"who":"a', finishReason: "MAX_TOKENS" }));
  const answer = await plainGemini().ask({
    ...question({ purpose: "extract" }),
    schema: claims,
  });
  expect(answer).toMatchObject({ failure: "truncated", finish: "max_tokens" });
  expect(server.requests).toHaveLength(1);
});

test("a schema that the model refuses is put in words", async () => {
  const refusal = geminiFails(400, "INVALID_ARGUMENT");
  server.enqueue(refusal, refusal);
  server.enqueue(geminiSays({ text: '{"who":"ada","events":[],"kind":"fact"}' }));
  const answer = await plainGemini().ask({
    ...question({ purpose: "extract" }),
    schema: claims,
  });
  expect(answer).toMatchObject({ ok: true });
  expect(generationConfig(2)).not.toHaveProperty("responseJsonSchema");
  expect(JSON.stringify(server.requests[2]?.body)).toContain("JSON Schema");
});
