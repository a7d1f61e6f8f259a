import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { Outcomes } from "../../src/telemetry/outcome.ts";

const BOT_ID = "1";
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

test("what comes of a reply is written down, each thing once", () => {
  const room = world();
  const id = room.reply("7", "m1");
  room.speak({ userId: "7", text: "@bot lol and then" }, true);
  room.speak({ userId: "7", text: "@bot and then" }, true);
  room.speak({ userId: "8", text: "nice", parentId: "m1" });
  room.settle();
  expect(room.kinds(id)).toEqual(["others_answered", "viewer_answered"]);
});

test("the viewer's next message counts for half a minute, unless it is for somebody else", () => {
  const room = world();
  for (const [seconds, text, found] of [
    [30, "and then", ["viewer_answered"]],
    [31, "and then", []],
    [9, "@otto look at that", []],
    [9, "!deaths", []],
  ] as const) {
    const id = room.reply("7", "m1");
    room.pass(seconds * SECOND);
    room.speak({ userId: "7", text });
    room.settle();
    expect([text, seconds, room.kinds(id)]).toEqual([text, seconds, found]);
    room.pass(3 * MINUTE);
  }
});

test("a deletion counts however late it is", () => {
  const room = world();
  const id = room.reply("7", "m1");
  room.pass(3 * MINUTE);
  room.settle();
  room.watcher.deleted("m1");
  room.watcher.deleted("somebody else's message");
  room.settle();
  expect(room.kinds(id)).toEqual(["deleted"]);
});

test("the answered viewer's time-out counts, and the bot's own takes its words", () => {
  const room = world();
  const [one, two] = [room.reply("7", "m1"), room.reply("8", "m2")];
  room.watcher.sanctioned({ channel: "here", userId: "8" });
  room.watcher.sanctioned({ channel: "elsewhere", userId: "7" });
  room.watcher.sanctioned({ channel: "here", userId: null });
  room.settle();
  expect([room.kinds(one), room.kinds(two)]).toEqual([[], ["timed_out"]]);
  room.watcher.sanctioned({ channel: "here", userId: BOT_ID });
  room.settle();
  expect(room.kinds(one)).toEqual(["deleted"]);
});

test("a moderator's thumb is about the message it answers, else about the last one; the later one counts", () => {
  const room = world();
  const [one, two] = [room.reply("7", "m1"), room.reply("8", "m2")];
  const moderator = { userId: "5", moderator: true };
  expect(room.thumb({ ...moderator, text: "@bot !good", parentId: "m1" })).toBe(true);
  expect(room.thumb({ ...moderator, text: "!BAD" })).toBe(true);
  room.settle();
  expect([room.kinds(one), room.kinds(two)]).toEqual([["good"], ["bad"]]);
  room.thumb({ ...moderator, text: "!good" });
  room.settle();
  expect(room.kinds(two)).toEqual(["good"]);
});

test("a thumb is nobody else's, and not about somebody else's message", () => {
  const room = world();
  const id = room.reply("7", "m1");
  expect(room.thumb({ userId: "7", text: "!good" })).toBe(false);
  expect(room.thumb({ userId: "5", moderator: true, text: "!good job" })).toBe(false);
  const about = { userId: "5", moderator: true, text: "!good", parentId: "x", parentUserId: "8" };
  expect(room.thumb(about)).toBe(false);
  room.settle();
  expect(room.kinds(id)).toEqual([]);
});

test("other bots, the bot itself and other channels say nothing about a reply", () => {
  const room = world();
  const id = room.reply("7", "m1");
  room.speak({ userId: "7", text: "@bot haha", isKnownBot: true }, true);
  room.speak({ userId: "7", text: "@bot haha", isBotItself: true }, true);
  room.speak({ userId: "7", text: "@bot haha", channel: "there" }, true);
  room.settle();
  expect(room.kinds(id)).toEqual([]);
});

test("of outcomes that wait to be written, those beyond 5,000 are dropped", () => {
  const room = world();
  const [first, last] = [room.reply("7", "m1"), room.reply("8", "m2")];
  room.watcher.deleted("m1");
  for (let n = 1; n < 5_000; n += 1) room.watcher.deleted("somebody else's message");
  room.watcher.deleted("m2");
  room.settle();
  expect([room.kinds(first), room.kinds(last)]).toEqual([["deleted"], []]);
  room.watcher.deleted("m2");
  room.settle();
  expect(room.kinds(last)).toEqual(["deleted"]);
});

interface Line {
  readonly userId: string;
  readonly text: string;
  readonly channel?: string;
  readonly moderator?: boolean;
  readonly parentId?: string;
  readonly parentUserId?: string;
  readonly isKnownBot?: boolean;
  readonly isBotItself?: boolean;
}

function world() {
  const db = openDatabase(":memory:");
  let nowMs = Date.UTC(2026, 4, 1);
  const now = () => nowMs;
  const replies = new ReplyStore(db, now);
  const open = () => new Outcomes(db, now, () => BOT_ID);
  const kinds = db
    .prepare<[number], string>("SELECT kind FROM reply_outcomes WHERE reply_id = ? ORDER BY kind")
    .pluck();
  const room = {
    db,
    watcher: open(),
    pass: (ms: number) => {
      nowMs += ms;
    },
    reply: (userId: string, messageId: string): number => {
      const reply = { channel: "here", userId, trigger: "mention", eventId: null };
      const id = replies.begin(reply);
      replies.finish(id, { state: "sent", reason: null, text: "hm", messageId, sentAtMs: nowMs });
      room.watcher.said({ replyId: id, channel: "here", userId, messageId });
      return id;
    },
    speak: (line: Line, toBot = false) => {
      const to = { by: "mention", rest: line.text.replace("@bot ", "") } as const;
      room.watcher.heard(spoken(line, nowMs), toBot ? to : null);
    },
    thumb: (line: Line) => room.watcher.thumb(spoken(line, nowMs)),
    settle: () => room.watcher.settle(),
    kinds: (id: number) => kinds.all(id),
  };
  return room;
}

function spoken({ userId, text, parentId, ...line }: Line, sentAtMs: number): Spoken {
  const { moderator = false, isBotItself = false, isKnownBot = false, channel = "here" } = line;
  const parent =
    parentId === undefined ? null : { messageId: parentId, userId: line.parentUserId ?? BOT_ID };
  return {
    kind: "message",
    channel,
    person: {
      userId,
      login: `viewer${userId}`,
      displayName: `Viewer${userId}`,
      roles: { broadcaster: false, moderator, vip: false, subscriber: false },
    },
    messageId: null,
    parent,
    text,
    amount: null,
    sentAtMs,
    isBotItself,
    isKnownBot,
    memorable: true,
  };
}
