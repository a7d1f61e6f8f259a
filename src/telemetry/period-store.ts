import { readLocalTime } from "../config/local-time.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { wrongUse } from "../errors.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long after a stream memory may still work on it. */
const AFTERWORK_MS = HOUR_MS;

/** `session` is a stream's number, or `last`. */
export type PeriodAsked = Readonly<Record<"session" | "since" | "channel", string | null>>;

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
  const sql = statements(db);
  const known = joinedChannels(db);
  if (channel !== null && !known.includes(channel))
    throw wrongUse(
      `nothing is known of a channel ${channel}`,
      "name one that the bot has joined, or leave --channel away",
    );
  if (since !== null && session !== null)
    throw wrongUse("--session and --since exclude each other", "leave one of them away");
  const latest = sql.value<[], number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1")();
  const nowMs = Math.max(wallMs, latest ?? 0);
  const spanFrom = (fromMs: number): Period => {
    const channels = channel === null ? known : [channel];
    return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
  };
  if (since !== null) return spanFrom(readSince(since, nowMs));
  // A text that is no number finds no stream.
  const number = /^\d{1,15}$/.test(session ?? "") ? Number(session) : 0;
  const id = session === null || session === "last" ? null : number;
  // `endedAtMs` is null while it goes on; `nextAtMs` is when its channel's next stream began, or null.
  const stream = sql.one<
    [object],
    Record<"channel", string> &
      Record<"id" | "startedAtMs", number> &
      Record<"endedAtMs" | "nextAtMs", number | null>
  >(
    `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs,
       (SELECT min(started_at) FROM stream_sessions l WHERE l.channel = s.channel AND l.started_at > s.started_at) AS nextAtMs
     FROM stream_sessions s WHERE (:id IS NULL OR id = :id) AND (:channel IS NULL OR channel = :channel)
     ORDER BY id DESC LIMIT 1`,
  )({ id, channel });
  if (stream !== null) {
    const { endedAtMs, nextAtMs } = stream;
    const toMs = endedAtMs ?? nowMs;
    return {
      sessionId: stream.id,
      channels: [stream.channel],
      fromMs: stream.startedAtMs,
      toMs,
      callsToMs: Math.min(toMs + AFTERWORK_MS, nextAtMs ?? Number.POSITIVE_INFINITY),
      isOver: endedAtMs !== null,
    };
  }
  if (session === null) return spanFrom(nowMs - DAY_MS);
  throw wrongUse(
    "there is no such stream",
    "leave --session away for the last one, or use --since 24h",
  );
}

export function joinedChannels(db: Db): string[] {
  return statements(db).values<[], string>("SELECT channel FROM channel_state ORDER BY channel")();
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
