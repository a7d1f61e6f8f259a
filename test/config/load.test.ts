import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig, parseConfig, toConfig } from "../../src/config/load.ts";
import { Fault, getMessage } from "../../src/errors.ts";
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
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, text, "latin1");
  expect(loadConfig(file).persona.voice).toBe("fröhlich");
});

test("broken JSON never shows what stands in the file", () => {
  const file = fileWith('{"channel": "a", "llm": {"apiKey": sesame-open}}');
  const fault = faultOf(() => loadConfig(file));
  expect(`${fault.message} ${fault.fix} ${getMessage(fault.cause)}`).not.toMatch(/sesame|apiKey/);
});

function fileWith(text: string): string {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, text);
  return file;
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

test("comments and trailing commas are allowed, and a file in UTF-16 as PowerShell writes it is read", () => {
  const text = '{\n  // who streams\n  "channel": "a", /* and so on */\n}';
  expect(loadConfig(fileWith(text)).channels).toEqual(["a"]);
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]));
  expect(loadConfig(file).channels).toEqual(["a"]);
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
