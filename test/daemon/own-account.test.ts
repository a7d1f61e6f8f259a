import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

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
  house.model.enqueue(geminiSays({ text: "it is the brass one" }));
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
  house.model.enqueue(geminiSays({ text: "the brass one" }));
  house.say({ text: "mark, which lamp?" });
  const [first] = await house.ended(1);
  expect([first?.state, first?.reason, first?.text]).toEqual(["sent", null, "the brass one"]);
  house.model.enqueue(geminiSays({ text: "since noon" }));
  house.say({ text: "since when?", replyTo: first?.messageId ?? null });
  const replies = await house.ended(2);
  expect(replies.map(({ text }) => text)).toEqual([
    expect.stringContaining("brass"),
    expect.stringContaining("noon"),
  ]);
});
