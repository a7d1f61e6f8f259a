import { ACTIONS } from "../catalogue/actions.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { RemovedText } from "../chat/removal.ts";
import type { DeliveryOutcome } from "../twitch/delivery.ts";
import { type Facts, needsModerator, settle } from "./action-policy.ts";
import {
  type ActionRequest,
  type GatherParts,
  type Hold,
  readActionPolicy,
  readOrNull,
} from "./gather.ts";
import type { ActionReason } from "./ledger-store.ts";
import type { ActionOutcome, ActionRecord } from "./record.ts";

/** An action that waits for an answer. */
export type Held = ActionRequest &
  Hold & {
    /** The question; null if the streamer is asked. */
    readonly text: string | null;
    /** True once the question may be in chat. */
    isOut: boolean;
    /** When Twitch took the question, and its message id if Twitch gave one. */
    askedAtMs: number | null;
    askedAs: string | null;
    expiresAtMs: number;
  };

/** A question that is sent in place of the model's reply. */
export interface Question {
  readonly text: string;
  /** It is not sent from this moment on, epoch ms. */
  readonly expiresAtMs: number;
  /** Call it right before each attempt to send. False withdraws the question. */
  readonly onSending: () => boolean;
  /** Takes how the sending ended: then an answer is awaited, or the question is dropped. */
  readonly sent: (outcome: DeliveryOutcome) => void;
}

/** A faster answer cannot be one to the question. */
const ANSWER_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 60_000;
const SEND_WITHIN_MS = 5_000;
/** The longest wait for an answer. The requester's begins before the question is sent. */
export const WAIT_MS = { requester: SEND_WITHIN_MS + ANSWER_WITHIN_MS, streamer: 120_000 };

/** Keeps what waits, in memory only: a restart ends it. */
export function createWaitingActions(parts: GatherParts, record: ActionRecord) {
  const { ledger, now } = parts;
  const held = new Map<number, Held>();
  /** Ends the wait: from here on no answer counts. */
  const take = ({ id }: Held): void => {
    held.delete(id);
    record.waiting([...held.values()]);
  };
  const end = (item: Held, reason: ActionReason): ActionOutcome | null => {
    take(item);
    const isReleased = record.write(() => ledger.release(item.id, "refuse", reason));
    return isReleased ? record.ended(item, { kind: "refuse", reason }) : null;
  };
  const endEach = (reason: ActionReason, isMeant: (item: Held) => boolean): void => {
    for (const item of held.values()) if (isMeant(item)) end(item, reason);
  };
  const markOut = (item: Held): boolean => {
    if (!held.has(item.id)) return false;
    item.isOut = true;
    item.expiresAtMs = now() + ANSWER_WITHIN_MS;
    return true;
  };
  const markSent = (item: Held, outcome: DeliveryOutcome): void => {
    if (outcome.kind !== "sent" && outcome.kind !== "unknown")
      return void (held.has(item.id) && end(item, "unsent"));
    if (!markOut(item)) return;
    item.askedAtMs = now();
    item.askedAs = outcome.kind === "sent" ? outcome.messageId : null;
    readOrNull(() => ledger.asked(item.id, item.expiresAtMs));
  };
  return {
    all: (): readonly Held[] => [...held.values()],
    take,
    end,
    /** Adds an action. A new question replaces an open one to the same viewer, and one about others in the channel. */
    add: (asked: ActionRequest, fixed: Hold, text: string | null): Question | null => {
      const parsed = { kind: "action", ...fixed.settled.call } as const;
      const item: Held = {
        // What others wrote is not stored.
        ...{ ...asked, parsed, index: 0, others: [], shown: [] },
        ...{ ...fixed, text, isOut: false, askedAtMs: null, askedAs: null },
        expiresAtMs: now() + WAIT_MS[fixed.waitsFor],
      };
      endEach("replaced", (older) => replaces(item, older));
      held.set(item.id, item);
      record.waiting([...held.values()]);
      if (text === null) return null;
      const expiresAtMs = now() + SEND_WITHIN_MS;
      // A viewer may read the question, and answer, before Twitch has said that it took it.
      const onSending = () => markOut(item);
      return { text, expiresAtMs, onSending, sent: (outcome) => markSent(item, outcome) };
    },
    /** Finds the question that a message may answer: one to its writer, and the one that a reply replies to. */
    openTo: (spoken: Spoken): Held | null => {
      const botId = parts.api()?.identity()?.userId ?? null;
      const latestMs = now() - ANSWER_AFTER_MS;
      const isOpen = (item: Held) => (item.askedAtMs ?? Infinity) <= latestMs;
      const all = [...held.values()];
      return all.findLast((item) => isOpen(item) && isQuestionTo(item, spoken, botId)) ?? null;
    },
    /** True if the requester was asked this very question already. A command needs no question. */
    isOpen: (asked: ActionRequest, facts: Facts): boolean => {
      const settled = asked.command?.isExact === true ? null : settle(asked, facts);
      const isSame = (item: Held) => JSON.stringify(item.settled) === JSON.stringify(settled);
      return [...held.values()].some(
        (item) => item.waitsFor === "requester" && hasRequester(item, asked) && isSame(item),
      );
    },
    /** Ends the question to a viewer, since the bot is about to send them another message. */
    overtake: (channel: string, requesterId: string): void =>
      endEach("overtaken", (item) => item.isOut && hasRequester(item, { channel, requesterId })),
    /** Returns why a wait is over; null as long as it lasts. */
    whyOver: (item: Held): ActionReason | null => {
      const isOver = now() >= item.expiresAtMs;
      if (item.waitsFor === "requester")
        return readOrNull(() => findEndReason(item, isOver, parts));
      if (isOver) return "expired";
      const answer = readOrNull(() => ledger.answerTo(item.id));
      return answer && (answer === "approve" ? "approved" : "refused_by_streamer");
    },
    /** Ends what depends on a removed message or viewer. */
    withdraw: (removed: RemovedText): void =>
      endEach("withdrawn", (item) => isAffected(item, removed)),
    /** Ends a question whose own message was deleted. */
    ownDeleted: (channel: string, text: string): void =>
      endEach("withdrawn", (item) => item.channel === channel && item.text === text),
  };
}

/** Says why a question to the requester ends without an answer; null if it stays open. */
function findEndReason({ settled, isOut }: Held, isOver: boolean, parts: GatherParts) {
  const { paused, safeMode } = parts.switches();
  const policy = readActionPolicy(parts.config);
  if (paused) return "paused";
  if (safeMode || policy.safeMode) return "safe_mode";
  if (policy.classes[ACTIONS[settled.call.name].class] !== "live") return "class_off";
  if (!isOver) return null;
  return isOut ? "unanswered" : "unsent";
}

type Requester = Readonly<Record<"channel" | "requesterId", string>>;

function hasRequester(item: Held, { channel, requesterId }: Requester): boolean {
  return item.channel === channel && item.requesterId === requesterId;
}

/** Otherwise a second yes would count for the older question. */
function replaces(newer: Held, older: Held): boolean {
  const areAsked = [newer, older].every(({ waitsFor }) => waitsFor === "requester");
  const areAboutOthers = [newer, older].every(({ settled }) => needsModerator(settled.call.name));
  const isRelated = hasRequester(newer, older) || areAboutOthers;
  return newer.channel === older.channel && areAsked && isRelated;
}

function isQuestionTo(
  item: Held,
  { channel, person, parent }: Spoken,
  botId: string | null,
): boolean {
  if (!hasRequester(item, { channel, requesterId: person.userId })) return false;
  if (parent === null) return true;
  if (item.askedAs !== null) return item.askedAs === parent.messageId;
  // A question sent by IRC has no known id: only its text identifies it.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && item.text !== null && parent.text?.endsWith(item.text) === true;
}

/** Returns true if a removal concerns the request, the question, the requester or the target. */
function isAffected(item: Held, { removal, userId, messageIds }: RemovedText): boolean {
  const own = [item.messageId, item.askedAs, item.settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (removal.by === "message" || removal.channel !== item.channel) return false;
  const removedId = removal.by === "person" ? (removal.userId ?? userId) : null;
  const people = [item.requesterId, item.settled.targetId];
  return removal.by === "channel" || (removedId !== null && people.includes(removedId));
}
