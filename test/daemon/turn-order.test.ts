import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { type House, type HouseGiven, handTime, openHouse } from "../stand-ins/house.ts";
import { CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const STREAMER = {
  userId: STREAMER_ID,
  login: CHANNEL,
  displayName: CHANNEL,
  badges: "broadcaster/1",
};
const MOSS = { userId: "20", login: "moss", displayName: "Moss", badges: "moderator/1" };
const FERN = { userId: "21", login: "fern", displayName: "Fern", badges: "moderator/1" };
const KAI = { userId: "502", login: "kai", displayName: "Kai" };
const NELL = { userId: "503", login: "nell", displayName: "Nell" };
const OTTO = { userId: "504", login: "otto", displayName: "Otto" };
/** More than the second that Twitch wants between two messages. */
const SLOT_MS = 1_500;
const COOLDOWN_MS = 10_000;

/** A house whose clock stands until it is moved on. */
async function openStill(given: HouseGiven = {}) {
  const { pass, ...time } = handTime();
  const house = await openHouse({ ...time, ...given });
  const triggers = house.db.prepare<[], string>('SELECT "trigger" FROM replies ORDER BY id');
  return { ...house, pass, triggers: () => triggers.pluck().all() };
}

const QUICK = { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 } };

/** All that was said so far has been taken in. */
async function takenIn(house: House): Promise<void> {
  house.say({ ...OTTO, text: "a lamp on the shelf" });
  const seen = house.db.prepare("SELECT 1 FROM events WHERE user_id = ? AND text IS NOT NULL");
  await until(() => {
    house.daemon.status();
    return seen.get(OTTO.userId) !== undefined;
  });
}

test("what the bot answers to a command comes between its line and who would go on from that", async () => {
  const house = await openStill({ config: QUICK });
  house.think("hello Nell", "hello Rosa", "still here");
  house.say({ ...NELL, text: "@automark hello?" });
  await house.ended(1);
  house.say({ text: "@automark hello?" });
  const calls = house.db.prepare<[], number>("SELECT count(*) FROM llm_calls").pluck();
  await until(() => calls.get() === 2);
  // Rosa's answer waits for its slot, and that to Kai's command behind it.
  house.say({ ...KAI, text: "!memory" });
  await takenIn(house);
  house.pass(SLOT_MS);
  await house.ended(2);
  house.pass(SLOT_MS);
  await until(() => house.said.length === 3);
  expect(house.said.slice(0, 2).map(({ text }) => text)).toEqual(["hello Nell", "hello Rosa"]);
  house.say({ text: "and what about you?" });
  house.say({ ...KAI, text: "@automark still there?" });
  await until(() => calls.get() === 3);
  house.pass(SLOT_MS);
  await house.ended(3);
  expect(house.triggers()).toEqual(["mention", "mention", "mention"]);
});

test("of those who wait the streamer is answered first, then moderators, in the order of asking, then viewers", async () => {
  const house = await openStill({ config: QUICK });
  house.model.enqueue({ kind: "hang" });
  const first = house.say({ ...KAI, text: "@automark hello?" });
  await house.model.received(1);
  for (const who of [NELL, MOSS, FERN, STREAMER]) house.say({ ...who, text: "@automark hello?" });
  await takenIn(house);
  const names = ["streamer", "moss", "fern", "nell"];
  house.think(...names.map((name) => `hello ${name}`));
  house.irc.deleteMessage(CHANNEL, { id: first, login: "kai", text: "@automark hello?" });
  for (const count of [2, 3, 4, 5]) {
    await until(() => house.model.requests.length >= count);
    house.pass(SLOT_MS);
    await house.ended(count);
  }
  expect(house.replies().map(({ userId }) => userId)).toEqual([
    KAI.userId,
    STREAMER_ID,
    MOSS.userId,
    FERN.userId,
    NELL.userId,
  ]);
});

test.each([
  ["a yes", "!yes", "yes"],
  ["a no", "!no", "declined"],
])(
  "%s to a question is no turn, fills no cooldown and no window, and its words are kept nowhere",
  async (_, text, endedAs) => {
    const house = await openStill({
      scopes: ["user:write:chat", ACTIONS.timeout.scope ?? []].flat(),
      config: { actions: { classes: { moderation: "live" } } },
    });
    house.say({ ...KAI, text: "the ending is that the lamp did it" });
    house.think('[action timeout user=kai seconds=60 reason="spoilers"]');
    house.say({ ...MOSS, text: "@automark give kai a minute off for spoilers" });
    await house.ended(1);
    house.pass(COOLDOWN_MS - 1);
    house.say({ ...MOSS, text });
    const ends = house.db.prepare<[], string>(
      "SELECT ended_as FROM action_log WHERE ended_as IS NOT NULL",
    );
    await until(() => ends.pluck().get() !== undefined);
    expect(ends.pluck().get()).toBe(endedAs);
    // The moderator's cooldown runs from the question they asked for, not from their answer to it.
    house.pass(1);
    house.say({ ...MOSS, text: "@automark which lamp today?" });
    house.pass(SLOT_MS);
    const rows = await house.ended(2);
    expect(rows.map(({ state, reason }) => [state, reason])).toEqual([
      ["sent", null],
      ["sent", null],
    ]);
    expect(house.model.requests).toHaveLength(2);
    house.daemon.status();
    const kept = house.db.prepare<[string], string>(
      "SELECT text FROM events WHERE user_id = ? AND (text <> '' OR memorable = 1) ORDER BY id",
    );
    expect(kept.pluck().all(MOSS.userId)).toEqual([
      "@automark give kai a minute off for spoilers",
      "@automark which lamp today?",
    ]);
  },
);
