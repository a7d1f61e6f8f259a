import { NOTE_KIND_LIST, type NoteKind, type NoteScope } from "../catalogue/note-kinds.ts";
import { calmSince } from "../chat/known-store.ts";
import type { NoteSource, NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { EVIDENCE_PROVES } from "./carriers-store.ts";
import type { Property } from "./check-sorted.ts";
import { type PropertyRow, propertyRow, sharesMostWords } from "./fact-key.ts";
import { IN_FORCE, LASTS } from "./note-lists-store.ts";
import type { NoteLifetime } from "./note-prompt.ts";
import { type At, noteSuperseder, notesOfOwner, OWNED } from "./note-records-store.ts";
import { expiryOf } from "./note-settings.ts";

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
  /** Local day (2026-05-01) that the fact is about; null for none. */
  readonly happensOn: string | null;
}

export interface NewNote extends Omit<StoredNote, "id" | "pinned"> {
  readonly topics: string;
  /** Normalised, for recall and for telling duplicates. */
  readonly words: string;
  readonly importance: number;
  readonly status: "active" | "shadow" | "pending";
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

/** What a confirmation may give a note, where it has none. */
interface Confirmed {
  readonly property: Property | null;
  readonly lifetime: NoteLifetime | null;
}

/** A confirmation closes a tenth of what is missing to certainty. Design part 6, point 5. */
const CONFIRMATION_GAIN = 0.1;
/** Outside streams a day counts as one: else the cap of a stream would be one for good. */
const DAY_MS = 86_400_000;
const NO_STREAM_MS = DAY_MS;

/** Of what ran out so much may come back by a confirmation, what was confirmed last first: an owner has more of it each year. */
const RAN_OUT_NOTES_MAX = 200;

export type NoteStore = ReturnType<typeof noteStore>;

/** Notes as they are learned: what new ones are held against, what is written, and what has to make room or runs out. */
export function noteStore(db: Db, now: () => number) {
  return {
    ...reads(db, now),
    ...writes(db, now),
    ...changes(db, now),
    ...caps(db, now),
    ...sweeps(db, now),
  };
}

function reads(db: Db, now: () => number) {
  const sql = statements(db);
  const made = sql.all<
    [NoteOwner & { scope: NoteScope; sessionId: number | null; sinceMs: number }],
    { id: number; importance: number }
  >(
    `SELECT n.id, n.importance FROM semantic_notes n
     WHERE n.channel = :channel AND n.scope = :scope AND n.subject_id IS :subjectId
       AND (n.persona IS NULL OR n.persona = :persona) AND n.status IN ('active', 'shadow', 'pending')
       AND n.source_kind = 'extracted' AND (:sessionId IS NOT NULL OR n.created_at > :sinceMs)
       AND (SELECT e.session_id FROM note_evidence v JOIN episodes e ON e.id = v.episode_id
            WHERE v.note_id = n.id ORDER BY v.episode_id LIMIT 1) IS :sessionId
     ORDER BY n.importance, n.id`,
  );
  const sessionOf = sql.value<[episodeId: number], number>(
    "SELECT session_id FROM episodes WHERE id = ?",
  );
  return {
    /** Notes that new ones are held against. */
    known: notesOfOwner(
      db,
      now,
      `AND (status IN ('active', 'shadow', 'pending') OR id IN (SELECT id FROM semantic_notes
         WHERE ${OWNED} AND status IN ('stale', 'expired') ORDER BY last_confirmed_at DESC, id DESC LIMIT ${RAN_OUT_NOTES_MAX}))`,
    ),
    /** Facts that were rejected by hand. */
    rejected: sql.values<[NoteOwner], string>(
      `SELECT fact FROM semantic_notes WHERE ${OWNED} AND status = 'rejected'`,
    ),
    /** How many active notes no rule takes away. */
    keptCount: sql.value<[NoteOwner], number>(
      `SELECT count(*) FROM semantic_notes
       WHERE ${OWNED} AND ${COUNTED} AND status = 'active' AND (pinned = 1 OR source_kind = 'viewer_request')`,
    ),
    /** What is left of the notes that a stream made in a scope, or the last day outside streams: least important first. */
    madeFor: (owner: NoteOwner, scope: NoteScope, episodeId: number) =>
      made({
        ...owner,
        scope,
        sessionId: sessionOf(episodeId),
        sinceMs: now() - NO_STREAM_MS,
      }),
  };
}

function writes(db: Db, now: () => number) {
  const sql = statements(db);
  const insert = sql.insert<[Omit<NewNote, "property"> & PropertyRow & At]>(
    `INSERT INTO semantic_notes (channel, scope, subject_id, persona, kind, fact, topics, words, confidence,
       importance, status, source_kind, created_at, last_confirmed_at, expires_at, property, property_value,
       property_game, lifetime, happens_on, active_from)
     VALUES (:channel, :scope, :subjectId, :persona, :kind, :fact, :topics, :words, :confidence,
       :importance, :status, :source, :nowMs, :nowMs, :expiresAtMs, :property, :propertyValue,
       :propertyGame, :lifetime, :happensOn, CASE :status WHEN 'active' THEN :nowMs END)`,
  );
  const addOne = sql.run<[Evidence & At & { noteId: number }]>(
    `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
     VALUES (:noteId, :episodeId, :claimN, :method, :confidence, :model, :promptVersion, :nowMs)
     ON CONFLICT (note_id, episode_id) DO NOTHING`,
  );
  const lifeOf = sql.one<[number], Omit<Life, "property"> & Pick<PropertyRow, "property">>(
    `SELECT kind, lifetime, source_kind AS source, happens_on AS happensOn, property, expires_at AS expiresAtMs
     FROM semantic_notes WHERE id = ?`,
  );
  // `doubt`: what is left of it.
  const renew = sql.run<[RenewedLife & PropertyRow & At & { noteId: number; doubt: number }]>(
    `UPDATE semantic_notes SET last_confirmed_at = :nowMs, expires_at = :expiresAtMs, lifetime = :lifetime,
       confidence = 1 - (1 - confidence) * :doubt,
       property_value = CASE WHEN property IS NULL THEN :propertyValue ELSE property_value END,
       property_game = CASE WHEN property IS NULL THEN :propertyGame ELSE property_game END,
       property = coalesce(property, :property),
       active_from = CASE WHEN status IN ('stale', 'expired') AND coalesce(status_before, 'active') = 'active'
         THEN coalesce(active_from, :nowMs) ELSE active_from END,
       ended_at = CASE WHEN status IN ('stale', 'expired') AND coalesce(status_before, 'active') = 'active'
         THEN NULL ELSE ended_at END,
       status = CASE WHEN status IN ('stale', 'expired') THEN coalesce(status_before, 'active') ELSE status END,
       status_before = CASE WHEN status IN ('stale', 'expired') THEN NULL ELSE status_before END
     WHERE id = :noteId`,
  );
  const addEvidence = (noteId: number, evidence: readonly Evidence[]): number =>
    evidence.reduce((added, one) => added + addOne({ ...one, noteId, nowMs: now() }), 0);
  return {
    insert: (note: NewNote, evidence: readonly Evidence[]): number =>
      db.transaction(() => {
        const { property, ...plain } = note;
        const id = insert({ ...plain, ...propertyRow(property), nowMs: now() });
        addEvidence(id, evidence);
        return id;
      })(),
    /**
     * Adds episodes to a note's evidence; raises its confidence once for each that is new, and renews it. Never shortens
     * its life. False, and nothing changed, where all of them were evidence already.
     */
    confirm: (noteId: number, evidence: readonly Evidence[], confirmed: Confirmed): boolean =>
      db.transaction(() => {
        const added = addEvidence(noteId, evidence);
        const row = added > 0 ? lifeOf(noteId) : null;
        if (row === null) return false;
        const { property: name, ...times } = row;
        const life = { ...times, property: name && { name, value: "", game: null } };
        const nowMs = now();
        const doubt = (1 - CONFIRMATION_GAIN) ** added;
        const property = propertyRow(confirmed.property);
        renew({ noteId, nowMs, doubt, ...property, ...renewed(life, confirmed, nowMs) });
        return true;
      })(),
  };
}

type Life = Pick<
  NewNote,
  "kind" | "source" | "lifetime" | "happensOn" | "property" | "expiresAtMs"
>;
type RenewedLife = Pick<Life, "lifetime" | "expiresAtMs">;

/** A note without a lifetime takes that of its confirmation, where it does not shorten its life. */
function renewed(life: Life, { lifetime: given }: Confirmed, nowMs: number): RenewedLife {
  const endWith = (lifetime: NoteLifetime | null) => expiryOf({ ...life, lifetime }, nowMs);
  const later = (one: number | null, other: number | null) =>
    one === null || other === null ? null : Math.max(one, other);
  const isNoShorter = later(endWith(given), life.expiresAtMs) === endWith(given);
  const lifetime = life.lifetime ?? (isNoShorter ? given : null);
  return { lifetime, expiresAtMs: later(life.expiresAtMs, endWith(lifetime)) };
}

/** Changes of single notes that no confirmation is. */
function changes(db: Db, now: () => number) {
  const sql = statements(db);
  const supersede = noteSuperseder(db, now);
  const promote = sql.run<[At & { id: number }]>(
    `UPDATE semantic_notes SET status = 'active', active_from = coalesce(active_from, :nowMs), ended_at = NULL
     WHERE id = :id`,
  );
  const makeRoom = sql.run<[number, number]>(
    "UPDATE semantic_notes SET status = 'expired', status_before = NULL, ended_at = ? WHERE id = ?",
  );
  const takeEvidence = sql.run<[number, number]>(
    `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
     SELECT ?, episode_id, claim_n, method, confidence, model, prompt_version, created_at
     FROM note_evidence WHERE note_id = ? ON CONFLICT (note_id, episode_id) DO NOTHING`,
  );
  return {
    /** Puts notes behind another, which took their place. */
    putBehind: (oldIds: readonly number[], byId: number): void => {
      for (const id of oldIds) supersede(byId, id);
    },
    /** Gives a note the evidence of others, and takes none away from them. */
    takeEvidence: (noteId: number, fromIds: readonly number[]): void => {
      for (const id of fromIds) takeEvidence(noteId, id);
    },
    promote: (id: number) => promote({ id, nowMs: now() }),
    reword: sql.run<[fact: string, words: string, id: number]>(
      "UPDATE semantic_notes SET fact = ?, words = ? WHERE id = ?",
    ),
    /** The streamer says so now: a stronger source. */
    strengthen: sql.run<[id: number]>(
      "UPDATE semantic_notes SET source_kind = 'operator' WHERE id = ?",
    ),
    /** What its viewer asks for stays until they say otherwise. */
    keep: sql.run<[id: number]>(
      `UPDATE semantic_notes SET expires_at = NULL, lifetime = 'permanent',
         source_kind = CASE source_kind WHEN 'operator' THEN source_kind ELSE 'viewer_request' END WHERE id = ?`,
    ),
    /** It goes for another one. */
    makeRoom: (id: number) => makeRoom(now(), id),
  };
}

/** Facts about the channel that the streamer wrote take no place of learned ones. */
const COUNTED = "NOT (subject_id IS NULL AND source_kind = 'operator')";

interface Removable {
  readonly id: number;
  readonly words: string;
}

function caps(db: Db, now: () => number) {
  const sql = statements(db);
  const { makeRoom } = changes(db, now);
  const activeCount = sql.value<[NoteOwner & At], number>(
    `SELECT count(*) FROM semantic_notes WHERE ${OWNED} AND ${IN_FORCE} AND ${COUNTED}`,
  );
  const removable = sql.all<[NoteOwner & At & { keepId: number }], Removable>(
    `SELECT id, words FROM semantic_notes
     WHERE ${OWNED} AND ${IN_FORCE} AND ${COUNTED} AND pinned = 0 AND source_kind <> 'viewer_request'
     ORDER BY id = :keepId, importance, max(last_confirmed_at, coalesce(last_used_at, 0)), id`,
  );
  return {
    /**
     * Brings an owner's active notes down to `max`; gives the ids that went: of two that say nearly the same the older
     * first, then lowest importance, `keepId` last of all. What is pinned, or was asked for by its viewer, stays.
     */
    evict: (owner: NoteOwner, max: number, keepId = 0): number[] =>
      db.transaction(() => {
        const asked = { ...owner, keepId, nowMs: now() };
        const count = (activeCount(asked) ?? 0) - max;
        const ids = count > 0 ? goingFirst(removable(asked), keepId, count) : [];
        for (const id of ids) makeRoom(id);
        return ids;
      })(),
    /** How many active notes of an owner count for the cap. */
    countActive: (owner: NoteOwner): number => activeCount({ ...owner, nowMs: now() }) ?? 0,
    /** The viewers of a channel who have more active notes than `max`, all personas together. */
    crowded: sql.values<[channel: string, max: number], string>(
      `SELECT subject_id FROM semantic_notes WHERE channel = ? AND scope = 'viewer' AND status = 'active'
       GROUP BY subject_id HAVING count(*) > ?`,
    ),
  };
}

/** The first `count` of the notes that may go: older near-twins of others before all. */
function goingFirst(notes: readonly Removable[], keepId: number, count: number): number[] {
  const read = notes.map(({ id, words }) => ({ id, words: new Set(words.split(" ")) }));
  const isOlderTwin = ({ id, words }: (typeof read)[number]): boolean =>
    id !== keepId &&
    !words.has("") &&
    read.some((other) => other.id > id && sharesMostWords(words, other.words));
  const twins: number[] = [];
  for (const note of read) if (twins.length < count && isOlderTwin(note)) twins.push(note.id);
  return [...new Set([...twins, ...read.map(({ id }) => id)])].slice(0, count);
}

/** The life in days of the kinds that only days with a stream shorten; null for the others. */
const BIT_LIFE_DAYS = `CASE kind ${NOTE_KIND_LIST.map(([name, { livesByStreamDays, lifeDays }]) =>
  livesByStreamDays ? `WHEN '${name}' THEN ${lifeDays}` : "",
).join(" ")} END`;

function sweeps(db: Db, now: () => number) {
  const sql = statements(db);
  const expire = sql.run<[number]>(
    `UPDATE semantic_notes SET status = 'expired', status_before = NULL, ended_at = expires_at
     WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= ? AND pinned = 0`,
  );
  const retire = sql.run<[number, number]>(
    `UPDATE semantic_notes SET status = 'stale', status_before = NULL, ended_at = ?
     WHERE status = 'active' AND last_confirmed_at < ? AND pinned = 0 AND source_kind <> 'viewer_request'`,
  );
  // What was never in force does not come into it by fading: a confirmation puts it back to where it waited.
  const expireWaiting = sql.run<[At]>(
    `UPDATE semantic_notes SET status = 'expired', status_before = status
     WHERE status IN ('shadow', 'pending') AND last_confirmed_at <= :nowMs AND expires_at <= :nowMs`,
  );
  const retireWaiting = sql.run<[number]>(
    `UPDATE semantic_notes SET status = 'stale', status_before = status
     WHERE status IN ('shadow', 'pending') AND last_confirmed_at < ?`,
  );
  const keepBits = sql.run<[At]>(
    `UPDATE semantic_notes AS n SET expires_at = :nowMs + 2 * ${DAY_MS}
     WHERE status = 'active' AND lifetime IS NULL AND expires_at <= :nowMs + ${DAY_MS}
       AND ${BIT_LIFE_DAYS} > (SELECT count(DISTINCT s.started_at / ${DAY_MS}) FROM stream_sessions s
         WHERE s.channel = n.channel AND s.started_at >= n.last_confirmed_at)`,
  );
  const promoteProven = sql.values<
    [At & { channel: string; kinds: string; calmSince: string }],
    number
  >(
    `UPDATE semantic_notes AS n SET status = 'active', active_from = coalesce(active_from, :nowMs), ended_at = NULL
     WHERE channel = :channel AND status = 'shadow' AND status_before IS NOT 'active'
       AND scope IN ('channel', 'bit') AND ${LASTS}
       AND kind IN (SELECT value FROM json_each(:kinds))
       AND EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id AND ${EVIDENCE_PROVES})
     RETURNING id`,
  );
  return {
    /** Moves what ran out to `expired`, also what waits for approval: a confirmation lets that wait again. */
    expire: () => expire(now()) + expireWaiting({ nowMs: now() }),
    /** Moves what nobody confirmed since `beforeMs` to `stale`, in the same way. */
    retire: (beforeMs: number) => retire(now(), beforeMs) + retireWaiting(beforeMs),
    /**
     * Lets jokes that run out within a day live on: of their days, only those with a stream count.
     */
    keepBits: () => keepBits({ nowMs: now() }),
    /**
     * Makes notes of a channel active that waited in the shadow for known carriers; gives the ids. `kinds`: those that
     * need no approval.
     */
    promoteProven: (channel: string, kinds: readonly string[]): number[] =>
      promoteProven({
        channel,
        kinds: JSON.stringify(kinds),
        nowMs: now(),
        calmSince: calmSince(now()),
      }),
  };
}
