// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import type { WireMessage } from "../twitch/chat.ts";
import type { Spoken } from "./normalise.ts";

export interface Roles {
  readonly broadcaster: boolean;
  readonly moderator: boolean;
  readonly vip: boolean;
  readonly subscriber: boolean;
}

export interface Person {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly roles: Roles;
}

const USER_ID = /^[\w-]{1,40}$/;
const LOGIN = /^\w{1,40}$/;

/** Who a line is from, or null where it does not say by user id and login. */
export function readPerson(message: WireMessage): Person | null {
  const { tags, prefix } = message;
  const userId = tags["user-id"] ?? "";
  const bang = prefix.indexOf("!");
  const login = (tags["login"] || (bang > 0 ? prefix.slice(0, bang) : "")).toLowerCase();
  if (!USER_ID.test(userId) || !LOGIN.test(login)) return null;
  return { userId, login, displayName: displayName(tags, login), roles: readRoles(tags) };
}

function displayName(tags: WireMessage["tags"], login: string): string {
  const shown = tags["display-name"] ?? "";
  if (LOGIN.test(shown)) return shown;
  return cleanLine(shown) || login;
}

/** From the badges. `mod` counts too: it holds for moderators who wear another badge in its place. */
function readRoles(tags: WireMessage["tags"]): Roles {
  const badges = `,${tags["badges"] ?? ""}`;
  return {
    broadcaster: badges.includes(",broadcaster/"),
    moderator:
      tags["mod"] === "1" || badges.includes(",moderator/") || badges.includes(",lead_moderator/"),
    vip: badges.includes(",vip/"),
    subscriber: badges.includes(",subscriber/") || badges.includes(",founder/"),
  };
}

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
