import { calmSince } from "../chat/known-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { PROVES } from "./carriers-store.ts";
import { forgetMark, postponer } from "./episode-store.ts";
import type { WaitingClaim } from "./note-prompt.ts";
import { shownNotes } from "./note-records-store.ts";
import { REST_EVENTS_MIN } from "./windows.ts";

/** An episode that is summarised, and of whose claims no notes were made yet. */
export interface SummarisedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly sessionId: number | null;
  readonly endedAtMs: number;
  /** Answers about it that were of no use: from the first on it is asked about alone. */
  readonly attempts: number;
  /** When notes are made of it at the latest, or when it is tried again. */
  readonly dueAtMs: number;
}

/** How many claims were read, and the forget mark when they were. */
interface ClaimsRead {
  readonly claims: number;
  readonly mark: number;
}

type ClaimRow = Omit<WaitingClaim, "proves"> & { readonly proves: number };

/** Episodes of whose claims notes are to be made. */
export function sortingStore(db: Db, now: () => number) {
  const sql = statements(db);
  const claims = sql.all<[{ episodeId: number; calmSince: string }], ClaimRow>(
    `SELECT k.episode_id AS episodeId, k.n, k.scope, k.subject_id AS subjectId, k.statement, k.happens_on AS happensOn,
       ${PROVES} AS proves FROM episode_claims k JOIN episodes e ON e.id = k.episode_id
     WHERE k.episode_id = :episodeId AND k.withdrawn_at IS NULL ORDER BY k.n`,
  );
  const claimsOf = (episodeId: number) => claims({ episodeId, calmSince: calmSince(now()) });
  const known = shownNotes(db, now);
  const mark = forgetMark(db);
  const finish = sql.run<[number]>(
    "UPDATE episodes SET stage = 'extracted', status = 'done', next_attempt_at = NULL WHERE id = ?",
  );
  const isStale = (episodeIds: readonly number[], read: ClaimsRead): boolean => {
    const left = episodeIds.reduce((sum, id) => sum + claimsOf(id).length, 0);
    return read.mark !== mark() || left !== read.claims;
  };
  return {
    /** Whether one of the claims that were read was withdrawn since, or somebody was forgotten. */
    isStale,
    /** Episodes that wait, oldest first, at most `limit`. */
    waiting: sql.all<[channel: string, limit: number], SummarisedEpisode>(
      `SELECT id, channel, session_id AS sessionId, ended_at AS endedAtMs, attempts,
         coalesce(next_attempt_at, 0) AS dueAtMs FROM episodes
       WHERE channel = ? AND status = 'pending' AND stage = 'summarised' ORDER BY id LIMIT ?`,
    ),
    /** The claims of an episode that still stand. */
    claims: (episodeId: number): WaitingClaim[] =>
      claimsOf(episodeId).map((row) => ({ ...row, proves: row.proves === 1 })),
    /** Shared notes and one persona's, of people or, where there is no subject, the channel: what the model is shown. */
    known: (channel: string, persona: string | null, subjectIds: readonly (string | null)[]) =>
      subjectIds.flatMap((subjectId) => known({ channel, subjectId, persona })),
    /** What the model is shown is out of date once this changes: somebody was forgotten. */
    forgetMark: mark,
    /**
     * Ends episodes with `write`, in one transaction; false, and nothing written, where one of the claims that the model
     * read was withdrawn meanwhile, or somebody was forgotten.
     */
    complete: (episodeIds: readonly number[], read: ClaimsRead, write: () => void): boolean =>
      db.transaction(() => {
        if (isStale(episodeIds, read)) return false;
        write();
        for (const id of episodeIds) finish(id);
        return true;
      })(),
    postpone: postponer(db),
    giveUp: sql.run<[episodeId: number]>(
      "UPDATE episodes SET status = 'failed', next_attempt_at = NULL WHERE id = ?",
    ),
    /** Removes what is told of candidates from before `beforeMs`; says how many, at most `limit`. */
    pruneCandidates: sql.run<[beforeMs: number, limit: number]>(
      `DELETE FROM note_candidates WHERE id IN
         (SELECT id FROM note_candidates WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
    ),
  };
}

export interface EndedStream {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Answers that were no recap. */
  readonly tries: number;
}

export interface StreamDigest {
  readonly topic: string;
  readonly summary: string;
}

/** Streams of which a recap is to be written, or was. */
export function sessionStore(db: Db) {
  const sql = statements(db);
  const columns =
    "s.id, s.channel, s.started_at AS startedAtMs, s.ended_at AS endedAtMs, s.recap_tries AS tries";
  return {
    /** Streams that ended since `sinceMs`, whose chat is all summarised, and of which a recap may still come. */
    withoutRecap: sql.all<[channel: string, sinceMs: number, triesMax: number], EndedStream>(
      `SELECT ${columns} FROM stream_sessions s
       WHERE s.channel = ? AND s.ended_at > ? AND s.recap IS NULL AND s.recap_tries < ?
         AND EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.summary <> '')
         AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.stage = 'claimed')
         AND (SELECT count(*) FROM (SELECT 1 FROM events w WHERE w.channel = s.channel AND w.memorable = 1 AND w.no_window = 0
                AND w.episode_id IS NULL AND w.text IS NOT NULL AND w.created_at <= s.ended_at
                ORDER BY w.id LIMIT ${REST_EVENTS_MIN})) < ${REST_EVENTS_MIN}
       ORDER BY s.id`,
    ),
    digests: sql.all<[sessionId: number], StreamDigest>(
      "SELECT topic, summary FROM episodes WHERE session_id = ? AND summary <> '' ORDER BY ended_at, id",
    ),
    setRecap: sql.run<[recap: string, sessionId: number]>(
      "UPDATE stream_sessions SET recap = ? WHERE id = ?",
    ),
    setTries: sql.run<[tries: number, sessionId: number]>(
      "UPDATE stream_sessions SET recap_tries = ? WHERE id = ?",
    ),
  };
}
