import type { Spoken } from "../chat/normalise.ts";
import { fillNames } from "../language/people.ts";
import type { Log } from "../log.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Counters } from "../platform/database/runtime-store.ts";
import { steadyClock } from "../platform/steady-clock.ts";
import { type Decision, decide, type Facts, type Settled, waitMs } from "./action-policy.ts";
import { parseAction, rawArgs } from "./catalogue.ts";
import type { Command, CommandReader } from "./command.ts";
import { execute, heedLimits } from "./execute.ts";
import {
  type ActionTurn,
  type Asked,
  factsNow,
  findMeant,
  type GatherParts,
  tellsOfOthers,
} from "./gather.ts";
import { type Held, isAbout, type Question, type Withdrawal, waitingActions } from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";
import { type ActionOutcome, actionRecord, quietly } from "./record.ts";
import { notDone, type OwnQuestions, questionFor } from "./wording.ts";

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
  // Ages are measured by it.
  const steadyNow = steadyClock(parts.now);
  const core = { parts, record, steadyNow, waiting: waitingActions(parts, record, steadyNow) };
  const { waiting } = core;
  const { judge, settle, rejudge } = judging(core);
  record.settled();
  return {
    handle: async (turn, spans) => {
      const judged: Judgement[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        const proposal = { parsed: parseAction(span), index };
        const asked = { turn, span, proposal, command: null, fixed: null };
        judged.push(await record.guarded(() => judge(asked), NOBODY_KNOWS));
      }
      const rest = spans.length - judged.length;
      if (rest > 0) quietly(() => parts.counters.bump("action.refuse.too_many", rest));
      const outcomes = Promise.all(
        judged.map(({ ended }) => record.guarded(async () => ended, UNKNOWN)),
      );
      void outcomes.then(() => quietly(() => parts.onEnded(turn.requesterId)));
      const asking = judged.find(({ question }) => question !== null);
      return { question: asking?.question ?? null, outcomes };
    },
    hear: listening(core, judge, rejudge),
    settleHeld: async () => {
      const outcomes: ActionOutcome[] = [];
      for (const item of waiting.all()) {
        const ended = await record.guarded(async () => settle(item), null);
        if (ended !== null) outcomes.push(ended);
      }
      return outcomes;
    },
    withdraw: (removed) => {
      for (const item of waiting.all()) if (isAbout(item, removed)) waiting.end(item, "withdrawn");
    },
  };
}

interface Core {
  readonly parts: ActionParts;
  readonly record: ReturnType<typeof actionRecord>;
  readonly steadyNow: () => number;
  readonly waiting: ReturnType<typeof waitingActions>;
}

/** What was decided about one proposal: what is asked, and what comes of it. */
interface Judgement {
  readonly question: Question | null;
  readonly ended: ActionOutcome | Promise<ActionOutcome>;
}

const UNKNOWN = {
  action: "unknown",
  decision: "refuse",
  reason: "unknown",
  outcome: null,
} as const;
const NOBODY_KNOWS: Judgement = { question: null, ended: UNKNOWN };

/** The one path of whatever is asked for: judged, written down, done, written down. */
function judging({ parts, record, steadyNow, waiting }: Core) {
  const { ledger } = parts;

  async function judge(asked: Asked): Promise<Judgement> {
    const target = await findMeant(parts, asked);
    // From here on nothing is awaited until the decision is written down.
    const facts = factsNow(parts, asked, target);
    const { decision, text } = withQuestion(parts, decide(asked.proposal, facts), asked, facts);
    const id = record.decided(asked, decision, facts);
    // What could not be written down is refused.
    if (id === null && decision.kind !== "refuse")
      return { question: null, ended: record.ended(asked, UNWRITTEN) };
    if (id !== null && decision.kind === "run")
      return { question: null, ended: perform(asked, id, decision.settled, decision.reason) };
    const ended = record.ended(asked, decision);
    if (id === null || decision.kind !== "hold") return { question: null, ended };
    const item = heldItem(asked, decision, facts, { id, text, nowMs: steadyNow() });
    waiting.add(item);
    return { question: text === null ? null : waiting.asQuestion(item), ended };
  }

  /** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
  async function rejudge(item: Held, turn: ActionTurn): Promise<ActionOutcome> {
    waiting.take(item);
    const asked = { ...item.asked, turn, fixed: item };
    const decision = decide(asked.proposal, factsNow(parts, asked, null));
    const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
    if (decision.kind === "run" && ledger.release(item.id, reason))
      return perform(asked, item.id, decision.settled, reason);
    const why = decision.kind === "refuse" ? decision.reason : "unknown";
    ledger.refuseHeld(item.id, why, "yes");
    return record.ended(asked, { kind: "refuse", reason: why });
  }

  async function perform(
    asked: Asked,
    id: number,
    settled: Settled,
    reason: ActionReason,
  ): Promise<ActionOutcome> {
    const { channel, requesterId } = asked.turn;
    const whose = { streamerId: parts.streamerId(channel), requesterId };
    const ended = await execute(parts, settled, channel, whose);
    record.executed(id, settled.call.name, ended);
    return record.ended(asked, { kind: "run", reason }, ended.outcome);
  }

  /** What comes of something that waits, if it is time. */
  const settle = (item: Held): Promise<ActionOutcome> | ActionOutcome | null => {
    if (!waiting.has(item)) return null;
    const why = waiting.whyOver(item);
    if (why !== null) return waiting.end(item, why);
    const isApproved = item.waitsFor === "streamer" && ledger.answerTo(item.id) === "approve";
    return isApproved ? rejudge(item, item.asked.turn) : null;
  };

  return { judge, rejudge, settle };
}

const UNWRITTEN = { kind: "refuse", reason: "unknown" } as const;

/** Hears commands, and answers to questions. */
function listening(
  { parts, record, steadyNow, waiting }: Core,
  judge: (asked: Asked) => Promise<Judgement>,
  rejudge: (item: Held, turn: ActionTurn) => Promise<ActionOutcome>,
): (spoken: Spoken) => boolean {
  const tellRefused = refusalVoice(parts, steadyNow);

  function order(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const command = commandIn(parts, spoken, reader);
    if (command === null) return null;
    const { name, args } = command;
    const asked = { turn: lineTurn(spoken), span: "", proposal: proposalOf(name, args) };
    return async () => {
      const { ended } = await judge({ ...asked, command, fixed: null });
      tellRefused(spoken, await ended, args["user"]);
    };
  }

  function answer(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const item = waiting.openTo(spoken);
    const given = item === null ? null : reader.answer(spoken.text, spoken.parent !== null);
    if (item === null || given === null) return null;
    const isLate = steadyNow() >= item.expiresAtMs;
    waiting.take(item);
    return async () => {
      if (given === "no" || isLate)
        return void waiting.end(item, isLate ? "unanswered" : "declined");
      const ended = await rejudge(item, { ...item.asked.turn, roles: spoken.person.roles });
      tellRefused(spoken, ended, item.person?.login);
    };
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
    { channel, messageId }: Pick<Spoken, "channel" | "messageId">,
    { decision, reason, outcome }: ActionOutcome,
    login = "",
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
  { turn }: Asked,
  { target }: Facts,
): { readonly decision: Decision; readonly text: string | null } {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const { settled } = decision;
  const filling = {
    login: target?.kind === "found" ? target.person.login : "",
    facts: factsToGo(parts, turn, settled),
    isByReply: settled.messageId !== null && turn.repliesTo?.messageId === settled.messageId,
  };
  const text = questionFor(settled, filling, parts.says(turn.channel), parts.questions());
  if (text !== null && parts.guard(text).ok) return { decision, text };
  const reason = text === null ? "needs_command" : "guard";
  return { decision: { kind: "refuse", reason }, text: null };
}

/** What would be forgotten, with names. */
function factsToGo(
  { memory, people }: ActionParts,
  { channel, requesterId }: ActionTurn,
  { call }: Settled,
): readonly string[] {
  if (call.name !== "forget") return [];
  const what = "note" in call.args ? call.args.note : call.args;
  const facts = memory?.factsOf(channel, requesterId, what) ?? [];
  return facts.map((fact) => fillNames(fact, (id) => people.byId(channel, id)?.login ?? null));
}

/** As it was decided: a yes is about this, whatever changes. What others wrote is not kept for it. */
function heldItem(
  asked: Asked,
  { settled, waitsFor }: Extract<Decision, { kind: "hold" }>,
  { target, policy }: Facts,
  of: { readonly id: number; readonly text: string | null; readonly nowMs: number },
): Held {
  const turn = { ...asked.turn, others: [], shown: [] };
  const proposal = proposalOf(settled.call.name, rawArgs(settled.call));
  return {
    ...{ id: of.id, text: of.text, settled, waitsFor, asked: { ...asked, turn, proposal } },
    person: target?.kind === "found" ? target.person : null,
    isOut: false,
    messageId: null,
    expiresAtMs: of.nowMs + waitMs(waitsFor, policy),
  };
}

/** The command that a line is; null for any other, and where the database cannot tell whom it means. */
function commandIn(parts: ActionParts, spoken: Spoken, reader: CommandReader): Command | null {
  const { channel, parent, text } = spoken;
  try {
    const isBot = parent !== null && isOwn(parts, parent);
    const writerId = isBot ? null : (parent?.userId ?? null);
    const person = writerId === null ? null : parts.people.byId(channel, writerId);
    const repliesTo = parent === null ? null : { isBot, person };
    const command = reader.command({ text, repliesTo }, () => parts.people.named(channel, [text]));
    // Who reports somebody is not meant for it.
    const isReport = () => parent !== null && tellsOfOthers(parts, channel, parent);
    const isByReply = command?.isByReply === true && command.name !== "delete";
    return isByReply && isReport() ? null : command;
  } catch {
    return null;
  }
}

function isOwn(
  { logins, isOwnMessage }: ActionParts,
  { messageId, userId }: NonNullable<Spoken["parent"]>,
): boolean {
  const botId = logins.bot.identity()?.userId ?? null;
  return (botId !== null && userId === botId) || isOwnMessage(messageId);
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
