import { Fault } from "../errors.ts";
import type { Db } from "../platform/database/open-database.ts";
import { type Period, parseSince, sincePeriod, streamPeriod } from "./period.ts";
import { type StreamRow, streamStore } from "./stream-stats-store.ts";

export interface PeriodAsked {
  /** A stream's number, or `last`. */
  readonly session: string | null;
  readonly since: string | null;
  readonly channel: string | null;
}

const DAY_MS = 86_400_000;

/**
 * The period that was asked for: a stream, or a time until now. Where nothing was, the last stream, or the last day
 * where there was none. Throws a Fault for what cannot be meant. A rehearsal's clock may be ahead of `wallMs`.
 */
export function choosePeriod(db: Db, asked: PeriodAsked, wallMs: number): Period {
  const streams = streamStore(db);
  const nowMs = Math.max(wallMs, streams.latestMs());
  const { session, since, channel } = asked;
  if (channel !== null && !streams.channels().includes(channel)) throw noChannel(channel);
  const channels = channel === null ? streams.channels() : [channel];
  if (since !== null) {
    if (session !== null) throw twoPeriods();
    return sincePeriod(channels, sinceMs(since, nowMs), nowMs);
  }
  const stream =
    session === null || session === "last"
      ? streams.last(channel)
      : namedStream(session, channel, streams.stream);
  if (stream !== null) return streamPeriod(stream, streams.nextStartMs(stream), nowMs);
  if (session !== null) throw noStream();
  return sincePeriod(channels, nowMs - DAY_MS, nowMs);
}

function sinceMs(since: string, nowMs: number): number {
  const fromMs = parseSince(since, nowMs);
  if (fromMs === null || fromMs > nowMs) throw noTime(since);
  return fromMs;
}

function namedStream(
  session: string,
  channel: string | null,
  find: (id: number) => StreamRow | null,
): StreamRow {
  const found = /^\d{1,15}$/.test(session) ? find(Number(session)) : null;
  if (found === null || (channel !== null && found.channel !== channel)) throw noStream();
  return found;
}

function noStream(): Fault {
  return new Fault("there is no such stream", {
    code: "usage",
    mend: "leave --session away for the last one, or use --since 24h",
  });
}

function noTime(since: string): Fault {
  return new Fault(`--since ${since}: no time in the past`, {
    code: "usage",
    mend: "such as 24h, 7d, 2026-05-01 or 2026-05-01T18:00 by your clock, or 2026-05-01T18:00Z",
  });
}

function twoPeriods(): Fault {
  return new Fault("--session and --since exclude each other", {
    code: "usage",
    mend: "leave one of them away",
  });
}

function noChannel(channel: string): Fault {
  return new Fault(`nothing is known of a channel ${channel}`, {
    code: "usage",
    mend: "name one that the bot has joined, or leave --channel away",
  });
}
