import { expect } from "vitest";
import { identityStore } from "../../../src/chat/identity-store.ts";
import { keyedHash } from "../../../src/language/keyed-hash.ts";
import {
  type RecallParts,
  type RecallStore,
  recallStore,
} from "../../../src/memory/recall/recall-store.ts";
import { wordHashStore } from "../../../src/memory/recall/word-hash-store.ts";
import { wordHasher } from "../../../src/memory/recall/word-hasher.ts";
import { toConfig } from "../../../src/platform/config/load.ts";
import { openDatabase } from "../../../src/platform/database/open-database.ts";
import { addNote, asking, NOW_MS, type NoteSeed } from "./memories.ts";

/** Viewer 7's notes, as a store ranks them: with their words hashed before or not, it has to come to the same. */
export function loreWorld(notes: readonly NoteSeed[], file: object = {}, parts: RecallParts = {}) {
  const db = openDatabase(":memory:");
  for (const note of notes) addNote(db, { scope: "viewer", subjectId: "7", ...note });
  const { memory } = toConfig({ channel: "here", ...file }, ".");
  const { accountsOf } = identityStore(db, () => NOW_MS);
  const common = { settings: () => memory, accountsOf, ...parts };
  const unhashed = recallStore(db, common);
  const hasher = wordHasher(keyedHash("a key for tests"));
  const hashed = recallStore(db, { ...common, hasher });
  const { hashSlice } = wordHashStore(db, hasher);
  const recall: RecallStore = {
    ...unhashed,
    lore: (asked) => {
      const notes = unhashed.lore(asked);
      while (hashSlice() > 0);
      expect(hashed.lore(asked)).toEqual(notes);
      return notes;
    },
  };
  const lore = (message: string, more: Parameters<typeof asking>[1] = {}): number[] =>
    recall.lore(asking(message, more)).map(({ id }) => id);
  return { db, recall, lore, memory };
}

/** Notes 100, 101 …, all of one kind and of today. */
export function others(count: number, fact: string): NoteSeed[] {
  return Array.from({ length: count }, (_, n) => ({ id: 100 + n, fact, kind: "event" }));
}
