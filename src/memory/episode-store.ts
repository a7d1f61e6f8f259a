import { type EndedStream, prepareTitleRead, streamStore } from "../chat/channel-store.ts";
import { readIdsWithText, type WindowEvent, WindowEvents } from "../chat/event-reads-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import {
  getCalmDay,
  IS_KNOWN,
  joinInChannel,
  listNameable,
  listOptedOut,
  readRegularLogins,
  VOUCHES,
} from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements, Sql } from "../database/statements.ts";
import type { Candidate } from "./check-sorted.ts";
import type { ExportContent } from "./export-store.ts";
import type { NamedPerson } from "./labels.ts";
import type { WaitingClaim } from "./note-prompt.ts";
import type { How } from "./summary-prompt.ts";
import { REST_EVENTS_MIN, type WindowContext } from "./windows.ts";

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
 * SQL condition: known people said a claim about the channel: the streamer, a moderator, or two known viewers. A claim
 * about a viewer always meets it. `k` is a row of `episode_claims`, `e` its episode; give `:calmSince`.
 */
const IS_CARRIED = `(k.scope = 'viewer'
  OR EXISTS (SELECT 1 FROM claim_carriers s ${joinInChannel("e.channel", "s.user_id")}
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${VOUCHES})
  OR 1 < (SELECT count(*) FROM claim_carriers s ${joinInChannel("e.channel", "s.user_id")}
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${IS_KNOWN}))`;

/**
 * SQL condition on a claim `k`: without doubt, meant plainly, not withdrawn. It proves a note if known people carry it.
 */
export const IS_PLAIN = "(k.is_weak = 0 AND k.how = 'plainly' AND k.withdrawn_at IS NULL)";

/** SQL condition: the claim `k` of episode `e` may make a note active. Give `:calmSince`. */
export const PROVES = `(${IS_PLAIN} AND ${IS_CARRIED})`;

/**
 * Returns an SQL condition: the claim of a `note_evidence` row exists and meets `condition`. In `condition`, `k` is the
 * claim and `e` its episode.
 */
export function claimMeets(evidenceAlias: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM episode_claims k JOIN episodes e ON e.id = k.episode_id
    WHERE k.episode_id = ${evidenceAlias}.episode_id AND k.n = ${evidenceAlias}.claim_n AND ${condition})`;
}

export interface RecalledEpisode {
  readonly id: number;
  readonly topic: string;
  readonly summary: string;
  readonly endedAtMs: number;
  readonly sessionId: number | null;
}

/** Returns a function that reads the newest `limit` episodes of a channel that have a summary, newest first. */
export function prepareEpisodeRead(db: Db) {
  return prepareStatements(db).all<[channel: string, limit: number], RecalledEpisode>(
    `SELECT id, topic, summary, ended_at AS endedAtMs, session_id AS sessionId FROM episodes
     WHERE channel = ? AND stage <> 'claimed' AND kind <> 'gap' AND summary <> ''
     ORDER BY ended_at DESC, id DESC LIMIT ?`,
  );
}

/** Reads episodes by their ids, without text. Leaves out gaps, and episodes that are not summarised. */
export function readExportedEpisodes(db: Db, ids: readonly number[]) {
  return new Sql(db).all<ExportContent["episodes"][number]>(
    `SELECT id AS ref, channel, kind, event_count AS eventCount, started_at AS startedAtMs, ended_at AS endedAtMs
     FROM episodes WHERE id IN (SELECT value FROM json_each(?)) AND stage <> 'claimed' AND kind <> 'gap' ORDER BY id`,
    JSON.stringify(ids),
  );
}

export interface StoredText {
  readonly id: number;
  /** User id; null for the channel. */
  readonly subjectId: string | null;
  readonly text: string;
}

/** Reads the claims and summaries of a channel, for an evaluation. */
export class StoredTexts {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  claims(channel: string): StoredText[] {
    return this.#sql.all(
      `SELECT c.episode_id AS id, c.subject_id AS subjectId, c.statement AS text FROM episode_claims c
       JOIN episodes e ON e.id = c.episode_id WHERE e.channel = ? AND c.withdrawn_at IS NULL`,
      channel,
    );
  }

  summaries(channel: string): StoredText[] {
    return this.#sql.all(
      "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE channel = ? AND summary <> ''",
      channel,
    );
  }

  /** Counts the summarised episodes and the gaps of all channels. */
  counts(): { episodes: number; gaps: number } {
    const counts = this.#sql.one<{ episodes: number; gaps: number }>(
      `SELECT count(*) FILTER (WHERE kind <> 'gap' AND stage <> 'claimed') AS episodes,
         count(*) FILTER (WHERE kind = 'gap') AS gaps FROM episodes`,
    );
    return counts ?? { episodes: 0, gaps: 0 };
  }
}

/** Finds episodes and claims that notes rest on. */
export class EpisodeLookups {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  find(id: number): {
    id: number;
    channel: string;
    kind: EpisodeKind;
    topic: string;
    sessionId: number | null;
    eventCount: number;
    startedAtMs: number;
    endedAtMs: number;
  } | null {
    return this.#sql.one(
      `SELECT id, channel, kind, topic, session_id AS sessionId, event_count AS eventCount, started_at AS startedAtMs,
         ended_at AS endedAtMs FROM episodes WHERE id = ?`,
      id,
    );
  }

  /** Returns the text of a claim; null if it is unknown or withdrawn. */
  statementOf(episodeId: number, n: number): string | null {
    return this.#sql.value(
      "SELECT statement FROM episode_claims WHERE episode_id = ? AND n = ? AND withdrawn_at IS NULL",
      ...[episodeId, n],
    );
  }
}

/** The most viewers of a channel whose names are replaced by tokens. */
const KNOWN_PEOPLE_MAX = 300;
/** The most names that are kept out of memory. */
const OPTED_OUT_MAX = 10_000;
const MOMENTS_MAX = 3;

/** Stores windows of chat, from their claim to their summary, and reads what a summary needs. */
export class EpisodeStore {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly events: WindowEvents;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#sql = new Sql(db);
    this.#now = now;
    this.events = new WindowEvents(db, now);
  }

  /** Reads what the summary of a window needs. `events`: the window's, at least one, in order. */
  readContext(channel: string, events: readonly WindowEvent[]): WindowContext {
    const [fromMs, toMs] = [events[0]?.atMs ?? 0, events.at(-1)?.atMs ?? 0];
    return {
      people: this.people(channel),
      earlier: this.events.linesBefore(channel, events[0]?.id ?? 0),
      title: prepareTitleRead(this.#db)(channel),
      regularLogins: readRegularLogins(this.#db, channel),
      moments: new MomentStore(this.#db).between(channel, fromMs, toMs, MOMENTS_MAX),
    };
  }

  /**
   * Returns the 300 viewers last seen in a channel, and up to 10,000 opted-out viewers of all channels. `Labels` turns
   * the names of the first into tokens, and keeps those marked `optedOut` out of memory.
   */
  people(channel: string): NamedPerson[] {
    const optedOut = listOptedOut(this.#db, OPTED_OUT_MAX);
    return [
      ...listNameable(this.#db, channel, KNOWN_PEOPLE_MAX),
      ...optedOut.map((one) => ({ ...one, optedOut: true })),
    ];
  }

  /** Returns the episodes due to be summarised, oldest first. */
  due(channel: string, nowMs: number): ClaimedEpisode[] {
    return this.#sql.all(
      `SELECT id, channel, kind, attempts FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'claimed' AND coalesce(next_attempt_at, 0) <= ?
       ORDER BY id`,
      ...[channel, nowMs],
    );
  }

  /**
   * Makes an episode of the oldest `count` waiting events, or of fewer. If `userId` is set, of this viewer's, with kind
   * `direct`. Null if no event waits.
   */
  claim(channel: string, count: number, userId: string | null): ClaimedEpisode | null {
    return this.#db.transaction(() => {
      const kind = userId === null ? "window" : "direct";
      const ids = this.events.oldestWaiting(channel, userId, count);
      if (ids.length === 0) return null;
      const id = this.#sql.insert(
        `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, created_at)
         VALUES (?, ?, 0, 0, 0, ?)`,
        ...[channel, kind, this.#now()],
      );
      this.events.assign(id, ids);
      this.#updateFromEvents(id);
      return { id, channel, kind, attempts: 0 } as const;
    })();
  }

  /**
   * Moves `eventIds` to a new episode and returns its id. Both episodes have had `attempts` tries, and are due at once.
   */
  split(episodeId: number, eventIds: readonly number[], attempts: number): number {
    return this.#db.transaction(() => {
      const id = this.#sql.insert(
        `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, attempts, next_attempt_at, created_at)
         SELECT channel, kind, session_id, 0, started_at, ended_at, ?, 0, ? FROM episodes WHERE id = ?`,
        ...[attempts, this.#now(), episodeId],
      );
      this.events.assign(id, eventIds);
      this.postpone(episodeId, attempts, 0);
      this.#sql.run("DELETE FROM episode_participants WHERE episode_id = ?", episodeId);
      this.#updateFromEvents(episodeId);
      this.#updateFromEvents(id);
      return id;
    })();
  }

  /** Sets an episode's size, times and stream from its events, and adds their writers as participants. */
  #updateFromEvents(id: number): void {
    const span = this.events.spanOf(id);
    const channel = this.#sql.value<string>("SELECT channel FROM episodes WHERE id = ?", id) ?? "";
    const sessionId = streamStore(this.#db).between(channel, span.firstAtMs, span.lastAtMs);
    this.#sql.run(
      `UPDATE episodes SET event_count = :count, started_at = :firstAtMs, ended_at = :lastAtMs, session_id = :sessionId
       WHERE id = :id`,
      { ...span, id, sessionId },
    );
    for (const userId of this.events.writerIdsOf(id))
      this.#sql.run(
        "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
        ...[id, userId],
      );
  }

  /** Sets how often the summary or the extraction of an episode failed, and when to try again. */
  postpone(id: number, attempts: number, atMs: number): void {
    this.#sql.run(
      "UPDATE episodes SET attempts = ?, next_attempt_at = ? WHERE id = ?",
      ...[attempts, atMs, id],
    );
  }

  /**
   * Returns a number that changes when a viewer is forgotten, or a removed message withdraws claims. What was read before
   * is then out of date.
   */
  forgetMark(): number {
    return readForgetMark(this.#sql);
  }

  /** Returns true if one of the read events has lost its text, or any viewer was forgotten since. */
  isStale(id: number, read: EventsRead): boolean {
    const left = new Set(readIdsWithText(this.#sql, id));
    return read.mark !== this.forgetMark() || !read.eventIds.every((one) => left.has(one));
  }

  /**
   * Writes a summary and its claims. Returns false, and writes nothing, if the read is out of date. Extraction is
   * due at `notesAtMs`; an episode without claims is done.
   */
  complete(id: number, read: WindowRead, { claims, ...texts }: Summary): boolean {
    return this.#db.transaction(() => {
      if (this.isStale(id, read)) return false;
      this.#sql.run(
        `UPDATE episodes SET topic = :topic, summary = :summary, unproven = :unproven, attempts = 0, next_attempt_at = :notesAtMs,
           stage = iif(:notesAtMs IS NULL, 'extracted', 'summarised'),
           status = iif(:notesAtMs IS NULL, 'done', 'pending') WHERE id = :id`,
        { ...texts, id, notesAtMs: claims.length > 0 ? read.notesAtMs : null },
      );
      for (const [at, claim] of claims.entries()) this.#writeClaim(id, at + 1, claim);
      return true;
    })();
  }

  /** Writes a claim. Its carriers are stored only if it is about the channel. */
  #writeClaim(episodeId: number, n: number, claim: CheckedClaim): void {
    const { eventIds, borrowedIds, carriers, isWeak, ...said } = claim;
    this.#sql.run(
      `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json, is_weak, carriers, how,
         happens_on, borrowed_ids_json)
       VALUES (:episodeId, :n, :scope, :subjectId, :statement, :eventIds, :isWeak, :carriers, :how, :happensOn,
         :borrowedIds)`,
      {
        ...{ ...said, episodeId, n, isWeak: Number(isWeak), carriers: carriers.length },
        eventIds: JSON.stringify(eventIds),
        borrowedIds: JSON.stringify(borrowedIds),
      },
    );
    if (claim.scope === "viewer") return;
    for (const userId of carriers)
      this.#sql.run(
        "INSERT INTO claim_carriers (episode_id, n, user_id) VALUES (?, ?, ?)",
        ...[episodeId, n, userId],
      );
  }

  /** Gives up on an episode: it becomes a failed gap without texts. It keeps its events, so it can be retried. */
  toGap(id: number): void {
    this.#sql.run(
      `UPDATE episodes SET kind = 'gap', topic = '', summary = '', unproven = '', stage = 'extracted', status = 'failed',
         next_attempt_at = NULL WHERE id = ?`,
      id,
    );
  }
}

/** Reads how often a viewer was forgotten, in any process. Triggers of schema.sql count it. */
function readForgetMark(sql: Sql): number {
  return sql.value("SELECT value FROM counters WHERE name = 'removed.people'") ?? 0;
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

/** Reads and ends episodes whose notes are not extracted yet. */
export class ExtractionStore {
  readonly #db: Db;
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#sql = new Sql(db, () => ({ calmSince: getCalmDay(now()) }));
  }

  /** Returns at most `limit` summarised episodes without extraction, due or not, oldest first. */
  waiting(channel: string, limit: number): SummarisedEpisode[] {
    return this.#sql.all(
      `SELECT id, channel, session_id AS sessionId, ended_at AS endedAtMs, attempts,
         coalesce(next_attempt_at, 0) AS dueAtMs FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'summarised' ORDER BY id LIMIT ?`,
      ...[channel, limit],
    );
  }

  /** Returns the claims of an episode that were not withdrawn. */
  claims(episodeId: number): WaitingClaim[] {
    const rows = this.#sql.all<WaitingClaim>(
      `SELECT k.episode_id AS episodeId, k.n, k.scope, k.subject_id AS subjectId, k.statement, k.happens_on AS happensOn,
         ${PROVES} AS proves FROM episode_claims k JOIN episodes e ON e.id = k.episode_id
       WHERE k.episode_id = :episodeId AND k.withdrawn_at IS NULL ORDER BY k.n`,
      { episodeId },
    );
    // SQLite has no booleans.
    return rows.map((row) => ({ ...row, proves: Boolean(row.proves) }));
  }

  /** Returns true if a claim was withdrawn after it was read, or a viewer was forgotten. */
  isStale(episodeIds: readonly number[], read: ClaimsRead): boolean {
    const left = episodeIds.reduce((sum, id) => sum + this.claims(id).length, 0);
    return read.mark !== readForgetMark(this.#sql) || left !== read.claims;
  }

  /**
   * Calls `write` and marks the episodes as done, in one transaction. Returns false, and does neither, if the read is
   * out of date.
   */
  complete(episodeIds: readonly number[], read: ClaimsRead, write: () => void): boolean {
    return this.#db.transaction(() => {
      if (this.isStale(episodeIds, read)) return false;
      write();
      for (const id of episodeIds)
        this.#sql.run(
          "UPDATE episodes SET stage = 'extracted', status = 'done', next_attempt_at = NULL WHERE id = ?",
          id,
        );
      return true;
    })();
  }

  /** Keeps the summary and the claims. */
  markFailed(episodeId: number): void {
    this.#sql.run(
      "UPDATE episodes SET status = 'failed', next_attempt_at = NULL WHERE id = ?",
      episodeId,
    );
  }
}

export interface StreamDigest {
  readonly topic: string;
  readonly summary: string;
}

/** Finds streams without a recap, and reads their episodes and moments. */
export class RecapStore {
  readonly #sql: Sql;
  readonly #events: WindowEvents;
  readonly streams: ReturnType<typeof streamStore>;
  readonly moments: MomentStore;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db);
    this.#events = new WindowEvents(db, now);
    this.streams = streamStore(db);
    this.moments = new MomentStore(db);
  }

  /**
   * Returns streams that ended after `sinceMs`, and have a summary but no recap. Leaves out those with `triesMax`
   * tries, with an episode to summarise, or with eight or more events outside episodes.
   */
  withoutRecap(channel: string, sinceMs: number, triesMax: number): EndedStream[] {
    return this.streams.withoutRecap(channel, sinceMs, triesMax).filter(({ id, endedAtMs }) => {
      const isSummarised = this.#sql.value(
        `SELECT EXISTS (SELECT 1 FROM episodes WHERE session_id = :id AND summary <> '')
           AND NOT EXISTS (SELECT 1 FROM episodes WHERE session_id = :id AND stage = 'claimed')`,
        { id },
      );
      const left = this.#events.countWaiting(channel, endedAtMs).events;
      return isSummarised === 1 && left < REST_EVENTS_MIN;
    });
  }

  /** Returns the topic and summary of a stream's episodes that have a summary, oldest first. */
  digests(sessionId: number): StreamDigest[] {
    return this.#sql.all(
      "SELECT topic, summary FROM episodes WHERE session_id = ? AND summary <> '' ORDER BY ended_at, id",
      sessionId,
    );
  }
}

/** A fact from a viewer's request, the streamer or an import: no model judged it. */
export interface SaidFact extends Partial<Candidate> {
  readonly scope: Candidate["scope"];
  readonly subjectId: string | null;
  readonly kind: Candidate["kind"];
  readonly fact: string;
  readonly source: Candidate["source"];
}

/** Episodes of statements outside chat: notes come only from episodes. */
export class SaidEpisodes {
  readonly #sql: Sql;
  readonly #kind: "request" | "operator" | "import";

  constructor(db: Db, kind: "request" | "operator" | "import") {
    this.#sql = new Sql(db);
    this.#kind = kind;
  }

  /**
   * Adds an episode that began at `startedAtMs` and ended at `nowMs`, and returns its id. It is done: no extraction
   * follows.
   */
  begin(channel: string, subjectId: string | null, nowMs: number, startedAtMs = nowMs): number {
    const id = this.#sql.insert(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
       VALUES (:channel, :kind, 0, :startedAtMs, :nowMs, 'extracted', 'done', :nowMs)`,
      { channel, kind: this.#kind, startedAtMs, nowMs },
    );
    if (subjectId !== null)
      this.#sql.run(
        "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
        ...[id, subjectId],
      );
    return id;
  }

  /** Adds a fact as claim `n` of an episode. Returns the candidate that rests on it; it is not judged yet. */
  claim(episodeId: number, n: number, said: SaidFact): Candidate {
    this.#sql.run(
      `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
       VALUES (?, ?, ?, ?, ?, '[]')`,
      ...[episodeId, n, said.scope, said.subjectId, said.fact],
    );
    return {
      ...{ property: null, topics: [], confidence: 1, importance: "high", lifetime: null },
      ...{ sensitive: false, aboutBot: false, proves: true, happensOn: null },
      ...{ claims: [{ episodeId, n }], relation: "new", noteId: null, ...said },
    };
  }

  /** Deletes an episode with its claims, candidates and evidence. Its notes stay. */
  deleteEpisode(episodeId: number): void {
    this.#sql.run("DELETE FROM episodes WHERE id = ?", episodeId);
  }

  /** Deletes the claim's row, so that no text is left. */
  deleteClaim(episodeId: number, n: number): void {
    this.#sql.run("DELETE FROM episode_claims WHERE episode_id = ? AND n = ?", episodeId, n);
  }
}
