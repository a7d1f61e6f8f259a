import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { LlmCallStore } from "../../src/models/call-store.ts";
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

test("a reply is on disk when its turn begins, and step by step after it", () => {
  const { replies, row } = world();
  const id = replies.begin(ASKED);
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
  const [thinking, sending, sent] = [1, 2, 3].map(() => replies.begin(ASKED));
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
  replies.finish(replies.begin(ASKED), SENT);
  at(2_000);
  replies.refuse({ ...ASKED, userId: "refused" }, "stale");
  replies.finish(replies.begin({ ...ASKED, userId: "silent" }), {
    ...SENT,
    state: "silent",
    reason: "guard_link",
  });
  replies.begin({ ...ASKED, userId: "thinking" });
  replies.finish(replies.begin({ ...ASKED, userId: "shadow" }), { ...SENT, state: "shadow" });
  at(3_000);
  const unknown = replies.begin({ ...ASKED, userId: "crashed" });
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
    replies.finish(replies.begin(ASKED), { ...SENT, messageId: `m${ms}` });
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
    replies.finish(replies.begin(asked), { ...SENT, text, messageId: null, ...outcome });
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
  const id = replies.begin(ASKED);
  const other = replies.begin({ ...ASKED, eventId: 4, userId: "8" });
  replies.markSending(id);
  const removal = { by: "person", channel: "here", userId: "7", login: "rosa" } as const;
  const removed = { removal, userId: "7", messageIds: [], eventIds: [] };
  expect(replies.removeTexts(removed, false)).toEqual([]);
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
  const recall = new RecallStore(db);
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

function world() {
  let nowMs = 1_000;
  const db = openDatabase(":memory:");
  const taken: unknown[] = [];
  return {
    db,
    taken,
    replies: new ReplyStore(db, () => nowMs, { onTextDropped: (said) => void taken.push(...said) }),
    at: (ms: number) => {
      nowMs = ms;
    },
    row: (id: number | undefined) => db.prepare("SELECT * FROM replies WHERE id = ?").get(id),
  };
}

const MODEL = "m1";

/** Opens a store with the calls of one reply for each count. Each was estimated at 1,000 tokens. */
function openStore(counts: readonly (number | null)[]) {
  const store = new LlmCallStore(openDatabase(":memory:"));
  const usage = { cachedTokens: 0, outputTokens: 10, estimatedTokens: 1_000 };
  const call = { ...usage, purpose: "reply", model: MODEL, outcome: "ok" } as const;
  for (const promptTokens of counts)
    store.add({ ...call, promptTokens, latencyMs: 1, dollars: null, createdAtMs: 1 });
  return store;
}

test("a model's estimates are corrected by its counts, each model's by its own", () => {
  const store = openStore([1_200, 1_300, 1_100]);
  expect(store.correction(MODEL)).toBeCloseTo(1.2, 12);
  expect(store.correction("m2")).toBe(1);
});

test("the correction follows a model that counts otherwise from now on", () => {
  const counts = Array.from({ length: 30 }, (_, n) => (n < 10 ? 1_500 : 1_000));
  expect(openStore(counts).correction(MODEL)).toBeCloseTo(1, 12);
});

test("a count that cannot be one teaches nothing", () => {
  expect(openStore([1_100, 0, 1, 90_000, null]).correction(MODEL)).toBeCloseTo(1.1, 12);
});

test("the correction stays within 0.7 and 1.6 whatever a provider reports", () => {
  const counts = fc.array(fc.nat({ max: 3_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(counts, (all) => {
      const factor = openStore(all).correction(MODEL);
      expect(factor).toBeGreaterThanOrEqual(0.7);
      expect(factor).toBeLessThanOrEqual(1.6);
    }),
    { numRuns: 40 },
  );
});
