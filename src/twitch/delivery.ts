import type { Log } from "../log.ts";
import type { SendOutcome } from "./chat.ts";
import type { HelixReason } from "./helix-call.ts";
import type { IrcOutcome } from "./irc-verdict.ts";
import type { OutgoingMessage } from "./privmsg.ts";
import type { SendResult } from "./send-result.ts";

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

export type Outcome =
  | { readonly kind: "sent"; readonly messageId: string | null; readonly via: "helix" | "irc" }
  /** Its time ran out while it waited, or the outbox closed. */
  | { readonly kind: "expired" }
  /** The channel had the same text within the last 30 s. */
  | { readonly kind: "duplicate" }
  /** `onSending` said no. */
  | { readonly kind: "withdrawn" }
  /** Twitch dropped it; `reason` is Twitch's code. */
  | { readonly kind: "refused"; readonly reason: string }
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
export async function deliver(carriers: Carriers, offer: Offer): Promise<Outcome> {
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
async function tryHelix(carriers: Carriers, offer: Offer): Promise<Outcome | null> {
  if (carriers.sendHelix === null) return null;
  if (!mayGo(carriers, offer)) return { kind: "withdrawn" };
  const result = await carriers.sendHelix(messageIn(offer));
  if (result.kind === "sent") return { ...result, via: "helix" };
  if (result.kind !== "failed" || !IRC_CAN_HELP.has(result.reason)) return result;
  carriers.log.debug({ reason: result.reason }, "twitch: Helix did not send, trying IRC");
  return carriers.now() >= offer.expiresAtMs ? { kind: "expired" } : null;
}

async function tryIrc(carriers: Carriers, offer: Offer): Promise<Outcome> {
  const outcome = await carriers.sendIrc(messageIn(offer));
  if (outcome.sent) return { kind: "sent", messageId: null, via: "irc" };
  if (outcome.reason === "lost") return { kind: "unknown" };
  if (outcome.reason === "refused") return { kind: "refused", reason: outcome.code };
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
