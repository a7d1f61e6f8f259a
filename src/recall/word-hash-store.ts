import type { Db } from "../db/open.ts";
import { type WordKey, wordHasher } from "./word-hasher.ts";

/** About 1 ms: a slice between two messages of chat. */
const SLICE_NOTES = 25;

/** Three ranges, each found by index: "not equal" would read all of it. */
const BY_OTHERS = ["hashed_by IS NULL", "hashed_by < :number", "hashed_by > :number"];

interface Unhashed {
  readonly id: number;
  readonly words: string;
  readonly topics: string;
}

/**
 * Hashes the words of viewers' notes that are new, that were changed, or that were hashed with another key or in another way. A slice at
 * a time: how many it found, 0 when nothing is left.
 */
export function wordHashStore(db: Db, key: WordKey): { hashSlice(): number } {
  const hasher = wordHasher(key);
  const unhashed = db.prepare<{ number: number; limit: number }, Unhashed>(
    `${BY_OTHERS.map((where) => `SELECT id, words, topics FROM semantic_notes WHERE scope = 'viewer' AND ${where}`).join(" UNION ALL ")}
     LIMIT :limit`,
  );
  const write = db.prepare<[string, number, number]>(
    "UPDATE semantic_notes SET word_hashes = ?, hashed_by = ? WHERE id = ?",
  );
  const hashSlice = db.transaction((): number => {
    const found = unhashed.all({ number: hasher.number, limit: SLICE_NOTES });
    for (const { id, words, topics } of found) {
      write.run(hasher.ofNote(words, topics), hasher.number, id);
    }
    return found.length;
  });
  return { hashSlice };
}
