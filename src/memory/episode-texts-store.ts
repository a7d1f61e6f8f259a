import { prepareWindowEvents } from "../chat/event-reads-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cutPage, type ListPage, prepareStatements, Sql } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import type { EpisodeKind } from "./episode-store.ts";
import { countNotesOfEpisode } from "./note-reads-store.ts";

/** A claim by its episode and its number there. */
interface ClaimKey {
  readonly episodeId: number;
  readonly n: number;
}

type StatedClaim = ClaimKey & { readonly statement: string };

/** Reads, changes and withdraws claims. */
export function openClaimStore(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const withdraw = sql.run<[number, number, number]>(
    `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
     WHERE episode_id = ? AND n = ?`,
  );
  const selectStated = "SELECT episode_id AS episodeId, n, statement FROM episode_claims c";
  return {
    withdraw: (episodeId: number, n: number) => withdraw(now(), episodeId, n),
    /** Claims about a viewer that were not withdrawn. */
    ofViewer: sql.all<[userId: string], StatedClaim>(
      `${selectStated} WHERE subject_id = ? AND withdrawn_at IS NULL AND statement <> ''`,
    ),
    /** Claims about a viewer that no note rests on. */
    unusedOf: sql.all<[userId: string], StatedClaim>(
      `${selectStated} WHERE subject_id = ?
         AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = c.episode_id AND v.claim_n = c.n)`,
    ),
    /** Claims of an episode about the channel that were not withdrawn. */
    ofChannel: sql.all<[episodeId: number], StatedClaim>(
      `${selectStated} WHERE episode_id = ? AND subject_id IS NULL AND withdrawn_at IS NULL`,
    ),
    /** The messages that an episode's claims rest on, and those of others with words of them. */
    supports: sql.all<
      [episodeId: number],
      { n: number; eventIdsJson: string; borrowedIdsJson: string }
    >(
      `SELECT n, event_ids_json AS eventIdsJson, borrowed_ids_json AS borrowedIdsJson FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
    ),
    setSupport: sql.run<[eventIdsJson: string, episodeId: number, n: number]>(
      "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
    ),
    weaken: sql.run<[episodeId: number, n: number]>(
      "UPDATE episode_claims SET is_weak = 1 WHERE episode_id = ? AND n = ?",
    ),
    restate: sql.run<[statement: string, episodeId: number, n: number]>(
      "UPDATE episode_claims SET statement = ? WHERE episode_id = ? AND n = ?",
    ),
  };
}

/** Reads the texts of summarised episodes, and rebuilds a summary from its claims about the channel. */
export function openEpisodeTexts(db: Db) {
  const sql = prepareStatements(db);
  const statements = sql.values<[number], string>(
    `SELECT statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
  );
  const setSummary = sql.run<[string, number]>(
    "UPDATE episodes SET topic = '', summary = ?, unproven = '' WHERE id = ?",
  );
  // A new recap is written while the stream is recent.
  const dropRecap = sql.run<[number]>(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
  );
  return {
    /** The texts of an episode, and the recap of its stream. */
    find: sql.one<[id: number], { topic: string; summary: string; recap: string }>(
      `SELECT e.topic, e.summary, coalesce(s.recap, '') AS recap FROM episodes e
       LEFT JOIN stream_sessions s ON s.id = e.session_id WHERE e.id = ?`,
    ),
    /**
     * Rewrites a summary from the episode's claims about the channel, and drops the recap of its stream. Viewers'
     * claims stay out: every prompt shows a summary.
     */
    rewrite: (id: number): void => {
      setSummary(statements(id).join(" "), id);
      dropRecap(id);
    },
  };
}

/**
 * Returns a function that removes what episodes hold about a viewer, and counts the emptied summaries. Call it after
 * their notes were removed.
 */
export function prepareEpisodeForget(db: Db): (userId: string) => number {
  const sql = prepareStatements(db);
  // An episode of direct talk with this viewer alone is about them, whomever its summary names.
  const emptyOwn = sql.run<[{ userId: string }]>(
    `UPDATE episodes SET topic = '', summary = '', unproven = '' WHERE (topic <> '' OR summary <> '' OR unproven <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
  );
  const steps = [
    "DELETE FROM episode_claims WHERE subject_id = @userId",
    // Removes episodes that contained only a viewer's requests or typed facts about them.
    `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = episodes.id)`,
    "DELETE FROM episode_participants WHERE user_id = @userId",
    "DELETE FROM claim_carriers WHERE user_id = @userId",
  ].map((step) => sql.run<[{ userId: string }]>(step));
  return (userId) => {
    const emptied = emptyOwn({ userId });
    for (const step of steps) step({ userId });
    return emptied;
  };
}

/** Removes the unproven sentences of episodes that ended before `beforeMs`, `limit` episodes at a time. */
export function prepareUnprovenSweep(db: Db) {
  return {
    expireUnproven: prepareStatements(db).run<[beforeMs: number, limit: number]>(
      `UPDATE episodes SET unproven = '' WHERE id IN
         (SELECT id FROM episodes WHERE unproven <> '' AND ended_at < ? LIMIT ?)`,
    ),
  };
}

interface ClaimRecord {
  readonly episodeId: number;
  readonly statement: string;
  readonly withdrawnAtMs: number | null;
}

/** Prepares reads of what episodes hold about viewers. Each takes their ids as a JSON list. */
export function prepareEpisodeRecords(db: Db) {
  const sql = prepareStatements(db);
  return {
    claims: sql.all<[ids: string], ClaimRecord>(
      `SELECT episode_id AS episodeId, statement, withdrawn_at AS withdrawnAtMs FROM episode_claims
       WHERE subject_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id, n`,
    ),
    /** Claims about the channel that rest on their words too. */
    carried: sql.all<[ids: string], ClaimRecord>(
      `SELECT DISTINCT c.episode_id AS episodeId, c.statement, c.withdrawn_at AS withdrawnAtMs
       FROM claim_carriers s JOIN episode_claims c ON c.episode_id = s.episode_id AND c.n = s.n
       WHERE s.user_id IN (SELECT value FROM json_each(?)) ORDER BY c.episode_id, c.n`,
    ),
    episodes: sql.all<
      [ids: string],
      {
        id: number;
        channel: string;
        kind: string;
        topic: string;
        summary: string;
        unproven: string;
        endedAtMs: number;
      }
    >(
      `SELECT DISTINCT e.id, e.channel, e.kind, e.topic, e.summary, e.unproven, e.ended_at AS endedAtMs
       FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
       WHERE p.user_id IN (SELECT value FROM json_each(?)) ORDER BY e.id`,
    ),
  };
}

/** An episode as the streamer sees it, with names. */
export interface EpisodeView {
  readonly id: number;
  readonly channel: string;
  readonly kind: EpisodeKind;
  readonly sessionId: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly eventCount: number;
  readonly topic: string;
  readonly summary: string;
  /** Sentences without known carriers: only the page shows them. */
  readonly unproven: string;
  readonly stage: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number | null;
  /** The display names of its viewers. */
  readonly people: readonly string[];
  /** The number of notes that it supports. */
  readonly notes: number;
}

interface ClaimView {
  readonly n: number;
  readonly scope: string;
  /** Display name; null for the channel. */
  readonly subject: string | null;
  readonly statement: string;
  /** The number of events that support it. */
  readonly support: number;
  readonly withdrawn: boolean;
}

const EPISODES = `SELECT id, channel, kind, session_id AS sessionId, started_at AS startedAtMs, ended_at AS endedAtMs,
  event_count AS eventCount, topic, summary, unproven, stage, status, attempts, next_attempt_at AS nextAttemptAtMs,
  (SELECT json_group_array(user_id) FROM episode_participants p WHERE p.episode_id = e.id) AS people FROM episodes e`;

/** SQL for a value that changes with the newest episodes. */
export const EPISODES_MARK = `(SELECT group_concat(id || stage || status) FROM
  (SELECT id, stage, status FROM episodes ORDER BY id DESC LIMIT 20))`;

/** Lists and shows episodes to the streamer, and retries one that failed or waits. */
export class EpisodeReview {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #nameOf: (userId: string) => string | null;

  constructor(db: Db) {
    this.#db = db;
    this.#sql = new Sql(db);
    this.#nameOf = prepareNameRead(db);
  }

  #select(which: string, values: object): EpisodeView[] {
    const rows = this.#sql.all<EpisodeView & { readonly people: string }>(
      `${EPISODES} ${which}`,
      values,
    );
    const fill = (text: string): string => fillNames(text, this.#nameOf);
    return rows.map((row) => ({
      ...row,
      topic: fill(row.topic),
      summary: fill(row.summary),
      unproven: fill(row.unproven),
      people: this.#namesOf(JSON.parse(row.people)),
      notes: countNotesOfEpisode(this.#sql, row.id),
    }));
  }

  #namesOf(userIds: readonly string[]): string[] {
    return userIds.map((userId) => this.#nameOf(userId) ?? "someone").sort();
  }

  /** Returns episodes before the id `after`, newest first. `status` "": of every status. */
  list({
    status,
    limit,
    after = Number.MAX_SAFE_INTEGER,
  }: {
    readonly status: string;
    readonly limit: number;
    readonly after?: number | undefined;
  }): ListPage<EpisodeView> {
    const found = this.#select(
      "WHERE id < :after AND :status IN ('', status) ORDER BY id DESC LIMIT :limit",
      { status, after, limit: limit + 1 },
    );
    return cutPage(found, limit);
  }

  /** Returns failed episodes, newest first. */
  failed(limit: number): EpisodeView[] {
    return this.#select("WHERE status = 'failed' ORDER BY id DESC LIMIT :limit", { limit });
  }

  ofStream(sessionId: number, limit: number): EpisodeView[] {
    return this.#select("WHERE session_id = :sessionId ORDER BY id LIMIT :limit", {
      sessionId,
      limit,
    });
  }

  /** Returns episodes with sentences that only unknown viewers support, newest first. */
  unproven(limit: number): EpisodeView[] {
    return this.#select("WHERE unproven <> '' ORDER BY ended_at DESC LIMIT :limit", { limit });
  }

  /** Returns an episode with its claims; null for an unknown id. */
  episode(id: number): (EpisodeView & { readonly claims: readonly ClaimView[] }) | null {
    const [view] = this.#select("WHERE id = :id", { id });
    if (view === undefined) return null;
    const claims = this.#sql.all<ClaimView>(
      `SELECT n, scope, subject_id AS subject, statement, json_array_length(event_ids_json) AS support,
         withdrawn_at IS NOT NULL AS withdrawn
       FROM episode_claims WHERE episode_id = ? ORDER BY n`,
      id,
    );
    return {
      ...view,
      claims: claims.map((claim) => ({
        ...claim,
        subject: claim.subject === null ? null : (this.#nameOf(claim.subject) ?? "someone"),
        statement: fillNames(claim.statement, this.#nameOf),
        // SQLite has no booleans.
        withdrawn: Boolean(claim.withdrawn),
      })),
    };
  }

  /** Makes a failed or waiting episode due now. Returns false if there is nothing left to summarise. */
  retry(id: number): boolean {
    const hasText = prepareWindowEvents(this.#db).idsWithText(id).length > 0;
    // A stored summary is paid for: only its extraction is repeated, which needs no chat.
    const changed = this.#sql.run(
      `UPDATE episodes SET kind = CASE kind WHEN 'gap' THEN 'window' ELSE kind END,
         stage = CASE WHEN kind = 'gap' THEN 'claimed' ELSE stage END,
         status = 'pending', attempts = 0, next_attempt_at = 0
       WHERE id = :id AND (status = 'failed' OR stage = 'claimed')
         AND (:hasText = 1 OR (kind <> 'gap' AND stage = 'summarised'))`,
      { id, hasText: Number(hasText) },
    );
    return changed > 0;
  }
}
