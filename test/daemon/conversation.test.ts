import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, handTime, openHouse, openTown } from "../stand-ins/house.ts";
import { tailBlocks } from "../stand-ins/prompt-seen.ts";
import { BOT, BOT_ID, CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const HOUR_MS = 3_600_000;
const KAI = { userId: "502", login: "kai", displayName: "Kai" };
const STREAMER = {
  userId: STREAMER_ID,
  login: CHANNEL,
  displayName: CHANNEL,
  badges: "broadcaster/1",
};

async function answered(house: House, text: string, count: number, by: object = {}): Promise<void> {
  house.model.enqueue(geminiSays({ text: `answer number ${count} it is` }));
  house.say({ text, ...by });
  await house.ended(count);
}

test.each([
  ["by Helix", ["user:write:chat"]],
  ["by chat alone", []],
])(
  "who replies to what the bot said to somebody else is shown that line, with its addressee: %s",
  async (_, scopes) => {
    const house = await openHouse({ scopes });
    await answered(house, "@automark tell a joke", 1, KAI);
    house.model.enqueue(geminiSays({ text: "another one then" }));
    const parent = house.replies()[0]?.messageId ?? "an-id-that-chat-alone-never-told";
    house.say({
      text: "@automark seen that one, give me another",
      replyTo: parent,
      ...(scopes.length > 0
        ? {}
        : {
            tags: {
              "reply-parent-msg-id": parent,
              "reply-parent-user-id": BOT_ID,
              "reply-parent-msg-body": "answer number 1 it is",
            },
          }),
    });
    await house.ended(2);
    const thread = tailBlocks(house).get("your conversation with Rosa");
    expect(thread).toEqual([`(Rosa replies to this) ${BOT} (you) to Kai: answer number 1 it is`]);
  },
);

test("the last two exchanges with the speaker stand in order, and others' lines stay when one floods the chat", async () => {
  const house = await openHouse();
  for (const n of [1, 2]) await answered(house, `@automark question ${n}`, n);
  await answered(house, "@automark question 3", 3, KAI);
  for (const n of [1, 2, 3, 4]) house.say({ text: `kai says thing ${n}`, ...KAI });
  for (let n = 0; n < 40; n += 1) house.say({ text: `rosa goes on and on ${n}` });
  await answered(house, "@automark and now", 4);
  const blocks = tailBlocks(house);
  expect(blocks.get("your conversation with Rosa")).toEqual([
    "Rosa: @automark question 1",
    `${BOT} (you) to Rosa: answer number 1 it is`,
    "Rosa: @automark question 2",
    `${BOT} (you) to Rosa: answer number 2 it is`,
  ]);
  expect(blocks.get("chat")).toEqual([
    "Kai: @automark question 3",
    `${BOT} (you) to Kai: answer number 3 it is`,
    ...[1, 2, 3, 4].map((n) => `Kai: kai says thing ${n}`),
  ]);
  expect(blocks.get("Rosa's own last messages")).toHaveLength(6);
  expect(blocks.get("current message")?.[0]).toBe("Rosa goes on, to you: and now");
});

test("a removed line is not shown to who replies to it", async () => {
  const house = await openHouse();
  const id = house.say({ text: "something rude about the lamp", ...KAI });
  house.irc.deleteMessage(CHANNEL, { id, login: "kai", text: "something rude about the lamp" });
  await answered(house, "@automark what do you say to that?", 1, { replyTo: id });
  expect([...tailBlocks(house).values()].flat().join()).not.toContain("rude");
});

test("a viewer goes on without the bot's name right after its line, and not once another spoke", async () => {
  const house = await openHouse({
    config: { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 } },
  });
  await answered(house, "@automark hello", 1);
  await answered(house, "and how are you?", 2);
  house.say({ text: "nice evening", ...KAI });
  house.say({ text: "and what about you?" });
  await answered(house, "@automark still there", 3);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent", "sent"]);
});

test("who speaks to somebody else by name, first or last, does not go on with the bot", async () => {
  const house = await openHouse({
    config: { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 } },
  });
  house.say({ text: "nice evening", ...KAI });
  await answered(house, "@automark hello", 1);
  house.say({ text: "kai how are you?" });
  await answered(house, "@automark hello again", 2);
  house.say({ text: "and you, KAI" });
  await answered(house, "@automark still there", 3);
  const triggers = house.db
    .prepare<[], string>('SELECT "trigger" FROM replies ORDER BY id')
    .pluck();
  expect(triggers.all()).toEqual(["mention", "mention", "mention"]);
});

test("in quiet hours nobody is answered, and that is the reason that is told", async () => {
  const house = await openHouse({
    config: { replies: { quietHours: ["00:00-12:00", "12:00-00:00"], viewerCooldownSeconds: 60 } },
  });
  for (const text of ["@automark hello", "@automark hello again"]) house.say({ text });
  const rows = await house.ended(2);
  expect(rows.map(({ reason }) => reason)).toEqual(["quiet_hours", "quiet_hours"]);
  expect(house.model.requests).toEqual([]);
});

test("offline is the reason that is told, not the cooldown behind it", async () => {
  const house = await openHouse({
    live: false,
    config: { replies: { viewerCooldownSeconds: 60, channelCooldownSeconds: 0 } },
  });
  for (const text of ["@automark hello", "@automark hello again"]) house.say({ text });
  const rows = await house.ended(2);
  expect(rows.map(({ reason }) => reason)).toEqual(["offline", "offline"]);
});

test("the streamer is answered next amid sixty accounts, though viewers have used up their calls", async () => {
  const house = await openHouse({ llm: { caps: { callsPerHour: 10, memoryShare: 0.05 } } });
  const answers = Array.from({ length: 40 }, (_, n) => geminiSays({ text: `lamp number ${n}` }));
  house.model.enqueue(...answers);
  const crowd = (round: number): void => {
    for (let n = 0; n < 60; n += 1) {
      const login = `crowd${n}`;
      house.say({
        text: `@automark round ${round} from ${n}`,
        userId: `90${n}`,
        login,
        displayName: login,
      });
    }
  };
  crowd(1);
  const asks = 2;
  for (let n = 1; n <= asks; n += 1) {
    house.say({ text: `@automark my question ${n}`, ...STREAMER });
    crowd(n + 1);
    await until(() => ofStreamer(house).filter((state) => state === "sent").length === n);
  }
  expect(ofStreamer(house)).toEqual(["sent", "sent"]);
});

function ofStreamer(house: House): readonly string[] {
  return house
    .replies()
    .filter(({ userId }) => userId === STREAMER_ID)
    .map(({ state }) => state);
}

test.each([-24 * HOUR_MS, -HOUR_MS, HOUR_MS, 24 * HOUR_MS])(
  "a clock that is set by %d ms silences nobody, and keeps no text longer",
  async (jumpMs) => {
    const { now, pass, wait } = handTime();
    let setMs = 0;
    const town = await openTown({ now: () => now() + setMs, wait });
    const config = { replies: { viewerCooldownSeconds: 10, channelCooldownSeconds: 0 } };
    const house = await enter(town, { config, monotonicNow: now });
    await answered(house, "@automark before the clock was set", 1);
    setMs = jumpMs;
    pass(10_001);
    await answered(house, "@automark after the clock was set", 2);
    expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent"]);
    await house.close();
    pass(1_000);
    const next = await enter(town, { config, monotonicNow: now });
    const kept = next.db
      .prepare<[], { ends: number }>("SELECT expires_at AS ends FROM events WHERE text IS NOT NULL")
      .all();
    for (const { ends } of kept) expect(ends - town.now()).toBeLessThanOrEqual(24 * HOUR_MS);
    pass(10_001);
    await answered(next, "@automark after the next start", 3);
    expect(next.replies().at(-1)?.state).toBe("sent");
    await next.close();
    pass(24 * HOUR_MS);
    const last = await enter(town, { config, monotonicNow: now });
    const texts = last.db
      .prepare<[], number>("SELECT count(*) FROM events WHERE text IS NOT NULL")
      .pluck();
    expect(texts.get()).toBe(0);
  },
);
