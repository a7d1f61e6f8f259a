import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { lockFolder } from "../../src/database/lock.ts";
import { geminiFails, geminiSays } from "../stand-ins/gemini-server.ts";
import { openAiSays } from "../stand-ins/openai-server.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  CLIENT_ID,
  goesOn,
  KEY,
  logIn,
  openGemini,
  openOwnServer,
  openSetupRig,
  reachCode,
  reachFinish,
  reachModel,
  withGemini,
} from "./setup-rig.ts";

const CHAT_SCOPES = ["chat:read", "chat:edit", "user:write:chat"];

test("from nothing to a configuration; nothing is written before the last step", async () => {
  const { model, fields } = await openOwnServer();
  const rig = await openSetupRig();
  expect((await rig.open("/")).path).toBe("/setup/channel");
  const asked = await rig.send("channel", { channel: "https://www.twitch.tv/LanternRoom" });
  expect(asked.path).toBe("/setup/twitch");
  expect((await rig.open("/")).path).toBe("/setup/twitch");
  const code = await rig.send("twitch/choose", { account: "bot", clientId: ` ${CLIENT_ID} ` });
  expect(code.text).toContain("CODE1");
  expect(code.text).toContain('href="https://www.twitch.tv/activate?device-code=CODE1"');
  expect(rig.askedScopes()).toEqual(CHAT_SCOPES);
  rig.approves("automark");
  const models = await goesOn(rig);
  expect(models.path).toBe("/setup/model");
  expect(models.text).toContain("Logged in as automark.");
  model.enqueue(openAiSays({ text: "ready" }), openAiSays({ text: "Welcome home, Mira." }));
  const baseUrl = `${fields.baseUrl}/`;
  const pasted = { ...fields, baseUrl, "key-openai-compatible": KEY };
  const voice = await rig.send("model", pasted);
  expect(voice.text).toContain("llama3.1:8b answered “ready”");
  expect(voice.text).toContain("Welcome home, Mira.");
  expect(voice.text).toContain('value="AutoMark"');
  await rig.send("voice", { name: "AutoMark", preset: "Warm and dry", own: "" });
  const last = await rig.send("start", { mode: "shadow" });
  expect(last.text).toContain("!forgetme");
  expect([rig.exists("config.json"), rig.exists("data")]).toEqual([false, false]);
  const started = await rig.send("finish");
  expect(started.text).toContain("The bot is starting");
  await rig.setup.done;
  expect(rig.config()).toEqual({
    $schema: expect.stringMatching(/docs\/config\.schema\.json$/),
    channel: "lanternroom",
    bot: { login: "automark" },
    persona: { name: "AutoMark" },
    mode: "shadow",
    twitch: { clientId: CLIENT_ID },
    llm: fields,
  });
  expect(rig.secrets()).toEqual({
    twitchAccessToken: "access-automark",
    twitchRefreshToken: "refresh-automark",
    openaiApiKey: KEY,
  });
  expect(existsSync(join(rig.folder, rig.config().$schema))).toBe(true);
  expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  if (platform !== "win32")
    expect(statSync(join(rig.folder, "data", "secrets.json")).mode & 0o077).toBe(0);
});

test("no page shows a key or a token; a stored key reads as saved", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  const pages = [await reachCode(rig)];
  rig.approves("automark");
  pages.push(await goesOn(rig), await reachFinish(rig));
  for (const step of ["channel", "twitch", "model", "voice", "start", "finish"])
    pages.push(await rig.open(`/setup/${step}`));
  const text = pages.map((page) => page.path + page.text).join("\n");
  for (const secret of [KEY, "access-automark", "refresh-automark", "first-automark", "device-1"])
    expect(text).not.toContain(secret);
  expect((await rig.open("/setup/model")).text).toContain('placeholder="saved"');
  await rig.send("model", { provider: "gemini", "key-gemini": "" });
  await rig.send("finish");
  expect(rig.secrets()).toMatchObject({ geminiApiKey: KEY });
});

test("an existing configuration keeps its comments and other keys", async () => {
  const model = await openGemini();
  const text = `{
  // Mine.
  "mode": "ambient",
  "replies": { "viewerCooldownSeconds": 3 },
  "llm": { "baseUrl": "${model.url}", "models": { "reply": "gemini-3.6-flash" } },
  "channel": "Lanternroom",
  "bot": { "aliases": ["mark"], "login": "automark" },
  "actions": { "classes": { "chat": "live", "moderation": "dry_run" } }
}
`;
  const rig = await openSetupRig({ config: text });
  await reachCode(rig, { chat: "on", stream: "on" });
  expect(rig.askedScopes()).toEqual([
    ...CHAT_SCOPES,
    "moderator:manage:announcements",
    "moderator:manage:shoutouts",
    "clips:edit",
  ]);
  rig.approves("automark");
  const asked = await goesOn(rig);
  expect(asked.text).toContain("Polls and markers need your own log-in");
  await rig.send("twitch/go-on");
  await reachFinish(rig, "ambient");
  await rig.send("finish");
  const { actions, mode, persona } = loadConfig(rig.file);
  expect(actions.classes).toMatchObject({ chat: "live", stream: "approve", moderation: "off" });
  expect([mode, persona.name]).toEqual(["ambient", "Mark"]);
  const written = readFileSync(rig.file, "utf8");
  expect(written).toContain('// Mine.\n  "mode": "ambient"');
  expect(written).toContain('"replies": { "viewerCooldownSeconds": 3 }');
});

test("polls and markers take a log-in of the streamer's own", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  await logIn(rig, "automark", { stream: "on" });
  await rig.send("twitch/streamer");
  expect(rig.askedScopes()).toEqual(["channel:manage:broadcast", "channel:manage:polls"]);
  rig.approves("automark");
  expect((await goesOn(rig)).text).toContain("automark, which is not your channel’s account");
  await rig.send("twitch/streamer");
  rig.approves(CHANNEL);
  expect((await goesOn(rig)).path).toBe("/setup/model");
  await reachFinish(rig);
  await rig.send("finish");
  expect(rig.secrets()).toMatchObject({
    twitchAccessToken: "access-automark",
    twitchStreamerAccessToken: "access-lanternroom",
  });
});

test("without an account it only listens, and asks no voice", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  expect((await reachModel(rig, "#lanternroom, otherroom")).path).toBe("/setup/model");
  const last = await rig.send("model", { provider: "gemini", "key-gemini": KEY });
  expect(last.path).toBe("/setup/finish");
  expect(last.text).toContain("Nobody checked the channel’s name");
  for (const channel of ["lanternroom", "otherroom"])
    expect(last.text).toContain(`<a href="https://www.twitch.tv/${channel}"`);
  await rig.send("finish");
  const { bot, channels, mode } = loadConfig(rig.file);
  expect([bot.login, channels, mode]).toEqual([null, ["lanternroom", "otherroom"], "shadow"]);
  expect(rig.helix.requests).toEqual([]);
});

test("a stored log-in serves again, also if Twitch must renew it", async () => {
  const config = { ...(await withGemini()), twitch: { clientId: CLIENT_ID } };
  const secrets = { twitchAccessToken: "old", twitchRefreshToken: "refresh-old" };
  const rig = await openSetupRig({ config, secrets });
  const scopes = CHAT_SCOPES;
  const token = { userId: "77", login: "automark", clientId: CLIENT_ID, scopes };
  rig.helix.setRefreshToken("refresh-old", {
    accessToken: "fresh",
    refreshToken: "refresh-fresh",
    token: { ...token, expiresInSeconds: 14_000 },
  });
  const shown = await rig.send("channel", { channel: CHANNEL });
  expect(shown.text).toContain("Logged in as automark");
  expect(rig.secrets()).toMatchObject({ twitchAccessToken: "fresh" });
  expect((await rig.send("twitch/go-on")).path).toBe("/setup/model");
});

test("back and forth, and a closed tab, lose no answer", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  await logIn(rig);
  await rig.send("model", { provider: "gemini", "key-gemini": KEY });
  await rig.send("voice", { name: "Lantern", preset: "", own: "Sleepy and kind." });
  expect((await rig.open("/")).path).toBe("/setup/finish");
  expect((await rig.open("/setup/voice")).text).toMatch(/value="Lantern"[\s\S]*Sleepy and kind\./);
  await rig.send("channel", { channel: "otherroom" });
  expect((await rig.open("/")).path).toBe("/setup/finish");
  await rig.send("start", { mode: "mentions" });
  await rig.send("finish");
  expect(rig.config()).toMatchObject({
    channel: "otherroom",
    bot: { login: "automark" },
    persona: { name: "Lantern", voice: "Sleepy and kind." },
  });
});

test("a channel that does not exist is refused, before or after the log-in", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  const refused = await rig.send("channel", { channel: "my channel!" });
  expect(refused.text).toContain("That is no channel name");
  expect(refused.text).toContain('value="my channel!"');
  const hint = "Setup checks the name after the log-in";
  expect(refused.text).toContain(hint);
  await rig.send("channel", { channel: "nobodyhere" });
  await rig.send("twitch/choose", { account: "bot", clientId: CLIENT_ID });
  rig.approves("automark");
  const back = await goesOn(rig);
  expect(back.path).toBe("/setup/channel");
  expect(back.text).toContain("Twitch has no channel called nobodyhere");
  expect(back.text).toContain('value="nobodyhere"');
  expect(back.text).not.toContain(hint);
  expect((await rig.open("/setup/finish")).path).toBe("/setup/channel");
  expect((await rig.send("channel", { channel: "nobodyhere2" })).path).toBe("/setup/channel");
  expect((await rig.send("channel", { channel: CHANNEL })).path).toBe("/setup/model");
});

test("the wrong account is asked about", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  const asked = await logIn(rig, CHANNEL);
  expect(asked.text).toContain("which is your channel’s own account, not the bot’s");
  const again = await rig.send("twitch/again");
  expect(again.text).toContain("Who speaks in chat?");
  await logIn(rig, CHANNEL);
  expect((await rig.send("twitch/account")).path).toBe("/setup/model");
  expect(rig.setup.answers).toMatchObject({ account: "streamer", bot: { login: CHANNEL } });
});

test("an expired code is replaced by a new one", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  await reachCode(rig);
  rig.passes(1_801_000);
  const expired = await goesOn(rig);
  expect(expired.text).toContain("The code expired before it was used: get a new one.");
  expect((await reachCode(rig)).text).toContain("CODE2");
});

test("a Twitch that does not answer, one that refuses, and a confidential application", async () => {
  const rig = await openSetupRig({ config: await withGemini() });
  rig.helix.failNext("/auth/device", { kind: "status", status: 503 });
  expect((await reachCode(rig)).text).toContain("Twitch does not answer");
  rig.helix.failNext("/auth/device", { kind: "status", status: 400 });
  const refused = await reachCode(rig);
  expect(refused.text).toContain("most often the Client ID is wrong");
  expect(refused.text).toContain("Client ID of your Twitch application");
  expect((await reachCode(rig, { clientId: "short" })).text).toContain("That is no Client ID");
  await reachCode(rig);
  rig.approves("automark", { renewable: false });
  expect((await goesOn(rig)).text).toContain("Client Type is Confidential");
});

test("nobody is asked for a Client ID if the project has registered an application", async () => {
  const rig = await openSetupRig({ config: await withGemini(), defaultClientId: CLIENT_ID });
  const asked = await rig.send("channel", { channel: CHANNEL });
  expect(asked.text).toContain("Who speaks in chat?");
  expect(asked.text).not.toContain("Client ID");
  expect((await rig.send("twitch/choose", { account: "bot" })).text).toContain("CODE1");
});

test("a key of another provider, a refused key and a silent server each get their fix", async () => {
  const gemini = await openGemini();
  const config = { channel: CHANNEL, llm: { baseUrl: gemini.url } };
  const rig = await openSetupRig({ config });
  await reachModel(rig);
  const model = (fields: object) => rig.send("model", { provider: "gemini", ...fields });
  expect((await model({ "key-gemini": "sk-ant-abc" })).text).toContain("key of Anthropic");
  expect((await model({ "key-gemini": "" })).text).toContain("The key is missing: paste it here.");
  gemini.enqueue(geminiFails(401, "UNAUTHENTICATED"));
  const refused = await model({ "key-gemini": KEY });
  expect(refused.text).toMatch(/role="alert"[^<]*>[^<]*key/);
  gemini.enqueue(geminiSays({ text: "…" }), geminiSays({ text: "…" }));
  expect((await model({})).text).toContain("gives empty answers");
  const server = { provider: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" };
  expect((await rig.send("model", { ...server, model: "" })).text).toContain("type its name");
  const silent = await rig.send("model", { ...server, model: "llama3.1:8b" });
  expect(silent.text).toContain("Nothing answers at http://127.0.0.1:9/v1: start Ollama");
  expect(silent.text).toContain('value="llama3.1:8b"');
  const far = { ...server, baseUrl: "http://192.168.0.7/v1", model: "m" };
  expect((await rig.send("model", far)).text).toContain("another machine, without encryption");
  expect((await rig.send("model/anyway")).path).toBe("/setup/finish");
});

test("a configuration that cannot be written leaves no secrets behind", async () => {
  const { fields } = await openOwnServer();
  const rig = await openSetupRig();
  await reachModel(rig);
  await rig.send("model", { ...fields, "key-openai-compatible": KEY });
  // In the way of the file that is written first. It stops every user, as a folder's rights do not.
  mkdirSync(`${rig.file}.part`);
  const failed = await rig.send("finish");
  expect(failed.text).toContain(`${rig.file}: cannot be written`);
  expect([rig.exists("config.json"), rig.exists("data/secrets.json")]).toEqual([false, false]);
  rmdirSync(`${rig.file}.part`);
  await rig.send("finish");
  await rig.setup.done;
  expect(rig.secrets()).toEqual({ openaiApiKey: KEY });
  expect(rig.config()).toMatchObject({ channel: CHANNEL });
});

test("a folder that cannot be written is named at the first step", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "data"), "a file in the folder's place");
  const rig = await openSetupRig({ folder });
  expect((await rig.open("/")).text).toContain(join(folder, "data"));
});

test("a configuration whose secrets cannot be written stays as it was", async () => {
  const config = await withGemini();
  const rig = await openSetupRig({ config });
  await reachModel(rig, "otherroom");
  await rig.send("model", { provider: "gemini", "key-gemini": KEY });
  const before = rig.config();
  mkdirSync(join(rig.folder, "data", "secrets.json.part"), { recursive: true });
  await rig.send("finish");
  expect(rig.config()).toEqual(before);
  rmdirSync(join(rig.folder, "data", "secrets.json.part"));
  await rig.send("finish");
  expect(rig.config()).toMatchObject({ channel: "otherroom" });
});

test("setup overwrites neither another setup's file nor a running bot's", async () => {
  const folder = join(temporaryFolder(), "Größe und Leer zeichen");
  mkdirSync(folder);
  const rig = await openSetupRig({ folder });
  const { fields } = await openOwnServer();
  await reachModel(rig);
  await rig.send("model", fields);
  mkdirSync(join(folder, "data"));
  const lock = lockFolder(join(folder, "data"));
  expect((await rig.send("finish")).text).toContain("the bot is running on");
  lock.release();
  writeFileSync(rig.file, JSON.stringify({ channel: "otherroom" }));
  expect((await rig.send("finish")).text).toContain("another copy of setup wrote it just now");
  expect(rig.config()).toEqual({ channel: "otherroom" });
  rmSync(rig.file);
  await rig.send("finish");
  expect(loadConfig(rig.file).dataDir).toBe(join(folder, "data"));
});

test("an answer that keeps the bot from starting is refused before it is written", async () => {
  const config = {
    ...(await withGemini()),
    persona: { voice: "brisk, warm and fond of lamps. ".repeat(30) },
    prompt: { budgetTokens: 2_500 },
  };
  const rig = await openSetupRig({ config });
  await reachModel(rig);
  const last = await rig.send("model", { provider: "gemini", "key-gemini": KEY });
  expect(last.text).toContain("prompt.budgetTokens is 2500");
  expect(last.text).toMatch(/<button[^>]*disabled/);
});
