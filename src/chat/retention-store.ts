import type { Db } from "../platform/database/open-database.ts";

interface Pruned {
  readonly pruned: number;
  /** Events among them that might have become memory and were never summarised. */
  readonly unsummarised: number;
}

export interface EventRetention {
  /** Ends of life later than `latestMs`, from a clock that was wrong, are brought forward to it; at most `limit`. */
  capEnds(latestMs: number, limit: number): number;
  /** Takes the text of at most `limit` events that ran out, and says of how many. */
  expireTexts(nowMs: number, limit: number): number;
  /**
   * Deletes rows from the table's old end, at most `limit`, up to the first one that has not run out or still has its
   * text. Never from the middle: SQLite can leave a scattered row's bytes in a live page.
   */
  pruneOldest(nowMs: number, limit: number): Pruned;
  /**
   * At start: where the newest event is later than now, the clock was set back since, and events would outlive their
   * time by that. Moves them all back, and gives by how many ms; 0 where the clock only went on. How long the program
   * was off meanwhile nobody knows.
   */
  realign(nowMs: number): number;
}

/** Less is drift, and not worth writing every row for. */
const SET_BACK_MS = 60_000;

/** What ran out, in slices: the caller chooses `limit` so that one takes at most 5 ms, and yields between two. */
export function eventRetention(db: Db): EventRetention {
  const expire = db.prepare<[number, number]>(
    `UPDATE events SET text = NULL WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  );
  const cap = db.prepare<[number, number, number]>(
    `UPDATE events SET expires_at = ? WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at > ? LIMIT ?)`,
  );
  const oldest = db.prepare<[number, number], OldestRow>(
    `SELECT id, expires_at <= ? AND text IS NULL AS isOver,
       memorable = 1 AND removed_at IS NULL AND (episode_id IS NULL OR EXISTS
         (SELECT 1 FROM episodes e WHERE e.id = events.episode_id AND e.kind = 'gap')) AS isUnsummarised
     FROM events WHERE id > 0 ORDER BY id LIMIT ?`,
  );
  const remove = db.prepare<[number]>("DELETE FROM events WHERE id > 0 AND id <= ?");
  const prune = db.transaction((nowMs: number, limit: number): Pruned => {
    const rows = oldest.all(nowMs, limit);
    const firstKept = rows.findIndex(({ isOver }) => isOver === 0);
    const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
    const last = over.at(-1);
    if (last !== undefined) remove.run(last.id);
    const unsummarised = over.filter(({ isUnsummarised }) => isUnsummarised === 1).length;
    return { pruned: over.length, unsummarised };
  });
  const newest = db
    .prepare<[], number>("SELECT created_at FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1")
    .pluck();
  return {
    capEnds: (latestMs, limit) => cap.run(latestMs, latestMs, limit).changes,
    realign: (nowMs) => {
      const aheadMs = (newest.get() ?? nowMs) - nowMs;
      if (aheadMs < SET_BACK_MS) return 0;
      db.prepare("UPDATE events SET created_at = created_at - ?, expires_at = expires_at - ?").run(
        aheadMs,
        aheadMs,
      );
      return aheadMs;
    },
    expireTexts: (nowMs, limit) => expire.run(nowMs, limit).changes,
    pruneOldest: (nowMs, limit) => prune.immediate(nowMs, limit),
  };
}

interface OldestRow {
  readonly id: number;
  readonly isOver: number;
  readonly isUnsummarised: number;
}
