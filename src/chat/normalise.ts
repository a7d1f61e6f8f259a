// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import type { WireMessage } from "../twitch/wire.ts";
import {
  ANONYMOUS_IDS,
  IGNORED_COMMANDS,
  type IgnoredReason,
  PROMOTIONS,
  ROOM_NOTICES,
  type SpokenKind,
  WIRE_NOTICE_KINDS,
} from "./wire-kinds.ts";

/** What a line is read against: whose chat it is, who the bot is, which accounts are bots. Logins in lower case. */
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
  /** The person's own words, cleaned; "" where there are none. */
  readonly text: string;
  /** Bits, months, gifts or raiders, by kind. */
  readonly amount: number | null;
  /** Twitch's timestamp, epoch ms; null where it is missing or no number. */
  readonly sentAtMs: number | null;
  readonly isBotItself: boolean;
  readonly isKnownBot: boolean;
  /** May become memory: a person's own words. */
  readonly memorable: boolean;
  /** Emotes alone, or a command: chat that memory has no use for. */
  readonly fillsNoWindow?: boolean;
  /** One of several subs that a `mystery_gift` announced together. */
  readonly isPartOfGift?: boolean;
  /** Twitch says that it is this person's first line in the channel ever. */
  readonly isFirstHere?: boolean;
  /** Of the bot's own: which of its replies it is. */
  readonly replyId?: number;
}

/** `userId` is null where the line names only a login. `seconds` is null for a ban. */
interface Sanction {
  readonly kind: "timeout" | "ban";
  readonly channel: string;
  readonly userId: string | null;
  readonly login: string;
  readonly seconds: number | null;
  readonly sentAtMs: number | null;
}

/** Something that happened to the room or to what was said in it. */
type RoomEvent =
  | {
      readonly kind: "deletion";
      readonly channel: string;
      readonly messageId: string;
      readonly sentAtMs: number | null;
    }
  | { readonly kind: "clear"; readonly channel: string; readonly sentAtMs: number | null }
  | {
      readonly kind: "room_state";
      readonly channel: string;
      readonly roomId: string | null;
      /** What the line says of the room's modes: `slow=30 subs-only=0`. */
      readonly settings: string;
    }
  | { readonly kind: "room_notice"; readonly channel: string; readonly code: string };

export type ChatEvent = Spoken | Sanction | RoomEvent;
export type NormalisedMessage =
  | ChatEvent
  | { readonly kind: "ignored"; readonly reason: IgnoredReason };

/** Twitch's limit on a message. Nothing behind it is read, so every text function has a bounded input. */
const BODY_CHARS_MAX = 500;
const NAME_CHARS_MAX = 100;
const DIGITS = /^\d{1,15}$/;
const NUMERIC_COMMAND = /^\d{3}$/;
const ACTION_START = "\u0001ACTION";
const ROOM_MODES = ["emote-only", "followers-only", "r9k", "slow", "subs-only"];

/** Reads one line of Twitch's wire as what it means for this bot. Total: no line makes it throw. */
export function normalise(message: WireMessage, context: ChatContext): NormalisedMessage {
  const ignoredAs = IGNORED_COMMANDS.get(message.command);
  if (ignoredAs !== undefined) return ignore(ignoredAs);
  const target = message.params[0] ?? "";
  const channel = (target.startsWith("#") ? target.slice(1) : target).toLowerCase();
  if (!context.channels.has(channel)) return outside(message.command);
  switch (message.command) {
    case "PRIVMSG":
      return readMessage(message, channel, context);
    case "USERNOTICE":
      return readUserNotice(message, channel, context);
    case "CLEARCHAT":
      return readClear(message, channel);
    case "CLEARMSG":
      return readDeletion(message, channel);
    case "ROOMSTATE":
      return readRoomState(message, channel);
    case "NOTICE":
      return readRoomNotice(message, channel);
    default:
      return outside(message.command);
  }
}

const CHANNEL_COMMANDS: ReadonlySet<string> = new Set([
  "PRIVMSG",
  "USERNOTICE",
  "CLEARCHAT",
  "CLEARMSG",
  "ROOMSTATE",
  "NOTICE",
]);

function outside(command: string): NormalisedMessage {
  if (CHANNEL_COMMANDS.has(command)) return ignore("other_channel");
  return ignore(NUMERIC_COMMAND.test(command) ? "numeric" : "unknown");
}

function readMessage(
  message: WireMessage,
  channel: string,
  context: ChatContext,
): NormalisedMessage {
  const body = message.params[1] ?? "";
  const bits = wholeNumber(message.tags["bits"]);
  const isAction = body.startsWith(ACTION_START);
  const shape = { kind: messageKind(isAction, bits), amount: bits };
  return spoken(message, { channel, shape, body: isAction ? stripAction(body) : body }, context);
}

function messageKind(isAction: boolean, bits: number | null): SpokenKind {
  if (bits !== null && bits > 0) return "cheer";
  return isAction ? "action" : "message";
}

function stripAction(body: string): string {
  return body.slice(ACTION_START.length, body.endsWith("\u0001") ? -1 : undefined).trimStart();
}

function readUserNotice(
  message: WireMessage,
  channel: string,
  context: ChatContext,
): NormalisedMessage {
  const { tags } = message;
  const onWire = tags["msg-id"] ?? "";
  const messageId = onWire === "sharedchatnotice" ? (tags["source-msg-id"] ?? "") : onWire;
  const known = WIRE_NOTICE_KINDS.get(messageId);
  const body = message.params[1] ?? "";
  if (PROMOTIONS.has(messageId)) return ignore("promotion");
  if (known === undefined && body === "") return ignore("unkept_notice");
  const amount = known?.amountTag === undefined ? null : wholeNumber(tags[known.amountTag]);
  return spoken(
    message,
    { channel, shape: { kind: known?.kind ?? "notice", amount }, body },
    context,
  );
}

interface Utterance {
  readonly channel: string;
  readonly shape: { readonly kind: SpokenKind; readonly amount: number | null };
  readonly body: string;
}

function spoken(
  message: WireMessage,
  utterance: Utterance,
  context: ChatContext,
): NormalisedMessage {
  const { tags } = message;
  if (isFromElsewhere(tags)) return ignore("shared_chat");
  const person = readPerson(message);
  if (person === null) return ignore("no_identity");
  const isBotItself = person.userId === context.botUserId || person.login === context.botLogin;
  const isKnownBot = context.knownBots.has(person.login) || hasBotBadge(tags);
  const parentId = tags["reply-parent-msg-id"] ?? "";
  const body = utterance.body.slice(0, BODY_CHARS_MAX);
  const text = cleanLine(body);
  const parentText = tags["reply-parent-msg-body"]?.slice(-BODY_CHARS_MAX);
  return {
    kind: isBotItself ? "bot" : utterance.shape.kind,
    channel: utterance.channel,
    person,
    messageId: tags["id"] || null,
    parent:
      parentId === ""
        ? null
        : {
            messageId: parentId,
            userId: tags["reply-parent-user-id"] || null,
            text: parentText || null,
          },
    text,
    amount: utterance.shape.amount,
    sentAtMs: wholeNumber(tags["tmi-sent-ts"]),
    isBotItself,
    isKnownBot,
    ...(isPartOfGift(tags) ? { isPartOfGift: true } : {}),
    ...(tags["first-msg"] === "1" ? { isFirstHere: true } : {}),
    ...(fillsNoWindow(body, tags["emotes"]) ? { fillsNoWindow: true } : {}),
    memorable: text !== "" && !isBotItself && !isKnownBot && !ANONYMOUS_IDS.has(person.userId),
  };
}

/** Twitch's badge for accounts that a program runs. */
function hasBotBadge(tags: WireMessage["tags"]): boolean {
  return `,${tags["badges"] ?? ""}`.includes(",bot-badge/");
}

/** https://dev.twitch.tv/docs/chat/irc: only a gift to several viewers names the community gift that it belongs to. */
function isPartOfGift(tags: WireMessage["tags"]): boolean {
  return (tags["msg-param-community-gift-id"] ?? "") !== "" && tags["msg-id"] === "subgift";
}

/** A shared chat shows messages of the other channels in it: not this channel's events. */
function isFromElsewhere(tags: WireMessage["tags"]): boolean {
  const source = tags["source-room-id"];
  return source !== undefined && source !== "" && source !== tags["room-id"];
}

function readClear(message: WireMessage, channel: string): NormalisedMessage {
  const { tags } = message;
  const sentAtMs = wholeNumber(tags["tmi-sent-ts"]);
  const login = (message.params[1] ?? "").trim().toLowerCase();
  const userId = tags["target-user-id"] || null;
  if (login === "" && userId === null) return { kind: "clear", channel, sentAtMs };
  const seconds = wholeNumber(tags["ban-duration"]);
  return { kind: seconds === null ? "ban" : "timeout", channel, userId, login, seconds, sentAtMs };
}

function readDeletion(message: WireMessage, channel: string): NormalisedMessage {
  const messageId = message.tags["target-msg-id"] ?? "";
  if (messageId === "") return ignore("no_target");
  return {
    kind: "deletion",
    channel,
    messageId,
    sentAtMs: wholeNumber(message.tags["tmi-sent-ts"]),
  };
}

function readRoomState(message: WireMessage, channel: string): NormalisedMessage {
  const { tags } = message;
  const settings = ROOM_MODES.filter((mode) => /^-?\d{1,9}$/.test(tags[mode] ?? ""))
    .map((mode) => `${mode}=${tags[mode]}`)
    .join(" ");
  return { kind: "room_state", channel, roomId: tags["room-id"] || null, settings };
}

function readRoomNotice(message: WireMessage, channel: string): NormalisedMessage {
  const code = message.tags["msg-id"] ?? "";
  return ROOM_NOTICES.has(code) ? { kind: "room_notice", channel, code } : ignore("unkept_notice");
}

function wholeNumber(tag: string | undefined): number | null {
  return tag !== undefined && DIGITS.test(tag) ? Number(tag) : null;
}

function ignore(reason: IgnoredReason): NormalisedMessage {
  return { kind: "ignored", reason };
}

/** A chat message before it is known whose it is; null for a line that is none. */
export function chatMessageOf({ command, prefix, params, tags }: WireMessage) {
  if (command !== "PRIVMSG") return null;
  return {
    messageId: tags["id"] || null,
    userId: tags["user-id"] ?? "",
    login: prefix.split("!", 1)[0] ?? "",
    text: cleanLine((params[1] ?? "").slice(0, BODY_CHARS_MAX)),
  };
}

/** The message that a moderator deleted, as Twitch repeats it with the deletion. */
export function deletedMessageOf({ params, tags }: WireMessage) {
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

/** Who a line is from, or null where it does not say by user id and login. */
function readPerson(message: WireMessage): Speaker | null {
  const { tags, prefix } = message;
  const userId = tags["user-id"] ?? "";
  const bang = prefix.indexOf("!");
  const login = (tags["login"] || (bang > 0 ? prefix.slice(0, bang) : "")).toLowerCase();
  if (!USER_ID.test(userId) || !LOGIN.test(login)) return null;
  const isFounder = `,${tags["badges"] ?? ""}`.includes(",founder/");
  const person = { userId, login, displayName: displayName(tags, login), roles: readRoles(tags) };
  return isFounder ? { ...person, isFounder } : person;
}

function displayName(tags: WireMessage["tags"], login: string): string {
  const shown = tags["display-name"] ?? "";
  if (LOGIN.test(shown)) return shown;
  return cleanLine(shown.slice(0, NAME_CHARS_MAX)) || login;
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

/** A command, of this bot or another: `!uptime`, `!so @ben`. */
const COMMAND = /^![\p{L}\p{N}]/u;
const MENTION = /^[@＠]/u;
const SAID = /[\p{L}\p{N}]/u;
/** `12-16` of `25:0-4,12-16/1902:6-10`: where an emote stands, first and last character. */
const SPAN = /(\d{1,4})-(\d{1,4})/g;
/** Made of letters and digits, with a capital letter behind the first: `KEKW`, `monkaS`. */
const EMOTE_WORD = /^[\p{L}\p{N}]+\p{Lu}[\p{L}\p{N}]*$/u;
/** As channels name most of theirs, and words are hardly ever written: `monkaS`, `peepoHappy`. */
const CHANNEL_EMOTE = /^\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u;

/**
 * Whether a line holds nothing to remember: a command, or emotes alone, emoji among them. Twitch's own emotes are known
 * by the places that its `emotes` tag names, in characters of the line; those of others by their form alone: names in
 * the middle of which a capital letter stands, or one and the same again and again. What may be a word counts as one.
 */
export function fillsNoWindow(line: string, emotes: string | undefined): boolean {
  if (line.trim() === "") return false;
  if (COMMAND.test(line)) return true;
  const words = (emotes === undefined || emotes === "" ? line : blankEmotes(line, emotes))
    .split(/\s+/u)
    .filter((word) => SAID.test(word) && !MENTION.test(word));
  if (words.length === 0) return !isBareMention(line);
  const isRepeated = words.length > 1 && words.every((word) => word === words[0]);
  return words.every((word) => CHANNEL_EMOTE.test(word) || (isRepeated && EMOTE_WORD.test(word)));
}

/** Whom somebody calls is worth reading. */
function isBareMention(line: string): boolean {
  return line
    .trim()
    .split(/\s+/u)
    .every((word) => MENTION.test(word));
}

function blankEmotes(line: string, emotes: string): string {
  const letters = [...line];
  for (const [, first, last] of emotes.matchAll(SPAN)) {
    letters.fill(" ", Number(first), Number(last) + 1);
  }
  return letters.join("");
}
