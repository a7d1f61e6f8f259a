import type { NoticeBoard } from "../database/notices-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { ChannelInfo, Helix } from "./helix.ts";

const POLL_EVERY_MS = 60_000;
/** Failures in a row after which Twitch's last answer is too old. */
const FAILURES_MAX = 3;

/**
 * Asks Twitch once a minute for the title, category and live state of each channel. One notice names all channels that
 * Twitch does not answer for, so a problem that lasts is announced once.
 */
export function pollLive(options: {
  readonly helix: Pick<Helix, "channelInfo">;
  readonly channels: readonly string[];
  /** Called with each answer; null: Twitch's last answer is too old. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly wait: Wait;
  readonly log: Log;
}): { close(): void } {
  const { helix, channels, onInfo, notices, wait, log } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const failures = new Map<string, { readonly reason: string; readonly count: number }>();
  const notify = () => {
    if (failures.size === 0) return notices.clear("helix");
    const all = [...failures].map(([channel, { reason }]) => `#${channel} (${reason})`).sort();
    const message = `Twitch does not say who is live: ${all.join(", ")}. The bot asks again by itself. If it lasts, type \`forgetmenot doctor\`.`;
    notices.raise("helix", "warning", message);
  };
  const poll = async (channel: string): Promise<void> => {
    const answer = await helix.channelInfo(channel);
    if (signal.aborted) return;
    const count = (failures.get(channel)?.count ?? 0) + 1;
    if (answer.ok) failures.delete(channel);
    else failures.set(channel, { reason: answer.reason, count });
    notify();
    if (!answer.ok && count < FAILURES_MAX) return;
    try {
      onInfo(channel, answer.ok ? answer.value : null);
    } catch (thrown) {
      // The next poll tries again.
      log.warn({ ...describeBug(thrown) }, "the state of a channel could not be stored");
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const channel of channels) await poll(channel);
      await wait(POLL_EVERY_MS, signal);
    }
  };
  run().catch((cause: unknown) => log.error({ ...describeBug(cause) }, "live poll ended"));
  return { close: () => closing.abort() };
}
