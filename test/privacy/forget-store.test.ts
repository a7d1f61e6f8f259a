import { expect, test } from "vitest";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import {
  applyRecord,
  forgetEverything,
  forgetLog,
  ID_COLUMNS,
} from "../../src/privacy/forget-store.ts";
import { EVERYDAY_NAMES } from "../language/everyday-names.ts";
import { storedTexts } from "../memory/brute-force.ts";
import { NOW_MS, ROSA, remembered, THAD } from "./remembered.ts";

const hash = createKeyedHash("a key for tests");
const MIRA = "61001";
const TOM = "61002";

function parts(db: Db) {
  return { db, hash, saveRecord: () => undefined };
}

/** Mira stands in every table that can hold somebody, and Tom beside her. */
function furnished() {
  const db = openDatabase(":memory:");
  db.exec(`
    INSERT INTO channel_state (channel) VALUES ('pier');
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES
      ('${MIRA}', 'mira_moon', 'MiraMoon', 1, 9), ('${TOM}', 'tomtom', 'TomTom', 1, 9);
    INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES
      ('pier', '${MIRA}', 1, 9), ('pier', '${TOM}', 1, 9);
    INSERT INTO stream_sessions (id, channel, started_at, ended_at, recap) VALUES
      (1, 'pier', 1, 9, 'Long talk with {u:${MIRA}} and {u:${TOM}}.');
    INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, topic, summary, stage, status, created_at) VALUES
      (1, 'pier', 'window', 9, 1, 2, 'boats of {u:${MIRA}}', '{u:${MIRA}} rowed with mira_moon''s crew.', 'extracted', 'done', 2),
      (2, 'pier', 'direct', 3, 1, 2, 'a secret', 'They asked for advice.', 'extracted', 'done', 2),
      (3, 'pier', 'request', 0, 1, 2, '', '', 'extracted', 'done', 2);
    INSERT INTO episode_participants VALUES (1, '${MIRA}'), (1, '${TOM}'), (2, '${MIRA}'), (3, '${MIRA}');
    INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json) VALUES
      (1, 1, 'viewer', '${MIRA}', '{u:${MIRA}} rows', '[]'), (1, 2, 'viewer', '${TOM}', '{u:${TOM}} rows with @MiraMoon', '[]'),
      (3, 1, 'viewer', '${MIRA}', '{u:${MIRA}} rows', '[]');
    INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, words, confidence, status, source_kind, created_at, last_confirmed_at, superseded_by) VALUES
      (1, 'pier', 'viewer', '${MIRA}', 'profile', '{u:${MIRA}} rows', 'row', .8, 'active', 'extracted', 1, 1, NULL),
      (2, 'pier', 'viewer', '${MIRA}', 'profile', '{u:${MIRA}} swims', 'swim', .8, 'superseded', 'extracted', 1, 1, 1),
      (3, 'pier', 'viewer', '${TOM}', 'profile', '{u:${TOM}} rows with mira_moon', 'row mira_moon', .8, 'active', 'extracted', 1, 1, NULL),
      (4, 'pier', 'channel', NULL, 'running_bit', 'the hat of {u:${MIRA}}', 'hat', .8, 'active', 'operator', 1, 1, NULL);
    INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at) VALUES
      (1, 1, 1, 'extracted', .8, 1), (2, 3, 1, 'viewer_request', .8, 1), (3, 1, 2, 'extracted', .8, 1), (4, 1, NULL, 'operator', .8, 1);
    INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at, offer_json) VALUES
      (1, '{u:${MIRA}} rows', 'write', 'new', 1, 1, '{"subjectId":"${MIRA}"}'),
      (1, '{u:${MIRA}} flies', 'drop', 'mood', NULL, 1, '{"subjectId":"${MIRA}"}'),
      (1, '{u:${TOM}} rows', 'write', 'new', 3, 1, '{"subjectId":"${TOM}"}');
    INSERT INTO events (id, channel, kind, user_id, message_id, text, memorable, created_at, expires_at, episode_id) VALUES
      (1, 'pier', 'message', '${MIRA}', 'm1', 'I rowed to the lighthouse', 1, 5, 99, NULL),
      (2, 'pier', 'message', '${TOM}', 'm2', 'MIRA_MOON rowed, mira_moonlight did not', 1, 6, 99, NULL),
      (3, 'pier', 'bot', '7', 'm3', 'well rowed indeed', 0, 7, 99, NULL),
      (4, 'pier', 'timeout', '${MIRA}', NULL, NULL, 0, 8, 99, NULL);
    INSERT INTO replies (id, channel, user_id, "trigger", event_id, state, created_at, text, message_id) VALUES
      (1, 'pier', '${MIRA}', 'mention', 1, 'sent', 7, 'well rowed indeed', 'm3'),
      (2, 'pier', '${TOM}', 'mention', 2, 'sent', 7, 'ask MiraMoon', 'm4');
    INSERT INTO action_log (id, reply_id, channel, action, class, target_id, args_json, decision, reason, requested_by, created_at, counted_at, idempotency_key) VALUES
      (1, 1, 'pier', 'clip', 'stream', NULL, '{"title":"x"}', 'run', 'ok', '${MIRA}', 1, 1, 'a'),
      (2, 2, 'pier', 'timeout', 'moderation', '${MIRA}', '{"user":"mira_moon"}', 'run', 'ok', '${TOM}', 1, 1, 'b'),
      (3, NULL, 'pier', 'clip', 'stream', NULL, '{}', 'hold', 'held', '${MIRA}', 1, 1, 'pier:${MIRA}@1:0');`);
  const clock = { nowMs: 100 };
  const forget = (userId: string) =>
    forgetEverything({ ...parts(db), now: () => clock.nowMs }, userId);
  const all = (sql: string): unknown[] => db.prepare(sql).all();
  return { db, clock, forget, all };
}

function everything({ db }: ReturnType<typeof furnished>): string {
  const lines = db
    .prepare<[], string>("SELECT coalesce(text, '') || coalesce(user_id, '') FROM events")
    .pluck();
  return [...storedTexts(db).map(({ text }) => text), ...lines.all()].join("\n");
}

test("nothing of a person is left in any table, and others keep what is theirs", () => {
  const house = furnished();
  house.db.exec(
    `INSERT INTO moments (channel, kind, user_id, at) VALUES ('pier', 'raid', '${MIRA}', 1), ('pier', 'raid', '${TOM}', 1)`,
  );
  expect(house.forget(MIRA)).toEqual({
    ...{ userIds: [MIRA], notes: 2, messages: 2, moments: 1, summaries: 2 },
  });
  const left = everything(house);
  for (const trace of [
    MIRA,
    "mira_moon ",
    "mira_moon'",
    "MiraMoon",
    "lighthouse",
    "swims",
    "advice",
    "rowed indeed",
  ]) {
    expect(left).not.toContain(trace);
  }
  expect(left).toContain("someone rowed, mira_moonlight did not");
  expect(left).toContain("ask someone");
  expect(house.all("SELECT fact, words FROM semantic_notes ORDER BY id")).toEqual([
    { fact: `{u:${TOM}} rows with someone`, words: expect.not.stringContaining("mira") },
    { fact: "the hat of someone", words: expect.any(String) },
  ]);
  expect(house.all("SELECT fact, offer_json AS offer FROM note_candidates ORDER BY id")).toEqual([
    { fact: null, offer: null },
    { fact: null, offer: null },
    { fact: `{u:${TOM}} rows`, offer: expect.any(String) },
  ]);
  expect(house.all("SELECT id FROM episodes")).toEqual([{ id: 1 }, { id: 2 }]);
  expect(house.db.pragma("foreign_key_check")).toEqual([]);
});

test("rows of chat stay where they are, and those that wait are refused", () => {
  const { forget, all } = furnished();
  forget(MIRA);
  expect(all("SELECT id, text, message_id AS m FROM events WHERE user_id IS NULL")).toEqual([
    { id: 1, text: null, m: null },
    { id: 4, text: null, m: null },
  ]);
  const who = hash.person(MIRA);
  expect(
    all("SELECT id, decision, reason, requested_by AS asker, target_id AS target FROM action_log"),
  ).toEqual([
    { id: 1, decision: "run", reason: "ok", asker: who, target: null },
    { id: 2, decision: "run", reason: "ok", asker: TOM, target: who },
    { id: 3, decision: "refuse", reason: "forgotten", asker: who, target: null },
  ]);
});

test("what rests on lines of the last day goes with them, also where no daemon did it before", () => {
  const { db, forget, all } = furnished();
  db.exec(`UPDATE events SET episode_id = 1 WHERE id = 1;
    INSERT INTO episode_claims (episode_id, n, scope, statement, event_ids_json) VALUES (1, 3, 'channel', 'the lighthouse is out', '[1]')`);
  forget(MIRA);
  expect(all("SELECT withdrawn_at IS NOT NULL AS gone FROM episode_claims WHERE n = 3")).toEqual([
    { gone: 1 },
  ]);
  expect(all("SELECT summary FROM episodes WHERE id = 1")).toEqual([{ summary: "" }]);
});

test("a second time nothing changes, and somebody who was never seen leaves a tombstone alone", () => {
  const house = furnished();
  house.forget(MIRA);
  const before = everything(house);
  house.clock.nowMs = 200;
  expect(house.forget(MIRA)).toEqual({
    ...{ userIds: [MIRA], notes: 0, messages: 0, moments: 0, summaries: 0 },
  });
  expect(everything(house)).toBe(before);
  const tombstones = "SELECT who, forgotten_at AS atMs FROM forgets ORDER BY forgotten_at";
  expect(house.all(tombstones)).toEqual([{ who: hash.person(MIRA), atMs: 100 }]);
  house.forget("999");
  expect(house.all(tombstones)).toHaveLength(2);
});

test("every account of the person goes, and a name that is somebody else's too stays", () => {
  const { db, forget, all } = furnished();
  new IdentityStore(db, () => 1).merge(TOM, MIRA);
  db.exec(
    "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES ('5', 'x_x', 'TomTom', 1, 9)",
  );
  db.exec("UPDATE stream_sessions SET recap = 'Tomtom won'");
  expect(forget(TOM)).toEqual({
    ...{ userIds: [MIRA, TOM], notes: 3, messages: 3, moments: 0, summaries: 2 },
  });
  expect(all("SELECT user_id AS id FROM viewers")).toEqual([{ id: "5" }]);
  expect(all("SELECT * FROM identity_aliases")).toEqual([]);
  expect(all("SELECT recap FROM stream_sessions")).toEqual([{ recap: "Tomtom won" }]);
});

test("a login that is a common word does not take the word out of everybody's memory", () => {
  const { db, forget, all } = furnished();
  db.exec("UPDATE viewers SET login = 'anchor', display_name = 'Anchor' WHERE user_id = '61001'");
  const add = db.prepare(
    "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, summary, created_at) VALUES ('pier', 'window', 1, 1, 1, ?, 1)",
  );
  for (let n = 0; n < 41; n += 1) add.run(`The anchor of ship ${n}, said @anchor`);
  forget(MIRA);
  expect(all("SELECT summary FROM episodes WHERE id = 4")).toEqual([
    { summary: "The anchor of ship 0, said someone" },
  ]);
});

test("opt-outs and suppressed topics outlive it", () => {
  const { db, forget } = furnished();
  const suppressions = new SuppressionStore(db, hash, () => 1);
  suppressions.suppressTopic(MIRA, "boats");
  suppressions.optOut({ userId: MIRA, login: "mira_moon", displayName: "MiraMoon" });
  forget(MIRA);
  const after = new SuppressionStore(db, hash, () => 1);
  expect(after.isOptedOut(MIRA)).toBe(true);
  expect(after.isSuppressed(MIRA, "owns two boats")).toBe(true);
  expect(after.isSuppressed(TOM, "owns two boats")).toBe(false);
});

test("whoever's hash is in a record is forgotten, and nobody else", () => {
  const { db, all } = furnished();
  const forgets = [MIRA, "404"].map((id) => ({ who: hash.person(id), atMs: 100 }));
  applyRecord(db, { forgets, suppressions: [] }, hash, 100);
  expect(all("SELECT login FROM viewers")).toEqual([{ login: "tomtom" }]);
});

test.each(EVERYDAY_NAMES)("a viewer called %s takes no word from others who are left", (name) => {
  const { db, forget, all } = furnished();
  const fact = `{u:${TOM}} has ${name} in the morning, and ${name}s ${name}`;
  const id = "61003";
  db.prepare(
    "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, 1, 9)",
  ).run(id, name, name);
  db.prepare("UPDATE semantic_notes SET fact = ? WHERE id = 3").run(fact);
  db.prepare("UPDATE episodes SET topic = ?, summary = ? WHERE id = 1").run(name, fact);
  db.prepare("UPDATE episode_claims SET statement = ? WHERE episode_id = 1 AND n = 2").run(fact);
  const suppressions = new SuppressionStore(db, hash, () => 1);
  suppressions.suppressTopic(TOM, name);
  const kept = () => [
    all("SELECT fact, words FROM semantic_notes ORDER BY id"),
    all("SELECT topic, summary FROM episodes ORDER BY id"),
    all("SELECT statement FROM episode_claims ORDER BY episode_id, n"),
    new SuppressionStore(db, hash, () => 1).isSuppressed(TOM, `${name}`),
  ];
  const before = kept();
  suppressions.optOut({ userId: id, login: name, displayName: name });
  expect(kept()).toEqual(before);
  forget(id);
  expect(kept()).toEqual(before);
});

test("who is forgotten here is heard of already, and whom another process forgot just before is not overheard", () => {
  const { db, hash, forget } = remembered();
  const log = forgetLog(db);
  forget(THAD.userId);
  forget(ROSA.userId);
  log.markOwn([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([hash.person(THAD.userId)]);
  expect([...log.reread()]).toEqual([]);
});

test("a viewer who came back and is forgotten again is noticed, whatever the clock says, also after a VACUUM", () => {
  const { db, hash, forget } = remembered();
  forget(THAD.userId);
  forget(ROSA.userId);
  const log = forgetLog(db);
  db.exec("VACUUM");
  db.prepare("INSERT INTO viewers VALUES (?, 'rosalindqq', 'RosalindQQ', 1, 1, 0)").run(
    ROSA.userId,
  );
  forgetEverything({ ...parts(db), hash, now: () => NOW_MS - 86_400_000 }, ROSA.userId);
  expect([...log.reread()]).toEqual([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([]);
});

test("every column with a user id is in the list that a restore forgets by", () => {
  // Ids of channels and messages; who set a switch; and a row that goes with its viewer's.
  const OTHERS = new Set([
    "action_log.message_id",
    "channel_state.twitch_id",
    "events.message_id",
    "events.parent_id",
    "replies.message_id",
    "switches.set_by",
    "viewer_channels.user_id",
  ]);
  const named = remembered()
    .db.prepare<[], string>(
      `SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.type = 'TEXT'
         AND (substr(c.name, -3) IN ('_id', '_by') OR c.name = 'same_as')`,
    )
    .pluck()
    .all();
  const listed = Object.entries(ID_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  );
  expect(named.filter((name) => !OTHERS.has(name)).sort()).toEqual(listed.sort());
});
