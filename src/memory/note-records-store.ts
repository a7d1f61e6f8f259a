import type { NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { wrongUse } from "../errors.ts";
import { normalWords } from "../language/words.ts";
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

/** The moment as of which a status is told. */
export interface At {
  readonly nowMs: number;
}

type NoteRow = Omit<NoteRecord, "pinned" | "property"> & PropertyRow & { readonly pinned: number };

function toRecord({ property, propertyValue, propertyGame, ...row }: NoteRow): NoteRecord {
  const three = { property, propertyValue, propertyGame };
  return { ...row, property: toProperty(three), pinned: row.pinned === 1 };
}

/** Of notes in the shadow the model is shown so many of one owner. */
const WAITING_SHOWN_MAX = 5;
/** A persona with notes of its own knows the shared ones, too. Names every scope, or the index on subjects cannot be used. */
export const OWNED = `channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;
const STATUS_BEFORE = `CASE WHEN ${RAN_OUT} AND status <> 'active' THEN status ELSE status_before END`;
const NOTES = `SELECT id, channel, scope, subject_id AS subjectId, persona, kind, fact, topics, confidence,
  ${STATUS_NOW} AS status, ${STATUS_BEFORE} AS statusBefore, source_kind AS source, pinned, property,
  property_value AS propertyValue, property_game AS propertyGame, lifetime, happens_on AS happensOn,
  superseded_by AS supersededBy FROM semantic_notes`;

/** A function that puts a note behind another, which took its place. */
export function noteSuperseder(db: Db, now: () => number) {
  const supersede = statements(db).run<[{ byId: number; id: number; nowMs: number }]>(
    `UPDATE semantic_notes SET status = 'superseded', superseded_by = :byId,
       ended_at = CASE status WHEN 'active' THEN :nowMs ELSE ended_at END WHERE id = :id`,
  );
  return (byId: number, id: number) => supersede({ byId, id, nowMs: now() });
}

/** A function that gives the notes of an owner that are `which`, oldest first. What ran out reads as expired, whether or not a sweep came by. */
export function notesOfOwner(db: Db, now: () => number, which: string) {
  const rows = statements(db).all<[NoteOwner & At], NoteRow>(
    `${NOTES} WHERE ${OWNED} ${which} ORDER BY id`,
  );
  return (owner: NoteOwner) => rows({ ...owner, nowMs: now() }).map(toRecord);
}

export type NoteRecords = ReturnType<typeof noteRecords>;

/** One note at a time, by its number, and the few things that can be done to a row without judging anything. */
export function noteRecords(db: Db, now: () => number) {
  const sql = statements(db);
  const one = sql.one<[At & { id: number }], NoteRow>(`${NOTES} WHERE id = :id`);
  const replaced = sql.all<[At & { id: number }], NoteRow>(
    `${NOTES} WHERE superseded_by = :id ORDER BY id`,
  );
  const activate = sql.run<[At & { id: number; expiresAtMs: number | null }]>(
    // The larger of two of which one is null is null: no end.
    `UPDATE semantic_notes SET status = 'active', superseded_by = NULL, last_confirmed_at = :nowMs,
       expires_at = max(expires_at, :expiresAtMs), active_from = coalesce(active_from, :nowMs), ended_at = NULL
     WHERE id = :id`,
  );
  const setStatus = sql.run<[At & { id: number; status: NoteStatus; before: NoteStatus | null }]>(
    `UPDATE semantic_notes SET status_before = :before,
       active_from = CASE :status WHEN 'active' THEN coalesce(active_from, :nowMs) ELSE active_from END,
       ended_at = CASE WHEN :status = 'active' THEN NULL WHEN status = 'active' THEN :nowMs ELSE ended_at END,
       status = :status WHERE id = :id`,
  );
  return {
    /** Throws a Fault for a number that no note has. */
    get: (id: number): NoteRecord => {
      const row = one({ id, nowMs: now() });
      if (row !== null) return toRecord(row);
      throw wrongUse(`there is no note ${id}`, "see `forgetmenot memory list` for the numbers");
    },
    /** Every note of an owner, whatever its status. */
    all: notesOfOwner(db, now, ""),
    active: notesOfOwner(db, now, `AND ${IN_FORCE}`),
    /** The note that a model meant a waiting one to take the place of; null where there is none, or it is long ago. */
    meantFor: sql.value<[id: number], number>(
      `SELECT json_extract(offer_json, '$.noteId') FROM note_candidates
       WHERE note_id = ? AND decision = 'supersede' ORDER BY id LIMIT 1`,
    ),
    /** What a note took the place of, oldest first. */
    replacedBy: (id: number) => replaced({ id, nowMs: now() }).map(toRecord),
    setStatus: (status: NoteStatus, before: NoteStatus | null, id: number) =>
      setStatus({ status, before, id, nowMs: now() }),
    /** Puts a note in force, as confirmed now. Never shortens its life: the streamer may have given it a longer one. */
    activate: (id: number, expiresAtMs: number | null) =>
      activate({ id, expiresAtMs, nowMs: now() }),
    supersede: noteSuperseder(db, now),
    /** Takes a note out of the chain that it stands in. */
    detach: sql.run<[id: number]>("UPDATE semantic_notes SET superseded_by = NULL WHERE id = ?"),
    /** What is pinned has no end; what is not any more begins its life anew. */
    setPinned: sql.run<[pinned: number, expiresAtMs: number | null, id: number]>(
      "UPDATE semantic_notes SET pinned = ?, expires_at = ? WHERE id = ?",
    ),
    /** Gives a note the pin, the importance, the topics and the persona of another. */
    inherit: sql.run<[{ id: number; fromId: number }]>(
      `UPDATE semantic_notes AS n SET (pinned, importance, topics, persona, expires_at) =
         (SELECT pinned, importance, topics, persona, CASE pinned WHEN 0 THEN n.expires_at END
          FROM semantic_notes old WHERE old.id = :fromId)
       WHERE id = :id`,
    ),
    weigh: sql.run<[importance: number, id: number]>(
      "UPDATE semantic_notes SET importance = ? WHERE id = ?",
    ),
    live: sql.run<[lifetime: NoteLifetime, expiresAtMs: number | null, id: number]>(
      "UPDATE semantic_notes SET lifetime = ?, expires_at = ? WHERE id = ?",
    ),
  };
}

/** Whose note it is, as the persona that speaks in its channel sees it: beside shared notes it has its own. */
export function ownerOf(
  { channel, subjectId, persona }: StoredNote,
  speaks: string | null,
): NoteOwner {
  return { channel, subjectId, persona: persona ?? speaks };
}

/** Notes of one viewer in one channel, as they may see them themselves. */
export function ownRows(db: Db) {
  const sql = statements(db);
  return {
    owns: sql.value<[id: number, channel: string, userId: string], number>(
      `SELECT 1 FROM semantic_notes WHERE id = ? AND channel = ? AND scope = 'viewer' AND subject_id = ?
         AND status IN ('active', 'shadow', 'pending', 'stale')`,
    ),
    texts: sql.all<[channel: string, userId: string], { id: number; text: string }>(
      `SELECT id, fact || ' ' || topics AS text FROM semantic_notes
       WHERE channel = ? AND scope = 'viewer' AND subject_id = ?`,
    ),
    fact: sql.value<[id: number], string>("SELECT fact FROM semantic_notes WHERE id = ?"),
  };
}

/** What a model is shown of somebody, or of the channel: all that is in force, and what waited last for more proof. */
export function shownNotes(db: Db, now: () => number) {
  const shown = statements(db).all<[NoteOwner & At], KnownNote>(
    `SELECT id, scope, subject_id AS subjectId, fact, status FROM semantic_notes
     WHERE ${OWNED} AND ${LASTS} AND (status = 'active' OR id IN (SELECT id FROM semantic_notes
       WHERE ${OWNED} AND ${LASTS} AND status = 'shadow'
       ORDER BY last_confirmed_at DESC, id DESC LIMIT ${WAITING_SHOWN_MAX})) ORDER BY id`,
  );
  return (owner: NoteOwner) => shown({ ...owner, nowMs: now() });
}

interface Dates {
  readonly noteId: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  readonly expiresAtMs: number | null;
  /** 1: somebody asked for it, or gave it a life for good, and it had no end. */
  readonly isForGood: number;
  /** The latest end of a life that was given in days, whatever the kind's is; null where none was. */
  readonly givenUntilMs: number | null;
}

/** Makes a note as old as it was elsewhere. */
export function backdater(db: Db) {
  return statements(db).run<[Dates]>(
    `UPDATE semantic_notes SET created_at = :createdAtMs, last_confirmed_at = :lastConfirmedAtMs,
       expires_at = CASE WHEN :isForGood = 1 THEN NULL WHEN :expiresAtMs IS NULL THEN expires_at
         WHEN :givenUntilMs IS NOT NULL THEN min(:expiresAtMs, :givenUntilMs)
         ELSE min(:expiresAtMs, coalesce(expires_at, :expiresAtMs)) END
     WHERE id = :noteId`,
  );
}

/** What goes with a note, and what becomes of the notes that stood behind it. */
export function goneRows(db: Db) {
  const sql = statements(db);
  return {
    drop: sql.run<[id: number]>("DELETE FROM semantic_notes WHERE id = ?"),
    /** What is told of the candidates that it was. */
    blankCandidates: sql.run<[id: number]>(
      "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id = ?",
    ),
    /** What stands behind it stands behind nothing. */
    unlink: sql.run<[id: number]>(
      "UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by = ?",
    ),
    /** What a note had superseded that lost its evidence is not taken for true again on its own. */
    putAside: sql.run<[id: number]>(
      "UPDATE semantic_notes SET superseded_by = NULL, status = 'stale', status_before = NULL WHERE superseded_by = ?",
    ),
    /** What stood behind it stands behind its successor, or aside. */
    handOn: sql.run<[{ id: number }]>(
      `UPDATE semantic_notes SET
         superseded_by = (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id),
         status = CASE WHEN (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id) IS NULL
           THEN 'stale' ELSE status END,
         status_before = NULL
       WHERE superseded_by = :id`,
    ),
    restingOn: sql.all<[episodeId: number, n: number], { id: number; fact: string }>(
      `SELECT s.id, s.fact FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
       WHERE v.episode_id = ? AND v.claim_n = ? ORDER BY s.id`,
    ),
  };
}

/** Takes all notes about somebody; gives how many. */
export function subjectDropper(db: Db): (userId: string) => number {
  const mine = "(SELECT id FROM semantic_notes WHERE subject_id = ?)";
  const sql = statements(db);
  const steps = [
    `UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id IN ${mine}`,
    `UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by IN ${mine}`,
    "DELETE FROM semantic_notes WHERE subject_id = ?",
  ].map((step) => sql.run<[string]>(step));
  return (userId) => steps.map((step) => step(userId)).at(-1) ?? 0;
}

/** A function that brings a note's words for recall in line with its fact; nothing for another table. */
export function wordsKeeper(db: Db, table: string): (noteId: number) => void {
  if (table !== NOTE_TEXTS[0].table) return () => undefined;
  const sql = statements(db);
  const read = sql.value<[number], string>(
    "SELECT fact || ' ' || topics FROM semantic_notes WHERE id = ?",
  );
  const write = sql.run<[string, number]>("UPDATE semantic_notes SET words = ? WHERE id = ?");
  return (noteId) => void write(normalWords(read(noteId) ?? "").join(" "), noteId);
}
