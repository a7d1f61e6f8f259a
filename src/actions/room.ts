import type { Spoken } from "../chat/normalise.ts";
import { runFinder } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Offer, Outcome } from "../twitch/delivery.ts";
import { steadyClock } from "../twitch/send-window.ts";
import { actionNotices } from "./action-notices.ts";
import {
  type Decision,
  decide,
  type Facts,
  type TargetFact,
  type WaitsFor,
} from "./action-policy.ts";
import { actionNamed, CATALOGUE } from "./catalogue.ts";
import type { Command, CommandReader } from "./command.ts";
import { type Execution, execute } from "./execute.ts";
import {
  type ActionTurn,
  type Asked,
  type Fixed,
  factsNow,
  findMeant,
  type GatherParts,
  rawArgs,
  tellsOfOthers,
} from "./gather.ts";
import { parseAction } from "./grammar.ts";
import { heedLimits } from "./heed-limits.ts";
import type { ActionReason, EndedAs, Ledger } from "./ledger-store.ts";
import { notDone, type OwnQuestions, questionFor } from "./question.ts";

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

/** What became of one proposal: for the trail. Names and codes only. */
export interface ActionOutcome {
  readonly action: string;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  /** Null where nothing was executed. */
  readonly outcome: Execution["outcome"] | null;
}

/** What is said in the place of the model's reply. */
export interface Question extends Pick<Offer, "text" | "expiresAtMs" | "onSending"> {
  /** To be told how the sending ended: from then on it is waited for, or it is dropped. */
  readonly sent: (outcome: Outcome) => void;
}

/** What was decided, at once; what is done goes on beside it. */
interface Handled {
  readonly question: Question | null;
  readonly outcomes: Promise<ActionOutcome[]>;
}

/** What was taken away from chat; `messageIds` and `ownText` of what the bot said. */
export interface Withdrawal {
  readonly channel: string | null;
  readonly userId: string | null;
  readonly messageIds?: readonly string[];
  readonly ownText?: string;
}

export interface ActionRoom {
  /**
   * Judges what the model proposed in one reply, before that is sent, and does what may be done, in the reply's order.
   * `spans` are the proposals as the guard took them out. Never rejects.
   */
  handle(turn: ActionTurn, spans: readonly string[]): Promise<Handled>;
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

interface Held {
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

/** Entries of the ledger for one reply; a model that writes hundreds of brackets is counted beyond. */
const SPANS_LOGGED_MAX = 10;
const SEND_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 30_000;
const NOT_DONE_EVERY_MS = 60_000;
const NOTHING: Handled = { question: null, outcomes: Promise.resolve([]) };

/** What waits lives in memory: a restart ends it. */
export function actionRoom(given: ActionParts): ActionRoom {
  const parts = { ...given, logins: heedLimits(given.logins, given.now) };
  const { ledger, now } = parts;
  const steadyNow = steadyClock(now);
  const tell = actionNotices(parts.notices);
  const held = new Map<number, Held>();
  const saidAtMs = new Map<string, number>();
  const tellHeld = () => {
    const waiting = [...held.values()].filter(({ waitsFor }) => waitsFor === "streamer");
    guardedNow(() => tell.held(waiting.map(({ id }) => id)));
  };
  tellHeld();
  guardedNow(() => tell.unwritten(null));

  function questionsOf(channel: string): Held[] {
    const ofChannel = [...held.values()].filter(({ asked }) => asked.turn.channel === channel);
    return ofChannel.filter(({ question }) => question !== null);
  }

  function isMemoryOpen({ channel, requesterId }: ActionTurn): boolean {
    return questionsOf(channel).some(
      ({ asked, isMemory }) => isMemory && asked.turn.requesterId === requesterId,
    );
  }

  /** Decides and writes that down; nothing is awaited in between. */
  function judge(asked: Asked, target: TargetFact | null): Judgement {
    const facts = factsNow(parts, asked, { target, isOpen: isMemoryOpen(asked.turn) });
    const { decision, question } = asSaid(decide(asked.proposal, facts), asked, facts);
    const id = write(asked, decision, facts);
    if (id === null) return { question: null, ended: report(asked, unless(decision), null) };
    if (decision.kind === "hold") {
      const item = hold(id, asked, decision, { facts, question });
      return { question: item, ended: report(asked, decision, null) };
    }
    const ended =
      decision.kind === "run" ? perform(asked, id, decision) : report(asked, decision, null);
    return { question: null, ended };
  }

  /** What needs a yes needs a question that says all of it. */
  function asSaid(
    decision: Decision,
    asked: Asked,
    { target }: Facts,
  ): { readonly decision: Decision; readonly question: string | null } {
    if (decision.kind !== "hold" || decision.waitsFor === "streamer")
      return { decision, question: null };
    const { turn } = asked;
    const { call } = decision.settled;
    const person = target?.kind === "found" ? target.person : null;
    const note = "note" in call.args ? call.args.note : null;
    const fact =
      note === null ? null : (parts.memory?.factOf(turn.channel, turn.requesterId, note) ?? null);
    const isByReply = turn.repliesTo?.messageId === decision.settled.messageId;
    const login = person?.login ?? parts.people.byId(turn.channel, turn.requesterId)?.login ?? "";
    const says = parts.says(turn.channel);
    const text = questionFor(decision.settled, { login, fact, isByReply }, says, parts.questions());
    if (text === null) return { decision: refusal("needs_command"), question: null };
    return parts.guard(text).ok
      ? { decision, question: text }
      : { decision: refusal("guard"), question: null };
  }

  function hold(
    id: number,
    asked: Asked,
    decision: Extract<Decision, { kind: "hold" }>,
    { facts, question }: { readonly facts: Facts; readonly question: string | null },
  ): Held | null {
    const { call } = decision.settled;
    const isMemory = CATALOGUE[call.name].class === "memory";
    if (question !== null && !isMemory) {
      for (const older of questionsOf(asked.turn.channel).filter((one) => !one.isMemory))
        end(older, "replaced", "replaced");
    }
    const person = facts.target?.kind === "found" ? facts.target.person : null;
    const waitsMs =
      question === null ? facts.policy.approvalSeconds * 1_000 : SEND_WITHIN_MS + ANSWER_WITHIN_MS;
    const item: Held = {
      id,
      // What others wrote is not kept for it.
      asked: { ...fixedAsked(asked, call.name, rawArgs(call)) },
      fixed: { settled: decision.settled, person, saidSeconds: secondsOf(call), ledgerId: id },
      waitsFor: decision.waitsFor,
      isMemory,
      expiresAtMs: steadyNow() + waitsMs,
      question: question === null ? null : { text: question, isOut: false, messageId: null },
    };
    held.set(id, item);
    tellHeld();
    return question === null ? null : item;
  }

  function asQuestion(item: Held, text: string): Question {
    const { question } = item;
    return {
      text,
      expiresAtMs: now() + SEND_WITHIN_MS,
      onSending: () => {
        if (!held.has(item.id) || question === null || parts.switches().paused) return false;
        // Whoever reads it may answer before Twitch has said that it stands there.
        question.isOut = true;
        item.expiresAtMs = steadyNow() + ANSWER_WITHIN_MS;
        return true;
      },
      sent: (outcome) => {
        if (!held.has(item.id) || question === null) return;
        if (outcome.kind !== "sent" && outcome.kind !== "unknown") {
          guardedNow(() => end(item, "unsent", "withdrawn"));
          return;
        }
        question.messageId = outcome.kind === "sent" ? outcome.messageId : null;
        item.expiresAtMs = steadyNow() + ANSWER_WITHIN_MS;
        guardedNow(() => ledger.asked(item.id, now() + ANSWER_WITHIN_MS));
      },
    };
  }

  /** Nothing comes of it. */
  function end(item: Held, reason: ActionReason, endedAs: EndedAs): ActionOutcome {
    held.delete(item.id);
    tellHeld();
    ledger.refuseHeld(item.id, reason, endedAs);
    const { channel, requesterId } = item.asked.turn;
    if (item.question !== null && !item.isMemory) {
      const asking = { channel, requestedBy: requesterId, isMemory: false };
      guardedNow(() => tell.asking(ledger.asking(asking).allVain));
    }
    return report(item.asked, refusal(reason), null);
  }

  /** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
  async function rejudge(
    item: Held,
    turn: ActionTurn,
    isApproved: boolean,
  ): Promise<ActionOutcome> {
    held.delete(item.id);
    tellHeld();
    const asked = { ...item.asked, turn };
    const fixed = { ...item.fixed, isApproved };
    const facts = factsNow(parts, asked, { target: null, isOpen: false }, fixed);
    const decision = decide(asked.proposal, facts);
    const reason = isApproved ? "approved" : "confirmed";
    if (decision.kind === "run" && ledger.release(item.id, reason))
      return perform(asked, item.id, { ...decision, reason });
    const ended = decision.kind === "refuse" ? decision : refusal("unknown");
    ledger.refuseHeld(item.id, ended.reason, "yes");
    return report(asked, ended, null);
  }

  async function perform(
    asked: Asked,
    id: number,
    decision: { readonly kind: "run"; readonly reason: ActionReason } & Pick<
      Extract<Decision, { kind: "run" }>,
      "settled"
    >,
  ): Promise<ActionOutcome> {
    const { channel, requesterId } = asked.turn;
    const { name } = decision.settled.call;
    const context = { channel, streamerId: parts.streamerId(channel), requesterId };
    const ended = await execute(parts, decision.settled, context);
    // What could not be noted stays open: it counts as run, and is found at the next start as unknown.
    const isWritten = guardedNow(() => ledger.finish(id, ended));
    if (!isWritten) guardedNow(() => tell.unwritten({ name, outcome: ended.outcome }));
    guardedNow(() => tell.outcome(name, ended));
    return report(asked, decision, ended.outcome);
  }

  /** Writes it down; null where that failed or it stands there already: then it must not run. */
  function write(asked: Asked, decision: Decision, facts: Facts): number | null {
    const { turn, proposal, command } = asked;
    const settled = decision.kind === "refuse" ? null : decision.settled;
    const name = actionNamed(actionOf(asked));
    const waitsFor = decision.kind === "hold" ? decision.waitsFor : null;
    const waitMs =
      waitsFor === "requester"
        ? SEND_WITHIN_MS + ANSWER_WITHIN_MS
        : facts.policy.approvalSeconds * 1_000;
    const source =
      command === null
        ? (turn.replyId ?? `${turn.requesterId}@${facts.nowMs}`)
        : `line:${turn.messageId ?? `${turn.requesterId}@${facts.nowMs}`}`;
    try {
      const id = ledger.record({
        replyId: turn.replyId,
        channel: turn.channel,
        action: actionOf(asked),
        class: name === null ? "never" : CATALOGUE[name].class,
        targetId:
          settled?.targetId ?? (facts.target?.kind === "found" ? facts.target.person.userId : null),
        argsJson: argsToKeep(asked, settled === null ? null : rawArgs(settled.call)),
        decision: decision.kind,
        reason: decision.reason,
        requestedBy: turn.requesterId,
        messageId: settled?.messageId ?? null,
        waitsFor,
        expiresAtMs: waitsFor === null ? null : facts.nowMs + waitMs,
        key: `${turn.channel}:${source}:${proposal.index}`,
      });
      guardedNow(() => tell.ledger(true));
      return id;
    } catch {
      guardedNow(() => tell.ledger(false));
      return null;
    }
  }

  function report(
    asked: Asked,
    { kind, reason }: { readonly kind: Decision["kind"]; readonly reason: ActionReason },
    outcome: ActionOutcome["outcome"],
  ): ActionOutcome {
    const action = actionOf(asked);
    guardedNow(() => parts.counters.bump(`action.${kind}.${reason}`));
    const who = parts.log.person(asked.turn.requesterId);
    const named = actionNamed(action) ?? "other";
    parts.log.info({ who, action: named, decision: kind, reason, outcome }, "action judged");
    return { action, decision: kind, reason, outcome };
  }

  async function propose(turn: ActionTurn, span: string, index: number): Promise<Judgement> {
    const asked = { turn, span, command: null, proposal: { parsed: parseAction(span), index } };
    return judge(asked, await findMeant(parts, asked, isMemoryOpen(turn)));
  }

  async function order(command: Command, turn: ActionTurn): Promise<ActionOutcome> {
    const { name, args } = command;
    const proposal = { parsed: { kind: "action", name, args }, index: 0 } as const;
    const asked = { turn, span: "", command, proposal };
    const ended = await judge(asked, await findMeant(parts, asked, false)).ended;
    answerTo(turn, ended, args["user"] ?? "");
    return ended;
  }

  /** One line where something that was ordered or confirmed was not done, at most one a minute in a channel. */
  function answerTo(
    { channel, messageId }: ActionTurn,
    { decision, reason, outcome }: ActionOutcome,
    login: string,
  ): void {
    const why = outcome === "failed" ? "missing_scope" : decision === "refuse" ? reason : null;
    const text = why === null ? null : notDone(why, login, parts.says(channel));
    const lastMs = saidAtMs.get(channel);
    if (text === null || (lastMs !== undefined && steadyNow() - lastMs < NOT_DONE_EVERY_MS)) return;
    saidAtMs.set(channel, steadyNow());
    parts.say(channel, text, messageId);
  }

  async function answerQuestion(
    item: Held,
    answer: "yes" | "no" | "late",
    spoken: Spoken,
  ): Promise<void> {
    if (answer === "late") {
      end(item, "unanswered", "unanswered");
    } else if (answer === "no") {
      end(item, "declined", "declined");
    } else {
      const { turn } = item.asked;
      const confirmed = { ...turn, roles: spoken.person.roles };
      const ended = await rejudge(item, confirmed, false);
      answerTo({ ...turn, messageId: spoken.messageId }, ended, item.fixed.person?.login ?? "");
    }
  }

  /** The question that a line may answer: one to whoever wrote it, which the line replies to if it is a reply. */
  function openQuestion({ channel, person, parent }: Spoken): Held | null {
    const own = questionsOf(channel).filter(
      ({ asked, question }) => asked.turn.requesterId === person.userId && question?.isOut === true,
    );
    const meant = parent === null ? own : own.filter((item) => isReplyTo(item, parent));
    return meant.at(-1) ?? null;
  }

  function isReplyTo({ question }: Held, parent: NonNullable<Spoken["parent"]>): boolean {
    if (question === null) return false;
    if (question.messageId !== null) return question.messageId === parent.messageId;
    // Sent by IRC, it has no id that anybody knows: then only its very words tell.
    const isOurs = parent.userId !== null && parent.userId === parts.logins.bot.identity()?.userId;
    return isOurs && parent.text?.endsWith(question.text) === true;
  }

  function commandIn(spoken: Spoken, reader: CommandReader): Command | null {
    const { channel, parent, text } = spoken;
    const botId = parts.logins.bot.identity()?.userId ?? null;
    const isBot =
      parent !== null &&
      ((botId !== null && parent.userId === botId) || parts.isOwnMessage(parent.messageId));
    const writer =
      parent === null || isBot || parent.userId === null
        ? null
        : parts.people.byId(channel, parent.userId);
    const repliesTo = parent === null ? null : { isBot, person: writer };
    const people = () => parts.people.ofToday(channel);
    const command = reader.command({ text, repliesTo }, people);
    if (command?.isByReply !== true || command.name === "delete" || parent === null) return command;
    // Who reports somebody is not meant for it.
    const isReport =
      writer !== null && tellsOfOthers(parts.textOf(parent.messageId), writer, people());
    return isReport ? null : command;
  }

  function run(work: () => Promise<unknown>, requesterId: string): void {
    void guarded(() => parts.hold(work), null).then(() =>
      guardedNow(() => parts.onEnded(requesterId)),
    );
  }

  async function guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch {
      guardedNow(() => tell.ledger(false));
      return otherwise;
    }
  }

  return {
    handle: async (turn, spans) => {
      const judged: Judgement[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        judged.push(
          await guarded(() => propose(turn, span, index), { question: null, ended: UNKNOWN }),
        );
      }
      const rest = spans.length - judged.length;
      if (rest > 0) guardedNow(() => parts.counters.bump("action.refuse.too_many", rest));
      if (judged.length === 0) return NOTHING;
      const asked = judged.find(({ question }) => question !== null)?.question ?? null;
      const outcomes = Promise.all(judged.map(({ ended }) => guarded(async () => ended, UNKNOWN)));
      void outcomes.then(() => guardedNow(() => parts.onEnded(turn.requesterId)));
      const question = asked?.question == null ? null : asQuestion(asked, asked.question.text);
      return { question, outcomes };
    },
    hear: (spoken) => {
      const reader = spoken.memorable ? parts.reader() : null;
      if (reader === null) return false;
      const item = openQuestion(spoken);
      const answer = item === null ? null : reader.answer(spoken.text, spoken.parent !== null);
      const { userId } = spoken.person;
      if (item !== null && answer !== null) {
        const given = steadyNow() < item.expiresAtMs ? answer : "late";
        // From here on nobody can say yes to it again.
        held.delete(item.id);
        run(() => answerQuestion(item, given, spoken), userId);
        return true;
      }
      const command = attempt(() => commandIn(spoken, reader));
      if (command === null) return false;
      run(() => order(command, lineTurn(spoken)), userId);
      return true;
    },
    settleHeld: async () => {
      const outcomes: ActionOutcome[] = [];
      for (const item of [...held.values()]) {
        if (!held.has(item.id)) continue;
        const ended = await guarded(async () => settleOne(item), null);
        if (ended !== null) outcomes.push(ended);
      }
      return outcomes;
    },
    withdraw: (removed) => {
      for (const item of [...held.values()].filter((one) => isAbout(one, removed)))
        end(item, "withdrawn", "withdrawn");
    },
  };

  function settleOne(item: Held): Promise<ActionOutcome> | ActionOutcome | null {
    const isLate = steadyNow() >= item.expiresAtMs;
    if (item.question !== null) {
      const why = stopped(item);
      if (why !== null) return end(item, why, "withdrawn");
      if (!isLate) return null;
      return item.question.isOut
        ? end(item, "unanswered", "unanswered")
        : end(item, "unsent", "withdrawn");
    }
    const answer = ledger.answerTo(item.id);
    if (isLate) return end(item, "expired", "unanswered");
    if (answer === "refuse") return end(item, "refused_by_streamer", "declined");
    return answer === "approve" ? rejudge(item, item.asked.turn, true) : null;
  }

  /** What ends a question by itself. */
  function stopped({ fixed }: Held): "paused" | "safe_mode" | "class_off" | null {
    const { paused, safeMode } = parts.switches();
    if (paused) return "paused";
    const policy = parts.policy();
    if (safeMode || policy.safeMode) return "safe_mode";
    return policy.classes[CATALOGUE[fixed.settled.call.name].class] === "live" ? null : "class_off";
  }
}

/** What was decided about one proposal, the question that this needs, and what comes of it. */
interface Judgement {
  readonly question: Held | null;
  readonly ended: ActionOutcome | Promise<ActionOutcome>;
}

const UNKNOWN: ActionOutcome = {
  action: "unknown",
  decision: "refuse",
  reason: "unknown",
  outcome: null,
};

/** A line that is said to the bot, as a turn of its own. */
function lineTurn({ channel, person, text, messageId, parent }: Spoken): ActionTurn {
  return {
    channel,
    replyId: null,
    requesterId: person.userId,
    roles: person.roles,
    isAsked: true,
    words: [text],
    messageId,
    eventId: null,
    repliesTo: parent,
    others: [],
    shown: [],
  };
}

function fixedAsked(asked: Asked, name: string, args: Readonly<Record<string, string>>): Asked {
  const proposal = { parsed: { kind: "action", name, args }, index: 0 } as const;
  return { ...asked, proposal, turn: { ...asked.turn, others: [], shown: [] } };
}

function secondsOf({ args }: { readonly args: object }): number | null {
  return "seconds" in args && typeof args.seconds === "number" ? args.seconds : null;
}

/** A channel alone means everybody in it. */
function isAbout(
  { asked: { turn }, fixed, question }: Held,
  { channel, userId, messageIds = [], ownText }: Withdrawal,
): boolean {
  const own = [turn.messageId, question?.messageId, fixed.settled.messageId];
  if (own.some((id) => id != null && messageIds.includes(id))) return true;
  if (channel === null || channel !== turn.channel) return false;
  if (ownText !== undefined) return question?.text === ownText;
  return userId === null || userId === turn.requesterId || userId === fixed.settled.targetId;
}

/**
 * The arguments without what copies older chat: that runs out before this entry does. The requester's words are as
 * old as the entry itself.
 */
function argsToKeep(
  { turn, proposal: { parsed }, span }: Asked,
  settled: Readonly<Record<string, string>> | null,
): string {
  const find = runFinder(turn.shown.filter((text) => !turn.words.includes(text)));
  const args = settled ?? (parsed.kind === "action" ? parsed.args : { written: span });
  const { quote: _, ...kept } = args as Readonly<Record<string, string>>;
  return JSON.stringify(kept, (_key, value: unknown) =>
    typeof value === "string" && find(value) !== null ? "…" : value,
  );
}

function actionOf({ proposal: { parsed } }: Asked): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}

function refusal<R extends ActionReason>(
  reason: R,
): { readonly kind: "refuse"; readonly reason: R } {
  return { kind: "refuse", reason };
}

/** A refusal as it stands; anything else is refused, since it could not be written down. */
function unless(decision: Decision): { readonly kind: "refuse"; readonly reason: ActionReason } {
  return decision.kind === "refuse" ? decision : refusal("unknown");
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** False where the database is out of order; that must not stop the reply. */
function guardedNow(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
