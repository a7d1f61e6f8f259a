import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import { toSentence } from "../errors.ts";
import type { Helix } from "./helix.ts";
import type { WireMessage } from "./wire.ts";
import { getChannel } from "./wire.ts";

/**
 * Watches whether channels still belong to the user ids known first. If a login belongs to another account now, it
 * calls onLost, raises a notice and refuses the channel's messages until the owner is back: the bot must not use its
 * memory in a stranger's channel.
 */
export function watchOwners(options: {
  /** Null: the bot has no access to Twitch's API. */
  readonly helix: Helix | null;
  /** Returns the user id that the channel had first; null if it is unknown. */
  readonly knownId: (channel: string) => string | null;
  readonly onLost: (channel: string) => void;
  readonly onRegained: (channel: string) => void;
  readonly noticeOf: (channel: string) => NoticeKey;
  readonly notices: NoticeBoard;
}) {
  const { helix, knownId, onLost, onRegained } = options;
  const strange = new Set<string>();
  /** Takes the user id that Twitch gives for a channel. False: it differs from the known one. */
  const accept = (channel: string, userId: string): boolean => {
    const known = knownId(channel);
    const isSame = known === null || known === userId;
    if (isSame && strange.delete(channel)) onRegained(channel);
    if (!isSame && !strange.has(channel)) {
      strange.add(channel);
      onLost(channel);
      void notify(channel, known);
    }
    return isSame;
  };
  const notify = async (channel: string, known: string): Promise<void> => {
    const owner = await helix?.userById(known);
    if (!strange.has(channel)) return;
    const fix =
      owner?.ok === true
        ? `your channel is called #${owner.value.login} now. Set \`channel\` to that name in the configuration`
        : "correct `channel` in the configuration, or use another data folder for this channel";
    options.notices.raise(
      options.noticeOf(channel),
      "error",
      `The name #${channel} belongs to another Twitch account now, so the bot does not join it. ${toSentence(fix)}`,
    );
  };
  return {
    accept,
    /** Takes a message, which may state the room's id. False: its channel belongs to another account now. */
    receive: (message: WireMessage): boolean => {
      const channel = getChannel(message);
      const roomId = message.tags["room-id"] ?? "";
      if (message.command === "ROOMSTATE" && roomId !== "") accept(channel, roomId);
      return !strange.has(channel);
    },
    /** Asks Twitch who owns the channels whose id is known. Never rejects. */
    check: (channels: readonly string[]): Promise<unknown> => {
      const known = channels.filter((channel) => knownId(channel) !== null);
      const ask = async (channel: string): Promise<void> => {
        const owner = await helix?.userByLogin(channel);
        if (owner?.ok === true) accept(channel, owner.value.userId);
      };
      return Promise.all(known.map(ask));
    },
  };
}
