import { fillNames } from "../language/people.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { EpisodeKind } from "./episode-store.ts";

/** An episode as the streamer sees it: names put in. */
export interface EpisodeView {
  readonly id: number;
  readonly channel: string;
  readonly kind: EpisodeKind;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly eventCount: number;
  readonly topic: string;
  readonly summary: string;
  readonly stage: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number | null;
}

interface ClaimView {
  readonly n: number;
  readonly scope: string;
  /** Display name; null for the channel. */
  readonly subject: string | null;
  readonly statement: string;
  /** How many events stand behind it. */
  readonly support: number;
  readonly withdrawn: boolean;
}

export interface EpisodeDetail extends EpisodeView {
  readonly participants: readonly string[];
  readonly claims: readonly ClaimView[];
}

export interface ReviewStore {
  /** Newest first; of every channel where `channel` is null. */
  episodes(channel: string | null, limit: number): EpisodeView[];
  episode(id: number): EpisodeDetail | null;
  /** Makes an episode that failed, or waits, due at once. False where there is nothing left to summarise. */
  retry(id: number): boolean;
}

const COLUMNS = `id, channel, kind, started_at AS startedAtMs, ended_at AS endedAtMs, event_count AS eventCount,
  topic, summary, stage, status, attempts, next_attempt_at AS nextAttemptAtMs`;

/** What the streamer can see of episodes, and do about them. Serves command line and page alike. */
export function reviewStore(db: Db): ReviewStore {
  const rows = statements(db);
  const nameOf = (userId: string): string | null => rows.name.get(userId) ?? null;
  const named = (view: EpisodeView): EpisodeView => ({
    ...view,
    topic: fillNames(view.topic, nameOf),
    summary: fillNames(view.summary, nameOf),
  });
  return {
    episodes: (channel, limit) =>
      (channel === null ? rows.latest.all(limit) : rows.latestIn.all(channel, limit)).map(named),
    episode: (id) => {
      const view = rows.one.get(id);
      if (view === undefined) return null;
      return {
        ...named(view),
        participants: rows.participants.all(id),
        claims: rows.claims.all(id).map(({ subjectId, statement, withdrawn, ...claim }) => ({
          ...claim,
          subject: subjectId === null ? null : (nameOf(subjectId) ?? "someone"),
          statement: fillNames(statement, nameOf),
          withdrawn: withdrawn === 1,
        })),
      };
    },
    retry: (id) => rows.retry.run(id).changes > 0,
  };
}

interface ClaimRow {
  readonly n: number;
  readonly scope: string;
  readonly subjectId: string | null;
  readonly statement: string;
  readonly support: number;
  readonly withdrawn: number;
}

function statements(db: Db) {
  return {
    latest: db.prepare<[number], EpisodeView>(
      `SELECT ${COLUMNS} FROM episodes ORDER BY id DESC LIMIT ?`,
    ),
    latestIn: db.prepare<[string, number], EpisodeView>(
      `SELECT ${COLUMNS} FROM episodes WHERE channel = ? ORDER BY ended_at DESC, id DESC LIMIT ?`,
    ),
    one: db.prepare<[number], EpisodeView>(`SELECT ${COLUMNS} FROM episodes WHERE id = ?`),
    name: db
      .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
      .pluck(),
    participants: db
      .prepare<[number], string>(
        `SELECT coalesce(v.display_name, 'someone') FROM episode_participants p
         LEFT JOIN viewers v ON v.user_id = p.user_id WHERE p.episode_id = ? ORDER BY 1`,
      )
      .pluck(),
    claims: db.prepare<[number], ClaimRow>(
      `SELECT n, scope, subject_id AS subjectId, statement, json_array_length(event_ids_json) AS support,
         withdrawn_at IS NOT NULL AS withdrawn
       FROM episode_claims WHERE episode_id = ? ORDER BY n`,
    ),
    /** What was summarised is paid for: only its extraction is done again, and that needs no chat. */
    retry: db.prepare<[number]>(
      `UPDATE episodes SET kind = CASE kind WHEN 'gap' THEN 'window' ELSE kind END,
         stage = CASE WHEN kind = 'gap' THEN 'claimed' ELSE stage END,
         status = 'pending', attempts = 0, next_attempt_at = 0
       WHERE id = ? AND (status = 'failed' OR stage = 'claimed')
         AND ((kind <> 'gap' AND stage = 'summarised')
           OR EXISTS (SELECT 1 FROM events e WHERE e.episode_id = episodes.id AND e.text IS NOT NULL))`,
    ),
  };
}
