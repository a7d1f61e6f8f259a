import type { NoteKind, NoteScope, NoteSource, NoteStatus } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Property } from "./check-sorted.ts";
import { type PropertyRow, propertyRow, sharesMostWords } from "./fact-key.ts";
import { IN_FORCE } from "./note-lists-store.ts";
import type { NoteLifetime } from "./note-prompt.ts";
import { NOTE_COLUMNS, type NoteRow, OWNED, toRecord } from "./note-records-store.ts";
import { expiryOf, type KindDays } from "./note-settings.ts";

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
  readonly property: Property | null;
  /** As it was given; null where its kind alone says how long it lives. */
  readonly lifetime: NoteLifetime | null;
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
  readonly property: Property | null;
  readonly lifetime: NoteLifetime | null;
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
  insert(note: NewNote, evidence: readonly Evidence[]): number;
  /**
   * Adds episodes to a note's evidence; raises its confidence once for each that is new, and renews it. Never shortens
   * its life. False, and nothing changed, where all of them were evidence already.
   */
  confirm(noteId: number, evidence: readonly Evidence[], confirmed: Confirmed): boolean;
  /** Puts notes behind another, which took their place. */
  putBehind(oldIds: readonly number[], byId: number): void;
  /** Gives a note the evidence of others, and takes none away from them. */
  takeEvidence(noteId: number, fromIds: readonly number[]): void;
  /**
   * Brings an owner's active notes down to `max`; gives the ids that went: of two that say nearly the same the older
   * first, then lowest importance, `keepId` last of all. What is pinned, or was asked for by its viewer, stays.
   */
  evict(owner: NoteOwner, max: number, keepId?: number): number[];
  /** The viewers of a channel who have more active notes than `max`, all personas together. */
  crowded(channel: string, max: number): string[];
  /**
   * Notes that a stream made for an owner in a scope, or the last day of chat outside streams, and that are still
   * there: least important first.
   */
  madeFor(
    owner: NoteOwner,
    scope: NoteScope,
    sessionId: number | null,
  ): { id: number; importance: number }[];
  /** Moves what ran out to `expired`, also what waits for approval: a confirmation lets that wait again. */
  expire(): number;
  /** Moves what nobody confirmed since `beforeMs` to `stale`, in the same way. */
  retire(beforeMs: number): number;
}

/** A confirmation closes a tenth of what is missing to certainty. Design part 6, point 5. */
const CONFIRMATION_GAIN = 0.1;
/** What a confirmation may give a note, where it has none. */
interface Confirmed {
  readonly property: Property | null;
  readonly lifetime: NoteLifetime | null;
  readonly kindDays: KindDays;
}

/** Outside streams a day counts as one: else the cap of a stream would be one for good. */
const NO_STREAM_MS = 86_400_000;

export function noteStore(db: Db, now: () => number): NoteStore {
  const rows = statements(db);
  const addEvidence = (noteId: number, evidence: readonly Evidence[]): number =>
    evidence.reduce(
      (added, one) => added + rows.evidence.run({ ...one, noteId, nowMs: now() }).changes,
      0,
    );
  return {
    known: (owner) => rows.known.all({ ...owner, nowMs: now() }).map(toRecord),
    insert: (note, evidence) =>
      db.transaction(() => {
        const { property, ...plain } = note;
        const row = { ...plain, ...propertyRow(property), nowMs: now() };
        const id = Number(rows.insert.run(row).lastInsertRowid);
        addEvidence(id, evidence);
        return id;
      })(),
    confirm: (noteId, evidence, confirmed) =>
      db.transaction(() => {
        const added = addEvidence(noteId, evidence);
        if (added > 0) renew(rows, { noteId, added, nowMs: now() }, confirmed);
        return added > 0;
      })(),
    putBehind: (oldIds, byId) => {
      for (const id of oldIds) rows.supersede.run(byId, id);
    },
    takeEvidence: (noteId, fromIds) => {
      for (const id of fromIds) rows.takeEvidence.run(noteId, id);
    },
    evict: (owner, max, keepId = 0) =>
      db.transaction(() => {
        const asked = { ...owner, keepId, nowMs: now() };
        const ids = overflowing(rows.removable.all(asked), {
          count: (rows.activeCount.get(asked) ?? 0) - max,
          keepId,
        });
        for (const id of ids) rows.evict.run(id);
        return ids;
      })(),
    crowded: (channel, max) => rows.crowded.all(channel, max),
    madeFor: (owner, scope, sessionId) =>
      rows.madeFor.all({ ...owner, scope, sessionId, sinceMs: now() - NO_STREAM_MS }),
    expire: () => rows.expire.run(now()).changes + rows.expireWaiting.run({ nowMs: now() }).changes,
    retire: (beforeMs) =>
      rows.retire.run(beforeMs).changes + rows.retireWaiting.run(beforeMs).changes,
  };
}

type Rows = ReturnType<typeof statements>;

interface Renewal {
  readonly noteId: number;
  /** Episodes that were no evidence before. */
  readonly added: number;
  readonly nowMs: number;
}

/**
 * Confirms a note. What it had no property or lifetime of, it takes from the confirmation: a lifetime only where that
 * does not shorten its life.
 */
function renew(
  rows: Rows,
  { noteId, added, nowMs }: Renewal,
  { property, lifetime, kindDays }: Confirmed,
): void {
  const row = rows.lifeOf.get(noteId);
  if (row === undefined) return;
  const untilMs = (given: NoteLifetime | null) =>
    expiryOf({ kind: row.kind, lifetime: given, source: row.source }, nowMs, kindDays);
  const isNoShorter = (given: NoteLifetime | null): boolean => {
    const [byIt, byKind] = [untilMs(given), row.expiresAtMs];
    return byIt === null || (byKind !== null && byIt >= byKind);
  };
  const kept = row.lifetime ?? (isNoShorter(lifetime) ? lifetime : null);
  const next = untilMs(kept);
  const expiresAtMs =
    row.expiresAtMs === null || next === null ? null : Math.max(row.expiresAtMs, next);
  const known = property ?? { name: null, value: null, game: null };
  rows.confirm.run({
    ...{ noteId, nowMs, expiresAtMs, lifetime: kept },
    ...{ property: known.name, propertyValue: known.value, propertyGame: known.game },
    doubt: (1 - CONFIRMATION_GAIN) ** added,
  });
}

interface Removable {
  readonly id: number;
  readonly words: string;
}

/** Which notes go, of those that may, in the order in which they would: older near-twins of others before all. */
function overflowing(
  notes: readonly Removable[],
  { count, keepId }: { readonly count: number; readonly keepId: number },
): number[] {
  if (count <= 0) return [];
  const isOlderTwin = ({ id, words }: Removable): boolean =>
    id !== keepId &&
    words !== "" &&
    notes.some((other) => other.id > id && sharesMostWords(words, other.words));
  const twins = notes.filter(isOlderTwin);
  const others = notes.filter((note) => !twins.includes(note));
  return [...twins, ...others].slice(0, count).map(({ id }) => id);
}

function statements(db: Db) {
  return { ...writes(db), ...reads(db), ...caps(db), ...sweeps(db) };
}

interface MadeQuery extends NoteOwner {
  readonly scope: NoteScope;
  readonly sessionId: number | null;
  readonly sinceMs: number;
}

interface Life {
  readonly kind: NoteKind;
  readonly lifetime: NoteLifetime | null;
  readonly source: NoteSource;
  readonly expiresAtMs: number | null;
}

function reads(db: Db) {
  return {
    known: db.prepare<[NoteOwner & { nowMs: number }], NoteRow>(
      `SELECT ${NOTE_COLUMNS} FROM semantic_notes
       WHERE ${OWNED} AND status IN ('active', 'shadow', 'pending', 'stale', 'expired') ORDER BY id`,
    ),
    lifeOf: db.prepare<[number], Life>(
      `SELECT kind, lifetime, source_kind AS source, expires_at AS expiresAtMs FROM semantic_notes WHERE id = ?`,
    ),
    madeFor: db.prepare<[MadeQuery], { id: number; importance: number }>(
      `SELECT n.id, n.importance FROM semantic_notes n JOIN note_evidence v ON v.note_id = n.id
       JOIN episodes e ON e.id = v.episode_id
       WHERE n.channel = :channel AND n.scope = :scope AND n.subject_id IS :subjectId
         AND (n.persona IS NULL OR n.persona = :persona) AND n.status IN ('active', 'shadow', 'pending')
         AND e.session_id IS :sessionId AND (:sessionId IS NOT NULL OR n.created_at > :sinceMs)
         AND v.created_at = n.created_at AND n.source_kind = 'extracted'
       GROUP BY n.id ORDER BY n.importance, n.id`,
    ),
  };
}

type InsertRow = Omit<NewNote, "property"> & PropertyRow & { readonly nowMs: number };

interface ConfirmRow extends PropertyRow {
  readonly noteId: number;
  readonly nowMs: number;
  readonly expiresAtMs: number | null;
  readonly lifetime: NoteLifetime | null;
  /** What is left of the doubt in it. */
  readonly doubt: number;
}

function writes(db: Db) {
  return {
    insert: db.prepare<[InsertRow]>(
      `INSERT INTO semantic_notes (channel, scope, subject_id, persona, kind, fact, topics, words, confidence,
         importance, status, source_kind, created_at, last_confirmed_at, expires_at, property, property_value,
         property_game, lifetime)
       VALUES (:channel, :scope, :subjectId, :persona, :kind, :fact, :topics, :words, :confidence,
         :importance, :status, :source, :nowMs, :nowMs, :expiresAtMs, :property, :propertyValue,
         :propertyGame, :lifetime)`,
    ),
    evidence: db.prepare<[Evidence & { noteId: number; nowMs: number }]>(
      `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
       VALUES (:noteId, :episodeId, :claimN, :method, :confidence, :model, :promptVersion, :nowMs)
       ON CONFLICT (note_id, episode_id) DO NOTHING`,
    ),
    takeEvidence: db.prepare<[number, number]>(
      `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
       SELECT ?, episode_id, claim_n, method, confidence, model, prompt_version, created_at
       FROM note_evidence WHERE note_id = ? ON CONFLICT (note_id, episode_id) DO NOTHING`,
    ),
    confirm: db.prepare<[ConfirmRow]>(
      `UPDATE semantic_notes SET last_confirmed_at = :nowMs, expires_at = :expiresAtMs, lifetime = :lifetime,
         confidence = 1 - (1 - confidence) * :doubt,
         property_value = CASE WHEN property IS NULL THEN :propertyValue ELSE property_value END,
         property_game = CASE WHEN property IS NULL THEN :propertyGame ELSE property_game END,
         property = coalesce(property, :property),
         status = CASE WHEN status IN ('stale', 'expired') THEN coalesce(status_before, 'active') ELSE status END,
         status_before = CASE WHEN status IN ('stale', 'expired') THEN NULL ELSE status_before END
       WHERE id = :noteId`,
    ),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
  };
}

function caps(db: Db) {
  return {
    activeCount: db
      .prepare<[NoteOwner & { nowMs: number }], number>(
        `SELECT count(*) FROM semantic_notes WHERE ${OWNED} AND ${IN_FORCE}`,
      )
      .pluck(),
    removable: db.prepare<[NoteOwner & { keepId: number; nowMs: number }], Removable>(
      `SELECT id, words FROM semantic_notes
       WHERE ${OWNED} AND ${IN_FORCE} AND pinned = 0 AND source_kind <> 'viewer_request'
       ORDER BY id = :keepId, importance, max(last_confirmed_at, coalesce(last_used_at, 0)), id`,
    ),
    crowded: db
      .prepare<[string, number], string>(
        `SELECT subject_id FROM semantic_notes WHERE channel = ? AND scope = 'viewer' AND status = 'active'
         GROUP BY subject_id HAVING count(*) > ?`,
      )
      .pluck(),
    evict: db.prepare<[number]>(
      "UPDATE semantic_notes SET status = 'expired', status_before = NULL WHERE id = ?",
    ),
  };
}

function sweeps(db: Db) {
  return {
    expire: db.prepare<[number]>(
      `UPDATE semantic_notes SET status = 'expired', status_before = NULL
       WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= ? AND pinned = 0`,
    ),
    retire: db.prepare<[number]>(
      `UPDATE semantic_notes SET status = 'stale', status_before = NULL
       WHERE status = 'active' AND last_confirmed_at < ? AND pinned = 0 AND source_kind <> 'viewer_request'`,
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
