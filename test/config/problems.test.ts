import fc from "fast-check";
import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { Fault } from "../../src/errors.ts";

test("every problem is named at once: the key, what it is and what it should be", () => {
  const raw = {
    channel: "two words",
    chanel: "typo",
    mode: "loud",
    bot: { login: "auto-mark", aliases: ["x"] },
    llm: { timeoutSeconds: "soon", baseUrl: "http://elsewhere.example", caps: { callsPerDay: -1 } },
    prompt: { budgetTokens: 2500.5 },
    replies: { continuationSeconds: 301 },
    memory: [],
    dashboard: { port: 70_000 },
  };
  expect(problems(raw).sort()).toEqual(
    [
      'bot.aliases.0 is "x", should be at least 2 characters',
      'bot.login is "auto-mark", should be a Twitch login: 1 to 25 letters, digits or underscores',
      "chanel is not a key; did you mean channel?",
      'channel is "two words", should be a Twitch login: 1 to 25 letters, digits or underscores',
      "dashboard.port is 70000, should be at most 65535",
      'llm.baseUrl is "http://elsewhere.example", should be https://…, or http://… on this machine (another host: llm.allowInsecureHost)',
      "llm.caps.callsPerDay is -1, should be at least 0",
      'llm.timeoutSeconds is "soon", should be a number',
      "memory is [], should be an object in braces",
      'mode is "loud", should be one of "shadow", "mentions", "ambient"',
      "prompt.budgetTokens is 2500.5, should be a whole number",
      "replies.continuationSeconds is 301, should be at most 300",
    ].sort(),
  );
});

test("a missing channel is missing", () => {
  expect(problems({})).toEqual([expect.stringMatching(/^channel is missing, should be a string/)]);
});

test.each([[null], [5], [[]], ["text"]])("a file that holds %j is told as such", (raw) => {
  expect(problems(raw)).toEqual([
    `the file is ${JSON.stringify(raw)}, should be an object in braces`,
  ]);
});

test.each([
  [{ bot: { alias: [] } }, "bot.alias is not a key; did you mean aliases?"],
  [
    { replies: { viewerCooldown: 1 } },
    "replies.viewerCooldown is not a key; did you mean viewerCooldownSeconds?",
  ],
  [
    { dataDir: "D:\twitch" },
    'dataDir is "D:\\twitch", should be a path with each backslash written twice, or / in its place',
  ],
  [{ dataDir: "~/data" }, 'dataDir is "~/data", should be a whole path, without ~'],
  [{ bto: {} }, "bto is not a key; did you mean bot?"],
  [{ llm: { MODEL: "x" } }, "llm.MODEL is not a key; did you mean model?"],
  [{ prompt: { budgetToken: 1 } }, "prompt.budgetToken is not a key; did you mean budgetTokens?"],
  [
    { llm: { prices: { m: { inptu: 1, cached: 1, output: 1, input: 1 } } } },
    "llm.prices.m.inptu is not a key; did you mean input?",
  ],
  [{ backup: { x: 1 } }, "backup.x is not a key; known here: everyHours, keep"],
  [
    { actions: { classes: { ban: "live" } } },
    "actions.classes.ban is not a key; known here: memory, chat, stream, moderation",
  ],
  [
    { llm: { models: { poetry: "m" } } },
    "llm.models.poetry is not a key; known here: reply, summarise, extract, rerank",
  ],
])("an unknown key gets a suggestion, or the list: %j", (raw, line) => {
  expect(problems({ channel: "a", ...raw })).toEqual([line]);
});

test("every key of the schema, one letter short, is recognised", () => {
  for (const key of [
    "budgetTokens",
    "compactionSeconds",
    "whenOffline",
    "everyHours",
    "safeMode",
  ]) {
    const lines = SECTIONS.flatMap((section) =>
      problems({ channel: "a", [section]: { [key.slice(0, -1)]: 1 } }),
    );
    expect(lines.filter((line) => line.endsWith(`did you mean ${key}?`))).toHaveLength(1);
  }
});

const SECTIONS = ["prompt", "memory", "replies", "backup", "actions"];

test.each(["apiKey", "accessToken", "clientSecret", "oauth", "password"])(
  "a %s in the file is sent to where secrets belong",
  (key) => {
    expect(problems({ channel: "a", twitch: { [key]: "sesame" } })).toEqual([
      `twitch.${key} does not belong here: keys and tokens come from the environment or secrets.json`,
    ]);
  },
);

test("what looks like a key or a token is never shown, wherever it was put", () => {
  const token = fc.stringMatching(/^[a-zA-Z0-9_-]{24,60}$/);
  fc.assert(
    fc.property(token, (secret) => {
      const shown = [
        // A short one could be a login.
        { channel: `${secret}!` },
        { channel: `oauth:${secret.slice(0, 12)}` },
        { channel: "a", mode: secret },
        { channel: "a", [secret]: 1 },
        { channel: "a", llm: { apiKey: secret } },
        {
          channel: "a",
          llm: { baseUrl: `http://user:${secret}@elsewhere.example/?key=${secret}` },
        },
        { channel: "a", bot: { knownBots: [{ deep: secret }] } },
        { channel: "a", dashboard: secret },
      ].flatMap(problems);
      expect(shown.length).toBe(8);
      expect(shown.filter((line) => line.includes(secret.slice(0, 12)))).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

/** The lines of the fault, without the name of the source. */
function problems(raw: unknown): string[] {
  try {
    toConfig(raw, "/x", "config.json");
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    expect(thrown.code).toBe("config");
    return thrown.message.split("\n").map((line) => line.replace(/^config\.json: /, ""));
  }
  return [];
}
