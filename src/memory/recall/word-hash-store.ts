import { isBusy } from "../../platform/database/busy.ts";
import type { Db } from "../../platform/database/open-database.ts";
import type { WordHasher } from "./word-hasher.ts";

/** Far below 5 ms, also where their pages have to be read first. */
const SLICE_NOTES = 10;

/** Three ranges, each found by index: "not equal" would read all of it. */
const BY_OTHERS = ["hashed_by IS NULL", "hashed_by < :number", "hashed_by > :number"];

interface Unhashed {
  readonly id: number;
  readonly words: string;
  readonly topics: string;
}

/**
 * Hashes the words of viewers' notes that are new, that were changed, or that were hashed with another key or in
 * another way. A slice at a time: how many it found, 0 when nothing is left, or where another process has the database.
 */
export function wordHashStore(db: Db, hasher: WordHasher): { hashSlice(): number } {
  const unhashed = db.prepare<{ number: number; limit: number }, Unhashed>(
    `${BY_OTHERS.map((where) => `SELECT id, words, topics FROM semantic_notes WHERE scope = 'viewer' AND ${where}`).join(" UNION ALL ")}
     LIMIT :limit`,
  );
  const write = db.prepare<[string, number, number]>(
    "UPDATE semantic_notes SET word_hashes = ?, hashed_by = ? WHERE id = ?",
  );
  const found = (limit: number): Unhashed[] => unhashed.all({ number: hasher.number, limit });
  const slice = db.transaction((): number => {
    const notes = found(SLICE_NOTES);
    for (const { id, words, topics } of notes) {
      write.run(hasher.ofNote(words, topics), hasher.number, id);
    }
    return notes.length;
  });
  return {
    hashSlice: () => {
      try {
        return found(1).length === 0 ? 0 : slice.immediate();
      } catch (cause) {
        if (isBusy(cause)) return 0;
        throw cause;
      }
    },
  };
}
