import { expect, onTestFinished, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openEpisodeStore, openSessionStore } from "../../src/memory/episode-store.ts";
import { openEpisodeReview } from "../../src/memory/episode-texts-store.ts";
import { openNoteStore } from "../../src/memory/note-store.ts";
import { openRemovalStore, prepareNoteForget } from "../../src/memory/removal-store.ts";

/** Tables that only grow, or that a busy day fills: no statement may read one from end to end. */
const LARGE =
  /^(e|events|episodes|p|v|viewers|c|viewer_channels|semantic_notes|n|note_evidence|episode_claims|episode_participants|note_candidates)$/;

function database(): Db {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  return db;
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
  openNoteStore(db, () => 0);
  prepareNoteForget(db, () => 0);
  openRemovalStore(db, () => 0);
  openEpisodeReview(db);
  openSessionStore(db);
  Reflect.deleteProperty(db, "prepare");
  return seen;
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
  return plan(db, sql).filter((step) => LARGE.test(/^SCAN (\S+)/.exec(step)?.[1] ?? ""));
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
