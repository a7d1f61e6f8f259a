import type { Spoken } from "../chat/normalise.ts";
import type { DeliveryOutcome, Offer } from "../twitch/delivery.ts";
import {
  ANSWER_WITHIN_MS,
  type Decision,
  type Facts,
  SEND_WITHIN_MS,
  waitMs,
} from "./action-policy.ts";
import { CATALOGUE, rawArgs } from "./catalogue.ts";
import { type Asked, type Fixed, type GatherParts, tried } from "./gather.ts";
import type { ActionReason, EndedAs, Ledger } from "./ledger-store.ts";
import type { ActionOutcome, ActionRecord } from "./record.ts";

/** What waits for somebody's yes, as a row of the ledger (`fixed`) and what only this process needs to know of it. */
export interface Held extends Asked {
  readonly fixed: Fixed;
  /** The question; null where the streamer is asked. */
  readonly text: string | null;
  /** Whether the question may stand in chat, and under which id, as far as Twitch told one. */
  isOut: boolean;
  askedAs: string | null;
  expiresAtMs: number;
}

/** What is said in the place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** To be told how the sending ended: from then on it is waited for, or it is dropped. */
  readonly sent: (outcome: DeliveryOutcome) => void;
}

/** What was taken away from chat; `messageIds` and `ownText` of what the bot said. */
interface Withdrawal {
  readonly channel: string | null;
  readonly userId: string | null;
  readonly messageIds?: readonly string[];
  readonly ownText?: string;
}

/** How the ledger calls what ended a wait; all else: withdrawn. A restart ends all: `settleUnfinished` there. */
const ENDED_AS: Readonly<Partial<Record<ActionReason, EndedAs>>> = {
  declined: "declined",
  refused_by_streamer: "declined",
  unanswered: "unanswered",
  expired: "unanswered",
  replaced: "replaced",
};

/** What waits, in memory alone: a restart ends it. */
export function waitingActions(
  parts: GatherParts & { readonly ledger: Ledger },
  record: ActionRecord,
) {
  const { ledger, now } = parts;
  const held = new Map<number, Held>();
  const tellHeld = () => record.waiting([...held.values()].map(({ fixed }) => fixed));
  /** From here on nobody can say yes to it. */
  const take = ({ fixed }: Held): void => {
    held.delete(fixed.id);
    tellHeld();
  };
  const end = (item: Held, reason: ActionReason): ActionOutcome => {
    take(item);
    ledger.refuseHeld(item.fixed.id, reason, ENDED_AS[reason] ?? "withdrawn");
    if (isAboutOthers(item)) record.vain(item);
    return record.ended(item, { kind: "refuse", reason });
  };
  const isOpen = ({ fixed }: Held) => held.has(fixed.id);
  const stands = (item: Held): void => {
    item.isOut = true;
    item.expiresAtMs = now() + ANSWER_WITHIN_MS;
  };
  /** How it is asked: what is not sent in time is dropped, and from the sending on it is waited for. */
  const asQuestion = (item: Held, text: string): Question => ({
    text,
    expiresAtMs: now() + SEND_WITHIN_MS,
    onSending: () => {
      // Whoever reads it may answer before Twitch has said that it stands there.
      if (isOpen(item)) stands(item);
      return isOpen(item);
    },
    sent: (outcome) => {
      if (!isOpen(item)) return;
      if (outcome.kind !== "sent" && outcome.kind !== "unknown")
        return void tried(() => end(item, "unsent"));
      item.askedAs = outcome.kind === "sent" ? outcome.messageId : null;
      stands(item);
      tried(() => ledger.asked(item.fixed.id, now() + ANSWER_WITHIN_MS));
    },
  });
  return {
    all: (): readonly Held[] => [...held.values()],
    take,
    end,
    /** Fixed as it was decided. A newer question takes the place of one about others, and of one to the same person. */
    add: (asked: Asked, hold: Holding, facts: Facts): Question | null => {
      const added = heldItem(asked, hold, facts);
      for (const one of held.values()) if (takesPlaceOf(added, one)) end(one, "replaced");
      held.set(hold.id, added);
      tellHeld();
      return added.text === null ? null : asQuestion(added, added.text);
    },
    /** The question that a line may answer: one to whoever wrote it, which the line replies to if it is a reply. */
    openTo: (spoken: Spoken): Held | null => {
      const botId = parts.logins.bot.identity()?.userId ?? null;
      return [...held.values()].findLast((item) => isAskedOf(item, spoken, botId)) ?? null;
    },
    /** What came of it; null where it waits on. */
    whyOver: (item: Held): ActionReason | null => {
      const isOver = now() >= item.expiresAtMs;
      if (item.fixed.waitsFor === "requester") return unasked(item, isOver, parts);
      const answer = isOver ? "none" : ledger.answerTo(item.fixed.id);
      const ends = { none: "expired", refuse: "refused_by_streamer", approve: "approved" } as const;
      return answer && ends[answer];
    },
    /** Ends what rests on something that was taken away. Throws as the ledger does. */
    withdraw: (removed: Withdrawal): void => {
      for (const item of held.values()) if (isAbout(item, removed)) end(item, "withdrawn");
    },
  };
}

/** What is to be held: under which number of the ledger, and by which question. */
type Holding = Extract<Decision, { kind: "hold" }> & Pick<Held, "text"> & { readonly id: number };

/** As it was decided: a yes is about this, whatever changes. What others wrote is not kept for it. */
function heldItem(asked: Asked, hold: Holding, { target, policy, nowMs }: Facts): Held {
  const { id, settled, waitsFor, text } = hold;
  const { name } = settled.call;
  const parsed = { kind: "action", name, args: rawArgs(settled.call) } as const;
  const person = target?.kind === "found" ? target.person : null;
  const request = { ...asked, parsed, index: 0, fixed: { id, settled, waitsFor, person } };
  const expiresAtMs = nowMs + waitMs(waitsFor, policy);
  return { ...request, others: [], shown: [], text, isOut: false, askedAs: null, expiresAtMs };
}

/** Why a question is not waited for any longer. */
function unasked(item: Held, isOver: boolean, parts: GatherParts): ActionReason | null {
  const { paused, safeMode } = parts.switches();
  const policy = parts.policy();
  if (paused) return "paused";
  if (safeMode || policy.safeMode) return "safe_mode";
  const { class: actionClass } = CATALOGUE[item.fixed.settled.call.name];
  if (policy.classes[actionClass] !== "live") return "class_off";
  const unheard = item.isOut ? "unanswered" : "unsent";
  return isOver ? unheard : null;
}

/** A question to a moderator, not one to a viewer about their own memory. */
function isAboutOthers({ fixed: { waitsFor, settled } }: Held): boolean {
  return waitsFor === "requester" && CATALOGUE[settled.call.name].class !== "memory";
}

/** Else a second yes would be taken for one to the older question. */
function takesPlaceOf(newer: Held, older: Held): boolean {
  const isOne = newer.requesterId === older.requesterId;
  const isAsked = [newer, older].every(({ fixed }) => fixed.waitsFor === "requester");
  const areAboutOthers = isAboutOthers(newer) && isAboutOthers(older);
  return newer.channel === older.channel && isAsked && (isOne || areAboutOthers);
}

function isAskedOf(item: Held, { channel, person, parent }: Spoken, botId: string | null): boolean {
  const { isOut, text, askedAs } = item;
  if (!isOut || item.channel !== channel || item.requesterId !== person.userId) return false;
  if (parent === null) return true;
  if (askedAs !== null) return askedAs === parent.messageId;
  // Sent by IRC, it has no id that anybody knows: then only its very words tell.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && text !== null && parent.text?.endsWith(text) === true;
}

/** Whether something that waits rests on what was taken away. A channel alone means everybody in it. */
function isAbout(item: Held, removed: Withdrawal): boolean {
  const { settled } = item.fixed;
  const { channel, userId, messageIds = [], ownText } = removed;
  const own = [item.messageId, item.askedAs, settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (channel !== item.channel) return false;
  if (ownText !== undefined) return item.text === ownText;
  return userId === null || userId === item.requesterId || userId === settled.targetId;
}
