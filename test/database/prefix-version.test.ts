import { expect, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";

/** What stands in the table before each change. */
const WORLD = `
  INSERT INTO channel_state (channel, title, category, is_live) VALUES ('here', 'a title', 'a game', 1), ('there', '', '', 0);
  INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
    VALUES ('7', 'ann', 'Ann', 1, 1), ('8', 'bob', 'Bob', 1, 1);
  INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES ('here', '7', 1, 1), ('there', '8', 1, 1);
  INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)
    VALUES (1, 'here', 'viewer', '7', 'profile', 'likes tea', 0.9, 'active', 'extracted', 1, 1),
           (2, 'here', 'channel', NULL, 'event', 'a raid every friday', 0.9, 'active', 'extracted', 1, 1),
           (3, 'here', 'bit', NULL, 'running_bit', 'the chair squeaks', 0.9, 'active', 'extracted', 1, 1),
           (4, 'here', 'channel', NULL, 'event', 'not approved yet', 0.9, 'pending', 'extracted', 1, 1);
  INSERT INTO stream_sessions (id, channel, started_at) VALUES (1, 'here', 1);
  INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, topic, summary, stage, created_at)
    VALUES (1, 'here', 'window', 25, 1, 2, 'tea', 'they spoke of tea', 'summarised', 1),
           (2, 'here', 'window', 25, 3, 4, '', '', 'claimed', 1),
           (3, 'here', 'gap', 25, 5, 6, '', '', 'extracted', 1),
           (4, 'here', 'window', 25, 7, 8, 'tea', '', 'extracted', 1);`;

/** Another value for each column of a table, alone. */
type Columns = readonly (readonly [column: string, value: string])[];

const SHOWN_OF_NOTE: Columns = [
  ["persona", "'Vesper'"],
  ["kind", "'profile'"],
  ["fact", "'another'"],
  ["topics", "'raids'"],
  ["confidence", "0.8"],
  ["importance", "0.1"],
  ["status", "'stale'"],
  ["last_confirmed_at", "9"],
  ["expires_at", "9"],
  ["pinned", "1"],
];
const NOT_SHOWN_OF_NOTE: Columns = [
  ["words", "'another'"],
  ["superseded_by", "3"],
  ["source_kind", "'operator'"],
  ["created_at", "9"],
  ["last_used_at", "9"],
  ["use_count", "9"],
  ["status_before", "'shadow'"],
  ["property", "'home'"],
  ["property_value", "'Bergen'"],
  ["property_game", "'chess'"],
  ["lifetime", "'3d'"],
  ["happens_on", "'2026-05-01'"],
  ["active_from", "9"],
  ["ended_at", "9"],
];
const SHOWN_OF_EPISODE: Columns = [
  ["kind", "'gap'"],
  ["session_id", "1"],
  ["ended_at", "9"],
  ["topic", "'milk'"],
  ["summary", "'less'"],
  ["summary", "''"],
  ["stage", "'claimed'"],
];
const NOT_SHOWN_OF_EPISODE: Columns = [
  ["event_count", "9"],
  ["started_at", "0"],
  ["stage", "'extracted'"],
  ["status", "'done'"],
  ["attempts", "9"],
  ["next_attempt_at", "9"],
  ["created_at", "9"],
  ["unproven", "'they lied'"],
];
/** Whose each row is: what one does not change in place. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  semantic_notes: ["id", "channel", "scope", "subject_id"],
  episodes: ["id", "channel"],
};

test.each([
  ["semantic_notes", [...SHOWN_OF_NOTE, ...NOT_SHOWN_OF_NOTE]],
  ["episodes", [...SHOWN_OF_EPISODE, ...NOT_SHOWN_OF_EPISODE]],
])("the lists of columns are all that %s has", (table, columns) => {
  const all = openDatabase(":memory:")
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck()
    .all(table);
  const listed = new Set([...columns.map(([column]) => column), ...(OWNERS[table] ?? [])]);
  expect([...listed].sort()).toEqual(all.sort());
});

test.each(SHOWN_OF_NOTE)("the %s of an active note, alone, changes the prefix", (column, value) => {
  const sql = `UPDATE semantic_notes SET ${column} = ${value} WHERE id = 2`;
  expect(versionsAfter(sql)).toEqual({ here: "changed", there: "same" });
});

test.each(SHOWN_OF_NOTE)("the %s of an active note, as it was, changes no prefix", (column) => {
  const sql = `UPDATE semantic_notes SET ${column} = ${column} WHERE id = 2`;
  expect(versionsAfter(sql)).toEqual({ here: "same", there: "same" });
});

test.each([...SHOWN_OF_NOTE, ...NOT_SHOWN_OF_NOTE])(
  "the %s of a note that is not active, and does not become so, changes no prefix",
  (column, value) => {
    const sql = `UPDATE semantic_notes SET ${column} = ${value} WHERE id = 4`;
    expect(versionsAfter(sql)).toEqual({ here: "same", there: "same" });
  },
);

test.each(NOT_SHOWN_OF_NOTE)("the %s of an active note changes no prefix", (column, value) => {
  const sql = `UPDATE semantic_notes SET ${column} = ${value} WHERE id = 2`;
  expect(versionsAfter(sql)).toEqual({ here: "same", there: "same" });
});

test.each(SHOWN_OF_EPISODE)(
  "the %s of a summary, alone, changes the prefix: to %s",
  (column, value) => {
    const sql = `UPDATE episodes SET ${column} = ${value} WHERE id = 1`;
    expect(versionsAfter(sql)).toEqual({ here: "changed", there: "same" });
  },
);

test.each(NOT_SHOWN_OF_EPISODE)(
  "the %s of a summarised episode changes no prefix",
  (column, value) => {
    const sql = `UPDATE episodes SET ${column} = ${value} WHERE id = 1`;
    expect(versionsAfter(sql)).toEqual({ here: "same", there: "same" });
  },
);

test.each([
  ["of a gap", 3],
  ["without a summary", 4],
])("an episode %s changes no prefix, whatever changes in it but its summary", (_, id) => {
  for (const [column, value] of [...SHOWN_OF_EPISODE, ...NOT_SHOWN_OF_EPISODE]) {
    if (column === "summary") continue;
    const sql = `UPDATE episodes SET ${column} = ${value} WHERE id = ${id}`;
    expect({ column, ...versionsAfter(sql) }).toEqual({ column, here: "same", there: "same" });
  }
});

const NOTE =
  "INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)";
const EPISODE =
  "INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, summary, stage, created_at)";

test.each([
  ["a new title", "UPDATE channel_state SET title = 'another' WHERE channel = 'here'"],
  ["a new category", "UPDATE channel_state SET category = 'another' WHERE channel = 'here'"],
  ["going offline", "UPDATE channel_state SET is_live = 0 WHERE channel = 'here'"],
  [
    "no longer knowing whether it is live",
    "UPDATE channel_state SET is_live = NULL WHERE channel = 'here'",
  ],
  [
    "a new channel note",
    `${NOTE} VALUES ('here', 'channel', NULL, 'event', 'x', 0.5, 'active', 'e', 1, 1)`,
  ],
  [
    "a new running bit",
    `${NOTE} VALUES ('here', 'bit', NULL, 'running_bit', 'x', 0.5, 'active', 'e', 1, 1)`,
  ],
  ["a note approved", "UPDATE semantic_notes SET status = 'active' WHERE id = 4"],
  ["a summary that came late", "UPDATE episodes SET summary = 'x' WHERE id = 4"],
  ["a stream ended", "UPDATE stream_sessions SET ended_at = 9 WHERE id = 1"],
  ["a channel note deleted", "DELETE FROM semantic_notes WHERE id = 3"],
  ["an episode summarised", "UPDATE episodes SET stage = 'summarised', summary = 'x' WHERE id = 2"],
  ["an episode deleted", "DELETE FROM episodes WHERE id = 1"],
  [
    "an episode that comes with its summary",
    `${EPISODE} VALUES ('here', 'request', 1, 1, 2, 'x', 'extracted', 1)`,
  ],
  ["a stream begun", "INSERT INTO stream_sessions (channel, started_at) VALUES ('here', 5)"],
  ["a recap written", "UPDATE stream_sessions SET recap = 'x' WHERE id = 1"],
  ["a viewer renamed", "UPDATE viewers SET display_name = 'Anna' WHERE user_id = '7'"],
  ["a viewer forgotten", "DELETE FROM viewers WHERE user_id = '7'"],
])("%s changes the channel's prefix, and no other channel's", (_, sql) => {
  expect(versionsAfter(sql)).toEqual({ here: "changed", there: "same" });
});

test.each([
  [
    "a viewer's note learned",
    `${NOTE} VALUES ('here', 'viewer', '7', 'profile', 'x', 0.5, 'active', 'e', 1, 1)`,
  ],
  [
    "a viewer's note confirmed",
    "UPDATE semantic_notes SET confidence = 0.95, last_confirmed_at = 9 WHERE id = 1",
  ],
  ["a viewer's note deleted", "DELETE FROM semantic_notes WHERE id = 1"],
  ["a window claimed", `${EPISODE} VALUES ('here', 'window', 25, 5, 6, '', 'claimed', 1)`],
  [
    "a channel note that waits",
    `${NOTE} VALUES ('here', 'channel', NULL, 'event', 'x', 0.5, 'pending', 'e', 1, 1)`,
  ],
  [
    "a channel note on trial",
    `${NOTE} VALUES ('here', 'bit', NULL, 'running_bit', 'x', 0.5, 'shadow', 'e', 1, 1)`,
  ],
  ["a channel note that waited, deleted", "DELETE FROM semantic_notes WHERE id = 4"],
  ["a gap", `${EPISODE} VALUES ('here', 'gap', 25, 5, 6, '', 'extracted', 1)`],
  [
    "an episode without a text",
    `${EPISODE} VALUES ('here', 'window', 25, 5, 6, '', 'extracted', 1)`,
  ],
  ["a gap deleted", "DELETE FROM episodes WHERE id = 3"],
  ["an episode without a text deleted", "DELETE FROM episodes WHERE id = 4"],
  [
    "a stream told of once it is over",
    "INSERT INTO stream_sessions (channel, started_at, ended_at) VALUES ('here', 5, 6)",
  ],
  ["a recap as it was", "UPDATE stream_sessions SET recap = recap WHERE id = 1"],
  ["when a stream began, told again", "UPDATE stream_sessions SET started_at = 2 WHERE id = 1"],
  ["a claimed window deleted", "DELETE FROM episodes WHERE id = 2"],
  [
    "the same title again",
    "UPDATE channel_state SET title = 'a title', refreshed_at = 9 WHERE channel = 'here'",
  ],
  [
    "a viewer seen again",
    "UPDATE viewers SET display_name = 'Ann', last_seen_at = 9 WHERE user_id = '7'",
  ],
  ["a login changed without the name", "UPDATE viewers SET login = 'ann2' WHERE user_id = '7'"],
  [
    "a message",
    "INSERT INTO events (channel, kind, user_id, text, created_at, expires_at) VALUES ('here', 'message', '7', 'hi', 1, 2)",
  ],
  [
    "a reply",
    "INSERT INTO replies (channel, user_id, \"trigger\", state, created_at) VALUES ('here', '7', 'mention', 'sent', 1)",
  ],
])("%s changes no prefix", (_, sql) => {
  expect(versionsAfter(sql)).toEqual({ here: "same", there: "same" });
});

function versionsAfter(sql: string): Record<string, string> {
  const db = openDatabase(":memory:");
  db.exec(WORLD);
  const before = versions(db);
  expect(db.prepare(sql).run().changes).toBe(1);
  return Object.fromEntries(
    versions(db).map(({ channel, version }, index) => [
      channel,
      version === before[index]?.version ? "same" : "changed",
    ]),
  );
}

function versions(db: Db): { channel: string; version: number }[] {
  return db
    .prepare<[], { channel: string; version: number }>(
      "SELECT channel, prefix_version AS version FROM channel_state ORDER BY channel",
    )
    .all();
}
