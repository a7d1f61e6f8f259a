/** A person in the simulated chat, as Twitch describes one on every line. */
export interface TwitchUser {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  /** As on the wire: `moderator/1,subscriber/12`. */
  readonly badges?: string;
}

/** One chat message. A reply names the message it answers; Twitch puts `@name` before its text. */
export interface PlayedLine extends TwitchUser {
  readonly text: string;
  readonly id?: string;
  readonly replyTo?: string | null;
  /** Tags beside the usual ones; they win over them. */
  readonly tags?: Tags;
}

type Tags = Readonly<Record<string, string>>;

/** A message that a reply answers. */
interface ReplyParent {
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

/** A NOTICE to a channel; `code` is what Twitch calls it. */
export function noticeLine(channel: string, code: string, text: string): string {
  return taggedLine({ "msg-id": code }, `NOTICE #${channel} :${text}`);
}

/** A USERSTATE (`channel` given) or GLOBALUSERSTATE (null) for a client's own account. */
export function userstateLine(user: TwitchUser, channel: string | null): string {
  const tags = { ...identityTags(user), "emote-sets": "0" };
  return channel === null
    ? taggedLine({ ...tags, "user-id": user.userId }, "GLOBALUSERSTATE")
    : taggedLine(tags, `USERSTATE #${channel}`);
}

/** A ROOMSTATE with no restriction switched on. */
export function roomstateLine(channel: string, roomId: string): string {
  const open = { "emote-only": "0", "followers-only": "-1", r9k: "0", slow: "0", "subs-only": "0" };
  return taggedLine({ ...open, "room-id": roomId }, `ROOMSTATE #${channel}`);
}

/** True where a user's badges make them a moderator or the streamer. */
export function isPrivileged(user: TwitchUser): boolean {
  return hasBadge(user, "moderator") || hasBadge(user, "broadcaster");
}

/** Messages that replies can still find. */
const REMEMBERED_MAX = 2_000;

/**
 * Everything that can happen in a channel, as Twitch would put it on the wire. Channels are logins without `#`; what is
 * said gives its message id. `broadcast` sends a line to a channel, but not to `except`.
 */
export function ircVoice<Client>(
  broadcast: (channel: string, line: string, except?: Client) => void,
  stamp: (channel: string) => Stamp,
) {
  const said = new Map<string, ReplyParent>();
  const moderate = (channel: string, command: string, tags: Tags, trailing?: string): void => {
    const { roomId, sentAtMs } = stamp(channel);
    const all = { "room-id": roomId, "tmi-sent-ts": String(sentAtMs), ...tags };
    const rest = trailing === undefined ? "" : ` :${trailing}`;
    broadcast(channel, taggedLine(all, `${command} #${channel}${rest}`));
  };
  type Target = Pick<TwitchUser, "userId" | "login">;
  return {
    say(channel: string, line: PlayedLine, except?: Client): string {
      const at = stamp(channel);
      const id = line.id ?? at.id;
      const parent = said.get(line.replyTo ?? "");
      said.set(id, { id, author: line, text: line.text });
      const oldest = said.keys().next();
      if (said.size > REMEMBERED_MAX && oldest.done !== true) said.delete(oldest.value);
      broadcast(channel, chatMessageLine({ ...at, id }, line, parent), except);
      return id;
    },
    timeout: (channel: string, { userId, login }: Target, seconds: number) =>
      moderate(
        channel,
        "CLEARCHAT",
        { "target-user-id": userId, "ban-duration": String(seconds) },
        login,
      ),
    ban: (channel: string, { userId, login }: Target) =>
      moderate(channel, "CLEARCHAT", { "target-user-id": userId }, login),
    clear: (channel: string) => moderate(channel, "CLEARCHAT", {}),
    deleteMessage: (
      channel: string,
      { id, login, text }: { readonly id: string; readonly login: string; readonly text: string },
    ) => moderate(channel, "CLEARMSG", { login, "room-id": "", "target-msg-id": id }, text),
    notice: (channel: string, code: string, text: string) =>
      broadcast(channel, noticeLine(channel, code, text)),
  };
}

/** A PRIVMSG with all the tags that Twitch sets. */
function chatMessageLine(stamp: Stamp, line: PlayedLine, parent: ReplyParent | undefined): string {
  const text = parent === undefined ? line.text : addressed(line.text, parent.author);
  const tags = {
    ...personTags(stamp, line),
    emotes: "",
    "first-msg": "0",
    "returning-chatter": "0",
    ...(parent === undefined ? {} : replyTags(parent)),
    ...line.tags,
  };
  const { login } = line;
  const from = `${login}!${login}@${login}.tmi.twitch.tv`;
  return taggedLine(tags, `PRIVMSG #${stamp.channel} :${text}`, from);
}

/** `@a=1;b=2 :from rest`, values escaped as the IRCv3 message-tags specification says. */
function taggedLine(tags: Tags, rest: string, from = "tmi.twitch.tv"): string {
  let line = "@";
  for (const [key, value] of Object.entries(tags)) {
    line += `${line.length > 1 ? ";" : ""}${key}=${escapeTag(value)}`;
  }
  return `${line} :${from} ${rest}`;
}

function personTags(stamp: Stamp, user: TwitchUser): Tags {
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

function identityTags(user: TwitchUser): Tags {
  const moderator = hasBadge(user, "moderator");
  return {
    "badge-info": "",
    badges: user.badges ?? "",
    color: "",
    "display-name": user.displayName,
    mod: flag(moderator),
    subscriber: flag(hasBadge(user, "subscriber") || hasBadge(user, "founder")),
    "user-type": moderator ? "mod" : "",
  };
}

function replyTags({ id, author, text }: ReplyParent): Tags {
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

function addressed(text: string, { displayName, login }: TwitchUser): string {
  const lower = text.toLowerCase();
  const isNamed = [displayName, login].some((name) => lower.startsWith(`@${name.toLowerCase()}`));
  return isNamed ? text : `@${displayName} ${text}`;
}

function hasBadge(user: TwitchUser, badge: string): boolean {
  return (user.badges ?? "").split(",").some((worn) => worn.startsWith(`${badge}/`));
}

function flag(on: boolean): string {
  return on ? "1" : "0";
}

const ESCAPES: Tags = { ";": "\\:", " ": "\\s", "\\": "\\\\", "\r": "\\r", "\n": "\\n" };

function escapeTag(value: string): string {
  return value.replace(/[; \\\r\n]/g, (char) => ESCAPES[char] ?? char);
}
