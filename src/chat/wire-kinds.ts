// Pure: values in, values out.

/** What a person's event in chat can be. `bot` is the bot's own message, whatever shape it had on the wire. */
export type SpokenKind =
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
  | "streak"
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
export const WIRE_NOTICE_KINDS: ReadonlyMap<string, NoticeKind> = new Map<string, NoticeKind>([
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
  ["viewermilestone", { kind: "streak", amountTag: "msg-param-value" }],
  ["modiversary", { kind: "milestone", amountTag: "msg-param-months" }],
  ["charitydonation", { kind: "charity", amountTag: "msg-param-donation-amount" }],
  ["rewardgift", { kind: "reward", amountTag: "msg-param-total-reward-count" }],
]);

/** USERNOTICE message ids that are ignored on purpose: Twitch's own promotion, with a text it suggested. */
export const PROMOTIONS: ReadonlySet<string> = new Set([
  "socialsharingbadge",
  "onetapgiftredeemed",
  "onetapstreakstarted",
  "onetapstreakexpired",
  "onetapbreakpointachieved",
]);

/** NOTICE message ids that are kept: what moderation did to the room, or to the bot in it. */
export const ROOM_NOTICES: ReadonlySet<string> = new Set([
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
export const ANONYMOUS_IDS: ReadonlySet<string> = new Set(["274598607", "407665396"]);

export type IgnoredReason =
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
export const IGNORED_COMMANDS: ReadonlyMap<string, IgnoredReason> = new Map<string, IgnoredReason>([
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
