// Pure: values in, values out.
import type { Spoken } from "./normalise.ts";

/** What the bot said, as an event that never becomes memory. `messageId` is null where Twitch did not tell it. */
export function ownMessage(said: {
  channel: string;
  userId: string;
  login: string;
  text: string;
  messageId: string | null;
  replyId?: number;
}): Spoken {
  const { channel, userId, login, text, messageId, replyId } = said;
  const roles = { broadcaster: false, moderator: false, vip: false, subscriber: false };
  return {
    kind: "bot",
    channel,
    person: { userId, login, displayName: login, roles },
    messageId,
    parent: null,
    text,
    amount: null,
    sentAtMs: null,
    isBotItself: true,
    isKnownBot: false,
    memorable: false,
    ...(replyId === undefined ? {} : { replyId }),
  };
}
