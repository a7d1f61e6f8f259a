import { expect, test } from "vitest";
import { IdentityStore } from "../../../src/chat/viewer-store.ts";
import { loreWorld, others } from "./lore-world.ts";
import { asking, channelNoteIds, NOW_MS, type NoteSeed } from "./memories.ts";

test("a note that shares a rare word with the message comes before newer ones", () => {
  const { lore } = loreWorld([
    { id: 1, fact: "is allergic to peanuts", ageDays: 60 },
    ...others(20, "had a quiet evening"),
  ]);
  expect(lore("nothing of that kind").slice(0, 10)).not.toContain(1);
  // The newest note comes first.
  expect(lore("can I eat peanuts with that?")[1]).toBe(1);
});

test("the terms add up to the score, and the base is the same for any message", () => {
  const { recall } = loreWorld([
    { id: 1, fact: "keeps bees", topics: "bees", confidence: 0.8, importance: 0.1, ageDays: 7 },
  ]);
  const silent = recall.lore(asking(""))[0];
  expect(silent).toMatchObject({
    terms: { base: expect.closeTo(0.4, 10), importance: 0.1, lexical: 0, topic: 0 },
  });
  const asked = recall.lore(asking("bees?"))[0];
  const { base, importance, lexical, topic } = asked?.terms ?? fail();
  expect(base + importance + lexical + topic).toBeCloseTo(asked?.score ?? 0, 12);
  expect([base, topic]).toEqual([silent?.terms.base, 0.3]);
});

test("topics of the message count more than the category; they reorder and leave nothing out", () => {
  const { recall, lore } = loreWorld([
    { id: 1, fact: "finished it twice", topics: "Elden Ring" },
    { id: 2, fact: "hums all day", topics: "Music, humming" },
    { id: 3, fact: "saw a heron", topics: "birds" },
  ]);
  expect(lore("", { category: "Music" })).toEqual([2, 3, 1]);
  expect(lore("music or a bird?", { category: "Elden Ring" })).toHaveLength(3);
  const topic = (id: number, notes = recall.lore(asking("a bird", { category: "Music" }))) =>
    notes.find((note) => note.id === id)?.terms.topic;
  expect([topic(1), topic(2), topic(3)]).toEqual([0, expect.closeTo(0.09), 0.3]);
});

test("strict topics leave out what nobody talks of, but for wishes and notes without a topic", () => {
  const notes: NoteSeed[] = [
    { id: 1, fact: "bakes rye bread", topics: "bread" },
    { id: 2, fact: "has a parrot", topics: "parrots" },
    { id: 3, fact: "wants no spoilers", topics: "spoilers", kind: "constraint" },
    { id: 4, fact: "likes it here" },
    { id: 5, fact: "won the chess cup", topics: "chess" },
  ];
  const strict = loreWorld(notes, { memory: { topics: "strict" } });
  const sorted = (ids: number[]) => ids.sort((a, b) => a - b);
  expect(sorted(strict.lore("my bread is ready"))).toEqual([1, 3, 4]);
  expect(sorted(strict.lore("hm", { recent: [{ text: "a parrot!" }] }))).toEqual([2, 3, 4]);
  expect(sorted(strict.lore("hm", { others: [{ text: "parrots?" }] }))).toEqual([2, 3, 4]);
  // The category is what is streamed, not what is said.
  expect(sorted(strict.lore("hm", { category: "Chess" }))).toEqual([3, 4]);
  expect(loreWorld(notes).lore("my bread is ready")).toHaveLength(5);
});

test("wishes come first, then three profile notes, then the newest", () => {
  const { lore } = loreWorld([
    ...others(9, "talked about the weather"),
    { id: 1, kind: "profile", fact: "is a nurse", ageDays: 300 },
    { id: 2, kind: "constraint", fact: "wants to be called Sam", ageDays: 200 },
    { id: 3, kind: "profile", fact: "lives by the sea", ageDays: 100 },
    { id: 4, kind: "profile", fact: "has a twin", ageDays: 400 },
    { id: 5, kind: "profile", fact: "plays the harp", ageDays: 500 },
    { id: 6, kind: "state", fact: "dropped a plate", confidence: 0.4, ageDays: -1 },
  ]);
  expect(lore("what about the weather").slice(0, 5)).toEqual([2, 3, 1, 4, 6]);
  expect(lore("do you remember my harp?").slice(0, 5)).toEqual([2, 5, 3, 1, 6]);
});

test("all notes of a viewer are given, however many there are of a kind", () => {
  const { lore } = loreWorld(others(50, "saw a comet"));
  expect(lore("hello")).toHaveLength(50);
});

test("a note that ran out is not read, whether or not a sweep came by", () => {
  const { db, recall, lore } = loreWorld([
    { id: 1, fact: "is on holiday" },
    { id: 2, fact: "is in Porto" },
    { id: 3, scope: "channel", subjectId: null, fact: "the cup is on" },
  ]);
  db.exec(`UPDATE semantic_notes SET expires_at = ${NOW_MS} WHERE id <> 2`);
  expect(lore("")).toEqual([2]);
  expect(channelNoteIds(recall, 5)).toEqual([]);
  expect(channelNoteIds(recall, 5, NOW_MS - 1)).toEqual([3]);
});

test("what was read of the last speakers serves where the database cannot be read, until a note goes or ten minutes passed", () => {
  const { db, recall } = loreWorld([
    { id: 1, fact: "keeps bees" },
    { id: 2, fact: "plays chess" },
  ]);
  const ids = (nowMs = NOW_MS, userId = "7") => {
    const { notes, fresh } = recall.loreOrLast(asking("chess", { nowMs, userId }));
    return [fresh, ...notes.map(({ id }) => id)];
  };
  const lost = (read: () => unknown) => {
    db.exec("ALTER TABLE semantic_notes RENAME TO lost");
    try {
      return read();
    } finally {
      db.exec("ALTER TABLE lost RENAME TO semantic_notes");
    }
  };
  expect(ids()).toEqual([true, 2, 1]);
  expect(lost(() => ids())).toEqual([false, 2, 1]);
  expect(lost(() => ids(NOW_MS, "8"))).toEqual([false]);
  expect(lost(() => ids(NOW_MS + 11 * 60_000))).toEqual([false]);
  db.exec("DELETE FROM semantic_notes WHERE id = 1");
  expect(lost(() => ids())).toEqual([false]);
  expect(ids()).toEqual([true, 2]);
  recall.dropLast();
  expect(lost(() => ids())).toEqual([false]);
});

test("every account of a person counts as theirs, in any order of merging, until they are taken apart", () => {
  const { db, recall } = loreWorld([
    { id: 1, subjectId: "7" },
    { id: 2, subjectId: "8" },
    { id: 3, subjectId: "9" },
  ]);
  const identities = new IdentityStore(db, () => NOW_MS);
  const known = (userId: string) =>
    recall
      .lore(asking("", { userId }))
      .map(({ id }) => id)
      .sort();
  identities.merge("8", "7");
  expect([known("7"), known("8"), known("9")]).toEqual([[1, 2], [1, 2], [3]]);
  identities.merge("9", "8");
  expect([known("7"), known("8"), known("9")]).toEqual(Array(3).fill([1, 2, 3]));
  identities.separate("8", "7");
  expect([known("7"), known("8"), known("9")]).toEqual([[1], [2, 3], [2, 3]]);
  identities.separate("9", "8");
  expect([known("8"), known("9")]).toEqual([[2], [3]]);
});

test("a persona with notes of its own sees those and the shared ones; any other, the shared ones alone", () => {
  const notes: NoteSeed[] = [
    { id: 1 },
    { id: 2, persona: "Mark" },
    { id: 3, persona: "Vera" },
    { id: 4, scope: "channel", subjectId: null },
    { id: 5, scope: "channel", subjectId: null, persona: "Vera" },
  ];
  const of = (persona: string | null) => {
    const { recall, lore } = loreWorld(notes, {}, { personaOf: () => persona });
    return [lore("").sort(), channelNoteIds(recall, 9).sort()];
  };
  expect(of(null)).toEqual([[1], [4]]);
  expect(of("Mark")).toEqual([[1, 2], [4]]);
  expect(of("Vera")).toEqual([
    [1, 3],
    [4, 5],
  ]);
});

test("channel notes never depend on a message: they ask for none", () => {
  const { recall } = loreWorld([
    { id: 1, scope: "channel", subjectId: null, fact: "the cup is on sunday", topics: "cup" },
  ]);
  recall.lore(asking("the cup"));
  expect(
    recall.channelNotes({ channel: "here", scope: "channel", nowMs: NOW_MS, limit: 5 })[0]?.terms,
  ).toMatchObject({ lexical: 0, topic: 0 });
});

function fail(): never {
  throw new Error("nothing was recalled");
}
