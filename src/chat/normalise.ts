// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import type { WireMessage } from "../twitch/chat.ts";
import { fillsNoWindow } from "./no-window.ts";
import { type Person, readPerson } from "./person.ts";

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
  readonly person: Person;
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
export type Normalised = ChatEvent | { readonly kind: "ignored"; readonly reason: IgnoredReason };

const DIGITS = /^\d{1,15}$/;
const NUMERIC_COMMAND = /^\d{3}$/;
const ACTION_START = "\u0001ACTION";
const ROOM_MODES = ["emote-only", "followers-only", "r9k", "slow", "subs-only"];

/** Reads one line of Twitch's wire as what it means for this bot. Total: no line makes it throw. */
export function normalise(message: WireMessage, context: ChatContext): Normalised {
  const ignoredAs = IGNORED_COMMANDS.get(message.command);
  if (ignoredAs !== undefined) return ignored(ignoredAs);
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

function outside(command: string): Normalised {
  if (CHANNEL_COMMANDS.has(command)) return ignored("other_channel");
  return ignored(NUMERIC_COMMAND.test(command) ? "numeric" : "unknown");
}

function readMessage(message: WireMessage, channel: string, context: ChatContext): Normalised {
  const body = message.params[1] ?? "";
  const bits = wholeNumber(message.tags["bits"]);
  const isAction = body.startsWith(ACTION_START);
  const shape = { kind: messageKind(isAction, bits), amount: bits };
  return spoken(message, { channel, shape, body: isAction ? withoutAction(body) : body }, context);
}

function messageKind(isAction: boolean, bits: number | null): SpokenKind {
  if (bits !== null && bits > 0) return "cheer";
  return isAction ? "action" : "message";
}

function withoutAction(body: string): string {
  return body.slice(ACTION_START.length, body.endsWith("\u0001") ? -1 : undefined).trimStart();
}

function readUserNotice(message: WireMessage, channel: string, context: ChatContext): Normalised {
  const { tags } = message;
  const onWire = tags["msg-id"] ?? "";
  const messageId = onWire === "sharedchatnotice" ? (tags["source-msg-id"] ?? "") : onWire;
  const known = NOTICE_KINDS.get(messageId);
  const body = message.params[1] ?? "";
  if (PROMOTIONS.has(messageId)) return ignored("promotion");
  if (known === undefined && body === "") return ignored("unkept_notice");
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

function spoken(message: WireMessage, utterance: Utterance, context: ChatContext): Normalised {
  const { tags } = message;
  if (isFromElsewhere(tags)) return ignored("shared_chat");
  const person = readPerson(message);
  if (person === null) return ignored("no_identity");
  const isBotItself = person.userId === context.botUserId || person.login === context.botLogin;
  const isKnownBot = context.knownBots.has(person.login);
  const parentId = tags["reply-parent-msg-id"] ?? "";
  const text = cleanLine(utterance.body);
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
            text: tags["reply-parent-msg-body"] || null,
          },
    text,
    amount: utterance.shape.amount,
    sentAtMs: wholeNumber(tags["tmi-sent-ts"]),
    isBotItself,
    isKnownBot,
    ...(tags["first-msg"] === "1" ? { isFirstHere: true } : {}),
    ...(fillsNoWindow(utterance.body, tags["emotes"]) ? { fillsNoWindow: true } : {}),
    memorable: text !== "" && !isBotItself && !isKnownBot && !ANONYMOUS_IDS.has(person.userId),
  };
}

/** A shared chat shows messages of the other channels in it: not this channel's events. */
function isFromElsewhere(tags: WireMessage["tags"]): boolean {
  const source = tags["source-room-id"];
  return source !== undefined && source !== "" && source !== tags["room-id"];
}

function readClear(message: WireMessage, channel: string): Normalised {
  const { tags } = message;
  const sentAtMs = wholeNumber(tags["tmi-sent-ts"]);
  const login = (message.params[1] ?? "").trim().toLowerCase();
  const userId = tags["target-user-id"] || null;
  if (login === "" && userId === null) return { kind: "clear", channel, sentAtMs };
  const seconds = wholeNumber(tags["ban-duration"]);
  return { kind: seconds === null ? "ban" : "timeout", channel, userId, login, seconds, sentAtMs };
}

function readDeletion(message: WireMessage, channel: string): Normalised {
  const messageId = message.tags["target-msg-id"] ?? "";
  if (messageId === "") return ignored("no_target");
  return {
    kind: "deletion",
    channel,
    messageId,
    sentAtMs: wholeNumber(message.tags["tmi-sent-ts"]),
  };
}

function readRoomState(message: WireMessage, channel: string): Normalised {
  const { tags } = message;
  const settings = ROOM_MODES.filter((mode) => /^-?\d{1,9}$/.test(tags[mode] ?? ""))
    .map((mode) => `${mode}=${tags[mode]}`)
    .join(" ");
  return { kind: "room_state", channel, roomId: tags["room-id"] || null, settings };
}

function readRoomNotice(message: WireMessage, channel: string): Normalised {
  const code = message.tags["msg-id"] ?? "";
  return ROOM_NOTICES.has(code) ? { kind: "room_notice", channel, code } : ignored("unkept_notice");
}

function wholeNumber(tag: string | undefined): number | null {
  return tag !== undefined && DIGITS.test(tag) ? Number(tag) : null;
}

function ignored(reason: IgnoredReason): Normalised {
  return { kind: "ignored", reason };
}

/** What a person's event in chat can be. `bot` is the bot's own message, whatever shape it had on the wire. */
type SpokenKind =
  | "message"
  | "action"
  | "cheer"
  | "bot"
  | "sub"
  | "resub"
  | "gift"
  | "mystery_gift"
  | "upgrade"
  | "pay_forward"
  | "raid"
  | "unraid"
  | "announcement"
  | "bits_badge"
  | "newcomer"
  | "milestone"
  | "charity"
  | "reward"
  | "notice";

interface NoticeKind {
  readonly kind: SpokenKind;
  /** The tag that holds the number worth keeping, where there is one. */
  readonly amountTag?: string;
}

/**
 * USERNOTICE message ids that are kept, and as what. Source: dev.twitch.tv/docs/chat/irc and lines seen on the wire.
 * One that stands in neither table is a `notice` where the person wrote something, and ignored otherwise.
 */
const NOTICE_KINDS: ReadonlyMap<string, NoticeKind> = new Map<string, NoticeKind>([
  ["sub", { kind: "sub", amountTag: "msg-param-cumulative-months" }],
  ["resub", { kind: "resub", amountTag: "msg-param-cumulative-months" }],
  ["subgift", { kind: "gift", amountTag: "msg-param-gift-months" }],
  ["anonsubgift", { kind: "gift", amountTag: "msg-param-gift-months" }],
  ["submysterygift", { kind: "mystery_gift", amountTag: "msg-param-mass-gift-count" }],
  ["anonsubmysterygift", { kind: "mystery_gift", amountTag: "msg-param-mass-gift-count" }],
  ["giftpaidupgrade", { kind: "upgrade" }],
  ["anongiftpaidupgrade", { kind: "upgrade" }],
  ["primepaidupgrade", { kind: "upgrade" }],
  ["standardpayforward", { kind: "pay_forward" }],
  ["communitypayforward", { kind: "pay_forward" }],
  ["raid", { kind: "raid", amountTag: "msg-param-viewerCount" }],
  ["unraid", { kind: "unraid" }],
  ["announcement", { kind: "announcement" }],
  ["bitsbadgetier", { kind: "bits_badge", amountTag: "msg-param-threshold" }],
  ["ritual", { kind: "newcomer" }],
  ["viewermilestone", { kind: "milestone", amountTag: "msg-param-value" }],
  ["modiversary", { kind: "milestone", amountTag: "msg-param-months" }],
  ["charitydonation", { kind: "charity", amountTag: "msg-param-donation-amount" }],
  ["rewardgift", { kind: "reward", amountTag: "msg-param-total-reward-count" }],
]);

/** USERNOTICE message ids that are ignored on purpose: Twitch's own promotion, with a text it suggested. */
const PROMOTIONS: ReadonlySet<string> = new Set([
  "socialsharingbadge",
  "onetapgiftredeemed",
  "onetapstreakstarted",
  "onetapstreakexpired",
  "onetapbreakpointachieved",
]);

/** NOTICE message ids that are kept: what moderation did to the room, or to the bot in it. */
const ROOM_NOTICES: ReadonlySet<string> = new Set([
  "emote_only_on",
  "emote_only_off",
  "followers_on",
  "followers_on_zero",
  "followers_off",
  "r9k_on",
  "r9k_off",
  "slow_on",
  "slow_off",
  "subs_on",
  "subs_off",
  "msg_banned",
  "msg_timedout",
  "msg_channel_suspended",
  "msg_rejected",
  "msg_rejected_mandatory",
  "tos_ban",
]);

/** One account that stands for everybody who gave or cheered without a name: no person. */
const ANONYMOUS_IDS: ReadonlySet<string> = new Set(["274598607", "407665396"]);

type IgnoredReason =
  | "whisper"
  | "shared_chat"
  | "other_channel"
  | "no_identity"
  | "no_target"
  | "own_state"
  | "membership"
  | "connection"
  | "hosting"
  | "numeric"
  | "promotion"
  | "unkept_notice"
  | "unknown";

/** Commands that are ignored on purpose. Numeric replies are ignored besides; any other is `unknown`. */
const IGNORED_COMMANDS: ReadonlyMap<string, IgnoredReason> = new Map<string, IgnoredReason>([
  ["WHISPER", "whisper"],
  ["GLOBALUSERSTATE", "own_state"],
  ["USERSTATE", "own_state"],
  ["JOIN", "membership"],
  ["PART", "membership"],
  ["MODE", "membership"],
  ["CAP", "connection"],
  ["PING", "connection"],
  ["PONG", "connection"],
  ["RECONNECT", "connection"],
  ["HOSTTARGET", "hosting"],
]);
