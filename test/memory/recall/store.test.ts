import { expect, test } from "vitest";
import { openDatabase } from "../../../src/database/open-database.ts";
import { RecallStore } from "../../../src/memory/recall/recall-store.ts";
import {
  addChannel,
  addEpisode,
  addNote,
  asking,
  channelNoteIds,
  NOW_MS,
  type NoteSeed,
} from "./memories.ts";

test("only active notes of some confidence are recalled, and of this channel alone", () => {
  const { db, recall } = world([
    { id: 1 },
    { id: 2, scope: "bit", kind: "running_bit" },
    { id: 3, status: "shadow" },
    { id: 4, status: "pending" },
    { id: 5, status: "superseded" },
    { id: 6, confidence: 0.39 },
    { id: 7, confidence: 0.4 },
    { id: 8, channel: "there" },
    { id: 9, scope: "viewer", subjectId: "7" },
  ]);
  expect(channelNoteIds(recall, 20).sort()).toEqual([1, 7]);
  const bits = recall.channelNotes({ channel: "here", scope: "bit", nowMs: NOW_MS, limit: 20 });
  expect(ids(bits)).toEqual([2]);
  expect(ids(recall.lore(asking("")))).toEqual([9]);
  db.close();
});

test.each([
  ["confidence", { confidence: 0.6 }, { confidence: 0.8 }],
  ["age since the last confirmation", { ageDays: 7 }, { ageDays: 1 }],
  ["importance", { importance: 0 }, { importance: 0.2 }],
  ["kinds that do not age", { kind: "event", ageDays: 60 }, { kind: "profile", ageDays: 60 }],
  ["kinds that age slowly", { kind: "state", ageDays: 30 }, { kind: "preference", ageDays: 30 }],
] as const)("%s ranks notes", (_, worse: NoteSeed, better: NoteSeed) => {
  const { recall } = world([
    { id: 1, ...worse },
    { id: 2, ...better },
    { id: 3, ...worse },
  ]);
  expect(channelNoteIds(recall, 1)).toEqual([2]);
});

test("pinned channel notes are read, however many better ones there are", () => {
  const { recall } = world([
    { id: 1, confidence: 0.5, pinned: true },
    { id: 2, confidence: 0.9 },
    { id: 3, confidence: 0.8 },
    { id: 4, confidence: 0.7 },
  ]);
  expect(channelNoteIds(recall, 2)).toEqual([2, 3, 1]);
});

test("episodes come newest first, without gaps and without what is not summarised yet", () => {
  const { db, recall } = world([]);
  addEpisode(db, { endedAtMs: 10 });
  addEpisode(db, { endedAtMs: 30, stage: "extracted" });
  addEpisode(db, { endedAtMs: 20 });
  addEpisode(db, { endedAtMs: 40, kind: "gap", summary: "" });
  addEpisode(db, { endedAtMs: 50, stage: "claimed", summary: "" });
  addEpisode(db, { endedAtMs: 60, channel: "there" });
  expect(recall.episodes("here", 2).map(({ endedAtMs }) => endedAtMs)).toEqual([30, 20]);
});

test("the state is the channel's, with the last stream and the last recap", () => {
  const { db, recall } = world([]);
  expect(recall.state("here")).toMatchObject({
    title: "a title",
    isLive: null,
    sessionId: null,
    recap: null,
  });
  db.exec(`UPDATE channel_state SET is_live = 1, category = 'Chess';
    INSERT INTO stream_sessions (id, channel, started_at, recap) VALUES (3, 'here', 1, 'a good one'), (4, 'here', 2, NULL), (5, 'there', 3, 'x')`);
  expect(recall.state("here")).toMatchObject({
    category: "Chess",
    isLive: true,
    sessionId: 4,
    recap: "a good one",
  });
});

test("a channel's first row is a change: its version differs from that of no row", () => {
  const { db, recall } = world([]);
  const before = recall.prefixVersion("there");
  expect(recall.state("there").prefixVersion).toBe(before);
  addChannel(db, "there");
  expect(recall.prefixVersion("there")).not.toBe(before);
});

function world(notes: readonly NoteSeed[]) {
  const db = openDatabase(":memory:");
  addChannel(db);
  for (const note of notes) addNote(db, note);
  return { db, recall: new RecallStore(db) };
}

function ids(notes: readonly { readonly id: number }[]): number[] {
  return notes.map(({ id }) => id);
}

test("notes of the channel and the streamer's facts carry their day", () => {
  const { db, recall } = world([{ id: 1 }, { id: 2, scope: "viewer", subjectId: "7" }]);
  db.exec("UPDATE semantic_notes SET happens_on = '2026-05-01'");
  const [note] = recall.channelNotes({
    ...{ channel: "here", scope: "channel", nowMs: NOW_MS, limit: 1 },
  });
  const [own] = recall.aboutStreamer("here", "7", NOW_MS);
  expect([note?.happensOn, own?.happensOn]).toEqual(["2026-05-01", "2026-05-01"]);
});
