import { keyedHash } from "../../../src/language/keyed-hash.ts";
import { wordHasher } from "../../../src/memory/recall/word-hasher.ts";

export const HASHER = wordHasher(keyedHash("a key for tests"));
/** A note about viewer 7. */
export const BEES = {
  id: 1,
  scope: "viewer",
  subjectId: "7",
  fact: "keeps bees",
  topics: "Honey",
} as const;
