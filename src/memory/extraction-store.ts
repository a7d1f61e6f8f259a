import type { Db } from "../platform/database/open-database.ts";
import { forgetMark } from "./forget-mark-store.ts";
import type { EpisodeClaim, KnownNote } from "./note-prompt.ts";

/** An episode that is summarised, and from which no notes were made yet. */
export interface SummarisedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly summary: string;
  readonly sessionId: number | null;
  readonly attempts: number;
}

export interface ExtractionStore {
  /** Episodes whose time has come, oldest first. */
  due(channel: string, nowMs: number): SummarisedEpisode | null;
  /** The claims that still stand. */
  claims(episodeId: number): EpisodeClaim[];
  /**
   * Notes that count for these people and the channel, shared ones and one persona's: what the model is shown. All that
   * are active, and of those that wait for approval the newest fifty of each.
   */
  known(about: {
    readonly channel: string;
    readonly persona: string | null;
    readonly subjectIds: readonly string[];
  }): KnownNote[];
  /** What the model is shown is out of date once this changes: somebody was forgotten. */
  forgetMark(): number;
  /**
   * Ends an episode with `write`, in one transaction; false, and nothing written, where one of the claims that the
   * model read was withdrawn meanwhile, or somebody was forgotten.
   */
  complete(
    episodeId: number,
    read: { readonly claims: number; readonly mark: number },
    write: () => void,
  ): boolean;
  /** A try that failed: when to try again. */
  postpone(episodeId: number, attempts: number, nextAttemptAtMs: number): void;
  giveUp(episodeId: number): void;
  /** Removes what is told of candidates from before `beforeMs`; says how many, at most `limit`. */
  pruneCandidates(beforeMs: number, limit: number): number;
}

type NotesOf = [channel: string, subjectId: string | null, persona: string | null];

/** No cap holds for what waits: a prompt must not grow while nobody approves. */
const WAITING_SHOWN_MAX = 50;

export function extractionStore(db: Db): ExtractionStore {
  const due = db.prepare<[string, number], SummarisedEpisode>(
    `SELECT id, channel, summary, session_id AS sessionId, attempts FROM episodes
     WHERE channel = ? AND status = 'pending' AND stage = 'summarised' AND coalesce(next_attempt_at, 0) <= ?
     ORDER BY id LIMIT 1`,
  );
  const claims = db.prepare<[number], EpisodeClaim>(
    `SELECT n, scope, subject_id AS subjectId, statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const notes = (
    status: string,
  ) => `SELECT id, scope, subject_id AS subjectId, fact FROM semantic_notes
     WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ?
       AND ${status} AND (persona IS NULL OR persona = ?) ORDER BY id`;
  const active = db.prepare<NotesOf, KnownNote>(notes("status = 'active'"));
  const waiting = db.prepare<NotesOf, KnownNote>(
    `${notes("status IN ('shadow', 'pending')")} DESC LIMIT ${WAITING_SHOWN_MAX}`,
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
    due: (channel, nowMs) => due.get(channel, nowMs) ?? null,
    claims: (episodeId) => claims.all(episodeId),
    known: ({ channel, persona, subjectIds }) =>
      [...subjectIds, null].flatMap((subjectId) => [
        ...active.all(channel, subjectId, persona),
        ...waiting.all(channel, subjectId, persona).reverse(),
      ]),
    forgetMark: mark,
    complete: (episodeId, read, write) =>
      db.transaction(() => {
        if (read.mark !== mark() || claims.all(episodeId).length !== read.claims) return false;
        write();
        finish.run(episodeId);
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
