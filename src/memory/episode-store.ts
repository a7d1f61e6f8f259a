import { nameable } from "../chat/viewer-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { NamedPerson } from "./labels.ts";
import type { Waiting } from "./windows.ts";

/** One event of a window, as a transcript needs it. */
export interface WindowEvent {
  readonly id: number;
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly isStreamer: boolean;
  /** Answers another message. */
  readonly isReply: boolean;
  readonly text: string;
  readonly createdAtMs: number;
}

export type EpisodeKind = "window" | "direct" | "request" | "operator" | "import" | "gap";

/** An episode whose events are claimed, and which no model has summarised yet. */
export interface ClaimedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly kind: EpisodeKind;
  readonly attempts: number;
}

export interface CheckedClaim {
  readonly scope: "viewer" | "channel" | "bit";
  readonly subjectId: string | null;
  /** With person tokens, never names. */
  readonly statement: string;
  readonly eventIds: readonly number[];
  /** Little of it was in the quoted lines: a second episode has to say it. */
  readonly isWeak: boolean;
  /** How many people said it. */
  readonly carriers: number;
}

export interface Summary {
  readonly topic: string;
  readonly summary: string;
  readonly claims: readonly CheckedClaim[];
}

/** What a summary was made from. */
interface WindowRead {
  readonly eventIds: readonly number[];
  /** The forget mark when it was read. */
  readonly mark: number;
  /** When notes are made of it at the latest; sooner where other episodes wait, too. */
  readonly notesAtMs: number;
}

/** A conversation of one person with the bot that waits to be remembered. */
interface DirectTalk {
  readonly userId: string;
  readonly events: number;
}

export interface EpisodeStore {
  /** Events that no episode covers yet, of those written until `untilMs`; counted up to a thousand. */
  waiting(channel: string, untilMs: number): Waiting;
  /** People who talked with the bot, whose last line is older than `quietBeforeMs`. */
  directTalks(
    channel: string,
    range: { readonly eventsMin: number; readonly quietBeforeMs: number },
  ): DirectTalk[];
  /** Makes an episode of the next `count` waiting events; of one person's alone where one is named. */
  claim(window: {
    readonly channel: string;
    readonly kind: "window" | "direct";
    readonly count: number;
    readonly userId: string | null;
  }): number | null;
  /** Episodes to be summarised whose time has come, oldest first. */
  due(channel: string, nowMs: number): ClaimedEpisode[];
  /** What is left of an episode's events, in order. */
  events(episodeId: number): WindowEvent[];
  /** What is read for a summary is out of date once this changes: somebody was forgotten. */
  forgetMark(): number;
  /**
   * Writes what was learned, if every event that the model read still has its text, and nobody was forgotten since it
   * was read; false where it is out of date.
   */
  complete(episodeId: number, read: WindowRead, summary: Summary): boolean;
  /** A try that failed: when to try again. */
  postpone(episodeId: number, attempts: number, nextAttemptAtMs: number): void;
  /** Moves these events to an episode of their own, with the same number of tries. */
  split(episodeId: number, eventIds: readonly number[], attempts: number): number;
  /** Gives up on an episode: no text, counted, its events done with. */
  toGap(episodeId: number): void;
  /** Whom a text may name: who was seen in a channel last, and everybody of whom nothing is kept. */
  people(channel: string, limit: number): NamedPerson[];
}

export function episodeStore(db: Db, now: () => number): EpisodeStore {
  return { ...windowReads(db), ...windowWrites(db, now) };
}

type Reads = Pick<EpisodeStore, "waiting" | "directTalks" | "due" | "events" | "people">;
type Writes = Omit<EpisodeStore, keyof Reads>;

interface ClaimRow extends Omit<CheckedClaim, "eventIds" | "isWeak"> {
  readonly episodeId: number;
  readonly n: number;
  readonly eventIds: string;
  readonly isWeak: number;
}

const WAITS = "memorable = 1 AND no_window = 0 AND episode_id IS NULL AND text IS NOT NULL";
const ASK_FOR_NOTES = { stage: "summarised", status: "pending" } as const;
const FINISHED = { stage: "extracted", status: "done" } as const;
/** Lines said to the bot that make a conversation. */
const TO_BOT_MIN = 3;
/** Names that are kept out of memory, at most. */
const OPTED_OUT_MAX = 10_000;
/** More than any window takes: enough to tell a backlog. */
const WAITING_COUNT_MAX = 1_000;

function windowReads(db: Db): Reads {
  const waiting = db.prepare<
    [string, number],
    { events: number; newestAtMs: number | null; oldestAtMs: number | null }
  >(
    `SELECT count(*) AS events, max(created_at) AS newestAtMs, min(created_at) AS oldestAtMs FROM
       (SELECT created_at FROM events WHERE channel = ? AND ${WAITS} AND created_at <= ?
        ORDER BY id LIMIT ${WAITING_COUNT_MAX})`,
  );
  const direct = db.prepare<[string, number, number], DirectTalk>(
    `SELECT user_id AS userId, count(*) AS events FROM
       (SELECT user_id, to_bot, created_at FROM events WHERE channel = ? AND ${WAITS} AND user_id IS NOT NULL
        ORDER BY id LIMIT ${WAITING_COUNT_MAX})
     GROUP BY user_id HAVING sum(to_bot) >= ${TO_BOT_MIN} AND count(*) >= ? AND max(created_at) < ?`,
  );
  const due = db.prepare<[string, number], ClaimedEpisode>(
    `SELECT id, channel, kind, attempts FROM episodes
     WHERE channel = ? AND status = 'pending' AND stage = 'claimed' AND coalesce(next_attempt_at, 0) <= ?
     ORDER BY id`,
  );
  const events = db.prepare<
    [number],
    Omit<WindowEvent, "isStreamer" | "isReply"> & { isStreamer: number; isReply: number }
  >(
    `SELECT e.id, e.user_id AS userId, v.login, v.display_name AS displayName, e.parent_id IS NOT NULL AS isReply, e.text,
       e.created_at AS createdAtMs, coalesce(c.is_broadcaster, 0) AS isStreamer
     FROM events e JOIN viewers v ON v.user_id = e.user_id
     LEFT JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = e.user_id
     WHERE e.episode_id = ? AND e.text IS NOT NULL AND v.opted_out = 0 ORDER BY e.id`,
  );
  const people = nameable(db);
  return {
    waiting: (channel, untilMs) => {
      const row = waiting.get(channel, untilMs);
      const { events: count = 0, newestAtMs, oldestAtMs } = row ?? {};
      return { events: count, newestAtMs: newestAtMs ?? 0, oldestAtMs: oldestAtMs ?? 0 };
    },
    directTalks: (channel, { eventsMin, quietBeforeMs }) =>
      direct.all(channel, eventsMin, quietBeforeMs),
    due: (channel, nowMs) => due.all(channel, nowMs),
    events: (episodeId) =>
      events
        .all(episodeId)
        .map((row) => ({ ...row, isStreamer: row.isStreamer === 1, isReply: row.isReply === 1 })),
    people: (channel, limit) => [
      ...people.inChannel(channel, limit),
      ...people.optedOut(OPTED_OUT_MAX),
    ],
  };
}

function windowWrites(db: Db, now: () => number): Writes {
  const take = takeStatements(db);
  const put = putStatements(db);
  const mark = forgetMark(db);
  const settle = (episodeId: number): void => {
    put.span.run({ id: episodeId });
    put.participants.run(episodeId, episodeId);
  };
  return {
    claim: (window) =>
      db.transaction(() => {
        const { channel, kind, count, userId } = window;
        const ids =
          userId === null ? take.next.all(channel, count) : take.nextOf.all(channel, userId, count);
        if (ids.length === 0) return null;
        const id = Number(take.begin.run(channel, kind, now()).lastInsertRowid);
        for (const eventId of ids) take.assign.run(id, eventId);
        settle(id);
        return id;
      })(),
    forgetMark: mark,
    complete: (episodeId, read, summary) =>
      db.transaction(() => {
        const left = new Set(put.textIds.all(episodeId));
        if (read.mark !== mark() || !read.eventIds.every((id) => left.has(id))) return false;
        // Without claims there is nothing to make notes of: the episode is never asked about again.
        const stage = summary.claims.length > 0 ? ASK_FOR_NOTES : FINISHED;
        const notesAtMs = summary.claims.length > 0 ? read.notesAtMs : null;
        put.summarise.run(
          summary.topic,
          summary.summary,
          stage.stage,
          stage.status,
          notesAtMs,
          episodeId,
        );
        summary.claims.forEach((claim, index) => {
          const ids = JSON.stringify(claim.eventIds);
          put.claim.run({
            ...claim,
            episodeId,
            n: index + 1,
            eventIds: ids,
            isWeak: claim.isWeak ? 1 : 0,
          });
        });
        return true;
      })(),
    postpone: (episodeId, attempts, nextAttemptAtMs) => {
      put.postpone.run(attempts, nextAttemptAtMs, episodeId);
    },
    split: (episodeId, eventIds, attempts) =>
      db.transaction(() => {
        const id = Number(put.copy.run(attempts, now(), episodeId).lastInsertRowid);
        for (const eventId of eventIds) take.assign.run(id, eventId);
        put.postpone.run(attempts, 0, episodeId);
        put.forgetParticipants.run(episodeId);
        settle(episodeId);
        settle(id);
        return id;
      })(),
    toGap: (episodeId) => {
      put.gap.run(episodeId);
    },
  };
}

function takeStatements(db: Db) {
  return {
    next: db
      .prepare<[string, number], number>(
        `SELECT id FROM events WHERE channel = ? AND ${WAITS} ORDER BY id LIMIT ?`,
      )
      .pluck(),
    nextOf: db
      .prepare<[string, string, number], number>(
        `SELECT id FROM events WHERE channel = ? AND user_id = ? AND ${WAITS} ORDER BY id LIMIT ?`,
      )
      .pluck(),
    begin: db.prepare<[string, string, number]>(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at)
       VALUES (?, ?, 0, 0, 0, ?)`,
    ),
    assign: db.prepare<[number, number]>("UPDATE events SET episode_id = ? WHERE id = ?"),
  };
}

function putStatements(db: Db) {
  return {
    span: db.prepare<[{ id: number }]>(
      `UPDATE episodes SET event_count = s.n, started_at = s.first, ended_at = s.last,
         session_id = (SELECT max(t.id) FROM stream_sessions t WHERE t.channel = episodes.channel
           AND t.started_at <= s.last AND coalesce(t.ended_at, s.first) >= s.first)
       FROM (SELECT count(*) AS n, min(created_at) AS first, max(created_at) AS last
             FROM events WHERE episode_id = :id) AS s
       WHERE id = :id`,
    ),
    participants: db.prepare<[number, number]>(
      `INSERT INTO episode_participants (episode_id, user_id)
       SELECT DISTINCT ?, user_id FROM events WHERE episode_id = ? AND user_id IS NOT NULL`,
    ),
    forgetParticipants: db.prepare<[number]>(
      "DELETE FROM episode_participants WHERE episode_id = ?",
    ),
    textIds: db
      .prepare<[number], number>("SELECT id FROM events WHERE episode_id = ? AND text IS NOT NULL")
      .pluck(),
    summarise: db.prepare<[string, string, string, string, number | null, number]>(
      `UPDATE episodes SET topic = ?, summary = ?, stage = ?, status = ?, attempts = 0, next_attempt_at = ?
       WHERE id = ?`,
    ),
    claim: db.prepare<[ClaimRow]>(
      `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json, is_weak, carriers)
       VALUES (:episodeId, :n, :scope, :subjectId, :statement, :eventIds, :isWeak, :carriers)`,
    ),
    postpone: db.prepare<[number, number, number]>(
      "UPDATE episodes SET attempts = ?, next_attempt_at = ? WHERE id = ?",
    ),
    copy: db.prepare<[number, number, number]>(
      `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, attempts, next_attempt_at, created_at)
       SELECT channel, kind, session_id, 0, started_at, ended_at, ?, 0, ? FROM episodes WHERE id = ?`,
    ),
    gap: db.prepare<[number]>(
      `UPDATE episodes SET kind = 'gap', topic = '', summary = '', stage = 'extracted', status = 'failed',
         next_attempt_at = NULL WHERE id = ?`,
    ),
  };
}

/**
 * A function that tells how often anybody was forgotten, in whichever process: triggers of schema.sql count it. What a
 * model wrote before it changed may name somebody who is not to be named any more.
 */
export function forgetMark(db: Db): () => number {
  const read = db
    .prepare<[], number>("SELECT value FROM counters WHERE name = 'removed.people'")
    .pluck();
  return () => read.get() ?? 0;
}
