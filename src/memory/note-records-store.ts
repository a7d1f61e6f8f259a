import { Fault } from "../errors.ts";
import type { NoteStatus } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { NoteOwner, StoredNote } from "./note-store.ts";
import { type PropertyRow, toProperty } from "./property.ts";

/** A note with what the streamer's decisions need to know of it. */
export interface NoteRecord extends StoredNote {
  readonly topics: string;
  readonly supersededBy: number | null;
  /** What the streamer approved or rejected it from; null where neither was done, or it was undone. */
  readonly statusBefore: NoteStatus | null;
}

/** One note at a time, by its number, and the few things that can be done to a row without judging anything. */
export interface NoteRecords {
  /** Throws a Fault for a number that no note has. */
  get(id: number): NoteRecord;
  /** Every note of an owner, whatever its status, oldest first. */
  all(owner: NoteOwner): NoteRecord[];
  active(owner: NoteOwner): NoteRecord[];
  /** The note that a model meant a waiting one to take the place of; null where there is none, or it is long ago. */
  meantFor(id: number): number | null;
  /** What a note took the place of, oldest first. */
  replacedBy(id: number): NoteRecord[];
  setStatus(id: number, status: NoteStatus, before: NoteStatus | null): void;
  /** Puts a note in force, as confirmed now. */
  activate(id: number, expiresAtMs: number | null): void;
  supersede(oldId: number, byId: number): void;
  /** Takes a note out of the chain that it stands in. */
  detach(id: number): void;
  setPinned(id: number, pinned: boolean): void;
  /** Gives a note the pin, the importance, the topics and the persona of another. */
  inherit(id: number, fromId: number): void;
}

export function noteRecords(db: Db, now: () => number): NoteRecords {
  const rows = { ...reads(db), ...writes(db) };
  return {
    get: (id) => {
      const row = rows.one.get(id);
      if (row === undefined) throw noSuchNote(id);
      return toRecord(row);
    },
    all: (owner) => rows.all.all(owner).map(toRecord),
    active: (owner) => rows.active.all(owner).map(toRecord),
    meantFor: (id) => rows.meantFor.get(id) ?? null,
    replacedBy: (id) => rows.replaced.all(id).map(toRecord),
    setStatus: (id, status, before) => void rows.setStatus.run(status, before, id),
    activate: (id, expiresAtMs) => void rows.activate.run(now(), expiresAtMs, id),
    supersede: (oldId, byId) => void rows.supersede.run(byId, oldId),
    detach: (id) => void rows.detach.run(id),
    setPinned: (id, pinned) => void rows.setPinned.run(pinned ? 1 : 0, id),
    inherit: (id, fromId) => void rows.inherit.run({ id, fromId }),
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

type NoteRow = Omit<NoteRecord, "pinned" | "property"> & PropertyRow & { readonly pinned: number };

function toRecord({ property, propertyValue, propertyGame, ...row }: NoteRow): NoteRecord {
  const three = { property, propertyValue, propertyGame };
  return { ...row, property: toProperty(three), pinned: row.pinned === 1 };
}

const COLUMNS = `id, channel, scope, subject_id AS subjectId, persona, kind, fact, topics, confidence, status,
  source_kind AS source, pinned, property, property_value AS propertyValue, property_game AS propertyGame,
  lifetime, superseded_by AS supersededBy, status_before AS statusBefore`;
/** Names every scope, or the index on subjects cannot be used. */
const OWNED = `channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;

function reads(db: Db) {
  return {
    one: db.prepare<[number], NoteRow>(`SELECT ${COLUMNS} FROM semantic_notes WHERE id = ?`),
    all: db.prepare<[NoteOwner], NoteRow>(
      `SELECT ${COLUMNS} FROM semantic_notes WHERE ${OWNED} ORDER BY id`,
    ),
    active: db.prepare<[NoteOwner], NoteRow>(
      `SELECT ${COLUMNS} FROM semantic_notes WHERE ${OWNED} AND status = 'active' ORDER BY id`,
    ),
    meantFor: db
      .prepare<[number], number | null>(
        `SELECT json_extract(offer_json, '$.noteId') FROM note_candidates
         WHERE note_id = ? AND decision = 'supersede' ORDER BY id LIMIT 1`,
      )
      .pluck(),
    replaced: db.prepare<[number], NoteRow>(
      `SELECT ${COLUMNS} FROM semantic_notes WHERE superseded_by = ? ORDER BY id`,
    ),
  };
}

function writes(db: Db) {
  return {
    setStatus: db.prepare<[NoteStatus, NoteStatus | null, number]>(
      "UPDATE semantic_notes SET status = ?, status_before = ? WHERE id = ?",
    ),
    activate: db.prepare<[number, number | null, number]>(
      `UPDATE semantic_notes SET status = 'active', superseded_by = NULL, last_confirmed_at = ?, expires_at = ?
       WHERE id = ?`,
    ),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
    detach: db.prepare<[number]>("UPDATE semantic_notes SET superseded_by = NULL WHERE id = ?"),
    setPinned: db.prepare<[number, number]>("UPDATE semantic_notes SET pinned = ? WHERE id = ?"),
    inherit: db.prepare<[{ id: number; fromId: number }]>(
      `UPDATE semantic_notes SET (pinned, importance, topics, persona) =
         (SELECT pinned, importance, topics, persona FROM semantic_notes old WHERE old.id = :fromId)
       WHERE id = :id`,
    ),
  };
}
