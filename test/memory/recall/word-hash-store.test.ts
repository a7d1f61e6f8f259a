import { join } from "node:path";
import { expect, test } from "vitest";
import { keyedHash } from "../../../src/language/keyed-hash.ts";
import { wordHashStore } from "../../../src/memory/recall/word-hash-store.ts";
import { wordHasher } from "../../../src/memory/recall/word-hasher.ts";
import { type Db, openDatabase } from "../../../src/platform/database/open-database.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { BEES, HASHER } from "./hashed-notes.ts";
import { addNote } from "./memories.ts";

test("notes of viewers are hashed in slices, those of the channel never", () => {
  const db = openDatabase(":memory:");
  for (let n = 0; n < 25; n += 1) addNote(db, { ...BEES, id: 100 + n });
  addNote(db, { id: 1, fact: "the cup is on sunday" });
  const { hashSlice } = wordHashStore(db, HASHER);
  expect([hashSlice(), hashSlice(), hashSlice(), hashSlice()]).toEqual([10, 10, 5, 0]);
  const unhashed = db.prepare("SELECT id FROM semantic_notes WHERE hashed_by IS NULL").pluck();
  expect(unhashed.all()).toEqual([1]);
});

test.each([
  ["words", "words = 'wasp'"],
  ["topics", "topics = 'wasps'"],
])("changed %s take the hashes with them, until they are made anew", (_, change) => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const { hashSlice } = wordHashStore(db, HASHER);
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
  const { hashSlice } = wordHashStore(db, HASHER);
  hashSlice();
  db.exec("UPDATE semantic_notes SET confidence = 1, words = words, topics = topics");
  expect(hashSlice()).toBe(0);
});

test("with another key all is hashed anew", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const keys = ["one", "another", "a third"].map((key) =>
    wordHashStore(db, wordHasher(keyedHash(key))),
  );
  expect(keys.map(({ hashSlice }) => [hashSlice(), hashSlice()])).toEqual(
    Array.from(keys, () => [1, 0]),
  );
});

test("what is to be hashed is found by index, and no other note read", () => {
  const db = openDatabase(":memory:");
  const plans: string[] = [];
  const spy: Db = Object.create(db, {
    prepare: {
      value: (sql: string) => {
        const names = Object.fromEntries([...sql.matchAll(/:(\w+)/g)].map(([, name]) => [name, 1]));
        const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
        if (sql.startsWith("SELECT")) plans.push(...plan.all(names).map(({ detail }) => detail));
        return db.prepare(sql);
      },
    },
  });
  wordHashStore(spy, HASHER);
  const searches = plans.filter((detail) => detail.includes("semantic_notes"));
  expect(searches).toHaveLength(3);
  for (const detail of searches) {
    expect(detail).toContain("SEARCH semantic_notes USING INDEX semantic_notes_hashed");
  }
});

test("while another connection writes, nothing is hashed; afterwards it is", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const [db, other] = [openDatabase(file, { busyTimeoutMs: 0 }), openDatabase(file)];
  addNote(db, BEES);
  const { hashSlice } = wordHashStore(db, HASHER);
  other.exec("BEGIN IMMEDIATE");
  expect(hashSlice()).toBe(0);
  other.exec("COMMIT");
  expect(hashSlice()).toBe(1);
  db.close();
  other.close();
});

test("what another connection would write in the middle of a slice waits for its end", () => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  const [db, other] = [openDatabase(file), openDatabase(file, { busyTimeoutMs: 0 })];
  addNote(db, BEES);
  const intruding = () => other.exec("UPDATE semantic_notes SET importance = 0.2");
  const { hashSlice } = wordHashStore(db, {
    ...HASHER,
    ofNote: (words, topics) => {
      expect(intruding).toThrow("locked");
      return HASHER.ofNote(words, topics);
    },
  });
  expect(hashSlice()).toBe(1);
  intruding();
  db.close();
  other.close();
});

test("a hash holds nothing of the word, and depends on the key", () => {
  const db = openDatabase(":memory:");
  addNote(db, BEES);
  const hashesBy = (key: string): string => {
    wordHashStore(db, wordHasher(keyedHash(key))).hashSlice();
    return String(db.prepare("SELECT word_hashes FROM semantic_notes").pluck().get());
  };
  const one = hashesBy("one key");
  expect(one).toMatch(/^[\w -]+\|[\w-]+$/);
  expect(one).not.toMatch(/bee|keep|honey/i);
  expect(hashesBy("another key")).not.toBe(one);
});
