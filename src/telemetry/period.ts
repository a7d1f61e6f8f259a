// Pure: values in, values out.
import { readLocalTime } from "../platform/config/local-time.ts";
import type { StreamRow } from "./stream-stats-store.ts";

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

const HOUR_MS = 3_600_000;
/** How long after a stream memory may still work on it. */
const AFTERWORK_MS = HOUR_MS;
const SPAN = /^(\d{1,4})([hd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;
/** A day, which the language would take for UTC's; with a time and no offset it takes it for this machine's. */

/** The period of a stream; memory's work counts until an hour later, or until the next stream begins. */
export function streamPeriod(stream: StreamRow, nextStartMs: number | null, nowMs: number): Period {
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
export function sincePeriod(channels: readonly string[], fromMs: number, nowMs: number): Period {
  return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
}

/**
 * `24h`, `7d`, `2026-05-01`, `2026-05-01T18:00`, `2026-05-01T18:00Z` as epoch ms; null for anything else. Without a Z or
 * an offset it is the time of this machine's zone, a day from its midnight on.
 */
export function parseSince(text: string, nowMs: number): number | null {
  const [, amount, unit] = SPAN.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (unit === "h" ? HOUR_MS : 24 * HOUR_MS);
  if (!DATE.test(text)) return null;
  const atMs = readLocalTime(text);
  return Number.isNaN(atMs) ? null : atMs;
}
