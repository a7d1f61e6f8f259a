import { expect, onTestFinished, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openEpisodeStore, openSessionStore } from "../../src/memory/episode-store.ts";
import { EpisodeReview } from "../../src/memory/episode-texts-store.ts";
import { NoteReader } from "../../src/memory/note-reads-store.ts";
import { NoteStore } from "../../src/memory/note-store.ts";
import { openRemovalStore, prepareNoteForget } from "../../src/memory/removal-store.ts";

/** Tables that only grow, or that a busy day fills: no statement may read one from end to end. */
const LARGE =
  /^(e|events|episodes|p|v|viewers|c|viewer_channels|semantic_notes|n|note_evidence|episode_claims|episode_participants|note_candidates)$/;

/** Partial indexes of the few episodes that wait for the streamer. */
const FEW = /USING INDEX episodes_(failed|unproven)$/;

function database(): Db {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  return db;
}

const OWNER = { channel: "x", subjectId: "1", persona: null };
/** Arguments of methods. Which are wrong for a method does not matter: it prepares its statement first. */
const CALLS = [
  [1, "stale", 1],
  [1, [{}], 1],
  [OWNER, -1, 0],
  ["x", ["y"], 1],
];

/** Calls every method of a store, which prepares its statements. */
function callAll(store: object, ...prototypes: object[]): void {
  const names = prototypes.flatMap(Object.getOwnPropertyNames);
  for (const name of names.filter((one) => one !== "constructor"))
    for (const values of CALLS)
      try {
        Reflect.apply(Reflect.get(store, name), store, values);
      } catch {
        // Wrong values.
      }
}

/** Every statement that the stores of this room prepare. */
function statements(db: Db): string[] {
  const seen: string[] = [];
  const spied = new Proxy(db.prepare, {
    apply: (target, self, args: [string]) => {
      seen.push(args[0]);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(db, "prepare", { value: spied, configurable: true });
  openEpisodeStore(db, () => 0);
  callAll(new NoteStore(db, () => 0), NoteReader.prototype, NoteStore.prototype);
  prepareNoteForget(db, () => 0);
  openRemovalStore(db, () => 0);
  callAll(new EpisodeReview(db), EpisodeReview.prototype);
  openSessionStore(db);
  Reflect.deleteProperty(db, "prepare");
  // Statements that were written with a wrong argument are none of the store's.
  return seen.filter((sql) => !sql.includes("undefined"));
}

function plan(db: Db, sql: string): string[] {
  const literal = sql.replaceAll(/:\w+/g, "NULL");
  const unknowns = [...literal.matchAll(/\?/g)].map(() => null);
  return db
    .prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${literal}`)
    .all(...unknowns)
    .map(({ detail }) => detail);
}

function scansOfLarge(db: Db, sql: string): string[] {
  return plan(db, sql).filter(
    (step) => LARGE.test(/^SCAN (\S+)/.exec(step)?.[1] ?? "") && !FEW.test(step),
  );
}

test("no statement of memory reads events, episodes or notes from end to end, but for the list by number", () => {
  const db = database();
  const all = statements(db);
  expect(all.length).toBeGreaterThan(35);
  const scanning = all.filter((sql) => scansOfLarge(db, sql).length > 0);
  expect(scanning).toEqual([]);
});

test("no statement sorts a whole channel's people, episodes or notes to find a few", () => {
  const db = database();
  const wholeChannel =
    /^SEARCH \S+ USING (?:INDEX (?:episodes_by_channel|semantic_notes_\w+)|PRIMARY KEY|\S+ INDEX \S+) \(channel=\?\)/;
  const sorting = statements(db).filter((sql) => {
    const steps = plan(db, sql);
    return (
      steps.some((step) => wholeChannel.test(step)) &&
      steps.some((step) => step.includes("TEMP B-TREE"))
    );
  });
  expect(sorting).toEqual([]);
});
