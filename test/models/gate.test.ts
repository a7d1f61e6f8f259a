import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Adapter,
  failWith,
  type LlmFailure,
  type ModelCall,
} from "../../src/models/model-port.ts";
import { openWorkbench, question, settings, type Workbench } from "./workbench.ts";

let bench: Workbench;
let calls: ModelCall[];

beforeEach(() => {
  bench = openWorkbench();
  calls = [];
});
afterEach(() => bench.close());

const MINUTE_MS = 60_000;
const usage = { promptTokens: 80, cachedTokens: 0, outputTokens: 20 };
const answering: Adapter = async (call) => {
  calls.push(call);
  return { ok: true, text: "hi", finish: "stop", usage };
};
const failing =
  (failure: LlmFailure, retryAfterMs: number | null = null): Adapter =>
  async (call) => {
    calls.push(call);
    return failWith(failure, "HTTP 500", { retryAfterMs });
  };
const caps = (overrides: Partial<ReturnType<typeof settings>["caps"]>) => ({
  caps: { ...settings().caps, ...overrides },
});

test("each purpose is asked of its own model, or of the one for all", async () => {
  const models = { reply: null, summarise: "small", extract: null, rerank: null };
  const llm = bench.gate(answering, { model: "large", models });
  await llm.ask(question());
  await llm.ask(question({ purpose: "summarise" }));
  expect(calls.map((call) => call.model)).toEqual(["large", "small"]);
});

test("a reply is tried twice, memory three times, an order of rank once", async () => {
  const llm = bench.gate(failing("server"));
  await llm.ask(question());
  expect(calls).toHaveLength(2);
  await llm.ask(question({ purpose: "extract" }));
  expect(calls).toHaveLength(5);
});

test.each<LlmFailure>(["auth", "model", "request", "blocked", "empty", "truncated"])(
  "%s is not tried again",
  async (failure) => {
    await bench.gate(failing(failure)).ask(question({ purpose: "extract" }));
    expect(calls).toHaveLength(1);
  },
);

test("an adapter that ignores its signal is left behind in time", async () => {
  const deaf: Adapter = () => new Promise(() => undefined);
  const answer = await bench.gate(deaf, { timeoutSeconds: 0.03 }).ask(question());
  expect(answer).toMatchObject({ failure: "timeout" });
});

test("a database that cannot be written costs the row, not the answer", async () => {
  const llm = bench.gate(answering);
  bench.db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON llm_calls BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  expect(await llm.ask(question())).toMatchObject({ ok: true });
});

test("replies stop at their share of the calls an hour, memory goes on, and it is told once", async () => {
  const llm = bench.gate(answering, caps({ callsPerHour: 10, memoryShare: 0.4 }));
  const outcomes: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const answer = await llm.ask(question());
    outcomes.push(answer.ok ? "ok" : answer.failure);
  }
  expect(outcomes).toEqual([...Array.from({ length: 6 }, () => "ok"), "cap", "cap"]);
  for (let n = 0; n < 4; n += 1) {
    expect(await llm.ask(question({ purpose: "summarise" }))).toMatchObject({ ok: true });
  }
  expect(await llm.ask(question({ purpose: "extract" }))).toMatchObject({ failure: "cap" });
  expect(bench.rows()).toHaveLength(10);
  expect(bench.notices.list()).toHaveLength(2);
  expect(bench.notices.list().map(({ count }) => count)).toEqual([1, 1]);
});

test("calls of before a restart count", async () => {
  const limit = caps({ callsPerDay: 2, memoryShare: 0.05 });
  await bench.gate(answering, limit).ask(question());
  await bench.gate(answering, limit).ask(question());
  expect(await bench.gate(answering, limit).ask(question())).toMatchObject({
    failure: "cap",
    detail: "llm.caps.callsPerDay",
  });
});

test("a refused call costs no tokens, and an uncounted one costs its estimate", async () => {
  const uncounted = async (failure: LlmFailure) => {
    await bench.gate(failing(failure)).ask(question({ purpose: "rerank" }));
  };
  for (const failure of ["rate_limit", "timeout", "empty"] as const) await uncounted(failure);
  const limit = (tokensPerDay: number) =>
    bench.gate(answering, caps({ tokensPerDay, memoryShare: 0.05 }));
  expect(await limit(314).ask(question())).toMatchObject({ detail: "llm.caps.tokensPerDay" });
  expect(await limit(315).ask(question())).toMatchObject({ ok: true });
});

test("a spent quota is not forgotten when a call beside it is told to wait 31 s", async () => {
  const failures = [
    failWith("quota", "HTTP 429", { retryAfterMs: 480 * MINUTE_MS }),
    failWith("rate_limit", "HTTP 429", { retryAfterMs: 31_000 }),
  ];
  const llm = bench.gate(async (call) => {
    calls.push(call);
    return failures.shift() ?? { ok: true, text: "hi", finish: "stop", usage };
  });
  await Promise.all([llm.ask(question()), llm.ask(question())]);
  expect(calls).toHaveLength(2);
  const retryAtMs = bench.clock.nowMs + 480 * MINUTE_MS;
  bench.clock.nowMs += MINUTE_MS;
  expect(await llm.ask(question())).toMatchObject({ failure: "quota", retryAtMs });
  bench.clock.nowMs = retryAtMs;
  expect(await llm.ask(question())).toMatchObject({ ok: true });
});

test("the last calls are kept for who may use the reserve", async () => {
  const llm = bench.gate(answering, caps({ callsPerHour: 5, memoryShare: 0.05 }), 0.4);
  const viewers = await Promise.all(Array.from({ length: 4 }, () => llm.ask(question())));
  expect(viewers.map(({ ok }) => ok)).toEqual([true, true, true, false]);
  const moderator = question({ mayUseReserve: true });
  expect(await llm.ask(moderator)).toMatchObject({ ok: true });
  expect(await llm.ask(question())).toMatchObject({ ok: false, failure: "cap" });
});

test("so are the last tokens and the last money", async () => {
  const prices = { "gemini-3.5-flash-lite": { input: 1, cached: 1, output: 1 } };
  for (const cap of [{ tokensPerDay: 600 }, { dollarsPerDay: 0.0006 }]) {
    const llm = bench.gate(answering, { ...caps({ ...cap, memoryShare: 0.05 }), prices }, 0.4);
    const told: boolean[] = [];
    for (const mayUseReserve of [false, false, false, false, true, true, true])
      told.push((await llm.ask(question({ mayUseReserve }))).ok);
    // 570 are for replies and 342 for viewers, at 100 a question.
    expect(told, JSON.stringify(cap)).toEqual([true, true, true, false, true, true, false]);
    bench.clock.nowMs += 24 * 60 * MINUTE_MS;
  }
});

test("calls under way count, so that many channels at once stay within a cap", async () => {
  const llm = bench.gate(answering, caps({ callsPerHour: 4, memoryShare: 0.05 }));
  const answers = await Promise.all(Array.from({ length: 9 }, () => llm.ask(question())));
  expect(answers.filter((answer) => answer.ok)).toHaveLength(4);
});

test("after five failures in a row the model is left alone, then probed by one call only", async () => {
  let isDown = true;
  const llm = bench.gate(async (call) => (isDown ? failing("timeout")(call) : answering(call)));
  for (let n = 0; n < 5; n += 1) await llm.ask(question());
  const refused = await llm.ask(question());
  expect(refused).toMatchObject({ failure: "breaker", retryAtMs: bench.clock.nowMs + 30_000 });
  expect(calls).toHaveLength(5);
  expect(bench.notices.list()).toMatchObject([{ kind: "model", cause: "breaker" }]);

  bench.clock.nowMs += 30_000;
  isDown = false;
  const probes = await Promise.all([llm.ask(question()), llm.ask(question())]);
  expect(probes.map((answer) => answer.ok)).toEqual([true, false]);
  expect(await llm.ask(question())).toMatchObject({ ok: true });
  expect(bench.notices.list()).toEqual([]);
});

test("an answer that is no use does not open the breaker, and a question given up neither", async () => {
  const llm = bench.gate(failing("empty"));
  for (let n = 0; n < 9; n += 1) await llm.ask(question());
  expect(calls).toHaveLength(9);
});

test("without a key the bot says so instead of asking", async () => {
  const answer = await bench.provider({}, null).ask(question());
  expect(answer).toMatchObject({ failure: "auth", detail: "GEMINI_API_KEY is missing" });
});

test("a dropped call does not make the gate forget that a model answers only without reasoning", async () => {
  let isDown = false;
  const thinking: Adapter = async (call) => {
    if (isDown) return failing("network")(call);
    return call.withoutReasoning === true
      ? answering(call)
      : failWith("truncated", "max_tokens", { usage });
  };
  const llm = bench.gate(thinking);
  expect(await llm.ask(question())).toMatchObject({ ok: true });
  isDown = true;
  expect(await llm.ask(question())).toMatchObject({ failure: "network" });
  isDown = false;
  expect(await llm.ask(question())).toMatchObject({ ok: true });
});
