import fc from "fast-check";
import { expect, test } from "vitest";
import { keyedHash } from "../../../src/language/keyed-hash.ts";
import { hashedTable } from "../../../src/memory/recall/hashed-table.ts";
import { conversationReader } from "../../../src/memory/recall/recall-query.ts";
import { recallStore } from "../../../src/memory/recall/recall-store.ts";
import { wordHashStore } from "../../../src/memory/recall/word-hash-store.ts";
import { wordHasher } from "../../../src/memory/recall/word-hasher.ts";
import { type Db, openDatabase } from "../../../src/platform/database/open-database.ts";
import { BEES, HASHER } from "./hashed-notes.ts";
import { loreWorld, others } from "./lore-world.ts";
import { addNote, asking } from "./memories.ts";

test.each([
  ["a word", "any bees today?", "lexical"],
  ["a word that begins alike", "the beekeeping", "lexical"],
  ["a topic", "honey for tea", "topic"],
] as const)(
  "%s is found by its hash, with no word of the note left to read",
  (_, message, term) => {
    const db = hashedBees({ ...BEES, fact: "keeps beekeepers and bees" });
    const found = (key: string) =>
      recallStore(db, { hasher: wordHasher(keyedHash(key)) }).lore(asking(message))[0]?.terms[term];
    expect(found("a key for tests")).toBeGreaterThan(0);
    expect(found("another key")).toBe(0);
  },
);

test("strict topics are read from hashes, too", () => {
  const db = hashedBees(BEES);
  const strict = recallStore(db, {
    hasher: HASHER,
    settings: () => loreWorld([], { memory: { topics: "strict" } }).memory,
  });
  expect(strict.lore(asking("honey for tea"))).toHaveLength(1);
  expect(strict.lore(asking("and the weather"))).toEqual([]);
});

test("what another key hashed is hashed as it is compared", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  wordHashStore(db, wordHasher(keyedHash("another key"))).hashSlice();
  const lexical = () =>
    recallStore(db, { hasher: HASHER }).lore(asking("any bees?"))[0]?.terms.lexical;
  expect(lexical()).toBeGreaterThan(0);
  db.exec(`UPDATE semantic_notes SET word_hashes = NULL, hashed_by = ${HASHER.number}`);
  expect(lexical()).toBeGreaterThan(0);
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

test("hashed before or not, the same notes are found, in the same order", () => {
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

test.each([
  [
    "of two terms that one word answers, the better fit counts",
    "the theremin and a thereminist",
    "theremin",
    1,
  ],
  ["whichever was said first", "a thereminist and the theremin", "theremin", 1],
  [
    "a word counts as itself, not as what else begins alike",
    "the theremin, therefore",
    "theremin",
    1,
  ],
  [
    "a compound counts as itself and as what it ends with",
    "mein Schäferhund ist ein Hund",
    "schaferhund",
    2,
  ],
  ["and every character that is asked for", "我的小和狗", "小狗", 2],
] as const)("%s", (_, message, word, terms) => {
  expect(hitsIn(message, word)).toHaveLength(terms);
});

test.each([
  ["bike", "my bike is a bicycle"],
  ["bicycle", "my bicycle is a bike"],
])(
  "of two ways in which a note's word answers a term, %s first, the better counts",
  (_, message) => {
    const strengths = hitsIn(message, "bicycl").map(([, strength]) => strength);
    expect(strengths).toEqual([1]);
  },
);

test("a word that is there twice is hashed once", () => {
  expect(HASHER.ofNote("bee hive bee", "")).toBe(HASHER.ofNote("bee hive", ""));
});

test("what only a topic says is no word of the note", () => {
  const { sought } = conversationReader()({
    ...NOTHING_SAID,
    message: { id: null, text: "honey" },
  });
  const found: string[] = [];
  const hits = { word: () => void found.push("word"), topic: () => void found.push("topic") };
  const table = hashedTable(sought, HASHER);
  expect([table.scan(HASHER.ofNote("bee", "honey"), hits), found]).toEqual([true, ["topic"]]);
  expect(table.scan(HASHER.ofNote("bee", ""), hits)).toBe(false);
});

test("only the message itself is worth a loose fit", () => {
  const { recall } = loreWorld([{ id: 1, fact: "met a thereminist" }]);
  const lexical = (message: string, recent: string) =>
    recall.lore(asking(message, { recent: [{ id: null, text: recent }] }))[0]?.terms.lexical;
  expect(lexical("the theremin", "hello")).toBeGreaterThan(0);
  expect(lexical("hello", "the theremin")).toBe(0);
});

test("topics are no words, and words no topics", () => {
  const { recall } = loreWorld([{ id: 1, fact: "met somebody", topics: "chess" }]);
  const terms = recall.lore(asking("met anyone"))[0]?.terms;
  expect(terms?.lexical).toBeGreaterThan(0);
  expect(terms?.topic).toBe(0);
});

test("notes of which some are hashed are ranked together", () => {
  const { recall, db } = loreWorld([BEES, ...others(30, "another note")]);
  const before = recall.lore(asking("bees"));
  db.exec("UPDATE semantic_notes SET word_hashes = NULL, hashed_by = NULL WHERE id % 2 = 0");
  const mixed = recallStore(db, { hasher: HASHER });
  expect(mixed.lore(asking("bees"))).toEqual(before);
});

const NOTHING_SAID = { recent: [], category: "", others: [] };

/** The terms of a message that a note of this one word answers, with how well. */
function hitsIn(message: string, word: string): readonly [term: number, strength: number][] {
  const said = { id: null, text: message };
  const { sought } = conversationReader()({ ...NOTHING_SAID, message: said });
  const hits = new Map<number, number>();
  const hit = (term: number, strength: number) => void hits.set(term, strength);
  hashedTable(sought, HASHER).scan(HASHER.ofNote(word, ""), { word: hit, topic: hit });
  return [...hits];
}

/** The note, hashed, with nothing to read any more. */
function hashedBees(note: Parameters<typeof addNote>[1]): Db {
  const db = openDatabase(":memory:");
  addNote(db, note);
  wordHashStore(db, HASHER).hashSlice();
  db.exec("DROP TRIGGER note_words_changed; UPDATE semantic_notes SET words = '', topics = ''");
  return db;
}
