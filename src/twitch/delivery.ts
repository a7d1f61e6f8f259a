import { BoundedMap } from "../bounded-map.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Wait } from "./bounded-call.ts";
import type { HelixReason } from "./helix.ts";
import { getChannel, type OutgoingMessage, type WireMessage } from "./wire.ts";

/** Result of one attempt to send a message, by Helix or by IRC. */
export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string | null }
  /** Twitch dropped the message. `reason` is its code, such as `msg_duplicate`; `words` its explanation. */
  | { readonly kind: "refused"; readonly reason: string; readonly words?: string }
  /** The message may have arrived: no clear answer came back. */
  | { readonly kind: "unknown" }
  /** The message did not arrive. */
  | { readonly kind: "failed"; readonly reason: FailReason };

export type FailReason = HelixReason | "not_connected" | "unsafe_text" | "anonymous" | "queue_full";

export type DeliveryOutcome =
  | (Extract<SendResult, { kind: "sent" }> & { readonly via: "helix" | "irc" })
  | Exclude<SendResult, { kind: "sent" }>
  /** The message expired while it waited, or the outbox closed. */
  | { readonly kind: "expired" }
  /** The channel got the same text within the last 30 s. */
  | { readonly kind: "duplicate" }
  /** `onSending` returned false. */
  | { readonly kind: "withdrawn" };

type Send = (message: OutgoingMessage) => SendResult | Promise<SendResult>;

/** The two ways to Twitch. */
export interface SendRoutes {
  /** Null: the bot sends only by IRC. */
  readonly sendHelix: Send | null;
  readonly sendIrc: Send;
  /** Never runs backwards. */
  readonly now: () => number;
  readonly log: Log;
}

/** A message to send before it expires. */
export interface Offer extends OutgoingMessage {
  /** Epoch ms. */
  readonly expiresAtMs: number;
  /** Number of sends in Twitch's window that this message leaves to others; default 0. */
  readonly leaves?: number;
  /** Called right before each attempt: twice if IRC is tried after Helix. False withdraws the message. */
  readonly onSending: () => boolean;
}

/** Failures that concern Helix alone: the message was not sent, and IRC may work. */
const IRC_CAN_HELP: ReadonlySet<string> = new Set<HelixReason>([
  "unauthorised",
  "missing_scope",
  "forbidden",
  "not_found",
  "rate_limited",
  "network",
]);

/**
 * Sends a message by Helix; by IRC if there is no Helix, or if Helix failed and IRC may work. Never sends by IRC what
 * Helix may have sent. Checks the time only between the two, and then returns `expired`. Returns `withdrawn` if
 * `onSending` returns false or throws, and `unknown` after another bug. Never rejects.
 */
export async function deliver(routes: SendRoutes, offer: Offer): Promise<DeliveryOutcome> {
  const { sendHelix, sendIrc, now, log } = routes;
  const { channel, text, replyTo } = offer;
  try {
    if (sendHelix !== null) {
      if (!maySend(offer, log)) return { kind: "withdrawn" };
      const result = await sendHelix({ channel, text, replyTo });
      if (result.kind === "sent") return { ...result, via: "helix" };
      if (result.kind !== "failed" || !IRC_CAN_HELP.has(result.reason)) return result;
      log.debug({ reason: result.reason }, "twitch: Helix did not send, trying IRC");
      if (now() >= offer.expiresAtMs) return { kind: "expired" };
    }
    if (!maySend(offer, log)) return { kind: "withdrawn" };
    const result = await sendIrc({ channel, text, replyTo });
    return result.kind === "sent" ? { ...result, via: "irc" } : result;
  } catch (error) {
    // A bug, which does not say whether the message left. The error's text could quote the message.
    log.error({ ...describeBug(error) }, "twitch: sending failed unexpectedly");
    return { kind: "unknown" };
  }
}

function maySend({ onSending }: Offer, log: Log): boolean {
  try {
    return onSending();
  } catch (error) {
    log.error({ ...describeBug(error) }, "twitch: a message could not be marked, not sent");
    return false;
  }
}

/** Twitch answers within a round trip. A server that is silent for longer is taken to have accepted. */
const VERDICT_MS_MAX = 1_500;
/** Ids of notices that refuse a message (https://dev.twitch.tv/docs/chat/irc/#notice-message-ids). */
const REFUSING =
  /^(?:msg_[a-z0-9_]{1,60}|no_permission|invalid_parent|tos_ban|unavailable_command|unrecognized_cmd)$/;

/**
 * Sends by IRC and waits for Twitch's verdict. Twitch answers a PRIVMSG with a USERSTATE if it accepts it, and with a
 * NOTICE if not. Neither names the message, so it concerns the last one in the channel: one at a time may be sent
 * there.
 */
export class IrcSender {
  readonly #send: (message: OutgoingMessage) => SendResult;
  readonly #wait: Wait;
  /** Messages that wait for their verdict, by channel. */
  readonly #pending = new Map<string, (verdict: SendResult) => void>();
  #isClosed = false;

  constructor(send: (message: OutgoingMessage) => SendResult, wait: Wait) {
    this.#send = send;
    this.#wait = wait;
  }

  /**
   * Sends a message and returns Twitch's verdict. Without a verdict in 1.5 s the message counts as sent. The caller
   * must have awaited the channel's last send.
   */
  async send(message: OutgoingMessage): Promise<SendResult> {
    let outcome = this.#send(message);
    if (outcome.kind !== "sent" || this.#isClosed) return outcome;
    const { channel } = message;
    const heard = new AbortController();
    this.#pending.set(channel, (verdict) => {
      // Only a refusal may follow a USERSTATE.
      if (heard.signal.aborted && verdict.kind !== "refused") return;
      outcome = verdict;
      heard.abort();
    });
    await this.#wait(VERDICT_MS_MAX, heard.signal);
    this.#pending.delete(channel);
    return outcome;
  }

  /** Call it with every message from Twitch: a verdict settles the send in its channel. */
  receive(message: WireMessage): void {
    const settle = this.#pending.get(getChannel(message));
    if (settle === undefined) return;
    const reason = message.command === "NOTICE" ? (message.tags["msg-id"] ?? "") : "";
    if (message.command === "USERSTATE") settle({ kind: "sent", messageId: null });
    if (REFUSING.test(reason)) settle({ kind: "refused", reason, words: message.params[1] ?? "" });
  }

  /** Settles every send in progress as `unknown`: the connection is lost. */
  lost(): void {
    for (const settle of this.#pending.values()) settle({ kind: "unknown" });
  }

  /** Stops waiting: messages in progress, and later ones that leave, count as sent. */
  close(): void {
    this.#isClosed = true;
    for (const settle of this.#pending.values()) settle({ kind: "sent", messageId: null });
  }
}

/** A message of the account waits this long for the id of one in progress. */
const ID_WAIT_MS = 5_000;
/** Twitch shows a message within seconds. */
const ECHO_MS = 60_000;
/** More than Twitch allows a minute. */
const SENT_MAX = 500;

/**
 * Knows which messages of the bot's account this program sent: by id, or by text if Twitch gave no id. A person or
 * another program wrote the others.
 */
export class OwnMessages {
  readonly #now: () => number;
  readonly #wait: Wait;
  /** Their age does not count: after a sleep Twitch sends old messages. */
  readonly #sentIds = new BoundedMap<string, true>(SENT_MAX);
  readonly #sentTexts = new BoundedMap<string, true>(SENT_MAX, ECHO_MS);
  readonly #pending = new Set<Promise<unknown>>();

  constructor(now: () => number, wait: Wait) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Sends a message with `send` and returns the result. Records it as this program's if it arrived or may have. */
  async track(message: OutgoingMessage, send: Send): Promise<SendResult> {
    const sending = Promise.resolve(send(message));
    this.#pending.add(sending);
    try {
      const result = await sending;
      const id = result.kind === "sent" ? result.messageId : null;
      if (id !== null) this.#sentIds.set(id, true);
      else if (result.kind === "sent" || result.kind === "unknown")
        this.#sentTexts.set(message.text, true, this.#now());
      return result;
    } finally {
      this.#pending.delete(sending);
    }
  }

  /** Resolves when every send in progress has ended, after 5 s at most. Returns null if none is in progress. */
  settled(): Promise<unknown> | null {
    if (this.#pending.size === 0) return null;
    const given = new AbortController();
    const all = Promise.allSettled(this.#pending).then(() => given.abort());
    return Promise.race([all, this.#wait(ID_WAIT_MS, given.signal)]);
  }

  /**
   * True if this program sent a message with this id, or in the last minute one with this whole text that got no id. A
   * leading `@name` does not count: Twitch puts it before the text of a reply.
   */
  isOwn(messageId: string | null, text: string): boolean {
    if (messageId !== null && this.#sentIds.get(messageId) === true) return true;
    const unnamed = text.replace(/^@\S+ /u, "");
    return this.#sentTexts.keys(this.#now()).some((one) => one === text || one === unnamed);
  }
}
