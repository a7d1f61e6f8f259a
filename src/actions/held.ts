import type { Spoken } from "../chat/normalise.ts";
import type { DeliveryOutcome, Offer } from "../twitch/delivery.ts";
import { ANSWER_WITHIN_MS, SEND_WITHIN_MS } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Asked, Fixed, GatherParts } from "./gather.ts";
import type { EndedAs, Ledger } from "./ledger-store.ts";
import { type ActionOutcome, type ActionRecord, quietly } from "./record.ts";

/** What waits for somebody's yes, as a row of the ledger (`id`) and what only this process needs to know of it. */
export interface Held extends Fixed {
  readonly asked: Asked;
  /** The question; null where the streamer is asked. */
  readonly text: string | null;
  /** Whether the question may stand in chat, and under which id, as far as Twitch told one. */
  isOut: boolean;
  messageId: string | null;
  /** By the steady clock. */
  expiresAtMs: number;
}

/** What is said in the place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** To be told how the sending ended: from then on it is waited for, or it is dropped. */
  readonly sent: (outcome: DeliveryOutcome) => void;
}

/** What was taken away from chat; `messageIds` and `ownText` of what the bot said. */
export interface Withdrawal {
  readonly channel: string | null;
  readonly userId: string | null;
  readonly messageIds?: readonly string[];
  readonly ownText?: string;
}

/** All that ends a wait but a yes, and how the ledger calls that. A restart ends all: `settleUnfinished` there. */
const ENDED_AS = {
  declined: "declined",
  refused_by_streamer: "declined",
  unanswered: "unanswered",
  expired: "unanswered",
  replaced: "replaced",
  withdrawn: "withdrawn",
  unsent: "withdrawn",
  paused: "withdrawn",
  safe_mode: "withdrawn",
  class_off: "withdrawn",
} as const satisfies Readonly<Record<string, EndedAs>>;
type WaitEnd = keyof typeof ENDED_AS;

/** What waits, in memory alone: a restart ends it. `steadyNow`: a clock that is set back gives nothing a longer life. */
export function waitingActions(
  parts: GatherParts & { readonly ledger: Ledger },
  record: ActionRecord,
  steadyNow: () => number,
) {
  const { ledger } = parts;
  const held = new Map<number, Held>();
  const has = ({ id }: Held): boolean => held.has(id);
  const tellHeld = () => {
    const waiting = [...held.values()].filter(({ waitsFor }) => waitsFor === "streamer");
    record.waiting(waiting.map(({ id }) => id));
  };
  tellHeld();
  /** From here on nobody can say yes to it. */
  const take = (item: Held): void => {
    held.delete(item.id);
    tellHeld();
  };
  const end = (item: Held, reason: WaitEnd): ActionOutcome => {
    take(item);
    ledger.refuseHeld(item.id, reason, ENDED_AS[reason]);
    const { channel, requesterId: requestedBy } = item.asked.turn;
    if (isAboutOthers(item))
      quietly(() => record.vain(ledger.asking({ channel, requestedBy, isMemory: false }).allVain));
    return record.ended(item.asked, { kind: "refuse", reason });
  };
  const stands = (item: Held): void => {
    item.isOut = true;
    item.expiresAtMs = steadyNow() + ANSWER_WITHIN_MS;
  };
  return {
    all: (): readonly Held[] => [...held.values()],
    has,
    take,
    end,
    /** A newer question about others takes the place of an open one. */
    add: (added: Held): void => {
      const { channel } = added.asked.turn;
      for (const one of isAboutOthers(added) ? held.values() : [])
        if (isAboutOthers(one) && one.asked.turn.channel === channel) end(one, "replaced");
      held.set(added.id, added);
      tellHeld();
    },
    /** The question that a line may answer: one to whoever wrote it, which the line replies to if it is a reply. */
    openTo: (spoken: Spoken): Held | null => {
      const botId = parts.logins.bot.identity()?.userId ?? null;
      return [...held.values()].findLast((item) => isAskedOf(item, spoken, botId)) ?? null;
    },
    /** Why it waits no longer; null where it does. */
    whyOver: (item: Held): WaitEnd | null => {
      const isOver = steadyNow() >= item.expiresAtMs;
      if (item.waitsFor === "requester")
        return stopped(item, parts) ?? (isOver ? unheard(item) : null);
      if (isOver) return "expired";
      return ledger.answerTo(item.id) === "refuse" ? "refused_by_streamer" : null;
    },
    /** How it is asked: what is not sent in time is dropped, and from the sending on it is waited for. */
    asQuestion: (item: Held): Question => ({
      text: item.text ?? "",
      expiresAtMs: parts.now() + SEND_WITHIN_MS,
      onSending: () => {
        const isOpen = has(item) && !parts.switches().paused;
        // Whoever reads it may answer before Twitch has said that it stands there.
        if (isOpen) stands(item);
        return isOpen;
      },
      sent: (outcome) => {
        if (!has(item)) return;
        if (outcome.kind !== "sent" && outcome.kind !== "unknown")
          return void quietly(() => end(item, "unsent"));
        item.messageId = outcome.kind === "sent" ? outcome.messageId : null;
        stands(item);
        quietly(() => ledger.asked(item.id, parts.now() + ANSWER_WITHIN_MS));
      },
    }),
  };
}

/** What ends a question before its time. */
function stopped(item: Held, { switches, policy }: GatherParts): WaitEnd | null {
  const { paused, safeMode } = switches();
  if (paused) return "paused";
  if (safeMode || policy().safeMode) return "safe_mode";
  return policy().classes[classOf(item)] === "live" ? null : "class_off";
}

function unheard({ isOut }: Held): WaitEnd {
  return isOut ? "unanswered" : "unsent";
}

function classOf({ settled }: Held) {
  return CATALOGUE[settled.call.name].class;
}

/** A question to a moderator, not one to a viewer about their own memory. */
function isAboutOthers(item: Held): boolean {
  return item.waitsFor === "requester" && classOf(item) !== "memory";
}

function isAskedOf(
  { asked: { turn }, isOut, text, messageId }: Held,
  { channel, person, parent }: Spoken,
  botId: string | null,
): boolean {
  if (!isOut || turn.channel !== channel || turn.requesterId !== person.userId) return false;
  if (parent === null) return true;
  if (messageId !== null) return messageId === parent.messageId;
  // Sent by IRC, it has no id that anybody knows: then only its very words tell.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && text !== null && parent.text?.endsWith(text) === true;
}

/** Whether something that waits rests on what was taken away. A channel alone means everybody in it. */
export function isAbout(
  { asked: { turn }, settled, text, messageId }: Held,
  { channel, userId, messageIds = [], ownText }: Withdrawal,
): boolean {
  const own = [turn.messageId, messageId, settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (channel === null || channel !== turn.channel) return false;
  if (ownText !== undefined) return text === ownText;
  return userId === null || userId === turn.requesterId || userId === settled.targetId;
}
