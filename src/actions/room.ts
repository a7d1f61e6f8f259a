import type { Spoken } from "../chat/normalise.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { steadyClock } from "../platform/steady-clock.ts";
import { type ActionNotices, actionNotices, refusalVoice } from "./action-notices.ts";
import {
  type Decision,
  decide,
  type Facts,
  type Settled,
  type TargetFact,
} from "./action-policy.ts";
import { CATALOGUE, rawArgs } from "./catalogue.ts";
import type { Command, CommandReader, SaidLine } from "./command.ts";
import { execute } from "./execute.ts";
import {
  type ActionTurn,
  type Asked,
  factsNow,
  findMeant,
  type GatherParts,
  tellsOfOthers,
} from "./gather.ts";
import { parseAction } from "./grammar.ts";
import {
  type Held,
  heldActions,
  isAbout,
  type Question,
  quietly,
  type Withdrawal,
  waitMs,
} from "./held.ts";
import type { ActionReason, EndedAs, Ledger } from "./ledger-store.ts";
import { heedLimits } from "./logins.ts";
import { type OwnQuestions, questionFor } from "./question.ts";
import { type ActionOutcome, actionRecord } from "./record.ts";

export interface ActionParts extends GatherParts {
  readonly ledger: Ledger;
  readonly counters: Pick<Counters, "bump">;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** Reads commands and answers, by the configuration as it is now; null where the bot has no login. */
  readonly reader: () => CommandReader | null;
  readonly questions: () => OwnQuestions;
  /** Whether the bot wrote a message. */
  readonly isOwnMessage: (messageId: string) => boolean;
  /** Says a line of code's own, in answer to a message. */
  readonly say: (channel: string, text: string, replyTo: string | null) => void;
  /** Does work that writes, as soon as writing is possible. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /** What somebody asked for came to its end, whatever that was. */
  readonly onEnded: (requesterId: string) => void;
  readonly log: Log;
}

export interface ActionRoom {
  /**
   * Judges what the model proposed in one reply, before that is sent, and does what may be done, in the reply's order.
   * `spans` are the proposals as the guard took them out. The outcomes come once all is done. Never rejects.
   */
  handle(
    turn: ActionTurn,
    spans: readonly string[],
  ): Promise<{ readonly question: Question | null; readonly outcomes: Promise<ActionOutcome[]> }>;
  /** Whether a line was a command, or an answer to a question: then it is done with, and nothing else hears it. */
  hear(spoken: Spoken): boolean;
  /**
   * Looks after what is held: runs what the streamer approved, if it may still run, and drops what was refused or ran
   * out. To be called when another process wrote to the database, and every second. Never rejects.
   */
  settleHeld(): Promise<ActionOutcome[]>;
  /** Ends what waits and rests on something that was taken away. Throws as the ledger does. */
  withdraw(removed: Withdrawal): void;
}

/** Entries of the ledger for one reply; a model that writes hundreds of brackets is counted beyond. */
const SPANS_LOGGED_MAX = 10;

/** Where proposals, commands and answers are judged and done. */
export function actionRoom(given: ActionParts): ActionRoom {
  const parts = { ...given, logins: heedLimits(given.logins, given.now) };
  const steadyNow = steadyClock(parts.now);
  const tell = actionNotices(parts.notices);
  const held = heldActions({ ...parts, tell, steadyNow });
  const core: Core = {
    parts,
    steadyNow,
    tell,
    held,
    record: actionRecord(parts.ledger, parts.counters, tell, parts.log),
  };
  const judging = judge(core);
  const settleOne = settling(core, judging);
  quietly(() => tell.unwritten(null));
  return {
    handle: async (turn, spans) => {
      const judged: Judgement[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries())
        judged.push(await guarded(tell, () => judging.propose(turn, span, index), NOBODY_KNOWS));
      const rest = spans.length - judged.length;
      if (rest > 0) quietly(() => parts.counters.bump("action.refuse.too_many", rest));
      const outcomes = Promise.all(
        judged.map(({ ended }) => guarded(tell, async () => ended, UNKNOWN)),
      );
      void outcomes.then(() => quietly(() => parts.onEnded(turn.requesterId)));
      const item = judged.find((one) => one.item !== null)?.item ?? null;
      const text = item?.question?.text;
      const question = item === null || text === undefined ? null : held.asQuestion(item, text);
      return { question, outcomes };
    },
    hear: listening(core, judging),
    settleHeld: async () => {
      const outcomes: ActionOutcome[] = [];
      for (const item of held.all()) {
        if (!held.waits(item)) continue;
        const ended = await guarded(tell, async () => settleOne(item), null);
        if (ended !== null) outcomes.push(ended);
      }
      return outcomes;
    },
    withdraw: (removed) => {
      for (const item of held.all().filter((one) => isAbout(one, removed)))
        judging.end(item, "withdrawn", "withdrawn");
    },
  };
}

/** What all of the room works with. */
interface Core {
  readonly parts: ActionParts;
  /** Ages are measured by it. */
  readonly steadyNow: () => number;
  readonly tell: ActionNotices;
  readonly held: ReturnType<typeof heldActions>;
  readonly record: ReturnType<typeof actionRecord>;
}

type Judging = ReturnType<typeof judge>;

function judge({ parts, steadyNow, tell, held, record }: Core) {
  const { ledger } = parts;
  /** Decides and writes that down; nothing is awaited in between. */
  function decided(asked: Asked, target: TargetFact | null): Judgement {
    const facts = factsNow(parts, asked, { target, isOpen: held.isMemoryOpen(asked.turn) });
    const { decision, text } = withQuestion(parts, decide(asked.proposal, facts), asked, facts);
    const id = record.decided(asked, decision, facts);
    // What could not be written down is refused.
    const reason = decision.kind === "refuse" ? decision.reason : "unknown";
    if (id === null) return { item: null, ended: record.ended(asked, refusal(reason), null) };
    if (decision.kind === "run") return { item: null, ended: perform(asked, id, decision) };
    const ended = record.ended(asked, decision, null);
    if (decision.kind !== "hold") return { item: null, ended };
    const item = heldItem(asked, decision, facts, { id, text, nowMs: steadyNow() });
    for (const one of held.add(item)) record.ended(one.asked, refusal("replaced"), null);
    return { item: text === null ? null : item, ended };
  }

  function end(item: Held, reason: ActionReason, endedAs: EndedAs): ActionOutcome {
    held.end(item, reason, endedAs);
    return record.ended(item.asked, refusal(reason), null);
  }

  /** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
  async function rejudge(
    item: Held,
    turn: ActionTurn,
    isApproved: boolean,
  ): Promise<ActionOutcome> {
    held.take(item);
    const asked = { ...item.asked, turn };
    const fixed = { ...item.fixed, isApproved };
    const facts = factsNow(parts, asked, { target: null, isOpen: false }, fixed);
    const decision = decide(asked.proposal, facts);
    const reason = isApproved ? "approved" : "confirmed";
    if (decision.kind === "run" && ledger.release(item.id, reason))
      return perform(asked, item.id, { ...decision, reason });
    const ended = decision.kind === "refuse" ? decision : refusal("unknown");
    ledger.refuseHeld(item.id, ended.reason, "yes");
    return record.ended(asked, ended, null);
  }

  async function perform(
    asked: Asked,
    id: number,
    decision: Pick<Extract<Decision, { kind: "run" }>, "kind" | "settled"> & {
      readonly reason: ActionReason;
    },
  ): Promise<ActionOutcome> {
    const { channel, requesterId } = asked.turn;
    const { name } = decision.settled.call;
    const context = { channel, streamerId: parts.streamerId(channel), requesterId };
    const ended = await execute(parts, decision.settled, context);
    // What could not be noted stays open: it counts as run, and is found at the next start as unknown.
    const isWritten = quietly(() => ledger.finish(id, ended));
    if (!isWritten) quietly(() => tell.unwritten({ name, outcome: ended.outcome }));
    quietly(() => tell.outcome(name, ended));
    return record.ended(asked, decision, ended.outcome);
  }

  async function propose(turn: ActionTurn, span: string, index: number): Promise<Judgement> {
    const asked = { turn, span, command: null, proposal: { parsed: parseAction(span), index } };
    return decided(asked, await findMeant(parts, asked, held.isMemoryOpen(turn)));
  }

  return { decided, end, rejudge, propose };
}

/** What comes of something that waits, if it is time. */
function settling({ parts, steadyNow, held }: Core, { end, rejudge }: Judging) {
  function settleQuestion(item: Held, isOut: boolean): ActionOutcome | null {
    const why = held.stopped(item);
    if (why !== null) return end(item, why, "withdrawn");
    if (steadyNow() < item.expiresAtMs) return null;
    return isOut ? end(item, "unanswered", "unanswered") : end(item, "unsent", "withdrawn");
  }

  function settleOne(item: Held): Promise<ActionOutcome> | ActionOutcome | null {
    if (item.question !== null) return settleQuestion(item, item.question.isOut);
    const given = parts.ledger.answerTo(item.id);
    if (steadyNow() >= item.expiresAtMs) return end(item, "expired", "unanswered");
    if (given === "refuse") return end(item, "refused_by_streamer", "declined");
    return given === "approve" ? rejudge(item, item.asked.turn, true) : null;
  }

  return settleOne;
}

/** Hears commands, and answers to questions. */
function listening(
  { parts, steadyNow, tell, held }: Core,
  { decided, end, rejudge }: Judging,
): (spoken: Spoken) => boolean {
  const answerTo = refusalVoice(parts.says, parts.say, steadyNow);

  async function order(command: Command, turn: ActionTurn): Promise<void> {
    const { name, args } = command;
    const asked = { turn, span: "", command, proposal: proposalOf(name, args) };
    const ended = await decided(asked, await findMeant(parts, asked, false)).ended;
    answerTo(turn, ended, args["user"] ?? "");
  }

  async function answer(item: Held, given: "yes" | "no" | "late", spoken: Spoken): Promise<void> {
    if (given === "late") return void end(item, "unanswered", "unanswered");
    if (given === "no") return void end(item, "declined", "declined");
    const { turn } = item.asked;
    const ended = await rejudge(item, { ...turn, roles: spoken.person.roles }, false);
    answerTo({ ...turn, messageId: spoken.messageId }, ended, item.fixed.person?.login ?? "");
  }

  function run(work: () => Promise<void>, requesterId: string): true {
    const ended = guarded(tell, () => parts.hold(work), undefined);
    void ended.then(() => quietly(() => parts.onEnded(requesterId)));
    return true;
  }

  function hearAnswer(spoken: Spoken, reader: CommandReader): boolean {
    const item = held.openTo(spoken);
    const given = item === null ? null : reader.answer(spoken.text, spoken.parent !== null);
    if (item === null || given === null) return false;
    const inTime = steadyNow() < item.expiresAtMs ? given : "late";
    held.take(item);
    return run(() => answer(item, inTime, spoken), spoken.person.userId);
  }

  function hearCommand(spoken: Spoken, reader: CommandReader): boolean {
    const command = commandIn(parts, spoken, reader);
    return command !== null && run(() => order(command, lineTurn(spoken)), spoken.person.userId);
  }

  return (spoken) => {
    const reader = spoken.memorable ? parts.reader() : null;
    return reader !== null && (hearAnswer(spoken, reader) || hearCommand(spoken, reader));
  };
}

async function guarded<T>(tell: ActionNotices, work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch {
    quietly(() => tell.ledger(false));
    return otherwise;
  }
}

/** What was decided about one proposal, what then needs a question, and what comes of it. */
interface Judgement {
  readonly item: Held | null;
  readonly ended: ActionOutcome | Promise<ActionOutcome>;
}

const UNKNOWN = {
  action: "unknown",
  decision: "refuse",
  reason: "unknown",
  outcome: null,
} as const;
const NOBODY_KNOWS: Judgement = { item: null, ended: UNKNOWN };

/** What needs the requester's yes needs a question that says all of it, and that may be said. */
function withQuestion(
  parts: ActionParts,
  decision: Decision,
  { turn }: Asked,
  { target }: Facts,
): { readonly decision: Decision; readonly text: string | null } {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const { channel, requesterId } = turn;
  const { call } = decision.settled;
  const person = target?.kind === "found" ? target.person : parts.people.byId(channel, requesterId);
  const fact =
    "note" in call.args
      ? (parts.memory?.factOf(channel, requesterId, call.args.note) ?? null)
      : null;
  const asked = { login: person?.login ?? "", fact, isByReply: isReplied(turn, decision.settled) };
  const text = questionFor(decision.settled, asked, parts.says(channel), parts.questions());
  if (text === null) return { decision: refusal("needs_command"), text: null };
  return parts.guard(text).ok ? { decision, text } : { decision: refusal("guard"), text: null };
}

function isReplied({ repliesTo }: ActionTurn, { messageId }: Settled): boolean {
  return messageId !== null && repliesTo?.messageId === messageId;
}

function heldItem(
  asked: Asked,
  { settled, waitsFor }: Extract<Decision, { kind: "hold" }>,
  { target, policy }: Facts,
  {
    id,
    text,
    nowMs,
  }: { readonly id: number; readonly text: string | null; readonly nowMs: number },
): Held {
  const { call } = settled;
  const seconds = "seconds" in call.args ? call.args.seconds : null;
  const person = target?.kind === "found" ? target.person : null;
  return {
    id,
    // As it was decided; what others wrote is not kept for it.
    asked: {
      ...asked,
      proposal: proposalOf(call.name, rawArgs(call)),
      turn: { ...asked.turn, others: [], shown: [] },
    },
    fixed: { settled, person, saidSeconds: seconds, ledgerId: id },
    waitsFor,
    isMemory: CATALOGUE[call.name].class === "memory",
    expiresAtMs: nowMs + waitMs(waitsFor, policy),
    question: text === null ? null : { text, isOut: false, messageId: null },
  };
}

/** The command that a line is; null for any other, and where the database cannot tell whom it means. */
function commandIn(parts: ActionParts, spoken: Spoken, reader: CommandReader): Command | null {
  const { channel, parent, text } = spoken;
  const people = () => parts.people.ofToday(channel);
  try {
    const repliesTo = parent === null ? null : answeredBy(parts, channel, parent);
    const command = reader.command({ text, repliesTo }, people);
    const writer = repliesTo?.person ?? null;
    if (command?.isByReply !== true || command.name === "delete" || writer === null) return command;
    // Who reports somebody is not meant for it.
    const answered = parts.textOf(parent?.messageId ?? "");
    return tellsOfOthers(answered, writer, people()) ? null : command;
  } catch {
    return null;
  }
}

/** Whose message a line replies to. */
function answeredBy(
  { logins, people, isOwnMessage }: ActionParts,
  channel: string,
  { messageId, userId }: NonNullable<Spoken["parent"]>,
): NonNullable<SaidLine["repliesTo"]> {
  const botId = logins.bot.identity()?.userId ?? null;
  const isBot = (botId !== null && userId === botId) || isOwnMessage(messageId);
  return { isBot, person: isBot || userId === null ? null : people.byId(channel, userId) };
}

/** A line that is said to the bot, as a turn of its own. */
function lineTurn({ channel, person, text, messageId, parent }: Spoken): ActionTurn {
  const { userId: requesterId, roles } = person;
  const line = { channel, requesterId, roles, words: [text], messageId, repliesTo: parent };
  return { ...line, replyId: null, isAsked: true, eventId: null, others: [], shown: [] };
}

function proposalOf(name: string, args: Readonly<Record<string, string>>): Asked["proposal"] {
  return { parsed: { kind: "action", name, args }, index: 0 };
}

function refusal<R extends ActionReason>(reason: R) {
  return { kind: "refuse", reason } as const;
}
