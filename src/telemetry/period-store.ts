import { wrongUse } from "../errors.ts";
import { readLocalTime } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long after a stream memory may still work on it. */
const AFTERWORK_MS = HOUR_MS;

export interface PeriodAsked {
  /** A stream's number, or `last`. */
  readonly session: string | null;
  readonly since: string | null;
  readonly channel: string | null;
}

/** The period of a report, both ends included. */
export interface Period {
  /** Null if it is a span of time, not a stream. */
  readonly sessionId: number | null;
  readonly channels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when calls to the model count: memory summarises for a while after a stream. */
  readonly callsToMs: number;
  /** False while the stream goes on. */
  readonly isOver: boolean;
}

/**
 * Returns the stream or the time until now that the user asked for. Default: the last stream, or the last day if there
 * was none. Throws a Fault for anything impossible. A demo's clock may be ahead of `wallMs`.
 */
export function choosePeriod(
  db: Db,
  { session, since, channel }: PeriodAsked,
  wallMs: number,
): Period {
  const streams = streamStore(db);
  const nowMs = Math.max(wallMs, streams.latestMs());
  if (channel !== null && !streams.channels().includes(channel))
    throw wrongUse(
      `nothing is known of a channel ${channel}`,
      "name one that the bot has joined, or leave --channel away",
    );
  if (since !== null && session !== null)
    throw wrongUse("--session and --since exclude each other", "leave one of them away");
  const channels = channel === null ? streams.channels() : [channel];
  const sincePeriod = (fromMs: number): Period => {
    return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
  };
  if (since !== null) return sincePeriod(readSince(since, nowMs));
  const isLast = session === null || session === "last";
  const stream = isLast ? streams.last(channel) : streams.stream(session);
  if (stream !== null && (isLast || channel === null || stream.channel === channel)) {
    const toMs = stream.endedAtMs ?? nowMs;
    return {
      sessionId: stream.id,
      channels: [stream.channel],
      fromMs: stream.startedAtMs,
      toMs,
      callsToMs: Math.min(
        toMs + AFTERWORK_MS,
        streams.nextStartMs(stream) ?? Number.POSITIVE_INFINITY,
      ),
      isOver: stream.endedAtMs !== null,
    };
  }
  if (session !== null)
    throw wrongUse(
      "there is no such stream",
      "leave --session away for the last one, or use --since 24h",
    );
  return sincePeriod(nowMs - DAY_MS);
}

const SPAN = /^(\d{1,4})([hd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads `24h`, `7d`, `2026-05-01`, `2026-05-01T18:00` or `2026-05-01T18:00Z` as epoch ms. Without a Z or an offset it is
 * this machine's local time; a day begins at its midnight.
 */
function readSince(since: string, nowMs: number): number {
  const [, amount, unit] = SPAN.exec(since) ?? [];
  const fromMs =
    amount === undefined
      ? readLocalTime(DATE.test(since) ? since : "")
      : nowMs - Number(amount) * (unit === "h" ? HOUR_MS : DAY_MS);
  if (Number.isNaN(fromMs) || fromMs > nowMs)
    throw wrongUse(
      `--since ${since}: no time in the past`,
      "such as 24h, 7d, 2026-05-01 or 2026-05-01T18:00 by your clock, or 2026-05-01T18:00Z",
    );
  return fromMs;
}

interface StreamRow {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  /** Null while it goes on. */
  readonly endedAtMs: number | null;
}

export function streamStore(db: Db) {
  const sql = statements(db);
  const COLUMNS = "id, channel, started_at AS startedAtMs, ended_at AS endedAtMs";
  const one = sql.one<[number], StreamRow>(`SELECT ${COLUMNS} FROM stream_sessions WHERE id = ?`);
  const newest = sql.one<[{ channel: string | null }], StreamRow>(
    `SELECT ${COLUMNS} FROM stream_sessions WHERE :channel IS NULL OR channel = :channel ORDER BY id DESC LIMIT 1`,
  );
  const latest = sql.value<[], number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1");
  const later = sql.value<[string, number], number>(
    "SELECT min(started_at) FROM stream_sessions WHERE channel = ? AND started_at > ?",
  );
  return {
    /** Null for a text that is no stream's number. */
    stream: (id: string): StreamRow | null => (/^\d{1,15}$/.test(id) ? one(Number(id)) : null),
    /** The newest stream of a channel, or of all. */
    last: (channel: string | null): StreamRow | null => newest({ channel }),
    /** When the next stream in its channel began, or null. */
    nextStartMs: ({ channel, startedAtMs }: StreamRow) => later(channel, startedAtMs),
    channels: sql.values<[], string>("SELECT channel FROM channel_state ORDER BY channel"),
    /** When the bot last had something to answer; 0 if never. */
    latestMs: (): number => latest() ?? 0,
  };
}
