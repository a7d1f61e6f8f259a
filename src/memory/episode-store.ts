import { calmSince, IS_KNOWN } from "../chat/known-store.ts";
import { momentReader } from "../chat/moment-store.ts";
import { nameable } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import type { NamedPerson } from "./labels.ts";
import type { How } from "./summary-prompt.ts";
import type { TranscriptLine } from "./transcript.ts";
import type { Waiting } from "./windows.ts";

/** One event of a window, with its writer's names. */
export interface WindowEvent extends TranscriptLine {
  readonly login: string;
  readonly displayName: string;
  readonly atMs: number;
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
  /** Messages of others that lent it a word. */
  readonly borrowedIds: readonly number[];
  /** The checks leave a doubt: it never makes a note active. */
  readonly isWeak: boolean;
  /** The people whose messages prove it. */
  readonly carriers: readonly string[];
  readonly how: How;
  /** Local day (2026-05-01) that it is about. */
  readonly happensOn: string | null;
}

export interface Summary {
  readonly topic: string;
  readonly summary: string;
  /** Sentences without known carriers: only the page shows them. */
  readonly unproven: string;
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

export type EpisodeStore = ReturnType<typeof episodeStore>;

/** Windows of chat, from their claim to their summary. */
export function episodeStore(db: Db, now: () => number) {
  return { ...windowReads(db, now), ...windowClaims(db, now), ...windowEnds(db) };
}

const WAITS = "memorable = 1 AND no_window = 0 AND episode_id IS NULL AND text IS NOT NULL";
/** Lines said to the bot that make a conversation. */
const TO_BOT_MIN = 3;
/** People of the channel whose names are replaced when somebody mentions them. */
const KNOWN_PEOPLE_MAX = 300;
/** Names that are kept out of memory, at most. */
const OPTED_OUT_MAX = 10_000;
/** More than any window takes: enough to tell a backlog. */
const WAITING_COUNT_MAX = 1_000;

/** How far back the words of known people carry a sentence of a summary. */
const EARLIER_LINES_MAX = 400;
const MOMENTS_MAX = 3;
/** Streams after which a viewer's login is known well enough that a bare word may mean them. */
const REGULAR_STREAMS_MIN = 3;
const REGULARS_MAX = 10_000;

type Flags = "isStreamer" | "isReply" | "isModerator" | "isKnown" | "isAction";
type EventRow = Omit<WindowEvent, Flags> & Readonly<Record<Flags, number>>;

function windowReads(db: Db, now: () => number) {
  const sql = statements(db);
  const waiting = sql.one<[{ channel: string; untilMs: number }], Waiting>(
    `SELECT count(*) AS events, coalesce(max(created_at), 0) AS newestAtMs, coalesce(min(created_at), 0) AS oldestAtMs,
       count(CASE WHEN created_at > :untilMs - 60000 THEN 1 END) AS lastMinute
     FROM (SELECT created_at FROM events WHERE channel = :channel AND ${WAITS} AND created_at <= :untilMs
       ORDER BY id LIMIT ${WAITING_COUNT_MAX})`,
  );
  const events = sql.all<[{ episodeId: number; calmSince: string }], EventRow>(
    `SELECT e.id, e.user_id AS userId, v.login, v.display_name AS displayName, e.parent_id IS NOT NULL AS isReply, e.text,
       e.created_at AS atMs, e.kind = 'action' AS isAction, coalesce(c.is_broadcaster, 0) AS isStreamer,
       coalesce(c.is_moderator, 0) AS isModerator, coalesce(${IS_KNOWN}, 0) AS isKnown
     FROM events e JOIN viewers v ON v.user_id = e.user_id
     LEFT JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = e.user_id
     WHERE e.episode_id = :episodeId AND e.text IS NOT NULL AND v.opted_out = 0 ORDER BY e.id`,
  );
  const earlier = sql.all<
    [{ channel: string; beforeId: number; calmSince: string }],
    { userId: string; isStreamer: number; text: string }
  >(
    `SELECT said.user_id AS userId, c.is_broadcaster AS isStreamer, said.text FROM
       (SELECT user_id, text FROM events WHERE channel = :channel AND id < :beforeId AND text IS NOT NULL
          AND memorable = 1 ORDER BY id DESC LIMIT ${EARLIER_LINES_MAX}) said
     JOIN viewers v ON v.user_id = said.user_id AND v.opted_out = 0
     JOIN viewer_channels c ON c.channel = :channel AND c.user_id = said.user_id WHERE ${IS_KNOWN}`,
  );
  const title = sql.value<[string], string>(
    "SELECT title || ' ' || category FROM channel_state WHERE channel = ?",
  );
  const moments = momentReader(db);
  const people = nameable(db);
  const regularLogins = sql.values<[string], string>(
    `SELECT v.login FROM viewer_channels c JOIN viewers v ON v.user_id = c.user_id
     WHERE c.channel = ? AND c.is_broadcaster = 0 AND c.stream_count >= ${REGULAR_STREAMS_MIN}
     ORDER BY c.last_seen_at DESC LIMIT ${REGULARS_MAX}`,
  );
  return {
    /** Events that no episode covers yet, of those written until `untilMs`; counted up to a thousand. */
    waiting: (channel: string, untilMs: number): Waiting =>
      waiting({ channel, untilMs }) ?? { events: 0, newestAtMs: 0, oldestAtMs: 0, lastMinute: 0 },
    /** People who talked with the bot, in so many lines, the last of them before `quietBeforeMs`. */
    directTalks: sql.all<
      [channel: string, eventsMin: number, quietBeforeMs: number],
      { userId: string; events: number }
    >(
      `SELECT user_id AS userId, count(*) AS events FROM
         (SELECT user_id, to_bot, created_at FROM events WHERE channel = ? AND ${WAITS} AND user_id IS NOT NULL
          ORDER BY id LIMIT ${WAITING_COUNT_MAX})
       GROUP BY user_id HAVING sum(to_bot) >= ${TO_BOT_MIN} AND count(*) >= ? AND max(created_at) < ?`,
    ),
    /** Episodes to be summarised whose time has come, oldest first. */
    due: sql.all<[channel: string, nowMs: number], ClaimedEpisode>(
      `SELECT id, channel, kind, attempts FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'claimed' AND coalesce(next_attempt_at, 0) <= ?
       ORDER BY id`,
    ),
    /** What is left of an episode's events, in order. */
    events: (episodeId: number): WindowEvent[] =>
      events({ episodeId, calmSince: calmSince(now()) }).map((row) => ({
        ...row,
        isStreamer: row.isStreamer === 1,
        isReply: row.isReply === 1,
        isModerator: row.isModerator === 1,
        isKnown: row.isKnown === 1,
        isAction: row.isAction === 1,
      })),
    /** The up to 400 messages before event `beforeId`, of known people alone. */
    earlier: (channel: string, beforeId: number) =>
      earlier({ channel, beforeId, calmSince: calmSince(now()) }).map(
        ({ isStreamer, ...line }) => ({ ...line, isStreamer: isStreamer === 1 }),
      ),
    /** Title and category, in one text. */
    titleOf: (channel: string): string => title(channel) ?? "",
    /** Logins of viewers who were seen in three streams, without the streamer. */
    regularLogins: (channel: string): string[] => regularLogins(channel),
    /** The latest moments since a time. */
    moments: (channel: string, sinceMs: number) => moments.since(channel, sinceMs, MOMENTS_MAX),
    /** Whom a text may name: who was seen in a channel last, and everybody of whom nothing is kept. */
    people: (channel: string): NamedPerson[] => [
      ...people.inChannel(channel, KNOWN_PEOPLE_MAX),
      ...people.optedOut(OPTED_OUT_MAX),
    ],
  };
}

function windowClaims(db: Db, now: () => number) {
  const sql = statements(db);
  const next = sql.values<[string, number], number>(
    `SELECT id FROM events WHERE channel = ? AND ${WAITS} ORDER BY id LIMIT ?`,
  );
  const nextOf = sql.values<[string, string, number], number>(
    `SELECT id FROM events WHERE channel = ? AND user_id = ? AND ${WAITS} ORDER BY id LIMIT ?`,
  );
  const begin = sql.insert<[string, string, number]>(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at)
     VALUES (?, ?, 0, 0, 0, ?)`,
  );
  const copy = sql.insert<[number, number, number]>(
    `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, attempts, next_attempt_at, created_at)
     SELECT channel, kind, session_id, 0, started_at, ended_at, ?, 0, ? FROM episodes WHERE id = ?`,
  );
  const assign = sql.run<[number, number]>("UPDATE events SET episode_id = ? WHERE id = ?");
  const forgetParticipants = sql.run<[number]>(
    "DELETE FROM episode_participants WHERE episode_id = ?",
  );
  const settle = spanSettler(db);
  const postpone = postponer(db);
  return {
    /** Makes an episode of the next `count` waiting events; of one person's alone where one is named. */
    claim: (window: {
      readonly channel: string;
      readonly kind: "window" | "direct";
      readonly count: number;
      readonly userId: string | null;
    }): number | null =>
      db.transaction(() => {
        const { channel, kind, count, userId } = window;
        const ids = userId === null ? next(channel, count) : nextOf(channel, userId, count);
        if (ids.length === 0) return null;
        const id = begin(channel, kind, now());
        for (const eventId of ids) assign(id, eventId);
        settle(id);
        return id;
      })(),
    postpone,
    /** Moves these events to an episode of their own, with the same number of tries. */
    split: (episodeId: number, eventIds: readonly number[], attempts: number): number =>
      db.transaction(() => {
        const id = copy(attempts, now(), episodeId);
        for (const eventId of eventIds) assign(id, eventId);
        postpone(episodeId, attempts, 0);
        forgetParticipants(episodeId);
        settle(episodeId);
        settle(id);
        return id;
      })(),
  };
}

/** A function that says of an episode what its events tell: when it was, in which stream, and who took part. */
function spanSettler(db: Db): (episodeId: number) => void {
  const sql = statements(db);
  const span = sql.run<[{ id: number }]>(
    `UPDATE episodes SET event_count = s.n, started_at = s.first, ended_at = s.last,
       session_id = (SELECT max(t.id) FROM stream_sessions t WHERE t.channel = episodes.channel
         AND t.started_at <= s.last AND coalesce(t.ended_at, s.first) >= s.first)
     FROM (SELECT count(*) AS n, min(created_at) AS first, max(created_at) AS last
           FROM events WHERE episode_id = :id) AS s
     WHERE id = :id`,
  );
  const participants = sql.run<[{ id: number }]>(
    `INSERT INTO episode_participants (episode_id, user_id)
     SELECT DISTINCT :id, user_id FROM events WHERE episode_id = :id AND user_id IS NOT NULL`,
  );
  return (id) => {
    span({ id });
    participants({ id });
  };
}

/** A function that notes down a try that failed: when to try again. */
export function postponer(db: Db): (id: number, attempts: number, atMs: number) => void {
  const postpone = statements(db).run<[number, number, number]>(
    "UPDATE episodes SET attempts = ?, next_attempt_at = ? WHERE id = ?",
  );
  return (id, attempts, atMs) => void postpone(attempts, atMs, id);
}

function windowEnds(db: Db) {
  const sql = statements(db);
  const textIds = sql.values<[number], number>(
    "SELECT id FROM events WHERE episode_id = ? AND text IS NOT NULL",
  );
  // Without claims there is nothing to make notes of: the episode is never asked about again.
  const summarise = sql.run<[Omit<Summary, "claims"> & { id: number; notesAtMs: number | null }]>(
    `UPDATE episodes SET topic = :topic, summary = :summary, unproven = :unproven, attempts = 0, next_attempt_at = :notesAtMs,
       stage = iif(:notesAtMs IS NULL, 'extracted', 'summarised'),
       status = iif(:notesAtMs IS NULL, 'done', 'pending') WHERE id = :id`,
  );
  const addClaim = sql.run<[Readonly<Record<string, string | number | null>>]>(
    `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json, is_weak, carriers, how,
       happens_on, borrowed_ids_json)
     VALUES (:episodeId, :n, :scope, :subjectId, :statement, :eventIds, :isWeak, :carriers, :how, :happensOn,
       :borrowedIds)`,
  );
  const addCarrier = sql.run<[episodeId: number, n: number, userId: string]>(
    "INSERT INTO claim_carriers (episode_id, n, user_id) VALUES (?, ?, ?)",
  );
  const writeClaim = (episodeId: number, n: number, claim: CheckedClaim): void => {
    const { eventIds, borrowedIds, carriers, isWeak, ...said } = claim;
    addClaim({
      ...said,
      episodeId,
      n,
      eventIds: JSON.stringify(eventIds),
      borrowedIds: JSON.stringify(borrowedIds),
      isWeak: Number(isWeak),
      carriers: carriers.length,
    });
    if (claim.scope === "viewer") return;
    for (const userId of carriers) addCarrier(episodeId, n, userId);
  };
  const mark = forgetMark(db);
  const isStale = (id: number, read: Omit<WindowRead, "notesAtMs">): boolean => {
    const left = new Set(textIds(id));
    return read.mark !== mark() || !read.eventIds.every((one) => left.has(one));
  };
  return {
    /** Whether an event that was read for a summary lost its text since, or somebody was forgotten. */
    isStale,
    /** What is read for a summary is out of date once this changes: somebody was forgotten. */
    forgetMark: mark,
    /**
     * Writes what was learned, if every event that the model read still has its text, and nobody was forgotten since it
     * was read; false where it is out of date.
     */
    complete: (id: number, read: WindowRead, { claims, ...texts }: Summary): boolean =>
      db.transaction(() => {
        if (isStale(id, read)) return false;
        const notesAtMs = claims.length > 0 ? read.notesAtMs : null;
        summarise({ ...texts, id, notesAtMs });
        for (const [at, claim] of claims.entries()) writeClaim(id, at + 1, claim);
        return true;
      })(),
    /** Gives up on an episode: no text, counted, its events done with. */
    toGap: sql.run<[id: number]>(
      `UPDATE episodes SET kind = 'gap', topic = '', summary = '', unproven = '', stage = 'extracted', status = 'failed',
         next_attempt_at = NULL WHERE id = ?`,
    ),
  };
}

/**
 * A function that tells how often anybody was forgotten, in whichever process: triggers of schema.sql count it. What a
 * model wrote before it changed may name somebody who is not to be named any more.
 */
export function forgetMark(db: Db): () => number {
  const read = statements(db).value<[], number>(
    "SELECT value FROM counters WHERE name = 'removed.people'",
  );
  return () => read() ?? 0;
}

/** Removes the unproven sentences of episodes that ended before `beforeMs`, `limit` episodes at a time. */
export function unprovenSweeper(db: Db) {
  return {
    expireUnproven: statements(db).run<[beforeMs: number, limit: number]>(
      `UPDATE episodes SET unproven = '' WHERE id IN
         (SELECT id FROM episodes WHERE unproven <> '' AND ended_at < ? LIMIT ?)`,
    ),
  };
}
