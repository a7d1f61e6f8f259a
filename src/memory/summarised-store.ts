import type { Db } from "../platform/database/open-database.ts";
import { forgetMark } from "./episode-store.ts";
import type { WaitingClaim } from "./note-prompt.ts";
import { noteRows } from "./note-records-store.ts";
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

export type SortingStore = ReturnType<typeof sortingStore>;

type ClaimRow = Omit<WaitingClaim, "isWeak"> & { readonly isWeak: number };

/** Episodes of whose claims notes are to be made. */
export function sortingStore(db: Db, now: () => number) {
  const waiting = db.prepare<[string, number], SummarisedEpisode>(
    `SELECT id, channel, session_id AS sessionId, ended_at AS endedAtMs, attempts,
       coalesce(next_attempt_at, 0) AS dueAtMs FROM episodes
     WHERE channel = ? AND status = 'pending' AND stage = 'summarised' ORDER BY id LIMIT ?`,
  );
  const claims = db.prepare<[number], ClaimRow>(
    `SELECT episode_id AS episodeId, n, scope, subject_id AS subjectId, statement, is_weak AS isWeak, carriers
     FROM episode_claims WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const { known } = noteRows(db);
  const mark = forgetMark(db);
  const finish = db.prepare<[number]>(
    "UPDATE episodes SET stage = 'extracted', status = 'done', next_attempt_at = NULL WHERE id = ?",
  );
  const postpone = db.prepare<[number, number, number]>(
    "UPDATE episodes SET attempts = ?, next_attempt_at = ? WHERE id = ?",
  );
  const giveUp = db.prepare<[number]>(
    "UPDATE episodes SET status = 'failed', next_attempt_at = NULL WHERE id = ?",
  );
  const prune = db.prepare<[number, number]>(
    `DELETE FROM note_candidates WHERE id IN
       (SELECT id FROM note_candidates WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  );
  return {
    /** Episodes that wait, oldest first, at most `limit`. */
    waiting: (channel: string, limit: number) => waiting.all(channel, limit),
    /** The claims of an episode that still stand. */
    claims: (episodeId: number): WaitingClaim[] =>
      claims.all(episodeId).map((row) => ({ ...row, isWeak: row.isWeak === 1 })),
    /** Notes of these people, and of the channel, shared ones and one persona's: what the model is shown. */
    known: (about: {
      readonly channel: string;
      readonly persona: string | null;
      readonly subjectIds: readonly string[];
      readonly withChannel: boolean;
    }) =>
      [...about.subjectIds, ...(about.withChannel ? [null] : [])].flatMap((subjectId) =>
        known.all({ channel: about.channel, subjectId, persona: about.persona, nowMs: now() }),
      ),
    /** What the model is shown is out of date once this changes: somebody was forgotten. */
    forgetMark: mark,
    /**
     * Ends episodes with `write`, in one transaction; false, and nothing written, where one of the claims that the model
     * read was withdrawn meanwhile, or somebody was forgotten.
     */
    complete: (
      episodeIds: readonly number[],
      read: { readonly claims: number; readonly mark: number },
      write: () => void,
    ): boolean =>
      db.transaction(() => {
        const left = episodeIds.reduce((sum, id) => sum + claims.all(id).length, 0);
        if (read.mark !== mark() || left !== read.claims) return false;
        write();
        for (const id of episodeIds) finish.run(id);
        return true;
      })(),
    /** A try that failed: when to try again. */
    postpone: (episodeId: number, attempts: number, nextAttemptAtMs: number) =>
      void postpone.run(attempts, nextAttemptAtMs, episodeId),
    giveUp: (episodeId: number) => void giveUp.run(episodeId),
    /** Removes what is told of candidates from before `beforeMs`; says how many, at most `limit`. */
    pruneCandidates: (beforeMs: number, limit: number) => prune.run(beforeMs, limit).changes,
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

export type SessionStore = ReturnType<typeof sessionStore>;

/** Streams of which a recap is to be written, or was. */
export function sessionStore(db: Db) {
  const columns =
    "s.id, s.channel, s.started_at AS startedAtMs, s.ended_at AS endedAtMs, s.recap_tries AS tries";
  const withoutRecap = db.prepare<[string, number, number], EndedStream>(
    `SELECT ${columns} FROM stream_sessions s
     WHERE s.channel = ? AND s.ended_at > ? AND s.recap IS NULL AND s.recap_tries < ?
       AND EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.summary <> '')
       AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.stage = 'claimed')
       AND (SELECT count(*) FROM (SELECT 1 FROM events w WHERE w.channel = s.channel AND w.memorable = 1 AND w.no_window = 0
              AND w.episode_id IS NULL AND w.text IS NOT NULL AND w.created_at <= s.ended_at
              ORDER BY w.id LIMIT ${REST_EVENTS_MIN})) < ${REST_EVENTS_MIN}
     ORDER BY s.id`,
  );
  const digests = db.prepare<[number], StreamDigest>(
    "SELECT topic, summary FROM episodes WHERE session_id = ? AND summary <> '' ORDER BY ended_at, id",
  );
  const setRecap = db.prepare<[string, number]>(
    "UPDATE stream_sessions SET recap = ? WHERE id = ?",
  );
  const setTries = db.prepare<[number, number]>(
    "UPDATE stream_sessions SET recap_tries = ? WHERE id = ?",
  );
  const lastRecap = db.prepare<[string], EndedStream & { recap: string }>(
    `SELECT ${columns}, s.recap FROM stream_sessions s
     WHERE s.channel = ? AND s.recap IS NOT NULL AND s.recap <> '' ORDER BY s.id DESC LIMIT 1`,
  );
  return {
    /** Streams that ended since `sinceMs`, whose chat is all summarised, and of which a recap may still come. */
    withoutRecap: (channel: string, sinceMs: number, triesMax: number) =>
      withoutRecap.all(channel, sinceMs, triesMax),
    digests: (sessionId: number) => digests.all(sessionId),
    setRecap: (sessionId: number, recap: string) => void setRecap.run(recap, sessionId),
    setTries: (sessionId: number, tries: number) => void setTries.run(tries, sessionId),
    /** The last stream with a recap, or null. */
    lastRecap: (channel: string) => lastRecap.get(channel) ?? null,
  };
}
