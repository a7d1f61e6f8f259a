import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import type { Db } from "../../src/database/open-database.ts";
import { trailSchema } from "../../src/reply/trail.ts";
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

/** No cooldowns, and the usual time in which a viewer goes on. */
const TALKATIVE = { config: { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 } } };

/** A house on a clock that stands until it is moved on. */
async function openAtHand(replies: Record<string, number> = {}) {
  const { now, pass, wait } = handTime();
  const config = { replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, ...replies } };
  const house = await enter(await openTown({ now, wait }), { config, monotonicNow: now });
  return { house, pass };
}

async function answered(house: House, text: string, count: number, by: object = {}): Promise<void> {
  house.think(`answer number ${count} it is`);
  house.say({ text, ...by });
  await house.ended(count);
}

test.each([
  ["by Helix", ["user:write:chat"]],
  ["by chat alone", []],
])(
  "a reply to the bot's message to another viewer shows it with its addressee: %s",
  async (_, scopes) => {
    const house = await openHouse({ scopes });
    await answered(house, "@automark tell a joke", 1, KAI);
    house.think("another one then");
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
    const [current] = tailBlocks(house).get("current message") ?? [];
    expect(current).toBe("Rosa, to you: seen that one, give me another");
  },
);

test("a reply to the bot's message of ten minutes ago shows that message and continues", async () => {
  const { house, pass } = await openAtHand();
  await answered(house, "@automark tell a joke?", 1);
  pass(10 * 60_000);
  const replyTo = house.replies()[0]?.messageId ?? "";
  await answered(house, "@automark seen that one, another?", 2, { replyTo });
  const blocks = tailBlocks(house);
  expect(blocks.get("your conversation with Rosa")).toEqual([
    "Rosa: @automark tell a joke?",
    `(Rosa replies to this) ${BOT} (you) to Rosa: answer number 1 it is`,
  ]);
  expect(blocks.get("current message")?.[0]).toBe("Rosa goes on, to you: seen that one, another?");
});

test("the prompt has the last two exchanges in order, and other viewers when one floods", async () => {
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

test("an exchange shows each of its messages; if one is removed, the answer is too", async () => {
  const house = await openHouse({ config: { replies: { viewerCooldownSeconds: 0 } } });
  house.say({ text: "what was the film" });
  const piece = house.say({ text: "with the fog machine" });
  await answered(house, "@automark", 1);
  expect(tailBlocks(house).get("current message")?.[0]).toBe(
    "Rosa, to you: what was the film with the fog machine",
  );
  const asked = ["Rosa: what was the film", "Rosa: with the fog machine", "Rosa: @automark"];
  await answered(house, "@automark and who is in it?", 2);
  const blocks = tailBlocks(house);
  expect(blocks.get("your conversation with Rosa")).toEqual([
    ...asked,
    `${BOT} (you) to Rosa: answer number 1 it is`,
  ]);
  expect(blocks.get("Rosa's own last messages") ?? []).toEqual([]);
  house.irc.deleteMessage(CHANNEL, { id: piece, login: "rosa", text: "with the fog machine" });
  await answered(house, "@automark are you sure?", 3);
  expect(tailBlocks(house).get("your conversation with Rosa")).toEqual([
    "Rosa: @automark and who is in it?",
    `${BOT} (you) to Rosa: answer number 2 it is`,
  ]);
});

test("a thought in three messages is answered once, with all of it", async () => {
  const house = await openHouse();
  house.think("the green one");
  for (const text of ["@automark so", "which rod was it", "that takes both baits"])
    house.say({ text });
  await house.ended(1);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent"]);
  const blocks = tailBlocks(house);
  expect(blocks.get("current message")?.[0]).toBe(
    "Rosa, to you: so which rod was it that takes both baits",
  );
  expect(blocks.get("Rosa's own last messages")).toBeUndefined();
});

test.each([
  ["joined", ["@automark so", "the raffle", "starts at nine sharp tonight"]],
  ["bare", ["the raffle", "starts at nine sharp tonight", "@automark"]],
])("free text of an action is in one message of a %s thought, not across two", async (_, lines) => {
  const judge = async (text: string) => {
    const house = await openHouse({
      scopes: ["user:write:chat", ACTIONS.announce.scope ?? ""],
      config: { actions: { classes: { chat: "live" } } },
    });
    house.think(`On it. [action announce text="${text}"]`);
    for (const line of lines) house.say({ ...STREAMER, text: line });
    const [reply] = await house.ended(1);
    return trailSchema.parse(JSON.parse(reply?.trail ?? "")).actions;
  };
  expect(await judge("the raffle starts at nine sharp tonight")).toMatchObject([
    { action: "announce", reason: "not_verbatim" },
  ]);
  expect(await judge("starts at nine sharp tonight")).toMatchObject([
    { action: "announce", reason: "needs_yes" },
  ]);
});

test("a thought in three messages that waits for a cooldown is answered once, with all of it", async () => {
  const { house, pass } = await openAtHand({ viewerCooldownSeconds: 20 });
  await answered(house, "@automark which lamp is it?", 1);
  pass(4_000);
  const lines = [
    "@automark so",
    "lol",
    "@kai hi there",
    "which rod was it",
    "that takes both baits",
  ];
  await sayAll(house, lines, pass);
  house.think("the green one");
  pass(4_000);
  await house.ended(2);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent"]);
  expect(tailBlocks(house).get("current message")?.[0]).toBe(
    "Rosa goes on, to you: so which rod was it that takes both baits",
  );
});

async function sayAll(house: House, lines: readonly string[], pass: (ms: number) => void) {
  for (const text of lines) {
    house.say({ text });
    await until(() => heardTexts(house).includes(text));
    pass(2_500);
  }
}

test("of two messages to the bot that wait for a cooldown the newest is answered", async () => {
  const { house, pass } = await openAtHand({ viewerCooldownSeconds: 20 });
  await answered(house, "@automark which lamp is it?", 1);
  pass(4_000);
  await sayAll(house, ["@automark so", "@automark what about the kite"], pass);
  house.think("the red one");
  pass(12_000);
  const rows = await house.ended(3);
  expect(rows.map(({ state, reason }) => reason ?? state)).toEqual(["sent", "superseded", "sent"]);
  expect(tailBlocks(house).get("current message")?.[0]).toBe(
    "Rosa goes on, to you: what about the kite",
  );
});

test.each([
  ["a reply to it", "which rod was it", true],
  ["a continuation", "which rod was it", false],
  ["a line that takes up its words", "so both baits at once", false],
])("a follow-up four seconds after the bot's answer is answered: %s", async (_, text, isReply) => {
  const { house, pass } = await openAtHand({
    viewerCooldownSeconds: 10,
    channelCooldownSeconds: 1,
  });
  house.think("it takes both baits");
  house.say({ text: "@automark what does the green rod take?" });
  await house.ended(1);
  pass(4_000);
  house.think("the green one");
  house.say({ text, ...(isReply && { replyTo: house.replies()[0]?.messageId ?? "" }) });
  await until(() => heardTexts(house).some((heard) => heard.endsWith(text)));
  // Its words may go on for two seconds.
  pass(2_000);
  await house.ended(2);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent"]);
});

test("a part of a thought that is removed while it waits takes all of it along", async () => {
  const house = await openHouse();
  const id = house.say({ text: "@automark so" });
  house.say({ text: "which rod" });
  house.irc.deleteMessage(CHANNEL, { id, login: "rosa", text: "@automark so" });
  const [row] = await house.ended(1);
  expect(row).toMatchObject({ state: "refused", reason: "removed" });
});

test("a removed line is not shown to who replies to it", async () => {
  const house = await openHouse();
  const id = house.say({ text: "something rude about the lamp", ...KAI });
  house.irc.deleteMessage(CHANNEL, { id, login: "kai", text: "something rude about the lamp" });
  await answered(house, "@automark what do you say to that?", 1, { replyTo: id });
  expect([...tailBlocks(house).values()].flat().join()).not.toContain("rude");
});

test("a viewer continues without the bot's name until another viewer writes", async () => {
  const house = await openHouse(TALKATIVE);
  await answered(house, "@automark hello", 1);
  await answered(house, "and how are you?", 2);
  house.say({ text: "nice evening", ...KAI });
  house.say({ text: "and what about you?" });
  await answered(house, "@automark still there", 3);
  expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent", "sent"]);
});

function triggers({ db }: House): unknown[] {
  return db.prepare('SELECT "trigger" FROM replies ORDER BY id').pluck().all();
}

test.each([
  ["a command of another", { text: "!memory", ...KAI }],
  ["a moderator's command", { text: "!bot status", ...STREAMER }],
  ["a thumb", { text: "!good", ...STREAMER }],
  ["a known bot", { text: "lamp rain", userId: "777", login: "nightbot", displayName: "Nightbot" }],
])("%s comes between the bot's line and who would go on from it", async (_, between) => {
  const house = await openHouse(TALKATIVE);
  await answered(house, "@automark hello", 1);
  house.say(between);
  house.say({ text: "and what about you?" });
  await answered(house, "@automark still there", 2, KAI);
  expect(triggers(house)).toEqual(["mention", "mention"]);
});

test("a message that names another viewer or the streamer is no continuation", async () => {
  const house = await openHouse(TALKATIVE);
  house.say({ text: "nice evening", ...KAI });
  const toOthers = [
    "kai how are you?",
    "and you, KAI",
    "how are you kai, all good?",
    `what do you think ${CHANNEL}, one more?`,
    "would you look at that @somebody_quiet ?",
    "nightbot are you there?",
    "chat, are you there?",
    "chat what do you think?",
    "anyone know which lamp this is?",
    "and what would you say, guys?",
  ];
  for (const [n, text] of toOthers.entries()) {
    // Each is somebody else: one account that answers so fast is taken for a bot.
    const who = { userId: `60${n}`, login: `wick_${n}`, displayName: `Wick_${n}` };
    await answered(house, `@automark hello number ${n}`, n + 1, who);
    house.say({ text, ...who });
  }
  await answered(house, "@automark still there", toOthers.length + 1);
  await answered(house, "all of them?", toOthers.length + 2);
  const mentions = Array.from({ length: toOthers.length + 1 }, () => "mention");
  expect(triggers(house)).toEqual([...mentions, "continuation"]);
});

/** Rosa writes for the first time, and is stored. */
async function becomeKnown(house: House): Promise<void> {
  house.say({ text: "good evening" });
  const known = house.db.prepare("SELECT 1 FROM viewer_channels WHERE user_id = '501'");
  await until(() => known.get() !== undefined);
}

test("the prompt states since when and for how many streams a viewer is here", async () => {
  const house = await openHouse();
  await becomeKnown(house);
  const weekAgoMs = house.now() - 7 * 24 * HOUR_MS;
  house.db
    .prepare(
      `UPDATE viewer_channels SET first_seen_at = ?, stream_count = 14, message_count = 820, previous_seen_at = ?
       WHERE user_id = '501'`,
    )
    .run(Date.UTC(2024, 4, 9), weekAgoMs);
  await answered(house, "@automark how long have I been here?", 1);
  const [speaker = ""] = tailBlocks(house).get("speaker") ?? [];
  expect(speaker).toMatch(/^Rosa\. .*Here since May 2024, in 14 streams/);
  expect(speaker).toContain("before this visit last here 7 days ago.");
});

test.each([
  ["a viewer of one stream is new, however much they wrote", 1, 820, null, true],
  ["a viewer of two streams is not, however little they wrote", 2, 2, 7 * 24 * HOUR_MS, false],
])("%s", async (_, streams, messages, lastHereMsAgo, isNew) => {
  const house = await openHouse();
  await becomeKnown(house);
  house.db
    .prepare(
      "UPDATE viewer_channels SET stream_count = ?, message_count = ?, previous_seen_at = ? WHERE user_id = '501'",
    )
    .run(streams, messages, lastHereMsAgo === null ? null : house.now() - lastHereMsAgo);
  await answered(house, "@automark how are you?", 1);
  const [speaker = ""] = tailBlocks(house).get("speaker") ?? [];
  expect(speaker.includes("They are new here")).toBe(isNew);
});

test("in mode ambient the prompt says that nobody addressed the bot, and a mention says that somebody did", async () => {
  const house = await openHouse({ config: { mode: "ambient" }, random: () => 0 });
  await answered(house, "what a calm lake", 1);
  expect(tailBlocks(house).get("current message")?.[0]).toBe(
    "Rosa, to the chat (nobody addressed you): what a calm lake",
  );
  await answered(house, "@automark how deep is it?", 2, KAI);
  expect(tailBlocks(house).get("current message")?.[0]).toBe("Kai, to you: how deep is it?");
});

test("what a viewer says next to the bot is a follow-up, whatever its words", async () => {
  const house = await openHouse(TALKATIVE);
  const outcomes = house.db
    .prepare<[number], string>("SELECT kind FROM reply_outcomes WHERE reply_id = ? ORDER BY kind")
    .pluck();
  await answered(house, "@automark tell me a joke", 1);
  await answered(house, "@automark tell me another great one", 2);
  await answered(house, "thank you", 3, { replyTo: house.replies()[1]?.messageId ?? "" });
  const [first = 0, second = 0] = house.replies().map(({ id }) => id);
  await until(() => outcomes.all(second).length > 0);
  expect(outcomes.all(first)).toEqual(["viewer_answered"]);
  expect(outcomes.all(second)).toEqual(["viewer_answered"]);
});

test("the reason is offline, not the cooldown", async () => {
  const house = await openHouse({
    live: false,
    config: { replies: { viewerCooldownSeconds: 60, channelCooldownSeconds: 0 } },
  });
  for (const text of ["@automark hello", "@automark hello again"]) house.say({ text });
  const rows = await house.ended(2);
  expect(rows.map(({ reason }) => reason)).toEqual(["offline", "offline"]);
});

const SLEEP_MS = 60_000;

test("a question that waits while the machine sleeps is not answered after it, nor what comes late from before", async () => {
  const { now, pass, wait } = handTime();
  let sleptMs = 0;
  const town = await openTown({ now: () => now() + sleptMs, wait });
  const house = await enter(town, {
    ...TALKATIVE,
    // Stands still in sleep, and the other does not.
    monotonicNow: now,
    sinceBootMs: () => now() + sleptMs,
  });
  house.model.enqueue({ kind: "hang" });
  house.say({ text: "@automark the model thinks about this?", ...KAI });
  await house.model.received(1);
  house.say({ text: "@automark and this waits?" });
  await until(() => heardByBot(house).length === 2);
  sleptMs = SLEEP_MS;
  const [id = ""] = heardByBot(house);
  house.irc.deleteMessage(CHANNEL, { id, login: "kai", text: "" });
  const waited = await house.ended(2);
  expect(waited.map(({ reason }) => reason)).toEqual(["removed", "stale"]);
  const saidAtMs = String(town.now() - 40_000);
  house.say({ text: "@automark said in your sleep?", tags: { "tmi-sent-ts": saidAtMs } });
  expect((await house.ended(3)).at(-1)?.reason).toBe("stale");
  pass(1_000);
  await answered(house, "@automark good morning?", 4);
  expect(house.replies().at(-1)?.state).toBe("sent");
});

/** The messages that the bot heard. */
function heardTexts({ db, daemon }: House): string[] {
  daemon.status();
  return db.prepare<[], string>("SELECT text FROM events WHERE kind = 'message'").pluck().all();
}

/** Ids of the messages that named the bot. */
function heardByBot({ db, daemon }: House): string[] {
  daemon.status();
  const ids = db.prepare<[], string>("SELECT message_id FROM events WHERE to_bot = 1 ORDER BY id");
  return ids.pluck().all();
}

const JUMPS = [-24 * HOUR_MS, 24 * HOUR_MS];

test.each(
  JUMPS.flatMap((jumpMs) => [
    { jumpMs, thenMs: jumpMs },
    { jumpMs, thenMs: 0 },
  ]),
)(
  "a clock that is set by $jumpMs ms, and stands at $thenMs ms from the next start on, silences nobody, and keeps no text longer",
  async ({ jumpMs, thenMs }) => {
    const { now, pass, wait } = handTime();
    let setMs = 0;
    const town = await openTown({ now: () => now() + setMs, wait });
    const config = { replies: { viewerCooldownSeconds: 10, channelCooldownSeconds: 0 } };
    const house = await enter(town, { config, monotonicNow: now });
    await answered(house, "@automark before the clock was set?", 1);
    for (const [n, ms] of [jumpMs, 0, jumpMs].entries()) {
      setMs = ms;
      pass(10_001);
      await answered(house, `@automark now the clock was set ${n}?`, n + 2);
    }
    expect(house.replies().map(({ state }) => state)).toEqual(["sent", "sent", "sent", "sent"]);
    expect(textsWith(house.db, "clock was set")).not.toBe(0);
    await house.close();
    setMs = thenMs;
    pass(1_000);
    const next = await enter(town, { config, monotonicNow: now });
    const latestMs = next.db
      .prepare<[], number>(
        `SELECT max((SELECT ifnull(max(expires_at), 0) FROM events WHERE text IS NOT NULL),
           (SELECT ifnull(max(created_at), 0) + ${24 * HOUR_MS} FROM replies WHERE text IS NOT NULL))`,
      )
      .pluck();
    expect((latestMs.get() ?? 0) - town.now()).toBeLessThanOrEqual(24 * HOUR_MS);
    pass(10_001);
    await answered(next, "@automark after the next start?", 5);
    expect(next.replies().at(-1)?.state).toBe("sent");
    await next.close();
    pass(24 * HOUR_MS);
    const last = await enter(town, { config, monotonicNow: now });
    expect(SAID_HERE.map((text) => textsWith(last.db, text))).toEqual([0, 0, 0]);
  },
);

const SAID_HERE = ["clock was set", "next start", "answer number"];

/** In how many rows of any table a text can be read. */
function textsWith(db: Db, text: string): number {
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const rows = tables
    .pluck()
    .all()
    .flatMap((table) => db.prepare<[], object>(`SELECT * FROM "${table}"`).all());
  return rows.filter((row) => JSON.stringify(row).includes(text)).length;
}
