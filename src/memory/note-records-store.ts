import { Fault } from "../errors.ts";
import { normalWords } from "../language/words.ts";
import type { NoteStatus } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import { type PropertyRow, toProperty } from "./fact-key.ts";
import { IN_FORCE, LASTS, NOTE_TEXTS, RAN_OUT, STATUS_NOW } from "./note-lists-store.ts";
import type { KnownNote, NoteLifetime } from "./note-prompt.ts";
import type { NoteOwner, StoredNote } from "./note-store.ts";

/** A note with what the streamer's decisions need to know of it. */
export interface NoteRecord extends StoredNote {
  readonly topics: string;
  readonly supersededBy: number | null;
  /** What the streamer approved or rejected it from; null where neither was done, or it was undone. */
  readonly statusBefore: NoteStatus | null;
}

export type NoteRecords = ReturnType<typeof noteRecords>;

/** One note at a time, by its number, and the few things that can be done to a row without judging anything. */
export function noteRecords(db: Db, now: () => number) {
  const rows = { ...reads(db), ...writes(db) };
  return {
    /** Throws a Fault for a number that no note has. What ran out reads as expired, whether or not a sweep came by. */
    get: (id: number): NoteRecord => {
      const row = rows.one.get({ id, nowMs: now() });
      if (row === undefined) throw noSuchNote(id);
      return toRecord(row);
    },
    /** Every note of an owner, whatever its status, oldest first. */
    all: (owner: NoteOwner) => rows.all.all({ ...owner, nowMs: now() }).map(toRecord),
    /** Those in force: what ran out is none, whether or not a sweep came by. */
    active: (owner: NoteOwner) => rows.active.all({ ...owner, nowMs: now() }).map(toRecord),
    /** The note that a model meant a waiting one to take the place of; null where there is none, or it is long ago. */
    meantFor: (id: number) => rows.meantFor.get(id) ?? null,
    /** What a note took the place of, oldest first. */
    replacedBy: (id: number) => rows.replaced.all({ id, nowMs: now() }).map(toRecord),
    setStatus: (id: number, status: NoteStatus, before: NoteStatus | null) =>
      void rows.setStatus.run(status, before, id),
    /** Puts a note in force, as confirmed now. Never shortens its life: the streamer may have given it a longer one. */
    activate: (id: number, expiresAtMs: number | null) =>
      void rows.activate.run(now(), expiresAtMs, id),
    supersede: (oldId: number, byId: number) => void rows.supersede.run(byId, oldId),
    /** Takes a note out of the chain that it stands in. */
    detach: (id: number) => void rows.detach.run(id),
    /** What is pinned has no end; what is not any more begins its life anew. */
    setPinned: (id: number, pinned: boolean, expiresAtMs: number | null) =>
      void rows.setPinned.run(pinned ? 1 : 0, expiresAtMs, id),
    /** Gives a note the pin, the importance, the topics and the persona of another. */
    inherit: (id: number, fromId: number) => void rows.inherit.run({ id, fromId }),
  };
}

/** Whose note it is, as the persona that speaks in its channel sees it: beside shared notes it has its own. */
export function ownerOf(
  { channel, subjectId, persona }: StoredNote,
  speaks: string | null,
): NoteOwner {
  return { channel, subjectId, persona: persona ?? speaks };
}

function noSuchNote(id: number): Fault {
  return new Fault(`there is no note ${id}`, {
    code: "usage",
    mend: "see `forgetmenot memory list` for the numbers",
  });
}

export type NoteRow = Omit<NoteRecord, "pinned" | "property"> &
  PropertyRow & { readonly pinned: number };

export function toRecord({ property, propertyValue, propertyGame, ...row }: NoteRow): NoteRecord {
  const three = { property, propertyValue, propertyGame };
  return { ...row, property: toProperty(three), pinned: row.pinned === 1 };
}

/** Of notes in the shadow the model is shown so many of one owner. */
const WAITING_SHOWN_MAX = 5;
/** A persona with notes of its own knows the shared ones, too. Names every scope, or the index on subjects cannot be used. */
export const OWNED = `channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;
const STATUS_BEFORE = `CASE WHEN ${RAN_OUT} AND status <> 'active' THEN status ELSE status_before END`;
/** What `toRecord` reads; needs `:nowMs`. */
export const NOTE_COLUMNS = `id, channel, scope, subject_id AS subjectId, persona, kind, fact, topics, confidence,
  ${STATUS_NOW} AS status, ${STATUS_BEFORE} AS statusBefore, source_kind AS source, pinned, property,
  property_value AS propertyValue, property_game AS propertyGame, lifetime, superseded_by AS supersededBy`;

interface At {
  readonly nowMs: number;
}

function reads(db: Db) {
  return {
    one: db.prepare<[At & { id: number }], NoteRow>(
      `SELECT ${NOTE_COLUMNS} FROM semantic_notes WHERE id = :id`,
    ),
    all: db.prepare<[At & NoteOwner], NoteRow>(
      `SELECT ${NOTE_COLUMNS} FROM semantic_notes WHERE ${OWNED} ORDER BY id`,
    ),
    active: db.prepare<[At & NoteOwner], NoteRow>(
      `SELECT ${NOTE_COLUMNS} FROM semantic_notes WHERE ${OWNED} AND ${IN_FORCE} ORDER BY id`,
    ),
    meantFor: db
      .prepare<[number], number | null>(
        `SELECT json_extract(offer_json, '$.noteId') FROM note_candidates
         WHERE note_id = ? AND decision = 'supersede' ORDER BY id LIMIT 1`,
      )
      .pluck(),
    replaced: db.prepare<[At & { id: number }], NoteRow>(
      `SELECT ${NOTE_COLUMNS} FROM semantic_notes WHERE superseded_by = :id ORDER BY id`,
    ),
  };
}

function writes(db: Db) {
  return {
    setStatus: db.prepare<[NoteStatus, NoteStatus | null, number]>(
      "UPDATE semantic_notes SET status = ?, status_before = ? WHERE id = ?",
    ),
    activate: db.prepare<[number, number | null, number]>(
      // The larger of two of which one is null is null: no end.
      `UPDATE semantic_notes SET status = 'active', superseded_by = NULL, last_confirmed_at = ?,
         expires_at = max(expires_at, ?)
       WHERE id = ?`,
    ),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
    detach: db.prepare<[number]>("UPDATE semantic_notes SET superseded_by = NULL WHERE id = ?"),
    setPinned: db.prepare<[number, number | null, number]>(
      "UPDATE semantic_notes SET pinned = ?, expires_at = ? WHERE id = ?",
    ),
    inherit: db.prepare<[{ id: number; fromId: number }]>(
      `UPDATE semantic_notes AS n SET (pinned, importance, topics, persona, expires_at) =
         (SELECT pinned, importance, topics, persona, CASE pinned WHEN 0 THEN n.expires_at END
          FROM semantic_notes old WHERE old.id = :fromId)
       WHERE id = :id`,
    ),
  };
}

/** What others than the streamer do to single rows. Each statement is prepared once, for the store that asks. */
export function noteRows(db: Db) {
  return { ...ownRows(db), ...learnedRows(db), ...goneRows(db) };
}

/** Of one viewer in one channel, as they may see and change them themselves. */
function ownRows(db: Db) {
  return {
    owns: db.prepare<[number, string, string]>(
      `SELECT 1 FROM semantic_notes WHERE id = ? AND channel = ? AND scope = 'viewer' AND subject_id = ?
         AND status IN ('active', 'shadow', 'pending', 'stale')`,
    ),
    texts: db.prepare<[string, string], { id: number; text: string }>(
      `SELECT id, fact || ' ' || topics AS text FROM semantic_notes
       WHERE channel = ? AND scope = 'viewer' AND subject_id = ?`,
    ),
    fact: db.prepare<[number], string>("SELECT fact FROM semantic_notes WHERE id = ?").pluck(),
    /** What stands behind a note that goes stands behind nothing. */
    unlink: db.prepare<[number]>(
      "UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by = ?",
    ),
    drop: db.prepare<[number]>("DELETE FROM semantic_notes WHERE id = ?"),
    weigh: db.prepare<[number, number]>("UPDATE semantic_notes SET importance = ? WHERE id = ?"),
    live: db.prepare<[NoteLifetime, number | null, number]>(
      "UPDATE semantic_notes SET lifetime = ?, expires_at = ? WHERE id = ?",
    ),
  };
}

/** A note that says what somebody has one of, or few. */
export interface PropertyOf {
  readonly id: number;
  readonly subjectId: string;
  readonly channel: string;
  /** With person tokens. */
  readonly fact: string;
  readonly property: string;
  readonly value: string;
  readonly game: string;
}

interface DatesRow {
  readonly noteId: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  readonly expiresAtMs: number | null;
  /** 1: somebody asked for it, or gave it a life for good, and it had no end. */
  readonly isForGood: number;
  /** The latest end of a life that was given in days, whatever the kind's is; null where none was. */
  readonly givenUntilMs: number | null;
}

function learnedRows(db: Db) {
  return {
    /** Active notes that no rule takes away. */
    kept: db
      .prepare<[NoteOwner], number>(
        `SELECT count(*) FROM semantic_notes
         WHERE ${OWNED} AND status = 'active' AND (pinned = 1 OR source_kind = 'viewer_request')`,
      )
      .pluck(),
    rejected: db
      .prepare<[NoteOwner], string>(
        `SELECT fact FROM semantic_notes WHERE ${OWNED} AND status = 'rejected'`,
      )
      .pluck(),
    /** What a model is shown of somebody, or of the channel: all that is in force, and what waited last for more proof. */
    known: db.prepare<[At & NoteOwner], KnownNote>(
      `SELECT id, scope, subject_id AS subjectId, fact, status FROM semantic_notes
       WHERE ${OWNED} AND ${LASTS} AND (status = 'active' OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND ${LASTS} AND status = 'shadow'
         ORDER BY last_confirmed_at DESC, id DESC LIMIT ${WAITING_SHOWN_MAX})) ORDER BY id`,
    ),
    /** What somebody has one of, or few. */
    properties: db.prepare<[string], PropertyOf>(
      `SELECT id, subject_id AS subjectId, channel, fact, property, property_value AS value,
         coalesce(property_game, '') AS game FROM semantic_notes
       WHERE subject_id = ? AND property IS NOT NULL AND status = 'active' ORDER BY id`,
    ),
    /** Who says so now is a stronger source. */
    strengthen: db.prepare<[string, number]>(
      "UPDATE semantic_notes SET source_kind = ? WHERE id = ?",
    ),
    /** What its viewer asks for stays until they say otherwise. */
    keep: db.prepare<[number]>(
      `UPDATE semantic_notes SET expires_at = NULL, lifetime = 'permanent',
         source_kind = CASE source_kind WHEN 'operator' THEN source_kind ELSE 'viewer_request' END WHERE id = ?`,
    ),
    reword: db.prepare<[string, string, number]>(
      "UPDATE semantic_notes SET fact = ?, words = ? WHERE id = ?",
    ),
    promote: db.prepare<[number]>("UPDATE semantic_notes SET status = 'active' WHERE id = ?"),
    makeRoom: db.prepare<[number]>(
      "UPDATE semantic_notes SET status = 'expired', status_before = NULL WHERE id = ?",
    ),
    backdate: db.prepare<[DatesRow]>(
      `UPDATE semantic_notes SET created_at = :createdAtMs, last_confirmed_at = :lastConfirmedAtMs,
         expires_at = CASE WHEN :isForGood = 1 THEN NULL WHEN :expiresAtMs IS NULL THEN expires_at
           WHEN :givenUntilMs IS NOT NULL THEN min(:expiresAtMs, :givenUntilMs)
           ELSE min(:expiresAtMs, coalesce(expires_at, :expiresAtMs)) END
       WHERE id = :noteId`,
    ),
  };
}

function goneRows(db: Db) {
  return {
    /** What a note had superseded that lost its evidence is not taken for true again on its own. */
    putAside: db.prepare<[number]>(
      "UPDATE semantic_notes SET superseded_by = NULL, status = 'stale', status_before = NULL WHERE superseded_by = ?",
    ),
    /** What stood behind it stands behind its successor, or aside: it is not taken for true again on its own. */
    handOn: db.prepare<[{ id: number }]>(
      `UPDATE semantic_notes SET
         superseded_by = (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id),
         status = CASE WHEN (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id) IS NULL
           THEN 'stale' ELSE status END,
         status_before = NULL
       WHERE superseded_by = :id`,
    ),
    restingOn: db.prepare<[number, number], { id: number; fact: string }>(
      `SELECT s.id, s.fact FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
       WHERE v.episode_id = ? AND v.claim_n = ? ORDER BY s.id`,
    ),
  };
}

/** Takes all notes about somebody; gives how many. */
export function subjectDropper(db: Db): (userId: string) => number {
  const mine = "(SELECT id FROM semantic_notes WHERE subject_id = @userId)";
  const steps = [
    `UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id IN ${mine}`,
    `UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by IN ${mine}`,
  ].map((sql) => db.prepare<[{ userId: string }]>(sql));
  const drop = db.prepare<[string]>("DELETE FROM semantic_notes WHERE subject_id = ?");
  return (userId) => {
    for (const step of steps) step.run({ userId });
    return drop.run(userId).changes;
  };
}

/** A function that brings a note's words for recall in line with its fact; nothing for another table. */
export function wordsKeeper(db: Db, table: string): (noteId: number) => void {
  if (table !== NOTE_TEXTS[0].table) return () => undefined;
  const read = db.prepare<[number], { fact: string; topics: string }>(
    "SELECT fact, topics FROM semantic_notes WHERE id = ?",
  );
  const write = db.prepare<[string, number]>("UPDATE semantic_notes SET words = ? WHERE id = ?");
  return (noteId) => {
    const note = read.get(noteId);
    if (note !== undefined) write.run(normalWords(`${note.fact} ${note.topics}`).join(" "), noteId);
  };
}
