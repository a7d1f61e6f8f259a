import { expect, test } from "vitest";
import { findTraits, PROVIDERS } from "../../src/catalogue/providers.ts";
import { calculateDollars, getPrice } from "../../src/models/call-store.ts";
import { getNextPacificMidnight } from "../../src/models/gemini.ts";
import { Breaker } from "../../src/models/model-gate.ts";
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

test("a known price counts cached tokens apart, an unknown model has none, and the operator's own wins", () => {
  const price = getPrice("gemini-3.5-flash-lite", {});
  const usage = { promptTokens: 3_000_000, cachedTokens: 1_000_000, outputTokens: 1_000_000 };
  expect(price && calculateDollars(price, usage, 0)).toBeCloseTo(0.6 + 0.03 + 2.5, 9);
  expect(getPrice("llama3.2", {})).toBeNull();
  expect(getPrice("constructor", {})).toBeNull();
  const own = { input: 1, cached: 1, output: 1 };
  expect(getPrice("gemini-3.5-flash-lite", { "gemini-3.5-flash-lite": own })).toBe(own);
  expect(getPrice("models/my-model", { "my-model": own })).toBe(own);
  expect(getPrice("models/my-model", { "models/my-model": own })).toBe(own);
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
