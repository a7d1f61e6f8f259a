import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import { toSentence } from "../errors.ts";
import type { Helix } from "./helix.ts";
import { getChannel, type WireMessage } from "./wire.ts";

interface OwnersOptions {
  /** Null: the bot has no access to Twitch's API. */
  readonly helix: Helix | null;
  /** Returns the user id that the channel had first; null if it is unknown. */
  readonly knownId: (channel: string) => string | null;
  readonly onLost: (channel: string) => void;
  readonly onRegained: (channel: string) => void;
  readonly noticeOf: (channel: string) => NoticeKey;
  readonly notices: NoticeBoard;
}

/**
 * Watches whether channels still belong to the user ids known first. If a login belongs to another account now, it
 * calls onLost, raises a notice and refuses the channel's messages until the owner is back: the bot must not use its
 * memory in a stranger's channel.
 */
export class ChannelOwners {
  readonly #options: OwnersOptions;
  readonly #strange = new Set<string>();

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /** Takes the user id that Twitch gives for a channel. False: it differs from the known one. */
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

  /** Takes a message, which may state the room's id. False: its channel belongs to another account now. */
  receive(message: WireMessage): boolean {
    const channel = getChannel(message);
    const roomId = message.tags["room-id"] ?? "";
    if (message.command === "ROOMSTATE" && roomId !== "") this.accept(channel, roomId);
    return !this.#strange.has(channel);
  }

  /** Asks Twitch who owns the channels whose id is known. Never rejects. */
  async check(channels: readonly string[]): Promise<void> {
    const { helix, knownId } = this.#options;
    const ask = async (channel: string): Promise<void> => {
      const owner = await helix?.userByLogin(channel);
      if (owner?.ok === true) this.accept(channel, owner.value.userId);
    };
    await Promise.all(channels.filter((channel) => knownId(channel) !== null).map(ask));
  }

  async #notify(channel: string, known: string): Promise<void> {
    const { helix, noticeOf, notices } = this.#options;
    const owner = await helix?.userById(known);
    if (!this.#strange.has(channel)) return;
    const fix =
      owner?.ok === true
        ? `your channel is called #${owner.value.login} now. Set \`channel\` to that name in the configuration`
        : "correct `channel` in the configuration, or use another data folder for this channel";
    const message = `The name #${channel} belongs to another Twitch account now, so the bot does not join it. ${toSentence(fix)}`;
    notices.raise(noticeOf(channel), "error", message);
  }
}
