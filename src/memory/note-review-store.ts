import type { NoteProperty } from "../catalogue/note-kinds.ts";
import { prepareNameRead, userIdsNamed } from "../chat/viewer-store.ts";
import type { NoteSource, NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { cutPage, type ListPage, Sql } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import { claimMeets, EpisodeLookups, IS_PLAIN } from "./episode-store.ts";
import {
  IN_FORCE,
  IS_CURRENT,
  type NoteFacts,
  type NoteRow,
  type NoteTimes,
  openNoteSql,
  REPLACED_FACT,
  STATUS_NOW,
  selectEvidence,
  selectNotes,
  WAITS_FOR_PROOF,
} from "./note-reads-store.ts";

/** A note as the user sees it, with names. */
export interface NoteView extends NoteFacts, NoteTimes {
  readonly id: number;
  readonly subjectId: string | null;
  /** Display name; null for the channel. */
  readonly about: string | null;
  readonly status: NoteStatus;
  readonly pinned: boolean;
  readonly supersededBy: number | null;
  readonly property: NoteProperty | null;
  readonly propertyValue: string | null;
  readonly propertyGame: string | null;
  /** The number of episodes in its evidence. */
  readonly evidence: number;
  /** The first evidence; null if that was deleted. */
  readonly origin: {
    readonly method: NoteSource;
    readonly episodeId: number;
    readonly topic: string;
    readonly atMs: number;
  } | null;
}

/** Conditions of a list of notes. One that is left out or "" excludes nothing. */
interface NoteFilter {
  /** Words of the fact, part of a name, or a number. */
  readonly q?: string;
  /** The accounts of one person; null for all notes. */
  readonly accounts?: readonly string[] | null;
  readonly channel?: string;
  /** A status as of now, or "all". Default: active, shadow and pending. */
  readonly status?: string;
  readonly kind?: string;
  readonly scope?: string;
  /** Lists the notes that were active at this time, epoch ms, with any status now. */
  readonly atMs?: number | null;
}

/** The most notes that one page reads if no index serves. That takes some milliseconds. */
const NOTES_READ_MAX = 20_000;
/** SQL condition: one of the newest thousand notes. A list of new notes looks no further back. */
const IS_NEW = "id > (SELECT max(id) FROM semantic_notes) - 1000";

/** Lists, shows and counts notes for the user: for the command line, the page and its API. */
export class NoteReview {
  readonly #sql: Sql;
  readonly #episodes: EpisodeLookups;
  readonly #nameOf: (userId: string) => string | null;

  constructor(db: Db, now: () => number) {
    this.#sql = openNoteSql(db, now);
    this.#episodes = new EpisodeLookups(db);
    this.#nameOf = prepareNameRead(db);
  }

  #select(which: string, values: object): NoteView[] {
    return selectNotes(this.#sql, which, values).map((row) => this.#show(row));
  }

  #show({ statusBefore: _, property, ...row }: NoteRow): NoteView {
    const evidence = selectEvidence(this.#sql, row.id);
    const [first] = evidence;
    const episode = first === undefined ? null : this.#episodes.find(first.episodeId);
    return {
      ...row,
      about: row.subjectId === null ? null : (this.#nameOf(row.subjectId) ?? "someone"),
      fact: fillNames(row.fact, this.#nameOf),
      topics: fillNames(row.topics, this.#nameOf),
      property: property?.name ?? null,
      propertyValue: property?.value ?? null,
      propertyGame: property?.game ?? null,
      evidence: evidence.length,
      origin:
        first === undefined || episode === null
          ? null
          : {
              method: first.method,
              episodeId: episode.id,
              topic: fillNames(episode.topic, this.#nameOf),
              atMs: episode.endedAtMs,
            },
    };
  }

  /**
   * Returns a page of notes older than note `after`, newest first. If no index serves the filter, it reads at most
   * `readMax` notes: the page may be short or empty then, and `next` continues. Null `next`: the list ends.
   */
  list(
    filter: NoteFilter,
    { limit, after }: { readonly limit: number; readonly after?: number | undefined },
    readMax = NOTES_READ_MAX,
  ): ListPage<NoteView> {
    const before = Math.min(after ?? Number.MAX_SAFE_INTEGER, this.newestId() + 1);
    const { where, values, isIndexed } = filterNotes(filter);
    const fromId = isIndexed ? 0 : Math.max(0, before - readMax);
    // The inner query sorts numbers alone: columns are read for the notes of the page.
    const found = this.#select(
      `WHERE id IN (SELECT id FROM semantic_notes WHERE id >= :fromId AND id < :before${where}
         ORDER BY id DESC LIMIT :limit) ORDER BY id DESC`,
      { ...values, fromId, before, limit: limit + 1 },
    );
    if (found.length > limit) return cutPage(found, limit);
    return { items: found, next: fromId > 0 ? String(fromId) : null };
  }

  /** Returns active, shadow and pending notes of the newest thousand, newest first. */
  newest(limit: number): NoteView[] {
    return this.#select(`WHERE ${IS_NEW} AND ${IS_CURRENT} ORDER BY id DESC LIMIT :limit`, {
      limit,
    });
  }

  /** Returns active notes of the newest thousand above this id and created since a time, newest first. */
  since(id: number, sinceMs: number, limit: number): NoteView[] {
    return this.#select(
      `WHERE ${IS_NEW} AND id > :id AND created_at >= :sinceMs AND ${IN_FORCE} ORDER BY id DESC LIMIT :limit`,
      { id, sinceMs, limit },
    );
  }

  /** Returns shadow and pending notes, the one confirmed longest ago first. */
  waiting(limit: number): NoteView[] {
    return this.#select(
      `WHERE status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
       ORDER BY last_confirmed_at, id LIMIT :limit`,
      { limit },
    );
  }

  ofEpisode(episodeId: number): NoteView[] {
    return this.#select(
      "WHERE id IN (SELECT note_id FROM note_evidence WHERE episode_id = :episodeId) ORDER BY id",
      { episodeId },
    );
  }

  /** Returns all notes about these accounts, of any status and channel, with the ids of their episodes. */
  about(userIds: readonly string[]) {
    const notes = this.#select(
      "WHERE subject_id IN (SELECT value FROM json_each(:ids)) ORDER BY id",
      { ids: JSON.stringify(userIds) },
    );
    return notes.map((note) => ({
      ...note,
      episodes: selectEvidence(this.#sql, note.id).map(({ episodeId }) => episodeId),
    }));
  }

  /** Returns a note with its evidence: note → episode → claim. Null for an unknown id. */
  note(id: number) {
    const [note] = this.#select("WHERE id = :id", { id });
    if (note === undefined) return null;
    return {
      ...note,
      evidenceRows: selectEvidence(this.#sql, id).map(({ claimN, confidence: _, ...row }) => {
        const { kind = "", topic = "" } = this.#episodes.find(row.episodeId) ?? {};
        const claim = claimN === null ? null : this.#episodes.statementOf(row.episodeId, claimN);
        return {
          ...row,
          episodeKind: kind,
          topic: fillNames(topic, this.#nameOf),
          /** The claim that supports the note; null if it was withdrawn. */
          claim: claim && fillNames(claim, this.#nameOf),
        };
      }),
      /** Notes that it replaced. */
      superseded: this.#sql.values<number>(
        "SELECT id FROM semantic_notes WHERE superseded_by = ? ORDER BY id",
        id,
      ),
      /** The notes that replaced it, one after the other. */
      successors: this.#sql.values<number>(
        `WITH RECURSIVE chain (id, next) AS (
           SELECT id, superseded_by FROM semantic_notes WHERE id = ?
           UNION
           SELECT s.id, s.superseded_by FROM semantic_notes s JOIN chain ON s.id = chain.next
         ) SELECT next FROM chain WHERE next IS NOT NULL`,
        id,
      ),
    };
  }

  /** Returns the fact, with names, and the status of each note that exists, by id. */
  facts(ids: readonly number[]): ReadonlyMap<number, { fact: string; status: string }> {
    const found = this.#sql.all<{ id: number; fact: string; status: string }>(
      `SELECT id, fact, ${STATUS_NOW} AS status FROM semantic_notes
       WHERE id IN (SELECT value FROM json_each(:ids))`,
      { ids: JSON.stringify(ids) },
    );
    return new Map(
      found.map(({ id, fact, status }) => [id, { fact: fillNames(fact, this.#nameOf), status }]),
    );
  }

  /** Returns the newest note's id; 0 if there is none. */
  newestId(): number {
    return this.#sql.value("SELECT max(id) FROM semantic_notes") ?? 0;
  }

  /** Counts active notes of a channel by scope; of every channel if it is "". Scopes without notes are missing. */
  countsByScope(channel: string): Readonly<Record<string, number>> {
    const found = this.#sql.all<{ scope: string; count: number }>(
      `SELECT scope, count(*) AS count FROM semantic_notes
       WHERE ${IN_FORCE} AND (:channel = '' OR channel = :channel) GROUP BY scope ORDER BY scope`,
      { channel },
    );
    return Object.fromEntries(found.map(({ scope, count }) => [scope, count]));
  }

  /** Counts active, shadow and pending notes in all channels, by account. Accounts without notes are missing. */
  countsAbout(userIds: readonly string[]): ReadonlyMap<string, number> {
    const found = this.#sql.all<{ userId: string; count: number }>(
      `SELECT subject_id AS userId, count(*) AS count FROM semantic_notes
       WHERE subject_id IN (SELECT value FROM json_each(:ids)) AND ${IS_CURRENT} GROUP BY subject_id`,
      { ids: JSON.stringify(userIds) },
    );
    return new Map(found.map(({ userId, count }) => [userId, count]));
  }

  /**
   * Returns the viewers of a channel with active, shadow or pending notes, most notes first. `after`: the last viewer
   * of the page before. An expired note counts until the next sweep.
   */
  mostAbout(
    channel: string,
    after: { readonly count: number; readonly userId: string },
    limit: number,
  ): { userId: string; count: number }[] {
    return this.#sql.all(
      `SELECT userId, count FROM (${NOTED_VIEWERS}) WHERE (count, userId) < (:count, :userId)
       ORDER BY count DESC, userId DESC LIMIT :limit`,
      { ...after, channel, limit },
    );
  }

  /** Returns the viewers with active, shadow or pending notes in a channel. */
  noted(channel: string): string[] {
    return this.#sql.values(NOTED_VIEWERS, { channel });
  }

  /** Counts active notes. Names the condition of a partial index, or it would read every note. */
  countActive(): number {
    const active = "SELECT count(*) FROM semantic_notes WHERE status = 'active'";
    return this.#count(
      `SELECT (${active}) - (${active} AND expires_at IS NOT NULL AND expires_at <= :nowMs AND pinned = 0)`,
    );
  }

  countPending(): number {
    return this.#count(`SELECT count(*) FROM ${WAITING} AND ${STATUS_NOW} = 'pending'`);
  }

  /** Counts shadow and pending notes, up to a hundred. */
  countToReview(): number {
    return this.#count(
      `SELECT count(*) FROM (SELECT 1 FROM ${WAITING} AND ${STATUS_NOW} <> 'expired' LIMIT 100)`,
    );
  }

  /** Counts shadow notes of these kinds about the channel that wait until those who said it are known viewers. */
  countWaitingForRegulars(kinds: readonly string[]): number {
    return this.#count(
      `SELECT count(*) FROM ${WAITING} AND ${WAITS_FOR_PROOF}
         AND EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id AND ${claimMeets("v", IS_PLAIN)})`,
      { kinds: JSON.stringify(kinds) },
    );
  }

  #count(sql: string, values: object = {}): number {
    return this.#sql.value<number>(sql, values) ?? 0;
  }
}

const WAITING = "semantic_notes n WHERE status IN ('shadow', 'pending')";

/** The channels that have notes, one index step each. */
const NOTE_CHANNELS = `WITH RECURSIVE c (channel) AS (SELECT min(channel) FROM semantic_notes UNION ALL
    SELECT (SELECT min(channel) FROM semantic_notes WHERE channel > c.channel) FROM c WHERE channel IS NOT NULL)
  SELECT channel FROM c WHERE channel IS NOT NULL`;

const NOTED_VIEWERS = `SELECT subject_id AS userId, count(*) AS count FROM semantic_notes
  WHERE channel = :channel AND scope = 'viewer' AND subject_id IS NOT NULL
    AND status IN ('active', 'shadow', 'pending') GROUP BY subject_id`;

const WAS_IN_FORCE = `active_from <= :atMs AND coalesce(ended_at, :atMs + 1) > :atMs
  AND (pinned = 1 OR coalesce(expires_at, :atMs + 1) > :atMs)`;

/** Writes a filter as SQL. Names only the conditions that are set, so that the planner sees which index serves. */
function filterNotes(filter: NoteFilter) {
  const { q = "", accounts = null, channel = "", status = "", kind = "", scope = "" } = filter;
  const { atMs = null } = filter;
  const isOfChannel = scope === "channel" || scope === "bit";
  const search = searchNotes(q);
  const terms = [
    scope !== "" && "scope = :scope",
    kind !== "" && "kind = :kind",
    accounts !== null && "subject_id IN (SELECT value FROM json_each(:accounts))",
    channel !== "" && "channel = :channel",
    atMs !== null && WAS_IN_FORCE,
    atMs === null && status === "" && IS_CURRENT,
    atMs === null && status !== "" && status !== "all" && `${STATUS_NOW} = :status`,
    // The index over channel, scope and subject serves if all three are named.
    isOfChannel && "subject_id IS NULL",
    isOfChannel && channel === "" && `channel IN (${NOTE_CHANNELS})`,
    search.term !== "" && search.term,
  ].filter((term) => term !== false);
  return {
    where: terms.map((term) => ` AND ${term}`).join(""),
    values: {
      ...{ channel, status, kind, scope, atMs, accounts: accounts && JSON.stringify(accounts) },
      ...search.values,
    },
    isIndexed: isOfChannel || accounts !== null,
  };
}

/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;

/**
 * Returns SQL for notes that have every word of `q`, by its stem or first letters. A note also fits by its number, or
 * by three letters of its viewer's name. `term` is "" if `q` has no word.
 */
function searchNotes(q: string) {
  const values: Record<string, string> = {};
  const words = readStems(q).map((stem, n) => {
    values[`stem${n}`] = stem.length < NAME_CHARS_MIN ? ` ${stem} ` : ` ${stem}`;
    return `instr(' ' || words || ' ', :stem${n}) > 0`;
  });
  const parts = q.split(/[\s@#]+/u).filter((part) => part !== "");
  const terms = parts.map((part, n) => {
    values[`part${n}`] = part.toLowerCase();
    const isNumber = `id = :part${n}`;
    if (part.length < NAME_CHARS_MIN) return isNumber;
    return `${isNumber} OR subject_id IN ${userIdsNamed(`:part${n}`)}`;
  });
  if (words.length > 0) terms.unshift(`(${words.join(" AND ")})`);
  return { term: terms.length === 0 ? "" : `(${terms.join(" OR ")})`, values };
}

/** SQL for a value that changes if a note is made, or if one of the 50 newest is changed, pinned or confirmed. */
export const NOTES_MARK = `(SELECT group_concat(id || status || pinned || last_confirmed_at) FROM
  (SELECT id, status, pinned, last_confirmed_at FROM semantic_notes ORDER BY id DESC LIMIT 50))`;

interface NoteSpan {
  /** A JSON list. */
  readonly channels: string;
  readonly fromMs: number;
  readonly lateMs: number;
  readonly nowMs: number;
  /** Counts end here: a report among very many notes stays fast. */
  readonly countMax: number;
}

/** The most facts that a report names. */
const NEWS_MAX = 25;

/**
 * Reads notes of some channels, the first 25 of each list, with `{u:id}` tokens, and counts them. `learned`: created in
 * the span, and active or pending now. `faded`: expired in the span. `pending`: how many wait for approval now.
 */
export function readNoteNews(db: Db, span: NoteSpan) {
  const here = "channel IN (SELECT value FROM json_each(:channels))";
  const sql = new Sql(db);
  const number = (where: string): number =>
    sql.value<number>(
      `SELECT count(*) FROM (SELECT 1 FROM semantic_notes WHERE ${where} LIMIT :countMax)`,
      span,
    ) ?? 0;
  const learned = `created_at BETWEEN :fromMs AND :lateMs AND ${STATUS_NOW} IN ('active', 'pending')`;
  // A partial index serves each part, and so `+channel` names none.
  const selectEnded = (status: string): string =>
    `SELECT id FROM semantic_notes WHERE status ${status} AND expires_at BETWEEN :fromMs AND :lateMs`;
  const faded = `id IN (${selectEnded("= 'expired'")} UNION ALL ${selectEnded("= 'active'")}
    UNION ALL ${selectEnded("IN ('shadow', 'pending')")}) AND ${STATUS_NOW} = 'expired'`;
  return {
    /** `before`: the fact that it replaced, or null. */
    learned: sql.all<{ id: number; fact: string; status: string; before: string | null }>(
      `SELECT id, fact, status,
         ${REPLACED_FACT} AS "before"
       FROM semantic_notes n WHERE ${here} AND ${learned} ORDER BY created_at, id LIMIT ${NEWS_MAX}`,
      span,
    ),
    learnedCount: number(`${here} AND ${learned}`),
    faded: sql.all<{ id: number; fact: string; total: number }>(
      `SELECT id, fact, count(*) OVER () AS total FROM semantic_notes
       WHERE +${here} AND ${faded} ORDER BY expires_at, id LIMIT ${NEWS_MAX}`,
      span,
    ),
    pending: number(`+${here} AND status IN ('shadow', 'pending') AND ${STATUS_NOW} = 'pending'`),
  };
}
