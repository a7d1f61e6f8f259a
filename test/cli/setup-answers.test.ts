import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { Fault } from "../../src/errors.ts";
import {
  type Answers,
  listBotScopes,
  listStreamerScopes,
  mergeAnswers,
  readFirstAnswers,
} from "../../src/system/setup-answers.ts";
import { readAddress, readChannels } from "../../src/system/setup-input.ts";

const FRESH = toConfig({ channel: "x" }, ".");

test.for([
  ["lanternroom", ["lanternroom"]],
  ["  #LanternRoom ", ["lanternroom"]],
  ["@lanternroom", ["lanternroom"]],
  ["https://www.twitch.tv/LanternRoom", ["lanternroom"]],
  ["twitch.tv/lanternroom/videos?filter=all", ["lanternroom"]],
  ["https://m.twitch.tv/lanternroom/", ["lanternroom"]],
  ["https://www.twitch.tv/popout/lanternroom/chat", ["lanternroom"]],
  ["one, two ,one", ["one", "two"]],
] as const)("channels are read from %j", ([typed, logins]) => {
  expect(readChannels(typed)).toEqual(logins);
});

test.for(["", "  ", "my channel!", "ümlaut", "a".repeat(26)])("%j is no channel", (typed) => {
  expect(() => readChannels(typed)).toThrow(Fault);
});

test.for([
  ["http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1", false],
  ["https://example.org/v1/chat/completions", "https://example.org/v1", false],
  ["http://192.168.0.7:8080/v1", "http://192.168.0.7:8080/v1", true],
] as const)("the address %s is taken as %s", ([typed, url, isInsecure]) => {
  expect(readAddress(typed)).toEqual({ url, isInsecure });
});

test.for(["", "localhost:11434", "ftp://x/v1"])("%j is no address", (typed) => {
  expect(() => readAddress(typed)).toThrow(Fault);
});

test("rights follow the classes and the account that speaks", () => {
  const classes = ["stream", "moderation"] as const;
  expect(listBotScopes({ account: "bot", classes: [] })).toEqual([
    "chat:read",
    "chat:edit",
    "user:write:chat",
  ]);
  expect(listBotScopes({ account: "bot", classes })).not.toContain("channel:manage:polls");
  expect(listStreamerScopes({ account: "bot", classes })).toContain("channel:manage:polls");
  expect(listBotScopes({ account: "streamer", classes })).toContain("channel:manage:polls");
  expect(listStreamerScopes({ account: "streamer", classes })).toEqual([]);
  expect(listStreamerScopes({ account: "bot", classes: ["chat"] })).toEqual([]);
});

test("another provider takes nothing of the former with it", () => {
  const raw = {
    channel: "one",
    llm: {
      provider: "openai-compatible",
      model: "m",
      baseUrl: "http://127.0.0.1:1/v1",
      models: { summarise: "big" },
      timeoutSeconds: 60,
    },
  };
  const base = toConfig(raw, ".");
  const answers: Answers = {
    ...readFirstAnswers(base, false, ""),
    model: { ...FRESH.llm },
    keys: { geminiApiKey: "secret" },
  };
  const written = mergeAnswers(raw, answers, { base, isNew: false });
  expect(written["llm"]).toEqual({
    provider: "gemini",
    model: FRESH.llm.model,
    baseUrl: null,
    models: { summarise: null },
    timeoutSeconds: 60,
  });
  expect(JSON.stringify(written)).not.toContain("secret");
});
