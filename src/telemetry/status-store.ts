import { noteSums } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Tally } from "./figures.ts";

export interface Counts {
  readonly events: number;
  readonly episodes: number;
  readonly notes: number;
  readonly replies: number;
  readonly viewers: number;
}

export interface Backlog {
  /** Events that no episode covers yet. */
  readonly waitingEvents: number;
  readonly oldestWaitingAtMs: number | null;
  readonly pendingEpisodes: number;
  readonly failedEpisodes: number;
}

export interface SpendSummary {
  readonly callsLastHour: number;
  readonly callsLastDay: number;
  readonly tokensLastDay: number;
  /** null: no call had a model with a known price. */
  readonly dollarsLastDay: number | null;
  readonly failuresLastDay: Tally;
}

interface ChannelRow {
  readonly channel: string;
  readonly title: string;
  readonly category: string;
  readonly isLive: number | null;
  readonly refreshedAtMs: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Counts and sums for the streamer. No text is read here. */
export function telemetryStore(db: Db, now: () => number) {
  const { active } = noteSums(db, now);
  const counts = db.prepare<[], Omit<Counts, "notes">>(
    `SELECT (SELECT count(*) FROM events) AS events,
       (SELECT count(*) FROM episodes WHERE kind IN ('window', 'direct') AND stage <> 'claimed') AS episodes,
       (SELECT count(*) FROM replies WHERE state = 'sent') AS replies,
       (SELECT count(*) FROM viewers) AS viewers`,
  );
  const backlog = db.prepare<[], Backlog>(
    `SELECT (SELECT count(*) FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL) AS waitingEvents,
       (SELECT created_at FROM events WHERE id =
         (SELECT min(id) FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL)) AS oldestWaitingAtMs,
       (SELECT count(*) FROM episodes WHERE status = 'pending') AS pendingEpisodes,
       (SELECT count(*) FROM episodes WHERE status = 'failed') AS failedEpisodes`,
  );
  const spend = db.prepare<[number, number], Omit<SpendSummary, "failuresLastDay">>(
    `SELECT coalesce(sum(created_at > ?), 0) AS callsLastHour, count(*) AS callsLastDay,
       coalesce(sum(coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0)), 0) AS tokensLastDay,
       sum(dollars) AS dollarsLastDay
     FROM llm_calls WHERE created_at > ?`,
  );
  const failures = db.prepare<[number], TallyRow>(
    `SELECT outcome AS name, count(*) AS value FROM llm_calls
     WHERE created_at > ? AND outcome <> 'ok' GROUP BY outcome ORDER BY outcome`,
  );
  const byState = db.prepare<[number], TallyRow>(
    "SELECT state AS name, count(*) AS value FROM replies WHERE created_at > ? GROUP BY state ORDER BY state",
  );
  const byReason = db.prepare<[number], TallyRow>(
    `SELECT reason AS name, count(*) AS value FROM replies
     WHERE created_at > ? AND reason IS NOT NULL GROUP BY reason ORDER BY reason`,
  );
  const channels = db.prepare<[], ChannelRow>(
    `SELECT channel, title, category, is_live AS isLive, refreshed_at AS refreshedAtMs
     FROM channel_state ORDER BY channel`,
  );
  return {
    counts: (): Counts => {
      const rows = counts.get() ?? { events: 0, episodes: 0, replies: 0, viewers: 0 };
      const { events, episodes, ...others } = rows;
      return { events, episodes, notes: active(), ...others };
    },
    backlog: (): Backlog => backlog.get() ?? NO_BACKLOG,
    spend: (nowMs: number): SpendSummary => ({
      ...(spend.get(nowMs - HOUR_MS, nowMs - DAY_MS) ?? NO_SPEND),
      failuresLastDay: tally(failures.all(nowMs - DAY_MS)),
    }),
    /** Replies of the last 24 h by state, and by reason where nothing was sent. */
    replies: (nowMs: number): { readonly byState: Tally; readonly byReason: Tally } => ({
      byState: tally(byState.all(nowMs - DAY_MS)),
      byReason: tally(byReason.all(nowMs - DAY_MS)),
    }),
    channels: (): ChannelRow[] => channels.all(),
  };
}

interface TallyRow {
  readonly name: string;
  readonly value: number;
}

const NO_BACKLOG = {
  waitingEvents: 0,
  oldestWaitingAtMs: null,
  pendingEpisodes: 0,
  failedEpisodes: 0,
};
const NO_SPEND = { callsLastHour: 0, callsLastDay: 0, tokensLastDay: 0, dollarsLastDay: null };

function tally(rows: readonly TallyRow[]): Tally {
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** What became of the notes that were offered. */
export interface NoteTally {
  /** New ones, those that wait for approval or stay in the shadow among them. */
  readonly made: number;
  readonly confirmed: number;
  readonly superseded: number;
  /** Notes that made room under a cap. */
  readonly evicted: number;
  readonly dropped: number;
  readonly droppedByReason: Tally;
  /** That wait for the streamer's approval now, whenever they were made. */
  readonly waiting: number;
}

/** Counts, from `note_candidates`, what was decided since a time. */
export function noteTally(db: Db, now: () => number): (sinceMs: number) => NoteTally {
  const rows = db.prepare<[number], Row>(
    `SELECT decision, reason, count(*) AS count FROM note_candidates
     WHERE created_at > ? GROUP BY decision, reason ORDER BY count(*) DESC, reason`,
  );
  const { pending } = noteSums(db, now);
  return (sinceMs) => {
    const all = rows.all(sinceMs);
    const of = (name: string): readonly Row[] => all.filter(({ decision }) => decision === name);
    const count = (name: string): number => of(name).reduce((total, row) => total + row.count, 0);
    return {
      made: count("write"),
      confirmed: count("confirm"),
      superseded: count("supersede"),
      evicted: count("evict"),
      dropped: count("drop"),
      droppedByReason: Object.fromEntries(of("drop").map((row) => [row.reason, row.count])),
      waiting: pending(),
    };
  };
}

interface Row {
  readonly decision: string;
  readonly reason: string;
  readonly count: number;
}
