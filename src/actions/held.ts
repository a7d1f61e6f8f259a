import type { Spoken } from "../chat/normalise.ts";
import type { Offer, Outcome } from "../twitch/delivery.ts";
import type { ActionNotices } from "./action-notices.ts";
import type { ActionPolicy, WaitsFor } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { ActionTurn, Asked, Fixed, GatherParts } from "./gather.ts";
import type { ActionReason, EndedAs, Ledger } from "./ledger-store.ts";

/** What waits for somebody's yes. */
export interface Held {
  readonly id: number;
  readonly asked: Asked;
  readonly fixed: Omit<Fixed, "isApproved">;
  readonly waitsFor: WaitsFor;
  readonly isMemory: boolean;
  /** By the steady clock. */
  expiresAtMs: number;
  /** Null where the streamer is asked. */
  readonly question: { readonly text: string; isOut: boolean; messageId: string | null } | null;
}

/** What is said in the place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** To be told how the sending ended: from then on it is waited for, or it is dropped. */
  readonly sent: (outcome: Outcome) => void;
}

/** What was taken away from chat; `messageIds` and `ownText` of what the bot said. */
export interface Withdrawal {
  readonly channel: string | null;
  readonly userId: string | null;
  readonly messageIds?: readonly string[];
  readonly ownText?: string;
}

const SEND_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 30_000;

/** How long an answer is waited for at the most, as long as a question was not sent yet. */
export function waitMs(waitsFor: WaitsFor, { approvalSeconds }: ActionPolicy): number {
  return waitsFor === "streamer" ? approvalSeconds * 1_000 : SEND_WITHIN_MS + ANSWER_WITHIN_MS;
}

interface HeldParts extends Pick<GatherParts, "switches" | "policy" | "logins" | "now"> {
  readonly ledger: Ledger;
  readonly tell: ActionNotices;
  /** Ages are measured by it: a clock that is set back gives nothing a longer life. */
  readonly steadyNow: () => number;
}

/** What waits, in memory alone: a restart ends it. */
export function heldActions({ ledger, tell, steadyNow, ...parts }: HeldParts) {
  const held = new Map<number, Held>();
  const tellHeld = () => {
    const waiting = [...held.values()].filter(({ waitsFor }) => waitsFor === "streamer");
    quietly(() => tell.held(waiting.map(({ id }) => id)));
  };
  tellHeld();
  const questionsIn = (channel: string): Held[] =>
    [...held.values()].filter(
      ({ asked, question }) => question !== null && asked.turn.channel === channel,
    );
  /** From here on nobody can say yes to it. */
  const take = (item: Held): void => {
    held.delete(item.id);
    tellHeld();
  };
  const end = (item: Held, reason: ActionReason, endedAs: EndedAs): void => {
    take(item);
    ledger.refuseHeld(item.id, reason, endedAs);
    if (item.question === null || item.isMemory) return;
    const { channel, requesterId } = item.asked.turn;
    const asking = { channel, requestedBy: requesterId, isMemory: false };
    quietly(() => tell.asking(ledger.asking(asking).allVain));
  };
  return {
    all: (): readonly Held[] => [...held.values()],
    waits: ({ id }: Held): boolean => held.has(id),
    take,
    end,
    /** A newer question about others takes the place of an open one; says which. */
    add: (item: Held): readonly Held[] => {
      const isAboutOthers = item.question !== null && !item.isMemory;
      const older = questionsIn(item.asked.turn.channel).filter((one) => !one.isMemory);
      const replaced = isAboutOthers ? older : [];
      for (const one of replaced) end(one, "replaced", "replaced");
      held.set(item.id, item);
      tellHeld();
      return replaced;
    },
    isMemoryOpen: ({ channel, requesterId }: ActionTurn): boolean =>
      questionsIn(channel).some(
        ({ asked, isMemory }) => isMemory && asked.turn.requesterId === requesterId,
      ),
    /** The question that a line may answer: one to whoever wrote it, which the line replies to if it is a reply. */
    openTo: ({ channel, person, parent }: Spoken): Held | null => {
      const botId = parts.logins.bot.identity()?.userId ?? null;
      const own = questionsIn(channel).filter(
        ({ asked, question }) =>
          asked.turn.requesterId === person.userId && question?.isOut === true,
      );
      const meant = parent === null ? own : own.filter((item) => isReplyTo(item, parent, botId));
      return meant.at(-1) ?? null;
    },
    asQuestion: (item: Held, text: string): Question => {
      const drop = () => end(item, "unsent", "withdrawn");
      const given = { ...parts, ledger, steadyNow };
      return questionOf(item, text, given, [() => held.has(item.id), drop]);
    },
    /** What ends a question by itself. */
    stopped: ({ fixed }: Held): "paused" | "safe_mode" | "class_off" | null => {
      const { paused, safeMode } = parts.switches();
      if (paused) return "paused";
      const policy = parts.policy();
      if (safeMode || policy.safeMode) return "safe_mode";
      const gate = policy.classes[CATALOGUE[fixed.settled.call.name].class];
      return gate === "live" ? null : "class_off";
    },
  };
}

/** How it is asked: what is not sent in time is dropped (`drop`), and from the sending on it is waited for. */
function questionOf(
  item: Held,
  text: string,
  { ledger, steadyNow, switches, now }: Omit<HeldParts, "tell">,
  [waits, drop]: readonly [() => boolean, () => void],
): Question {
  const { question } = item;
  return {
    text,
    expiresAtMs: now() + SEND_WITHIN_MS,
    onSending: () => {
      if (!waits() || question === null || switches().paused) return false;
      // Whoever reads it may answer before Twitch has said that it stands there.
      question.isOut = true;
      item.expiresAtMs = steadyNow() + ANSWER_WITHIN_MS;
      return true;
    },
    sent: (outcome) => {
      if (!waits() || question === null) return;
      if (outcome.kind !== "sent" && outcome.kind !== "unknown") return void quietly(drop);
      question.messageId = outcome.kind === "sent" ? outcome.messageId : null;
      item.expiresAtMs = steadyNow() + ANSWER_WITHIN_MS;
      quietly(() => ledger.asked(item.id, now() + ANSWER_WITHIN_MS));
    },
  };
}

function isReplyTo(
  { question }: Held,
  parent: NonNullable<Spoken["parent"]>,
  botId: string | null,
): boolean {
  if (question === null) return false;
  if (question.messageId !== null) return question.messageId === parent.messageId;
  // Sent by IRC, it has no id that anybody knows: then only its very words tell.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && parent.text?.endsWith(question.text) === true;
}

/** Whether something that waits rests on what was taken away. A channel alone means everybody in it. */
export function isAbout(
  { asked: { turn }, fixed, question }: Held,
  { channel, userId, messageIds = [], ownText }: Withdrawal,
): boolean {
  const own = [turn.messageId, question?.messageId, fixed.settled.messageId];
  if (own.some((id) => id != null && messageIds.includes(id))) return true;
  if (channel === null || channel !== turn.channel) return false;
  if (ownText !== undefined) return question?.text === ownText;
  return userId === null || userId === turn.requesterId || userId === fixed.settled.targetId;
}

/** False where the database is out of order; that must not stop anything else. */
export function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
