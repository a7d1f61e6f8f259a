import { expect, test } from "vitest";
import { CHANNEL, STREAMER_ID, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { examine, openPatient, REFRESH_TOKEN, setBotToken } from "./examined.ts";

const AGAIN = "log the bot in again with `forgetmenot setup`, or set a fresh TWITCH_ACCESS_TOKEN";
const WITH_SCOPES = AGAIN.replace("a fresh", "one that has them as");

test("a token that ran out is renewed at the next start, with a refresh token and a client id", async () => {
  const patient = await openPatient();
  const { helix, irc } = patient.town;
  helix.revokeToken(TWITCH_TOKEN);
  const refresh = { TWITCH_REFRESH_TOKEN: REFRESH_TOKEN };
  const twitch = { chatUrl: irc.url, clientId: "client" };
  const { of } = await examine(patient, { twitch }, refresh);
  expect(of("bot_token")).toEqual([
    {
      state: "ok",
      found: "the access token has expired; the bot renews it at its next start",
      mend: null,
    },
  ]);
  const without = await examine(patient, {}, refresh);
  expect(without.of("bot_token")).toEqual([
    {
      state: "problem",
      found: expect.stringContaining("without twitch.clientId it cannot be renewed"),
      mend: expect.stringContaining("set twitch.clientId to"),
    },
  ]);
  expect(helix.requests.filter(({ path }) => path === "/auth/token")).toEqual([]);
});

test("a token of an application is none of an account", async () => {
  const patient = await openPatient();
  setBotToken(patient, { login: "" });
  const { of } = await examine(patient);
  expect(of("bot_token")).toEqual([
    { state: "problem", found: expect.stringContaining("belongs to an application"), mend: AGAIN },
  ]);
});

test.each([
  [["chat:edit", "user:write:chat"], "problem", "it lacks chat:read: the bot cannot read chat"],
  [
    ["chat:read"],
    "problem",
    "it lacks chat:edit and user:write:chat: the bot cannot write in chat",
  ],
  [
    ["chat:read", "chat:edit"],
    "warning",
    "it lacks user:write:chat: the bot cannot see when Twitch drops what it writes",
  ],
  [
    ["chat:read", "user:write:chat"],
    "warning",
    "it lacks chat:edit: the bot can write by Twitch's API only",
  ],
])("a token with only %j", async (scopes, state, found) => {
  const patient = await openPatient();
  setBotToken(patient, { scopes });
  const { of } = await examine(patient);
  expect(of("bot_token").slice(1)).toEqual([{ state, found, mend: WITH_SCOPES }]);
});

test("in mode shadow a token need not write", async () => {
  const patient = await openPatient();
  setBotToken(patient, { scopes: ["chat:read"] });
  const { of } = await examine(patient, { mode: "shadow" });
  expect(of("bot_token").map(({ state }) => state)).toEqual(["ok"]);
});

test("scopes that allowed actions need are named, with what does not work without them", async () => {
  const actions = {
    classes: { stream: "approve", moderation: "live" },
    denylist: { actions: ["warn"] },
  };
  const { of, exit } = await examine(await openPatient(), { actions });
  expect(of("bot_token")[1]).toEqual({
    state: "warning",
    found:
      "it lacks clips:edit (clips), moderator:manage:chat_messages (deletions), moderator:manage:banned_users (time-outs): the bot does not offer these",
    mend: `${WITH_SCOPES}; or set their actions.classes to off`,
  });
  expect(of("streamer_token")).toEqual([
    {
      state: "warning",
      found: "none: there are no markers and no polls, which Twitch lets only you make",
      mend: expect.stringContaining("actions.classes.stream"),
    },
  ]);
  expect(exit).toBe(0);
});

test.each([
  [CHANNEL, ["channel:manage:polls"], /^it lacks channel:manage:broadcast \(markers\)/],
  ["othername", ["channel:manage:polls"], /belongs to othername, which is not one of the channels/],
])("a streamer's log-in of %s with %j", async (login, scopes, found) => {
  const patient = await openPatient({ scopes: ["user:write:chat", "clips:edit"] });
  const own = "t0kenofthestreamer";
  const token = { userId: STREAMER_ID, login, clientId: "client", scopes, expiresInSeconds: null };
  patient.town.helix.setToken(own, token);
  const actions = { classes: { stream: "live" } };
  const { of, exit, findings } = await examine(
    patient,
    { actions },
    { TWITCH_STREAMER_ACCESS_TOKEN: own },
  );
  expect(of("streamer_token").at(-1)).toMatchObject({
    state: "warning",
    found: expect.stringMatching(found),
    mend: expect.stringContaining("log yourself in again"),
  });
  expect(JSON.stringify(findings)).not.toContain(own);
  expect(exit).toBe(0);
  const alone = { TWITCH_ACCESS_TOKEN: "", TWITCH_STREAMER_ACCESS_TOKEN: own };
  const without = await examine(patient, { actions }, alone);
  expect(without.of("channel")).toMatchObject([{ state: "ok" }]);
});
