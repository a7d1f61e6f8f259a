// Pure: values in, values out.

interface DropReason {
  /** Tried on Twitch's code. */
  readonly code: RegExp;
  readonly found: string;
  /** BOT stands for the bot's login. */
  readonly fix: string;
}

const OPEN_CHAT = "type /mod BOT in that chat, or open the chat to it";

/** Why a message is not shown, by the codes of IRC and Helix, which differ. The first that fits counts. */
const DROP_REASONS: readonly DropReason[] = [
  {
    code: /suspended|^tos_ban$/,
    found: "Twitch suspended the channel or the bot's account",
    fix: "appeal at https://www.twitch.tv/appeal",
  },
  {
    code: /banned/,
    found: "the bot is banned there",
    fix: "type /unban BOT in that chat",
  },
  {
    code: /timed_?out/,
    found: "a moderator timed the bot out",
    fix: "wait until the time-out ends, or type /untimeout BOT in that chat",
  },
  {
    code: /warn/,
    found: "a moderator warned the bot",
    fix: "log in to Twitch as BOT, open that chat, and acknowledge the warning",
  },
  {
    code: /automod|rejected|blocked|held/,
    found: "AutoMod or a blocked term holds it",
    fix: "allow it in the mod view, or type /mod BOT in that chat",
  },
  {
    code: /follow/,
    found: "the chat is in followers-only mode",
    fix: `${OPEN_CHAT} with /followersoff`,
  },
  {
    code: /subs/,
    found: "the chat is in subscribers-only mode",
    fix: `${OPEN_CHAT} with /subscribersoff`,
  },
  {
    code: /emote/,
    found: "the chat is in emote-only mode",
    fix: `${OPEN_CHAT} with /emoteonlyoff`,
  },
  { code: /slow/, found: "the chat is in slow mode", fix: `${OPEN_CHAT} with /slowoff` },
  {
    code: /r9k|unique/,
    found: "the chat is in unique mode",
    fix: "type /uniquechatoff there, or /mod BOT",
  },
  {
    code: /phone|e?mail|verif/,
    found: "the chat wants a verified phone number or e-mail address",
    fix: "verify the bot's account on Twitch, or type /mod BOT in that chat",
  },
  {
    code: /duplicate/,
    found: "Twitch drops the same text within 30 seconds",
    fix: "nothing to do",
  },
  {
    code: /rate_?limit/,
    found: "the bot writes more than Twitch allows",
    fix: "type /mod BOT in that chat, or raise replies.channelCooldownSeconds",
  },
  {
    code: /too_long/,
    found: "the message is too long",
    fix: "nothing to do: Twitch counts 500 characters",
  },
  {
    code: /^(?:forbidden|channel_settings|no_permission)$/,
    found: "the channel's settings keep the bot out",
    fix: OPEN_CHAT,
  },
  {
    code: /^(?:unauthorised|missing_scope)$/,
    found: "the bot's log-in may not write",
    fix: "log the bot in again with `forgetmenot setup`",
  },
  {
    code: /^anonymous$/,
    found: "the bot has no account",
    fix: "give it one with `forgetmenot setup`",
  },
  {
    code: /^not_connected$/,
    found: "chat is not connected",
    fix: "nothing to do: the bot connects again. If it lasts, type `forgetmenot doctor`",
  },
  {
    code: /^no_answer$/,
    found: "Twitch gave no answer",
    fix: "nothing to do: the bot tries again. https://status.twitch.com shows problems of Twitch",
  },
];

/** What keeps a message out of chat, and the fix. Of an unknown code, `words` are what Twitch said with it. */
export function adviceOnDrop(code: string, words: string, bot: string) {
  const known = DROP_REASONS.find((reason) => reason.code.test(code));
  if (known !== undefined) return { found: known.found, fix: known.fix.replace("BOT", bot) };
  return {
    found: words === "" ? "Twitch gave no reason" : `Twitch says “${words}”`,
    fix: `check that chat's settings; /mod ${bot} there lifts most limits`,
  };
}
