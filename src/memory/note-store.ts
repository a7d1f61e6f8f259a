import { NOTE_KIND_LIST, NOTE_PROPERTIES, NOTE_PROPERTY_NAMES } from "../catalogue/note-kinds.ts";
import { streamDaysSince } from "../chat/channel-store.ts";
import type { NoteSource, NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import { readStems } from "../language/stems.ts";
import { BLANK_CANDIDATES_OF_NOTE } from "./candidate-store.ts";
import type { Property } from "./check-sorted.ts";
import { ClaimStore } from "./episode-texts-store.ts";
import { sharesMostWords } from "./fact-key.ts";
import type { NoteLifetime } from "./note-prompt.ts";
import {
  EVIDENCE_PROVES,
  IN_FORCE,
  type NewNote,
  type NoteOwner,
  NoteReader,
  type NoteRow,
  OWNED,
  WAITS_FOR_PROOF,
} from "./note-reads-store.ts";
import { calculateExpiry } from "./note-settings.ts";

export interface Evidence {
  readonly episodeId: number;
  readonly claimN: number | null;
  readonly method: NoteSource;
  readonly confidence: number;
  readonly model: string | null;
  readonly promptVersion: string | null;
}

const DAY_MS = 86_400_000;

/** SQL for `active_from` of a note that becomes active: now, unless it is active already. */
const SINCE =
  "CASE WHEN active_from IS NULL OR ended_at IS NOT NULL THEN :nowMs ELSE active_from END";
/** SQL that makes a note active again. */
const ACTIVATE = `SET status = 'active', active_from = ${SINCE}, ended_at = NULL`;
/** A confirmation closes a tenth of the gap to certainty. Design part 6, point 5. */
const CONFIRMATION_GAIN = 0.1;

const HOW_TO_CALL = NOTE_PROPERTY_NAMES.filter((name) => NOTE_PROPERTIES[name].isHowToCall)
  .map((name) => `'${name}'`)
  .join(", ");

/** Facts about the channel that the streamer wrote do not count for the cap. */
const COUNTED = "NOT (subject_id IS NULL AND source_kind = 'operator')";

/** The life in days of kinds that only days with a stream shorten; null for the others. */
const STREAM_DAYS = `CASE kind ${NOTE_KIND_LIST.map(([name, { livesByStreamDays, lifeDays }]) =>
  livesByStreamDays ? `WHEN '${name}' THEN ${lifeDays}` : "",
).join(" ")} END`;

const STALE_AFTER_DAYS = 180;

const COLUMNS = {
  topics: "topics",
  persona: "persona",
  importance: "importance",
  lifetime: "lifetime",
  expiresAtMs: "expires_at",
  pinned: "pinned",
  source: "source_kind",
  statusBefore: "status_before",
  supersededBy: "superseded_by",
} as const;

/** Notes and their evidence: the one place that changes them. */
export class NoteStore extends NoteReader {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #claims: ClaimStore;

  constructor(db: Db, now: () => number) {
    super(db, now);
    this.#db = db;
    this.#now = now;
    this.#claims = new ClaimStore(db, now);
  }

  /** Inserts a note with its evidence. Returns its id. */
  insert({ property, ...note }: NewNote, evidence: readonly Evidence[]): number {
    return this.#db.transaction(() => {
      const id = this.sql.insert(
        `INSERT INTO semantic_notes (channel, scope, subject_id, persona, kind, fact, topics, words, confidence,
           importance, status, source_kind, created_at, last_confirmed_at, expires_at, property, property_value,
           property_game, lifetime, happens_on, active_from)
         VALUES (:channel, :scope, :subjectId, :persona, :kind, :fact, :topics, :words, :confidence,
           :importance, :status, :source, :nowMs, :nowMs, :expiresAtMs, :property, :propertyValue,
           :propertyGame, :lifetime, :happensOn, CASE :status WHEN 'active' THEN :nowMs END)`,
        { ...note, ...toPropertyColumns(property) },
      );
      this.#addEvidence(id, evidence);
      return id;
    })();
  }

  /** Adds evidence of episodes that the note does not have yet. Returns how many it added. */
  #addEvidence(noteId: number, evidence: readonly Evidence[]): number {
    const added = evidence.map((one) =>
      this.sql.run(
        `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
         VALUES (:noteId, :episodeId, :claimN, :method, :confidence, :model, :promptVersion, :nowMs)
         ON CONFLICT (note_id, episode_id) DO NOTHING`,
        { ...one, noteId },
      ),
    );
    return added.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Adds episodes to a note's evidence; each new one raises its confidence. Renews the note's life, and never shortens
   * it. Adds a missing property and lifetime; a given `happensOn` replaces the old one. A stale or expired note waits
   * again or becomes active. Returns false, and changes nothing, if the note had all these episodes already.
   */
  confirm(
    noteId: number,
    evidence: readonly Evidence[],
    given: {
      readonly property: Property | null;
      readonly lifetime: NoteLifetime | null;
      readonly happensOn: string | null;
    },
  ): boolean {
    return this.#db.transaction(() => {
      const added = this.#addEvidence(noteId, evidence);
      if (added === 0) return false;
      const note = this.get(noteId);
      const happensOn = given.happensOn ?? note.happensOn;
      this.sql.run(
        `UPDATE semantic_notes SET last_confirmed_at = :nowMs, expires_at = :expiresAtMs, lifetime = :lifetime,
           happens_on = :happensOn, confidence = 1 - (1 - confidence) * :doubt,
           property_value = CASE WHEN property IS NULL THEN :propertyValue ELSE property_value END,
           property_game = CASE WHEN property IS NULL THEN :propertyGame ELSE property_game END,
           property = coalesce(property, :property)
         WHERE id = :noteId`,
        {
          ...{ noteId, happensOn, doubt: (1 - CONFIRMATION_GAIN) ** added },
          ...toPropertyColumns(given.property),
          ...renewLife({ ...note, happensOn }, given.lifetime, this.#now()),
        },
      );
      if (note.status === "stale" || note.status === "expired")
        this.setStatus(noteId, note.statusBefore ?? "active", null);
      return true;
    })();
  }

  copyEvidence(toId: number, fromIds: readonly number[]): void {
    for (const fromId of fromIds)
      this.sql.run(
        `INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, model, prompt_version, created_at)
         SELECT ?, episode_id, claim_n, method, confidence, model, prompt_version, created_at
         FROM note_evidence WHERE note_id = ? ON CONFLICT (note_id, episode_id) DO NOTHING`,
        ...[toId, fromId],
      );
  }

  /** Gives a note the dates that it had elsewhere. An active one was active since its creation. */
  backdate(
    id: number,
    dates: {
      readonly createdAtMs: number;
      readonly lastConfirmedAtMs: number;
      readonly expiresAtMs: number | null;
    },
  ): void {
    this.sql.run(
      `UPDATE semantic_notes SET created_at = :createdAtMs, last_confirmed_at = :lastConfirmedAtMs,
         active_from = min(active_from, :createdAtMs), expires_at = :expiresAtMs WHERE id = :id`,
      { id, ...dates },
    );
  }

  /** Marks notes as superseded by `byId`. One that says how to call a viewer is deleted, as by `removeWithClaims`. */
  supersede(byId: number, oldIds: readonly number[]): void {
    for (const id of oldIds) {
      this.sql.run(
        `UPDATE semantic_notes SET status = 'superseded', superseded_by = :byId,
           ended_at = CASE status WHEN 'active' THEN :nowMs ELSE ended_at END WHERE id = :id`,
        { byId, id },
      );
      const isHowToCall = this.sql.value(
        `SELECT 1 FROM semantic_notes WHERE id = ? AND property IN (${HOW_TO_CALL})`,
        id,
      );
      if (isHowToCall !== null) this.removeWithClaims(id);
    }
  }

  /** Makes a note active, as confirmed now. Never shortens its life: the streamer may have given it a longer one. */
  activate(id: number, expiresAtMs: number | null): void {
    // The larger of two values of which one is null is null: no end.
    this.sql.run(
      `UPDATE semantic_notes ${ACTIVATE}, superseded_by = NULL, last_confirmed_at = :nowMs,
         expires_at = max(expires_at, :expiresAtMs) WHERE id = :id`,
      { id, expiresAtMs },
    );
  }

  /** Sets a note's status. `statusBefore`: the status that an undo brings back, or null. */
  setStatus(id: number, status: NoteStatus, statusBefore: NoteStatus | null): void {
    this.sql.run(
      `UPDATE semantic_notes SET status_before = :statusBefore,
         active_from = CASE :status WHEN 'active' THEN ${SINCE} ELSE active_from END,
         ended_at = CASE WHEN :status = 'active' THEN NULL WHEN status = 'active' THEN :nowMs ELSE ended_at END,
         status = :status WHERE id = :id`,
      { id, status, statusBefore },
    );
  }

  /** Sets the given columns of a note. */
  update(
    id: number,
    changes: { readonly [key in keyof typeof COLUMNS]?: (NoteRow & NewNote)[key] },
  ): void {
    for (const [key, value] of Object.entries(changes))
      this.sql.run(
        `UPDATE semantic_notes SET ${COLUMNS[key as keyof typeof COLUMNS]} = ? WHERE id = ?`,
        ...[typeof value === "boolean" ? Number(value) : value, id],
      );
  }

  /** Expires a note now: it makes room for another. */
  expireNow(id: number): void {
    this.sql.run(
      "UPDATE semantic_notes SET status = 'expired', status_before = NULL, ended_at = :nowMs WHERE id = :id",
      { id },
    );
  }

  /**
   * Expires an owner's active notes down to `max`, and returns their ids. The older of two similar notes is first, then
   * the least important, `keepId` last. Pinned notes and viewers' requests stay, maybe above `max`. The streamer's
   * facts about the channel do not count.
   */
  evict(owner: NoteOwner, max: number, keepId = 0): number[] {
    return this.#db.transaction(() => {
      const count = this.countActive(owner) - max;
      if (count <= 0) return [];
      const removable = this.sql.all<{ id: number; words: string }>(
        `SELECT id, words FROM semantic_notes
         WHERE ${OWNED} AND ${IN_FORCE} AND ${COUNTED} AND pinned = 0 AND source_kind <> 'viewer_request'
         ORDER BY id = :keepId, importance, max(last_confirmed_at, coalesce(last_used_at, 0)), id`,
        { ...owner, keepId },
      );
      const ids = chooseEvicted(removable, keepId, count);
      for (const id of ids) this.expireNow(id);
      return ids;
    })();
  }

  /** Counts an owner's active notes, but not the streamer's facts about the channel. */
  countActive(owner: NoteOwner): number {
    return this.#count(owner, "1");
  }

  /** Counts those of `countActive` that no cap evicts: pinned ones and viewers' requests. */
  countKept(owner: NoteOwner): number {
    return this.#count(owner, "(pinned = 1 OR source_kind = 'viewer_request')");
  }

  #count(owner: NoteOwner, condition: string): number {
    const count = this.sql.value<number>(
      `SELECT count(*) FROM semantic_notes WHERE ${OWNED} AND ${IN_FORCE} AND ${COUNTED} AND ${condition}`,
      owner,
    );
    return count ?? 0;
  }

  /** Returns the viewers of a channel with more active notes than `max`, all personas together. */
  crowded(channel: string, max: number): string[] {
    return this.sql.values(
      `SELECT subject_id FROM semantic_notes WHERE channel = ? AND scope = 'viewer' AND status = 'active'
       GROUP BY subject_id HAVING count(*) > ?`,
      ...[channel, max],
    );
  }

  /** Moves active, unpinned channel notes and jokes to shadow. Only the streamer brings them back. Returns how many. */
  unlearn(channel: string, ids: readonly number[]): number {
    return this.sql.run(
      `UPDATE semantic_notes SET status = 'shadow', status_before = 'active', ended_at = :nowMs
       WHERE channel = :channel AND scope <> 'viewer' AND status = 'active' AND pinned = 0
         AND id IN (SELECT value FROM json_each(:ids))`,
      { channel, ids: JSON.stringify(ids) },
    );
  }

  /**
   * Expires active, shadow and pending notes whose end is past, but no pinned ones. Returns how many. First gives two
   * more days to an active joke that had too few days with a stream, if it has no lifetime of its own.
   */
  expire(): number {
    this.sql.run(
      `UPDATE semantic_notes AS n SET expires_at = :nowMs + 2 * ${DAY_MS}
       WHERE status = 'active' AND lifetime IS NULL AND expires_at <= :nowMs + ${DAY_MS}
         AND ${STREAM_DAYS} > ${streamDaysSince("n.channel", "n.last_confirmed_at")}`,
    );
    const active = this.sql.run(
      `UPDATE semantic_notes SET status = 'expired', status_before = NULL, ended_at = expires_at
       WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= :nowMs AND pinned = 0`,
    );
    // A note that waited keeps its status in `status_before`: a confirmation lets it wait again.
    const waiting = this.sql.run(
      `UPDATE semantic_notes SET status = 'expired', status_before = status
       WHERE status IN ('shadow', 'pending') AND last_confirmed_at <= :nowMs AND expires_at <= :nowMs`,
    );
    return active + waiting;
  }

  /**
   * Makes active, shadow and pending notes stale that were not confirmed for 180 days. Active ones stay if pinned or
   * requested by a viewer. Returns how many.
   */
  makeStale(): number {
    const isOld = `last_confirmed_at < :nowMs - ${STALE_AFTER_DAYS} * ${DAY_MS}`;
    const active = this.sql.run(
      `UPDATE semantic_notes SET status = 'stale', status_before = NULL, ended_at = :nowMs
       WHERE status = 'active' AND ${isOld} AND pinned = 0 AND source_kind <> 'viewer_request'`,
    );
    const waiting = this.sql.run(
      `UPDATE semantic_notes SET status = 'stale', status_before = status
       WHERE status IN ('shadow', 'pending') AND ${isOld}`,
    );
    return active + waiting;
  }

  /**
   * Makes a channel's shadow notes of these kinds active if enough viewers who said them are known now. Notes about
   * viewers stay, and so do those that `unlearn` moved. Returns how many.
   */
  promoteProven(channel: string, kinds: readonly string[]): number {
    return this.sql.run(
      `UPDATE semantic_notes AS n ${ACTIVATE}
       WHERE channel = :channel AND ${WAITS_FOR_PROOF}
         AND EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = n.id AND ${EVIDENCE_PROVES})`,
      { channel, kinds: JSON.stringify(kinds) },
    );
  }

  /** Moves active notes that rest on a claim to shadow, if none of their evidence proves them now. Pinned ones stay. */
  demoteUnproven(episodeId: number, n: number): void {
    this.sql.run(
      `UPDATE semantic_notes AS s SET status = 'shadow', ended_at = :nowMs
       WHERE status = 'active' AND pinned = 0
         AND id IN (SELECT note_id FROM note_evidence WHERE episode_id = :episodeId AND claim_n = :n)
         AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = s.id AND ${EVIDENCE_PROVES})`,
      { episodeId, n },
    );
  }

  /**
   * Removes a note and its candidates' texts. Its claims stay. Its successor replaces the notes that it had replaced;
   * without one they become stale.
   */
  remove(id: number): void {
    const { supersededBy } = this.get(id);
    this.sql.run(
      `UPDATE semantic_notes SET superseded_by = :supersededBy, status_before = NULL,
         status = iif(:supersededBy IS NULL, 'stale', status) WHERE superseded_by = :id`,
      { id, supersededBy },
    );
    this.sql.run(BLANK_CANDIDATES_OF_NOTE, { id });
    this.sql.run("DELETE FROM semantic_notes WHERE id = :id", { id });
  }

  /** Removes a note, and withdraws the claims that no other note rests on. */
  removeWithClaims(id: number): void {
    for (const { episodeId, claimN } of this.evidenceOf(id)) {
      if (
        claimN !== null &&
        this.listNotesOfClaim(episodeId, claimN).every((note) => note.id === id)
      )
        this.#claims.withdraw(episodeId, claimN);
    }
    this.remove(id);
  }

  /** Removes all notes about a viewer, in every channel; claims stay. Returns how many. */
  removeAbout(userId: string): number {
    const notes = this.textsAbout(userId);
    for (const { id } of notes) this.remove(id);
    return notes.length;
  }

  /** Removes a claim from the evidence of notes, and the notes that have none left. Returns how many notes. */
  removeEvidence(episodeId: number, n: number): number {
    const noteIds = this.sql.values<number>(
      "DELETE FROM note_evidence WHERE episode_id = ? AND claim_n = ? RETURNING note_id",
      ...[episodeId, n],
    );
    const bare = noteIds.filter((id) => this.evidenceOf(id).length === 0);
    for (const id of bare) this.remove(id);
    return bare.length;
  }

  listNotesOfClaim(episodeId: number, n: number): { id: number; fact: string }[] {
    return this.sql.all(
      `SELECT s.id, s.fact FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
       WHERE v.episode_id = ? AND v.claim_n = ? ORDER BY s.id`,
      ...[episodeId, n],
    );
  }
}

function toPropertyColumns(property: Property | null) {
  return {
    property: property?.name ?? null,
    propertyValue: property?.value ?? null,
    propertyGame: property?.game ?? null,
  };
}

/**
 * Returns the lifetime and the end of a confirmed note. The end is never earlier than before. A note without a lifetime
 * gets `given`, unless that shortens its life.
 */
function renewLife(note: NoteRow, given: NoteLifetime | null, nowMs: number) {
  const endWith = (lifetime: NoteLifetime | null) => calculateExpiry({ ...note, lifetime }, nowMs);
  const later = (one: number | null, other: number | null) =>
    one === null || other === null ? null : Math.max(one, other);
  const isNoShorter = later(endWith(given), note.expiresAtMs) === endWith(given);
  const lifetime = note.lifetime ?? (isNoShorter ? given : null);
  return { lifetime, expiresAtMs: later(note.expiresAtMs, endWith(lifetime)) };
}

/** Returns `count` ids: first those of notes similar to a younger one, but not `keepId`, then in the given order. */
function chooseEvicted(
  notes: readonly { readonly id: number; readonly words: string }[],
  keepId: number,
  count: number,
): number[] {
  const read = notes.map(({ id, words }) => ({ id, words: new Set(words.split(" ")) }));
  const twins = read.filter(
    ({ id, words }) =>
      id !== keepId &&
      !words.has("") &&
      read.some((other) => other.id > id && sharesMostWords(words, other.words)),
  );
  return [...new Set([...twins, ...read].map(({ id }) => id))].slice(0, count);
}

/** Computes a note's words for recall again, after its texts changed. */
export function updateWords(db: Db, noteId: number): void {
  const sql = new Sql(db);
  const text = sql.value<string>(
    "SELECT fact || ' ' || topics FROM semantic_notes WHERE id = ?",
    noteId,
  );
  const words = readStems(text ?? "").join(" ");
  sql.run("UPDATE semantic_notes SET words = ? WHERE id = ?", words, noteId);
}

/** In how many sent replies a note was, and when last. */
export interface NoteUse {
  readonly count: number;
  readonly lastAtMs: number;
}

/** Returns a function that adds uses to notes, by note id, in one transaction. */
export function openUseCounter(db: Db): (uses: ReadonlyMap<number, NoteUse>) => void {
  const sql = new Sql(db);
  return db.transaction((uses: ReadonlyMap<number, NoteUse>) => {
    for (const [noteId, { count, lastAtMs }] of uses)
      sql.run(
        "UPDATE semantic_notes SET last_used_at = ?, use_count = use_count + ? WHERE id = ?",
        ...[lastAtMs, count, noteId],
      );
  });
}
