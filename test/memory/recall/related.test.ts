import { expect, test } from "vitest";
import { listKnownMoments } from "../../../src/memory/recall/moments.ts";
import { readQuery } from "../../../src/memory/recall/query.ts";
import {
  findOldLines,
  findRelated,
  indexKnown,
  type KnownItem,
} from "../../../src/memory/recall/related.ts";

const query = (message: string, category = "", recent: readonly string[] = []) =>
  readQuery({
    ...{ message: { text: message }, category, others: [] },
    recent: recent.map((text) => ({ text })),
  });

const item = (kind: KnownItem["kind"], id: number, text: string): KnownItem => ({
  ...{ kind, id, text, words: text.toLowerCase().split(" "), atMs: id },
});

const ITEMS = [
  item("channel", 1, "lamp croaked once"),
  item("channel", 2, "desk is green"),
  item("bit", 3, "lamp honk"),
  item("episode", 4, "lamp broke"),
  item("episode", 5, "lamp again"),
  item("channel", 6, "chess night"),
];
const found = (...asked: Parameters<typeof query>) =>
  findRelated(indexKnown(ITEMS), [], query(...asked)).map(({ id }) => id);

test("what shares a word with the message is related, with one sentence of an older stream", () => {
  expect(found("what about the lamp?").sort()).toEqual([1, 3, 5]);
  expect(found("what about the weather?")).toEqual([]);
});

test("the category calls for channel notes, and the thread for anything", () => {
  expect(found("hm", "Chess")).toEqual([6]);
  expect(found("hm", "Lamp")).toEqual([1]);
  expect(found("hm", "", ["the desk"])).toEqual([2]);
});

test("a rare word counts more than a common one", () => {
  const items = [1, 2, 3, 4, 5].map((id) =>
    item("channel", id, id === 4 ? "lamp croaked" : "lamp"),
  );
  expect(findRelated(indexKnown(items), [], query("has the lamp croaked"))[0]?.id).toBe(4);
});

test("older messages are shown if they share a rare word, three at most", () => {
  const lines = ["rod one", "the rod", "trout here", "trout rod", "trout rod", "rod"].map(
    (text, id) => ({ id, text }),
  );
  const ids = (message: string) => findOldLines(lines, query(message)).map(({ id }) => id);
  expect(ids("which trout was it?")).toEqual([2, 3, 4]);
  // Too short to be rare.
  expect(ids("which rod was it?")).toEqual([]);
});

test("moments are found by kind and name, without bits, and without viewers who are gone", () => {
  const moments = (["raid", "resub", "cheer", "announcement"] as const).map((kind, at) => ({
    ...{ id: at + 1, kind, userId: String(at), amount: 40, atMs: at },
  }));
  const items = listKnownMoments(moments, (id) => ["Bo", "Cleo", "Dee", "Eli"][Number(id)] ?? null);
  expect(items.map(({ text }) => text)).toEqual([
    "Bo raided with 40 viewers",
    "Cleo subscribed for 40 months",
    "Dee cheered",
  ]);
  const ids = (message: string) =>
    findRelated(indexKnown(items), [], query(message)).map(({ id }) => id);
  expect([ids("who raided us?"), ids("what did cleo do"), ids("any bits?")]).toEqual([
    [1],
    [2],
    [3],
  ]);
  expect(listKnownMoments(moments, () => null)).toEqual([]);
});

test("moments are asked for in other languages too, and not by a bit of anything", () => {
  const moments = (["raid", "mystery_gift", "sub", "cheer"] as const).map((kind, at) => ({
    ...{ id: at + 1, kind, userId: String(at), amount: 4, atMs: at },
  }));
  const items = listKnownMoments(moments, () => "Bo");
  const ids = (message: string) =>
    findRelated(indexKnown(items), [], query(message)).map(({ id }) => id);
  const raids = ["wer hat uns geraidet?", "¿quién nos raideó ayer?", "qui nous a raidé ?"];
  expect([...raids, "quem raidou a gente?"].map(ids)).toEqual([[1], [1], [1], [1]]);
  expect(ids("wer hat gestern abos verschenkt?")).toContain(2);
  expect(ids("¿quién se suscribió?")).toContain(3);
  expect(ids("i need a bit of advice")).toEqual([]);
});
