import { nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import {
  IN_FORCE,
  type NewNote,
  type PropertyRow,
  STATUS_NOW,
  type StoredNote,
  WAITS_FOR_REGULARS,
} from "./note-store.ts";

/** A note as the streamer sees it, with names. */
export interface NoteView
  extends Omit<StoredNote, "subjectId" | "property" | "statusBefore">,
    PropertyRow {
  /** Display name; null for the channel. */
  readonly about: string | null;
  readonly importance: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  /** When it was last in the prompt of a sent reply. */
  readonly lastUsedAtMs: number | null;
  readonly useCount: number;
  readonly expiresAtMs: number | null;
  /** The number of episodes in its evidence. */
  readonly evidence: number;
}

interface EvidenceView {
  readonly episodeId: number;
  readonly episodeKind: string;
  readonly topic: string;
  /** The claim that supports the note; null if it was withdrawn. */
  readonly claim: string | null;
  readonly method: string;
  readonly model: string | null;
  readonly createdAtMs: number;
}

interface NoteDetail extends NoteView {
  readonly evidenceRows: readonly EvidenceView[];
  /** Notes that it replaced. */
  readonly superseded: readonly number[];
  /** The notes that replaced it, one after the other. */
  readonly successors: readonly number[];
}

/** An offered note, and what became of it. */
interface CandidateView {
  readonly id: number;
  readonly episodeId: number;
  readonly createdAtMs: number;
  /** Null if it must not be stored, or was forgotten. */
  readonly fact: string | null;
  readonly decision: string;
  readonly reason: string;
  readonly noteId: number | null;
}

interface NoteFilter {
  /** The accounts of one person; null for all viewers. */
  readonly accounts: readonly string[] | null;
  readonly channel: string | null;
  /** One status as of now; null for active, shadow and pending. */
  readonly status: string | null;
  /** One kind or scope; null for all. */
  readonly kind: string | null;
  readonly scope: string | null;
  /** Only notes that were active at this time, epoch ms; null for those of now. */
  readonly atMs?: number | null;
  readonly limit: number;
}

/** SQL for notes as `n` with their viewers as `v`. */
export const NOTES_AND_NAMES = "semantic_notes n LEFT JOIN viewers v ON v.user_id = n.subject_id";

const COLUMNS = `n.id, n.channel, n.scope, v.display_name AS about, n.subject_id AS subjectId, n.kind, n.fact, n.topics,
  n.property, n.property_value AS propertyValue, n.property_game AS propertyGame, n.lifetime, n.persona, n.confidence, n.importance,
  ${STATUS_NOW} AS status, n.pinned, n.superseded_by AS supersededBy,
  n.source_kind AS source, n.created_at AS createdAtMs, n.last_confirmed_at AS lastConfirmedAtMs,
  n.last_used_at AS lastUsedAtMs, n.use_count AS useCount, n.expires_at AS expiresAtMs,
  (SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id) AS evidence FROM ${NOTES_AND_NAMES}`;

interface NoteRow extends Omit<NoteView, "pinned"> {
  readonly subjectId: string | null;
  readonly pinned: number;
}

/** Shows notes to the streamer as of a time, for the command line and the page. */
export function noteReviewStore(db: Db, nowMs: number) {
  const sql = statements(db);
  const nameOf = nameReader(db);
  const view = ({ subjectId, ...row }: NoteRow): NoteView => ({
    ...row,
    about: subjectId === null ? null : (row.about ?? "someone"),
    pinned: row.pinned === 1,
    fact: fillNames(row.fact, nameOf),
  });
  const scopes = sql.all<
    [{ channel: string | null; nowMs: number }],
    { scope: string; count: number }
  >(
    `SELECT scope, count(*) AS count FROM semantic_notes
     WHERE ${IN_FORCE} AND (:channel IS NULL OR channel = :channel) GROUP BY scope ORDER BY scope`,
  );
  const candidates = sql.all<[{ reason: string | null; limit: number }], CandidateView>(
    `SELECT id, episode_id AS episodeId, created_at AS createdAtMs, fact, decision, reason, note_id AS noteId
     FROM note_candidates WHERE :reason IS NULL OR reason = :reason ORDER BY id DESC LIMIT :limit`,
  );
  return {
    /** Newest first. */
    notes: noteLister(db, nowMs, view),
    /** Returns the number of active notes by scope. */
    countsByScope: (channel: string | null): Readonly<Record<string, number>> =>
      Object.fromEntries(scopes({ channel, nowMs }).map(({ scope, count }) => [scope, count])),
    /** Returns a note with its evidence: note → episode → claim. */
    note: noteDetails(db, nowMs, view),
    /** Newest first; kept for thirty days. */
    candidates: (filter: { readonly reason: string | null; readonly limit: number }) =>
      candidates(filter).map((row) => ({ ...row, fact: row.fact && fillNames(row.fact, nameOf) })),
    /** The number of stored candidates by decision, most frequent first. */
    candidateCounts: sql.all<[], { decision: string; reason: string; count: number }>(
      `SELECT decision, reason, count(*) AS count FROM note_candidates
       GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
    ),
  };
}

function noteLister(db: Db, nowMs: number, view: (row: NoteRow) => NoteView) {
  const list = db.prepare<[Readonly<Record<string, string | number | null>>], NoteRow>(
    `SELECT ${COLUMNS}
     WHERE (:channel IS NULL OR n.channel = :channel)
       AND (:accounts IS NULL OR n.subject_id IN (SELECT value FROM json_each(:accounts)))
       AND CASE WHEN :atMs IS NOT NULL THEN n.active_from <= :atMs AND coalesce(n.ended_at, :atMs + 1) > :atMs
           AND (n.pinned = 1 OR coalesce(n.expires_at, :atMs + 1) > :atMs)
         WHEN :status IS NULL THEN ${STATUS_NOW} IN ('active', 'shadow', 'pending') ELSE ${STATUS_NOW} = :status END
       AND (:kind IS NULL OR n.kind = :kind) AND (:scope IS NULL OR n.scope = :scope)
     ORDER BY n.id DESC LIMIT :limit`,
  );
  return ({ accounts, atMs = null, ...filter }: NoteFilter): NoteView[] =>
    list.all({ ...filter, atMs, accounts: accounts && JSON.stringify(accounts), nowMs }).map(view);
}

function noteDetails(db: Db, nowMs: number, view: (row: NoteRow) => NoteView) {
  const sql = statements(db);
  const one = sql.one<[{ id: number; nowMs: number }], NoteRow>(
    `SELECT ${COLUMNS} WHERE n.id = :id`,
  );
  const evidence = sql.all<[number], EvidenceView>(
    `SELECT e.episode_id AS episodeId, p.kind AS episodeKind, p.topic,
       (SELECT c.statement FROM episode_claims c
        WHERE c.episode_id = e.episode_id AND c.n = e.claim_n AND c.withdrawn_at IS NULL) AS claim,
       e.method, e.model, e.created_at AS createdAtMs
     FROM note_evidence e JOIN episodes p ON p.id = e.episode_id
     WHERE e.note_id = ? ORDER BY e.created_at, e.episode_id`,
  );
  const successors = sql.values<[number], number>(
    `WITH RECURSIVE chain (id, next) AS (
       SELECT id, superseded_by FROM semantic_notes WHERE id = ?
       UNION
       SELECT s.id, s.superseded_by FROM semantic_notes s JOIN chain ON s.id = chain.next
     ) SELECT next FROM chain WHERE next IS NOT NULL`,
  );
  const superseded = sql.values<[number], number>(
    "SELECT id FROM semantic_notes WHERE superseded_by = ? ORDER BY id",
  );
  const nameOf = nameReader(db);
  return (id: number): NoteDetail | null => {
    const row = one({ id, nowMs });
    if (row === null) return null;
    const evidenceRows = evidence(id).map(({ topic, claim, ...rest }) => ({
      ...rest,
      topic: fillNames(topic, nameOf),
      claim: claim && fillNames(claim, nameOf),
    }));
    return { ...view(row), evidenceRows, superseded: superseded(id), successors: successors(id) };
  };
}

/** SQL for the viewers that notes are about. */
export const NOTE_SUBJECTS = "SELECT subject_id FROM semantic_notes WHERE subject_id IS NOT NULL";

/** SQL for the channels that have notes, one index step each. */
export const NOTE_CHANNELS = `WITH RECURSIVE c (channel) AS (SELECT min(channel) FROM semantic_notes UNION ALL
    SELECT (SELECT min(channel) FROM semantic_notes WHERE channel > c.channel) FROM c WHERE channel IS NOT NULL)
  SELECT channel FROM c WHERE channel IS NOT NULL`;

/** SQL for the notes about `@userId`, in the columns of claims. */
export const NOTES_TOLD = `SELECT 'note' AS kind, id, 0 AS n, subject_id AS userId, fact AS text FROM semantic_notes
    WHERE subject_id = @userId`;

/** SQL for the facts about none of `@ids`, a JSON list. */
export const FACTS_OF_OTHERS = `SELECT fact FROM semantic_notes
  WHERE coalesce(subject_id, '') NOT IN (SELECT value FROM json_each(@ids))`;

/** SQL for the number of notes about the viewer `v` at `:nowMs`. */
export const NOTES_OF_VIEWER = `(SELECT count(*) FROM semantic_notes n WHERE n.subject_id = v.user_id
  AND ${STATUS_NOW} IN ('active', 'shadow', 'pending'))`;

/** SQL for a value that changes with the newest notes. */
export const NOTES_MARK = `(SELECT group_concat(id || status || pinned || last_confirmed_at) FROM
  (SELECT id, status, pinned, last_confirmed_at FROM semantic_notes ORDER BY id DESC LIMIT 50))`;

/** A note in the record of its viewer, with its episodes. */
export interface NoteOfViewer
  extends Pick<
    NewNote,
    "channel" | "kind" | "fact" | "topics" | "source" | "confidence" | "expiresAtMs"
  > {
  readonly id: number;
  readonly status: string;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  /** Local day (2026-05-01) that the fact is about. */
  readonly happensOn: string | null;
  readonly activeFromMs: number | null;
  readonly endedAtMs: number | null;
  /** Episode ids, as a JSON list. */
  readonly episodesJson: string;
}

/** Reads the notes about viewers, given as a JSON list of ids. */
export function notesOfViewers(db: Db) {
  return db.prepare<[string], NoteOfViewer>(
    `SELECT id, channel, kind, fact, topics, status, source_kind AS source, confidence,
       created_at AS createdAtMs, last_confirmed_at AS lastConfirmedAtMs, expires_at AS expiresAtMs,
       happens_on AS happensOn, active_from AS activeFromMs, ended_at AS endedAtMs,
       (SELECT json_group_array(episode_id) FROM note_evidence v WHERE v.note_id = n.id) AS episodesJson
     FROM semantic_notes n WHERE subject_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
}

/** Returns a function that counts the superseded notes about a viewer. */
export function replacedCount(db: Db): (channel: string, userId: string) => number {
  const replaced = statements(db).value<[channel: string, userId: string], number>(
    "SELECT count(*) FROM semantic_notes WHERE channel = ? AND subject_id = ? AND status = 'superseded'",
  );
  return (channel, userId) => replaced(channel, userId) ?? 0;
}

/** Returns a function that reads the newest note's id; 0 if there is none. */
export function newestNote(db: Db): () => number {
  const newest = statements(db).value<[], number>("SELECT max(id) FROM semantic_notes");
  return () => newest() ?? 0;
}

/** Counts notes for status and report. Each query names the condition of a partial index, or it would read every note. */
export function noteSums(db: Db, now: () => number) {
  const number = (sql: string): (() => number) => {
    const sum = statements(db).value<[{ nowMs: number }], number>(sql);
    return () => sum({ nowMs: now() }) ?? 0;
  };
  return {
    active: number(
      `SELECT (SELECT count(*) FROM semantic_notes WHERE status = 'active') - (SELECT count(*) FROM semantic_notes
         WHERE status = 'active' AND expires_at IS NOT NULL AND expires_at <= :nowMs AND pinned = 0)`,
    ),
    pending: number(
      `SELECT count(*) FROM semantic_notes WHERE status IN ('shadow', 'pending') AND ${STATUS_NOW} = 'pending'`,
    ),
    /** Channel notes that wait for their carriers to return as known viewers. */
    waitingForRegulars: number(
      `SELECT count(*) FROM semantic_notes n WHERE ${WAITS_FOR_REGULARS} AND ${STATUS_NOW} = 'shadow'`,
    ),
    /** Counted up to a hundred. */
    toReview: number(
      `SELECT count(*) FROM (SELECT 1 FROM semantic_notes
         WHERE status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired' LIMIT 100)`,
    ),
  };
}

interface NoteSpan {
  /** A JSON list. */
  readonly channels: string;
  readonly fromMs: number;
  readonly lateMs: number;
  readonly nowMs: number;
}

/** The most facts that a report names. */
const NEWS_MAX = 25;

/** Reads what became of notes in a time span and some channels: the first facts, with person tokens, and their number. */
export function noteNews(db: Db, span: NoteSpan) {
  const here = "channel IN (SELECT value FROM json_each(:channels))";
  const rows = <T>(sql: string): T[] => statements(db).all<[NoteSpan], T>(sql)(span);
  const number = (where: string): number =>
    statements(db).value<[NoteSpan], number>(
      `SELECT count(*) FROM semantic_notes WHERE ${here} AND ${where}`,
    )(span) ?? 0;
  const learned = `created_at BETWEEN :fromMs AND :lateMs AND ${STATUS_NOW} IN ('active', 'pending')`;
  const faded = `expires_at BETWEEN :fromMs AND :lateMs AND ${STATUS_NOW} = 'expired'`;
  return {
    /** `before`: the fact that it replaced, or null. */
    learned: rows<{ id: number; fact: string; status: string; before: string | null }>(
      `SELECT id, fact, status,
         (SELECT old.fact FROM semantic_notes old WHERE old.superseded_by = n.id ORDER BY old.id LIMIT 1) AS "before"
       FROM semantic_notes n WHERE ${here} AND ${learned} ORDER BY created_at, id LIMIT ${NEWS_MAX}`,
    ),
    learnedCount: number(learned),
    faded: rows<{ id: number; fact: string; total: number }>(
      `SELECT id, fact, count(*) OVER () AS total FROM semantic_notes WHERE ${here} AND ${faded} ORDER BY expires_at, id LIMIT ${NEWS_MAX}`,
    ),
    pending: number(`status IN ('shadow', 'pending') AND ${STATUS_NOW} = 'pending'`),
  };
}

/** Returns a function that reads the facts after a note id, oldest first. */
export function factReader(db: Db) {
  return statements(db).all<[number], { id: number; fact: string; status: string }>(
    "SELECT id, fact, status FROM semantic_notes WHERE id > ? ORDER BY id",
  );
}

/** Reads notes at the end of a replay or demo. */
export function replayedNotes(db: Db) {
  return {
    /** Includes the number of evidence rows whose episode and claim still exist. */
    active: db.prepare<
      [],
      {
        id: number;
        subjectId: string | null;
        fact: string;
        createdAtMs: number;
        evidence: number;
      }
    >(
      `SELECT n.id, n.subject_id AS subjectId, n.fact, n.created_at AS createdAtMs,
         (SELECT count(*) FROM note_evidence v JOIN episodes e ON e.id = v.episode_id
          WHERE v.note_id = n.id AND (v.claim_n IS NULL OR EXISTS (SELECT 1 FROM episode_claims c
            WHERE c.episode_id = v.episode_id AND c.n = v.claim_n AND c.withdrawn_at IS NULL))) AS evidence
       FROM semantic_notes n WHERE n.status = 'active' ORDER BY n.id`,
    ),
    /** Notes of one subject in a channel, with topics. */
    held: db.prepare<
      [string, string | null],
      { id: number; subjectId: string | null; text: string }
    >(
      `SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes
       WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ? AND status = 'active' ORDER BY id`,
    ),
    one: db.prepare<[number], { id: number; subjectId: string | null; text: string }>(
      "SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes WHERE id = ?",
    ),
    /** Includes the stream and events it came from, and the fact that it replaced. */
    shown: db.prepare<
      [],
      { id: number; fact: string; stream: number | null; lines: number; before: string | null }
    >(
      `SELECT n.id, n.fact,
         (SELECT count(*) FROM stream_sessions s WHERE s.started_at <= min(e.started_at)) AS stream,
         e.event_count AS lines,
         (SELECT old.fact FROM semantic_notes old WHERE old.superseded_by = n.id LIMIT 1) AS "before"
       FROM semantic_notes n
       LEFT JOIN note_evidence v ON v.note_id = n.id LEFT JOIN episodes e ON e.id = v.episode_id
       WHERE n.status = 'active' GROUP BY n.id ORDER BY "before" IS NULL, n.scope = 'viewer' DESC, n.id`,
    ),
  };
}
