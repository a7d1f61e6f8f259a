import { expect, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { openRecallStore } from "../../src/memory/recall/recall-store.ts";
import { type ReplyOutcome, ReplyStore } from "../../src/reply/reply-store.ts";
import { addChannel, addNote, asking } from "../memory/recall/memories.ts";

const ASKED = { channel: "here", userId: "7", trigger: "mention", eventId: 3 };
const SENT: ReplyOutcome = {
  state: "sent",
  reason: null,
  text: "Hello.",
  messageId: "m1",
  sentAtMs: 1_500,
};

test("a reply is on disk before the model is called, and step by step after it", () => {
  const { replies, row } = world();
  const id = replies.begin(ASKED, '{"version":1}');
  expect(row(id)).toMatchObject({
    state: "thinking",
    trigger: "mention",
    event_id: 3,
    created_at: 1_000,
  });
  replies.markSending(id);
  expect(row(id)).toMatchObject({ state: "sending" });
  const answered = { model: "m", finish: "stop", latencyMs: 40, trail: '{"version":2}' };
  replies.finish(id, { ...SENT, answered });
  expect(row(id)).toMatchObject({
    state: "sent",
    model: "m",
    latency_ms: 40,
    token_usage_json: '{"version":2}',
    text: "Hello.",
    message_id: "m1",
    sent_at: 1_500,
    reason: null,
  });
});

test("what a crash left is settled: what was sending may have arrived, what was thinking did not", () => {
  const { replies, row } = world();
  const [thinking, sending, sent] = [1, 2, 3].map(() => replies.begin(ASKED, "{}"));
  replies.markSending(sending ?? 0);
  replies.finish(sent ?? 0, SENT);
  expect(replies.settleUnfinished()).toBe(2);
  expect(row(thinking)).toMatchObject({ state: "silent", reason: "crashed" });
  expect(row(sending)).toMatchObject({ state: "unknown", reason: "crashed" });
  expect(row(sent)).toMatchObject({ state: "sent", reason: null });
  expect(replies.settleUnfinished()).toBe(0);
});

test("cooldowns are made from answers that were, or may have been, given", () => {
  const { replies, at } = world();
  replies.finish(replies.begin(ASKED, "{}"), SENT);
  at(2_000);
  replies.refuse({ ...ASKED, userId: "refused" }, "stale");
  replies.finish(replies.begin({ ...ASKED, userId: "silent" }, "{}"), {
    ...SENT,
    state: "silent",
    reason: "guard_link",
  });
  replies.begin({ ...ASKED, userId: "thinking" }, "{}");
  replies.finish(replies.begin({ ...ASKED, userId: "shadow" }, "{}"), { ...SENT, state: "shadow" });
  at(3_000);
  const unknown = replies.begin({ ...ASKED, userId: "crashed" }, "{}");
  replies.markSending(unknown);
  replies.settleUnfinished();
  expect(replies.exchangesSince(1_001).map(({ userId, atMs }) => [userId, atMs])).toEqual([
    ["shadow", 2_000],
    ["crashed", 3_000],
  ]);
  expect(replies.exchangesSince(1_000)[0]).toEqual({ channel: "here", userId: "7", atMs: 1_000 });
});

test("texts older than asked go, a slice at a time, and the rows stay", () => {
  const { replies, at, db } = world();
  for (const ms of [1_000, 1_001, 1_002, 5_000]) {
    at(ms);
    replies.finish(replies.begin(ASKED, "{}"), { ...SENT, messageId: `m${ms}` });
  }
  replies.refuse(ASKED, "stale");
  expect([
    replies.expireTexts(5_000, 2),
    replies.expireTexts(5_000, 2),
    replies.expireTexts(5_000, 2),
  ]).toEqual([2, 1, 0]);
  expect(db.prepare("SELECT text FROM replies ORDER BY id").pluck().all()).toEqual([
    null,
    null,
    null,
    "Hello.",
    null,
  ]);
});

test("the bot's own last replies are those it sent in this channel, oldest first", () => {
  const { replies } = world();
  const say = (text: string, outcome: Partial<ReplyOutcome> = {}, asked = ASKED) =>
    replies.finish(replies.begin(asked, "{}"), { ...SENT, text, messageId: null, ...outcome });
  say("one");
  say("two");
  say("never sent", { state: "shadow" });
  say("maybe", { state: "unknown" });
  say("elsewhere", {}, { ...ASKED, channel: "there" });
  say("three");
  expect(replies.recent("here", 2).map(({ text }) => text)).toEqual(["two", "three"]);
});

test("a reply whose message is removed while it is sent keeps no text, and says what was said", () => {
  const { replies, row, taken } = world();
  const id = replies.begin(ASKED, "{}");
  const other = replies.begin({ ...ASKED, eventId: 4, userId: "8" }, "{}");
  replies.markSending(id);
  const removal = { by: "person", channel: "here", userId: "7", login: "rosa" } as const;
  const removed = { removal, userId: "7", messageIds: [], eventIds: [] };
  expect(replies.takeTexts(removed, false)).toEqual([]);
  replies.finish(id, SENT);
  replies.finish(other, { ...SENT, messageId: "m2" });
  expect(row(id)).toMatchObject({ state: "sent", text: null, message_id: "m1" });
  expect(taken).toEqual([{ channel: "here", text: "Hello.", messageId: "m1" }]);
  expect(replies.recent("here", 5)).toEqual([{ id: other, text: "Hello." }]);
});

test("a note that stood in a prompt counts as used, which moves neither the prefix nor any order", () => {
  const { db, replies } = world();
  addChannel(db);
  for (const id of [1, 2, 3]) addNote(db, { id, scope: "viewer", subjectId: "7" });
  addNote(db, { id: 4 });
  const recall = openRecallStore(db);
  const seen = () => [
    recall.prefixVersion("here"),
    recall.lore(asking("")),
    recall.channelNotes({ channel: "here", scope: "channel", nowMs: 1, limit: 9 }),
  ];
  const before = seen();
  replies.finish(replies.begin(ASKED), SENT, [1, 3, 4, 99]);
  replies.finish(replies.begin(ASKED), { ...SENT, messageId: "m2" }, [3]);
  replies.writeUses();
  const uses = db.prepare("SELECT use_count, last_used_at FROM semantic_notes ORDER BY id").raw();
  expect(uses.all()).toEqual([
    [1, 1_000],
    [0, null],
    [2, 1_000],
    [1, 1_000],
  ]);
  expect(seen()).toEqual(before);
});

test("a reply's reads go by an index, however many replies and refusals there were", () => {
  const { db } = world();
  const plan = (sql: string, ...values: unknown[]) =>
    db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => detail);
  expect(
    plan(
      `SELECT id, text FROM replies INDEXED BY replies_with_text
       WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ?`,
      "here",
      5,
    ),
  ).toEqual(["SCAN replies USING INDEX replies_with_text"]);
  expect(plan("SELECT 1 FROM replies WHERE message_id = ?", "m")[0]).toMatch(/replies_by_message/);
});

function world() {
  let nowMs = 1_000;
  const db = openDatabase(":memory:");
  const taken: unknown[] = [];
  return {
    db,
    taken,
    replies: new ReplyStore(db, () => nowMs, { onTaken: (said) => void taken.push(...said) }),
    at: (ms: number) => {
      nowMs = ms;
    },
    row: (id: number | undefined) => db.prepare("SELECT * FROM replies WHERE id = ?").get(id),
  };
}
