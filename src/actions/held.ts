import { ACTIONS } from "../catalogue/actions.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { DeliveryOutcome, Offer } from "../twitch/delivery.ts";
import {
  ANSWER_WITHIN_MS,
  type Decision,
  type Facts,
  SEND_WITHIN_MS,
  settle,
} from "./action-policy.ts";
import { rawArgs, touchesOthers } from "./calls.ts";
import { type ActionRequest, type Fixed, type GatherParts, readOrNull } from "./gather.ts";
import type { ActionReason } from "./ledger-store.ts";
import type { ActionOutcome, ActionRecord, RecordParts } from "./record.ts";

/** An action that waits for an answer. */
export type Held = ActionRequest &
  Fixed & {
    /** The question; null if the streamer is asked. */
    readonly text: string | null;
    /** True once the question may be in chat. */
    isOut: boolean;
    /** When Twitch took the question, and its message id if Twitch gave one. */
    askedAtMs: number | null;
    askedAs: string | null;
    expiresAtMs: number;
  };

/** Nobody reads a question and answers it faster. */
const ANSWER_AFTER_MS = 1_000;

/** A question that is sent in place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** Takes how the sending ended: then an answer is awaited, or the question is dropped. */
  readonly sent: (outcome: DeliveryOutcome) => void;
}

/** What was removed from chat. `ownText`: a message of the bot. */
interface Withdrawal {
  readonly channel: string | null;
  readonly userId: string | null;
  readonly messageIds?: readonly string[];
  readonly ownText?: string;
}

/** Keeps what waits, in memory only: a restart ends it. */
export function waitingActions(parts: GatherParts & RecordParts, record: ActionRecord) {
  const { ledger, now } = parts;
  const held = new Map<number, Held>();
  /** Ends the wait: from here on no answer counts. */
  const take = ({ id }: Held): void => {
    held.delete(id);
    record.waiting([...held.values()]);
  };
  const end = (item: Held, reason: ActionReason): ActionOutcome => {
    take(item);
    ledger.release(item.id, "refuse", reason);
    return record.ended(item, { kind: "refuse", reason });
  };
  const markOut = (item: Held): boolean => {
    if (!held.has(item.id)) return false;
    item.isOut = true;
    item.expiresAtMs = now() + ANSWER_WITHIN_MS;
    return true;
  };
  return {
    all: (): readonly Held[] => [...held.values()],
    take,
    end,
    /** Adds an action. A new question replaces an open one to the same viewer, and one about others in the channel. */
    add: (asked: ActionRequest, hold: Hold, facts: Facts): Question | null => {
      const { id, settled, waitsFor, text } = hold;
      const { name } = settled.call;
      const parsed = { kind: "action", name, args: rawArgs(settled.call) } as const;
      const item: Held = {
        // What others wrote is not stored.
        ...{ ...asked, parsed, index: 0, others: [], shown: [] },
        ...{ id, settled, waitsFor, text, person: facts.target?.person ?? null },
        ...{ isOut: false, askedAtMs: null, askedAs: null },
        expiresAtMs: facts.nowMs + waitMs(waitsFor),
      };
      for (const one of held.values()) if (replaces(item, one)) end(one, "replaced");
      held.set(item.id, item);
      record.waiting([...held.values()]);
      if (item.text === null) return null;
      return {
        text: item.text,
        expiresAtMs: now() + SEND_WITHIN_MS,
        // A viewer may read the question, and answer, before Twitch has said that it took it.
        onSending: () => markOut(item),
        sent: (outcome) => {
          if (outcome.kind !== "sent" && outcome.kind !== "unknown")
            return void (held.has(item.id) && readOrNull(() => end(item, "unsent")));
          if (!markOut(item)) return;
          item.askedAtMs = now();
          item.askedAs = outcome.kind === "sent" ? outcome.messageId : null;
          readOrNull(() => ledger.asked(item.id, item.expiresAtMs));
        },
      };
    },
    /** Finds the question that a message may answer: one to its writer, and the one that a reply replies to. */
    openTo: (spoken: Spoken): Held | null => {
      const botId = parts.logins.bot.identity()?.userId ?? null;
      const latestMs = now() - ANSWER_AFTER_MS;
      return (
        [...held.values()].findLast(
          (item) => (item.askedAtMs ?? Infinity) <= latestMs && isAskedOf(item, spoken, botId),
        ) ?? null
      );
    },
    /** True if the requester was asked this very question already. A command needs no question. */
    isOpen: (asked: ActionRequest, facts: Facts): boolean => {
      const settled = asked.command?.isExact === true ? null : settle(asked, facts);
      return [...held.values()].some(
        (item) =>
          item.waitsFor === "requester" &&
          item.channel === asked.channel &&
          item.requesterId === asked.requesterId &&
          JSON.stringify(item.settled) === JSON.stringify(settled),
      );
    },
    /** Ends the question to a viewer, since the bot is about to send them another message. */
    overtake: (channel: string, userId: string): void => {
      for (const item of held.values())
        if (item.isOut && item.channel === channel && item.requesterId === userId)
          end(item, "overtaken");
    },
    /** Says why a wait is over; null if it goes on. */
    whyOver: (item: Held): ActionReason | null => {
      const isOver = now() >= item.expiresAtMs;
      if (item.waitsFor === "requester") return whyUnasked(item, isOver, parts);
      const answer = isOver ? "none" : ledger.answerTo(item.id);
      const ends = { none: "expired", refuse: "refused_by_streamer", approve: "approved" } as const;
      return answer && ends[answer];
    },
    /** Ends what depends on a removed message or viewer. Throws as the ledger does. */
    withdraw: (removed: Withdrawal): void => {
      for (const item of held.values()) if (dependsOn(item, removed)) end(item, "withdrawn");
    },
  };
}

type Hold = Extract<Decision, { kind: "hold" }> & Pick<Held, "id" | "text">;

/** Says why a question to the requester ends without an answer; null if it stays open. */
function whyUnasked({ settled, isOut }: Held, isOver: boolean, parts: GatherParts) {
  const { paused, safeMode } = parts.switches();
  const policy = parts.policy();
  if (paused) return "paused";
  if (safeMode || policy.safeMode) return "safe_mode";
  if (policy.classes[ACTIONS[settled.call.name].class] !== "live") return "class_off";
  if (!isOver) return null;
  return isOut ? "unanswered" : "unsent";
}

/** How long an action waits for the streamer. */
const APPROVE_WITHIN_MS = 120_000;

/** Returns the longest wait for an answer, as long as a question was not sent yet. */
export function waitMs(waitsFor: Held["waitsFor"]): number {
  return waitsFor === "streamer" ? APPROVE_WITHIN_MS : SEND_WITHIN_MS + ANSWER_WITHIN_MS;
}

/** Otherwise a second yes would count for the older question. */
function replaces(newer: Held, older: Held): boolean {
  const areAsked = [newer, older].every(({ waitsFor }) => waitsFor === "requester");
  const areAboutOthers = [newer, older].every(({ settled }) => touchesOthers(settled.call.name));
  const isOne = newer.requesterId === older.requesterId;
  return newer.channel === older.channel && areAsked && (isOne || areAboutOthers);
}

function isAskedOf(item: Held, { channel, person, parent }: Spoken, botId: string | null): boolean {
  const { text, askedAs } = item;
  if (item.channel !== channel || item.requesterId !== person.userId) return false;
  if (parent === null) return true;
  if (askedAs !== null) return askedAs === parent.messageId;
  // A question sent by IRC has no known id: only its text identifies it.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && text !== null && parent.text?.endsWith(text) === true;
}

/** True if something that waits depends on what was removed. A channel alone means every viewer in it. */
function dependsOn(item: Held, removed: Withdrawal): boolean {
  const { messageId, askedAs, settled, requesterId, text } = item;
  const { channel, userId, messageIds = [], ownText } = removed;
  const own = [messageId, askedAs, settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (channel !== item.channel) return false;
  if (ownText !== undefined) return text === ownText;
  return userId === null || userId === requesterId || userId === settled.targetId;
}
