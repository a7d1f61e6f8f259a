import { expect, test } from "vitest";
import { enter, handTime, openHouse, openTown } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

const MODERATOR = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };

test("a moderator shuts the bot up in one line, and wakes it in another", async () => {
  const house = await openHouse();
  house.say({ ...MODERATOR, text: "!bot pause" });
  await until(() => house.said.length === 1);
  house.say({ text: "@automark are you there?" });
  expect((await house.ended(1))[0]).toMatchObject({ state: "refused", reason: "paused" });
  expect(
    house.db.prepare("SELECT is_on, set_by FROM switches WHERE name = 'paused'").get(),
  ).toEqual({
    is_on: 1,
    set_by: "moderator",
  });
  house.say({ ...MODERATOR, text: "!bot resume" });
  await until(() => house.said.length === 2);
  house.think("right here");
  house.say({ userId: "502", login: "lio", displayName: "Lio", text: "@automark and now?" });
  await house.ended(2);
  expect(house.said.at(-1)?.text).toBe("right here");
  expect(await house.model.requests.length).toBe(1);
});

test("the same from a viewer does nothing, and is not answered", async () => {
  const house = await openHouse();
  house.say({ text: "!bot pause" });
  house.say({ text: "!bot safe off" });
  house.think("still here");
  house.say({ text: "@automark are you there?" });
  await house.ended(1);
  expect(house.said.map(({ text }) => text)).toEqual(["still here"]);
  expect(house.db.prepare("SELECT name FROM switches").all()).toEqual([]);
});

test("of the last calls to the model some are kept for a moderator's question", async () => {
  const house = await openHouse({
    config: { replies: { channelCooldownSeconds: 0 } },
    llm: { caps: { callsPerHour: 5, memoryShare: 0.05 } },
  });
  for (let asked = 1; asked <= 5; asked += 1) {
    house.think(`answer number ${asked}`);
    house.say({ userId: `50${asked}`, login: `bo${asked}`, text: "@automark and me?" });
    await house.ended(asked);
  }
  house.say({ ...MODERATOR, text: "@automark and me?" });
  const states = (await house.ended(6)).map(({ state }) => state);
  expect(states).toEqual(["sent", "sent", "sent", "sent", "silent", "sent"]);
});

/** What Twitch takes of an ordinary account in 30 s, and how much of it waits for the streamer and moderators. */
const SENDS_MAX = 20;
const SENDS_KEPT = 4;

test("of the last messages that Twitch takes some are kept for a moderator, and viewers wait", async () => {
  const { now, pass, wait } = handTime();
  const town = await openTown({ now, wait });
  const house = await enter(town, {
    config: { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 } },
  });
  const ask = async (n: number, who: object): Promise<void> => {
    house.think(`that is lamp number ${n}`);
    house.say({ userId: `60${n}`, login: `wick_${n}`, text: `@automark and ${n}?`, ...who });
  };
  for (let n = 1; n <= SENDS_MAX - SENDS_KEPT; n += 1) {
    await ask(n, {});
    await house.ended(n);
    // One message a second: by the last one the first is not forgotten yet.
    pass(1_150);
  }
  await ask(17, {});
  await ask(18, MODERATOR);
  await until(() => house.said.length === SENDS_MAX - SENDS_KEPT + 1);
  const last = () => house.replies().at(-1);
  await until(() => last()?.state !== "sending");
  expect(last()).toMatchObject({ userId: MODERATOR.userId, state: "sent" });
  pass(24_000);
  const waited = await house.ended(18);
  expect(waited.at(-1)).toMatchObject({ userId: "6017", state: "sent" });
});

test("safe mode and status are said in one line each", async () => {
  const house = await openHouse();
  house.say({ ...MODERATOR, text: "!bot safe on" });
  await until(() => house.said.length === 1);
  expect(house.daemon.status().switches.safeMode).toBe(true);
  house.say({ ...MODERATOR, text: "!bot status" });
  await until(() => house.said.length === 2);
  expect(house.said.at(-1)?.text).toContain("in safe mode");
});
