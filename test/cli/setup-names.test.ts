import { expect, onTestFinished, test } from "vitest";
import { firstAnswers, withAnswers } from "../../src/cli/setup/setup-answers.ts";
import { isSaidOften, nameIn } from "../../src/cli/setup/setup-words.ts";
import { toConfig } from "../../src/config/load.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { openOpenAiServer } from "../stand-ins/openai-server.ts";
import {
  CLIENT_ID,
  hearsVoice,
  NAMED,
  openSetup,
  type Rig,
  type RigGiven,
  withGemini,
} from "./setup-rig.ts";

/** Up to the log-in of the account, by a code. */
async function logIn(rig: Rig, { channel = "lanternroom", who = "An account of the bot" } = {}) {
  await rig.types("your Twitch channel", channel);
  await rig.picks("Who speaks in chat?", who);
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
}

/** From the model to the last question. */
async function finish(rig: Rig) {
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Answer at once");
}

async function openWith(config: Readonly<Record<string, unknown>>, given: RigGiven = {}) {
  return await openSetup({ ...given, config: { ...(await withGemini()), ...config } });
}

async function openHelix() {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  return helix;
}

test("a new bot is called as Twitch writes its account, or otherwise", async () => {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const rig = await openSetup();
  await logIn(rig);
  rig.approves("automark");
  await rig.sees(NAMED);
  await rig.sees("AutoMark");
  rig.press(" the Third\r");
  await rig.picks("Which language model", "A model on this machine");
  await rig.types("Where is the server?", `${model.url}/v1`);
  await rig.types("Which model?", "small");
  await rig.picks("Does the server want a key?", "No");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Answer at once");
  await rig.sees("persona.name: AutoMark the Third");
  await rig.picks("Write this?", "Change an answer");
  await rig.picks("Which one?", "What it is called");
  await rig.types(NAMED, "@Lumo");
  await rig.picks("Write this?", "Yes");
  await rig.sees("speaks to @automark or says Lumo, while you are live");
  await rig.done;
  expect(rig.config()).toMatchObject({ persona: { name: "Lumo" } });
});

test("a new bot on the streamer's account is called as the person says, since Twitch cannot know", async () => {
  const rig = await openSetup();
  await logIn(rig, { who: "My own account" });
  rig.approves("lanternroom");
  await rig.sees(NAMED);
  await rig.sees("such as Mark");
  expect(rig.helix.requests.some(({ path }) => path === "/mock/users")).toBe(false);
});

test("a Twitch that does not say how it writes the account has the bot called by its login", async () => {
  const rig = await openSetup();
  await logIn(rig);
  // The channel is asked about, then the account.
  rig.helix.failNext("/mock/users", { kind: "status", status: 503 }, 2);
  rig.approves("automark");
  await rig.sees(NAMED);
  await rig.sees("automark");
  expect(rig.screen()).not.toMatch(/AutoMark|no channel/);
});

test("a name that the configuration says stays with Enter, and with it the personas", async () => {
  const personas = [{ name: "Vesper", voice: "Formal.", channels: ["otherroom"] }];
  const channel = ["lanternroom", "otherroom"];
  const config = { channel, bot: { login: "automark" }, persona: { name: "Lumo" }, personas };
  const rig = await openWith(config);
  await logIn(rig, { channel: channel.join(" ") });
  rig.approves("automark");
  await rig.sees("In otherroom it is Vesper: that stays.");
  await rig.agrees(NAMED);
  await finish(rig);
  await rig.picks("Write this?", "Change an answer");
  expect(rig.screen()).not.toContain("persona.name");
  await rig.picks("Which one?", "What it is called");
  await rig.types(NAMED, "VESPER");
  await rig.types("Another persona is called that already.", "Lumo");
  await rig.picks("Write this?", "Yes");
  await rig.sees("says Lumo or Vesper");
  await rig.done;
  expect(rig.config()).toMatchObject(config);
});

test("a word that chat says often is warned about, and taken", async () => {
  const rig = await openWith({});
  await logIn(rig);
  rig.approves("automark");
  await rig.types(NAMED, "Bot");
  await rig.sees('whenever somebody says "Bot"');
  await finish(rig);
  await rig.sees("persona.name: the bot → Bot");
});

test("a channel that Twitch does not know is asked for again", async () => {
  const rig = await openWith({});
  await logIn(rig, { channel: "lanternrom, otherroom, lanternom" });
  rig.approves("automark");
  await rig.sees("There is no channel called lanternrom on Twitch.");
  await rig.sees("There is no channel called lanternom on Twitch.");
  await rig.types("your Twitch channel", "lanternrom");
  await rig.sees("There is no channel called lanternrom on Twitch.");
  await rig.types("your Twitch channel", "lanternroom");
  await rig.agrees(NAMED);
  await finish(rig);
  await rig.picks("Write this?", "Change an answer");
  await rig.picks("Which one?", "The channel");
  await rig.types("your Twitch channel", "othersroom");
  await rig.sees("There is no channel called othersroom on Twitch.");
  await rig.types("your Twitch channel", "otherroom");
  await rig.picks("Write this?", "Yes");
  await rig.done;
  expect(rig.config()).toMatchObject({ channel: "otherroom" });
});

test("a channel that turns out to be the account's own brings back the question whose it is", async () => {
  const rig = await openWith({});
  await logIn(rig, { channel: "lanternrom" });
  rig.approves("lanternroom");
  await rig.sees("There is no channel called lanternrom on Twitch.");
  await rig.types("your Twitch channel", "lanternroom");
  await rig.sees("lanternroom is your channel's own account");
});

test.for(["still holds", "had run out"])(
  "a log-in that is kept and %s asks about the channel, too",
  async (how) => {
    const helix = await openHelix();
    const scopes = ["chat:read", "chat:edit", "user:write:chat"];
    const token = { userId: "1", login: "automark", clientId: CLIENT_ID, scopes };
    const lasting = { ...token, expiresInSeconds: 14_000 };
    if (how === "still holds") helix.setToken("kept-access", lasting);
    const renewed = { accessToken: "renewed-access", refreshToken: "renewed-refresh" };
    helix.setRefreshToken("kept-refresh", { ...renewed, token: lasting });
    const secrets = { twitchAccessToken: "kept-access", twitchRefreshToken: "kept-refresh" };
    const config = { bot: { login: "automark" }, twitch: { clientId: CLIENT_ID } };
    const rig = await openWith(config, { helix, secrets });
    await rig.types("your Twitch channel", "lanternrom");
    await rig.agrees("Who speaks in chat?");
    await rig.agrees("Your Twitch application");
    await rig.agrees("What may it do?");
    await rig.agrees("A log-in of automark is kept here already");
    await rig.sees("There is no channel called lanternrom on Twitch.");
  },
);

test.for([
  ["hangs up", { kind: "cut" }],
  ["does not answer as it should", { kind: "status", status: 500 }],
  ["takes the log-in no more", { kind: "status", status: 401 }],
] as const)("nothing is said of a channel where Twitch %s", async ([, fault]) => {
  const rig = await openWith({});
  await logIn(rig, { channel: "lanternrom" });
  rig.helix.failNext("/mock/users", fault, 2);
  rig.approves("automark");
  await rig.agrees(NAMED);
  await finish(rig);
  expect(rig.screen()).not.toContain("no channel");
});

test("while Twitch is asked about the channel, one can stop", async () => {
  const rig = await openWith({});
  await logIn(rig);
  rig.helix.failNext("/mock/users", { kind: "hang" });
  rig.approves("automark");
  await rig.sees("Logged in as automark.");
  rig.stop.abort();
  expect(await rig.done).toBe(false);
});

test.for([
  ["Mark", "Mark"],
  [" @Lumo ", "Lumo"],
  ["オートマーク", "オートマーク"],
] as const)("%j is a name", ([typed, name]) => {
  expect(nameIn(typed, [])).toEqual({ ok: true, value: name });
});

test.for(["", "  ", "@", "a".repeat(41)])("%j is no name", (typed) => {
  expect(nameIn(typed, [])).toMatchObject({ ok: false });
});

test("short words and words that stand everywhere are said often, names are not", () => {
  for (const name of ["Bot", "chat", "AI", "der", "X"]) expect(isSaidOften(name)).toBe(true);
  for (const name of ["Mark", "AutoMark", "小明", "ミク", "Das Boot"])
    expect(isSaidOften(name)).toBe(false);
});

test("the name changes persona.name only, and only where somebody speaks", () => {
  const raw = { channel: "one", persona: { voice: "Brisk." }, mode: "shadow" };
  const base = toConfig(raw, ".");
  const answers = { ...firstAnswers(base, false), name: "Lumo" };
  const written = (account: "bot" | "none", isNew = false) =>
    withAnswers(raw, { ...answers, account }, { base, isNew });
  expect(written("bot")["persona"]).toEqual({ voice: "Brisk.", name: "Lumo" });
  expect(written("none")["persona"]).toEqual({ voice: "Brisk." });
  expect(withAnswers(raw, { ...answers, name: "Mark" }, { base, isNew: false })).toEqual(raw);
});
