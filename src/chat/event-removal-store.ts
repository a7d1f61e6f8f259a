import { CLEANUP_WAIT_MS_MAX } from "../database/cleanup.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements, Sql } from "../database/statements.ts";
import { OF_ANY_CHUNK, OF_MESSAGE } from "./event-reads-store.ts";
import type { ChatEvent, Removal, RemovedText } from "./normalise.ts";
import { AccountStore } from "./viewer-store.ts";

const DAY_MS = 24 * 3_600_000;
/** The time between two removals of expired texts. */
export const SWEEP_EVERY_MS = 5 * 60_000;

/**
 * The time that a text may stay in the database: a day minus one sweep interval and the longest wait for VACUUM. So no
 * byte lives longer than promised.
 */
export const TEXT_LIFETIME_MS = DAY_MS - SWEEP_EVERY_MS - CLEANUP_WAIT_MS_MAX;

/** An event, a removal, or both, that wait to be written. `text`, `removedAtMs` and `id` change until then. */
export interface Pending {
  /** null: a removal without an event. */
  readonly event: ChatEvent | null;
  readonly toBot: boolean;
  readonly createdAtMs: number;
  /** The removal to apply when this is written; null if it removes nothing. */
  readonly removal: Removal | null;
  /** Waiting events whose texts the removal removed: they are stored without a text. */
  readonly taken: Pending[];
  text: string | null;
  removedAtMs: number | null;
  id: number | null;
}

const NO_TEXT = "SET text = NULL, memorable = 0, removed_at = ?";

interface TakenRow {
  readonly id: number;
  readonly messageId: string | null;
  readonly userId: string | null;
}

/** Removes the texts of stored events, in the caller's transaction. */
export class TextRemover {
  readonly #sql: Sql;
  readonly #accounts: AccountStore;

  constructor(db: Db) {
    this.#sql = new Sql(db);
    this.#accounts = new AccountStore(db);
  }

  /** Removes the stored texts of a removal; the rows stay. Returns their ids, and those of `item.taken`. */
  remove(removal: Removal, item: Pending): RemovedText {
    const waiting = item.taken.flatMap(({ id, event }) =>
      id === null || event === null || !("person" in event)
        ? []
        : [{ id, messageId: event.messageId, userId: event.person.userId }],
    );
    const rows = [...waiting, ...this.#removeStored(removal, item.createdAtMs)];
    const messageIds = new Set(rows.flatMap(({ messageId }) => messageId ?? []));
    if (removal.by === "message") messageIds.add(removal.messageId);
    return {
      removal,
      userId: removal.by === "channel" ? null : (rows[0]?.userId ?? null),
      messageIds: [...messageIds],
      eventIds: rows.map(({ id }) => id),
    };
  }

  #removeStored(removal: Removal, atMs: number): TakenRow[] {
    switch (removal.by) {
      case "message":
        return this.#clearTexts(OF_MESSAGE, atMs, removal.messageId);
      case "channel":
        return this.#clearTexts("channel = ?", atMs, removal.channel);
      case "person": {
        const { channel, userId: id, login } = removal;
        const holders = id === null ? this.#accounts.withLogin(login) : [{ userId: id }];
        // The plus keeps SQLite from going through the whole channel: one viewer's rows are far fewer.
        const where = `+channel = ? AND ${OF_ANY_CHUNK} AND user_id = ?`;
        return holders.flatMap(({ userId }) => this.#clearTexts(where, atMs, channel, userId));
      }
    }
  }

  #clearTexts(where: string, atMs: number, ...values: string[]): TakenRow[] {
    return this.#sql.all(
      `UPDATE events ${NO_TEXT} WHERE ${where} AND text IS NOT NULL
       RETURNING id, message_id AS messageId, user_id AS userId`,
      ...[atMs, ...values],
    );
  }
}

/** A message of the bot to remove. */
export interface OwnSaid {
  readonly channel: string;
  readonly text: string;
  readonly messageId: string | null;
}

/**
 * Returns a function that removes texts of the bot; the rows stay. In each channel of `said`, it takes the bot's
 * messages whose id, or whose whole text, is anywhere in `said`.
 */
export function prepareOwnTextRemoval(db: Db): (said: readonly OwnSaid[], atMs: number) => void {
  // Without a hint SQLite reads all messages of the channel.
  const take = prepareStatements(db).run<[number, string, string, string]>(
    `UPDATE events INDEXED BY events_own ${NO_TEXT} WHERE channel = ? AND kind = 'bot' AND text IS NOT NULL
       AND (text IN (SELECT value FROM json_each(?)) OR message_id IN (SELECT value FROM json_each(?)))`,
  );
  return (said, atMs) => {
    const texts = JSON.stringify(said.map(({ text }) => text));
    const ids = JSON.stringify(said.map(({ messageId }) => messageId));
    for (const channel of new Set(said.map((one) => one.channel))) take(atMs, channel, texts, ids);
  };
}

/** Returns a function that removes a viewer's texts and ids from events. The rows stay. It returns their number. */
export function prepareEventForget(db: Db, now: () => number): (userId: string) => number {
  const take = prepareStatements(db).run<[number, string]>(
    `UPDATE events SET text = NULL, message_id = NULL, parent_id = NULL, user_id = NULL, memorable = 0,
       removed_at = coalesce(removed_at, ?)
     WHERE id IN (SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ?)`,
  );
  return (userId) => take(now(), userId);
}

/** A smaller difference is drift of the clock. */
const SET_BACK_MS = 60_000;

/** Removes expired texts and rows in slices. The caller chooses `limit`, and yields between two slices. */
export class EventRetention {
  readonly #db: Db;
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#db = db;
    this.#sql = new Sql(db);
  }

  /** Lowers to `latestMs` at most `limit` later expiry times of texts: the clock was wrong. Returns how many. */
  capExpiryTimes(latestMs: number, limit: number): number {
    return this.#sql.run(
      `UPDATE events SET expires_at = :latestMs WHERE id IN
         (SELECT id FROM events WHERE text IS NOT NULL AND expires_at > :latestMs LIMIT :limit)`,
      { latestMs, limit },
    );
  }

  /**
   * Moves the times of all events back if the newest is a minute or more ahead of now: the clock was set back. Returns
   * by how many ms; 0 if nothing moved.
   */
  realign(nowMs: number): number {
    const newestMs = this.#sql.value<number>(
      "SELECT created_at FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1",
    );
    const aheadMs = (newestMs ?? nowMs) - nowMs;
    if (aheadMs < SET_BACK_MS) return 0;
    this.#sql.run(
      "UPDATE events SET created_at = created_at - :aheadMs, expires_at = expires_at - :aheadMs",
      { aheadMs },
    );
    return aheadMs;
  }

  /** Removes the texts of at most `limit` expired events; the rows stay. Returns how many. */
  expireTexts(nowMs: number, limit: number): number {
    return this.#sql.run(
      `UPDATE events SET text = NULL WHERE id IN
         (SELECT id FROM events WHERE text IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ...[nowMs, limit],
    );
  }

  /**
   * Deletes at most `limit` rows from the table's old end, up to the first one that has not expired or has a text.
   * Never from the middle: SQLite can leave a scattered row's bytes in a live page. `unsummarised` counts deleted
   * events that might have become memory.
   */
  pruneOldest(nowMs: number, limit: number): { pruned: number; unsummarised: number } {
    return this.#db
      .transaction(() => {
        const rows = this.#sql.all<{ id: number; isOver: number; isUnsummarised: number }>(
          `SELECT id, expires_at <= ? AND text IS NULL AS isOver,
             memorable = 1 AND no_window = 0 AND removed_at IS NULL AND (episode_id IS NULL OR EXISTS
               (SELECT 1 FROM episodes e WHERE e.id = events.episode_id AND e.kind = 'gap')) AS isUnsummarised
           FROM events WHERE id > 0 ORDER BY id LIMIT ?`,
          ...[nowMs, limit],
        );
        const firstKept = rows.findIndex(({ isOver }) => isOver === 0);
        const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
        const last = over.at(-1);
        if (last !== undefined)
          this.#sql.run("DELETE FROM events WHERE id > 0 AND id <= ?", last.id);
        const unsummarised = over.filter(({ isUnsummarised }) => isUnsummarised === 1).length;
        return { pruned: over.length, unsummarised };
      })
      .immediate();
  }
}
