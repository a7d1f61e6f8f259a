import { wrongUse } from "../errors.ts";
import { readLocalTime } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";

export interface PeriodAsked {
  /** A stream's number, or `last`. */
  readonly session: string | null;
  readonly since: string | null;
  readonly channel: string | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The period that was asked for: a stream, or a time until now. Where nothing was, the last stream, or the last day
 * where there was none. Throws a Fault for what cannot be meant. A rehearsal's clock may be ahead of `wallMs`.
 */
export function choosePeriod(db: Db, asked: PeriodAsked, wallMs: number): Period {
  const streams = streamStore(db);
  const nowMs = Math.max(wallMs, streams.latestMs());
  const { session, since, channel } = asked;
  if (channel !== null && !streams.channels().includes(channel))
    throw wrongUse(
      `nothing is known of a channel ${channel}`,
      "name one that the bot has joined, or leave --channel away",
    );
  if (since !== null && session !== null)
    throw wrongUse("--session and --since exclude each other", "leave one of them away");
  const channels = channel === null ? streams.channels() : [channel];
  if (since !== null) return sincePeriod(channels, sinceMs(since, nowMs), nowMs);
  const isLast = session === null || session === "last";
  const stream = isLast ? streams.last(channel) : streams.stream(numberIn(session));
  if (stream !== null && (isLast || channel === null || stream.channel === channel))
    return streamPeriod(stream, streams.nextStartMs(stream), nowMs);
  if (session !== null)
    throw wrongUse(
      "there is no such stream",
      "leave --session away for the last one, or use --since 24h",
    );
  return sincePeriod(channels, nowMs - DAY_MS, nowMs);
}

/** 0 for what is no number of a stream. */
function numberIn(session: string): number {
  return /^\d{1,15}$/.test(session) ? Number(session) : 0;
}

function sinceMs(since: string, nowMs: number): number {
  const fromMs = parseSince(since, nowMs);
  if (fromMs === null || fromMs > nowMs)
    throw wrongUse(
      `--since ${since}: no time in the past`,
      "such as 24h, 7d, 2026-05-01 or 2026-05-01T18:00 by your clock, or 2026-05-01T18:00Z",
    );
  return fromMs;
}

/** What a report is about, both ends included. */
export interface Period {
  /** null: a stretch of time, not a stream. */
  readonly sessionId: number | null;
  readonly channels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when calls to the model count: memory sums up what a stream left behind. */
  readonly callsToMs: number;
  /** False while the stream goes on. */
  readonly isOver: boolean;
}

/** How long after a stream memory may still work on it. */
const AFTERWORK_MS = HOUR_MS;
const SPAN = /^(\d{1,4})([hd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;

/** The period of a stream; memory's work counts until an hour later, or until the next stream begins. */
function streamPeriod(stream: StreamRow, nextStartMs: number | null, nowMs: number): Period {
  const toMs = stream.endedAtMs ?? nowMs;
  return {
    sessionId: stream.id,
    channels: [stream.channel],
    fromMs: stream.startedAtMs,
    toMs,
    callsToMs: Math.min(toMs + AFTERWORK_MS, nextStartMs ?? Number.POSITIVE_INFINITY),
    isOver: stream.endedAtMs !== null,
  };
}

/** From a time until now. */
function sincePeriod(channels: readonly string[], fromMs: number, nowMs: number): Period {
  return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
}

/**
 * `24h`, `7d`, `2026-05-01`, `2026-05-01T18:00`, `2026-05-01T18:00Z` as epoch ms; null for anything else. Without a Z or
 * an offset it is the time of this machine's zone, a day from its midnight on.
 */
function parseSince(text: string, nowMs: number): number | null {
  const [, amount, unit] = SPAN.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (unit === "h" ? HOUR_MS : DAY_MS);
  if (!DATE.test(text)) return null;
  const atMs = readLocalTime(text);
  return Number.isNaN(atMs) ? null : atMs;
}

/** A stream as a report finds it. */
export interface StreamRow {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  /** null while it runs. */
  readonly endedAtMs: number | null;
}

export function streamStore(db: Db) {
  const sql = statements(db);
  const streams = <Values extends unknown[]>(rest: string) =>
    sql.all<Values, StreamRow>(
      `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs FROM stream_sessions ${rest}`,
    );
  const one = streams<[number]>("WHERE id = ?");
  const newest = streams<[{ channel: string | null }]>(
    "WHERE :channel IS NULL OR channel = :channel ORDER BY id DESC LIMIT 1",
  );
  const earlier = streams<[string, number, number]>(
    "WHERE channel = ? AND started_at < ? ORDER BY started_at DESC LIMIT ?",
  );
  const latest = sql.value<[], number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1");
  const later = sql.value<[string, number], number>(
    "SELECT min(started_at) FROM stream_sessions WHERE channel = ? AND started_at > ?",
  );
  return {
    stream: (id: number): StreamRow | null => one(id)[0] ?? null,
    /** The newest; of one channel, or of all. */
    last: (channel: string | null): StreamRow | null => newest({ channel })[0] ?? null,
    /** The streams of a channel before one of them, newest first. */
    before: ({ channel, startedAtMs }: StreamRow, limit: number): readonly StreamRow[] =>
      earlier(channel, startedAtMs, limit),
    /** When the next one in its channel began; null where none did. */
    nextStartMs: ({ channel, startedAtMs }: StreamRow) => later(channel, startedAtMs),
    channels: sql.values<[], string>("SELECT channel FROM channel_state ORDER BY channel"),
    /** When the bot last had something to answer, by its own clock; 0 where it never had. */
    latestMs: (): number => latest() ?? 0,
  };
}
