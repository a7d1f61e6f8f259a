import { type Db, openDatabase } from "../../src/database/open-database.ts";
import type { Trail } from "../../src/reply/trail.ts";

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
      Number(
        db
          .prepare("INSERT INTO stream_sessions (channel, started_at, ended_at) VALUES (?, ?, ?)")
          .run(channel, startedAtMs, endedAtMs).lastInsertRowid,
      ),
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
  const id = Number(
    db
      .prepare(
        `INSERT INTO replies (channel, user_id, "trigger", state, reason, created_at, sent_at, model, finish,
           latency_ms, token_usage_json) VALUES (?, '7', 'mention', ?, ?, ?, ?, 'm1', 'stop', ?, ?)`,
      )
      .run(
        channel,
        state,
        reason,
        atMs,
        state === "sent" ? atMs + 900 : null,
        state === "refused" ? null : 800,
        trail === null || state === "refused" ? null : JSON.stringify(trailWith(trail)),
      ).lastInsertRowid,
  );
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
  const episodeId = db
    .prepare(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
       VALUES (?, 'window', 30, ?, ?, 'extracted', 'done', ?)`,
    )
    .run(channel, atMs - 60_000, atMs, atMs).lastInsertRowid;
  return kinds.map((kind) => {
    const id = Number(
      db
        .prepare(
          `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, confidence, status, source_kind,
             created_at, last_confirmed_at) VALUES (?, 'viewer', '7', ?, 'keeps bees', .8, 'active', 'extracted', ?, ?)`,
        )
        .run(channel, kind, atMs, atMs).lastInsertRowid,
    );
    db.prepare(
      `INSERT INTO note_evidence (note_id, episode_id, method, confidence, created_at)
       VALUES (?, ?, 'extracted', .8, ?)`,
    ).run(id, episodeId, atMs);
    db.prepare(
      `INSERT INTO note_candidates (episode_id, decision, reason, note_id, created_at) VALUES (?, 'write', 'new', ?, ?)`,
    ).run(episodeId, id, atMs);
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
