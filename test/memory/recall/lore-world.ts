import { IdentityStore } from "../../../src/chat/viewer-store.ts";
import { toConfig } from "../../../src/config/load.ts";
import { openDatabase } from "../../../src/database/open-database.ts";
import { type RecallParts, RecallStore } from "../../../src/memory/recall/recall-store.ts";
import { addNote, asking, NOW_MS, type NoteSeed } from "./memories.ts";

/** Viewer 7's notes, as a store ranks them. */
export function loreWorld(notes: readonly NoteSeed[], file: object = {}, parts: RecallParts = {}) {
  const db = openDatabase(":memory:");
  for (const note of notes) addNote(db, { scope: "viewer", subjectId: "7", ...note });
  const { memory } = toConfig({ channel: "here", ...file }, ".");
  const { accountsOf } = new IdentityStore(db, () => NOW_MS);
  const recall = new RecallStore(db, { settings: () => memory, accountsOf, ...parts });
  const lore = (message: string, more: Parameters<typeof asking>[1] = {}): number[] =>
    recall.lore(asking(message, more)).map(({ id }) => id);
  return { db, recall, lore, memory };
}

/** Notes 100, 101 …, all of one kind and of today, each with a word of its own: none repeats another. */
export function others(count: number, fact: string): NoteSeed[] {
  return Array.from({ length: count }, (_, n) => ({
    id: 100 + n,
    fact: `${fact} n${n}`,
    kind: "event",
  }));
}
