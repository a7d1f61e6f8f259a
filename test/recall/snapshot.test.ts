import { expect, test } from "vitest";
import { openDatabase } from "../../src/db/open.ts";
import { prefixSnapshots } from "../../src/recall/snapshot.ts";
import { recallStore } from "../../src/recall/store.ts";
import { addChannel, addEpisode, addNote, addViewer, DAY_MS, NOW_MS } from "./memories.ts";

test("the snapshot is the same object until the version or the pace changes, and not while time passes", () => {
  const { db, snapshot, at } = world();
  addNote(db, { id: 1 });
  const first = snapshot("here", "normal").snapshot;
  at(NOW_MS + 40 * DAY_MS);
  addNote(db, { id: 2, scope: "viewer", subjectId: "7" });
  expect(snapshot("here", "normal").snapshot).toBe(first);
  const faster = snapshot("here", "busy").snapshot;
  expect(faster).not.toBe(first);
  expect(snapshot("here", "busy").snapshot).toBe(faster);
  addNote(db, { id: 3 });
  const grown = snapshot("here", "busy").snapshot;
  expect(grown.notes.map(({ id }) => id)).toEqual([1, 3]);
  expect(grown.version).toBeGreaterThan(first.version);
});

test("each channel has its own", () => {
  const { db, snapshot } = world();
  addChannel(db, "there");
  addNote(db, { id: 1, channel: "there" });
  const here = snapshot("here", "normal").snapshot;
  expect(here.notes).toEqual([]);
  expect(snapshot("there", "normal").snapshot.notes).toHaveLength(1);
  expect(snapshot("here", "normal").snapshot).toBe(here);
});

test("the three best notes come first by id, then the others by id", () => {
  const { db, snapshot } = world();
  const confidences = [0.5, 0.9, 0.6, 0.8, 0.95];
  for (const [index, confidence] of confidences.entries())
    addNote(db, { id: index + 1, confidence });
  expect(snapshot("here", "normal").snapshot.notes.map(({ id }) => id)).toEqual([2, 4, 5, 1, 3]);
});

test("decay alone does not reshuffle the notes when the snapshot is taken anew", () => {
  const { db, snapshot, at } = world();
  for (const id of [1, 2, 3, 4, 5]) addNote(db, { id, ageDays: id, confidence: 0.9 });
  const before = snapshot("here", "normal").snapshot.notes.map(({ id }) => id);
  at(NOW_MS + 3 * DAY_MS);
  expect(snapshot("here", "busy").snapshot.notes.map(({ id }) => id)).toEqual(before);
});

test("the pace decides how many episodes there are, newest first", () => {
  const { db, snapshot } = world();
  for (const endedAtMs of [1, 2, 3, 4, 5, 6]) addEpisode(db, { endedAtMs });
  const ends = (pace: "quiet" | "raid") =>
    snapshot("here", pace).snapshot.episodes.map(({ endedAtMs }) => endedAtMs);
  expect(ends("quiet")).toEqual([6, 5, 4, 3]);
  expect(ends("raid")).toEqual([6, 5]);
});

test("people are named as they are called now, and one who is gone is someone", () => {
  const { db, snapshot } = world();
  addViewer(db, "7", "Ann");
  addNote(db, { fact: "{u:7} beat {u:8} at chess" });
  addEpisode(db, { endedAtMs: 1, summary: "{u:7} told a story." });
  expect(snapshot("here", "normal").snapshot.notes[0]?.fact).toBe("Ann beat someone at chess");
  db.exec("UPDATE viewers SET display_name = 'Anna' WHERE user_id = '7'");
  expect(snapshot("here", "normal").snapshot.episodes[0]?.summary).toBe("Anna told a story.");
  db.exec("DELETE FROM viewers WHERE user_id = '7'");
  expect(snapshot("here", "normal").snapshot.notes[0]?.fact).toBe("someone beat someone at chess");
});

test.each([
  ["a table is gone", (db: ReturnType<typeof openDatabase>) => db.exec("DROP TABLE channel_state")],
  ["the database is closed", (db: ReturnType<typeof openDatabase>) => db.close()],
])("when %s, the last snapshot serves, and says so", (_, breakIt) => {
  const { db, snapshot } = world();
  addNote(db, { id: 1 });
  const last = snapshot("here", "normal");
  expect(last.fresh).toBe(true);
  breakIt(db);
  expect(snapshot("here", "raid")).toEqual({ snapshot: last.snapshot, fresh: false });
  expect(() => snapshot("there", "normal")).toThrow();
});

test("a channel that gets its row later is read then", () => {
  const { db, snapshot } = world();
  expect(snapshot("there", "normal").snapshot.state.title).toBe("");
  addChannel(db, "there");
  expect(snapshot("there", "normal").snapshot.state.title).toBe("a title");
});

function world() {
  const db = openDatabase(":memory:");
  addChannel(db);
  let nowMs = NOW_MS;
  return {
    db,
    snapshot: prefixSnapshots(recallStore(db), () => nowMs),
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}
