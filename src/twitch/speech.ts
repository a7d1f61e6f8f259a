import type { Outcome } from "./delivery.ts";

/** Whether what the bot says in a channel is let through, by what became of what it said last. */
export interface Speech {
  /** Takes what became of one message. */
  learn(channel: string, outcome: Outcome): void;
  /** Nothing was let through for a while, and it is not yet time to try again: what is said now is said in vain. */
  isShut(channel: string): boolean;
}

interface SpeechParts {
  /** Of waiting: it never goes back. */
  readonly steadyNow: () => number;
  readonly notices: {
    raise(kind: string, severity: "warning" | "error", message: string): void;
    clear(kind: string): void;
  };
  /** For what somebody has to type. */
  readonly botLogin: string | null;
}

/** Refusals in a row that say something about the channel and not about one text. */
const REFUSED_MAX = 3;
const PAUSE_MS = 60_000;
const PAUSE_MS_MAX = 15 * 60_000;

/** Twitch's codes for a text, not for who says it: the next one may pass. */
const OF_THE_TEXT: ReadonlySet<string> = new Set([
  "msg_duplicate",
  "msg_rejected",
  "msg_rejected_mandatory",
  "msg_r9k",
  "invalid_parent",
]);
/** Never came as far as Twitch. */
const OURS: ReadonlySet<string> = new Set(["unsafe_text", "queue_full", "closed"]);

/** The kind of its notice. */
const KIND = "chat_refused";

/**
 * Tells the streamer, with what mends it, when Twitch does not let through what the bot says; after three in a row it is
 * said to be shut for a minute, then twice as long each time, and one message tries again.
 */
export function speechKeeper({ steadyNow, notices, botLogin }: SpeechParts): Speech {
  const troubles = new Map<string, { refused: number; pauseMs: number; untilMs: number }>();
  /** At first it is one from before this process, perhaps. */
  let isTold = true;
  const open = (channel: string): void => {
    troubles.delete(channel);
    if (!isTold || troubles.size > 0) return;
    isTold = false;
    notices.clear(KIND);
  };
  const note = (channel: string, reason: string): void => {
    const before = troubles.get(channel) ?? {
      refused: 0,
      pauseMs: PAUSE_MS,
      untilMs: Number.NEGATIVE_INFINITY,
    };
    const refused = before.refused + (OF_THE_TEXT.has(reason) ? 0 : 1);
    const isLasting = refused >= REFUSED_MAX && refused > before.refused;
    troubles.set(channel, {
      refused,
      pauseMs: isLasting ? Math.min(before.pauseMs * 2, PAUSE_MS_MAX) : before.pauseMs,
      untilMs: isLasting ? steadyNow() + before.pauseMs : before.untilMs,
    });
    const mend = mendOf(reason, botLogin ?? "the bot");
    const message = `Twitch does not show what the bot says in #${channel} (${reason}): ${mend}`;
    isTold = true;
    notices.raise(KIND, "warning", message);
  };
  return {
    learn: (channel, outcome) => {
      if (outcome.kind === "sent") return open(channel);
      if (outcome.kind === "unknown") return note(channel, "no_answer");
      if (outcome.kind === "refused") note(channel, outcome.reason);
      if (outcome.kind === "failed" && !OURS.has(outcome.reason)) note(channel, outcome.reason);
    },
    isShut: (channel) => steadyNow() < (troubles.get(channel)?.untilMs ?? Number.NEGATIVE_INFINITY),
  };
}

/** What opens it again, as this person can type it. */
function mendOf(reason: string, bot: string): string {
  switch (reason) {
    case "msg_banned":
    case "user_banned":
      return `type /unban ${bot} in that chat`;
    case "msg_timedout":
      return `it passes with the time-out; type /untimeout ${bot} in that chat to end it now`;
    case "forbidden":
    case "msg_subsonly":
    case "msg_followersonly":
    case "msg_followersonly_zero":
    case "msg_followersonly_followed":
    case "msg_emoteonly":
    case "msg_verified_email":
    case "msg_requires_verified_phone_number":
    case "channel_settings":
      return `type /mod ${bot} in that chat, or open the chat to it`;
    case "unauthorised":
    case "missing_scope":
      return "log the bot in again with `forgetmenot setup`";
    case "anonymous":
      return "give the bot an account with `forgetmenot setup`";
    case "msg_suspended":
    case "tos_ban":
      return "Twitch suspended an account: look at https://www.twitch.tv/appeal";
    case "not_connected":
      return "nothing to do, it connects again by itself; `forgetmenot doctor` looks at the network";
    default:
      return "nothing to do, it is tried again; https://status.twitch.com tells whether Twitch has trouble";
  }
}
