import { readFileSync, statSync, writeFileSync } from "node:fs";
import { platform } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/platform/config/load.ts";
import { ollamaHasLoaded, openAiSays, openOpenAiServer } from "../stand-ins/openai-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  CLIENT_ID,
  hearsVoice,
  NAMED,
  openSetup,
  type Question,
  type Rig,
  type RigGiven,
  reachLogin,
  stoppingEach,
  wayToName,
  withGemini,
} from "./setup-rig.ts";

const KEY = "AIzaAKeyThatNobodyMayRead";

const VOICE = "A sleepy lighthouse keeper.";
const TALKS = "How does it talk?";

const WAY: readonly Question<Rig>[] = [
  ...wayToName<Rig>((rig) => rig.approves("automark")),
  { asked: NAMED, answer: (rig) => rig.types(NAMED, "Lumo") },
  {
    asked: "Which language model",
    answer: (rig) => rig.picks("Which language model", "Google Gemini"),
  },
  {
    asked: "Paste the key",
    answer: async (rig) => {
      await rig.types("Paste the key", KEY);
      await rig.sees("answers, after");
    },
    back: ["Which language model"],
  },
  { asked: TALKS, answer: (rig) => rig.picks(TALKS, "In my own words") },
  {
    asked: "Describe its voice",
    answer: (rig) => rig.types("Describe its voice", VOICE),
    back: [TALKS],
  },
  { asked: "Is that how", answer: (rig) => rig.agrees("Is that how"), back: [TALKS] },
  {
    asked: "How does it begin?",
    answer: (rig) => rig.picks("How does it begin?", "Try it now"),
  },
  { asked: "Write this?", answer: (rig) => rig.picks("Write this?", "Yes") },
];

async function begun(given: RigGiven = {}): Promise<RigGiven> {
  return { folder: temporaryFolder(), config: await withGemini(), ...given };
}

/** The same folder and Twitch once more; the configuration stands there already. */
function again({ folder }: RigGiven, first: Rig): Promise<Rig> {
  return openSetup({ ...(folder === undefined ? {} : { folder }), helix: first.helix });
}

test("interrupted at each question, setup goes on from there, and asks no question twice", async () => {
  const given = await begun();
  let first: Rig | null = null;
  const rig = await stoppingEach(
    WAY,
    async () => {
      const opened = await (first === null ? openSetup(given) : again(given, first));
      first ??= opened;
      return opened;
    },
    async (stopped) => {
      expect(await stopped.done).toBe(false);
      expect(stopped.text()).not.toContain("automark");
      const draft = readFileSync(`${stopped.file}.setup`, "utf8");
      for (const secret of [KEY, "access-automark", "refresh-automark"])
        expect(draft).not.toContain(secret);
      if (platform !== "win32") expect(statSync(`${stopped.file}.setup`).mode & 0o077).toBe(0);
    },
  );
  await rig.sees("All set.");
  expect(await rig.done).toBe(true);
  expect(rig.exists("config.json.setup")).toBe(false);
  expect(rig.config()).toMatchObject({
    channel: "lanternroom",
    bot: { login: "automark" },
    persona: { name: "Lumo", voice: VOICE },
    twitch: { clientId: CLIENT_ID },
    replies: { whenOffline: true },
  });
  expect(loadConfig(rig.file).mode).toBe("mentions");
  expect(rig.secrets()).toEqual({
    twitchAccessToken: "access-automark",
    twitchRefreshToken: "refresh-automark",
    geminiApiKey: KEY,
  });
}, 60_000);

test("who says no after an interruption gets the log-in out of the secrets file again", async () => {
  const given = await begun();
  const first = await openSetup(given);
  await reachLogin(first);
  await first.sees("Code: CODE1");
  first.approves("automark");
  await first.stops(NAMED);
  await first.sees("with the log-in or key you gave");
  await first.done;
  expect(first.secrets()).toMatchObject({ twitchAccessToken: "access-automark" });
  const rig = await again(given, first);
  await rig.picks("You began before", "Go on from there");
  await rig.sees("Logged in as automark, from before.");
  await rig.types(NAMED, "Lumo");
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", KEY);
  await hearsVoice(rig);
  await rig.agrees("How does it begin?");
  await rig.picks("Write this?", "No");
  await rig.sees("Nothing was changed.");
  await rig.done;
  expect(rig.exists("data/secrets.json")).toBe(false);
  expect(rig.exists("config.json.setup")).toBe(false);
});

test("a log-in that was kept before is not replaced by an interruption", async () => {
  const secrets = { twitchAccessToken: "older", twitchRefreshToken: "older-refresh" };
  const rig = await openSetup(await begun({ secrets }));
  await reachLogin(rig);
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.stops(NAMED);
  await rig.sees("What you answered is kept");
  await rig.done;
  expect(rig.secrets()).toEqual(secrets);
});

test("answers of another configuration, and half a file of them, are not gone on from", async () => {
  const given = await begun();
  const first = await openSetup(given);
  await first.types("your Twitch channel", "otherroom");
  await first.stops("Who speaks in chat?");
  await first.done;
  writeFileSync(first.file, first.text().replace("{", '{ "mode": "shadow",'));
  const second = await again(given, first);
  await second.stops("your Twitch channel");
  await second.done;
  expect(second.screen()).not.toContain("You began before");
  writeFileSync(`${first.file}.setup`, '{ "done": [');
  const third = await again(given, first);
  await third.stops("your Twitch channel");
  await third.done;
  expect(third.screen()).not.toContain("You began before");
});

test("with an application of the project's own nobody registers one", async () => {
  const rig = await openSetup({ ...(await begun()), defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  expect(rig.screen()).not.toMatch(/Client ID\b.*paste|Paste the Client ID/);
  rig.approves("automark");
  await rig.sees(NAMED);
  expect(rig.opened).toEqual([]);
});

test("an application that the configuration names is preferred to the project's", async () => {
  const config = { ...(await withGemini()), twitch: { clientId: "z".repeat(30) } };
  const rig = await openSetup({ config, defaultClientId: CLIENT_ID });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.sees(`Your Twitch application: ${"z".repeat(30)}`);
});

test("the streamer's own log-in opens in the browser, the bot's does not", async () => {
  const config = await withGemini();
  const rig = await openSetup({ config, defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Waiting until");
  expect(rig.opened).toEqual([]);
  const own = await openSetup({ config, defaultClientId: CLIENT_ID });
  await own.types("your Twitch channel", "lanternroom");
  await own.picks("Who speaks in chat?", "My own account");
  await own.agrees("What may it do?");
  await own.sees("Waiting until");
  expect(own.opened).toEqual(["https://www.twitch.tv/activate?device-code=CODE1"]);
});

test("the models of an Ollama are listed, and a voice of one's own is heard at once", async () => {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const rig = await openSetup({ defaultClientId: CLIENT_ID });
  await rig.types("your Twitch channel", "lanternroom");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.types(NAMED, "Lumo");
  await rig.picks("Which language model", "A model on this machine");
  model.enqueue(ollamaHasLoaded("gemma3:12b", 8_192));
  await rig.types("Where is the server?", `${model.url}/v1`);
  await rig.picks("Ollama has these:", "gemma3:12b");
  await rig.picks("Does the server want a key?", "No");
  await rig.sees("gemma3:12b answers");
  expect(model.requests[0]).toMatchObject({ method: "GET", path: "/api/tags" });
  model.enqueue(openAiSays({ text: "The fog sends its greetings." }));
  await rig.picks("How does it talk?", "In my own words");
  await rig.types("Describe its voice", "A sleepy lighthouse keeper.");
  await rig.sees("Lumo: The fog sends its greetings.");
  await rig.picks("Is that how it should talk?", "No");
  await rig.picks("How does it talk?", "Deadpan");
  await rig.picks("Is that how it should talk?", "Yes");
  const sample = JSON.stringify(model.requests.map(({ body }) => body));
  expect(sample).toContain("A sleepy lighthouse keeper.");
  await rig.agrees("How does it begin?");
  await rig.picks("Write this?", "Yes");
  await rig.done;
  expect(rig.config()).toMatchObject({
    persona: { voice: expect.stringMatching(/^Deadpan and laconic/) },
    llm: { model: "gemma3:12b" },
  });
});
