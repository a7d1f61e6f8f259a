import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { WAITS_FOR_REGULARS } from "./carriers-store.ts";
import type { NewNote } from "./note-store.ts";

/**
 * What other rooms ask of the table of notes, so that whoever changes its columns changes files of memory alone. Parts
 * of statements are for those that read other tables beside it.
 */

/** Not run out at `:nowMs`: that is so when read, whether or not a sweep came by. What is pinned does not run out. */
export const LASTS = "(pinned = 1 OR expires_at IS NULL OR expires_at > :nowMs)";
export const IN_FORCE = `status = 'active' AND ${LASTS}`;
/** Its time is over, and it says something else until the next sweep. */
export const RAN_OUT =
  "pinned = 0 AND expires_at <= :nowMs AND status IN ('active', 'shadow', 'pending')";
/** A note's status at `:nowMs`, in the same sense: as the next sweep will write it. */
export const STATUS_NOW = `CASE WHEN ${RAN_OUT} THEN 'expired' ELSE status END`;

/** A note with the name of whom it is about, as `n` and `v`. */
export const NOTES_AND_NAMES = "semantic_notes n LEFT JOIN viewers v ON v.user_id = n.subject_id";

/** Everybody whom a note is about. */
export const NOTE_SUBJECTS = "SELECT subject_id FROM semantic_notes WHERE subject_id IS NOT NULL";

/** Every channel that has notes, by as many steps in an index. */
export const NOTE_CHANNELS = `WITH RECURSIVE c (channel) AS (SELECT min(channel) FROM semantic_notes UNION ALL
    SELECT (SELECT min(channel) FROM semantic_notes WHERE channel > c.channel) FROM c WHERE channel IS NOT NULL)
  SELECT channel FROM c WHERE channel IS NOT NULL`;

/** What notes about `@userId` say, in the columns of claims that are told beside them. */
export const NOTES_TOLD = `SELECT 'note' AS kind, id, 0 AS n, subject_id AS userId, fact AS text FROM semantic_notes
    WHERE subject_id = @userId`;

/** What notes about nobody of `@ids`, a JSON list, say. */
export const FACTS_OF_OTHERS = `SELECT fact FROM semantic_notes
  WHERE coalesce(subject_id, '') NOT IN (SELECT value FROM json_each(@ids))`;

/** How many notes about the viewer `v` count at `:nowMs`. */
export const NOTES_OF_VIEWER = `(SELECT count(*) FROM semantic_notes n WHERE n.subject_id = v.user_id
  AND ${STATUS_NOW} IN ('active', 'shadow', 'pending'))`;

/** Changes with the newest notes. */
export const NOTES_MARK = `(SELECT group_concat(id || status || pinned || last_confirmed_at) FROM
  (SELECT id, status, pinned, last_confirmed_at FROM semantic_notes ORDER BY id DESC LIMIT 50))`;

/** The columns of notes that hold words, each as a place where a name may stand. */
export const NOTE_TEXTS = [
  { table: "semantic_notes", column: "fact", isDropped: false },
  { table: "semantic_notes", column: "topics", isDropped: false },
  { table: "semantic_notes", column: "property_value", isDropped: true },
] as const;

/** Every fact behind a number, a slice at a time, and how the note `@a` goes with what was told of it. */
export const NOTE_FACTS = {
  read: "SELECT id AS a, property IS NOT NULL AS b, fact AS text FROM semantic_notes WHERE id > ? ORDER BY id LIMIT ?",
  drop: [
    "UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by = @a",
    "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id = @a",
    "DELETE FROM semantic_notes WHERE id = @a",
  ],
} as const;

/** A function that notes down which notes stood in the prompt of a reply that was sent. */
export function useCounter(db: Db): (atMs: number, noteIds: readonly number[]) => void {
  const use = statements(db).run<[number, string]>(
    `UPDATE semantic_notes SET last_used_at = ?, use_count = use_count + 1
     WHERE id IN (SELECT value FROM json_each(?))`,
  );
  return (atMs, noteIds) => void use(atMs, JSON.stringify(noteIds));
}

/** A note as its viewer is given it, with the episodes that it rests on. */
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
  /** Numbers, as a JSON list. */
  readonly episodesJson: string;
}

/** All notes about some people, given as a JSON list of ids. */
export function notesOfViewers(db: Db) {
  return db.prepare<[string], NoteOfViewer>(
    `SELECT id, channel, kind, fact, topics, status, source_kind AS source, confidence,
       created_at AS createdAtMs, last_confirmed_at AS lastConfirmedAtMs, expires_at AS expiresAtMs,
       happens_on AS happensOn, active_from AS activeFromMs, ended_at AS endedAtMs,
       (SELECT json_group_array(episode_id) FROM note_evidence v WHERE v.note_id = n.id) AS episodesJson
     FROM semantic_notes n WHERE subject_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
}

/** How many notes about a viewer gave way to newer ones. */
export function replacedCount(db: Db): (channel: string, userId: string) => number {
  const replaced = statements(db).value<[channel: string, userId: string], number>(
    "SELECT count(*) FROM semantic_notes WHERE channel = ? AND subject_id = ? AND status = 'superseded'",
  );
  return (channel, userId) => replaced(channel, userId) ?? 0;
}

/** The number of the newest note; 0 where there is none. */
export function newestNote(db: Db): () => number {
  const newest = statements(db).value<[], number>("SELECT max(id) FROM semantic_notes");
  return () => newest() ?? 0;
}

/** Numbers of notes for status and report; each names what a partial index is of, or every note is read. */
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
    /** Up to a hundred. */
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

/** Facts that a report names. */
const NEWS_MAX = 25;

/** What became of notes in a stretch of time, in some channels: the first facts, with tokens for names, and how many. */
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

/** Facts behind a number, oldest first. */
export function factsAfter(db: Db) {
  return statements(db).all<[number], { id: number; fact: string; status: string }>(
    "SELECT id, fact, status FROM semantic_notes WHERE id > ? ORDER BY id",
  );
}

/** What a replay or a rehearsal reads at its end, of a database that is its own. */
export function replayedNotes(db: Db) {
  return {
    /** With how many evidence rows still stand: their episode, and the claim where they name one, are there. */
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
    /** Of one subject in a channel, with their topics. */
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
    /** With the stream and the chat it came from, and what it took the place of. */
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
