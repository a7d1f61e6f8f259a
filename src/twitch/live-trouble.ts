import type { NoticeBoard } from "../platform/database/notices-store.ts";

/**
 * One notice about all channels whose live state Twitch does not tell. A channel that answers does not clear another's
 * trouble, so that what lasts is announced once. `reason`: a short code; null once an answer came again.
 */
export function troubleTeller(
  notices: Pick<NoticeBoard, "raise" | "clear">,
): (channel: string, reason: string | null) => void {
  const troubles = new Map<string, string>();
  return (channel, reason) => {
    if (reason === null) troubles.delete(channel);
    else troubles.set(channel, reason);
    if (troubles.size === 0) return notices.clear("helix");
    const all = [...troubles].map(([name, why]) => `#${name} (${why})`).sort();
    notices.raise("helix", "warning", `Twitch does not say who is live: ${all.join(", ")}`);
  };
}
