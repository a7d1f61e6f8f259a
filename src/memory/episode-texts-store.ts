import { readIdsWithText } from "../chat/event-reads-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cutPage, type ListPage, Sql } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import type { EpisodeKind } from "./episode-store.ts";
import { countNotesOfEpisode, hasNotes } from "./note-reads-store.ts";

interface StatedClaim {
  readonly episodeId: number;
  /** The claim's number in the episode. */
  readonly n: number;
  readonly statement: string;
}

/** Reads, changes and withdraws claims. */
export class ClaimStore {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ nowMs: now() }));
  }

  /** Removes a claim's text and marks it as withdrawn. Returns 1; 0 if it is unknown or was withdrawn before. */
  withdraw(episodeId: number, n: number): number {
    return this.#sql.run(
      `UPDATE episode_claims SET statement = '', withdrawn_at = :nowMs
       WHERE episode_id = :episodeId AND n = :n AND withdrawn_at IS NULL`,
      { episodeId, n },
    );
  }

  #selectStated(which: string, value: string | number): StatedClaim[] {
    return this.#sql.all(
      `SELECT episode_id AS episodeId, n, statement FROM episode_claims WHERE ${which} AND withdrawn_at IS NULL`,
      value,
    );
  }

  /** Returns the claims about a viewer that were not withdrawn. */
  aboutViewer(userId: string): StatedClaim[] {
    return this.#selectStated("subject_id = ?", userId);
  }

  /** Returns the claims of an episode about the channel that were not withdrawn. */
  aboutChannel(episodeId: number): StatedClaim[] {
    return this.#selectStated("episode_id = ? AND subject_id IS NULL", episodeId);
  }

  /**
   * Returns the messages that each claim rests on, and others' messages with words of it. Both are JSON lists of event
   * ids. Leaves out withdrawn claims.
   */
  listSupports(episodeId: number): { n: number; eventIdsJson: string; borrowedIdsJson: string }[] {
    return this.#sql.all(
      `SELECT n, event_ids_json AS eventIdsJson, borrowed_ids_json AS borrowedIdsJson FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
      episodeId,
    );
  }

  setSupport(episodeId: number, n: number, eventIds: readonly number[]): void {
    this.#sql.run(
      "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
      ...[JSON.stringify(eventIds), episodeId, n],
    );
  }

  /** Marks a claim as doubtful: from now on it cannot make a note active. */
  weaken(episodeId: number, n: number): void {
    this.#sql.run(
      "UPDATE episode_claims SET is_weak = 1 WHERE episode_id = ? AND n = ?",
      ...[episodeId, n],
    );
  }

  setStatement(episodeId: number, n: number, statement: string): void {
    this.#sql.run(
      "UPDATE episode_claims SET statement = ? WHERE episode_id = ? AND n = ?",
      ...[statement, episodeId, n],
    );
  }
}

interface EpisodeTexts {
  readonly topic: string;
  readonly summary: string;
  readonly recap: string;
}

/** Reads the texts of an episode, and the recap of its stream; "" for what is missing. */
export function readEpisodeTexts(sql: Sql, id: number): EpisodeTexts {
  const texts = sql.one<EpisodeTexts>(
    `SELECT e.topic, e.summary, coalesce(s.recap, '') AS recap FROM episodes e
     LEFT JOIN stream_sessions s ON s.id = e.session_id WHERE e.id = ?`,
    id,
  );
  return texts ?? { topic: "", summary: "", recap: "" };
}

/**
 * Replaces a summary by the episode's claims about the channel, or by "". Viewers' claims stay out: any viewer's prompt
 * may show a summary. Removes the topic, the unproven sentences and the recap of the episode's stream. Later, a recent
 * stream gets a new recap.
 */
export function rewriteSummary(sql: Sql, id: number): void {
  const statements = sql.values<string>(
    `SELECT statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
    id,
  );
  sql.run(
    "UPDATE episodes SET topic = '', summary = ?, unproven = '' WHERE id = ?",
    ...[statements.join(" "), id],
  );
  sql.run(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
    id,
  );
}

/**
 * Removes a viewer's claims, and their rows as participant and carrier. Empties the texts of episodes in which only
 * they took part, and returns how many. Deletes request, operator and import episodes without other claims and notes;
 * so remove their notes first. Their name in texts of other episodes stays.
 */
export function forgetInEpisodes(sql: Sql, userId: string): number {
  // An episode of direct talk with this viewer alone is about them, whomever its summary names.
  const emptied = sql.run(
    `UPDATE episodes SET topic = '', summary = '', unproven = '' WHERE (topic <> '' OR summary <> '' OR unproven <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
    { userId },
  );
  for (const step of FORGET_STEPS) sql.run(step, { userId });
  return emptied;
}

const FORGET_STEPS = [
  "DELETE FROM episode_claims WHERE subject_id = @userId",
  // Removes episodes that contained only a viewer's requests or typed facts about them.
  `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
     AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
     AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
     AND NOT ${hasNotes("episodes.id")}`,
  "DELETE FROM episode_participants WHERE user_id = @userId",
  "DELETE FROM claim_carriers WHERE user_id = @userId",
];

/**
 * Removes unproven sentences of at most `limit` episodes that ended before `beforeMs`. Returns the number of episodes.
 */
export function expireUnproven(db: Db, beforeMs: number, limit: number): number {
  return new Sql(db).run(
    `UPDATE episodes SET unproven = '' WHERE id IN
       (SELECT id FROM episodes WHERE unproven <> '' AND ended_at < ? LIMIT ?)`,
    ...[beforeMs, limit],
  );
}

interface ClaimRecord {
  readonly episodeId: number;
  readonly statement: string;
  readonly withdrawnAtMs: number | null;
}

interface RecordedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  readonly topic: string;
  readonly summary: string;
  readonly unproven: string;
  readonly endedAtMs: number;
}

/**
 * Reads the claims about viewers, and the episodes in which they took part. `carried` are claims about the channel that
 * rest on their messages. Texts have `{u:id}` tokens; a withdrawn claim has "". `ids`: a JSON list of user ids.
 */
export function readEpisodeRecords(db: Db, ids: string) {
  const sql = new Sql(db);
  return {
    claims: sql.all<ClaimRecord>(
      `SELECT episode_id AS episodeId, statement, withdrawn_at AS withdrawnAtMs FROM episode_claims
       WHERE subject_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id, n`,
      ids,
    ),
    carried: sql.all<ClaimRecord>(
      `SELECT DISTINCT c.episode_id AS episodeId, c.statement, c.withdrawn_at AS withdrawnAtMs
       FROM claim_carriers s JOIN episode_claims c ON c.episode_id = s.episode_id AND c.n = s.n
       WHERE s.user_id IN (SELECT value FROM json_each(?)) ORDER BY c.episode_id, c.n`,
      ids,
    ),
    episodes: sql.all<RecordedEpisode>(
      `SELECT DISTINCT e.id, e.channel, e.kind, e.topic, e.summary, e.unproven, e.ended_at AS endedAtMs
       FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
       WHERE p.user_id IN (SELECT value FROM json_each(?)) ORDER BY e.id`,
      ids,
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

/** SQL for a value that changes if an episode begins, or one of the 20 newest gets another stage or status. */
export const EPISODES_MARK = `(SELECT group_concat(id || stage || status) FROM
  (SELECT id, stage, status FROM episodes ORDER BY id DESC LIMIT 20))`;

/** Lists and shows episodes to the streamer, and retries one that failed or waits. */
export class EpisodeReview {
  readonly #sql: Sql;
  readonly #nameOf: (userId: string) => string | null;

  constructor(db: Db) {
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
      people: (JSON.parse(row.people) as string[])
        .map((userId) => this.#nameOf(userId) ?? "someone")
        .sort(),
      notes: countNotesOfEpisode(this.#sql, row.id),
    }));
  }

  /** Returns episodes with ids below `after`, newest first. `status` "": of every status. */
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

  failed(limit: number): EpisodeView[] {
    return this.#select("WHERE status = 'failed' ORDER BY id DESC LIMIT :limit", { limit });
  }

  /** Returns the first `limit` episodes of a stream, oldest first. */
  ofStream(sessionId: number, limit: number): EpisodeView[] {
    return this.#select("WHERE session_id = :sessionId ORDER BY id LIMIT :limit", {
      sessionId,
      limit,
    });
  }

  /** Returns episodes with sentences that no known viewers carry, newest first. */
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

  /**
   * Makes a failed or unsummarised episode due now. Returns false for any other, or if there is nothing left to read.
   */
  retry(id: number): boolean {
    const hasText = readIdsWithText(this.#sql, id).length > 0;
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
