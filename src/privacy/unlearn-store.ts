import type { Db } from "../database/open-database.ts";
import { noteStore } from "../memory/note-store.ts";
import { readTrail } from "../reply/trail.ts";

/**
 * Returns a function that moves the channel notes and jokes in the prompt of the bot's last answer in a channel to the
 * shadow, and returns how many. Pinned notes stay.
 */
export function channelUnlearner(db: Db, now: () => number): (channel: string) => number {
  const lastTrail = db
    .prepare<[string], string>(
      `SELECT token_usage_json FROM replies WHERE channel = ? AND state IN ('sent', 'unknown')
         AND token_usage_json IS NOT NULL ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  const { unlearn } = noteStore(db, now);
  return (channel) => {
    const read = readTrail(lastTrail.get(channel) ?? null);
    return read.kind === "read" ? unlearn(channel, read.trail.notes.kept) : 0;
  };
}
