import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig, parseConfig, toConfig } from "../../src/config/load.ts";
import { findPersona, listBotNames } from "../../src/config/personas.ts";
import { isLoopbackUrl } from "../../src/config/schema.ts";
import { attempt, Fault, getMessage } from "../../src/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a channel alone is a whole configuration", () => {
  const config = toConfig({ channel: "Some_Channel" }, "/home/me/bot");
  expect(config).toMatchObject({
    channels: ["some_channel"],
    mode: "mentions",
    bot: { login: null, aliases: [] },
    twitch: { clientId: "", chatUrl: "wss://irc-ws.chat.twitch.tv:443" },
    llm: { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: null },
    memory: { mode: "auto", compactionSeconds: 180, personaScope: "shared" },
    actions: {
      safeMode: false,
      classes: { memory: "live", chat: "off", stream: "off", moderation: "off" },
    },
    dashboard: { port: 4747 },
  });
});

test("channels are logins in lower case without #, each once", () => {
  const { channels } = toConfig({ channel: ["#One", "two", " ONE "] }, "/x");
  expect(channels).toEqual(["one", "two"]);
});

test("paths are relative to the file, not to where the program was started", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "inner"));
  const file = join(folder, "inner", "config.json");
  writeFileSync(file, JSON.stringify({ channel: "a", dataDir: "../kept" }));
  expect(loadConfig(file).dataDir).toBe(join(folder, "kept"));
  expect(loadConfig(file).databaseFile).toBe(join(folder, "kept", "forgetmenot.db"));
});

test.each([
  ['{\n  "channel": "a"\n  "mode": "shadow"\n}', 3],
  ['{\n  "channel": "a",\n  "mode": shadow\n}', 3],
  ['{\n  "channel": "a",\n  "bot": {', 3],
])("broken JSON is told with its line: %j", (text, line) => {
  const file = fileWith(text);
  const fault = faultOf(() => loadConfig(file));
  expect(fault.code).toBe("config");
  expect(fault.message).toMatch(new RegExp(`is not valid JSON \\(.*, line ${line}\\)$`));
  expect(fault.message.startsWith(file)).toBe(true);
});

test.each([
  ["", /: is empty$/, /forgetmenot setup/],
  [" \r\n", /: is empty$/, /forgetmenot setup/],
  ['{"dataDir": "C:\\Games\\bot"}', /line 1\)$/, /^in a path, write each backslash twice/],
  ['{"dataDir": "D:\\unpacked\\bot"}', /line 1\)$/, /^in a path, write each backslash twice/],
  ['{"mode": "shadow",\n"mode": "mentions"}', /: mode occurs twice \(line 2\)$/, /remove one/],
  ['{"bot": {"login": "a",\n"login": "b"}}', /: bot\.login occurs twice \(line 2\)$/, /remove one/],
])("what an editor leaves behind is told with what to do: %j", (text, message, fix) => {
  expect(faultOf(() => loadConfig(fileWith(text)))).toMatchObject({
    code: "config",
    message: expect.stringMatching(message),
    fix: expect.stringMatching(fix),
  });
});

test("a file that Notepad saved as ANSI is read, umlauts and all", () => {
  const text = '{"channel": "a", "persona": {"voice": "fröhlich"}}';
  expect(loadConfig(fileWith(Buffer.from(text, "latin1"))).persona.voice).toBe("fröhlich");
});

test("broken JSON never shows what stands in the file", () => {
  const file = fileWith('{"channel": "a", "llm": {"apiKey": sesame-open}}');
  const fault = faultOf(() => loadConfig(file));
  expect(`${fault.message} ${fault.fix} ${getMessage(fault.cause)}`).not.toMatch(/sesame|apiKey/);
});

function fileWith(text: string | Buffer): string {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, text);
  return file;
}

function faultOf(work: () => unknown): Fault {
  return attempt(work).fault ?? expect.fail("nothing was thrown");
}

test("comments and trailing commas are allowed, and a file in UTF-16 as PowerShell writes it is read", () => {
  const text = '{\n  // who streams\n  "channel": "a", /* and so on */\n}';
  expect(loadConfig(fileWith(text)).channels).toEqual(["a"]);
  const utf16 = fileWith(Buffer.from(`\ufeff${text}`, "utf16le"));
  expect(loadConfig(utf16).channels).toEqual(["a"]);
});

test("a file of the second edition runs, and names each removed key once", () => {
  const text = JSON.stringify({
    channel: "here",
    memory: {
      mode: "manual",
      kindDays: { event: 3 },
      recall: { scales: 7, loreTokens: 500 },
    },
    rights: { commands: { forgetme: "!vanish" } },
    actions: { autonomy: null },
    ...{ retention: { eventHours: 12 }, log: { level: "debug" } },
    ...{ bot: { otherProgramPrefixes: ["[Alerts]"] }, replies: { ambientChance: 0.1 } },
  });
  const { memory, removedKeys } = parseConfig(text, "config.json");
  expect(memory).toMatchObject({ mode: "manual", recall: { loreTokens: 500 } });
  expect(removedKeys).toEqual([
    "actions.autonomy",
    "bot.otherProgramPrefixes",
    "log",
    "memory.kindDays",
    "memory.recall.scales",
    "replies.ambientChance",
    "retention",
    "rights",
  ]);
});

const VESPER = { name: "Vesper", voice: "Grand.", channels: ["#Night"] };

function castOf(keys: Readonly<Record<string, unknown>>) {
  return toConfig(
    { channel: ["day", "night"], bot: { login: "automark" }, persona: { name: "Mark" }, ...keys },
    ".",
  );
}

test("a persona speaks in its channels, the default one everywhere else", () => {
  const config = castOf({ personas: [VESPER] });
  expect(findPersona(config, "night")).toEqual({
    name: "Vesper",
    voice: "Grand.",
    memoryScope: null,
  });
  expect(findPersona(config, "day").name).toBe("Mark");
});

test.each([
  ["shared", undefined, null, null],
  ["persona", undefined, "Vesper", "Mark"],
  ["shared", "persona", "Vesper", null],
  ["persona", "shared", null, "Mark"],
])(
  "with memory.personaScope %s and its own %s, its notes belong to %s",
  (scope, own, night, day) => {
    const memory = { personaScope: scope };
    const config = castOf({ memory, personas: [{ ...VESPER, memory: own }] });
    expect(findPersona(config, "night").memoryScope).toBe(night);
    expect(findPersona(config, "day").memoryScope).toBe(day);
  },
);

test("the bot answers to its login, its aliases, and the name that it has in a channel", () => {
  const config = castOf({ bot: { login: "automark", aliases: ["wick"] }, personas: [VESPER] });
  expect(listBotNames(config, "night")).toEqual(["automark", "wick", "Vesper"]);
  expect(listBotNames(config, "day")).toEqual(["automark", "wick", "Mark"]);
  expect(listBotNames(config)).toEqual(["automark", "wick", "Mark", "Vesper"]);
});

test.each([
  ["two of a name", [VESPER, { ...VESPER, name: "VESPER", channels: [] }], "personas.1.name"],
  ["one named as the default", [{ ...VESPER, name: "mark" }], "personas.0.name"],
  ["two in a channel", [VESPER, { ...VESPER, name: "Wick" }], "personas.1.channels.0"],
  ["one elsewhere", [{ ...VESPER, channels: ["noon"] }], "one of the logins in channel"],
  ["one without a voice", [{ name: "Wick" }], "personas.0.voice is missing"],
  ["a key too many", [{ ...VESPER, chanels: [] }], "did you mean channels?"],
])("%s is refused", (_, personas, wrong) => {
  expect(() => castOf({ personas })).toThrow(Fault);
  expect(() => castOf({ personas })).toThrow(wrong);
});

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
  return attempt(() => toConfig({ channel: "a", ...raw }, "/x")).fault === null;
}
