import { expect, test } from "vitest";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { RuntimeStore, SwitchStore } from "../../src/database/runtime-store.ts";
import { openLog } from "../../src/log.ts";
import { openStaleCopies } from "../../src/privacy/forget-store.ts";
import { formatDurationSpan } from "../../src/telemetry/figures.ts";
import {
  formatStatusText,
  HEARTBEAT,
  type Heartbeat,
  readStatus,
  watchEnd,
} from "../../src/telemetry/status.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 4, 1);
const BEAT: Heartbeat = {
  pid: 1,
  version: "0.1.0",
  startedAtMs: NOW_MS - 3 * HOUR_MS,
  mode: "mentions",
  provider: "offline",
  model: "rules",
  pageUrl: "http://127.0.0.1:4747",
  botLogin: "automark",
  channels: [{ channel: "here", joined: true, pace: "busy", messagesPerMinute: 44 }],
};

test("a status holds what runs, who is joined, what is kept, what waits, what it cost and what is wrong", () => {
  const db = filled();
  const { status, text } = look(db, true);
  expect(status).toMatchObject({
    running: true,
    channels: [
      {
        channel: "here",
        joined: true,
        isLive: true,
        title: "late repairs",
        pace: "busy",
        messagesPerMinute: 44,
      },
      { channel: "there", joined: false, isLive: null, pace: null },
    ],
    switches: { paused: true, safeMode: false, readOnly: false },
    counts: { events: 4, episodes: 1, notes: 1, replies: 2, viewers: 1 },
    backlog: {
      waitingEvents: 2,
      oldestWaitingAtMs: NOW_MS - HOUR_MS,
      pendingEpisodes: 1,
      failedEpisodes: 1,
    },
    notes: { made: 1, dropped: 3, droppedByReason: { sensitive: 2, mood: 1 } },
    replies: { byState: { refused: 2, sent: 1 }, byReason: { stale: 2 } },
    spend: {
      callsLastHour: 1,
      callsLastDay: 3,
      tokensLastDay: 100 + 20 + 70 + 50,
      dollarsLastDay: 0.25,
      failuresLastDay: { timeout: 1 },
      answersLastDay: { calls: 2, tokens: 190, dollars: 0.25 },
      memoryLastDay: { calls: 1, tokens: 50, dollars: null },
    },
    notices: [{ kind: "model", cause: "quota", message: "the cap was reached", count: 2 }],
  });
  expect(text.split("\n")).toEqual([
    "bot           running as automark for 3 h · mode mentions · offline rules · page http://127.0.0.1:4747",
    "#here         joined · live · busy, 44 messages/min · Chess · late repairs",
    "#there        not joined · live state unknown",
    "switches      paused",
    "stored        4 events, 1 episode, 1 note, 2 replies, 1 viewer",
    "backlog       2 events waiting, oldest 1 h · 1 episode in progress, 1 failed",
    "notes 24 h    1 new, 0 confirmed, 0 replaced another, 0 made room, 3 dropped (2 sensitive, 1 mood)",
    "replies 24 h  2 refused, 1 sent",
    "not sent      2 stale",
    "model 24 h    3 calls (1 in the last hour) · 240 tokens · $0.2500 · failed: 1 timeout",
    "for answers   2 calls · 190 tokens · $0.2500",
    "for memory    1 call · 50 tokens",
    "removed       nothing is left in the database file",
    "warning       the cap was reached (first 0 s ago, 2 times, last 0 s ago)",
  ]);
});

test("notes that wait for the streamer's word are counted, whenever they were made", () => {
  const db = filled();
  expect(look(db, true).text).not.toContain("waiting for you");
  db.exec("UPDATE semantic_notes SET status = 'pending', created_at = 1");
  const { status, text } = look(db, true);
  expect(status.notes.waiting).toBe(2);
  expect(text).toContain("2 waiting for you: `forgetmenot memory list --status pending`");
});

test("a status says that bytes of what was removed may be left, until a VACUUM says that they are not", () => {
  const db = filled();
  const cleaned = { texts: 0, people: 0, endedAtMs: null, failure: null };
  const runtime = new RuntimeStore(db, () => NOW_MS);
  runtime.write("cleanup", { ...cleaned, dueSinceMs: NOW_MS - HOUR_MS });
  expect(look(db, true).text).toMatch(/^removed +pending for 1 h: bytes may be left/m);
  runtime.write("cleanup", { ...cleaned, dueSinceMs: NOW_MS - HOUR_MS, failure: "SQLITE_FULL" });
  expect(look(db, true).text).toContain("the last try failed (SQLITE_FULL)");
  runtime.write("cleanup", { ...cleaned, dueSinceMs: null, endedAtMs: NOW_MS - HOUR_MS });
  expect(look(db, true).text).toMatch(/^removed +nothing is left .*, cleaned 1 h ago$/m);
  openStaleCopies(db, () => NOW_MS).markStale([1]);
  db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:x', 1)");
  const { status, text } = look(db, true);
  expect(status.cleaning).toMatchObject({ pendingSinceMs: NOW_MS, filesPending: true });
  expect(text).toContain("old backups are still to be replaced");
});

test("no text of chat is in a status", () => {
  const { status, text } = look(filled(), true);
  expect(JSON.stringify(status) + text).not.toContain("a line of chat");
});

test.each([
  [-1, "0 s"],
  [59_400, "59 s"],
  [59_600, "1 min"],
  [3_599_000, "1 h"],
  [2 * HOUR_MS - 20_000, "2 h"],
  [4 * HOUR_MS + 600_000, "4 h 10 min"],
  [48 * HOUR_MS, "2 days"],
])("a span of %i ms is rounded before it is split: %s", (ms, text) => {
  expect(formatDurationSpan(ms)).toBe(text);
});

function look(db: Db, running: boolean) {
  const now = () => NOW_MS;
  const status = readStatus({ db, now, running });
  return { status, text: formatStatusText(status, NOW_MS) };
}

function filled(): Db {
  const db = openDatabase(":memory:");
  const early = NOW_MS - 25 * HOUR_MS;
  const lately = NOW_MS - 2 * HOUR_MS;
  db.exec(`
    INSERT INTO channel_state (channel, title, category, is_live) VALUES ('here', 'late repairs', 'Chess', 1), ('there', '', '', NULL);
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES ('7', 'ann', 'Ann', 1, 1);
    INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, stage, status, created_at) VALUES
      (1, 'here', 'window', 25, 1, 2, 'extracted', 'done', 1), (2, 'here', 'window', 25, 1, 2, 'claimed', 'pending', 1),
      (3, 'here', 'window', 25, 1, 2, 'claimed', 'failed', 1);
    INSERT INTO events (channel, kind, text, memorable, created_at, expires_at, episode_id) VALUES
      ('here', 'message', 'a line of chat', 1, ${NOW_MS - HOUR_MS}, 1, NULL), ('here', 'message', 'a line of chat', 1, ${NOW_MS}, 1, NULL),
      ('here', 'message', 'a line of chat', 1, 5, 1, 1), ('here', 'bot', 'a line of chat', 0, 5, 1, NULL);
    INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at) VALUES
      ('here', 'channel', 'event', 'x', 1, 'active', 'e', 1, 1), ('here', 'channel', 'event', 'x', 1, 'shadow', 'e', 1, 1);
    INSERT INTO note_candidates (episode_id, decision, reason, created_at) VALUES
      (1, 'write', 'new', ${lately}), (1, 'drop', 'sensitive', ${lately}), (1, 'drop', 'sensitive', ${lately}),
      (1, 'drop', 'mood', ${lately}), (1, 'write', 'new', ${early});
    INSERT INTO replies (channel, user_id, "trigger", state, reason, text, created_at) VALUES
      ('here', '7', 'mention', 'sent', NULL, 'a line of chat', ${lately}), ('here', '7', 'mention', 'sent', NULL, NULL, ${early}),
      ('here', '7', 'mention', 'refused', 'stale', NULL, ${lately}), ('here', '7', 'mention', 'refused', 'stale', NULL, ${lately});
    INSERT INTO llm_calls (purpose, model, prompt_tokens, output_tokens, estimated_tokens, latency_ms, outcome, dollars, created_at) VALUES
      ('reply', 'm', 100, 20, 90, 1, 'ok', 0.25, ${NOW_MS}), ('reply', 'm', NULL, NULL, 70, 1, 'timeout', NULL, ${lately}),
      ('extract', 'm', 50, 0, 60, 1, 'ok', NULL, ${lately}), ('reply', 'm', 999, 999, 999, 1, 'ok', 9, ${early});`);
  new RuntimeStore(db, () => NOW_MS - 5_000).write(HEARTBEAT, BEAT);
  new SwitchStore(db, () => NOW_MS).set("paused", true, "cli");
  const board = new NoticeBoard(db, () => NOW_MS, openLog("silent"));
  board.raise("model:quota", "warning", "the cap was reached");
  board.raise("model:quota", "warning", "the cap was reached");
  return db;
}

test("a crash whose close hangs is told at the next start, not as a cut", () => {
  const db = openDatabase(":memory:");
  const log = openLog("silent");
  const runtime = new RuntimeStore(db, () => NOW_MS);
  const board = new NoticeBoard(db, () => NOW_MS, log);
  const run = watchEnd(runtime, board, log);
  runtime.write(HEARTBEAT, BEAT);
  run.crashed(new TypeError("a bug"));
  const next = watchEnd(runtime, board, log);
  expect(board.list()).toMatchObject([
    { kind: "crashed", severity: "error", message: expect.stringContaining("TypeError"), count: 1 },
  ]);
  next.orderly();
  watchEnd(runtime, board, log);
  expect(board.list()).toEqual([]);
  watchEnd(runtime, board, log);
  expect(board.list()).toMatchObject([
    { severity: "info", message: expect.stringMatching(/cut off/) },
  ]);
});

test("a notice that is over stays readable for a week, then goes", () => {
  const db = openDatabase(":memory:");
  let nowMs = NOW_MS - 8 * 24 * HOUR_MS;
  const board = new NoticeBoard(db, () => nowMs, openLog("silent"));
  for (const kind of ["helix", "backup_failed"] as const)
    board.raise(kind, "warning", `so: ${kind}`);
  board.clear("helix");
  nowMs = NOW_MS - 6 * 24 * HOUR_MS;
  board.clear("backup_failed");
  const { status, text } = look(db, true);
  expect(status.notices).toEqual([]);
  expect(status.pastNotices.map(({ kind }) => kind)).toEqual(["backup_failed"]);
  expect(text).toMatch(/is over +so: backup_failed \(until 6 d/);
  expect(text).not.toContain("so: helix");
  const kept = db.prepare("SELECT kind FROM notices ORDER BY kind").pluck();
  expect(kept.all()).toEqual(["backup_failed", "helix"]);
  nowMs = NOW_MS;
  board.expire();
  expect(kept.all()).toEqual(["backup_failed"]);
});
