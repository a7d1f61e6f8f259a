import { localDay } from "../config/local-time.ts";

/** Messages in earlier streams that make a viewer known. Design part 7, point 3. */
const EARLIER_MESSAGES_MIN = 3;
const MODERATED_MS = 30 * 86_400_000;

/** True for a moderator or the streamer: one is enough to vouch for the channel. `c` is a row of `viewer_channels`. */
export const VOUCHES = "(c.is_broadcaster = 1 OR c.is_moderator = 1)";

/** True for a known viewer; give `:calmSince` by `calmSince`. `c` is a row of `viewer_channels`. */
export const IS_KNOWN = `(${VOUCHES} OR ((c.is_vip = 1 OR c.is_subscriber = 1 OR c.is_founder = 1
    OR c.earlier_messages >= ${EARLIER_MESSAGES_MIN})
  AND (c.moderated_on IS NULL OR c.moderated_on < :calmSince)))`;

/** The day since when a known viewer was neither timed out nor banned, and had no message deleted. */
export function calmSince(nowMs: number): string {
  return localDay(nowMs - MODERATED_MS);
}
