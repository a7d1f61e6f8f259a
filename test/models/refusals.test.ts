import { expect, test } from "vitest";
import { askProbe } from "../../src/models/open-model.ts";
import { adviseOnModel } from "../../src/system/config-checks.ts";
import { geminiSays, openGeminiServer } from "../stand-ins/gemini-server.ts";
import { openAiFails, openAiSays, openOpenAiServer } from "../stand-ins/openai-server.ts";
import { REFUSALS } from "./refusals.ts";
import { openWorkbench, question, settings } from "./workbench.ts";

const apiKeys = { geminiApiKey: "k3y", openaiApiKey: "k3y" };
const probe = (config: ReturnType<typeof settings>) =>
  askProbe({ config, apiKeys, now: () => 0, budgetTokens: 1_000 });

test.each(REFUSALS)("$provider, $name: the advice names the cause", async (refused) => {
  const { provider, status, body, cause } = refused;
  const server = await (provider === "gemini" ? openGeminiServer() : openOpenAiServer());
  const script = { kind: "answer", status, body } as const;
  server.enqueue(script, script, script);
  const config = { ...settings(), provider, baseUrl: server.url };
  const found = await probe(config);
  await server.close();
  const advice = found.ok ? null : adviseOnModel(found, config);
  expect(advice?.found).toMatch(cause);
  expect(advice?.fix).toMatch(/\w{3}/);
});

test("a refusal that repeats the prompt is not shown", async () => {
  const server = await openOpenAiServer();
  const echo = openAiFails(400, { message: "Cannot parse: You answer with one word. Say: ready" });
  server.enqueue(echo, echo);
  const config = { ...settings(), provider: "openai-compatible" as const, baseUrl: server.url };
  const found = await probe(config);
  await server.close();
  expect(JSON.stringify(found)).not.toContain("ready");
});

test("a model that only thinks answers after one extra call, and is asked so from then on", async () => {
  const server = await openOpenAiServer();
  const bench = openWorkbench();
  const provider = "openai-compatible";
  const llm = bench.provider({ provider, baseUrl: server.url, model: "thinker" });
  server.enqueue(openAiSays({ text: "<think>hm, let me", finishReason: "length" }));
  expect(await llm.ask(question())).toMatchObject({ ok: true, text: "ok" });
  expect(server.requests).toHaveLength(2);
  await llm.ask(question());
  expect(server.requests.map(({ body }) => Object(body).think)).toEqual([undefined, false, false]);
  bench.close();
  await server.close();
});

test("one that never answers is asked twice once, and told within six questions", async () => {
  const server = await openOpenAiServer();
  const bench = openWorkbench();
  const provider = "openai-compatible";
  const llm = bench.provider({ provider, baseUrl: server.url, model: "thinker" });
  server.enqueue(...Array.from({ length: 7 }, () => openAiSays({ text: "" })));
  for (let n = 0; n < 6; n += 1) await llm.ask(question());
  expect(server.requests).toHaveLength(7);
  const [notice] = bench.notices.list();
  expect(notice?.message).toMatch(/thinker gave 5 answers in a row.*llm\.model/);
  await llm.ask(question());
  expect(bench.notices.list()).toEqual([]);
  bench.close();
  await server.close();
});

test("the doctor's question wants a word: an answer without one is a failure", async () => {
  const server = await openGeminiServer();
  const config = { ...settings(), baseUrl: server.url };
  server.enqueue(geminiSays({ text: "…" }));
  expect(await probe(config)).toMatchObject({ ok: false, failure: "empty" });
  server.enqueue(geminiSays({ finishReason: "MAX_TOKENS" }), geminiSays({ finishReason: "STOP" }));
  expect(await probe(config)).toMatchObject({ ok: false, failure: "empty" });
  expect(await probe(config)).toMatchObject({ ok: true, text: "ok" });
  await server.close();
});
