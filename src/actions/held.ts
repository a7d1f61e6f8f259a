import type { Spoken } from "../chat/normalise.ts";
import type { DeliveryOutcome, Offer } from "../twitch/delivery.ts";
import type { Decision, Facts } from "./action-policy.ts";
import { ANSWER_WITHIN_MS, SEND_WITHIN_MS, type Settled, waitMs } from "./action-policy.ts";
import { CATALOGUE, rawArgs, touchesOthers } from "./catalogue.ts";
import { type Asked, type Fixed, type GatherParts, tried } from "./gather.ts";
import type { ActionReason, EndedAs } from "./ledger-store.ts";
import type { ActionOutcome, ActionRecord, RecordParts } from "./record.ts";

/**
 * An action that waits for a yes. `text`: the question, null if the streamer is asked. `isOut`: true once the question may
 * be in chat. `askedAtMs`, `askedAs`: when Twitch took it, and its message id if Twitch gave one.
 */
export type Held = Asked &
  Fixed & { readonly text: string | null } & {
    isOut: boolean;
    askedAtMs: number | null;
    askedAs: string | null;
    expiresAtMs: number;
  };

/** Nobody reads a question and answers it faster. */
const ANSWER_AFTER_MS = 1_000;

/** What is said in the place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** To be told how the sending ended: from then on it is waited for, or it is dropped. */
  readonly sent: (outcome: DeliveryOutcome) => void;
}

/** What was taken away from chat; `ownText`: what the bot had said. */
type Withdrawal = Readonly<Record<"channel" | "userId", string | null>> &
  Readonly<{ messageIds?: readonly string[]; ownText?: string }>;

/** How the ledger calls what ended a wait; all else: withdrawn. */
const ENDED_AS: Readonly<Partial<Record<ActionReason, EndedAs>>> = {
  declined: "declined",
  refused_by_streamer: "declined",
  unanswered: "unanswered",
  overtaken: "unanswered",
  expired: "unanswered",
  replaced: "replaced",
};

/** What waits, in memory alone: a restart ends it. */
export function waitingActions(parts: GatherParts & RecordParts, record: ActionRecord) {
  const { ledger, now } = parts;
  const held = new Map<number, Held>();
  /** From here on nobody can say yes to it. */
  const take = ({ id }: Held): void => {
    held.delete(id);
    record.waiting([...held.values()]);
  };
  const end = (item: Held, reason: ActionReason): ActionOutcome => {
    take(item);
    ledger.release(item.id, "refuse", reason, ENDED_AS[reason] ?? "withdrawn");
    return record.ended(item, { kind: "refuse", reason });
  };
  const stands = (item: Held): boolean => {
    if (!held.has(item.id)) return false;
    item.isOut = true;
    item.expiresAtMs = now() + ANSWER_WITHIN_MS;
    return true;
  };
  /** What is not sent in time is dropped. Whoever reads it may answer before Twitch has said that it stands there. */
  const asQuestion = (item: Held, text: string): Question => ({
    text,
    expiresAtMs: now() + SEND_WITHIN_MS,
    onSending: () => stands(item),
    sent: (outcome) => {
      if (outcome.kind !== "sent" && outcome.kind !== "unknown")
        return void (held.has(item.id) && tried(() => end(item, "unsent")));
      if (!stands(item)) return;
      item.askedAtMs = now();
      item.askedAs = outcome.kind === "sent" ? outcome.messageId : null;
      tried(() => ledger.asked(item.id, item.expiresAtMs));
    },
  });
  return {
    all: (): readonly Held[] => [...held.values()],
    take,
    end,
    /** A newer question takes the place of one about others, and of one to the same person. */
    add: (asked: Asked, hold: Holding, facts: Facts): Question | null => {
      const added = heldItem(asked, hold, facts);
      for (const one of held.values()) if (takesPlaceOf(added, one)) end(one, "replaced");
      held.set(added.id, added);
      record.waiting([...held.values()]);
      return added.text === null ? null : asQuestion(added, added.text);
    },
    /** The question that a message may answer: one to its writer, and the one that it replies to if it is a reply. */
    openTo: (spoken: Spoken): Held | null => {
      const botId = parts.logins.bot.identity()?.userId ?? null;
      const latestMs = now() - ANSWER_AFTER_MS;
      return (
        [...held.values()].findLast(
          (item) => (item.askedAtMs ?? Infinity) <= latestMs && isAskedOf(item, spoken, botId),
        ) ?? null
      );
    },
    /** True if the requester has this very question already. */
    isOpen: ({ channel, requesterId }: Asked, settled: Settled): boolean =>
      [...held.values()].some(
        (item) =>
          item.waitsFor === "requester" &&
          item.channel === channel &&
          item.requesterId === requesterId &&
          JSON.stringify(item.settled) === JSON.stringify(settled),
      ),
    /** Ends the question to a viewer: the bot is about to send them another message. */
    overtake: (channel: string, userId: string): void => {
      for (const item of held.values())
        if (item.isOut && item.channel === channel && item.requesterId === userId)
          end(item, "overtaken");
    },
    /** What came of it; null where it waits on. */
    whyOver: (item: Held): ActionReason | null => {
      const isOver = now() >= item.expiresAtMs;
      if (item.waitsFor === "requester") return unasked(item, isOver, parts);
      const answer = isOver ? "none" : ledger.answerTo(item.id);
      const ends = { none: "expired", refuse: "refused_by_streamer", approve: "approved" } as const;
      return answer && ends[answer];
    },
    /** Ends what rests on something that was taken away. Throws as the ledger does. */
    withdraw: (removed: Withdrawal): void => {
      for (const item of held.values()) if (isAbout(item, removed)) end(item, "withdrawn");
    },
  };
}

type Holding = Extract<Decision, { kind: "hold" }> & Pick<Held, "id" | "text">;

/** As it was decided: a yes is about this, whatever changes. What others wrote is not kept for it. */
function heldItem(asked: Asked, hold: Holding, { target, policy, nowMs }: Facts): Held {
  const { id, settled, waitsFor, text } = hold;
  const parsed = { kind: "action", name: settled.call.name, args: rawArgs(settled.call) } as const;
  const request = { ...asked, parsed, index: 0, others: [], shown: [] };
  const fixed = { id, settled, waitsFor, person: target?.person ?? null };
  const expiresAtMs = nowMs + waitMs(waitsFor, policy);
  return { ...request, ...fixed, text, isOut: false, askedAtMs: null, askedAs: null, expiresAtMs };
}

function unasked({ settled, isOut }: Held, isOver: boolean, parts: GatherParts) {
  const { paused, safeMode } = parts.switches();
  const policy = parts.policy();
  if (paused) return "paused";
  if (safeMode || policy.safeMode) return "safe_mode";
  if (policy.classes[CATALOGUE[settled.call.name].class] !== "live") return "class_off";
  const unheard = isOut ? "unanswered" : "unsent";
  return isOver ? unheard : null;
}

/** A question to a moderator, not one to a viewer about their own memory. */
function isAboutOthers({ waitsFor, settled }: Held): boolean {
  return waitsFor === "requester" && touchesOthers(settled.call.name);
}

/** Else a second yes would be taken for one to the older question. */
function takesPlaceOf(newer: Held, older: Held): boolean {
  const isOne = newer.requesterId === older.requesterId;
  const areAsked = newer.waitsFor === "requester" && older.waitsFor === "requester";
  const areAboutOthers = isAboutOthers(newer) && isAboutOthers(older);
  return newer.channel === older.channel && areAsked && (isOne || areAboutOthers);
}

function isAskedOf(item: Held, { channel, person, parent }: Spoken, botId: string | null): boolean {
  const { text, askedAs } = item;
  if (item.channel !== channel || item.requesterId !== person.userId) return false;
  if (parent === null) return true;
  if (askedAs !== null) return askedAs === parent.messageId;
  // Sent by IRC, it has no id that anybody knows: then only its very words tell.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && text !== null && parent.text?.endsWith(text) === true;
}

/** Whether something that waits rests on what was taken away. A channel alone means everybody in it. */
function isAbout(item: Held, removed: Withdrawal): boolean {
  const { messageId, askedAs, settled, requesterId, text } = item;
  const { channel, userId, messageIds = [], ownText } = removed;
  const own = [messageId, askedAs, settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (channel !== item.channel) return false;
  if (ownText !== undefined) return text === ownText;
  return userId === null || userId === requesterId || userId === settled.targetId;
}
