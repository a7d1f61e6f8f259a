import { join } from "node:path";
import { type Db, openDatabase } from "../src/platform/database/open-database.ts";
import { llmCallStore } from "../src/platform/models/call-store.ts";
import { CURRENT_TRAIL_VERSION, type Trail } from "../src/reply/trail.ts";
import { OUTCOME_KINDS } from "../src/telemetry/outcome-store.ts";
import { type Random, randomFrom } from "../test/stand-ins/random.ts";

export interface ReportedChannel {
  /** Of the last stream. */
  readonly replies: number;
  readonly streamsBefore: number;
  readonly repliesBefore: number;
  readonly notes: number;
}

export const REPORTED_CHANNEL = "benchroom";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CANDIDATES = 15;
const MODEL = "gemini-3.5-flash-lite";

/** Writes a database as a daemon would have left it after streams with many replies. */
export function writeReportedChannel(folder: string, size: ReportedChannel): void {
  const db = openDatabase(join(folder, "forgetmenot.db"));
  const random = randomFrom(11);
  try {
    db.exec(`INSERT INTO channel_state (channel) VALUES ('${REPORTED_CHANNEL}')`);
    const firstMs = Date.now() - (size.streamsBefore + 1) * DAY_MS;
    for (let stream = 0; stream <= size.streamsBefore; stream += 1) {
      const isLast = stream === size.streamsBefore;
      const replies = isLast ? size.replies : size.repliesBefore;
      db.transaction(() =>
        writeStream(db, random, { ...size, replies, atMs: firstMs + stream * DAY_MS }),
      )();
    }
    db.transaction(() => writeNotes(db, size.notes))();
  } finally {
    db.close();
  }
}

interface StreamSize {
  readonly replies: number;
  readonly notes: number;
  readonly atMs: number;
}

function writeStream(db: Db, random: Random, { replies, notes, atMs }: StreamSize): void {
  db.prepare("INSERT INTO stream_sessions (channel, started_at, ended_at) VALUES (?, ?, ?)").run(
    REPORTED_CHANNEL,
    atMs,
    atMs + 6 * HOUR_MS,
  );
  const insert = db.prepare<[string, string, number, number | null, number, string]>(
    `INSERT INTO replies (channel, user_id, "trigger", state, reason, created_at, sent_at, model, finish, latency_ms,
       token_usage_json) VALUES (?, '7', 'mention', ?, NULL, ?, ?, '${MODEL}', 'stop', ?, ?)`,
  );
  const outcome = db.prepare<[number | bigint, string, number]>(
    "INSERT INTO reply_outcomes (reply_id, kind, created_at) VALUES (?, ?, ?)",
  );
  const calls = llmCallStore(db);
  for (let n = 0; n < replies; n += 1) {
    const createdAtMs = Math.floor(atMs + (n / replies) * 6 * HOUR_MS);
    const trail = trailOf(random, { n, notes });
    const state = random.chance(0.9) ? "sent" : "silent";
    const sentAtMs = state === "sent" ? createdAtMs + 900 : null;
    const row = insert.run(
      REPORTED_CHANNEL,
      state,
      createdAtMs,
      sentAtMs,
      800,
      JSON.stringify(trail),
    );
    outcome.run(row.lastInsertRowid, random.pick(OUTCOME_KINDS), createdAtMs);
    calls.add({
      purpose: "reply",
      model: MODEL,
      promptTokens: trail.promptTokens,
      cachedTokens: 0,
      outputTokens: 30,
      estimatedTokens: trail.estimatedTokens,
      latencyMs: 800,
      outcome: "ok",
      dollars: 0.0005,
      createdAtMs,
    });
  }
}

/** A record with as many ids and scores in it as a full prompt leaves. */
function trailOf(random: Random, { n, notes }: { n: number; notes: number }): Trail {
  const ids = Array.from({ length: CANDIDATES }, () => 1 + random.int(0, notes - 1));
  const kept = ids.slice(0, CANDIDATES - 3);
  const section = { section: "lore", from: 10, to: 7, savedTokens: 60, droppedIds: ids.slice(-3) };
  const estimatedTokens = 1_800 + random.int(0, 399);
  return {
    version: CURRENT_TRAIL_VERSION,
    rulesVersion: "1",
    messageKind: random.pick(["mention", "reply", "command"]),
    pace: random.pick(["quiet", "normal", "busy"]),
    budgetTokens: 4_000,
    limitTokens: 3_800,
    estimatedTokens,
    correction: 1.02,
    promptTokens: estimatedTokens + random.int(0, 79) - 40,
    cachedTokens: 0,
    outputTokens: 30,
    sections: {
      persona: 700,
      channel: 40,
      channelNotes: 120,
      episodes: 300,
      speaker: 20,
      lore: 180,
      own: 60,
      chat: 400,
      replies: 80,
      current: 60,
    },
    prefix: {
      version: Math.floor(n / 50),
      hash: `${Math.floor(n / 50)}`.padStart(16, "0"),
      bytes: 4_000,
      tokens: 1_160,
      fresh: true,
    },
    ladder: random.chance(0.3) ? [section] : [],
    ids: { lore: kept.slice(0, 10), channelNotes: kept.slice(10), chat: ids.map((id) => id * 7) },
    notes: {
      candidates: ids.map((id) => ({ id, score: 0.512345, terms: [0.412345, 0.1, 0, 0, 1] })),
      kept,
      dropped: ids.slice(CANDIDATES - 3),
    },
    loreRead: true,
    episodes: { kept: [1, 2, 3], dropped: [] },
    model: MODEL,
    finish: "stop",
    overBudget: false,
    guard: { removed: [], rule: null },
    actions: [],
  };
}

function writeNotes(db: Db, notes: number): void {
  const insert = db.prepare<[string, number]>(
    `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at,
       last_confirmed_at, use_count) VALUES ('${REPORTED_CHANNEL}', 'viewer', ?, 'profile', 'likes lamps', 0.8, 'active',
       'extracted', 1, 1, ?)`,
  );
  for (let n = 0; n < notes; n += 1) insert.run(String(n % 400), n % 3);
}
