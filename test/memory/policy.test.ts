import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { countNoteOutcomes, readRecordedCandidates } from "../../src/memory/candidate-store.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import {
  getPolicy,
  listPolicyChanges,
  PolicyHistory,
  restorePolicy,
} from "../../src/memory/memory-policy-store.ts";
import { getNoteSettings } from "../../src/memory/note-settings.ts";
import { NoteWriter } from "../../src/memory/note-writer.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { CANDIDATE } from "./judge.ts";
import { CHANNEL, memoryRig, summaryJson } from "./memory-rig.ts";

const NOW_MS = 5_000;
const NOTES = `SELECT id, persona, fact, status, superseded_by AS "by" FROM semantic_notes ORDER BY id`;
const CANDIDATES =
  "SELECT fact, decision, reason, offer_json AS offer FROM note_candidates ORDER BY id";

interface CandidateRow {
  readonly fact: string | null;
  readonly decision: string;
  readonly reason: string;
  readonly offer: string | null;
}

/** A writer over an empty memory, by a configuration that may be changed under it. */
function openScriptorium(keys: Readonly<Record<string, unknown>> = {}) {
  const db = openDatabase(":memory:");
  let config = toConfig({ channel: ["c", "night"], ...keys }, ".");
  const writer = new NoteWriter({
    db,
    settings: (channel) => getNoteSettings(config, channel),
    readOnly: () => false,
    isBanned: (text) => text.includes("flumph"),
    suppressions: { isOptedOut: () => false, isSuppressed: () => false },
    now: () => NOW_MS,
  });
  const episode = db.prepare(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at) VALUES (?, 'window', 1, 1, 1, 1)`,
  );
  const offer = (fact: string, more: Partial<Candidate> = {}, channel = "c") => {
    const episodeId = Number(episode.run(channel).lastInsertRowid);
    const origin = {
      ...{ channel, sessionId: null, saidAtMs: 1, model: "m-1", promptVersion: "v" },
      freshNoteIds: new Set<number>(),
    };
    return writer.write(
      { ...CANDIDATE, fact: `{u:1} ${fact}`, topics: [], claims: [{ episodeId, n: 1 }], ...more },
      origin,
    );
  };
  return {
    db,
    offer,
    configure: (next: Readonly<Record<string, unknown>>) => {
      config = toConfig({ channel: ["c", "night"], ...next }, ".");
    },
    notes: () => db.prepare(NOTES).all(),
    candidates: () => db.prepare<[], CandidateRow>(CANDIDATES).all(),
  };
}

test("what was offered can be read back as it was, but for what must not be told", () => {
  const { offer, candidates, db } = openScriptorium();
  const more = { topics: ["games"], relation: "adds", noteId: 9, lifetime: "7d" } as const;
  offer("plays Valorant", more);
  offer("has a flumph");
  offer("owes the bank 4000 dollars", { sensitive: true, topics: ["debt"] });
  const rows = candidates();
  expect(readRecordedCandidates(db, 9).at(-1)?.candidate).toEqual({
    ...CANDIDATE,
    ...more,
    fact: "{u:1} plays Valorant",
  });
  expect(rows[0]?.offer).not.toContain("Valorant");
  expect(rows.slice(1)).toMatchObject([
    { reason: "banned", fact: null, offer: null },
    { reason: "sensitive", fact: null, offer: null },
  ]);
});

test("an offer goes with its fact, whoever takes that away", () => {
  const { offer, candidates, db } = openScriptorium();
  offer("plays Valorant", { topics: ["games"] });
  db.exec("UPDATE note_candidates SET fact = NULL");
  expect(candidates()).toMatchObject([{ fact: null, offer: null, decision: "write" }]);
});

test("what made room is counted, and so is each drop by its reason", () => {
  const { offer, db } = openScriptorium({ memory: { caps: { viewerNotes: 2 } } });
  offer("plays chess", { importance: "low" });
  offer("keeps bees");
  offer("paints miniatures");
  offer("paints miniatures");
  offer("has a flumph");
  expect(countNoteOutcomes(db, () => NOW_MS, 0)).toEqual({
    made: 3,
    confirmed: 1,
    superseded: 0,
    evicted: 1,
    dropped: 1,
    droppedByReason: { banned: 1 },
    waiting: 0,
  });
  expect(countNoteOutcomes(db, () => NOW_MS, NOW_MS).made).toBe(0);
});

test("a persona with notes of its own adds to the shared ones, and nobody else sees its", () => {
  const personas = [{ name: "Vesper", voice: "Grand.", channels: ["night"], memory: "persona" }];
  const { offer, notes, configure } = openScriptorium();
  const inNight = (fact: string) => offer(fact, {}, "night");
  inNight("plays chess");
  configure({ personas });
  inNight("keeps bees");
  expect(inNight("plays chess").verdict).toMatchObject({ kind: "confirm", noteId: 1 });
  expect(inNight("keeps bees").verdict).toMatchObject({ kind: "confirm", noteId: 2 });
  expect(offer("keeps bees").verdict).toMatchObject({ kind: "write" });
  configure({});
  expect(inNight("keeps bees").verdict).toMatchObject({ kind: "write" });
  expect(notes()).toMatchObject([
    { persona: null, fact: "{u:1} plays chess" },
    { persona: "Vesper", fact: "{u:1} keeps bees" },
    { persona: null, fact: "{u:1} keeps bees" },
    { persona: null, fact: "{u:1} keeps bees" },
  ]);
});

test("a persona's own note takes the place of a shared one that it contradicts", () => {
  const personas = [{ name: "Vesper", voice: "Grand.", channels: ["night"], memory: "persona" }];
  const { offer, notes, configure } = openScriptorium();
  const home = (value: string) =>
    ({ kind: "profile", property: { name: "home", value, game: null } }) as const;
  offer("lives in Oslo", home("Oslo"), "night");
  configure({ personas });
  offer("lives in Bergen", home("Bergen"), "night");
  expect(notes()).toMatchObject([
    { persona: null, status: "superseded", by: 2 },
    { persona: "Vesper", status: "active" },
  ]);
});

test("history holds each policy once in a row, with its source", () => {
  const db = openDatabase(":memory:");
  const history = new PolicyHistory(db, () => NOW_MS);
  const policy = (memory: unknown) => getPolicy(toConfig({ channel: "c", memory }, "."));
  expect(history.record(policy({}), "start")).toBe(1);
  expect(history.record(policy({}), "reload")).toBe(1);
  expect(history.record(policy({ mode: "manual" }), "reload")).toBe(2);
  expect(history.record(policy({}), "rollback")).toBe(3);
  expect(history.list(2).map(({ number, source }) => [number, source])).toEqual([
    [3, "rollback"],
    [2, "reload"],
  ]);
  expect(listPolicyChanges(history.find(2)?.policy, history.find(3)?.policy)).toEqual([
    { key: "memory.mode", from: "manual", to: "auto" },
  ]);
});

test("a rollback writes the known keys that differ, and no other", () => {
  const policy = (keys: object) => getPolicy(toConfig({ channel: "c", ...keys }, "."));
  const raw = {
    memory: { mode: "manual", caps: { viewerNotes: 9, channelNotes: 9 } },
    actions: { classes: { chat: "live" }, limits: { clip: { perHour: 1 }, poll: { perHour: 1 } } },
  };
  const { memory, actions } = policy({
    memory: { caps: { channelNotes: 9 } },
    actions: { limits: { clip: { perHour: 2 } } },
  });
  const recall = { ...memory.recall, lexicalWeight: 2, scales: { lore: 1 } };
  const target = { memory: { ...memory, recall, gone: true }, actions, personas: {} };
  expect(restorePolicy(target, policy(raw))(raw)).toEqual({
    memory: { mode: "auto", caps: { viewerNotes: 50, channelNotes: 9 } },
    actions: { classes: { chat: "off" }, limits: { clip: { perHour: 2 } } },
  });
  expect(restorePolicy({ memory: { recall } }, policy({}))({})).toEqual({});
});

test("read-only stops every write at once, tells so, and lets forgetting go on", async () => {
  const llm = scriptedLlm(() => summaryJson());
  const rig = memoryRig(llm);
  rig.say(1, "hello");
  rig.events.flush();
  const { requests } = rig.memory;
  requests.remember(CHANNEL, "1001", "plays the bass");
  rig.sayMany(60);
  rig.switches.set("read_only", true, "cli");
  const before = rig.rows(
    "SELECT (SELECT count(*) FROM episodes), (SELECT count(*) FROM note_evidence)",
  );
  await rig.memory.run();
  rig.clock.nowMs += 400 * 86_400_000;
  rig.memory.sweep();
  expect(requests.remember(CHANNEL, "1001", "plays the drums")).toEqual({
    kind: "refused",
    reason: "read_only",
  });
  expect(requests.correct(CHANNEL, "1001", 1, "plays the drums")).toMatchObject({
    reason: "read_only",
  });
  expect(
    rig.rows("SELECT (SELECT count(*) FROM episodes), (SELECT count(*) FROM note_evidence)"),
  ).toEqual(before);
  expect(rig.rows(NOTES)).toMatchObject([{ status: "active" }]);
  expect(llm.requests).toEqual([]);
  expect(rig.rows("SELECT kind FROM notices")).toEqual([{ kind: "memory_read_only" }]);
  expect(requests.forget(CHANNEL, "1001", 1)).toMatchObject({ kind: "done" });
  rig.switches.set("read_only", false, "cli");
  await rig.memory.run();
  expect(rig.rows("SELECT kind FROM notices WHERE cleared_at IS NULL")).toEqual([]);
  expect(llm.requests.length).toBeGreaterThan(0);
});
