import { expect, onTestFinished, test } from "vitest";
import { enter, fastTime, handTime, openHouse, openTown } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL, STREAMER_ID, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const OTHER = "lampworks";
const STRANGER_ID = "811555123";

/** The streamer took another name, and somebody else took the old one. */
function renameStreamer({ helix }: Town): void {
  helix.setUser({ id: STREAMER_ID, login: "newroom", displayName: "newroom" });
  helix.setUser({ id: STRANGER_ID, login: CHANNEL, displayName: CHANNEL });
}

const NOTICE =
  "The name #lanternroom belongs to another Twitch account now, so the bot does not join it. Your channel is called #newroom now. Set `channel` to that name in the configuration.";

test("a channel whose name another account has now is not joined", async () => {
  const town = await openTown(fastTime(10));
  town.helix.setUser({ id: town.irc.roomId(OTHER), login: OTHER, displayName: OTHER });
  const config = { channel: [CHANNEL, OTHER] };
  const first = await enter(town, { config });
  expect(town.irc.listeners(CHANNEL)).toBe(1);
  await first.close();
  renameStreamer(town);
  const second = await enter(town, { config });
  const notices = second.db.prepare("SELECT message FROM notices WHERE cleared_at IS NULL").pluck();
  await until(() => notices.all().includes(NOTICE));
  await until(() => town.irc.listeners(OTHER) === 1);
  expect(town.irc.listeners(CHANNEL)).toBe(0);
  const id = second.db.prepare("SELECT twitch_id FROM channel_state WHERE channel = ?").pluck();
  expect(id.get(CHANNEL)).toBe(STREAMER_ID);
});

test("a channel that loses its name while the bot runs is left, and nothing there is answered", async () => {
  const time = handTime();
  const house = await openHouse({ ...time });
  renameStreamer(house);
  await until(() => {
    time.pass(60_000);
    return house.irc.listeners(CHANNEL) === 0;
  });
  house.irc.inject(
    `@badges=;user-id=501;id=late-1;room-id=${STRANGER_ID};display-name=Rosa :rosa!rosa@rosa.tmi.twitch.tv PRIVMSG #${CHANNEL} :@automark !memory`,
  );
  const notices = house.db.prepare("SELECT message FROM notices WHERE cleared_at IS NULL").pluck();
  await until(() => notices.all().includes(NOTICE));
  expect(house.said).toEqual([]);
  expect(house.replies()).toEqual([]);
  house.helix.setUser({ id: STRANGER_ID, login: "someone", displayName: "someone" });
  house.helix.setUser({ id: STREAMER_ID, login: CHANNEL, displayName: CHANNEL });
  await until(() => {
    time.pass(60_000);
    return house.irc.listeners(CHANNEL) === 1;
  });
  await until(() => !notices.all().includes(NOTICE));
});

test("the bot leaves a room of another account if only chat names it", async () => {
  const town = await openTown(fastTime(10));
  const first = await enter(town);
  await first.close();
  const second = await enter(town);
  for (let n = 0; n < 3; n++) town.helix.failNext("/mock/users", { kind: "status", status: 500 });
  onTestFinished(second.close);
  second.irc.inject(`@room-id=${STRANGER_ID} :tmi.twitch.tv ROOMSTATE #${CHANNEL}`);
  await until(() => town.irc.listeners(CHANNEL) === 0);
  const id = second.db.prepare("SELECT twitch_id FROM channel_state").pluck();
  expect(id.get()).toBe(STREAMER_ID);
});

/** The bot runs on the streamer's account, and the streamer types there, too. */
const STREAMER = {
  userId: BOT_ID,
  login: CHANNEL,
  displayName: "Lanternroom",
  badges: "broadcaster/1",
};

async function openSharedHouse() {
  const house = await openHouse({
    bot: CHANNEL,
    config: { bot: { login: CHANNEL, aliases: ["mark"] } },
  });
  const pending = house.db.prepare<[], string>("SELECT fact FROM semantic_notes").pluck();
  return { house, facts: () => pending.all() };
}

test("on the streamer's own account the streamer's commands and questions work", async () => {
  const { house, facts } = await openSharedHouse();
  house.think("it is the brass one");
  house.say({ ...STREAMER, text: "mark, which lamp is lit?" });
  await until(() => house.said.some(({ text }) => text.includes("brass")));
  await house.ended(1);
  house.say({ ...STREAMER, text: "!remember I collect brass lamps" });
  await until(() => facts().some((fact) => fact.includes("brass lamps")));
  const isPaused = house.db.prepare("SELECT 1 FROM switches WHERE name = 'paused' AND is_on = 1");
  house.say({ ...STREAMER, text: "!bot pause" });
  await until(() => isPaused.get() !== undefined);
  expect(house.replies()).toHaveLength(1);
});

test("a reply to what the streamer typed is no reply to the bot, and one to the bot's message is", async () => {
  const { house } = await openSharedHouse();
  const typed = house.say({ ...STREAMER, text: "the shop opens at nine" });
  house.say({ text: "nine sharp?", replyTo: typed });
  house.think("the brass one");
  house.say({ text: "mark, which lamp?" });
  const [first] = await house.ended(1);
  expect([first?.state, first?.reason, first?.text]).toEqual(["sent", null, "the brass one"]);
  house.think("since noon");
  house.say({ text: "since when?", replyTo: first?.messageId ?? null });
  const replies = await house.ended(2);
  expect(replies.map(({ text }) => text)).toEqual([
    expect.stringContaining("brass"),
    expect.stringContaining("noon"),
  ]);
});
