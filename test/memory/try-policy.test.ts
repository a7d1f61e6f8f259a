import { beforeEach, expect, test } from "vitest";
import { type Config, toConfig } from "../../src/config/load.ts";
import { memorySchema } from "../../src/config/schema.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import { getNoteSettings } from "../../src/memory/note-settings.ts";
import { openNoteWriter } from "../../src/memory/note-writer.ts";
import { tryPolicy } from "../../src/memory/try-policy.ts";

const CONFIG: Config = toConfig({ channel: "lanternroom" }, ".");
const FACTS = [
  "{u:1} mends clocks for a harbour museum",
  "{u:1} keeps a tin of blue buttons",
  "{u:1} rowed to the lighthouse in a bathtub",
  "{u:1} sings to the bread while it rises",
];

/** A database whose notes were made of these facts in one stream, the last one confirmed later. */
let db: Db;
beforeEach(() => {
  db = openDatabase(":memory:");
  db.exec(
    `INSERT INTO stream_sessions (id, channel, started_at) VALUES (1, 'lanternroom', 1);
     INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES ('1', 'pell', 'Pell', 1, 1)`,
  );
  const clock = { nowMs: 1_000 };
  const writer = openNoteWriter({
    db,
    settings: (channel) => getNoteSettings(CONFIG, channel),
    readOnly: () => false,
    banned: () => null,
    suppressions: { isOptedOut: () => false, isSuppressed: () => false },
    now: () => clock.nowMs,
  });
  [...FACTS, FACTS[0] ?? ""].forEach((fact, at) => {
    clock.nowMs += 1_000;
    const claims = [{ episodeId: episodeWith(fact, clock.nowMs), n: 1 }];
    const confidence = at === 1 ? 0.5 : 0.9;
    writer.write({ ...CANDIDATE, fact, claims, confidence }, originAt(clock.nowMs));
  });
});

test("the same policy decides alike, as it did when the candidates were offered, and writes nothing", () => {
  const before = db.serialize();
  expect(tryPolicy(db, CONFIG, memorySchema.parse({}))).toEqual({
    candidates: 5,
    unreadable: 0,
    now: { "confirm.equal_key": 1, "write.new": 4 },
    tried: { "confirm.equal_key": 1, "write.new": 4 },
    changed: [],
  });
  expect(db.serialize().equals(before)).toBe(true);
});

test("another policy is held against what was there before each candidate", () => {
  const tried = memorySchema.parse({ caps: { perViewerAndStream: 3 } });
  const result = tryPolicy(db, CONFIG, tried);
  expect(result.tried).toEqual({
    "confirm.equal_key": 1,
    "drop.subject_rate": 1,
    "write.new": 3,
  });
  expect(result.changed).toEqual([
    { fact: FACTS[3], now: "write.new", tried: "drop.subject_rate" },
  ]);
});

test("a scope that is switched off drops all of it", () => {
  const tried = memorySchema.parse({ scopes: ["channel"] });
  const result = tryPolicy(db, CONFIG, tried);
  expect(result.tried).toEqual({ "drop.scope_off": 5 });
  expect(result.changed.map(({ fact }) => fact)).toEqual([FACTS[0], ...FACTS.toReversed()]);
});

const CANDIDATE: Candidate = {
  ...{ scope: "viewer", subjectId: "1", kind: "preference", property: null, fact: "", topics: [] },
  ...{ confidence: 0.9, importance: "medium", lifetime: null, sensitive: false, aboutBot: false },
  ...{
    claims: [],
    proves: true,
    happensOn: null,
    relation: "new",
    noteId: null,
    source: "extracted",
  },
};

function originAt(saidAtMs: number) {
  const fresh = new Set<number>();
  return {
    channel: "lanternroom",
    sessionId: 1,
    saidAtMs,
    model: null,
    promptVersion: null,
    fresh,
  };
}

function episodeWith(statement: string, atMs: number): number {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, stage, status, created_at)
       VALUES ('lanternroom', 'window', 1, 1, :atMs, :atMs, 'extracted', 'done', :atMs)`,
    )
    .run({ atMs });
  db.prepare(
    `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
     VALUES (?, 1, 'viewer', '1', ?, '[]')`,
  ).run(lastInsertRowid, statement);
  return Number(lastInsertRowid);
}
