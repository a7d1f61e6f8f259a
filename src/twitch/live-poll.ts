import type { NoticeBoard } from "../database/notices-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { ChannelInfo, Helix } from "./helix.ts";

interface LivePollOptions {
  readonly helix: Pick<Helix, "channelInfo">;
  readonly channels: readonly string[];
  /** null: Twitch has not said it for so long that nobody knows. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
  /** A short code; null once an answer came again. */
  readonly onTrouble: (channel: string, reason: string | null) => void;
  readonly wait: Wait;
  readonly log: Log;
}

const POLL_EVERY_MS = 60_000;
/** Questions in a row without an answer after which what Twitch said last says nothing of now. */
const UNANSWERED_MAX = 3;

/** Asks Twitch once a minute for each channel's title, category and live state. */
export function pollLive(options: LivePollOptions): { close(): void } {
  const closing = new AbortController();
  const unanswered = new Map<string, number>();
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      for (const channel of options.channels)
        await ask(options, { channel, unanswered }, closing.signal);
      await options.wait(POLL_EVERY_MS, closing.signal);
    }
  };
  poll().catch((cause: unknown) => options.log.error({ ...describeBug(cause) }, "live poll ended"));
  return { close: () => closing.abort() };
}

async function ask(
  options: LivePollOptions,
  { channel, unanswered }: { readonly channel: string; readonly unanswered: Map<string, number> },
  signal: AbortSignal,
): Promise<void> {
  const answer = await options.helix.channelInfo(channel);
  if (signal.aborted) return;
  options.onTrouble(channel, answer.ok ? null : answer.reason);
  const inARow = answer.ok ? 0 : (unanswered.get(channel) ?? 0) + 1;
  unanswered.set(channel, inARow);
  if (!answer.ok && inARow < UNANSWERED_MAX) return;
  try {
    options.onInfo(channel, answer.ok ? answer.value : null);
  } catch (thrown) {
    options.log.warn(
      { ...describeBug(thrown) },
      "what Twitch said of the channel was not taken in; it is asked again",
    );
  }
}

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
    notices.raise(
      "helix",
      "warning",
      `Twitch does not say who is live: ${all.join(", ")}. The bot asks again by itself. If it lasts, type \`forgetmenot doctor\`.`,
    );
  };
}
