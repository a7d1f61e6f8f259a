import { wordHasher } from "../../src/recall/word-hasher.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";

export const HASHER = wordHasher(keyedHash("a key for tests"));
/** A note about viewer 7. */
export const BEES = {
  id: 1,
  scope: "viewer",
  subjectId: "7",
  fact: "keeps bees",
  topics: "Honey",
} as const;
