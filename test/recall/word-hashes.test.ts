import fc from "fast-check";
import { expect, test } from "vitest";
import { type Db, openDatabase } from "../../src/db/open.ts";
import { recallStore } from "../../src/recall/store.ts";
import { wordHashStore } from "../../src/recall/word-hash-store.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import { loreWorld, others } from "./lore-world.ts";
import { addNote, asking } from "./memories.ts";

const KEY = keyedHash("a key for tests");
const BEES = {
  id: 1,
  scope: "viewer",
  subjectId: "7",
  fact: "keeps bees",
  topics: "Honey",
} as const;

test.each([
  ["a word", "any bees today?", "lexical"],
  ["a word that begins alike", "the beekeeping", "lexical"],
  ["a topic", "honey for tea", "topic"],
] as const)(
  "%s is found by its hash, with no word of the note left to read",
  (_, message, term) => {
    const db = hashedBees({ ...BEES, fact: "keeps beekeepers and bees" });
    const found = (key: string) =>
      recallStore(db, { hash: keyedHash(key) }).lore(asking(message))[0]?.terms[term];
    expect(found("a key for tests")).toBeGreaterThan(0);
    expect(found("another key")).toBe(0);
  },
);

test("strict topics are read from hashes, too", () => {
  const db = hashedBees(BEES);
  const strict = recallStore(db, {
    hash: KEY,
    settings: () => loreWorld([], { memory: { topics: "strict" } }).memory,
  });
  expect(strict.lore(asking("honey for tea"))).toHaveLength(1);
  expect(strict.lore(asking("and the weather"))).toEqual([]);
});

test("notes of viewers are hashed in slices, those of the channel never", () => {
  const db = openDatabase(":memory:");
  for (let n = 0; n < 60; n += 1) addNote(db, { ...BEES, id: 100 + n });
  addNote(db, { id: 1, fact: "the cup is on sunday" });
  const { hashSlice } = wordHashStore(db, KEY);
  expect([hashSlice(), hashSlice(), hashSlice(), hashSlice()]).toEqual([25, 25, 10, 0]);
  const unhashed = db.prepare("SELECT id FROM semantic_notes WHERE hashed_by IS NULL").pluck();
  expect(unhashed.all()).toEqual([1]);
});

test.each([
  ["words", "words = 'wasp'"],
  ["topics", "topics = 'wasps'"],
])("changed %s take the hashes with them, until they are made anew", (_, change) => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const { hashSlice } = wordHashStore(db, KEY);
  const hashes = db.prepare("SELECT word_hashes FROM semantic_notes").pluck();
  hashSlice();
  const before = hashes.get();
  db.exec(`UPDATE semantic_notes SET ${change}`);
  expect(hashes.get()).toBe(null);
  expect([hashSlice(), hashSlice()]).toEqual([1, 0]);
  expect(hashes.get()).not.toBe(before);
});

test("a note that is confirmed, or written again as it was, keeps its hashes", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const { hashSlice } = wordHashStore(db, KEY);
  hashSlice();
  db.exec("UPDATE semantic_notes SET confidence = 1, words = words, topics = topics");
  expect(hashSlice()).toBe(0);
});

test("with another key all is hashed anew", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const keys = ["one", "another", "a third"].map((key) => wordHashStore(db, keyedHash(key)));
  expect(keys.map(({ hashSlice }) => [hashSlice(), hashSlice()])).toEqual(
    Array.from(keys, () => [1, 0]),
  );
});

test("a hash holds nothing of the word, and depends on the key", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const hashesBy = (key: string): string => {
    wordHashStore(db, keyedHash(key)).hashSlice();
    return String(db.prepare("SELECT word_hashes FROM semantic_notes").pluck().get());
  };
  const one = hashesBy("one key");
  expect(one).toMatch(/^[\w -]+\|[\w-]+$/);
  expect(one).not.toMatch(/bee|keep|honey/i);
  expect(hashesBy("another key")).not.toBe(one);
});

const WORDS = fc.constantFrom(
  ...[
    "bee",
    "bees",
    "beekeeper",
    "beekeeping",
    "s",
    "as",
    "a",
    "café",
    "cafe",
    "cafes",
    "chien",
    "chiens",
    "ß",
  ],
  ...[
    "re:zero",
    "rezero",
    "they/them",
    "c",
    "cs",
    "theremin",
    "thereminist",
    "猫",
    "小猫",
    "шахматы",
    "шахматист",
  ],
  ...[
    "كتاب",
    "كتابة",
    "고양이",
    "🐝🐝🐝",
    "𝔟𝔢𝔢",
    "honey",
    "Honey",
    "HONEYPOT",
    "gärten",
    "Garten",
    "gartens",
  ],
);
const TEXT = fc.array(WORDS, { maxLength: 6 }).map((words) => words.join(" "));
const TOPICS = fc.array(WORDS, { maxLength: 3 }).map((words) => words.join(", "));

test("hashed or as they are written, the same notes are found, in the same order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ fact: TEXT, topics: TOPICS }), { maxLength: 12 }),
      fc.record({ message: TEXT, recent: TEXT, category: TEXT }),
      (notes, { message, recent, category }) => {
        const { recall, db } = loreWorld(notes);
        // It compares the two.
        const found = recall.lore(asking(message, { recent: [{ id: 1, text: recent }], category }));
        expect(found).toHaveLength(notes.length);
        db.close();
      },
    ),
    { numRuns: 300 },
  );
});

test("notes of which some are hashed are ranked together", () => {
  const { recall, db } = loreWorld([BEES, ...others(30, "another note")]);
  const before = recall.lore(asking("bees"));
  db.exec("UPDATE semantic_notes SET word_hashes = NULL, hashed_by = NULL WHERE id % 2 = 0");
  const mixed = recallStore(db, { hash: KEY });
  expect(mixed.lore(asking("bees"))).toEqual(before);
});

/** The note, hashed, with nothing to read any more. */
function hashedBees(note: Parameters<typeof addNote>[1]): Db {
  const db = openDatabase(":memory:");
  addNote(db, note);
  wordHashStore(db, KEY).hashSlice();
  db.exec("DROP TRIGGER note_words_changed; UPDATE semantic_notes SET words = '', topics = ''");
  return db;
}
