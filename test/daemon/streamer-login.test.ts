import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { enter, fastTime, openTown } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
import { BOT_ID, CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const OWN = { userId: STREAMER_ID, login: CHANNEL, clientId: "client", expiresInSeconds: null };
const CLASSES = { memory: "live", chat: "off", stream: "live", moderation: "off" };

/** A town in which the streamer's own log-in may do this, and a daemon that has it. */
async function openDen(scopes: readonly string[], accessToken = "own-access") {
  const town = await openTown({ ...fastTime(20), scopes: ["user:write:chat", "clips:edit"] });
  town.helix.setToken("own-access", { ...OWN, scopes });
  town.helix.setRefreshToken("own-refresh", {
    accessToken: "renewed-access",
    refreshToken: "renewed-refresh",
    token: { ...OWN, scopes, expiresInSeconds: 14_000 },
  });
  const house = await enter(town, {
    config: {
      actions: { classes: CLASSES },
      twitch: { chatUrl: town.irc.url, clientId: "client" },
    },
    environment: {
      twitchStreamerAccessToken: accessToken,
      twitchStreamerRefreshToken: "own-refresh",
    },
  });
  /** Each time another moderator asks: who answers the bot at once, again and again, is taken for one. */
  const ask = async (text: string, answer: string) => {
    const asked = house.replies().length + 1;
    const login = `moss${asked}`;
    house.think(answer);
    house.say({ userId: `20${asked}`, login, displayName: login, badges: "moderator/1", text });
    await house.ended(asked);
  };
  await ask("@automark hello", "hello");
  return { ...house, ask };
}

test("polls and markers go out with the streamer's own log-in, clips with the bot's", async () => {
  const den = await openDen(["channel:manage:polls", "channel:manage:broadcast"]);
  const acts = () => den.helix.requests.filter(({ path }) => /polls|markers|clips/.test(path));
  den.say({
    userId: "209",
    login: "moss9",
    displayName: "moss9",
    badges: "moderator/1",
    text: "@automark poll: more tea? | yes | no",
  });
  await until(() => acts().length === 1);
  await den.ask("@automark keep this spot in mind", "[action marker]");
  await until(() => acts().length === 2);
  await den.ask("@automark keep that one", "[action clip]");
  await until(() => acts().length === 3);
  expect(acts().map(({ path, userId }) => [path, userId])).toEqual([
    ["/mock/polls", STREAMER_ID],
    ["/mock/streams/markers", STREAMER_ID],
    ["/mock/clips", BOT_ID],
  ]);
  expect(systemPrompt(den)).toContain(ACTIONS.poll.line);
});

test("what the streamer's own log-in may not do is not offered", async () => {
  const den = await openDen(["channel:manage:broadcast"]);
  expect(systemPrompt(den)).toContain(ACTIONS.marker.line);
  expect(systemPrompt(den)).not.toContain(ACTIONS.poll.line);
});

test("its renewed tokens are stored next to the bot's", async () => {
  const den = await openDen(["channel:manage:polls"], "spent-access");
  const file = join(den.dataDir, "secrets.json");
  await until(() => existsSync(file) && readFileSync(file, "utf8").includes("renewed-access"));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    twitchStreamerAccessToken: "renewed-access",
    twitchStreamerRefreshToken: "renewed-refresh",
  });
});
