import { expect, test } from "vitest";
import {
  CLIENT_ID,
  DOWN,
  hearsVoice,
  NAMED,
  openSetup,
  type Rig,
  reachLogin,
  SPACE,
  withGemini,
} from "./setup-rig.ts";

const CHAT_SCOPES = ["chat:read", "chat:edit", "user:write:chat"];
const KEY = "AIzaSyTheKeyThatNobodyMaySee";

/** From the name to the end, with a configuration that says where Gemini is. */
async function finish(rig: Rig) {
  await rig.agrees(NAMED);
  await rig.picks("Which language model", "Google Gemini");
  await rig.types("Paste the key", KEY);
  await rig.sees("answers, after");
  await hearsVoice(rig);
  await rig.picks("How does it begin?", "Answer at once");
  await rig.picks("Write this?", "Yes");
  await rig.sees("All set.");
  expect(await rig.done).toBe(true);
}

test("a code that ran out is replaced by a new one", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await reachLogin(rig);
  await rig.sees("Code: CODE1");
  rig.passes(1_801_000);
  await rig.sees("The code ran out");
  await rig.picks("What now?", "Give me a new code");
  await rig.sees("Code: CODE2");
  rig.approves("automark");
  await rig.sees("Logged in as automark.");
  await finish(rig);
  expect(rig.secrets()).toMatchObject({ twitchAccessToken: "access-automark" });
});

test("the streamer's own account in the bot's place is asked about", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await reachLogin(rig);
  await rig.sees("Code: CODE1");
  rig.approves("lanternroom");
  await rig.sees("lanternroom is your channel's own account");
  await rig.picks("Which is right?", "Log in again");
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await finish(rig);
  expect(rig.config()).toMatchObject({ bot: { login: "automark" } });
  expect(rig.secrets()).toMatchObject({ twitchAccessToken: "access-automark" });
});

test("the bot may speak by the streamer's account after all, and that needs the streamer's rights", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await reachLogin(rig, `${DOWN}${SPACE}`);
  await rig.sees("Code: CODE1");
  rig.approves("lanternroom");
  await rig.picks("Which is right?", "The bot speaks by my own account");
  await rig.sees("log in once more");
  await rig.sees("Code: CODE1");
  expect(rig.askedScopes()).toEqual([
    ...CHAT_SCOPES,
    "clips:edit",
    "channel:manage:broadcast",
    "channel:manage:polls",
  ]);
  rig.approves("lanternroom");
  await finish(rig);
  expect(rig.config()).toMatchObject({
    bot: { login: "lanternroom" },
    actions: { classes: { stream: "approve" } },
  });
});

test("somebody else's account in the streamer's place may be the bot's", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await rig.agrees("your Twitch channel");
  await rig.picks("Who speaks in chat?", "My own account");
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.agrees("What may it do?");
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.sees("automark is not your channel's account (lanternroom)");
  await rig.picks("Which is right?", "automark is the bot's own account");
  await finish(rig);
  expect(rig.config()).toMatchObject({ channel: "lanternroom", bot: { login: "automark" } });
});

test("polls and markers take a log-in of the streamer's own, which must be the channel's", async () => {
  const rig = await openSetup({ config: await withGemini() });
  await reachLogin(rig, `${DOWN}${SPACE}`);
  await rig.sees("Code: CODE1");
  rig.approves("automark");
  await rig.picks("Log in as yourself, too?", "Log in");
  await rig.sees("Log in as yourself (lanternroom).");
  await rig.sees("Code: CODE1");
  expect(rig.askedScopes()).toEqual(["channel:manage:broadcast", "channel:manage:polls"]);
  rig.approves("automark");
  await rig.sees("automark is not your channel's account");
  await rig.picks("Log in as yourself?", "Log in");
  await rig.sees("Code: CODE1");
  rig.approves("lanternroom");
  await rig.sees("Logged in as lanternroom.");
  await finish(rig);
  expect(rig.secrets()).toMatchObject({
    twitchAccessToken: "access-automark",
    twitchStreamerAccessToken: "access-lanternroom",
    twitchStreamerRefreshToken: "refresh-lanternroom",
  });
});
