import { expect, test } from "vitest";
import { eventReads } from "../../src/chat/event-read-store.ts";
import { identityStore } from "../../src/chat/identity-store.ts";
import { recallStore } from "../../src/memory/recall/recall-store.ts";
import { prefixSnapshots } from "../../src/memory/recall/snapshot.ts";
import { type Db, openDatabase } from "../../src/platform/database/open-database.ts";
import { readTail } from "../../src/reply/read.ts";
import { addChannel, addNote, addViewer, NOW_MS } from "../memory/recall/memories.ts";

test("whoever has two accounts is called by the one that speaks, in what is known of either", () => {
  const { db, tail } = room();
  addViewer(db, "7", "Juniper");
  addViewer(db, "8", "DuskRotary");
  addViewer(db, "9", "Bo");
  identityStore(db, () => NOW_MS).merge("8", "7");
  addNote(db, { id: 1, scope: "viewer", subjectId: "8", fact: "{u:8} collects coins with {u:9}" });
  const facts = (userId: string) => tail(userId, "hi").tail.lore.map(({ fact }) => fact);
  expect(facts("7")).toEqual(["Juniper collects coins with Bo"]);
  expect(facts("8")).toEqual(["DuskRotary collects coins with Bo"]);
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

/** A channel over a database in memory, and what a turn reads of it. */
function room() {
  const db = openDatabase(":memory:");
  addChannel(db);
  const now = () => NOW_MS;
  const recall = recallStore(db, { accountsOf: identityStore(db, now).accountsOf });
  const parts = {
    events: eventReads(db),
    viewers: { get: () => null, inChannel: () => null },
    recall,
    replies: { recent: () => [], exchangesWith: () => [], byMessage: () => null },
    paceOf: () => "normal" as const,
    now,
  };
  const { snapshot } = prefixSnapshots(recall, now)("here");
  const tail = (userId: string, question: string, eventId: number | null = null) =>
    readTail(
      parts,
      {
        channel: "here",
        userId,
        trigger: "mention",
        question,
        eventId,
        messageId: null,
        atMs: NOW_MS,
      },
      snapshot,
    );
  return { db, tail, say: (userId: string, text: string) => addLine(db, userId, text) };
}

function addLine(db: Db, userId: string, text: string): number {
  const added = db
    .prepare(
      `INSERT INTO events (channel, kind, user_id, text, memorable, sent_at, created_at, expires_at)
       VALUES ('here', 'message', ?, ?, 1, ?, ?, ?)`,
    )
    .run(userId, text, NOW_MS, NOW_MS, NOW_MS + 1_000);
  return Number(added.lastInsertRowid);
}
