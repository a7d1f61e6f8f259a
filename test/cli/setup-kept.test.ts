import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { startDaemon } from "../../src/daemon/daemon.ts";
import { openLog } from "../../src/log.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { openTown } from "../stand-ins/house.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { BOT, BOT_ID, CHANNEL, configFileOf } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  CLIENT_ID,
  DOWN,
  ENTER,
  hearsVoice,
  NAMED,
  openSetup,
  type Rig,
  SPACE,
  withGemini,
} from "./setup-rig.ts";

const SCOPES = ["chat:read", "chat:edit", "user:write:chat"];
const TOKEN = {
  userId: BOT_ID,
  login: BOT,
  clientId: CLIENT_ID,
  scopes: SCOPES,
  expiresInSeconds: 14_000,
};
const KEPT = {
  twitchAccessToken: "kept-access",
  twitchRefreshToken: "kept-refresh",
  geminiApiKey: "kept-key",
};

/** Setup once more, where a bot is set up already. */
async function openAgain(isExpired = false): Promise<Rig> {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  if (!isExpired) helix.setToken("kept-access", TOKEN);
  helix.setRefreshToken("kept-refresh", {
    accessToken: "renewed-access",
    refreshToken: "renewed-refresh",
    token: TOKEN,
  });
  const config = {
    ...(await withGemini()),
    bot: { login: BOT },
    mode: "shadow",
    twitch: { clientId: CLIENT_ID },
  };
  return await openSetup({ config, secrets: KEPT, helix });
}

async function keepUntilLogin(rig: Rig, classKeys = "") {
  await rig.agrees("your Twitch channel");
  await rig.agrees("Who speaks in chat?");
  await rig.picks("Your Twitch application", "Keep it");
  await rig.sees("What may it do?");
  rig.press(`${classKeys}${ENTER}`);
}

test("Enter throughout keeps a configuration and its log-in as they are", async () => {
  const rig = await openAgain();
  const before = rig.text();
  await keepUntilLogin(rig);
  await rig.picks(`A log-in of ${BOT} is kept here already`, "Keep it");
  await rig.agrees(NAMED);
  await rig.agrees("Which language model");
  await rig.picks("Which key?", "Use the key that is kept here");
  await hearsVoice(rig);
  await rig.agrees("How does it begin?");
  await rig.sees("stays as it is.");
  await rig.picks("There is nothing to write.", "Yes");
  await rig.sees("All set.");
  expect(await rig.done).toBe(true);
  expect(rig.text()).toBe(before);
  expect(rig.secrets()).toEqual(KEPT);
});

test("a log-in that is kept and may not do enough is replaced", async () => {
  const rig = await openAgain();
  await keepUntilLogin(rig, `${SPACE}${DOWN}`);
  await rig.sees("does not do for what you chose");
  await rig.sees("Code: CODE1");
  rig.approves(BOT);
  await rig.agrees(NAMED);
  await rig.agrees("Which language model");
  await rig.picks("Which key?", "Use the key");
  await hearsVoice(rig);
  await rig.agrees("How does it begin?");
  await rig.picks("Write this?", "Yes");
  await rig.sees("All set.");
  await rig.done;
  expect(rig.secrets()).toEqual({
    ...KEPT,
    twitchAccessToken: `access-${BOT}`,
    twitchRefreshToken: `refresh-${BOT}`,
  });
});

test("a log-in that ran out is renewed, and stays renewed when the person stops", async () => {
  const rig = await openAgain(true);
  await keepUntilLogin(rig);
  await rig.sees("had run out; Twitch renewed it");
  await rig.stops(`A log-in of ${BOT} is kept here already`);
  await rig.sees("Nothing was changed, but for the log-in that was stored here: it is renewed.");
  expect(await rig.done).toBe(false);
  expect(rig.secrets()).toEqual({
    ...KEPT,
    twitchAccessToken: "renewed-access",
    twitchRefreshToken: "renewed-refresh",
  });
});

test("an application of the type Confidential is found out before the bot is locked out", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  rig.approves(BOT, { renewable: false });
  await rig.sees("Client Type is Confidential");
  await rig.picks("What now?", "Try once more");
  await rig.sees("Code: CODE1");
  rig.approves(BOT);
  await rig.sees(`Logged in as ${BOT}.`);
});

test("what setup wrote starts a bot that joins", async () => {
  const town = await openTown();
  const folder = temporaryFolder();
  const { chatUrl } = configFileOf(town).twitch;
  const config = {
    channel: CHANNEL,
    twitch: { chatUrl },
    llm: { baseUrl: town.model.url },
    dashboard: { port: false },
  };
  const rig = await openSetup({ folder, config, helix: town.helix });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  rig.approves(BOT);
  await rig.agrees(NAMED);
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", "somekey");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Answer at once");
  await rig.picks("Write this?", "Yes");
  await rig.done;

  useHelixStandIn(town.helix.port);
  const daemon = await startDaemon({
    offlineModel: scriptedLlm(),
    config: loadConfig(rig.file),
    configFile: rig.file,
    onConfig: () => undefined,
    environment: { ...NO_ENVIRONMENT, hasHelixStandIn: true },
    now: town.now,
    random: () => 0.5,
    log: openLog("silent"),
  });
  onTestFinished(async () => void (await daemon.close()));
  await daemon.ready;
  expect(daemon.status().channels).toMatchObject([{ channel: CHANNEL, joined: true }]);
  await until(() => daemon.status().channels[0]?.isLive === true);
  town.irc.say(CHANNEL, {
    userId: "501",
    login: "rosa",
    displayName: "Rosa",
    text: `@${BOT} hello`,
  });
  await until(() => town.said.length === 1);
  expect(town.said[0]).toMatchObject({ via: "helix", text: "ok" });
});
