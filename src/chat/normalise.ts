// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import type { WireMessage } from "../twitch/wire.ts";

/** A viewer's event in chat. `bot` is the bot's own message in any shape. */
export type SpokenKind =
  | "message"
  | "action"
  | "cheer"
  | "bot"
  | "sub"
  | "resub"
  | "gift"
  | "mystery_gift"
  | "raid"
  | "announcement"
  | "streak"
  | "notice";

/**
 * Kinds by Twitch's notice id, with the tag of their number: https://dev.twitch.tv/docs/chat/irc. Any other notice is
 * kept as `notice` if the viewer wrote something with it.
 */
const NOTICES: ReadonlyMap<string, readonly [SpokenKind, amountTag: string]> = new Map([
  ["sub", ["sub", "msg-param-cumulative-months"]],
  ["resub", ["resub", "msg-param-cumulative-months"]],
  ["subgift", ["gift", "msg-param-gift-months"]],
  ["anonsubgift", ["gift", "msg-param-gift-months"]],
  ["submysterygift", ["mystery_gift", "msg-param-mass-gift-count"]],
  ["anonsubmysterygift", ["mystery_gift", "msg-param-mass-gift-count"]],
  ["raid", ["raid", "msg-param-viewerCount"]],
  ["announcement", ["announcement", ""]],
  ["viewermilestone", ["streak", "msg-param-value"]],
]);

/** Notices with a text that Twitch suggested: promotion. */
const PROMOTIONS = new Set([
  "socialsharingbadge",
  "onetapgiftredeemed",
  "onetapstreakstarted",
  "onetapstreakexpired",
  "onetapbreakpointachieved",
]);

/** Accounts of everyone who gave or cheered without a name. */
export const ANONYMOUS_IDS: ReadonlySet<string> = new Set(["274598607", "407665396"]);

type IgnoredReason =
  | "shared_chat"
  | "other_channel"
  | "other_command"
  | "no_identity"
  | "no_target"
  | "promotion"
  | "unkept_notice";

/** The channels, the bot's account and the logins of known bots, in lower case. */
export interface ChatContext {
  readonly channels: ReadonlySet<string>;
  readonly botUserId: string | null;
  readonly botLogin: string | null;
  readonly knownBots: ReadonlySet<string>;
}

/** Something a person did in chat, with or without words. */
export interface Spoken {
  readonly kind: SpokenKind;
  readonly channel: string;
  readonly person: Speaker;
  readonly messageId: string | null;
  /** The message this one answers. */
  readonly parent: {
    readonly messageId: string;
    readonly userId: string | null;
    /** As Twitch repeats it: to be compared, never to be shown or kept, since it may have been removed. */
    readonly text?: string | null;
  } | null;
  /** The viewer's own words, cleaned; "" if there are none. */
  readonly text: string;
  /** Bits, months, gifts or raiders, by kind. */
  readonly amount: number | null;
  /** Twitch's timestamp, epoch ms; null if it is missing or no number. */
  readonly sentAtMs: number | null;
  readonly isBotItself: boolean;
  readonly isKnownBot: boolean;
  /** May become memory: a person's own words. */
  readonly memorable: boolean;
  /** Emotes alone, or a command: chat that memory has no use for. */
  readonly fillsNoWindow?: boolean;
  /** One of several subs that a `mystery_gift` announced together. */
  readonly isPartOfGift?: boolean;
  /** For the bot's own messages: the id of the reply. */
  readonly replyId?: number;
}

/** `userId` is null if the line has only a login. `seconds` is null for a ban. */
interface Sanction {
  readonly kind: "timeout" | "ban";
  readonly channel: string;
  readonly userId: string | null;
  readonly login: string;
  readonly seconds: number | null;
  readonly sentAtMs: number | null;
}

/** The removal of one message, or of all messages in a channel. */
type RoomEvent =
  | {
      readonly kind: "deletion";
      readonly channel: string;
      readonly messageId: string;
      readonly sentAtMs: number | null;
    }
  | { readonly kind: "clear"; readonly channel: string; readonly sentAtMs: number | null };

export type ChatEvent = Spoken | Sanction | RoomEvent;
export type NormalisedMessage =
  | ChatEvent
  | { readonly kind: "room"; readonly channel: string; readonly roomId: string }
  | { readonly kind: "ignored"; readonly reason: IgnoredReason };

/** Twitch's limit on a message. Nothing behind it is read, so every text function has a bounded input. */
const BODY_CHARS_MAX = 500;
const NAME_CHARS_MAX = 100;
const DIGITS = /^\d{1,15}$/;
const ACTION_START = "\u0001ACTION";

type Reader = (message: WireMessage, channel: string, context: ChatContext) => NormalisedMessage;

const READERS: Readonly<Record<string, Reader>> = {
  PRIVMSG: (message, channel, context) => {
    const raw = message.params[1] ?? "";
    const amount = parseWholeNumber(message.tags["bits"]);
    const isAction = raw.startsWith(ACTION_START);
    const end = raw.endsWith("\u0001") ? -1 : undefined;
    const body = isAction ? raw.slice(ACTION_START.length, end).trimStart() : raw;
    const kind = isAction ? "action" : "message";
    const isCheer = (amount ?? 0) > 0;
    const said = { channel, kind: isCheer ? "cheer" : kind, amount, body } as const;
    return readSpoken(message, context, said);
  },
  USERNOTICE: (message, channel, context) => {
    const { tags, params } = message;
    const onWire = tags["msg-id"] ?? "";
    const id = onWire === "sharedchatnotice" ? (tags["source-msg-id"] ?? "") : onWire;
    const known = NOTICES.get(id);
    const body = params[1] ?? "";
    if (PROMOTIONS.has(id)) return ignore("promotion");
    if (known === undefined && body === "") return ignore("unkept_notice");
    const [kind, amountTag] = known ?? ["notice", ""];
    const amount = parseWholeNumber(tags[amountTag]);
    return readSpoken(message, context, { channel, kind, amount, body });
  },
  CLEARCHAT: ({ tags, params }, channel) => {
    const sentAtMs = parseWholeNumber(tags["tmi-sent-ts"]);
    const login = (params[1] ?? "").trim().toLowerCase();
    const userId = tags["target-user-id"] || null;
    if (login === "" && userId === null) return { kind: "clear", channel, sentAtMs };
    const seconds = parseWholeNumber(tags["ban-duration"]);
    const kind = seconds === null ? "ban" : "timeout";
    return { kind, channel, userId, login, seconds, sentAtMs };
  },
  CLEARMSG: ({ tags }, channel) => {
    const messageId = tags["target-msg-id"] ?? "";
    if (messageId === "") return ignore("no_target");
    const sentAtMs = parseWholeNumber(tags["tmi-sent-ts"]);
    return { kind: "deletion", channel, messageId, sentAtMs };
  },
  ROOMSTATE: ({ tags }, channel) => {
    const roomId = tags["room-id"];
    return roomId ? { kind: "room", channel, roomId } : ignore("no_identity");
  },
};

/** Reads one line of Twitch's wire; a line of no use is `ignored`, with the reason. No line makes it throw. */
export function normalise(message: WireMessage, context: ChatContext): NormalisedMessage {
  const { command, params } = message;
  const channel = (params[0] ?? "").replace(/^#/, "").toLowerCase();
  const read = Object.hasOwn(READERS, command) ? READERS[command] : undefined;
  if (read === undefined) return ignore("other_command");
  if (!context.channels.has(channel)) return ignore("other_channel");
  return read(message, channel, context);
}

function readSpoken(
  message: WireMessage,
  context: ChatContext,
  said: { channel: string; kind: SpokenKind; amount: number | null; body: string },
): NormalisedMessage {
  const { tags } = message;
  const source = tags["source-room-id"];
  // A shared chat shows messages of the other channels in it: not this channel's events.
  if (source && source !== tags["room-id"]) return ignore("shared_chat");
  const person = readPerson(message);
  if (person === null) return ignore("no_identity");
  const isBotItself = person.userId === context.botUserId || person.login === context.botLogin;
  const isKnownBot = context.knownBots.has(person.login) || hasBadge(tags, "bot-badge");
  const parentId = tags["reply-parent-msg-id"];
  const body = said.body.slice(0, BODY_CHARS_MAX);
  const text = cleanLine(body);
  // https://dev.twitch.tv/docs/chat/irc: only a gift to several viewers names its community gift.
  const isPartOfGift = tags["msg-param-community-gift-id"] && tags["msg-id"] === "subgift";
  return {
    kind: isBotItself ? "bot" : said.kind,
    channel: said.channel,
    person,
    messageId: tags["id"] || null,
    parent: parentId
      ? {
          messageId: parentId,
          userId: tags["reply-parent-user-id"] || null,
          text: tags["reply-parent-msg-body"]?.slice(-BODY_CHARS_MAX) || null,
        }
      : null,
    text,
    amount: said.amount,
    sentAtMs: parseWholeNumber(tags["tmi-sent-ts"]),
    isBotItself,
    isKnownBot,
    ...(isPartOfGift ? { isPartOfGift: true } : {}),
    ...(isWindowFiller(body, tags["emotes"]) ? { fillsNoWindow: true } : {}),
    memorable: text !== "" && !isBotItself && !isKnownBot && !ANONYMOUS_IDS.has(person.userId),
  };
}

function hasBadge(tags: WireMessage["tags"], badge: string): boolean {
  return `,${tags["badges"] ?? ""}`.includes(`,${badge}/`);
}

function parseWholeNumber(tag: string | undefined): number | null {
  return tag !== undefined && DIGITS.test(tag) ? Number(tag) : null;
}

function ignore(reason: IgnoredReason): NormalisedMessage {
  return { kind: "ignored", reason };
}

/**
 * Reads the writer and the cleaned text of a chat message. A missing message id is null, any other missing value "".
 * Returns null if the line is no PRIVMSG.
 */
export function readChatMessage({ command, prefix, params, tags }: WireMessage) {
  if (command !== "PRIVMSG") return null;
  return {
    messageId: tags["id"] || null,
    userId: tags["user-id"] ?? "",
    login: prefix.split("!", 1)[0] ?? "",
    text: cleanLine((params[1] ?? "").slice(0, BODY_CHARS_MAX)),
  };
}

/** Reads the writer's login and the cleaned text of the deleted message from a CLEARMSG; "" if missing. */
export function readDeletedMessage({ params, tags }: WireMessage) {
  const text = cleanLine((params[1] ?? "").slice(0, BODY_CHARS_MAX));
  return { login: (tags["login"] ?? "").toLowerCase(), text };
}

/** Roles that may protect a viewer from actions. */
export interface ProtectingRoles {
  readonly broadcaster: boolean;
  readonly moderator: boolean;
  readonly vip: boolean;
}

export interface Roles extends ProtectingRoles {
  readonly subscriber: boolean;
}

export interface Speaker {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly roles: Roles;
  readonly isFounder?: boolean;
}

const USER_ID = /^[\w-]{1,40}$/;
const LOGIN = /^\w{1,40}$/;

/** Returns the writer of a message; null if it has no valid user id or login. */
function readPerson({ tags, prefix }: WireMessage): Speaker | null {
  const userId = tags["user-id"] ?? "";
  const bang = prefix.indexOf("!");
  const login = (tags["login"] || (bang > 0 ? prefix.slice(0, bang) : "")).toLowerCase();
  if (!USER_ID.test(userId) || !LOGIN.test(login)) return null;
  const shown = tags["display-name"] ?? "";
  const cleaned = LOGIN.test(shown) ? shown : cleanLine(shown.slice(0, NAME_CHARS_MAX));
  const isFounder = hasBadge(tags, "founder");
  const roles = {
    broadcaster: hasBadge(tags, "broadcaster"),
    // A moderator may wear another badge instead.
    moderator:
      tags["mod"] === "1" || hasBadge(tags, "moderator") || hasBadge(tags, "lead_moderator"),
    vip: hasBadge(tags, "vip"),
    subscriber: hasBadge(tags, "subscriber") || isFounder,
  };
  const person = { userId, login, displayName: cleaned || login, roles };
  return isFounder ? { ...person, isFounder } : person;
}

/** Returns a message of the bot as an event that never becomes memory. `messageId` is null if Twitch gave none. */
export function makeOwnMessage(said: {
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

/** A command, of this bot or another: `!uptime`, `!so @ben`. */
const COMMAND = /^![\p{L}\p{N}]/u;
const MENTION = /^[@＠]/u;
const SAID = /[\p{L}\p{N}]/u;
/** `12-16` of `25:0-4,12-16/1902:6-10`: first and last character of an emote. */
const SPAN = /(\d{1,4})-(\d{1,4})/g;
/** Made of letters and digits, with a capital letter behind the first: `KEKW`, `monkaS`. */
const EMOTE_WORD = /^[\p{L}\p{N}]+\p{Lu}[\p{L}\p{N}]*$/u;
/**
 * Small letters, then a capital: `monkaS`, `peepoHappy`. The usual form of a channel's emotes, and hardly ever of
 * words.
 */
const CHANNEL_EMOTE = /^\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u;

/**
 * Returns true if a message has nothing to remember: a command, or only emotes and emoji, with or without mentions. The
 * `emotes` tag gives the places of Twitch's emotes. Other emotes are known by their form: small letters, then a capital
 * (`monkaS`); or one name with a capital after its first letter, repeated (`KEKW KEKW`). Anything else may be a word.
 * Returns false for an empty message and for mentions alone.
 */
export function isWindowFiller(line: string, emotes: string | undefined): boolean {
  if (line.trim() === "") return false;
  if (COMMAND.test(line)) return true;
  const letters = [...line];
  for (const [, first, last] of (emotes ?? "").matchAll(SPAN))
    letters.fill(" ", Number(first), Number(last) + 1);
  const words = letters
    .join("")
    .split(/\s+/u)
    .filter((word) => SAID.test(word) && !MENTION.test(word));
  // A message of mentions alone calls a viewer, so memory reads it.
  if (words.length === 0) return /(?:^|\s)[^@＠\s]/u.test(line);
  const isRepeated = words.length > 1 && words.every((word) => word === words[0]);
  return words.every((word) => CHANNEL_EMOTE.test(word) || (isRepeated && EMOTE_WORD.test(word)));
}

/** Texts to remove: one message's, one viewer's in a channel, or all in a channel. */
export type Removal =
  | { readonly by: "message"; readonly messageId: string }
  | {
      readonly by: "person";
      readonly channel: string;
      /** The viewer's id. Null means every viewer with the login. */
      readonly userId: string | null;
      readonly login: string;
    }
  | { readonly by: "channel"; readonly channel: string };

/** A removal with the removed messages, so that answers and windows in progress can be dropped. */
export interface RemovedText {
  readonly removal: Removal;
  /** The writer, if it was one viewer and is known. */
  readonly userId: string | null;
  /** The ids of the removed messages, and the id of a deletion, stored or not. */
  readonly messageIds: readonly string[];
  readonly eventIds: readonly number[];
}

/** Returns true if a removal concerns this event. */
export function concernsEvent(
  removal: Removal,
  event: { channel: string } & Record<"userId" | "login" | "messageId", string | null>,
): boolean {
  switch (removal.by) {
    case "message":
      return event.messageId === removal.messageId;
    case "channel":
      return event.channel === removal.channel;
    case "person": {
      const { channel, userId, login } = removal;
      const isTheirs = userId === null ? event.login === login : event.userId === userId;
      return event.channel === channel && isTheirs;
    }
  }
}
