import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { ModelServer } from "../stand-ins/model-server.ts";
import {
  ollamaHasLoaded,
  openAiFails,
  openAiSays,
  openOpenAiServer,
} from "../stand-ins/openai-server.ts";
import { KEY, openWorkbench, question, type Workbench } from "./workbench.ts";

let server: ModelServer;
let bench: Workbench;

beforeEach(async () => {
  server = await openOpenAiServer();
  bench = openWorkbench();
});
afterEach(async () => {
  await server.close();
  bench.close();
});

const openai = (model = "qwen3:4b", apiKey: string | null = null) =>
  bench.provider(
    { provider: "openai-compatible", baseUrl: `${server.url}/v1`, model, timeoutSeconds: 5 },
    apiKey,
  );
const topics = z.object({ topic: z.string().min(1), events: z.array(z.int()) });
const summarise = () => ({ ...question({ purpose: "summarise" }), schema: topics });

test("the prefix is the system message and the tail the user's, without a key where there is none", async () => {
  const answer = await openai().ask(question());
  expect(answer).toMatchObject({ ok: true, text: "ok", finish: "stop" });
  expect(server.requests[0]).toMatchObject({
    path: "/v1/chat/completions",
    body: {
      model: "qwen3:4b",
      max_tokens: 1_024,
      messages: [
        { role: "system", content: "You are Mark." },
        { role: "user", content: "ada: how was the raid?" },
      ],
    },
  });
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  expect(server.requests[0]?.body).not.toHaveProperty("temperature");
});

test("a key travels as a bearer token", async () => {
  await openai("qwen3:4b", KEY).ask(question());
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test("a model that only reasons gets its own limit field, little effort and no temperature", async () => {
  await openai("gpt-5-mini").ask(question({ purpose: "summarise" }));
  const body = server.requests[0]?.body;
  expect(body).toMatchObject({ max_completion_tokens: 1_024, reasoning_effort: "low" });
  expect(body).not.toHaveProperty("max_tokens");
  expect(body).not.toHaveProperty("temperature");
});

test("cached tokens are read where the server counts them", async () => {
  server.enqueue(openAiSays({ text: "hi", promptTokens: 90, cachedTokens: 64, outputTokens: 3 }));
  await openai().ask(question());
  expect(bench.rows()).toMatchObject([
    { promptTokens: 90, cachedTokens: 64, outputTokens: 3, dollars: null },
  ]);
});

test("a refused schema is dropped, put in words, and not sent to that model again", async () => {
  server.enqueue(openAiFails(400, { message: "response_format is not supported" }));
  server.enqueue(openAiSays({ text: '```json\n{"topic":"raid","events":[1]}\n```' }));
  const llm = openai();
  expect(await llm.ask(summarise())).toMatchObject({ ok: true, value: { topic: "raid" } });
  server.enqueue(
    openAiSays({ text: '<think>{"no"}</think>Sure: {"topic":"cats","events":[]} Done.' }),
  );
  expect(await llm.ask(summarise())).toMatchObject({ ok: true, value: { topic: "cats" } });
  expect(server.requests).toHaveLength(3);
  expect(server.requests[0]?.body).toMatchObject({
    temperature: 0.2,
    response_format: { type: "json_schema", json_schema: { name: "summarise", strict: true } },
  });
  for (const request of server.requests.slice(1)) {
    expect(request.body).not.toHaveProperty("response_format");
    expect(JSON.stringify(request.body)).toContain("JSON Schema");
  }
});

test("thinking is no part of a reply, closed or not", async () => {
  const llm = openai();
  server.enqueue(openAiSays({ text: "<think>Who is that?</think>\nHi ada!" }));
  expect(await llm.ask(question())).toMatchObject({ text: "Hi ada!" });
  const cut = openAiSays({ text: "<think>Who is", finishReason: "length" });
  server.enqueue(cut, cut);
  expect(await llm.ask(question())).toMatchObject({ failure: "truncated", finish: "max_tokens" });
});

test.each([
  [401, {}, "auth"],
  [404, {}, "model"],
  [400, {}, "request"],
  [429, { code: "insufficient_quota" }, "quota"],
  [429, {}, "rate_limit"],
])("status %i with %j is %s", async (status, error, failure) => {
  const script = openAiFails(status, error, { "retry-after": "60" });
  server.enqueue(script, script);
  expect(await openai().ask(question())).toMatchObject({ ok: false, failure });
});

test("a content filter is told as blocked", async () => {
  server.enqueue(openAiSays({ text: "", finishReason: "content_filter" }));
  expect(await openai().ask(question())).toMatchObject({ failure: "blocked" });
});

test("Ollama is asked once what context the model got, and a small one is told", async () => {
  server.enqueue(
    openAiSays({ text: "hi", fingerprint: "fp_ollama" }),
    ollamaHasLoaded("qwen3:4b", 4_096),
  );
  server.enqueue(openAiSays({ text: "hi", fingerprint: "fp_ollama", promptTokens: 3_900 }));
  const llm = openai();
  await llm.ask(question({ estimatedTokens: 120 }));
  expect(bench.notices.list()).toEqual([]);
  await llm.ask(question({ estimatedTokens: 3_900 }));
  expect(server.requests.map((request) => request.path)).toEqual([
    "/v1/chat/completions",
    "/api/ps",
    "/v1/chat/completions",
  ]);
  expect(bench.notices.list()[0]?.message).toContain("holds 4096 tokens");
  server.enqueue(
    openAiSays({ text: "hi", fingerprint: "fp_ollama", promptTokens: 3_900 }),
    ollamaHasLoaded("qwen3:4b", 16_384),
  );
  // The next run, with the larger context that the notice asked for.
  await openai().ask(question({ estimatedTokens: 3_900 }));
  expect(bench.notices.list()).toEqual([]);
});

test("a prompt that the context cannot hold is refused once, and told", async () => {
  server.enqueue(openAiFails(400, { type: "exceed_context_size_error", message: "too long" }));
  const answer = await openai().ask(question());
  expect(answer).toMatchObject({ failure: "request", detail: "HTTP 400 context too small" });
  expect(server.requests).toHaveLength(1);
  expect(bench.notices.list()).toMatchObject([{ kind: "model_context" }]);
});

test("a prompt that the server cut without a word is noticed, and teaches the estimate nothing", async () => {
  server.enqueue(openAiSays({ text: "hm?", promptTokens: 2_050 }));
  await openai().ask(question({ estimatedTokens: 3_900 }));
  expect(bench.notices.list()).toMatchObject([
    { kind: "model_context", cause: "cut", severity: "warning" },
  ]);
  expect(bench.rows()[0]?.estimatedTokens).toBe(0);
});
