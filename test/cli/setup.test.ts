import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { geminiFails } from "../stand-ins/gemini-server.ts";
import { openOpenAiServer } from "../stand-ins/openai-server.ts";
import {
  CLIENT_ID,
  DOWN,
  ENTER,
  hearsVoice,
  NAMED,
  openGemini,
  openSetup,
  SPACE,
  withGemini,
} from "./setup-rig.ts";

const CHAT_SCOPES = ["chat:read", "chat:edit", "user:write:chat"];
const KEY = "AIzaSyTheKeyThatNobodyMaySee";

test("from nothing to a configuration: channel, application, log-in, model, mode", async () => {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const rig = await openSetup();
  await rig.types("your Twitch channel", "https://www.twitch.tv/LanternRoom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.types("Paste the Client ID", ` ${CLIENT_ID} `);
  await rig.agrees("What may it do?");
  await rig.sees("https://www.twitch.tv/activate?device-code=CODE1");
  await rig.sees("Code: CODE1");
  expect(rig.askedScopes()).toEqual(CHAT_SCOPES);
  rig.approves("automark");
  await rig.sees("Logged in as automark.");
  await rig.agrees(NAMED);
  await rig.picks("Which language model", "A model on this machine");
  await rig.types("Where is the server?", `${model.url}/v1/`);
  await rig.types("Which model?", "llama3.1:8b");
  await rig.picks("Does the server want a key?", "Yes");
  await rig.types("Paste the key", KEY);
  await rig.sees("llama3.1:8b answers");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Silently");
  await rig.sees(`${rig.file}, new:`);
  await rig.sees("which only you can read");
  expect(rig.exists("config.json")).toBe(false);
  expect(rig.exists("data")).toBe(false);
  await rig.picks("Write this?", "Yes");
  await rig.sees("All set.");
  expect(await rig.done).toBe(true);
  expect(rig.config()).toEqual({
    $schema: expect.stringMatching(/docs\/config\.schema\.json$/),
    channel: "lanternroom",
    bot: { login: "automark" },
    persona: { name: "AutoMark" },
    mode: "shadow",
    twitch: { clientId: CLIENT_ID },
    llm: { provider: "openai-compatible", model: "llama3.1:8b", baseUrl: `${model.url}/v1` },
  });
  expect(rig.secrets()).toEqual({
    twitchAccessToken: "access-automark",
    twitchRefreshToken: "refresh-automark",
    openaiApiKey: KEY,
  });
  const { $schema } = rig.config() as { readonly $schema: string };
  expect(existsSync(join(rig.folder, $schema))).toBe(true);
  expect(loadConfig(rig.file).dataDir).toBe(join(rig.folder, "data"));
  expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  for (const secret of [KEY, "access-automark", "refresh-automark", "first-automark", "device-1"])
    expect(rig.screen()).not.toContain(secret);
  if (platform !== "win32")
    expect(statSync(join(rig.folder, "data", "secrets.json")).mode & 0o077).toBe(0);
});

test("only listening needs no account and no application", async () => {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const rig = await openSetup();
  await rig.types("your Twitch channel", "#lanternroom, otherroom");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "A model on this machine");
  await rig.types("Where is the server?", `${model.url}/v1`);
  await rig.types("Which model?", "small");
  await rig.picks("Does the server want a key?", "No");
  await rig.picks("Write this?", "Yes");
  await rig.sees("listens and remembers, and says nothing");
  await rig.sees("Without an account, Twitch could not be asked");
  await rig.done;
  expect(rig.config()).toMatchObject({
    channel: ["lanternroom", "otherroom"],
    bot: { login: null },
    mode: "shadow",
  });
  expect(rig.config()).not.toHaveProperty("persona");
  expect(rig.exists("data")).toBe(false);
  expect(rig.helix.requests).toEqual([]);
  expect(model.requests.at(-1)?.headers.authorization).toBeUndefined();
});

test("a configuration that is there keeps its order, its indent and what was not asked", async () => {
  const model = await openGemini();
  const text = [
    "{",
    '\t"mode": "ambient",',
    '\t"replies": { "viewerCooldownSeconds": 3 },',
    `\t"llm": { "baseUrl": "${model.url}", "models": { "reply": "gemini-3.6-flash" } },`,
    '\t"channel": "Lanternroom",',
    '\t"bot": { "aliases": ["mark"], "login": "automark" },',
    '\t"actions": { "classes": { "chat": "live", "moderation": "dry_run" } }',
    "}",
    "",
  ].join("\n");
  const rig = await openSetup({ config: text });
  await rig.agrees("your Twitch channel");
  await rig.agrees("Who speaks in chat?");
  await rig.types("Paste the Client ID", CLIENT_ID);
  // Announcements are on, moderation too: that goes off, and clips join.
  await rig.sees("What may it do?");
  rig.press(`${DOWN}${SPACE}${DOWN}${SPACE}${ENTER}`);
  await rig.sees("Code: CODE1");
  expect(rig.askedScopes()).toEqual([
    ...CHAT_SCOPES,
    "moderator:manage:announcements",
    "moderator:manage:shoutouts",
    "clips:edit",
  ]);
  rig.approves("automark");
  await rig.picks("Log in as yourself, too?", "Do without");
  await rig.agrees(NAMED);
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", KEY);
  await rig.sees("gemini-3.6-flash answers");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "As now");
  await rig.sees("actions.classes.stream: off → approve");
  await rig.picks("Write this?", "Yes");
  await rig.sees("/mod automark");
  await rig.done;
  const config = loadConfig(rig.file);
  expect(config.actions.classes).toEqual({
    memory: "live",
    chat: "live",
    stream: "approve",
    moderation: "off",
  });
  expect(config.mode).toBe("ambient");
  const written = rig.text();
  expect(written.split("\n")[1]).toBe('\t"mode": "ambient",');
  const kept = Object.keys(JSON.parse(text));
  expect(Object.keys(JSON.parse(written))).toEqual([...kept, "twitch"]);
  expect(JSON.parse(written)).toMatchObject({
    channel: "Lanternroom",
    llm: { baseUrl: model.url },
  });
});

test("a key that is refused is told, and can be typed again", async () => {
  const model = await openGemini();
  const rig = await openSetup({ config: { channel: "lanternroom", llm: { baseUrl: model.url } } });
  model.enqueue(
    geminiFails(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
    geminiFails(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
  );
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.sees("free tier");
  await rig.types("Paste the key", "wrong key");
  await rig.types("no spaces", "wrongkey");
  await rig.sees("the key is refused");
  model.drain();
  await rig.picks("What now?", "Change my answer");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", KEY);
  await rig.sees("answers, after");
  await rig.picks("Write this?", "Yes");
  await rig.sees("All set.");
  await rig.done;
  expect(rig.secrets()).toEqual({ geminiApiKey: KEY });
  expect(model.requests.at(-1)?.headers["x-goog-api-key"]).toBe(KEY);
  expect(rig.screen()).not.toContain("wrongkey");
});

test("a key in the environment may be used as it is, and is not kept", async () => {
  const config = await withGemini();
  const rig = await openSetup({ config, environment: { GEMINI_API_KEY: KEY } });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "Nobody");
  await rig.picks("Which language model", "Google Gemini");
  await rig.picks("Which key?", "Use the key in GEMINI_API_KEY");
  await rig.sees("answers, after");
  await rig.picks("Write this?", "Yes");
  await rig.sees("All set.");
  await rig.done;
  expect(rig.exists("data")).toBe(false);
});
