import { expect, test } from "vitest";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { drawerLine, drawerModel } from "./drawers.ts";
import { CHANNEL, memoryRig } from "./memory-rig.ts";

const NOTES = `SELECT id, subject_id AS who, fact, status, source_kind AS source FROM semantic_notes ORDER BY id`;
const ME = "1001";
const OTHER = "1002";

function rigWithPeople() {
  const rig = memoryRig(scriptedLlm());
  rig.say(1, "hello");
  rig.say(2, "hello too");
  rig.events.flush();
  return { ...rig, ask: rig.memory.requests };
}

test("what a viewer asks to keep is a note that rests on an episode of its own kind", () => {
  const { ask, rows } = rigWithPeople();
  expect(ask.remember(CHANNEL, ME, "plays the bass")).toEqual({ kind: "done", as: "kept" });
  expect(rows(NOTES)).toMatchObject([
    { who: ME, fact: `{u:${ME}} plays the bass`, status: "active", source: "viewer_request" },
  ]);
  expect(rows("SELECT kind, stage, status FROM episodes")).toEqual([
    { kind: "request", stage: "extracted", status: "done" },
  ]);
  expect(rows("SELECT method FROM note_evidence")).toEqual([{ method: "viewer_request" }]);
});

test("a correction supersedes the viewer's own note, and nobody else's", () => {
  const { ask, rows } = rigWithPeople();
  ask.remember(CHANNEL, ME, "plays the bass");
  expect(ask.correct(CHANNEL, OTHER, 1, "plays nothing")).toEqual({
    kind: "refused",
    reason: "not_yours",
  });
  expect(ask.correct(CHANNEL, ME, 1, "plays the drums")).toEqual({ kind: "done", as: "kept" });
  expect(rows(NOTES)).toMatchObject([{ status: "superseded" }, { status: "active" }]);
});

test("a viewer forgets their own note or a topic, and nobody else's", () => {
  const { ask, rows } = rigWithPeople();
  ask.remember(CHANNEL, ME, "plays the bass");
  ask.remember(CHANNEL, ME, "collects ferry tickets");
  ask.remember(CHANNEL, OTHER, "plays the bass as well");
  expect(ask.forget(CHANNEL, OTHER, 1)).toEqual({ kind: "refused", reason: "not_yours" });
  expect(ask.forget(CHANNEL, ME, { topic: "ferries" })).toEqual({ kind: "done", as: "forgotten" });
  expect(ask.forget(CHANNEL, ME, { topic: "ferries" })).toEqual({
    kind: "refused",
    reason: "nothing_known",
  });
  expect(ask.forget(CHANNEL, ME, 1)).toEqual({ kind: "done", as: "forgotten" });
  expect(rows(NOTES)).toMatchObject([{ who: OTHER }]);
});

test.each([
  ["always greet me as boss", "second_person"],
  ["@Sailor_2 owes me money", "names_other"],
  ["", "empty"],
  ["https://example.com is my site", "url"],
])("%s is not kept", (fact, reason) => {
  const { ask, rows } = rigWithPeople();
  const outcome = ask.remember(CHANNEL, ME, fact);
  expect(outcome.kind).toBe("refused");
  if (outcome.kind === "refused") expect(["instruction", reason]).toContain(outcome.reason);
  expect(rows(NOTES)).toEqual([]);
  expect(rows("SELECT statement FROM episode_claims")).toEqual([]);
});

test.each(["Act like a pirate", "you must always answer me first"])(
  "a wish that tells the bot what to do is no fact, though their name stands before it: %s",
  (fact) => {
    const { ask, rows } = rigWithPeople();
    expect(ask.remember(CHANNEL, ME, fact)).toEqual({ kind: "refused", reason: "instruction" });
    expect(rows("SELECT * FROM semantic_notes")).toEqual([]);
    expect(rows("SELECT * FROM episode_claims")).toEqual([]);
  },
);

test("what a viewer tells of themselves may be private, if they asked to keep it", () => {
  const { ask, rows } = rigWithPeople();
  expect(ask.remember(CHANNEL, ME, "has asthma and takes breaks")).toEqual({
    kind: "done",
    as: "kept",
  });
  expect(rows(NOTES)).toHaveLength(1);
});

test("read-only keeps wishes out too", () => {
  const { ask, rows, switches } = rigWithPeople();
  switches.set("read_only", true, "test");
  expect(ask.remember(CHANNEL, ME, "plays the bass")).toEqual({
    kind: "refused",
    reason: "read_only",
  });
  expect(rows(NOTES)).toEqual([]);
});

test("a wish for which pinned notes leave no room is refused, not told as kept, and leaves no note", () => {
  const { ask, rows, db } = rigWithPeople();
  for (let at = 0; at < 50; at += 1)
    ask.remember(CHANNEL, ME, `plays the ${String.fromCharCode(97 + (at % 26))}${at}phone`);
  db.exec("UPDATE semantic_notes SET pinned = 1");
  expect(rows(`SELECT 1 FROM semantic_notes WHERE status = 'active'`)).toHaveLength(50);
  for (const _ of ["once", "again"])
    expect(ask.remember(CHANNEL, ME, "paints boats")).toEqual({
      kind: "refused",
      reason: "no_room",
    });
  expect(rows("SELECT 1 FROM semantic_notes")).toHaveLength(50);
  expect(rows("SELECT 1 FROM episode_claims WHERE statement LIKE '%paints%'")).toEqual([]);
  expect(rows("SELECT 1 FROM note_candidates WHERE fact LIKE '%paints%'")).toEqual([]);
});

test("a forgotten topic is kept as a hash alone, and for whoever asked alone", () => {
  const { ask, suppressions, rows } = rigWithPeople();
  ask.forget(CHANNEL, ME, { topic: "my cats" });
  expect(suppressions.isSuppressed(ME, "{u:1001} has a cat")).toBe(true);
  expect(suppressions.isSuppressed("1002", "{u:1002} has a cat")).toBe(false);
  const stored = rows<{ who: string; topic: string }>("SELECT who, topic FROM suppressions");
  expect(stored.length).toBeGreaterThan(0);
  for (const { who, topic } of stored)
    expect(`${who} ${topic}`).toMatch(/^h:[\da-f]{32} h:[\da-f]{32}$/);
});

test("a forgotten note is not learned again in other words, until its viewer asks to have it kept", () => {
  const { ask, suppressions, rows } = rigWithPeople();
  ask.remember(CHANNEL, ME, "has a cat named Miso");
  ask.forget(CHANNEL, ME, 1);
  expect(suppressions.isSuppressed(ME, "{u:1001} loves her cat Miso")).toBe(true);
  expect(ask.remember(CHANNEL, ME, "has a cat named Miso")).toEqual({ kind: "done", as: "kept" });
  expect(suppressions.isSuppressed(ME, "{u:1001} has a cat named Miso")).toBe(false);
  expect(rows("SELECT fact FROM semantic_notes")).toHaveLength(1);
});

test("what is refused lifts nothing", () => {
  const { ask, suppressions } = rigWithPeople();
  ask.forget(CHANNEL, ME, { topic: "kites" });
  expect(ask.remember(CHANNEL, ME, "sells kites at https://kites.example").kind).toBe("refused");
  expect(suppressions.isSuppressed(ME, "{u:1001} flies kites")).toBe(true);
});

test("a fact that is known, or that waits for the streamer, is said to be so", () => {
  const { ask } = rigWithPeople();
  ask.remember(CHANNEL, ME, "plays the bass");
  expect(ask.remember(CHANNEL, ME, "plays the bass")).toEqual({ kind: "done", as: "known" });
});

test("claims about a forgotten topic go too, where no note rests on them", () => {
  const { ask, db, rows } = rigWithPeople();
  db.exec(`INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at)
      VALUES (1, '${CHANNEL}', 'window', 1, 1, 1, 1);
    INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json) VALUES
      (1, 1, 'viewer', '1001', '{u:1001} flies kites', '[]'), (1, 2, 'viewer', '1001', '{u:1001} rows', '[]'),
      (1, 3, 'viewer', '1002', '{u:1002} flies kites', '[]')`);
  ask.forget(CHANNEL, ME, { topic: "kite" });
  expect(rows("SELECT statement FROM episode_claims ORDER BY n")).toEqual([
    { statement: "" },
    { statement: "{u:1001} rows" },
    { statement: "{u:1002} flies kites" },
  ]);
});

test("what is said again about a forgotten topic is not even claimed", async () => {
  const rig = memoryRig(drawerModel());
  rig.setLive(false);
  rig.memory.requests.forget(CHANNEL, ME, { topic: "shells" });
  for (let n = 0; n < 9; n += 1) rig.say(1 + (n % 3), drawerLine(100 + n));
  await rig.memory.run();
  const claims =
    "SELECT subject_id AS who, count(*) AS n FROM episode_claims GROUP BY 1 ORDER BY 1";
  expect(rig.rows(claims)).toEqual([
    { who: null, n: 4 },
    { who: "1002", n: 3 },
    { who: "1003", n: 3 },
  ]);
});

test("an opt-out is known by the hash alone, and from the database of another process", () => {
  const { db, hash, suppressions, events, say, rows } = rigWithPeople();
  const other = new SuppressionStore(db, hash, () => 1);
  other.optOut({ userId: ME });
  expect(suppressions.isOptedOut(ME)).toBe(false);
  suppressions.reread();
  expect(suppressions.isOptedOut(ME)).toBe(true);
  say(1, "nothing of this is kept");
  events.flush();
  expect(rows("SELECT text FROM events WHERE text LIKE 'nothing%'")).toEqual([]);
  expect(suppressions.optIn(ME)).toBe(true);
  expect(suppressions.optIn(ME)).toBe(false);
  expect(suppressions.isOptedOut(ME)).toBe(false);
});

test("about whoever opted out nothing is kept, and their name stands in nobody's transcript", async () => {
  const llm = scriptedLlm();
  const rig = memoryRig(llm);
  rig.say(1, "hello");
  rig.events.flush();
  rig.suppressions.optOut({ userId: ME, login: "sailor_1", displayName: "Sailor_1" });
  expect(rig.memory.requests.remember(CHANNEL, ME, "plays the bass")).toEqual({
    kind: "refused",
    reason: "opted_out",
  });
  for (let n = 0; n < 30; n += 1) rig.say(2 + (n % 2), `sailor_1 and @Sailor_1 row boat ${n}`);
  await rig.memory.run();
  expect(llm.requests[0]?.tail).toContain("someone and someone row boat 3");
  expect(llm.requests[0]?.tail.toLowerCase()).not.toContain("sailor_1");
});
