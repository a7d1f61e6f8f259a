import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import { asSentence } from "../errors.ts";
import type { Helix } from "./helix.ts";
import type { WireMessage } from "./wire.ts";
import { channelOf } from "./wire.ts";

interface ChannelOwnersOptions {
  /** null: Twitch's API cannot be asked. */
  readonly helix: Pick<Helix, "userByLogin" | "userById"> | null;
  /** The channel's user id, as it was learned first; null where it is not known. */
  readonly knownId: (channel: string) => string | null;
  readonly onLost: (channel: string) => void;
  readonly onRegained: (channel: string) => void;
  readonly noticeOf: (channel: string) => NoticeKey;
  readonly notices: Pick<NoticeBoard, "raise">;
}

/**
 * Whose channel a login is. Identity is the user id: a login that belongs to another account today is another channel,
 * and the bot must not bring the memory of the first one there.
 */
export function channelOwners(options: ChannelOwnersOptions) {
  const { helix, knownId, onLost, onRegained } = options;
  const strange = new Set<string>();
  /** Takes what Twitch says of a channel's login. False: it belongs to another account than before. */
  const accept = (channel: string, userId: string): boolean => {
    const known = knownId(channel);
    const isSame = known === null || known === userId;
    if (isSame && strange.delete(channel)) onRegained(channel);
    if (!isSame && !strange.has(channel)) {
      strange.add(channel);
      onLost(channel);
      void tell(channel, known);
    }
    return isSame;
  };
  const tell = async (channel: string, known: string): Promise<void> => {
    const owner = await helix?.userById(known);
    if (!strange.has(channel)) return;
    const mend =
      owner?.ok === true
        ? `your channel is called #${owner.value.login} now. Set \`channel\` to that name in the configuration`
        : "correct `channel` in the configuration, or use another data folder for this channel";
    options.notices.raise(
      options.noticeOf(channel),
      "error",
      `The name #${channel} belongs to another Twitch account now, so the bot does not join it. ${asSentence(mend)}`,
    );
  };
  return {
    accept,
    /** Takes the state of a room. False: a message is of a channel that is another one today. */
    receive: (message: WireMessage): boolean => {
      const channel = channelOf(message);
      const roomId = message.tags["room-id"] ?? "";
      if (message.command === "ROOMSTATE" && roomId !== "") accept(channel, roomId);
      return !strange.has(channel);
    },
    /** Asks Twitch for the owners of channels whose id is known. Never rejects. */
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
