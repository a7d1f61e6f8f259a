import { type Db, openDatabase } from "../../src/database/open-database.ts";
import type { Trail } from "../../src/reply/trail.ts";
import { addRow } from "../stand-ins/rows.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const START_MS = Date.UTC(2026, 4, 1, 18);

interface ReplyGiven {
  readonly atMs: number;
  readonly channel?: string;
  readonly state?: string;
  readonly reason?: string | null;
  readonly trail?: Partial<Trail> | null;
  readonly outcomes?: readonly string[];
}

/** A database written row by row, with whatever a report should find in it. */
export interface Ledgers {
  readonly db: Db;
  stream(startedAtMs: number, endedAtMs: number | null, channel?: string): number;
  reply(given: ReplyGiven): number;
  call(given: {
    readonly atMs: number;
    readonly purpose?: string;
    readonly model?: string;
    readonly dollars?: number | null;
  }): void;
  /** An episode and the notes it made, which are active. */
  episode(atMs: number, kinds: readonly string[]): readonly number[];
}

/** In a database of its own; or in one that is there, for the channel that it has. */
export function ledgers(
  given: { readonly db: Db; readonly channel: string } | null = null,
): Ledgers {
  const { db, channel: own } = given ?? { db: twoChannels(), channel: "here" };
  return {
    db,
    stream: (startedAtMs, endedAtMs, channel = own) =>
      addRow(db, "stream_sessions", { channel, started_at: startedAtMs, ended_at: endedAtMs }),
    reply: (given) => writeReply(db, { channel: own, ...given }),
    call: ({ atMs, purpose = "reply", model = "m1", dollars = 0.01 }) => {
      db.prepare(
        `INSERT INTO llm_calls (purpose, model, prompt_tokens, cached_tokens, output_tokens, estimated_tokens,
           latency_ms, outcome, dollars, created_at) VALUES (?, ?, 1000, 400, 20, 990, 500, 'ok', ?, ?)`,
      ).run(purpose, model, dollars, atMs);
    },
    episode: (atMs, kinds) => writeEpisode(db, own, { atMs, kinds }),
  };
}

function twoChannels(): Db {
  const db = openDatabase(":memory:");
  db.exec("INSERT INTO channel_state (channel) VALUES ('here'), ('there')");
  return db;
}

function writeReply(
  db: Db,
  {
    atMs,
    channel,
    state = "sent",
    reason = null,
    trail = {},
    outcomes = [],
  }: ReplyGiven & { readonly channel: string },
): number {
  const id = addRow(db, "replies", {
    ...{ channel, user_id: "7", state, reason, created_at: atMs, model: "m1", finish: "stop" },
    sent_at: state === "sent" ? atMs + 900 : null,
    latency_ms: state === "refused" ? null : 800,
    token_usage_json:
      trail === null || state === "refused" ? null : JSON.stringify(trailWith(trail)),
  });
  for (const kind of outcomes)
    db.prepare("INSERT INTO reply_outcomes (reply_id, kind, created_at) VALUES (?, ?, 1)").run(
      id,
      kind,
    );
  return id;
}

function writeEpisode(
  db: Db,
  channel: string,
  { atMs, kinds }: { readonly atMs: number; readonly kinds: readonly string[] },
): readonly number[] {
  const at = { created_at: atMs };
  const whole = { ...at, started_at: atMs - 60_000, ended_at: atMs };
  const episode = addRow(db, "episodes", { channel, event_count: 30, ...whole });
  return kinds.map((kind) => {
    const fact = { channel, subject_id: "7", kind, fact: "keeps bees" };
    const id = addRow(db, "semantic_notes", { ...fact, ...at, last_confirmed_at: atMs });
    addRow(db, "note_evidence", { note_id: id, episode_id: episode, ...at });
    addRow(db, "note_candidates", { note_id: id, episode_id: episode, ...at });
    return id;
  });
}

/** A trail as a reply leaves it, with some of it as a test wants it. */
export function trailWith(over: Partial<Trail> = {}): Trail {
  return {
    version: 2,
    rulesVersion: "3",
    messageKind: "mention",
    pace: "normal",
    budgetTokens: 4_000,
    limitTokens: 3_800,
    estimatedTokens: 1_000,
    correction: 1,
    promptTokens: 1_000,
    cachedTokens: 400,
    outputTokens: 20,
    sections: { persona: 600, channelNotes: 0, lore: 100, chat: 300 },
    prefix: { version: 1, hash: "a".repeat(16), bytes: 2_400, tokens: 600, fresh: true },
    ladder: [],
    ids: {},
    notes: { candidates: [], kept: [], dropped: [] },
    loreRead: true,
    episodes: { kept: [], dropped: [] },
    model: "m1",
    finish: "stop",
    overBudget: false,
    guard: { removed: [], rule: null },
    actions: [],
    ...over,
  };
}
