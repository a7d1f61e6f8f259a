import type { Db } from "../platform/database/open-database.ts";
import { forgetMark } from "./forget-mark-store.ts";
import type { KnownNote, WaitingClaim } from "./note-prompt.ts";

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

export interface SortingStore {
  /** Episodes that wait, oldest first, at most `limit`. */
  waiting(channel: string, limit: number): SummarisedEpisode[];
  /** The claims of an episode that still stand. */
  claims(episodeId: number): WaitingClaim[];
  /** Active notes of these people, and of the channel, shared ones and one persona's: what the model is shown. */
  known(about: {
    readonly channel: string;
    readonly persona: string | null;
    readonly subjectIds: readonly string[];
    readonly withChannel: boolean;
  }): KnownNote[];
  /** What the model is shown is out of date once this changes: somebody was forgotten. */
  forgetMark(): number;
  /**
   * Ends episodes with `write`, in one transaction; false, and nothing written, where one of the claims that the model
   * read was withdrawn meanwhile, or somebody was forgotten.
   */
  complete(
    episodeIds: readonly number[],
    read: { readonly claims: number; readonly mark: number },
    write: () => void,
  ): boolean;
  /** A try that failed: when to try again. */
  postpone(episodeId: number, attempts: number, nextAttemptAtMs: number): void;
  giveUp(episodeId: number): void;
  /** Removes what is told of candidates from before `beforeMs`; says how many, at most `limit`. */
  pruneCandidates(beforeMs: number, limit: number): number;
}

type ClaimRow = Omit<WaitingClaim, "isWeak"> & { readonly isWeak: number };
type NotesOf = [channel: string, subjectId: string | null, nowMs: number, persona: string | null];

export function sortingStore(db: Db, now: () => number): SortingStore {
  const waiting = db.prepare<[string, number], SummarisedEpisode>(
    `SELECT id, channel, session_id AS sessionId, ended_at AS endedAtMs, attempts,
       coalesce(next_attempt_at, 0) AS dueAtMs FROM episodes
     WHERE channel = ? AND status = 'pending' AND stage = 'summarised' ORDER BY id LIMIT ?`,
  );
  const claims = db.prepare<[number], ClaimRow>(
    `SELECT episode_id AS episodeId, n, scope, subject_id AS subjectId, statement, is_weak AS isWeak, carriers
     FROM episode_claims WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const notes = db.prepare<NotesOf, KnownNote>(
    `SELECT id, scope, subject_id AS subjectId, fact FROM semantic_notes
     WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ? AND status = 'active'
       AND (pinned = 1 OR expires_at IS NULL OR expires_at > ?) AND (persona IS NULL OR persona = ?) ORDER BY id`,
  );
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
    waiting: (channel, limit) => waiting.all(channel, limit),
    claims: (episodeId) =>
      claims.all(episodeId).map((row) => ({ ...row, isWeak: row.isWeak === 1 })),
    known: ({ channel, persona, subjectIds, withChannel }) =>
      [...subjectIds, ...(withChannel ? [null] : [])].flatMap((subjectId) =>
        notes.all(channel, subjectId, now(), persona),
      ),
    forgetMark: mark,
    complete: (episodeIds, read, write) =>
      db.transaction(() => {
        const left = episodeIds.reduce((sum, id) => sum + claims.all(id).length, 0);
        if (read.mark !== mark() || left !== read.claims) return false;
        write();
        for (const id of episodeIds) finish.run(id);
        return true;
      })(),
    postpone: (episodeId, attempts, nextAttemptAtMs) => {
      postpone.run(attempts, nextAttemptAtMs, episodeId);
    },
    giveUp: (episodeId) => {
      giveUp.run(episodeId);
    },
    pruneCandidates: (beforeMs, limit) => prune.run(beforeMs, limit).changes,
  };
}
