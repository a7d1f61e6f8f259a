import { type EndedStream, prepareTitleRead, streamStore } from "../chat/channel-store.ts";
import { prepareWindowEvents } from "../chat/event-reads-store.ts";
import { prepareMomentReads } from "../chat/moment-store.ts";
import {
  getCalmDay,
  IS_KNOWN,
  prepareNameable,
  prepareRegularLogins,
  VOUCHES,
} from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import type { Candidate } from "./check-sorted.ts";
import type { NamedPerson } from "./labels.ts";
import type { WaitingClaim } from "./note-prompt.ts";
import type { How } from "./summary-prompt.ts";
import { REST_EVENTS_MIN } from "./windows.ts";

export type EpisodeKind = "window" | "direct" | "request" | "operator" | "import" | "gap";

/** An episode with claimed events that is not summarised yet. */
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
  /** Messages of other viewers that contain words of the claim. */
  readonly borrowedIds: readonly number[];
  /** True if the checks leave a doubt: then it never makes a note active. */
  readonly isWeak: boolean;
  /** The viewers whose messages prove it. */
  readonly carriers: readonly string[];
  readonly how: How;
  /** Local day (2026-05-01) that it is about. */
  readonly happensOn: string | null;
}

interface SummaryTexts {
  readonly topic: string;
  readonly summary: string;
  /** Sentences without known carriers: only the page shows them. */
  readonly unproven: string;
}

export interface Summary extends SummaryTexts {
  readonly claims: readonly CheckedClaim[];
}

/** The events that a summary was made from. */
interface EventsRead {
  readonly eventIds: readonly number[];
  /** The forget mark at the time of reading. */
  readonly mark: number;
}

interface WindowRead extends EventsRead {
  /** The latest time to extract notes; sooner if other episodes wait too. */
  readonly notesAtMs: number;
}

/**
 * True if known people said a claim about the channel: the streamer, a moderator, or two known viewers. Always true for
 * a viewer's claim about themselves. `k` is a row of `episode_claims`, `e` its episode; give `:calmSince`.
 */
const IS_CARRIED = `(k.scope = 'viewer'
  OR EXISTS (SELECT 1 FROM claim_carriers s JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = s.user_id
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${VOUCHES})
  OR 1 < (SELECT count(*) FROM claim_carriers s JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = s.user_id
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${IS_KNOWN}))`;

/** True if a claim would prove a note once known people carry it. */
export const IS_PLAIN = "(k.is_weak = 0 AND k.how = 'plainly' AND k.withdrawn_at IS NULL)";

/** True if a claim may make a note active. */
export const PROVES = `(${IS_PLAIN} AND ${IS_CARRIED})`;

/** SQL: true if the claim of a row of `note_evidence` meets a condition on `k`, its claim, and `e`, its episode. */
export function claimOf(evidence: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM episode_claims k JOIN episodes e ON e.id = k.episode_id
    WHERE k.episode_id = ${evidence}.episode_id AND k.n = ${evidence}.claim_n AND ${condition})`;
}

/** An episode of a prompt. */
export interface RecalledEpisode {
  readonly id: number;
  readonly topic: string;
  readonly summary: string;
  readonly endedAtMs: number;
  readonly sessionId: number | null;
}

/** Returns a function that reads the newest episodes of a channel that have a summary. */
export function recalledEpisodes(db: Db) {
  return prepareStatements(db).all<[channel: string, limit: number], RecalledEpisode>(
    `SELECT id, topic, summary, ended_at AS endedAtMs, session_id AS sessionId FROM episodes
     WHERE channel = ? AND stage <> 'claimed' AND kind <> 'gap' AND summary <> ''
     ORDER BY ended_at DESC, id DESC LIMIT ?`,
  );
}

interface ExportedEpisode {
  readonly ref: number;
  readonly channel: string;
  readonly kind: "window" | "direct" | "request" | "operator" | "import";
  readonly eventCount: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Returns a function that reads episodes without text, given as a JSON list of ids. Leaves out gaps. */
export function exportedEpisodes(db: Db) {
  return prepareStatements(db).all<[ids: string], ExportedEpisode>(
    `SELECT id AS ref, channel, kind, event_count AS eventCount, started_at AS startedAtMs, ended_at AS endedAtMs
     FROM episodes WHERE id IN (SELECT value FROM json_each(?)) AND stage <> 'claimed' AND kind <> 'gap' ORDER BY id`,
  );
}

interface HeldText {
  readonly id: number;
  /** User id; null for the channel. */
  readonly subjectId: string | null;
  readonly text: string;
}

/** Reads the claims and summaries of a channel, for an evaluation. */
export function heldTexts(db: Db) {
  const sql = prepareStatements(db);
  return {
    claims: sql.all<[channel: string], HeldText>(
      `SELECT c.episode_id AS id, c.subject_id AS subjectId, c.statement AS text FROM episode_claims c
       JOIN episodes e ON e.id = c.episode_id WHERE e.channel = ? AND c.withdrawn_at IS NULL`,
    ),
    summaries: sql.all<[channel: string], HeldText>(
      "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE channel = ? AND summary <> ''",
    ),
    counts: sql.one<[], { episodes: number; gaps: number }>(
      `SELECT count(*) FILTER (WHERE kind <> 'gap' AND stage <> 'claimed') AS episodes,
         count(*) FILTER (WHERE kind = 'gap') AS gaps FROM episodes`,
    ),
  };
}

/** Finds episodes and claims that notes rest on. */
export function prepareEpisodeLookups(db: Db) {
  const sql = prepareStatements(db);
  return {
    /** Returns null for an unknown id. */
    find: sql.one<
      [id: number],
      {
        id: number;
        channel: string;
        kind: EpisodeKind;
        topic: string;
        sessionId: number | null;
        eventCount: number;
        startedAtMs: number;
        endedAtMs: number;
      }
    >(
      `SELECT id, channel, kind, topic, session_id AS sessionId, event_count AS eventCount, started_at AS startedAtMs,
         ended_at AS endedAtMs FROM episodes WHERE id = ?`,
    ),
    /** The text of a claim; null if it was withdrawn. */
    statementOf: sql.value<[episodeId: number, n: number], string>(
      "SELECT statement FROM episode_claims WHERE episode_id = ? AND n = ? AND withdrawn_at IS NULL",
    ),
  };
}

export type EpisodeStore = ReturnType<typeof openEpisodeStore>;

/** Stores windows of chat, from their claim to their summary. */
export function openEpisodeStore(db: Db, now: () => number) {
  return {
    ...prepareWindowReads(db, now),
    ...prepareWindowClaims(db, now),
    ...prepareWindowEnds(db),
  };
}

/** The most viewers of a channel whose names are replaced by tokens. */
const KNOWN_PEOPLE_MAX = 300;
/** The most names that are kept out of memory. */
const OPTED_OUT_MAX = 10_000;
const MOMENTS_MAX = 3;
/** Reads what a window's summary needs: its events, and names, moments and title of the channel. */
function prepareWindowReads(db: Db, now: () => number) {
  const { waiting, directTalks, ofEpisode, earlier } = prepareWindowEvents(db);
  const moments = prepareMomentReads(db);
  const people = prepareNameable(db);
  return {
    waiting,
    directTalks,
    /** Returns the events of an episode that still have a text, in order. */
    events: (episodeId: number) => ofEpisode(episodeId, now()),
    /** Returns at most 400 messages of known viewers before event `beforeId`. */
    earlier: (channel: string, beforeId: number) => earlier(channel, beforeId, now()),
    /** Episodes due to be summarised, oldest first. */
    due: prepareStatements(db).all<[channel: string, nowMs: number], ClaimedEpisode>(
      `SELECT id, channel, kind, attempts FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'claimed' AND coalesce(next_attempt_at, 0) <= ?
       ORDER BY id`,
    ),
    titleOf: prepareTitleRead(db),
    regularLogins: prepareRegularLogins(db),
    /** Returns the latest moments of a time span. */
    moments: (channel: string, fromMs: number, toMs: number) =>
      moments.between(channel, fromMs, toMs, MOMENTS_MAX),
    /** Returns the viewers last seen in a channel, and all who opted out: their names become tokens or are refused. */
    people: (channel: string): NamedPerson[] => [
      ...people.inChannel(channel, KNOWN_PEOPLE_MAX),
      ...people.optedOut(OPTED_OUT_MAX),
    ],
  };
}

function prepareWindowClaims(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const events = prepareWindowEvents(db);
  const begin = sql.insert<[string, string, number]>(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at)
     VALUES (?, ?, 0, 0, 0, ?)`,
  );
  const copy = sql.insert<[number, number, number]>(
    `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, attempts, next_attempt_at, created_at)
     SELECT channel, kind, session_id, 0, started_at, ended_at, ?, 0, ? FROM episodes WHERE id = ?`,
  );
  const forgetParticipants = sql.run<[number]>(
    "DELETE FROM episode_participants WHERE episode_id = ?",
  );
  const settle = prepareSpanSettle(db);
  const postpone = preparePostpone(db);
  return {
    /** Makes an episode of the next `count` waiting events, of one viewer if `userId` is set. */
    claim: (window: {
      readonly channel: string;
      readonly kind: "window" | "direct";
      readonly count: number;
      readonly userId: string | null;
    }): number | null =>
      db.transaction(() => {
        const { channel, kind, count, userId } = window;
        const ids = events.next({ channel, userId, count });
        if (ids.length === 0) return null;
        const id = begin(channel, kind, now());
        events.assign(id, ids);
        settle(id);
        return id;
      })(),
    postpone,
    /** Moves these events to a new episode with the same number of tries. */
    split: (episodeId: number, eventIds: readonly number[], attempts: number): number =>
      db.transaction(() => {
        const id = copy(attempts, now(), episodeId);
        events.assign(id, eventIds);
        postpone(episodeId, attempts, 0);
        forgetParticipants(episodeId);
        settle(episodeId);
        settle(id);
        return id;
      })(),
  };
}

/** Returns a function that sets an episode's times, stream and participants from its events. */
function prepareSpanSettle(db: Db): (episodeId: number) => void {
  const sql = prepareStatements(db);
  const channelOf = sql.value<[id: number], string>("SELECT channel FROM episodes WHERE id = ?");
  const setSpan = sql.run<
    [{ id: number; count: number; firstAtMs: number; lastAtMs: number; sessionId: number | null }]
  >(
    `UPDATE episodes SET event_count = :count, started_at = :firstAtMs, ended_at = :lastAtMs, session_id = :sessionId
     WHERE id = :id`,
  );
  const addParticipant = sql.run<[episodeId: number, userId: string]>(
    "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
  );
  const events = prepareWindowEvents(db);
  const streams = streamStore(db);
  return (id) => {
    const span = events.spanOf(id);
    const sessionId = streams.between(channelOf(id) ?? "", span.firstAtMs, span.lastAtMs);
    setSpan({ ...span, id, sessionId });
    for (const userId of events.writersOf(id)) addParticipant(id, userId);
  };
}

/** Returns a function that records a failed try and when to try again. */
function preparePostpone(db: Db): (id: number, attempts: number, atMs: number) => void {
  const postpone = prepareStatements(db).run<[number, number, number]>(
    "UPDATE episodes SET attempts = ?, next_attempt_at = ? WHERE id = ?",
  );
  return (id, attempts, atMs) => void postpone(attempts, atMs, id);
}

function prepareWindowEnds(db: Db) {
  const sql = prepareStatements(db);
  const { idsWithText } = prepareWindowEvents(db);
  // Without claims there is nothing to make notes of: the episode is never asked about again.
  const summarise = sql.run<[SummaryTexts & { id: number; notesAtMs: number | null }]>(
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
  const isStale = (id: number, read: EventsRead): boolean => {
    const left = new Set(idsWithText(id));
    return read.mark !== mark() || !read.eventIds.every((one) => left.has(one));
  };
  return {
    /** Returns true if an event lost its text after it was read, or a viewer was forgotten. */
    isStale,
    /** Changes when a viewer is forgotten: earlier reads are then out of date. */
    forgetMark: mark,
    /**
     * Writes a summary if every event still has its text and no viewer was forgotten since. Returns false if it is
     * out of date.
     */
    complete: (id: number, read: WindowRead, { claims, ...texts }: Summary): boolean =>
      db.transaction(() => {
        if (isStale(id, read)) return false;
        const notesAtMs = claims.length > 0 ? read.notesAtMs : null;
        summarise({ ...texts, id, notesAtMs });
        for (const [at, claim] of claims.entries()) writeClaim(id, at + 1, claim);
        return true;
      })(),
    /** Gives up on an episode: it becomes a gap without text. */
    toGap: sql.run<[id: number]>(
      `UPDATE episodes SET kind = 'gap', topic = '', summary = '', unproven = '', stage = 'extracted', status = 'failed',
         next_attempt_at = NULL WHERE id = ?`,
    ),
  };
}

/**
 * Returns a function that reads how often a viewer was forgotten, in any process. Triggers of schema.sql count it. An
 * answer from before a change may name a forgotten viewer.
 */
function forgetMark(db: Db): () => number {
  const read = prepareStatements(db).value<[], number>(
    "SELECT value FROM counters WHERE name = 'removed.people'",
  );
  return () => read() ?? 0;
}

/** A summarised episode whose notes are not extracted yet. */
export interface SummarisedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly sessionId: number | null;
  readonly endedAtMs: number;
  /** Useless answers so far. After the first one it is asked about alone. */
  readonly attempts: number;
  /** The latest time to extract notes, or when to try again. */
  readonly dueAtMs: number;
}

/** The number of claims, and the forget mark, at the time of reading. */
interface ClaimsRead {
  readonly claims: number;
  readonly mark: number;
}

/** Episodes whose notes are not extracted yet. */
export function openExtractionStore(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const claims = sql.all<[{ episodeId: number; calmSince: string }], WaitingClaim>(
    `SELECT k.episode_id AS episodeId, k.n, k.scope, k.subject_id AS subjectId, k.statement, k.happens_on AS happensOn,
       ${PROVES} AS proves FROM episode_claims k JOIN episodes e ON e.id = k.episode_id
     WHERE k.episode_id = :episodeId AND k.withdrawn_at IS NULL ORDER BY k.n`,
  );
  const claimsOf = (episodeId: number) => claims({ episodeId, calmSince: getCalmDay(now()) });
  const mark = forgetMark(db);
  const finish = sql.run<[number]>(
    "UPDATE episodes SET stage = 'extracted', status = 'done', next_attempt_at = NULL WHERE id = ?",
  );
  const isStale = (episodeIds: readonly number[], read: ClaimsRead): boolean => {
    const left = episodeIds.reduce((sum, id) => sum + claimsOf(id).length, 0);
    return read.mark !== mark() || left !== read.claims;
  };
  return {
    /** Returns true if a claim was withdrawn after it was read, or a viewer was forgotten. */
    isStale,
    /** Waiting episodes, oldest first, at most `limit`. */
    waiting: sql.all<[channel: string, limit: number], SummarisedEpisode>(
      `SELECT id, channel, session_id AS sessionId, ended_at AS endedAtMs, attempts,
         coalesce(next_attempt_at, 0) AS dueAtMs FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'summarised' ORDER BY id LIMIT ?`,
    ),
    /** Returns the claims of an episode that were not withdrawn. */
    claims: (episodeId: number): WaitingClaim[] =>
      // SQLite has no booleans.
      claimsOf(episodeId).map((row) => ({ ...row, proves: Boolean(row.proves) })),
    /** Changes when a viewer is forgotten: earlier reads are then out of date. */
    forgetMark: mark,
    /**
     * Ends episodes and calls `write`, in one transaction. Returns false, and writes nothing, if the read is out of
     * date.
     */
    complete: (episodeIds: readonly number[], read: ClaimsRead, write: () => void): boolean =>
      db.transaction(() => {
        if (isStale(episodeIds, read)) return false;
        write();
        for (const id of episodeIds) finish(id);
        return true;
      })(),
    postpone: preparePostpone(db),
    giveUp: sql.run<[episodeId: number]>(
      "UPDATE episodes SET status = 'failed', next_attempt_at = NULL WHERE id = ?",
    ),
  };
}

export interface StreamDigest {
  readonly topic: string;
  readonly summary: string;
}

/** Stores the recaps of streams. */
export function openSessionStore(db: Db) {
  const sql = prepareStatements(db);
  const streams = streamStore(db);
  const events = prepareWindowEvents(db);
  const isSummarised = sql.value<[{ sessionId: number }], number>(
    `SELECT EXISTS (SELECT 1 FROM episodes WHERE session_id = :sessionId AND summary <> '')
       AND NOT EXISTS (SELECT 1 FROM episodes WHERE session_id = :sessionId AND stage = 'claimed')`,
  );
  return {
    /** Streams that ended since `sinceMs`, are summarised, and have no recap yet. */
    withoutRecap: (channel: string, sinceMs: number, triesMax: number): EndedStream[] =>
      streams
        .withoutRecap(channel, sinceMs, triesMax)
        .filter(
          ({ id, endedAtMs }) =>
            isSummarised({ sessionId: id }) === 1 &&
            events.waiting(channel, endedAtMs).events < REST_EVENTS_MIN,
        ),
    digests: sql.all<[sessionId: number], StreamDigest>(
      "SELECT topic, summary FROM episodes WHERE session_id = ? AND summary <> '' ORDER BY ended_at, id",
    ),
    /** Returns the latest moments of a stream. */
    moments: prepareMomentReads(db).ofStream,
    setRecap: streams.setRecap,
    setTries: streams.setTries,
  };
}

/** A fact as a viewer or the streamer said it: no model judged it. */
export interface SaidFact extends Partial<Candidate> {
  readonly scope: Candidate["scope"];
  readonly subjectId: string | null;
  readonly kind: Candidate["kind"];
  readonly fact: string;
  readonly source: Candidate["source"];
}

/** Episodes of statements outside chat: notes come only from episodes. */
export function openSaidEpisodes(db: Db, kind: "request" | "operator" | "import") {
  const sql = prepareStatements(db);
  const episode = sql.insert<[string, number, number, number]>(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
     VALUES (?, '${kind}', 0, ?, ?, 'extracted', 'done', ?)`,
  );
  const participant = sql.run<[number, string]>(
    "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
  );
  const claim = sql.run<[number, number, string, string | null, string]>(
    `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
     VALUES (?, ?, ?, ?, ?, '[]')`,
  );
  return {
    /** Returns the id of a new episode that began at `startedAtMs` and ends now. */
    begin: (channel: string, subjectId: string | null, nowMs: number, startedAtMs = nowMs) => {
      const id = episode(channel, startedAtMs, nowMs, nowMs);
      if (subjectId !== null) participant(id, subjectId);
      return id;
    },
    /** Makes a fact the episode's claim `n`. Returns the candidate that rests on it. */
    claim: (episodeId: number, n: number, said: SaidFact): Candidate => {
      claim(episodeId, n, said.scope, said.subjectId, said.fact);
      return {
        ...{ property: null, topics: [], confidence: 1, importance: "high", lifetime: null },
        ...{ sensitive: false, aboutBot: false, proves: true, happensOn: null },
        ...{ claims: [{ episodeId, n }], relation: "new", noteId: null, ...said },
      };
    },
    remove: sql.run<[episodeId: number]>("DELETE FROM episodes WHERE id = ?"),
    dropClaim: sql.run<[episodeId: number, n: number]>(
      "DELETE FROM episode_claims WHERE episode_id = ? AND n = ?",
    ),
  };
}

/** The origin of such a candidate: no model. */
export function makeSaidOrigin(channel: string, fresh: ReadonlySet<number>) {
  return { channel, model: null, promptVersion: null, fresh };
}
