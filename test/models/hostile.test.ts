import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { LlmFailure } from "../../src/models/model-port.ts";
import {
  geminiFails,
  geminiSays,
  openGeminiServer,
  quotaFailure,
} from "../stand-ins/gemini-server.ts";
import type { ModelServer } from "../stand-ins/model-server.ts";
import { KEY, openWorkbench, question, settings, type Workbench } from "./workbench.ts";

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
test.each(["hang", "stall"] as const)("a server that %ss is given up in time", async (kind) => {
  server.enqueue({ kind });
  const answer = await gemini({ timeoutSeconds: 0.08 }).ask(question());
  expect(answer).toMatchObject({ failure: "timeout" });
  expect(bench.rows()).toMatchObject([{ outcome: "timeout" }]);
  expect(bench.rows()[0]?.dollars).toBeGreaterThan(0);
});

test("a dropped connection is tried once more for a reply", async () => {
  server.enqueue({ kind: "drop" }, { kind: "drop" });
  expect(await gemini().ask(question())).toMatchObject({ failure: "network" });
  expect(bench.rows().map((row) => row.outcome)).toEqual(["network", "network"]);
});

test("a question aborted beforehand is not sent; one aborted under way ends at once", async () => {
  const llm = gemini();
  expect(await llm.ask(question({ signal: AbortSignal.abort() }))).toMatchObject({
    failure: "aborted",
  });
  expect(server.requests).toHaveLength(0);
  expect(bench.rows()).toEqual([]);

  const controller = new AbortController();
  server.enqueue({ kind: "stall" });
  const asking = llm.ask(question({ signal: controller.signal }));
  await server.received(1);
  controller.abort();
  expect(await asking).toMatchObject({ failure: "aborted" });
});

test("a body without end is cut off long before it hurts", async () => {
  server.enqueue({ kind: "endless" });
  expect(await gemini().ask(question())).toMatchObject({ failure: "truncated" });
});

test("a redirect is not followed: the key would travel with it", async () => {
  const elsewhere = await openGeminiServer();
  const headers = { location: `${elsewhere.url}/v1beta/models/x:generateContent` };
  const away = { kind: "answer", status: 307, body: "", headers } as const;
  server.enqueue(away, away);
  expect(await gemini().ask(question())).toMatchObject({ failure: "network" });
  expect(elsewhere.requests).toHaveLength(0);
  await elsewhere.close();
});

test("the key stands in no answer, log line, notice or row, whatever the server says", async () => {
  const llm = gemini();
  for (const status of [400, 401, 404, 429, 500]) {
    const url = `http://x/?key=${KEY}`;
    const details = [{ reason: KEY, retryDelay: KEY }, quotaFailure(KEY)];
    const script = geminiFails(status, KEY, details, url);
    server.enqueue(script, script);
    const answer = await llm.ask(question());
    expect(JSON.stringify(answer)).not.toContain(KEY);
  }
  await server.close();
  expect(JSON.stringify(await llm.ask(question()))).not.toContain(KEY);
  expect(bench.logLines.length).toBeGreaterThan(5);
  expect(bench.logLines.join("")).not.toMatch(new RegExp(`${KEY}|127\\.0\\.0\\.1`));
  expect(JSON.stringify([bench.notices.list(), bench.rows()])).not.toContain(KEY);
});

const claims = z.object({
  who: z.string().min(1),
  events: z.array(z.int().positive()).max(5),
  kind: z.enum(["fact", "joke"]),
});

const FAILURES = new Set<LlmFailure>([
  "timeout",
  "network",
  "server",
  "rate_limit",
  "quota",
  "auth",
  "request",
  "model",
  "blocked",
  "empty",
  "invalid_json",
  "truncated",
]);

/** Something that looks like an answer of either provider, with anything at all in its places. */
const shaped = fc
  .record(
    {
      candidates: fc.array(
        fc.record({ content: fc.record({ parts: fc.anything() }), finishReason: fc.anything() }),
      ),
      promptFeedback: fc.anything(),
      usageMetadata: fc.dictionary(fc.constantFrom("promptTokenCount", "x"), fc.anything()),
      choices: fc.array(
        fc.record({ message: fc.record({ content: fc.anything() }), finish_reason: fc.anything() }),
      ),
      usage: fc.dictionary(fc.constantFrom("prompt_tokens", "x"), fc.anything()),
      error: fc.record({ status: fc.anything(), details: fc.array(fc.anything()) }),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? 1 : one)));

test.each(["gemini", "openai"] as const)(
  "whatever body comes with whatever status from %s, the answer is a typed one",
  async (provider) => {
    const much = 1_000_000_000;
    const free = { callsPerHour: much, callsPerDay: much, tokensPerDay: much, dollarsPerDay: much };
    const caps = { ...settings().caps, ...free };
    const body = fc.oneof(fc.string(), fc.json(), shaped);
    const status = fc.constantFrom(200, 200, 204, 400, 404, 418, 500);
    await fc.assert(
      fc.asyncProperty(status, body, fc.boolean(), async (code, text, withSchema) => {
        const llm = bench.gate(bench.adapter(provider, server.url), { caps });
        const script = { kind: "answer", status: code, body: text } as const;
        server.enqueue(...Array.from({ length: 6 }, () => script));
        const answer = await llm.ask(question(withSchema ? { schema: claims } : {}));
        server.drain();
        if (answer.ok) expect([code, answer.text.length > 0]).toEqual([200, true]);
        else expect(FAILURES).toContain(answer.failure);
      }),
      { numRuns: 25 },
    );
  },
);

test("a count that no call can have is not believed: it would close the day's cap", async () => {
  server.enqueue(geminiSays({ text: "hi", promptTokens: 9_000_000_000_000 }));
  await gemini().ask(question());
  expect(bench.rows()).toMatchObject([{ promptTokens: null, estimatedTokens: 100 }]);
});
