import {
  NOTE_KIND_LIST,
  NOTE_KINDS,
  type NoteKind,
  type NoteProperty,
  type NoteScope,
} from "../catalogue/note-kinds.ts";
import { getCalmDay } from "../chat/viewer-store.ts";
import type { NoteSource, NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import { makeUsageFault } from "../errors.ts";
import type { Property } from "./check-sorted.ts";
import { claimMeets, EpisodeLookups, PROVES, type StoredText } from "./episode-store.ts";
import type { KnownNote, NoteLifetime } from "./note-prompt.ts";

export interface NoteFacts {
  readonly channel: string;
  readonly scope: NoteScope;
  /** Null: shared by all personas. */
  readonly persona: string | null;
  readonly kind: NoteKind;
  /** With person tokens, never names. */
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
  readonly source: NoteSource;
  /** The given lifetime; null if the kind decides alone. */
  readonly lifetime: NoteLifetime | null;
  /** Local day (2026-05-01) that the fact is about. */
  readonly happensOn: string | null;
}

export interface NewNote extends NoteFacts {
  readonly subjectId: string | null;
  readonly property: Property | null;
  /** Normalised, for recall and for finding duplicates. */
  readonly words: string;
  readonly importance: number;
  readonly status: "active" | "shadow" | "pending";
  readonly expiresAtMs: number | null;
}

/** A note, as the write policy and the streamer's decisions see it. */
export interface StoredNote extends NoteFacts {
  readonly id: number;
  readonly subjectId: string | null;
  readonly property: Property | null;
  /** As of now, whether or not a sweep ran. */
  readonly status: NoteStatus;
  readonly pinned: boolean;
  readonly supersededBy: number | null;
  /** The status before the streamer's last decision; null if there was none, or it was undone. */
  readonly statusBefore: NoteStatus | null;
}

export interface NoteTimes {
  readonly importance: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  /** When it was last in the prompt of a sent reply. */
  readonly lastUsedAtMs: number | null;
  readonly useCount: number;
  readonly expiresAtMs: number | null;
  /** When it became active first; null if never. */
  readonly activeFromMs: number | null;
  /** When it stopped being active; null if it did not, or expired at `expiresAtMs`. */
  readonly endedAtMs: number | null;
}

export interface NoteRow extends StoredNote, NoteTimes {}

/** A viewer, or the channel if `subjectId` is null. Includes shared notes and those of one persona. */
export interface NoteOwner {
  readonly channel: string;
  readonly subjectId: string | null;
  readonly persona: string | null;
}

/** Returns a note's owner: of its own persona, or of `channelPersona` if all personas share the note. */
export function getOwner(
  { channel, subjectId, persona }: StoredNote,
  channelPersona: string | null,
): NoteOwner {
  return { channel, subjectId, persona: persona ?? channelPersona };
}

/** SQL condition: a note has not expired at `:nowMs`. Pinned notes never expire. */
const LASTS = "(pinned = 1 OR expires_at IS NULL OR expires_at > :nowMs)";
export const IN_FORCE = `status = 'active' AND ${LASTS}`;
const RAN_OUT = "pinned = 0 AND expires_at <= :nowMs AND status IN ('active', 'shadow', 'pending')";
/** The status of a note at `:nowMs`, as the next sweep will write it. */
export const STATUS_NOW = `CASE WHEN ${RAN_OUT} THEN 'expired' ELSE status END`;
/** SQL condition for an active, shadow or pending note that has not expired. */
export const IS_CURRENT = `status IN ('active', 'shadow', 'pending') AND ${STATUS_NOW} <> 'expired'`;

/** SQL condition for notes of an owner. Names every scope, or SQLite cannot use the index on subjects. */
export const OWNED = `channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;

/**
 * SQL condition: a row `v` of `note_evidence` may make its note active. Only evidence extracted from chat needs proof.
 */
export const EVIDENCE_PROVES = `(v.method <> 'extracted' OR ${claimMeets("v", PROVES)})`;

/** SQL condition: a channel note lacks only proof. It was not unlearned, and its kind is in `:kinds`, a JSON list. */
export const WAITS_FOR_PROOF = `status = 'shadow' AND status_before IS NOT 'active' AND scope IN ('channel', 'bit')
  AND ${LASTS} AND kind IN (SELECT value FROM json_each(:kinds))`;

const STATUS_BEFORE = `CASE WHEN ${RAN_OUT} THEN nullif(status, 'active') ELSE status_before END`;
const NOTES = `SELECT id, channel, scope, subject_id AS subjectId, persona, kind, fact, topics, confidence, importance,
  ${STATUS_NOW} AS status, ${STATUS_BEFORE} AS statusBefore, source_kind AS source, pinned, property AS propertyName,
  property_value AS propertyValue, property_game AS propertyGame, lifetime, happens_on AS happensOn,
  superseded_by AS supersededBy, created_at AS createdAtMs, last_confirmed_at AS lastConfirmedAtMs,
  last_used_at AS lastUsedAtMs, use_count AS useCount, expires_at AS expiresAtMs, active_from AS activeFromMs,
  ended_at AS endedAtMs FROM semantic_notes`;

/** Opens SQL about notes, which may name `:nowMs` and `:calmSince`. */
export function openNoteSql(db: Db, now: () => number): Sql {
  return new Sql(db, () => ({ nowMs: now(), calmSince: getCalmDay(now()) }));
}

/** Reads whole notes. `which`: the SQL after the table, such as a condition and an order. */
export function selectNotes(sql: Sql, which: string, values: object = {}): NoteRow[] {
  const rows = sql.all<NoteRow & PropertyColumns>(`${NOTES} ${which}`, values);
  return rows.map(({ propertyName: name, propertyValue: value, propertyGame: game, ...row }) => ({
    ...row,
    property: name === null || value === null ? null : { name, value, game },
    // SQLite has no booleans.
    pinned: Boolean(row.pinned),
  }));
}

interface PropertyColumns {
  readonly propertyName: NoteProperty | null;
  readonly propertyValue: string | null;
  readonly propertyGame: string | null;
}

/** The most expired or stale notes of an owner that a confirmation may bring back, the latest first. */
const RAN_OUT_NOTES_MAX = 200;
/** The most shadow notes of an owner that the model sees. */
const WAITING_SHOWN_MAX = 5;
const DAY_MS = 86_400_000;

/** An episode that supports a note. */
export interface EvidenceRow {
  readonly episodeId: number;
  /** The claim that supports it; null if it names none. */
  readonly claimN: number | null;
  readonly method: NoteSource;
  readonly confidence: number;
  readonly model: string | null;
  readonly createdAtMs: number;
}

export function selectEvidence(sql: Sql, noteId: number): EvidenceRow[] {
  return sql.all(
    `SELECT episode_id AS episodeId, claim_n AS claimN, method, confidence, model, created_at AS createdAtMs
     FROM note_evidence WHERE note_id = ? ORDER BY episode_id`,
    noteId,
  );
}

/** Returns SQL that is true if an episode supports a note. `episodeId`: SQL for its id. */
export function hasNotes(episodeId: string): string {
  return `EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = ${episodeId})`;
}

export function countNotesOfEpisode(sql: Sql, episodeId: number): number {
  return (
    sql.value<number>("SELECT count(*) FROM note_evidence WHERE episode_id = ?", episodeId) ?? 0
  );
}

/** Reads notes by owner and number. */
export class NoteReader {
  protected readonly sql: Sql;
  readonly #db: Db;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.sql = openNoteSql(db, now);
  }

  #select(which: string, values: object = {}): NoteRow[] {
    return selectNotes(this.sql, `WHERE ${which} ORDER BY id`, values);
  }

  /** Returns a note. Throws a Fault if no note has this id. */
  get(id: number): NoteRow {
    const [row] = this.#select("id = :id", { id });
    if (row !== undefined) return row;
    throw makeUsageFault(`there is no note ${id}`, "see `forgetmenot memory list` for the numbers");
  }

  /** Returns the notes of any status. */
  all(owner: NoteOwner): NoteRow[] {
    return this.#select(OWNED, owner);
  }

  active(owner: NoteOwner): NoteRow[] {
    return this.#select(`${OWNED} AND ${IN_FORCE}`, owner);
  }

  /**
   * Returns the notes that a new one may confirm or replace: active, shadow and pending ones, and the 200 stale or
   * expired ones that were confirmed last.
   */
  known(owner: NoteOwner): NoteRow[] {
    return this.#select(
      `${OWNED} AND (status IN ('active', 'shadow', 'pending') OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND status IN ('stale', 'expired') ORDER BY last_confirmed_at DESC, id DESC LIMIT ${RAN_OUT_NOTES_MAX}))`,
      owner,
    );
  }

  /** Returns the facts of notes that the streamer rejected. */
  rejected(owner: NoteOwner): string[] {
    return this.sql.values(
      `SELECT fact FROM semantic_notes WHERE ${OWNED} AND status = 'rejected'`,
      owner,
    );
  }

  /** Returns the notes that this one replaced, oldest first. */
  replacedBy(id: number): NoteRow[] {
    return this.#select("superseded_by = :id", { id });
  }

  /** Returns the notes that the extraction prompt shows: active ones, and the five shadow notes confirmed last. */
  shown(owner: NoteOwner): KnownNote[] {
    return this.sql.all(
      `SELECT id, scope, subject_id AS subjectId, fact, status FROM semantic_notes
       WHERE ${OWNED} AND ${LASTS} AND (status = 'active' OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND ${LASTS} AND status = 'shadow'
         ORDER BY last_confirmed_at DESC, id DESC LIMIT ${WAITING_SHOWN_MAX})) ORDER BY id`,
      owner,
    );
  }

  /**
   * Returns an owner's extracted notes of a scope whose first episode is of this one's stream, least important first:
   * active, shadow and pending ones. For an episode outside streams: those of such episodes from the last day.
   */
  madeInStreamOf(episodeId: number, owner: NoteOwner, scope: NoteScope) {
    const episodes = new EpisodeLookups(this.#db);
    const sessionOf = (id: number) => episodes.find(id)?.sessionId ?? null;
    const sessionId = sessionOf(episodeId);
    const made = this.sql.all<{ id: number; importance: number; episodeId: number }>(
      `SELECT n.id, n.importance, (SELECT min(episode_id) FROM note_evidence v WHERE v.note_id = n.id) AS episodeId
       FROM semantic_notes n
       WHERE n.channel = :channel AND n.scope = :scope AND n.subject_id IS :subjectId
         AND (n.persona IS NULL OR n.persona = :persona) AND n.status IN ('active', 'shadow', 'pending')
         AND n.source_kind = 'extracted' AND (:sessionId IS NOT NULL OR n.created_at > :nowMs - ${DAY_MS})
       ORDER BY n.importance, n.id`,
      { ...owner, scope, sessionId },
    );
    return made.filter((note) => sessionOf(note.episodeId) === sessionId);
  }

  /** Returns true if evidence of the note may make it active. False for a note that `unlearn` moved to the shadow. */
  isProven(noteId: number): boolean {
    const proof = this.sql.value(
      `SELECT 1 FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
       WHERE v.note_id = :noteId AND (s.status <> 'shadow' OR s.status_before IS NOT 'active') AND ${EVIDENCE_PROVES} LIMIT 1`,
      { noteId },
    );
    return proof !== null;
  }

  /** Returns true if the note is about this viewer in this channel, and active, shadow, pending or stale. */
  belongsTo(id: number, channel: string, userId: string): boolean {
    const found = this.sql.value(
      `SELECT 1 FROM semantic_notes WHERE id = ? AND channel = ? AND scope = 'viewer' AND subject_id = ?
         AND status IN ('active', 'shadow', 'pending', 'stale')`,
      ...[id, channel, userId],
    );
    return found !== null;
  }

  /** Returns the texts of all notes about a viewer, of any status and channel. */
  textsAbout(userId: string): { id: number; channel: string; fact: string; topics: string }[] {
    return this.sql.all(
      "SELECT id, channel, fact, topics FROM semantic_notes WHERE subject_id = ? ORDER BY id",
      userId,
    );
  }

  /** Counts the superseded notes about these accounts in a channel. */
  countReplaced(channel: string, userIds: readonly string[]): number {
    const count = this.sql.value<number>(
      `SELECT count(*) FROM semantic_notes
       WHERE channel = ? AND subject_id IN (SELECT value FROM json_each(?)) AND status = 'superseded'`,
      ...[channel, JSON.stringify(userIds)],
    );
    return count ?? 0;
  }

  evidenceOf(noteId: number): EvidenceRow[] {
    return selectEvidence(this.sql, noteId);
  }
}

/** Reads every active, shadow and pending note. */
export function readCurrentNotes(db: Db, now: () => number): NoteRow[] {
  return selectNotes(openNoteSql(db, now), `WHERE ${IS_CURRENT} ORDER BY id`);
}

/**
 * Reads the facts of all notes, of any status. `isStreamers`: 1 if it is about the channel, and the streamer wrote or
 * imported it; else 0.
 */
export function readAllFacts(
  db: Db,
): { id: number; fact: string; property: string | null; isStreamers: number }[] {
  return new Sql(db).all(
    `SELECT id, fact, property, subject_id IS NULL AND source_kind IN ('operator', 'import') AS isStreamers
     FROM semantic_notes ORDER BY id`,
  );
}

/** Confidence over age, as for the strategy `seed`. A pinned note does not age. An unknown kind ages as a state. */
const BASE = `CASE pinned WHEN 0 THEN confidence / (1 + max(0, :nowMs - last_confirmed_at) / (${DAY_MS}.0 *
    CASE kind ${NOTE_KIND_LIST.map(([name, { scaleDays }]) => `WHEN '${name}' THEN ${scaleDays}`).join(" ")} ELSE ${NOTE_KINDS.state.scaleDays} END))
  ELSE confidence END`;
const READABLE = `${IN_FORCE} AND (persona IS NULL OR persona = :persona) AND confidence >= :floor`;
const BEST_FIRST = "ORDER BY base + importance DESC, last_confirmed_at DESC, id DESC";

/** The notes about one viewer, from all accounts, best first. Give `:floor`, the least confidence. */
export const SELECT_LORE = `
SELECT id, kind, fact, topics, words, importance, ${BASE} AS base, last_confirmed_at AS lastConfirmedAtMs,
  CASE pinned WHEN 0 THEN expires_at END AS expiresAtMs, created_at AS createdAtMs,
  happens_on AS happensOn, property, property_value AS propertyValue, source_kind AS source
FROM semantic_notes
WHERE channel = :channel AND scope = 'viewer' AND subject_id IN (SELECT value FROM json_each(:accounts))
  AND ${READABLE}
${BEST_FIRST}`;

/** The most pinned notes of a scope that are read as well as the best: as many as one file of facts may have. */
const PINNED_MAX = 200;

/** Channel notes or bits, best first: the best, and the best pinned ones. Give `:floor`, the least confidence. */
export const SELECT_CHANNEL_NOTES = `
WITH readable AS (
  SELECT id, fact, topics, kind, scope, importance, created_at AS createdAtMs, happens_on AS happensOn,
    ${BASE} AS base, pinned, last_confirmed_at
  FROM semantic_notes
  WHERE channel = :channel AND scope = :scope AND subject_id IS NULL AND ${READABLE}
)
SELECT id, fact, topics, kind, scope, importance, createdAtMs, happensOn, base FROM readable
WHERE id IN (SELECT id FROM readable WHERE pinned = 1 ${BEST_FIRST} LIMIT min(:limit, ${PINNED_MAX}))
  OR id IN (SELECT id FROM readable ${BEST_FIRST} LIMIT :limit)
${BEST_FIRST}`;

/** SQL for when the next note about a channel expires after a time, epoch ms; null if none does. */
export const SELECT_NEXT_EXPIRY = `SELECT min(expires_at) FROM semantic_notes
  WHERE channel = ? AND scope IN ('channel', 'bit') AND subject_id IS NULL AND status = 'active' AND pinned = 0
    AND expires_at > ?`;

/** SQL for the fact that note `n` replaced; null if none. */
export const REPLACED_FACT =
  "(SELECT old.fact FROM semantic_notes old WHERE old.superseded_by = n.id ORDER BY old.id LIMIT 1)";

/** SQL of the strategy `seed` in `eval run`: the ten best by confidence over age. It ignores importance and pins. */
const SEED_LORE = `
SELECT id, kind, fact, topics, created_at AS createdAtMs,
  confidence * (1.0 / (1 + max(0, :nowMs - last_confirmed_at) / 86400000.0 / 7)) AS score
FROM semantic_notes
WHERE channel = :channel AND scope = 'viewer' AND subject_id = :userId AND status = 'active'
ORDER BY score DESC, last_confirmed_at DESC, id DESC LIMIT 10`;

/** Reads notes as a replay or demo needs them. */
export class ReplayedNotes {
  readonly #sql: Sql;
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.#sql = new Sql(db);
  }

  /**
   * Returns active notes of all channels, with the episodes of their evidence. Leaves out those whose claim is gone.
   */
  active() {
    const episodes = new EpisodeLookups(this.#db);
    const notes = this.#sql.all<{
      id: number;
      scope: NoteScope;
      subjectId: string | null;
      fact: string;
      createdAtMs: number;
      /** The fact that it replaced; null if none. */
      before: string | null;
    }>(
      `SELECT id, scope, subject_id AS subjectId, fact, created_at AS createdAtMs, ${REPLACED_FACT} AS "before"
       FROM semantic_notes n WHERE status = 'active' ORDER BY id`,
    );
    return notes.map((note) => ({
      ...note,
      episodes: selectEvidence(this.#sql, note.id)
        .filter((one) => one.claimN === null || episodes.statementOf(one.episodeId, one.claimN))
        .flatMap(({ episodeId }) => episodes.find(episodeId) ?? []),
    }));
  }

  /** Returns active notes about one viewer, or about the channel if null, as one text of fact and topics. */
  held(channel: string, subjectId: string | null): StoredText[] {
    return this.#sql.all(
      `${HELD} WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ?
         AND status = 'active' ORDER BY id`,
      ...[channel, subjectId],
    );
  }

  /** Returns a note of any status as one text, its fact and topics; null for an unknown id. */
  one(id: number): StoredText | null {
    return this.#sql.one(`${HELD} WHERE id = ?`, id);
  }

  /** Returns the ten notes about a viewer that the strategy `seed` of `eval run` chooses. */
  seed(speaker: { channel: string; userId: string; nowMs: number }): {
    id: number;
    kind: NoteKind;
    fact: string;
    topics: string;
    createdAtMs: number;
    score: number;
  }[] {
    return this.#sql.all(SEED_LORE, speaker);
  }
}

const HELD =
  "SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes";
