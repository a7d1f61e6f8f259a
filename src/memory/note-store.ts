import type { NoteKind, NoteScope, NoteSource, NoteStatus } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";

/** A note that may be confirmed or superseded. */
export interface StoredNote {
  readonly id: number;
  readonly channel: string;
  readonly scope: NoteScope;
  readonly subjectId: string | null;
  readonly persona: string | null;
  readonly kind: NoteKind;
  /** With person tokens, never names. */
  readonly fact: string;
  readonly confidence: number;
  readonly status: NoteStatus;
  readonly source: NoteSource;
  readonly pinned: boolean;
}

export interface NewNote {
  readonly channel: string;
  readonly scope: NoteScope;
  readonly subjectId: string | null;
  readonly persona: string | null;
  readonly kind: NoteKind;
  readonly fact: string;
  readonly topics: string;
  /** Normalised, for recall and for telling duplicates. */
  readonly words: string;
  readonly confidence: number;
  readonly importance: number;
  readonly status: "active" | "shadow" | "pending";
  readonly source: NoteSource;
  readonly expiresAtMs: number | null;
}

export interface Evidence {
  readonly episodeId: number;
  readonly claimN: number | null;
  readonly method: NoteSource;
  readonly confidence: number;
  readonly model: string | null;
  readonly promptVersion: string | null;
}

/** Whose notes: a viewer's, or the channel's where `subjectId` is null; shared ones, and a persona's own. */
export interface NoteOwner {
  readonly channel: string;
  readonly subjectId: string | null;
  readonly persona: string | null;
}

export interface NoteStore {
  /** Notes that new ones are held against: active, shadow, pending, stale and expired ones. */
  known(owner: NoteOwner): StoredNote[];
  insert(note: NewNote, evidence: Evidence): number;
  /**
   * Adds an episode to a note's evidence; raises its confidence and renews it. False, and nothing changed, where the
   * episode was evidence already.
   */
  confirm(noteId: number, evidence: Evidence, expiresAtMs: number | null): boolean;
  /** Writes a new note in the place of an old one, which then points at it. */
  supersede(oldId: number, note: NewNote, evidence: Evidence): number;
  /**
   * Brings an owner's active notes down to `max`; gives the ids that went, lowest importance first, `keepId` last of
   * all. Pinned ones stay.
   */
  evict(owner: NoteOwner, max: number, keepId?: number): number[];
  /** The viewers of a channel who have more active notes than `max`, all personas together. */
  crowded(channel: string, max: number): string[];
  /** New notes of one subject in a stream, or in the last day of chat outside streams; of a channel since a time. */
  madeFor(owner: NoteOwner, sessionId: number | null): number;
  madeSince(channel: string, sinceMs: number): number;
  /** Moves what ran out to `expired`, also what waits for approval: a confirmation lets that wait again. */
  expire(): number;
  /** Moves what nobody confirmed since `beforeMs` to `stale`, in the same way. */
  retire(beforeMs: number): number;
}

/** A confirmation closes a tenth of what is missing to certainty. Design part 6, point 6. */
const CONFIRMATION_GAIN = 0.1;
/** Outside streams a day counts as one: else the cap of a stream would be one for good. */
const NO_STREAM_MS = 86_400_000;

const COLUMNS = `id, channel, scope, subject_id AS subjectId, persona, kind, fact, confidence, status,
  source_kind AS source, pinned`;
/** Names every scope, or the index on subjects cannot be used and the whole channel's notes are read. */
const ANY_SCOPE = "scope IN ('viewer', 'channel', 'bit')";
/** A persona with notes of its own knows the shared ones, too. */
const OWNED = `channel = :channel AND ${ANY_SCOPE} AND subject_id IS :subjectId
  AND (persona IS NULL OR persona = :persona)`;

export function noteStore(db: Db, now: () => number): NoteStore {
  const rows = statements(db);
  const add = (note: NewNote, evidence: Evidence): number => {
    const id = Number(rows.insert.run({ ...note, nowMs: now() }).lastInsertRowid);
    rows.evidence.run({ ...evidence, noteId: id, nowMs: now() });
    return id;
  };
  return {
    known: (owner) => rows.known.all(owner).map((row) => ({ ...row, pinned: row.pinned === 1 })),
    insert: (note, evidence) => db.transaction(() => add(note, evidence))(),
    confirm: (noteId, evidence, expiresAtMs) =>
      db.transaction(() => {
        const isNew = rows.evidence.run({ ...evidence, noteId, nowMs: now() }).changes > 0;
        if (isNew) rows.confirm.run({ noteId, nowMs: now(), expiresAtMs });
        return isNew;
      })(),
    supersede: (oldId, note, evidence) =>
      db.transaction(() => {
        const id = add(note, evidence);
        rows.supersede.run(id, oldId);
        return id;
      })(),
    evict: (owner, max, keepId = 0) =>
      db.transaction(() => {
        const ids = rows.overflow.all({ ...owner, max, keepId });
        for (const id of ids) rows.evict.run(id);
        return ids;
      })(),
    crowded: (channel, max) => rows.crowded.all(channel, max),
    madeFor: (owner, sessionId) =>
      rows.madeFor.get({ ...owner, sessionId, sinceMs: now() - NO_STREAM_MS }) ?? 0,
    madeSince: (channel, sinceMs) => rows.madeSince.get(channel, sinceMs) ?? 0,
    expire: () => rows.expire.run(now()).changes + rows.expireWaiting.run({ nowMs: now() }).changes,
    retire: (beforeMs) =>
      rows.retire.run(beforeMs).changes + rows.retireWaiting.run(beforeMs).changes,
  };
}

type NoteRow = Omit<StoredNote, "pinned"> & { readonly pinned: number };

function statements(db: Db) {
  return { ...writes(db), ...reads(db), ...sweeps(db) };
}

function reads(db: Db) {
  return {
    known: db.prepare<[NoteOwner], NoteRow>(
      `SELECT ${COLUMNS} FROM semantic_notes
       WHERE ${OWNED} AND status IN ('active', 'shadow', 'pending', 'stale', 'expired') ORDER BY id`,
    ),
    madeFor: db
      .prepare<[NoteOwner & { sessionId: number | null; sinceMs: number }], number>(
        `SELECT count(*) FROM semantic_notes n JOIN note_evidence v ON v.note_id = n.id
         JOIN episodes e ON e.id = v.episode_id
         WHERE n.channel = :channel AND n.${ANY_SCOPE} AND n.subject_id IS :subjectId
           AND (n.persona IS NULL OR n.persona = :persona)
           AND e.session_id IS :sessionId AND (:sessionId IS NOT NULL OR n.created_at > :sinceMs)
           AND v.created_at = n.created_at AND n.source_kind = 'extracted'`,
      )
      .pluck(),
    madeSince: db
      .prepare<[string, number], number>(
        `SELECT count(*) FROM semantic_notes INDEXED BY semantic_notes_by_creation
         WHERE channel = ? AND created_at > ? AND source_kind = 'extracted'`,
      )
      .pluck(),
  };
}

function writes(db: Db) {
  return {
    insert: db.prepare<[NewNote & { nowMs: number }]>(
      `INSERT INTO semantic_notes (channel, scope, subject_id, persona, kind, fact, topics, words, confidence,
         importance, status, source_kind, created_at, last_confirmed_at, expires_at)
       VALUES (:channel, :scope, :subjectId, :persona, :kind, :fact, :topics, :words, :confidence,
         :importance, :status, :source, :nowMs, :nowMs, :expiresAtMs)`,
    ),
    evidence: db.prepare<[Evidence & { noteId: number; nowMs: number }]>(
      `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
       VALUES (:noteId, :episodeId, :claimN, :method, :confidence, :model, :promptVersion, :nowMs)
       ON CONFLICT (note_id, episode_id) DO NOTHING`,
    ),
    confirm: db.prepare<[{ noteId: number; nowMs: number; expiresAtMs: number | null }]>(
      `UPDATE semantic_notes SET last_confirmed_at = :nowMs, expires_at = :expiresAtMs,
         confidence = confidence + ${CONFIRMATION_GAIN} * (1 - confidence),
         status = CASE WHEN status IN ('stale', 'expired') THEN coalesce(status_before, 'active') ELSE status END,
         status_before = CASE WHEN status IN ('stale', 'expired') THEN NULL ELSE status_before END
       WHERE id = :noteId`,
    ),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
  };
}

function sweeps(db: Db) {
  return {
    overflow: db
      .prepare<[NoteOwner & { max: number; keepId: number }], number>(
        `SELECT id FROM semantic_notes WHERE ${OWNED} AND status = 'active' AND pinned = 0
         ORDER BY id = :keepId, importance, max(last_confirmed_at, coalesce(last_used_at, 0)), id
         LIMIT max(0, (SELECT count(*) FROM semantic_notes WHERE ${OWNED} AND status = 'active') - :max)`,
      )
      .pluck(),
    crowded: db
      .prepare<[string, number], string>(
        `SELECT subject_id FROM semantic_notes WHERE channel = ? AND scope = 'viewer' AND status = 'active'
         GROUP BY subject_id HAVING count(*) > ?`,
      )
      .pluck(),
    evict: db.prepare<[number]>(
      "UPDATE semantic_notes SET status = 'expired', status_before = NULL WHERE id = ?",
    ),
    expire: db.prepare<[number]>(
      `UPDATE semantic_notes SET status = 'expired', status_before = NULL
       WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= ? AND pinned = 0`,
    ),
    retire: db.prepare<[number]>(
      `UPDATE semantic_notes SET status = 'stale', status_before = NULL
       WHERE status = 'active' AND last_confirmed_at < ? AND pinned = 0`,
    ),
    /** What was never in force does not come into it by fading: a confirmation puts it back to where it waited. */
    expireWaiting: db.prepare<[{ nowMs: number }]>(
      `UPDATE semantic_notes SET status = 'expired', status_before = status
       WHERE status IN ('shadow', 'pending') AND last_confirmed_at <= :nowMs AND expires_at <= :nowMs`,
    ),
    retireWaiting: db.prepare<[number]>(
      `UPDATE semantic_notes SET status = 'stale', status_before = status
       WHERE status IN ('shadow', 'pending') AND last_confirmed_at < ?`,
    ),
  };
}
