import type { Spoken } from "../chat/normalise.ts";
import { fillNames } from "../language/people.ts";
import type { Log } from "../log.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Counters } from "../platform/database/runtime-store.ts";
import { steadyClock } from "../platform/steady-clock.ts";
import { type Decision, decide, type Facts, type TargetFact, waitMs } from "./action-policy.ts";
import { parseAction, rawArgs } from "./catalogue.ts";
import type { Command, CommandReader, SaidLine } from "./command.ts";
import { execute, heedLimits } from "./execute.ts";
import {
  type ActionTurn,
  type Asked,
  factsNow,
  findMeant,
  type GatherParts,
  tellsOfOthers,
} from "./gather.ts";
import {
  type Held,
  isAbout,
  type Question,
  type WaitEnd,
  type Withdrawal,
  waitingActions,
} from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";
import { type ActionOutcome, type ActionRecord, actionRecord, quietly } from "./record.ts";
import { forgotten, notDone, type OwnQuestions, questionFor } from "./wording.ts";

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
  const record = actionRecord(parts);
  const core = { parts, record, steadyNow: steadyClock(parts.now) };
  const waiting = waitingActions({ ...parts, ...core });
  const judging = judge(core, waiting);
  record.settled();
  return {
    handle: async (turn, spans) => {
      const judged: Judgement[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries())
        judged.push(await record.guarded(() => judging.propose(turn, span, index), NOBODY_KNOWS));
      const rest = spans.length - judged.length;
      if (rest > 0) quietly(() => parts.counters.bump("action.refuse.too_many", rest));
      const outcomes = Promise.all(
        judged.map(({ ended }) => record.guarded(async () => ended, UNKNOWN)),
      );
      void outcomes.then(() => quietly(() => parts.onEnded(turn.requesterId)));
      const item = judged.find((one) => one.item !== null)?.item ?? null;
      return { question: item === null ? null : waiting.asQuestion(item), outcomes };
    },
    hear: listening(core, waiting, judging),
    settleHeld: async () => {
      const outcomes: ActionOutcome[] = [];
      for (const item of waiting.all()) {
        const settle = async () => (waiting.has(item) ? judging.settle(item) : null);
        const ended = await record.guarded(settle, null);
        if (ended !== null) outcomes.push(ended);
      }
      return outcomes;
    },
    withdraw: (removed) => {
      for (const item of waiting.all().filter((one) => isAbout(one, removed)))
        judging.end(item, "withdrawn");
    },
  };
}

interface Core {
  readonly parts: ActionParts;
  readonly record: ActionRecord;
  /** Ages are measured by it. */
  readonly steadyNow: () => number;
}

type Waiting = ReturnType<typeof waitingActions>;

/** What was decided about one proposal, the question that it needs, and what comes of it. */
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

/** The one path of whatever is asked for: judged, written down, done, written down. */
function judge({ parts, record, steadyNow }: Core, waiting: Waiting) {
  const { ledger } = parts;
  const refused = (asked: Asked, reason: ActionReason) =>
    record.ended(asked, { kind: "refuse", reason });

  /** Decides and writes that down; nothing is awaited in between. */
  function decided(asked: Asked, target: TargetFact | null): Judgement {
    const facts = factsNow(parts, asked, target);
    const { decision, text } = withQuestion(parts, decide(asked.proposal, facts), asked, target);
    const id = record.decided(asked, decision, facts);
    // What could not be written down is refused.
    const reason = decision.kind === "refuse" ? decision.reason : "unknown";
    if (id === null) return { item: null, ended: refused(asked, reason) };
    if (decision.kind === "run") return { item: null, ended: perform(asked, id, decision) };
    const ended = record.ended(asked, decision);
    if (decision.kind !== "hold") return { item: null, ended };
    const added = heldItem(asked, decision, facts, { id, text, nowMs: steadyNow() });
    for (const one of waiting.add(added)) refused(one.asked, "replaced");
    return { item: text === null ? null : added, ended };
  }

  function end(item: Held, reason: WaitEnd): ActionOutcome {
    waiting.end(item, reason);
    return refused(item.asked, reason);
  }

  /** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
  async function rejudge(item: Held, turn: ActionTurn): Promise<ActionOutcome> {
    waiting.take(item);
    const asked = { ...item.asked, turn };
    const decision = decide(asked.proposal, factsNow(parts, asked, null));
    const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
    if (decision.kind === "run" && ledger.release(item.id, reason))
      return perform(asked, item.id, { ...decision, reason });
    const why = decision.kind === "refuse" ? decision.reason : "unknown";
    ledger.refuseHeld(item.id, why, "yes");
    return refused(asked, why);
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
    record.executed(id, name, ended);
    return record.ended(asked, decision, ended.outcome);
  }

  return {
    decided,
    end,
    rejudge,
    propose: async (turn: ActionTurn, span: string, index: number): Promise<Judgement> => {
      const proposal = { parsed: parseAction(span), index };
      const asked = { turn, span, proposal, command: null, fixed: null };
      return decided(asked, await findMeant(parts, asked));
    },
    /** What comes of something that waits, if it is time. */
    settle: (item: Held): Promise<ActionOutcome> | ActionOutcome | null => {
      const why = waiting.whyOver(item);
      if (why !== null) return end(item, why);
      const isApproved = item.waitsFor === "streamer" && ledger.answerTo(item.id) === "approve";
      return isApproved ? rejudge(item, item.asked.turn) : null;
    },
  };
}

/** Hears commands, and answers to questions. */
function listening(
  { parts, record, steadyNow }: Core,
  waiting: Waiting,
  { decided, end, rejudge }: ReturnType<typeof judge>,
): (spoken: Spoken) => boolean {
  const answerTo = refusalVoice(parts, steadyNow);

  function order(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const command = commandIn(parts, spoken, reader);
    if (command === null) return null;
    const { name, args } = command;
    const turn = lineTurn(spoken);
    const asked = { turn, span: "", command, proposal: proposalOf(name, args), fixed: null };
    return async () => {
      const ended = await decided(asked, await findMeant(parts, asked)).ended;
      answerTo(turn, ended, args["user"] ?? "");
    };
  }

  async function confirm(item: Held, { person, messageId }: Spoken): Promise<void> {
    const turn = { ...item.asked.turn, roles: person.roles };
    const ended = await rejudge(item, turn);
    answerTo({ ...turn, messageId }, ended, item.asked.fixed.person?.login ?? "");
  }

  function answer(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const item = waiting.openTo(spoken);
    const given = item === null ? null : reader.answer(spoken.text, spoken.parent !== null);
    if (item === null || given === null) return null;
    const isLate = steadyNow() >= item.expiresAtMs;
    waiting.take(item);
    if (given === "yes" && !isLate) return () => confirm(item, spoken);
    return async () => void end(item, isLate ? "unanswered" : "declined");
  }

  return (spoken) => {
    const reader = spoken.memorable ? parts.reader() : null;
    if (reader === null) return false;
    const work = answer(spoken, reader) ?? order(spoken, reader);
    if (work === null) return false;
    const ended = record.guarded(() => parts.hold(work), undefined);
    void ended.then(() => quietly(() => parts.onEnded(spoken.person.userId)));
    return true;
  };
}

const NOT_DONE_EVERY_MS = 60_000;

/** Says in one line that something ordered or confirmed was not done, at most once a minute in a channel. */
function refusalVoice({ says, say }: ActionParts, steadyNow: () => number) {
  const saidAtMs = new Map<string, number>();
  return (
    { channel, messageId }: ActionTurn,
    { decision, reason, outcome }: ActionOutcome,
    login: string,
  ): void => {
    const refused = decision === "refuse" ? reason : null;
    const why = outcome === "failed" ? "missing_scope" : refused;
    const text = why === null ? null : notDone(why, login, says(channel));
    const lastMs = saidAtMs.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (text === null || steadyNow() - lastMs < NOT_DONE_EVERY_MS) return;
    saidAtMs.set(channel, steadyNow());
    say(channel, text, messageId);
  };
}

/** What needs the requester's yes needs a question that says all of it, and that may be said. */
function withQuestion(
  parts: ActionParts,
  decision: Decision,
  { turn: { channel, requesterId, repliesTo } }: Asked,
  target: TargetFact | null,
): { readonly decision: Decision; readonly text: string | null } {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const { call, messageId } = decision.settled;
  const person = target?.kind === "found" ? target.person : parts.people.byId(channel, requesterId);
  const what = call.name === "forget" ? forgotten(call.args) : null;
  const known = what === null ? [] : (parts.memory?.factsOf(channel, requesterId, what) ?? []);
  const nameOf = (userId: string) => parts.people.byId(channel, userId)?.login ?? null;
  const facts = known.map((fact) => fillNames(fact, nameOf));
  const isByReply = messageId !== null && repliesTo?.messageId === messageId;
  const asked = { login: person?.login ?? "", facts, isByReply };
  const text = questionFor(decision.settled, asked, parts.says(channel), parts.questions());
  if (text !== null && parts.guard(text).ok) return { decision, text };
  const reason = text === null ? "needs_command" : "guard";
  return { decision: { kind: "refuse", reason }, text: null };
}

/** As it was decided: a yes is about this, whatever changes. What others wrote is not kept for it. */
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
  const person = target?.kind === "found" ? target.person : null;
  const turn = { ...asked.turn, others: [], shown: [] };
  const proposal = proposalOf(settled.call.name, rawArgs(settled.call));
  const fixed = { settled, person, ledgerId: id, isApproved: waitsFor === "streamer" };
  const expiresAtMs = nowMs + waitMs(waitsFor, policy);
  const open = { isOut: false, messageId: null, expiresAtMs };
  return { id, text, waitsFor, ...open, asked: { ...asked, turn, proposal, fixed } };
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
