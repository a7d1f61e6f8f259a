import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { isLoopbackUrl } from "../../src/config/schema.ts";

test.each([
  "wss://irc-ws.chat.twitch.tv:443",
  "wss://elsewhere.example",
  "ws://127.0.0.1:8080",
  "ws://127.1.2.3",
  "ws://localhost:1",
  "ws://LOCALHOST:1",
  "ws://[::1]:8080",
])("chat may go to %s", (chatUrl) => {
  expect(accepts({ twitch: { chatUrl } })).toBe(true);
});

test.each([
  "ws://irc-ws.chat.twitch.tv:80",
  "ws://192.168.1.4:8080",
  "ws://127.0.0.1.evil.example",
  "ws://localhost.evil.example",
  "ws://localhost@evil.example",
  "ws://evil.example#127.0.0.1",
  "ws://0.0.0.0:1",
  "http://127.0.0.1",
  "localhost:80",
  "irc-ws.chat.twitch.tv",
  "",
])("chat may not go to %j", (chatUrl) => {
  expect(accepts({ twitch: { chatUrl } })).toBe(false);
});

test.each([
  ["https://models.example/v1", false],
  ["http://127.0.0.1:11434/v1", false],
  ["http://localhost:1234", false],
  ["http://192.168.1.4:11434/v1", true],
])("prompts may go to %s (insecure host allowed: %s)", (baseUrl, allowInsecureHost) => {
  expect(accepts({ llm: { baseUrl, allowInsecureHost } })).toBe(true);
});

test.each([
  ["http://192.168.1.4:11434/v1", false],
  ["ftp://models.example", true],
  ["file:///etc/hosts", true],
  ["models.example/v1", true],
  ["", true],
])("prompts may not go to %j (insecure host allowed: %s)", (baseUrl, allowInsecureHost) => {
  expect(accepts({ llm: { baseUrl, allowInsecureHost } })).toBe(false);
});

test("an openai-compatible server has no address of its own", () => {
  expect(accepts({ llm: { provider: "openai-compatible" } })).toBe(false);
  expect(
    accepts({ llm: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" } }),
  ).toBe(true);
});

test("what is no URL is not this machine", () => {
  expect(isLoopbackUrl("127.0.0.1")).toBe(false);
});

function accepts(raw: object): boolean {
  try {
    toConfig({ channel: "a", ...raw }, "/x");
    return true;
  } catch {
    return false;
  }
}
