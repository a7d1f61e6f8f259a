import { backoffMs } from "../clock.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import { asSentence } from "../errors.ts";
import { printable } from "../language/clean.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { OutgoingMessage, SendOutcome, WireMessage } from "./chat.ts";
import { adviceOnDrop } from "./drop-reasons.ts";
import type { HelixReason } from "./helix.ts";

/** A message to be sent while it is worth sending. */
export interface Offer extends OutgoingMessage {
  /** Nothing is sent from this moment on, epoch ms. */
  readonly expiresAtMs: number;
  /** Sends of the window that this one leaves to others; none where it is not said. */
  readonly leaves?: number;
  /**
   * Asked right before each attempt; false withdraws the message. It is asked a second time only when Helix surely
   * did not send and IRC is tried instead.
   */
  readonly onSending: () => boolean;
}

export type DeliveryOutcome =
  | { readonly kind: "sent"; readonly messageId: string | null; readonly via: "helix" | "irc" }
  /** Its time ran out while it waited, or the outbox closed. */
  | { readonly kind: "expired" }
  /** The channel had the same text within the last 30 s. */
  | { readonly kind: "duplicate" }
  /** `onSending` said no. */
  | { readonly kind: "withdrawn" }
  /** Twitch dropped it; `reason` is Twitch's code, `words` what it says with it. */
  | { readonly kind: "refused"; readonly reason: string; readonly words?: string }
  /** It may have arrived. */
  | { readonly kind: "unknown" }
  /** It surely did not arrive. */
  | { readonly kind: "failed"; readonly reason: FailReason };

export type FailReason =
  | HelixReason
  | Exclude<SendOutcome, { sent: true }>["reason"]
  | "queue_full";

/** The two ways to Twitch. */
export interface Carriers {
  /** Null: only by IRC. */
  readonly sendHelix: ((message: OutgoingMessage) => Promise<SendResult>) | null;
  readonly sendIrc: (message: OutgoingMessage) => IrcOutcome | Promise<IrcOutcome>;
  /** It never goes back. */
  readonly now: () => number;
  readonly log: Log;
}

/** Reasons that concern Helix alone: nothing was sent, and IRC may still be able to. */
const IRC_CAN_HELP = new Set<HelixReason>([
  "unauthorised",
  "missing_scope",
  "forbidden",
  "not_found",
  "rate_limited",
  "network",
]);

/** One attempt, by Helix or else by IRC: never by IRC what may have arrived by Helix. Never rejects. */
export async function deliver(carriers: Carriers, offer: Offer): Promise<DeliveryOutcome> {
  try {
    const byHelix = await tryHelix(carriers, offer);
    if (byHelix !== null) return byHelix;
    return mayGo(carriers, offer) ? await tryIrc(carriers, offer) : { kind: "withdrawn" };
  } catch (error) {
    // A bug below, which says nothing about whether the message left. Its text could quote the message.
    carriers.log.error({ error: nameOf(error) }, "twitch: sending failed unexpectedly");
    return { kind: "unknown" };
  }
}

/** Null: not tried, or surely not sent for a reason that IRC does not share. */
async function tryHelix(carriers: Carriers, offer: Offer): Promise<DeliveryOutcome | null> {
  if (carriers.sendHelix === null) return null;
  if (!mayGo(carriers, offer)) return { kind: "withdrawn" };
  const result = await carriers.sendHelix(messageIn(offer));
  if (result.kind === "sent") return { ...result, via: "helix" };
  if (result.kind !== "failed" || !IRC_CAN_HELP.has(result.reason)) return result;
  carriers.log.debug({ reason: result.reason }, "twitch: Helix did not send, trying IRC");
  return carriers.now() >= offer.expiresAtMs ? { kind: "expired" } : null;
}

async function tryIrc(carriers: Carriers, offer: Offer): Promise<DeliveryOutcome> {
  const outcome = await carriers.sendIrc(messageIn(offer));
  if (outcome.sent) return { kind: "sent", messageId: null, via: "irc" };
  if (outcome.reason === "lost") return { kind: "unknown" };
  if (outcome.reason === "refused")
    return { kind: "refused", reason: outcome.code, words: outcome.words };
  return { kind: "failed", reason: outcome.reason };
}

function mayGo(carriers: Carriers, offer: Offer): boolean {
  try {
    return offer.onSending();
  } catch (error) {
    carriers.log.error({ error: nameOf(error) }, "twitch: a message could not be marked, not sent");
    return false;
  }
}

function messageIn({ channel, text, replyTo }: Offer): OutgoingMessage {
  return { channel, text, replyTo };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** What became of a message sent by IRC. */
export type IrcOutcome =
  | SendOutcome
  /** Twitch said that it dropped it; `code` and `words` are Twitch's. */
  | {
      readonly sent: false;
      readonly reason: "refused";
      readonly code: string;
      readonly words: string;
    }
  /** The connection was lost before Twitch said anything. */
  | { readonly sent: false; readonly reason: "lost" };

/** Twitch answers within a round trip. A server that says nothing at all by then is taken to have accepted. */
const VERDICT_MS_MAX = 1_500;
/** NOTICE ids for a message that was not shown (https://dev.twitch.tv/docs/chat/irc/#notice-message-ids). */
const REFUSING = /^msg_[a-z0-9_]{1,60}$/;
const ALSO_REFUSING: ReadonlySet<string> = new Set([
  "no_permission",
  "invalid_parent",
  "tos_ban",
  "unavailable_command",
  "unrecognized_cmd",
]);

/**
 * Sending by IRC with Twitch's verdict: after a PRIVMSG it answers with a USERSTATE where it took it, and with a NOTICE
 * where it did not. Neither names the message, so the next one in its channel is meant.
 */
export function ircVerdicts(send: (message: OutgoingMessage) => SendOutcome, wait: Wait) {
  const pending = new Map<string, (outcome: IrcOutcome) => void>();
  let closed = false;
  const settleAll = (outcome: IrcOutcome): void => {
    for (const settle of pending.values()) settle(outcome);
  };
  return {
    /** Sends, and waits for what Twitch says of it. One message a channel at a time. */
    send: async (message: OutgoingMessage): Promise<IrcOutcome> => {
      const handed = send(message);
      if (!handed.sent || closed) return handed;
      const channel = message.channel.toLowerCase();
      const heard = new AbortController();
      let outcome: IrcOutcome = handed;
      pending.set(channel, (verdict) => {
        // A refusal right behind a USERSTATE still counts; a loss of the connection does not.
        if (heard.signal.aborted && (verdict.sent || verdict.reason === "lost")) return;
        outcome = verdict;
        heard.abort();
      });
      await wait(VERDICT_MS_MAX, heard.signal);
      pending.delete(channel);
      return outcome;
    },
    /** Takes every line of the wire. */
    receive: (message: WireMessage): void => {
      const settle = pending.get((message.params[0] ?? "").replace(/^#/, "").toLowerCase());
      const verdict = settle === undefined ? null : verdictOf(message);
      if (verdict !== null) settle?.(verdict);
    },
    /** The connection is gone: nothing more will be said of what was sent on it. */
    lost: (): void => settleAll({ sent: false, reason: "lost" }),
    /** Waits for nothing any more: what was handed over counts as sent. */
    close: (): void => {
      closed = true;
      settleAll({ sent: true });
    },
  };
}

function verdictOf({ command, tags, params }: WireMessage): IrcOutcome | null {
  if (command === "USERSTATE") return { sent: true };
  const code = command === "NOTICE" ? (tags["msg-id"] ?? "") : "";
  if (!REFUSING.test(code) && !ALSO_REFUSING.has(code)) return null;
  return { sent: false, reason: "refused", code, words: params[1] ?? "" };
}

/** What became of one attempt to send a message by Helix. */
export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  /** Twitch took the request and dropped the message; `reason` is its code, such as `msg_duplicate`. */
  | { readonly kind: "refused"; readonly reason: string; readonly words?: string }
  /** It may have arrived: the request went out, and no clear answer came back. */
  | { readonly kind: "unknown" }
  /** It surely did not arrive. */
  | { readonly kind: "failed"; readonly reason: HelixReason };

/** Whether what the bot says in a channel is let through, by what became of what it said last. */
export type Speech = ReturnType<typeof speechKeeper>;

interface SpeechParts {
  /** Of waiting: it never goes back. */
  readonly now: () => number;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** For what somebody has to type. */
  readonly botLogin: string | null;
}

/** Refusals in a row that say something about the channel and not about one text. */
const REFUSED_MAX = 3;
const PAUSE = { baseMs: 60_000, capMs: 15 * 60_000 };

/**
 * What tells nothing of the channel: Twitch's codes for a text, where the next one may pass, and a lost connection, over
 * which nobody is heard either.
 */
const PASSING: ReadonlySet<string> = new Set([
  "not_connected",
  "msg_duplicate",
  "msg_rejected",
  "msg_rejected_mandatory",
  "msg_r9k",
  "invalid_parent",
]);
/** Never came as far as Twitch. */
const OURS: ReadonlySet<string> = new Set(["unsafe_text", "queue_full", "closed"]);

/** The kind of its notice. */
const KIND = "chat:refused";

/** What Twitch does not let through in one channel, as it is told. */
interface Trouble {
  readonly refused: number;
  readonly pauses: number;
  readonly untilMs: number;
  readonly message: string;
}

/**
 * Tells the streamer, with what mends it, when Twitch does not let through what the bot says; after three in a row it is
 * said to be shut for a minute, then twice as long each time, and one message tries again.
 */
export function speechKeeper({ now, notices, botLogin }: SpeechParts) {
  const troubles = new Map<string, Trouble>();
  /** At first it is one from before this process, perhaps. */
  let isTold = true;
  let isClosed = false;
  const open = (channel: string): void => {
    const wasRefused = troubles.delete(channel);
    const [other] = troubles.values();
    if (other !== undefined && wasRefused) notices.raise(KIND, "warning", other.message);
    if (other !== undefined || !isTold) return;
    isTold = false;
    notices.clear(KIND);
  };
  const note = (channel: string, reason: string, words = ""): void => {
    const before: Omit<Trouble, "message"> = troubles.get(channel) ?? {
      refused: 0,
      pauses: 0,
      untilMs: Number.NEGATIVE_INFINITY,
    };
    const refused = before.refused + (PASSING.has(reason) ? 0 : 1);
    const isLasting = refused >= REFUSED_MAX && refused > before.refused;
    const { found, fix } = adviceOnDrop(reason, printable(words), botLogin ?? "the bot");
    const message = `Twitch does not show the bot's messages in #${channel} (${reason}): ${found}. ${asSentence(fix)}`;
    troubles.set(channel, {
      message,
      refused,
      pauses: before.pauses + Number(isLasting),
      untilMs: isLasting ? now() + backoffMs(before.pauses, 1, PAUSE) : before.untilMs,
    });
    isTold = true;
    notices.raise(KIND, "warning", message);
  };
  return {
    /** Takes what became of one message. */
    learn: (channel: string, outcome: DeliveryOutcome) => {
      if (isClosed) return;
      if (outcome.kind === "sent") return open(channel);
      if (outcome.kind === "unknown") return note(channel, "no_answer");
      if (outcome.kind === "refused") note(channel, outcome.reason, outcome.words);
      if (outcome.kind === "failed" && !OURS.has(outcome.reason)) note(channel, outcome.reason);
    },
    /** What is cut off from now on was cut off by the bot's own end. */
    close: (): void => {
      isClosed = true;
    },
    /** Nothing was let through for a while, and it is not yet time to try again: what is said now is said in vain. */
    isShut: (channel: string): boolean =>
      now() < (troubles.get(channel)?.untilMs ?? Number.NEGATIVE_INFINITY),
  };
}
