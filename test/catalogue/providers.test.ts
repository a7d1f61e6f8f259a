import { expect, test } from "vitest";
import { PROVIDERS, type Provider } from "../../src/catalogue/providers.ts";
import { openAdapter } from "../../src/models/open-model.ts";
import { openOpenAiServer } from "../stand-ins/openai-server.ts";

const complete = {
  ...PROVIDERS["openai-compatible"],
  label: "A made-up provider",
  key: {
    secret: "thirdApiKey",
    variable: "THIRD_API_KEY",
    isNeeded: true,
    page: null,
    advice: null,
  },
} as const;

test("a third provider is asked at its own address, with its own key", async () => {
  const server = await openOpenAiServer();
  const third: Provider = { ...complete, address: `${server.url}/third` };
  const keys = { geminiApiKey: "google's", openaiApiKey: "another's", thirdApiKey: "its own" };
  const notices = { raise: () => undefined, clear: () => undefined };
  const adapter = openAdapter(third, keys, { baseUrl: null, now: () => 0, notices });
  const call = { purpose: "reply", model: "m", prefix: "p", tail: "t", shape: null } as const;
  const { signal } = new AbortController();
  const answer = await adapter({ ...call, estimatedTokens: 1, signal });
  expect(answer).toMatchObject({ ok: true });
  expect(server.requests).toMatchObject([
    { path: "/third/chat/completions", headers: { authorization: "Bearer its own" } },
  ]);
  await server.close();
});

test("an entry type-checks only if it is complete", () => {
  const { traits: _, ...incomplete } = complete;
  // @ts-expect-error: traits are missing.
  const third: Provider = incomplete;
  expect(third).not.toHaveProperty("traits");
});
