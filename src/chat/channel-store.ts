import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";

/** What Twitch says of a channel. */
interface ChannelFacts {
  readonly twitchId: string;
  readonly title: string;
  readonly category: string;
  readonly isLive: boolean;
  readonly startedAtMs: number | null;
  /** By its code, such as `de`; null where Twitch does not say. */
  readonly language?: string | null;
}

export interface ChannelStore {
  /**
   * Makes sure that the channel has a row, at start: so triggers can count its prefix's versions. Its live state is not
   * known then.
   */
  ensure(channel: string): void;
  /** The room id that chat names; enough to send by Helix before Helix was asked. The first one stays. */
  setTwitchId(channel: string, twitchId: string): void;
  /** Its streamer's user id. Where the database fails, what it gave last: an id never changes, and answers need it. */
  twitchId(channel: string): string | null;
  /**
   * Takes over what Twitch says; begins or ends a stream where that changed. True where a stream ended. What it says
   * of another account is nothing about this channel.
   */
  refresh(channel: string, facts: ChannelFacts): boolean;
  /** From now on nobody knows whether a channel is live: what Twitch said last says nothing of now. */
  forgetLive(channel: string): void;
  /** The code of the language that Twitch says the channel speaks; null where it is not known. */
  language(channel: string): string | null;
  /** null: not known. */
  isLive(channel: string): boolean | null;
  /** For channels whose live state cannot be known: somebody spoke, so a stream goes on. */
  noteActivity(channel: string): void;
  /** The stream that goes on, or null. */
  openSession(channel: string): number | null;
}

interface SessionRow {
  readonly id: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** A stream that comes back this soon is the same one: connections drop. */
const SAME_STREAM_MS = 10 * 60_000;
/** Where the live state is unknown, a silence this long ends the stream. */
const SILENCE_MS = 2 * 3_600_000;

/** SQL for when the running stream of `@channel` began, at `@nowMs`; null if none runs. */
export const OPEN_STREAM_START = `(SELECT min(started_at) FROM stream_sessions
  WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs)`;

const DAY_MS = 86_400_000;

/** SQL for the number of days with a stream in a channel since a time; both are SQL. */
export function streamDaysSince(channel: string, sinceMs: string): string {
  return `(SELECT count(DISTINCT s.started_at / ${DAY_MS}) FROM stream_sessions s
    WHERE s.channel = ${channel} AND s.started_at >= ${sinceMs})`;
}

/** Returns a function that counts the streams that began until a time. */
export function streamCounter(db: Db): (atMs: number) => number {
  const count = db
    .prepare<[number], number>("SELECT count(*) FROM stream_sessions WHERE started_at <= ?")
    .pluck();
  return (atMs) => count.get(atMs) ?? 0;
}

/** A channel as a prompt shows it. */
export interface ChannelState {
  readonly title: string;
  readonly category: string;
  /** null: not known. */
  readonly isLive: boolean | null;
  readonly prefixVersion: number;
  /** The stream that runs now; null if none does. */
  readonly sessionId: number | null;
  /** When it began. */
  readonly liveSinceMs: number | null;
  readonly recap: string | null;
  /** The last stream that ended; null if there is none. */
  readonly lastSessionId: number | null;
  /** Twitch's id of the channel, which is the streamer's; null until it is known. */
  readonly streamerId: string | null;
}

/** Reads what Twitch and the streams say of a channel, for prompts. Null for an unknown channel. */
export function channelStateReader(db: Db) {
  const sql = statements(db);
  const state = sql.one<[channel: string], ChannelState>(
    `SELECT title, category, is_live AS isLive, prefix_version AS prefixVersion, twitch_id AS streamerId,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS sessionId,
       (SELECT max(started_at) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS liveSinceMs,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NOT NULL) AS lastSessionId,
       (SELECT recap FROM stream_sessions s WHERE s.channel = c.channel AND recap IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS recap
     FROM channel_state c WHERE channel = ?`,
  );
  return {
    state: (channel: string): ChannelState | null => {
      const row = state(channel);
      // SQLite has no booleans.
      return row && { ...row, isLive: row.isLive === null ? null : Boolean(row.isLive) };
    },
    prefixVersion: sql.value<[channel: string], number>(
      "SELECT prefix_version FROM channel_state WHERE channel = ?",
    ),
  };
}

/** Returns a function that reads a channel's title and category in one text. */
export function titleReader(db: Db): (channel: string) => string {
  const title = db
    .prepare<[string], string>(
      "SELECT title || ' ' || category FROM channel_state WHERE channel = ?",
    )
    .pluck();
  return (channel) => title.get(channel) ?? "";
}

/** A stream that ended. */
export interface EndedStream {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Answers so far that were no recap. */
  readonly tries: number;
}

/** Reads and writes streams for memory: which one an episode belongs to, and their recaps. */
export function streamStore(db: Db) {
  const sql = statements(db);
  const between = sql.value<[{ channel: string; fromMs: number; toMs: number }], number>(
    `SELECT max(id) FROM stream_sessions
     WHERE channel = :channel AND started_at <= :toMs AND coalesce(ended_at, :fromMs) >= :fromMs`,
  );
  return {
    /** The last stream that ran between two times; null if none did. */
    between: (channel: string, fromMs: number, toMs: number) => between({ channel, fromMs, toMs }),
    /** Streams that ended since `sinceMs` and have no recap yet. */
    withoutRecap: sql.all<[channel: string, sinceMs: number, triesMax: number], EndedStream>(
      `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs, recap_tries AS tries FROM stream_sessions
       WHERE channel = ? AND ended_at > ? AND recap IS NULL AND recap_tries < ? ORDER BY id`,
    ),
    recapOf: sql.value<[sessionId: number], string>(
      "SELECT recap FROM stream_sessions WHERE id = ?",
    ),
    setRecap: sql.run<[recap: string | null, sessionId: number]>(
      "UPDATE stream_sessions SET recap = ? WHERE id = ?",
    ),
    setTries: sql.run<[tries: number, sessionId: number]>(
      "UPDATE stream_sessions SET recap_tries = ? WHERE id = ?",
    ),
  };
}

/** `patienceMs`: how long Twitch has to say whether a channel is live, before its chat alone begins a stream. */
export function channelStore(db: Db, now: () => number, patienceMs = 0): ChannelStore {
  const rows = channelStatements(db);
  const openIds = new Map<string, number>();
  const lastActivity = new Map<string, number>();
  const openedAtMs = now();
  /** Takes up the last stream where it is the same one, otherwise begins another. */
  const begin = (channel: string, startedAtMs: number, sameWithinMs: number): void => {
    const last = rows.lastSession.get(channel);
    const lastHeardAtMs = last === undefined ? 0 : (last.endedAtMs ?? lastSign(last, channel));
    if (last !== undefined && startedAtMs - lastHeardAtMs < sameWithinMs) {
      rows.reopen.run(last.id);
      openIds.set(channel, last.id);
      return;
    }
    rows.end.run(lastHeardAtMs, channel);
    openIds.set(channel, Number(rows.begin.run(channel, startedAtMs).lastInsertRowid));
  };
  const lastSign = (session: SessionRow, channel: string): number =>
    Math.max(session.startedAtMs, rows.lastSignAt.get({ channel }) ?? 0);
  /** Of a stream that this process did not see end, the end is when it was last heard of. */
  const end = (channel: string): boolean => {
    const last = rows.lastSession.get(channel);
    if (last === undefined || last.endedAtMs !== null) return false;
    rows.end.run(openIds.has(channel) ? now() : lastSign(last, channel), channel);
    openIds.delete(channel);
    return true;
  };

  const ids = new Map<string, string | null>();
  return {
    ensure: (channel) => {
      rows.ensure.run(channel);
      // What was true when the program ended says nothing about now.
      rows.forgetLive.run(channel);
    },
    setTwitchId: (channel, twitchId) => {
      rows.setTwitchId.run(twitchId, channel);
    },
    twitchId: (channel) => {
      try {
        ids.set(channel, rows.twitchId.get(channel) ?? null);
      } catch (cause) {
        if (!ids.has(channel)) throw cause;
      }
      return ids.get(channel) ?? null;
    },
    refresh: (channel, facts) =>
      db.transaction(() => {
        const { isLive, startedAtMs, twitchId } = facts;
        if ((rows.twitchId.get(channel) ?? twitchId) !== twitchId) return false;
        refresh(rows, channel, facts, now());
        if (!isLive) return end(channel);
        if (!openIds.has(channel)) begin(channel, startedAtMs ?? now(), SAME_STREAM_MS);
        return false;
      })(),
    forgetLive: (channel) => void rows.forgetLive.run(channel),
    language: (channel) => rows.language.get(channel) ?? null,
    isLive: (channel) => {
      const isLive = rows.isLive.get(channel);
      return isLive == null ? null : isLive === 1;
    },
    noteActivity: (channel) => {
      const atMs = now();
      const silentMs = atMs - (lastActivity.get(channel) ?? atMs);
      lastActivity.set(channel, atMs);
      if (openIds.has(channel) && silentMs < SILENCE_MS) return;
      if (atMs - openedAtMs < patienceMs || (rows.isLive.get(channel) ?? null) !== null) return;
      try {
        begin(channel, atMs, SILENCE_MS);
      } catch {
        // The database takes nothing right now: the next line tries again, and this one must not be lost for it.
      }
    },
    openSession: (channel) => openIds.get(channel) ?? null,
  };
}

function refresh(
  rows: ChannelStatements,
  channel: string,
  { twitchId, title, category, isLive, language }: ChannelFacts,
  nowMs: number,
): void {
  const live = isLive ? 1 : 0;
  rows.refresh.run(twitchId, title, category, live, nowMs, language ?? null, channel);
}

type ChannelStatements = ReturnType<typeof channelStatements>;

function channelStatements(db: Db) {
  return {
    ensure: db.prepare<[string]>(
      "INSERT INTO channel_state (channel) VALUES (?) ON CONFLICT (channel) DO NOTHING",
    ),
    setTwitchId: db.prepare<[string, string]>(
      "UPDATE channel_state SET twitch_id = ? WHERE channel = ? AND twitch_id IS NULL",
    ),
    twitchId: db
      .prepare<[string], string | null>("SELECT twitch_id FROM channel_state WHERE channel = ?")
      .pluck(),
    forgetLive: db.prepare<[string]>(
      "UPDATE channel_state SET is_live = NULL WHERE channel = ? AND is_live IS NOT NULL",
    ),
    isLive: db
      .prepare<[string], number | null>("SELECT is_live FROM channel_state WHERE channel = ?")
      .pluck(),
    language: db
      .prepare<[string], string | null>("SELECT language FROM channel_state WHERE channel = ?")
      .pluck(),
    refresh: db.prepare<[string, string, string, number, number, string | null, string]>(
      `UPDATE channel_state SET twitch_id = ?, title = ?, category = ?, is_live = ?, refreshed_at = ?,
         language = coalesce(?, language)
       WHERE channel = ?`,
    ),
    lastSession: db.prepare<[string], SessionRow>(
      `SELECT id, started_at AS startedAtMs, ended_at AS endedAtMs FROM stream_sessions
       WHERE channel = ? ORDER BY id DESC LIMIT 1`,
    ),
    lastSignAt: db
      .prepare<[{ channel: string }], number>(
        `SELECT max(
           coalesce((SELECT created_at FROM events WHERE channel = :channel ORDER BY id DESC LIMIT 1), 0),
           coalesce((SELECT max(ended_at) FROM episodes WHERE channel = :channel), 0))`,
      )
      .pluck(),
    begin: db.prepare<[string, number]>(
      "INSERT INTO stream_sessions (channel, started_at) VALUES (?, ?)",
    ),
    /** Its recap told of a part of it. */
    reopen: db.prepare<[number]>(
      "UPDATE stream_sessions SET ended_at = NULL, recap = NULL WHERE id = ?",
    ),
    end: db.prepare<[number, string]>(
      "UPDATE stream_sessions SET ended_at = ? WHERE channel = ? AND ended_at IS NULL",
    ),
  };
}
