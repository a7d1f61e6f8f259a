import type { Db } from "../database/open-database.ts";
import { readTrail } from "../reply/trail.ts";

/**
 * Gives a function that puts the channel notes and jokes in the prompt of the bot's last answer in a channel back to
 * `shadow`, and returns how many. A note that the streamer pinned stays. `status_before` keeps that it was in force:
 * only the streamer brings such a note back.
 */
export function channelUnlearner(db: Db, now: () => number): (channel: string) => number {
  const lastTrail = db
    .prepare<[string], string>(
      `SELECT token_usage_json FROM replies WHERE channel = ? AND state IN ('sent', 'unknown')
         AND token_usage_json IS NOT NULL ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  const demote = db.prepare<[number, string, string]>(
    `UPDATE semantic_notes SET status = 'shadow', status_before = 'active', ended_at = ?
     WHERE channel = ? AND scope <> 'viewer' AND status = 'active' AND pinned = 0
       AND id IN (SELECT value FROM json_each(?))`,
  );
  return (channel) => {
    const read = readTrail(lastTrail.get(channel) ?? null);
    if (read.kind !== "read") return 0;
    return demote.run(now(), channel, JSON.stringify(read.trail.notes.kept)).changes;
  };
}
