import { expect, onTestFinished, test } from "vitest";
import { EventLookups, EventReads } from "../../src/chat/event-reads-store.ts";
import { EventStore } from "../../src/chat/event-store.ts";
import { openViewerStore } from "../../src/chat/viewer-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import {
  EpisodeLookups,
  EpisodeStore,
  ExtractionStore,
  RecapStore,
} from "../../src/memory/episode-store.ts";
import { ClaimStore, EpisodeReview } from "../../src/memory/episode-texts-store.ts";
import { NoteReader } from "../../src/memory/note-reads-store.ts";
import { NoteStore } from "../../src/memory/note-store.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { RemovalStore } from "../../src/memory/removal-store.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { asking } from "../memory/recall/memories.ts";

/** Tables and their aliases that only grow, or that a busy day fills. */
const LARGE =
  /^(e|events|episodes|p|v|viewers|c|viewer_channels|semantic_notes|n|note_evidence|episode_claims|episode_participants|note_candidates|replies|r)$/;
/** Partial indexes: a day's replies with their texts, and the few episodes that wait for the streamer. */
const FEW = / USING INDEX (?:replies_with_text|episodes_failed|episodes_unproven)$/;

/** Each start reads the exchanges of the last minutes once. */
const AT_A_START = "state IN ('sent', 'shadow', 'unknown')";

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

/** Lists the statements that the stores of chat, memory and replies prepare, with how SQLite executes each. */
function statements(): { readonly sql: string; readonly plan: readonly string[] }[] {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  const seen = new Set<string>();
  const spied = new Proxy(db.prepare, {
    apply: (target, self, args: [string]) => {
      seen.add(args[0]);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(db, "prepare", { value: spied, configurable: true });
  const now = () => 0;
  const events = new EventStore(db, { now, expiryMs: 1 });
  openViewerStore(db, events.flush);
  callAll(new EventReads(db), EventReads.prototype);
  callAll(new EventLookups(db), EventLookups.prototype);
  events.remove({ by: "person", channel: "x", userId: "1", login: "" });
  events.remove({ by: "message", messageId: "1" });
  events.retention.capExpiryTimes(0, 1);
  events.retention.expireTexts(0, 1);
  events.retention.pruneOldest(0, 1);
  callAll(new EpisodeStore(db, now), EpisodeStore.prototype);
  callAll(new ExtractionStore(db, now), ExtractionStore.prototype);
  callAll(new EpisodeLookups(db), EpisodeLookups.prototype);
  callAll(new NoteStore(db, now), NoteReader.prototype, NoteStore.prototype);
  callAll(new RemovalStore(db, now), RemovalStore.prototype);
  callAll(new ClaimStore(db, now), ClaimStore.prototype);
  callAll(new EpisodeReview(db), EpisodeReview.prototype);
  callAll(new RecapStore(db, now), RecapStore.prototype);
  const recall = new RecallStore(db, { accountsOf: (id) => (id === "2" ? ["2", "3"] : [id]) });
  for (const userId of ["1", "2"]) recall.lore(asking("hello", { userId }));
  callAll(new ReplyStore(db, now), ReplyStore.prototype);
  Reflect.deleteProperty(db, "prepare");
  // Statements that were written with a wrong argument are none of the store's.
  const written = [...seen].filter((sql) => !sql.includes("undefined"));
  return written.map((sql) => ({ sql, plan: explain(db, sql) }));
}

function explain(db: Db, sql: string): string[] {
  const literal = sql.replaceAll(/[:@$][a-z]\w*/gi, "NULL");
  const unknowns = [...literal.matchAll(/\?/g)].map(() => null);
  return db
    .prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${literal}`)
    .all(...unknowns)
    .map(({ detail }) => detail);
}

test("no statement reads chat, viewers, episodes, notes or replies from end to end", () => {
  const all = statements();
  expect(all.length).toBeGreaterThan(80);
  const scanning = all.filter(
    ({ sql, plan }) =>
      !sql.includes(AT_A_START) &&
      plan.some((step) => LARGE.test(/^SCAN (\S+)/.exec(step)?.[1] ?? "") && !FEW.test(step)),
  );
  expect(scanning).toEqual([]);
});

test("no statement sorts a whole channel's viewers, episodes or notes to find a few", () => {
  const wholeChannel =
    /^SEARCH \S+ USING (?:INDEX (?:episodes_by_channel|semantic_notes_\w+)|PRIMARY KEY|\S+ INDEX \S+) \(channel=\?\)/;
  const sorting = statements().filter(
    ({ plan }) =>
      plan.some((step) => wholeChannel.test(step)) &&
      plan.some((step) => step.includes("TEMP B-TREE")),
  );
  expect(sorting).toEqual([]);
});

test("one viewer's messages and the bot's own are found by an index of their own", () => {
  const events = statements().filter(({ sql }) => /(?:UPDATE|FROM) events/.test(sql));
  const ofViewer = events.filter(({ sql }) => sql.includes("user_id = ?"));
  const ofBot = events.filter(({ sql }) => /^SELECT e\.id.*e\.kind = 'bot'/s.test(sql));
  expect([ofViewer.length, ofBot.length]).toEqual([4, 1]);
  for (const { plan } of ofViewer) expect(plan.join()).toContain("INDEX events_by_user");
  for (const { plan } of ofBot) expect(plan.join()).toContain("INDEX events_own");
});
