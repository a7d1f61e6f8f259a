import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../../../src/database/open-database.ts";
import { makeFence } from "../../../src/language/fence.ts";
import { RecallStore } from "../../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../../src/memory/recall/snapshot.ts";
import { renderPrompt } from "../../../src/reply/prompt/ladder.ts";
import { makePrefixSections } from "../../../src/reply/prompt/sections.ts";
import { addViewer } from "../../stand-ins/rows.ts";
import { addChannel, addEpisode, addNote, DAY_MS, NOW_MS } from "./memories.ts";

test("the snapshot is the same object until the version changes, and not while time passes", () => {
  const { db, snapshot, at } = world();
  addNote(db, { id: 1 });
  const first = snapshot("here").snapshot;
  at(NOW_MS + 40 * DAY_MS);
  addNote(db, { id: 2, scope: "viewer", subjectId: "7" });
  expect(snapshot("here").snapshot).toBe(first);
  addNote(db, { id: 3 });
  const grown = snapshot("here").snapshot;
  expect(grown.notes.map(({ id }) => id)).toEqual([1, 3]);
  expect(grown.version).toBeGreaterThan(first.version);
});

test("the three best notes come first by id, then the others by id", () => {
  const { db, snapshot } = world();
  const confidences = [0.5, 0.9, 0.6, 0.8, 0.95];
  for (const [index, confidence] of confidences.entries())
    addNote(db, { id: index + 1, confidence });
  expect(snapshot("here").snapshot.notes.map(({ id }) => id)).toEqual([2, 4, 5]);
});

test("the three newest episodes stand in it, and the next ones are weighed", () => {
  const { db, snapshot } = world();
  for (const endedAtMs of [1, 2, 3, 4, 5, 6, 7]) addEpisode(db, { endedAtMs });
  const { episodes, weighed } = snapshot("here").snapshot;
  expect(episodes.map(({ endedAtMs }) => endedAtMs)).toEqual([7, 6, 5]);
  expect(weighed.episodes.map(({ endedAtMs }) => endedAtMs)).toEqual([7, 6, 5, 4, 3, 2]);
});

test("the prefix has three channel notes and two jokes; all others are known", () => {
  const { db, snapshot } = world();
  for (const id of [1, 2, 3, 4, 5, 6]) addNote(db, { id, confidence: 0.95 });
  for (const id of [11, 12, 13]) addNote(db, { id, scope: "bit", confidence: 0.5 });
  const { notes, known } = snapshot("here").snapshot;
  expect(notes.map(({ id }) => id)).toEqual([4, 5, 6, 12, 13]);
  expect(known.items.map(({ kind, id }) => [kind, id])).toEqual([
    ["channel", 3],
    ["channel", 2],
    ["channel", 1],
    ["bit", 11],
  ]);
});

test("a note that ran out leaves the prefix at once, whether or not a sweep came by", () => {
  const { db, snapshot, at } = world();
  addNote(db, { id: 1 });
  addNote(db, { id: 2 });
  db.prepare("UPDATE semantic_notes SET expires_at = ? WHERE id = 2").run(NOW_MS + DAY_MS);
  db.exec("UPDATE channel_state SET prefix_version = prefix_version + 1");
  expect(snapshot("here").snapshot.notes.map(({ id }) => id)).toEqual([1, 2]);
  at(NOW_MS + DAY_MS);
  expect(snapshot("here").snapshot.notes.map(({ id }) => id)).toEqual([1]);
});

test("people are named as they are called now, and one who is gone is someone", () => {
  const { db, snapshot } = world();
  addViewer(db, "7", "Ann");
  addNote(db, { fact: "{u:7} beat {u:8} at chess", topics: "chess,{u:7},{u:8}" });
  addEpisode(db, { endedAtMs: 1, summary: "{u:7} told a story." });
  db.exec("UPDATE episodes SET topic = '{u:7} and {u:8}'");
  db.exec(
    "INSERT INTO stream_sessions (channel, started_at, ended_at, recap) VALUES ('here', 1, 2, '{u:7} won.')",
  );
  const [note] = snapshot("here").snapshot.notes;
  expect(note).toMatchObject({ fact: "Ann beat someone at chess", topics: "chess,Ann,someone" });
  db.exec("UPDATE viewers SET display_name = 'Anna' WHERE user_id = '7'");
  const renamed = snapshot("here").snapshot;
  const [episode] = renamed.episodes;
  expect([episode?.summary, episode?.topic, renamed.state.recap]).toEqual([
    "Anna told a story.",
    "Anna and someone",
    "Anna won.",
  ]);
  db.exec("DELETE FROM viewers WHERE user_id = '7'");
  expect(snapshot("here").snapshot.notes[0]?.fact).toBe("someone beat someone at chess");
});

test.each([
  ["a table is gone", (db: ReturnType<typeof openDatabase>) => db.exec("DROP TABLE channel_state")],
  ["the database is closed", (db: ReturnType<typeof openDatabase>) => db.close()],
])("when %s, the last snapshot serves, and says so", (_, breakIt) => {
  const { db, snapshot } = world();
  addNote(db, { id: 1 });
  const last = snapshot("here");
  expect(last.fresh).toBe(true);
  breakIt(db);
  expect(snapshot("here")).toEqual({ snapshot: last.snapshot, fresh: false });
  expect(() => snapshot("there")).toThrow();
});

/** What may happen between two replies: each of these changes the bytes of the prefix. */
const CHANGES = {
  "a channel note":
    "INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at, pinned) VALUES ('here', 'channel', 'event', 'one more', 1, 'active', 'extracted', 1, 1, 1)",
  "notes reworded": "UPDATE semantic_notes SET fact = fact || '!' WHERE scope <> 'viewer'",
  "an episode":
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, topic, summary, stage, created_at) SELECT 'here', 'window', 25, 1, count(*), 't', 's' || count(*), 'summarised', 1 FROM episodes",
  "a title": "UPDATE channel_state SET title = title || '!'",
};
/** This one where it moves a note to another place. */
const MAYBE_CHANGES = {
  "a note confirmed":
    "UPDATE semantic_notes SET last_confirmed_at = last_confirmed_at + 1000000000 WHERE id = 1",
};
const NO_CHANGES = {
  "a viewer's note":
    "INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at) VALUES ('here', 'viewer', '7', 'event', 'one more', 0.9, 'active', 'extracted', 1, 1)",
  use: "UPDATE semantic_notes SET last_used_at = 5, use_count = use_count + 1",
  "the same title": "UPDATE channel_state SET title = title, refreshed_at = 5",
  "an episode begun":
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, created_at) VALUES ('here', 'window', 25, 1, 2, 'claimed', 1)",
  "a note that waits":
    "INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at) VALUES ('here', 'channel', 'event', 'one more', 1, 'pending', 'extracted', 1, 1)",
  "a note that waits confirmed":
    "UPDATE semantic_notes SET last_confirmed_at = last_confirmed_at + 1000000000 WHERE status = 'pending'",
  "a gap":
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, created_at) VALUES ('here', 'gap', 25, 1, 2, 'extracted', 1)",
  chat: "INSERT INTO events (channel, kind, user_id, text, created_at, expires_at) VALUES ('here', 'message', '7', 'hm', 1, 2)",
};
const SQL: Readonly<Record<string, string>> = { ...CHANGES, ...MAYBE_CHANGES, ...NO_CHANGES };

test("whatever happens, the prefix changes only when memory or state do, and time alone never moves it", () => {
  const happening = fc.constantFrom(...Object.keys(SQL));
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 25 }), (happenings) => {
      const { db, snapshot, at } = world();
      for (const id of [1, 2, 3, 4, 5, 6]) addNote(db, { id, ageDays: id * 3 });
      const read = () => {
        const { snapshot: taken } = snapshot("here");
        const sections = makePrefixSections({ name: "M", voice: "V." }, taken, FENCE);
        return renderPrompt(sections, [], 100_000).prefix;
      };
      let last = read();
      for (const [n, what] of happenings.entries()) {
        at(NOW_MS + (n + 1) * DAY_MS);
        db.exec(SQL[what] ?? "");
        const now = read();
        expect(mayBecome(what)).toContain(now === last ? "the same" : "another");
        last = now;
      }
      db.close();
    }),
    { numRuns: 40 },
  );
});

function mayBecome(what: string): readonly string[] {
  if (what in CHANGES) return ["another"];
  return what in MAYBE_CHANGES ? ["the same", "another"] : ["the same"];
}

const FENCE = makeFence("0123456789ab");

function world() {
  const db = openDatabase(":memory:");
  addChannel(db);
  let nowMs = NOW_MS;
  return {
    db,
    snapshot: createPrefixSnapshots(new RecallStore(db), () => nowMs),
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}
