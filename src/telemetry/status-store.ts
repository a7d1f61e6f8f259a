import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { noteSums } from "../memory/note-view-store.ts";
import type { Tally } from "./figures.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Events that no episode covers yet. */
const WAITING = "FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL";

/** Counts and sums of the last hour and day. No text is read here. */
export function telemetryStore(db: Db, now: () => number) {
  const rows = <T>(query: string): T[] =>
    statements(db).all<[object], T>(query)({ hourMs: now() - HOUR_MS, dayMs: now() - DAY_MS });
  /** For a query that always finds one row. */
  const row = <T>(query: string): T => rows<T>(query)[0] as T;
  const lastDayBy = (column: string, from: string): Tally => {
    const found = rows<{ name: string; value: number }>(
      `SELECT ${column} AS name, count(*) AS value FROM ${from} AND created_at > :dayMs
       GROUP BY ${column} ORDER BY ${column}`,
    );
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  };
  const sumCalls = (which: string) =>
    row<{ calls: number; tokens: number; dollars: number | null }>(
      `SELECT count(*) AS calls, sum(dollars) AS dollars,
         coalesce(sum(coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0)), 0) AS tokens
       FROM llm_calls WHERE ${which}`,
    );
  return {
    counts: () => ({
      ...row<Record<"events" | "episodes" | "replies" | "viewers", number>>(
        `SELECT (SELECT count(*) FROM events) AS events,
           (SELECT count(*) FROM episodes WHERE kind IN ('window', 'direct') AND stage <> 'claimed') AS episodes,
           (SELECT count(*) FROM replies WHERE state = 'sent') AS replies,
           (SELECT count(*) FROM viewers) AS viewers`,
      ),
      notes: noteSums(db, now).active(),
    }),
    backlog: () =>
      row<
        Record<"waitingEvents" | "pendingEpisodes" | "failedEpisodes", number> &
          Record<"oldestWaitingAtMs", number | null>
      >(
        `SELECT (SELECT count(*) ${WAITING}) AS waitingEvents,
           (SELECT created_at FROM events WHERE id = (SELECT min(id) ${WAITING})) AS oldestWaitingAtMs,
           (SELECT count(*) FROM episodes WHERE status = 'pending') AS pendingEpisodes,
           (SELECT count(*) FROM episodes WHERE status = 'failed') AS failedEpisodes`,
      ),
    /** Dollars are null if no call had a known price. */
    spend: () => {
      const { calls, tokens, dollars } = sumCalls("created_at > :dayMs");
      return {
        callsLastHour: sumCalls("created_at > :hourMs").calls,
        callsLastDay: calls,
        tokensLastDay: tokens,
        dollarsLastDay: dollars,
        failuresLastDay: lastDayBy("outcome", "llm_calls WHERE outcome <> 'ok'"),
        answersLastDay: sumCalls("created_at > :dayMs AND purpose NOT IN ('summarise', 'extract')"),
        memoryLastDay: sumCalls("created_at > :dayMs AND purpose IN ('summarise', 'extract')"),
      };
    },
    /** `byReason`: why nothing was sent. */
    replies: () => ({
      byState: lastDayBy("state", "replies WHERE state IS NOT NULL"),
      byReason: lastDayBy("reason", "replies WHERE reason IS NOT NULL"),
    }),
    channels: () =>
      rows<{ channel: string; title: string; category: string; isLive: number | null }>(
        "SELECT channel, title, category, is_live AS isLive FROM channel_state ORDER BY channel",
      ),
  };
}

/** Counts what became of offered notes since a time, from `note_candidates`. */
export function noteTally(db: Db, now: () => number, sinceMs: number) {
  const all = statements(db).all<[number], { decision: string; reason: string; count: number }>(
    `SELECT decision, reason, count(*) AS count FROM note_candidates
     WHERE created_at > ? GROUP BY decision, reason ORDER BY count(*) DESC, reason`,
  )(sinceMs);
  const of = (name: string) => all.filter(({ decision }) => decision === name);
  const count = (name: string): number => of(name).reduce((total, row) => total + row.count, 0);
  return {
    /** Pending and shadow included. */
    made: count("write"),
    confirmed: count("confirm"),
    superseded: count("supersede"),
    evicted: count("evict"),
    dropped: count("drop"),
    droppedByReason: Object.fromEntries(of("drop").map((row) => [row.reason, row.count])) as Tally,
    /** Notes that wait for the streamer's approval now, whenever they were made. */
    waiting: noteSums(db, now).pending(),
  };
}
