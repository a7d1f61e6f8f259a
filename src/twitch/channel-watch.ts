import type { Notices } from "../database/notices-store.ts";
import { describeBug, toSentence } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { ChannelInfo, Helix, HelixResult } from "./helix.ts";
import { getChannel, type WireMessage } from "./wire.ts";

interface OwnersOptions {
  /** Null: the bot has no access to Twitch's API. */
  readonly helix: Helix | null;
  /** Returns the user id that the channel had first; null if it is unknown. */
  readonly knownId: (channel: string) => string | null;
  readonly onLost: (channel: string) => void;
  readonly onRegained: (channel: string) => void;
  readonly notices: Notices;
}

/**
 * Watches whether channels still belong to the user ids known first. If a login belongs to another account now, it
 * calls onLost and raises a notice. It refuses the channel's messages until the owner is back: the bot must not use its
 * memory in a stranger's channel.
 */
export class ChannelOwners {
  readonly #options: OwnersOptions;
  readonly #strange = new Set<string>();

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /**
   * Compares the user id that Twitch gives for a channel with the known one. Returns false if they differ, true if
   * none is known. Calls `onLost` and raises the notice, or calls `onRegained`, only if the result changed.
   */
  accept(channel: string, userId: string): boolean {
    const { knownId, onLost, onRegained } = this.#options;
    const known = knownId(channel);
    const isSame = known === null || known === userId;
    if (isSame && this.#strange.delete(channel)) onRegained(channel);
    if (!isSame && !this.#strange.has(channel)) {
      this.#strange.add(channel);
      onLost(channel);
      void this.#notify(channel, known);
    }
    return isSame;
  }

  /**
   * Passes the user id of a ROOMSTATE to `accept`. Returns false for each message of a channel that another account
   * owns now.
   */
  receive(message: WireMessage): boolean {
    const channel = getChannel(message);
    const roomId = message.tags["room-id"] ?? "";
    if (message.command === "ROOMSTATE" && roomId !== "") this.accept(channel, roomId);
    return !this.#strange.has(channel);
  }

  /** Asks Twitch who owns the channels whose id is known, and passes the answers to `accept`. Never rejects. */
  async check(channels: readonly string[]): Promise<void> {
    const { helix, knownId } = this.#options;
    const ask = async (channel: string): Promise<void> => {
      const owner = await helix?.userByLogin(channel);
      if (owner?.ok === true) this.accept(channel, owner.value.userId);
    };
    await Promise.all(channels.filter((channel) => knownId(channel) !== null).map(ask));
  }

  async #notify(channel: string, known: string): Promise<void> {
    const { helix, notices } = this.#options;
    const owner = await helix?.userById(known);
    if (!this.#strange.has(channel)) return;
    const fix =
      owner?.ok === true
        ? `your channel is called #${owner.value.login} now. Set \`channel\` to that name in the configuration`
        : "correct `channel` in the configuration, or use another data folder for this channel";
    const message = `The name #${channel} belongs to another Twitch account now, so the bot does not join it. ${toSentence(fix)}`;
    notices.raise(`chat:join #${channel}`, "error", message);
  }
}

const POLL_EVERY_MS = 60_000;
/** Failures in a row after which Twitch's last answer is too old. */
const FAILURES_MAX = 3;

interface PollOptions {
  /** Asks Twitch about a channel. Never rejects. */
  readonly ask: (channel: string) => Promise<HelixResult<ChannelInfo>>;
  readonly channels: readonly string[];
  /** Called with each answer, and with null from the third failure in a row on: the last answer is too old. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
  readonly notices: Notices;
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
    void this.#run();
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { channels, wait, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      for (const channel of channels) {
        try {
          await this.#poll(channel);
        } catch (thrown) {
          // The next poll tries again.
          log.warn({ ...describeBug(thrown) }, "the state of a channel could not be stored");
        }
      }
      await wait(POLL_EVERY_MS, signal);
    }
  }

  async #poll(channel: string): Promise<void> {
    const answer = await this.#options.ask(channel);
    if (this.#closing.signal.aborted) return;
    const count = (this.#failures.get(channel)?.count ?? 0) + 1;
    if (answer.ok) this.#failures.delete(channel);
    else this.#failures.set(channel, { reason: answer.reason, count });
    this.#notify();
    if (answer.ok) this.#options.onInfo(channel, answer.value);
    else if (count >= FAILURES_MAX) this.#options.onInfo(channel, null);
  }

  #notify(): void {
    const { notices } = this.#options;
    const all = [...this.#failures].map(([channel, { reason }]) => `#${channel} (${reason})`);
    const message = `Twitch does not say who is live: ${all.sort().join(", ")}. The bot asks again by itself. If it lasts, type \`forgetmenot doctor\`.`;
    if (all.length === 0) notices.clear("helix");
    else notices.raise("helix", "warning", message);
  }
}
