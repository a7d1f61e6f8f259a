import {
  type ChatLine,
  privmsgLine,
  type ReplyParent,
  type Stamp,
  type TwitchUser,
  taggedLine,
  usernoticeLine,
} from "./irc-lines.ts";

/** A viewer as moderation names them. */
type Target = Pick<TwitchUser, "userId" | "login">;

interface SubDetails {
  readonly months: number;
  readonly text?: string;
}

/** Everything that can happen in a channel. Channels are logins without `#`; ids are message ids. */
export interface IrcVoice {
  say(channel: string, line: ChatLine): string;
  timeout(channel: string, target: Target, seconds: number): void;
  ban(channel: string, target: Target): void;
  deleteMessage(channel: string, message: { id: string; login: string; text: string }): void;
  clear(channel: string): void;
  raid(channel: string, from: TwitchUser, viewers: number): string;
  sub(channel: string, user: TwitchUser, details: SubDetails): string;
  giftSub(channel: string, from: TwitchUser, recipient: TwitchUser): string;
  announce(channel: string, user: TwitchUser, text: string): string;
  notice(channel: string, messageId: string, text: string): void;
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
      host.broadcast(channel, privmsgLine(stamp, line, parent));
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
    notice(channel, messageId, text) {
      host.broadcast(
        channel,
        taggedLine({ "msg-id": messageId }, `:tmi.twitch.tv NOTICE #${channel} :${text}`),
      );
    },
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
