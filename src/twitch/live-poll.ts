import type { NoticeBoard } from "../database/notices-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { ChannelInfo, Helix } from "./helix.ts";

const POLL_EVERY_MS = 60_000;
/** Failures in a row after which Twitch's last answer is too old. */
const FAILURES_MAX = 3;

interface PollOptions {
  readonly helix: Pick<Helix, "channelInfo">;
  readonly channels: readonly string[];
  /** Called with each answer; null: Twitch's last answer is too old. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly wait: Wait;
  readonly log: Log;
}

/**
 * Asks Twitch once a minute for the title, category and live state of each channel. One notice names all channels that
 * Twitch does not answer for, so a problem that lasts is announced once.
 */
export class LivePoll {
  readonly #options: PollOptions;
  readonly #closing = new AbortController();
  readonly #failures = new Map<string, { readonly reason: string; readonly count: number }>();

  /** Asks at once, and until `close`. */
  constructor(options: PollOptions) {
    this.#options = options;
    this.#run().catch((cause: unknown) =>
      options.log.error({ ...describeBug(cause) }, "live poll ended"),
    );
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      for (const channel of this.#options.channels) await this.#poll(channel);
      await this.#options.wait(POLL_EVERY_MS, signal);
    }
  }

  async #poll(channel: string): Promise<void> {
    const { helix, onInfo, log } = this.#options;
    const answer = await helix.channelInfo(channel);
    if (this.#closing.signal.aborted) return;
    const count = (this.#failures.get(channel)?.count ?? 0) + 1;
    if (answer.ok) this.#failures.delete(channel);
    else this.#failures.set(channel, { reason: answer.reason, count });
    this.#notify();
    if (!answer.ok && count < FAILURES_MAX) return;
    try {
      onInfo(channel, answer.ok ? answer.value : null);
    } catch (thrown) {
      // The next poll tries again.
      log.warn({ ...describeBug(thrown) }, "the state of a channel could not be stored");
    }
  }

  #notify(): void {
    const { notices } = this.#options;
    const all = [...this.#failures].map(([channel, { reason }]) => `#${channel} (${reason})`);
    const message = `Twitch does not say who is live: ${all.sort().join(", ")}. The bot asks again by itself. If it lasts, type \`forgetmenot doctor\`.`;
    if (all.length === 0) notices.clear("helix");
    else notices.raise("helix", "warning", message);
  }
}
