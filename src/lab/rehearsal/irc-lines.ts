/** A person in the simulated chat, as Twitch describes one on every line. */
export interface TwitchUser {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  /** As on the wire: `moderator/1,subscriber/12`. */
  readonly badges?: string;
  readonly badgeInfo?: string;
  readonly color?: string;
}

/** One chat message. A reply names the message it answers; Twitch puts `@name` before its text. */
export interface PlayedLine extends TwitchUser {
  readonly text: string;
  readonly id?: string;
  readonly action?: boolean;
  readonly replyTo?: string;
  readonly bits?: number;
  readonly emotes?: string;
  readonly firstMessage?: boolean;
  readonly returningChatter?: boolean;
  readonly sentAtMs?: number;
  /** Tags beside the usual ones; they win over them. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** A message that a reply answers. */
export interface ReplyParent {
  readonly id: string;
  readonly author: TwitchUser;
  readonly text: string;
}

/** Where and when a line stands. */
interface Stamp {
  readonly channel: string;
  readonly roomId: string;
  readonly id: string;
  readonly sentAtMs: number;
}

/** `@a=1;b=2 rest`, values escaped as the IRCv3 message-tags specification says. */
function taggedLine(tags: Readonly<Record<string, string>>, rest: string): string {
  let line = "@";
  for (const [key, value] of Object.entries(tags)) {
    line += `${line.length > 1 ? ";" : ""}${key}=${escapeTag(value)}`;
  }
  return `${line} ${rest}`;
}

/** A PRIVMSG with all the tags that Twitch sets. */
export function chatMessageLine(
  stamp: Stamp,
  line: PlayedLine,
  parent: ReplyParent | null,
): string {
  const spoken = parent === null ? line.text : addressed(line.text, parent.author);
  const text = line.action === true ? `\u0001ACTION ${spoken}\u0001` : spoken;
  const tags = {
    ...(line.bits === undefined ? {} : { bits: String(line.bits) }),
    ...personTags(stamp, line),
    emotes: line.emotes ?? "",
    "first-msg": flag(line.firstMessage),
    "returning-chatter": flag(line.returningChatter),
    ...(parent === null ? {} : replyTags(parent)),
    ...line.tags,
  };
  const { login } = line;
  return taggedLine(
    tags,
    `:${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${stamp.channel} :${text}`,
  );
}

/** A USERNOTICE: `msg-id` and its parameters in `tags`; `text` is what the viewer wrote, if anything. */
function usernoticeLine(
  stamp: Stamp,
  user: TwitchUser,
  notice: { readonly tags: Readonly<Record<string, string>>; readonly text?: string },
): string {
  const tags = { ...personTags(stamp, user), emotes: "", login: user.login, ...notice.tags };
  const trailing = notice.text === undefined ? "" : ` :${notice.text}`;
  return taggedLine(tags, `:tmi.twitch.tv USERNOTICE #${stamp.channel}${trailing}`);
}

/** A NOTICE to a channel; `code` is what Twitch calls it. */
export function noticeLine(channel: string, code: string, text: string): string {
  return taggedLine({ "msg-id": code }, `:tmi.twitch.tv NOTICE #${channel} :${text}`);
}

/** A USERSTATE (`channel` given) or GLOBALUSERSTATE (null) for a client's own account. */
export function userstateLine(user: TwitchUser, channel: string | null): string {
  const tags = { ...identityTags(user), "emote-sets": "0" };
  return channel === null
    ? taggedLine({ ...tags, "user-id": user.userId }, ":tmi.twitch.tv GLOBALUSERSTATE")
    : taggedLine(tags, `:tmi.twitch.tv USERSTATE #${channel}`);
}

/** A ROOMSTATE with no restriction switched on. */
export function roomstateLine(channel: string, roomId: string): string {
  return taggedLine(
    {
      "emote-only": "0",
      "followers-only": "-1",
      r9k: "0",
      "room-id": roomId,
      slow: "0",
      "subs-only": "0",
    },
    `:tmi.twitch.tv ROOMSTATE #${channel}`,
  );
}

/** True where a user's badges make them a moderator or the streamer. */
export function isPrivileged(user: TwitchUser): boolean {
  return hasBadge(user, "moderator") || hasBadge(user, "broadcaster");
}

function personTags(stamp: Stamp, user: TwitchUser): Record<string, string> {
  return {
    ...identityTags(user),
    flags: "",
    id: stamp.id,
    "room-id": stamp.roomId,
    "tmi-sent-ts": String(stamp.sentAtMs),
    turbo: "0",
    "user-id": user.userId,
    vip: flag(hasBadge(user, "vip")),
  };
}

function identityTags(user: TwitchUser): Record<string, string> {
  const moderator = hasBadge(user, "moderator");
  return {
    "badge-info": user.badgeInfo ?? "",
    badges: user.badges ?? "",
    color: user.color ?? "",
    "display-name": user.displayName,
    mod: flag(moderator),
    subscriber: flag(hasBadge(user, "subscriber") || hasBadge(user, "founder")),
    "user-type": moderator ? "mod" : "",
  };
}

function replyTags(parent: ReplyParent): Record<string, string> {
  const { id, author, text } = parent;
  return {
    "reply-parent-display-name": author.displayName,
    "reply-parent-msg-body": text,
    "reply-parent-msg-id": id,
    "reply-parent-user-id": author.userId,
    "reply-parent-user-login": author.login,
    "reply-thread-parent-msg-id": id,
    "reply-thread-parent-user-login": author.login,
  };
}

function addressed(text: string, parent: TwitchUser): string {
  const names = [`@${parent.displayName}`, `@${parent.login}`];
  const lower = text.toLowerCase();
  return names.some((name) => lower.startsWith(name.toLowerCase())) ? text : `${names[0]} ${text}`;
}

function hasBadge(user: TwitchUser, badge: string): boolean {
  return (user.badges ?? "").split(",").some((worn) => worn.startsWith(`${badge}/`));
}

function flag(on: boolean | undefined): string {
  return on === true ? "1" : "0";
}

const ESCAPES: Readonly<Record<string, string>> = {
  ";": "\\:",
  " ": "\\s",
  "\\": "\\\\",
  "\r": "\\r",
  "\n": "\\n",
};

function escapeTag(value: string): string {
  return value.replace(/[; \\\r\n]/g, (char) => ESCAPES[char] ?? char);
}

/** A viewer as moderation names them. */
type Target = Pick<TwitchUser, "userId" | "login">;

interface SubDetails {
  readonly months: number;
  readonly text?: string;
}

/** Everything that can happen in a channel. Channels are logins without `#`; ids are message ids. */
export interface IrcVoice {
  say(channel: string, line: PlayedLine): string;
  timeout(channel: string, target: Target, seconds: number): void;
  ban(channel: string, target: Target): void;
  deleteMessage(channel: string, message: { id: string; login: string; text: string }): void;
  clear(channel: string): void;
  raid(channel: string, from: TwitchUser, viewers: number): string;
  sub(channel: string, user: TwitchUser, details: SubDetails): string;
  giftSub(channel: string, from: TwitchUser, recipient: TwitchUser): string;
  announce(channel: string, user: TwitchUser, text: string): string;
  notice(channel: string, code: string, text: string): void;
}

/** What speaking needs of the server: to whom lines go, and their time and place. */
export interface VoiceHost {
  broadcast(channel: string, line: string): void;
  stamp(channel: string, chosen: { id?: string | undefined; sentAtMs?: number | undefined }): Stamp;
  /** A message said before, for replies to it. */
  find(id: string): ReplyParent | null;
  remember(message: ReplyParent): void;
}

/** Lets the channels of `host` speak, each as Twitch would put it on the wire. */
export function ircVoice(host: VoiceHost): IrcVoice {
  const usernotice = (
    channel: string,
    user: TwitchUser,
    notice: { tags: Readonly<Record<string, string>>; text?: string },
  ) => {
    const stamp = host.stamp(channel, {});
    host.broadcast(channel, usernoticeLine(stamp, user, notice));
    return stamp.id;
  };
  return {
    say(channel, line) {
      const stamp = host.stamp(channel, line);
      const parent = line.replyTo === undefined ? null : host.find(line.replyTo);
      host.remember({ id: stamp.id, author: line, text: line.text });
      host.broadcast(channel, chatMessageLine(stamp, line, parent));
      return stamp.id;
    },
    ...moderation(host),
    raid: (channel, from, viewers) => usernotice(channel, from, { tags: raidTags(from, viewers) }),
    sub: (channel, user, details) =>
      usernotice(channel, user, {
        tags: subTags(user, details.months),
        ...(details.text === undefined ? {} : { text: details.text }),
      }),
    giftSub: (channel, from, recipient) =>
      usernotice(channel, from, { tags: giftTags(from, recipient) }),
    announce: (channel, user, text) =>
      usernotice(channel, user, {
        tags: { "msg-id": "announcement", "msg-param-color": "PRIMARY", "system-msg": "" },
        text,
      }),
  };
}

type Moderation = Pick<IrcVoice, "timeout" | "ban" | "deleteMessage" | "clear" | "notice">;

function moderation(host: VoiceHost): Moderation {
  const clearchat = (channel: string, target: Target | null, tags: Record<string, string>) => {
    const { roomId, sentAtMs } = host.stamp(channel, {});
    const who = target === null ? {} : { "target-user-id": target.userId };
    const trailing = target === null ? "" : ` :${target.login}`;
    host.broadcast(
      channel,
      taggedLine(
        { ...tags, "room-id": roomId, ...who, "tmi-sent-ts": String(sentAtMs) },
        `:tmi.twitch.tv CLEARCHAT #${channel}${trailing}`,
      ),
    );
  };
  return {
    timeout: (channel, target, seconds) =>
      clearchat(channel, target, { "ban-duration": String(seconds) }),
    ban: (channel, target) => clearchat(channel, target, {}),
    clear: (channel) => clearchat(channel, null, {}),
    deleteMessage(channel, message) {
      const { sentAtMs } = host.stamp(channel, {});
      const tags = {
        login: message.login,
        "room-id": "",
        "target-msg-id": message.id,
        "tmi-sent-ts": String(sentAtMs),
      };
      host.broadcast(
        channel,
        taggedLine(tags, `:tmi.twitch.tv CLEARMSG #${channel} :${message.text}`),
      );
    },
    notice: (channel, code, text) => host.broadcast(channel, noticeLine(channel, code, text)),
  };
}

function raidTags(from: TwitchUser, viewers: number): Record<string, string> {
  return {
    "msg-id": "raid",
    "msg-param-displayName": from.displayName,
    "msg-param-login": from.login,
    "msg-param-viewerCount": String(viewers),
    "system-msg": `${viewers} raiders from ${from.displayName} have joined!`,
  };
}

function subTags(user: TwitchUser, months: number): Record<string, string> {
  return {
    "msg-id": months > 1 ? "resub" : "sub",
    "msg-param-cumulative-months": String(months),
    "msg-param-months": "0",
    "msg-param-should-share-streak": "0",
    "msg-param-sub-plan-name": "Channel Subscription",
    "msg-param-sub-plan": "1000",
    "system-msg": `${user.displayName} subscribed at Tier 1. They've subscribed for ${months} months!`,
  };
}

function giftTags(from: TwitchUser, recipient: TwitchUser): Record<string, string> {
  return {
    "msg-id": "subgift",
    "msg-param-gift-months": "1",
    "msg-param-months": "1",
    "msg-param-recipient-display-name": recipient.displayName,
    "msg-param-recipient-id": recipient.userId,
    "msg-param-recipient-user-name": recipient.login,
    "msg-param-sender-count": "1",
    "msg-param-sub-plan-name": "Channel Subscription",
    "msg-param-sub-plan": "1000",
    "system-msg": `${from.displayName} gifted a Tier 1 sub to ${recipient.displayName}!`,
  };
}
