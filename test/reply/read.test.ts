import { expect, test } from "vitest";
import { EventReads } from "../../src/chat/event-reads-store.ts";
import { EventStore } from "../../src/chat/event-store.ts";
import { IdentityStore, openViewerStore } from "../../src/chat/viewer-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createBannedTest } from "../../src/language/banned.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../src/memory/recall/snapshot.ts";
import { renderPrompt } from "../../src/reply/prompt/ladder.ts";
import { makeTailSections } from "../../src/reply/prompt/sections.ts";
import { readTail } from "../../src/reply/read.ts";
import type { Ticket } from "../../src/reply/reply-queue.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { makeActionTurn } from "../../src/reply/turn.ts";
import { say } from "../chat/say.ts";
import { addChannel, addNote, NOW_MS } from "../memory/recall/memories.ts";
import { addViewer } from "../stand-ins/rows.ts";
import { EMPTY_TAIL, fence, persona } from "./prompt/prompt-parts.ts";
import { makeTicket } from "./queue-rig.ts";

const HOUR_MS = 3_600_000;

test("whoever has two accounts is called by the one that speaks, in what is known of either", () => {
  const { db, tail } = room();
  addViewer(db, "7", "Juniper");
  addViewer(db, "8", "DuskRotary");
  addViewer(db, "9", "Bo");
  new IdentityStore(db, () => NOW_MS).merge("8", "7");
  addNote(db, { id: 1, scope: "viewer", subjectId: "8", fact: "{u:8} collects coins with {u:9}" });
  addNote(db, { id: 2, scope: "viewer", subjectId: "7", fact: "showed {u:8} a coin" });
  const facts = (userId: string) => tail(userId, "hi").tail.lore.map(({ fact }) => fact);
  expect(facts("7")).toEqual(["showed Juniper a coin", "collects coins with Bo"]);
  expect(facts("8")).toEqual(["showed DuskRotary a coin", "collects coins with Bo"]);
});

test("the speaker's earlier lines count for less than the message, and the message counts once", () => {
  const { db, tail, say } = room();
  addNote(db, { id: 1, scope: "viewer", subjectId: "7", fact: "keeps bees" });
  addNote(db, { id: 2, scope: "viewer", subjectId: "7", fact: "repairs clocks" });
  const lexical = (eventId: number | null, question: string, id: number) =>
    tail("7", question, eventId).candidates.find((note) => note.id === id)?.terms.lexical ?? 0;
  const alone = lexical(say("7", "how are the bees"), "how are the bees", 1);
  expect(lexical(null, "nothing", 1)).toBeGreaterThan(0);
  expect(lexical(null, "nothing", 1)).toBeLessThan(alone / 2);
  const current = say("7", "the clocks again");
  expect(tail("7", "the clocks again", current).tail.own.map(({ text }) => text)).toEqual([
    "how are the bees",
  ]);
});

test("of the speaker's earlier lines the last three say what they may mean", () => {
  const { db, tail, say } = room();
  addNote(db, { id: 1, scope: "viewer", subjectId: "7", fact: "keeps bees" });
  addNote(db, { id: 2, scope: "viewer", subjectId: "7", fact: "repairs clocks" });
  for (const text of ["bees", "one", "clocks", "three"]) say("7", text);
  const lexical = new Map(tail("7", "hm").candidates.map(({ id, terms }) => [id, terms.lexical]));
  expect(lexical.get(1)).toBe(0);
  // 0.3 of a word that one of two notes has, found / (found + 1), times 2: design part 6.
  const found = 0.3 * (Math.log(1 + 2 / 1) / Math.log(3));
  expect(lexical.get(2)).toBeCloseTo((10 * found) / (found + 1), 10);
});

test("who asks how long they have been here stands with their rows: since when, how often, and when last", () => {
  const { db, tail } = room();
  const clock = { nowMs: 0, streamId: 1 };
  const store = new EventStore(db, {
    now: () => clock.nowMs,
    streamOf: () => clock.streamId,
    expiryMs: HOUR_MS,
  });
  const person = { ...say("").person, userId: "7", login: "wren", displayName: "Wren" };
  const speaks = (agoMs: number, streamId: number): string => {
    Object.assign(clock, { nowMs: NOW_MS - agoMs, streamId });
    store.add(say("how long have I been here?", { channel: "here", person }));
    store.flush();
    const sections = makeTailSections(tail("7", "how long have I been here?").tail, persona, fence);
    return renderPrompt([], sections, Number.MAX_SAFE_INTEGER).tail;
  };
  expect(speaks(72 * HOUR_MS, 1)).toMatch(/new here.* Here since May 2026, in 1 stream\.\n/);
  expect(speaks(68 * HOUR_MS + 1, 1)).toMatch(/new here.*, in 1 stream\.\n/);
  expect(speaks(4 * HOUR_MS, 2)).toMatch(
    /been here before.* Here since May 2026, in 2 streams; before this visit last here 3 days ago\.\n/,
  );
  expect(speaks(1, 2)).toMatch(/in 2 streams; before this visit last here 3 days ago\.\n/);
  expect(speaks(0, 2)).toMatch(/in 2 streams; before this visit last here 3 days ago\.\n/);
  store.close();
});

test("lines of before the stream or a break have their age, and newer ones have none", () => {
  const { db, tail } = room();
  addViewer(db, "9", "Bo");
  addViewer(db, "7", "Wren");
  addLine(db, "9", "good night", { agoMs: 20 * HOUR_MS });
  addLine(db, "7", "see you tomorrow", { agoMs: 20 * HOUR_MS });
  addLine(db, "9", "back again", { agoMs: HOUR_MS });
  addLine(db, "9", "and the lamp is lit", { agoMs: HOUR_MS - 1 });
  const parent = { messageId: "m-old", userId: "8" };
  addLine(db, "8", "who has the key?", { agoMs: 3 * HOUR_MS, messageId: "m-old" });
  const sections = makeTailSections(tail("7", "me", null, parent).tail, persona, fence);
  const { tail: shown } = renderPrompt([], sections, Number.MAX_SAFE_INTEGER);
  const said = shown.split("\n").filter((line) => /good|see|back|lit|key/.test(line));
  expect(said).toEqual([
    "(20 h ago) Bo: good night",
    "(1 h ago) Bo: back again",
    "Bo: and the lamp is lit",
    "(Wren replies to this) (3 h ago) someone: who has the key?",
    "(20 h ago) Wren: see you tomorrow",
  ]);
});

test("the speaker's line has the name they want, and what Twitch reported of them", () => {
  const { db, tail } = room();
  addViewer(db, "7", "Wren");
  addViewer(db, "9", "Bo");
  addNote(db, {
    id: 1,
    scope: "viewer",
    subjectId: "7",
    kind: "constraint",
    fact: "is called Sam",
  });
  db.exec("UPDATE semantic_notes SET property = 'name', property_value = 'Sam'");
  db.exec(`INSERT INTO moments (channel, kind, user_id, amount, at) VALUES
    ('here', 'resub', '7', 12, ${NOW_MS}), ('here', 'resub', '7', 11, 1), ('here', 'raid', '9', 40, ${NOW_MS})`);
  const { speaker, related } = tail("7", "who raided?").tail;
  expect(speaker).toMatchObject({
    calledName: "Sam",
    moments: [{ text: "subscribed for 12 months", atMs: NOW_MS }],
  });
  expect(related.map(({ text }) => text)).toEqual(["Bo raided with 40 viewers"]);
});

test("moments of merged accounts are the speaker's, and a name with a banned word is not shown", () => {
  const { db, tail } = room();
  for (const [id, name] of [
    ["7", "Wren"],
    ["8", "Alt"],
    ["9", "Bo"],
    ["10", "Flumph"],
  ] as const) {
    addViewer(db, id, name);
  }
  new IdentityStore(db, () => NOW_MS).merge("8", "7");
  db.exec(`INSERT INTO moments (channel, kind, user_id, amount, at) VALUES ('here', 'raid', '8', 30, ${NOW_MS}),
    ('here', 'raid', '9', 40, ${NOW_MS}), ('here', 'raid', '10', 50, ${NOW_MS})`);
  const { speaker, related } = tail("7", "who raided?").tail;
  expect(speaker.moments.map(({ text }) => text)).toEqual(["raided with 30 viewers"]);
  expect(related.map(({ text }) => text)).toEqual(["Bo raided with 40 viewers"]);
});

test("what the streamer told about themselves is related for everybody, until it is rejected", () => {
  const { db, tail } = room("UPDATE channel_state SET twitch_id = '1'");
  addViewer(db, "1", "Hostess");
  addNote(db, { id: 1, scope: "viewer", subjectId: "1", fact: "{u:1} has a dog named Biscuit" });
  addNote(db, { id: 2, scope: "viewer", subjectId: "1", fact: "{u:1} fears the neighbour's dog" });
  db.exec("UPDATE semantic_notes SET source_kind = 'viewer_request' WHERE id = 2");
  const related = (userId: string) =>
    tail(userId, "does the streamer have a dog?").tail.related.map(({ text }) => text);
  expect(related("7")).toEqual(["the streamer has a dog named Biscuit"]);
  expect(related("1")).toEqual([]);
  const byName = tail("7", "tell me about hostess").tail.related;
  expect(byName.map(({ text }) => text)).toEqual(["the streamer has a dog named Biscuit"]);
  db.exec("UPDATE semantic_notes SET status = 'rejected' WHERE id = 1");
  expect(related("7")).toEqual([]);
});

test("another viewer's notes are never related, whatever is asked", () => {
  const { db, tail } = room();
  addViewer(db, "9", "Bo");
  addNote(db, { id: 1, scope: "viewer", subjectId: "9", fact: "{u:9} keeps bees" });
  const read = tail("7", "does Bo keep bees?").tail;
  expect([read.related, read.lore]).toEqual([[], []]);
});

test("older messages of this stream that share a rare word are shown, the chat's own not twice", () => {
  const { db, tail } = room("INSERT INTO stream_sessions (channel, started_at) VALUES ('here', 1)");
  addViewer(db, "7", "Wren");
  addLine(db, "7", "caught a sturgeon", { agoMs: 2 * HOUR_MS });
  for (let n = 0; n < 8; n += 1) addLine(db, "7", `and more ${n}`);
  addLine(db, "8", "that sturgeon was huge");
  const { oldLines } = tail("7", "where did I catch the sturgeon?").tail;
  expect(oldLines.map(({ text, hoursAgo }) => [text, hoursAgo])).toEqual([
    ["caught a sturgeon", 2],
  ]);
});

test("however much the bot says, a prompt shows twelve lines of other people", () => {
  const { say, answer, tail } = room();
  for (let n = 0; n < 15; n += 1) say("9", `line ${n}`);
  for (let n = 0; n < 40; n += 1) answer("9", say("7", "again"), `answer ${n}`);
  const { chat } = tail("7", "and?").tail;
  const ofPeople = chat.filter(({ answers }) => answers === undefined).map(({ text }) => text);
  expect(ofPeople).toEqual(Array.from({ length: 12 }, (_, n) => `line ${n + 3}`));
  expect(chat).toHaveLength(30);
  expect(chat.at(-1)?.text).toBe("answer 39");
});

test("however much one viewer says, a prompt shows twelve lines of others", () => {
  const { say, tail } = room();
  for (let n = 0; n < 15; n += 1) say("9", `line ${n}`);
  for (let n = 0; n < 40; n += 1) say("8", `more and more ${n}`);
  const { chat } = tail("7", "and?").tail;
  const of = (userId: string) => chat.filter((line) => line.userId === userId);
  expect(of("9").map(({ text }) => text)).toEqual(
    Array.from({ length: 12 }, (_, n) => `line ${n + 3}`),
  );
  expect(of("8")).toHaveLength(18);
  expect(chat.at(-1)?.text).toBe("more and more 39");
});

test("what a line replies to stands in its place among the exchanges, by event id", () => {
  const { answer, threadOf, say } = room();
  const oldest = say("8", "the lamp was green", "m-old");
  const first = say("7", "what colour is the lamp?");
  const reply = answer("7", first, "Blue, I think.");
  const between = say("9", "it was red", "m-between");
  const second = say("7", "and the door?");
  const last = answer("7", second, "Brown.");
  const exchanges = [first, reply, second, last];
  expect(threadOf(null)).toEqual(exchanges);
  expect(threadOf("m-old")).toEqual([oldest, ...exchanges]);
  expect(threadOf("m-between")).toEqual([first, reply, between, second, last]);
  const newest = say("9", "the door is open", "m-new");
  expect(threadOf("m-new")).toEqual([...exchanges, newest]);
});

/** A channel over a database in memory, and what a turn reads of it. */
function room(sql = "") {
  const db = openDatabase(":memory:");
  addChannel(db);
  db.exec(sql);
  const now = () => NOW_MS;
  const replies = new ReplyStore(db, now);
  const recall = new RecallStore(db, {
    accountsOf: new IdentityStore(db, now).accountsOf,
    isBanned: createBannedTest(["flumph"]),
  });
  const parts = {
    events: new EventReads(db),
    viewers: openViewerStore(db, () => undefined),
    recall,
    replies,
    paceOf: () => "normal" as const,
    now,
  };
  const { snapshot } = createPrefixSnapshots(recall, now)("here");
  const tail = (
    userId: string,
    question: string,
    eventId: number | null = null,
    repliesTo: Ticket["repliesTo"] = null,
  ) =>
    readTail(parts, makeTicket({ userId, question, eventId, repliesTo, atMs: NOW_MS }), snapshot);
  return {
    db,
    tail,
    say: (userId: string, text: string, messageId?: string) =>
      addLine(db, userId, text, messageId === undefined ? {} : { messageId }),
    /** The bot answers somebody's question; gives the event of that, where it is kept. */
    answer: (userId: string, questionId: number, text: string, isEventKept = true) => {
      const about = { channel: "here", userId, trigger: "mention", eventId: questionId } as const;
      const replyId = replies.begin(about);
      const sent = { state: "sent", reason: null, messageId: null, sentAtMs: NOW_MS } as const;
      replies.finish(replyId, { ...sent, text });
      return isEventKept ? addLine(db, "bot", text, { replyId }) : -replyId;
    },
    /** The thread that a line of viewer 7 is shown with, which replies to that message. */
    threadOf: (messageId: string | null) =>
      tail(
        "7",
        "and?",
        null,
        messageId === null ? null : { messageId, userId: null },
      ).tail.thread.map(({ id }) => id),
  };
}

function addLine(
  db: Db,
  userId: string,
  text: string,
  given: { readonly messageId?: string; readonly replyId?: number; readonly agoMs?: number } = {},
): number {
  const { messageId = null, replyId = null, agoMs = 0 } = given;
  const added = db
    .prepare(
      `INSERT INTO events (channel, kind, user_id, message_id, text, memorable, reply_id, sent_at, created_at, expires_at)
       VALUES ('here', 'message', ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[userId, messageId, text, Number(replyId === null), replyId],
      ...[NOW_MS - agoMs, NOW_MS - agoMs, NOW_MS + 1_000],
    );
  return Number(added.lastInsertRowid);
}

const tail = {
  ...EMPTY_TAIL,
  own: [{ id: 4, userId: "20", name: "Moss", text: "an earlier line" }],
  chat: [{ id: 5, userId: "31", name: "Bob", text: "a line of bob" }],
};
const ticket = makeTicket({
  ...{ channel: "den", userId: "20", question: "the request" },
  ...{ eventId: 7, messageId: "m7", atMs: 1 },
});

test("a turn's words are the requester's own lines, and beside them stands what was shown", () => {
  expect(makeActionTurn(ticket, 9, tail)).toEqual({
    channel: "den",
    replyId: 9,
    requesterId: "20",
    isAsked: true,
    words: ["the request"],
    messageId: "m7",
    eventId: 7,
    repliesTo: null,
    others: ["a line of bob"],
    shown: ["a line of bob", "an earlier line"],
  });
});

test("nobody asked where the bot joined in by chance", () => {
  expect(makeActionTurn({ ...ticket, trigger: "chance" }, 9, tail).isAsked).toBe(false);
});
