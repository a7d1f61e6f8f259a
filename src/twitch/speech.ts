import { calculateBackoffMs } from "../clock.ts";
import type { Notices } from "../database/notices-store.ts";
import { toSentence } from "../errors.ts";
import { toPrintable } from "../language/clean.ts";
import type { DeliveryOutcome } from "./delivery.ts";

/** Refusals in a row that concern the channel and not one text. */
const REFUSED_MAX = 3;
const PAUSE = { baseMs: 60_000, capMs: 15 * 60_000 };

/** Codes that concern one text, and a lost connection: the next message may pass. */
const PASSING: ReadonlySet<string> = new Set([
  "not_connected",
  "msg_duplicate",
  "msg_rejected",
  "msg_rejected_mandatory",
  "msg_r9k",
  "invalid_parent",
]);
/** Failures before Twitch got the message. */
const OURS: ReadonlySet<string> = new Set(["unsafe_text", "queue_full", "closed"]);
const NOTICE = "chat:refused";

interface Drops {
  readonly count: number;
  readonly pauses: number;
  readonly untilMs: number;
  readonly message: string;
}

/**
 * Raises one notice for all channels, with the fix, if Twitch drops the bot's messages. After three drops in a row the
 * channel is shut for a minute, then twice as long each time, at most 15 minutes. Then one message tries again. Drops
 * that concern one text, or a lost connection, shut no channel.
 */
export class Speech {
  readonly #options;
  readonly #drops = new Map<string, Drops>();
  /** True at first, because an earlier run may have raised the notice. */
  #isRaised = true;
  #isClosed = false;

  /** `now` never runs backwards. `botLogin` is used in the commands of a fix. */
  constructor(options: { now: () => number; notices: Notices; botLogin: string | null }) {
    this.#options = options;
  }

  /**
   * Records the outcome of one message: raises or clears the notice, and may shut the channel. Ignores outcomes that
   * the bot itself caused, such as `expired` or `queue_full`.
   */
  recordOutcome(channel: string, outcome: DeliveryOutcome): void {
    if (this.#isClosed) return;
    if (outcome.kind === "sent") this.#forgetDrops(channel);
    if (outcome.kind === "unknown") this.#recordDrop(channel, "no_answer");
    if (outcome.kind === "refused") this.#recordDrop(channel, outcome.reason, outcome.words);
    if (outcome.kind === "failed" && !OURS.has(outcome.reason))
      this.#recordDrop(channel, outcome.reason);
  }

  /** Ignores all later outcomes: the bot's own end cuts messages off. */
  close(): void {
    this.#isClosed = true;
  }

  /** True while a channel is shut: a message would be sent in vain. */
  isShut(channel: string): boolean {
    return this.#options.now() < (this.#drops.get(channel)?.untilMs ?? Number.NEGATIVE_INFINITY);
  }

  /** Forgets a channel's drops. The notice then names another channel that has some, or is cleared. */
  #forgetDrops(channel: string): void {
    const wasRefused = this.#drops.delete(channel);
    const [other] = this.#drops.values();
    if (other !== undefined && wasRefused)
      this.#options.notices.raise(NOTICE, "warning", other.message);
    if (other !== undefined || !this.#isRaised) return;
    this.#isRaised = false;
    this.#options.notices.clear(NOTICE);
  }

  /** Raises the notice. Counts the drop, unless it concerns one text or the connection; the third shuts the channel. */
  #recordDrop(channel: string, reason: string, words = ""): void {
    const before = this.#drops.get(channel);
    let { count = 0, pauses = 0, untilMs = Number.NEGATIVE_INFINITY } = before ?? {};
    if (!PASSING.has(reason)) count += 1;
    if (!PASSING.has(reason) && count >= REFUSED_MAX)
      untilMs = this.#options.now() + calculateBackoffMs(pauses++, 1, PAUSE);
    // For an unknown code, `words` are Twitch's explanation.
    const said = toPrintable(words);
    const [, found, usualFix] = DROP_REASONS.find(([code]) => code.test(reason)) ?? [
      null,
      said === "" ? "Twitch gave no reason" : `Twitch says “${said}”`,
      "check that chat's settings; /mod BOT there lifts most limits",
    ];
    const fix = toSentence(usualFix.replace("BOT", this.#options.botLogin ?? "the bot"));
    const message = `Twitch does not show the bot's messages in #${channel} (${reason}): ${found}. ${fix}`;
    this.#drops.set(channel, { count, pauses, untilMs, message });
    this.#isRaised = true;
    this.#options.notices.raise(NOTICE, "warning", message);
  }
}

const OPEN_CHAT = "type /mod BOT in that chat, or open the chat to it";

/**
 * Why a message is not shown, by the codes of IRC and Helix, which differ. The first match counts; BOT is the bot's
 * login.
 */
const DROP_REASONS: readonly (readonly [code: RegExp, found: string, fix: string])[] = [
  [
    /suspended|^tos_ban$/,
    "Twitch suspended the channel or the bot's account",
    "appeal at https://www.twitch.tv/appeal",
  ],
  [/banned/, "the bot is banned there", "type /unban BOT in that chat"],
  [
    /timed_?out/,
    "a moderator timed the bot out",
    "wait until the time-out ends, or type /untimeout BOT in that chat",
  ],
  [
    /warn/,
    "a moderator warned the bot",
    "log in to Twitch as BOT, open that chat, and acknowledge the warning",
  ],
  [
    /automod|rejected|blocked|held/,
    "AutoMod or a blocked term holds it",
    "allow it in the mod view, or type /mod BOT in that chat",
  ],
  [/follow/, "the chat is in followers-only mode", `${OPEN_CHAT} with /followersoff`],
  [/subs/, "the chat is in subscribers-only mode", `${OPEN_CHAT} with /subscribersoff`],
  [/emote/, "the chat is in emote-only mode", `${OPEN_CHAT} with /emoteonlyoff`],
  [/slow/, "the chat is in slow mode", `${OPEN_CHAT} with /slowoff`],
  [/r9k|unique/, "the chat is in unique mode", "type /uniquechatoff there, or /mod BOT"],
  [
    /phone|e?mail|verif/,
    "the chat wants a verified phone number or e-mail address",
    "verify the bot's account on Twitch, or type /mod BOT in that chat",
  ],
  [/duplicate/, "Twitch drops the same text within 30 seconds", "nothing to do"],
  [
    /rate_?limit/,
    "the bot writes more than Twitch allows",
    "type /mod BOT in that chat, or raise replies.channelCooldownSeconds",
  ],
  [
    /^(?:forbidden|channel_settings|no_permission)$/,
    "the channel's settings keep the bot out",
    OPEN_CHAT,
  ],
  [
    /^(?:unauthorised|missing_scope)$/,
    "the bot's log-in may not write",
    "log the bot in again with `forgetmenot setup`",
  ],
  [/^anonymous$/, "the bot has no account", "give it one with `forgetmenot setup`"],
  [
    /^not_connected$/,
    "chat is not connected",
    "nothing to do: the bot connects again. If it lasts, type `forgetmenot doctor`",
  ],
  [
    /^no_answer$/,
    "Twitch gave no answer",
    "nothing to do: the bot tries again. https://status.twitch.com shows problems of Twitch",
  ],
];
