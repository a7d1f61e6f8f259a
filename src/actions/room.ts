import type { Spoken } from "../chat/normalise.ts";
import { parseAction } from "../language/action-syntax.ts";
import { fillNames } from "../language/people.ts";
import { steadyClock } from "../platform/steady-clock.ts";
import { type Decision, decide, type Facts } from "./action-policy.ts";
import type { Command, CommandReader } from "./command.ts";
import { execute } from "./execute.ts";
import type { ActionTurn, Asked, GatherParts } from "./gather.ts";
import { factsNow, findMeant, tellsOfOthers, whoMayBeNamed } from "./gather.ts";
import type { Held, Question, Withdrawal } from "./held.ts";
import { isAbout, waitingActions } from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";
import { type ActionOutcome, actionRecord, quietly, type RecordParts } from "./record.ts";
import { notDone, type OwnQuestions, questionFor } from "./wording.ts";

export interface ActionParts extends GatherParts, RecordParts {
  readonly ledger: Ledger;
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
}

export type ActionRoom = ReturnType<typeof actionRoom>;

/** Entries of the ledger for one reply; a model that writes hundreds of brackets is counted beyond. */
const SPANS_LOGGED_MAX = 10;

/** Where proposals, commands and answers are judged and done. */
export function actionRoom(given: ActionParts) {
  const core = coreOf({ ...given, waits: new Map() });
  const { parts, record, waiting } = core;
  const path = judging(core);
  record.settled();
  return {
    /**
     * Judges what the model proposed in one reply, before that is sent, and does what may be done, in the reply's order.
     * `spans` are the proposals as the guard took them out. The outcomes come once all is done. Never rejects.
     */
    handle: async (turn: ActionTurn, spans: readonly string[]) => {
      const judged: (Judgement | null)[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        const proposal = { parsed: parseAction(span), index, span, command: null, fixed: null };
        judged.push(await record.guarded(() => path.judge({ ...turn, ...proposal })));
      }
      const rest = spans.length - judged.length;
      if (rest > 0) quietly(() => parts.counters.bump("action.refuse.too_many", rest));
      const ends = judged.map((one) => record.guarded(async () => one?.ended));
      const outcomes = Promise.all(ends).then((all) => all.map((ended) => ended ?? UNKNOWN));
      void outcomes.then(() => quietly(() => parts.onEnded(turn.requesterId)));
      const asking = judged.find((one) => one !== null && one.question !== null);
      return { question: asking?.question ?? null, outcomes };
    },
    /** Whether a line was a command, or an answer to a question: then it is done with, and nothing else hears it. */
    hear: listening(core, path),
    /**
     * Looks after what is held: runs what the streamer approved, if it may still run, and drops what was refused or ran
     * out. To be called when another process wrote to the database, and every second. Never rejects.
     */
    settleHeld: async (): Promise<ActionOutcome[]> => {
      // All at once: what hangs holds up no other.
      const settled = waiting.all().map((item) => record.guarded(async () => path.settle(item)));
      return (await Promise.all(settled)).filter((ended) => ended !== null);
    },
    /** Ends what waits and rests on something that was taken away. Throws as the ledger does. */
    withdraw: (removed: Withdrawal): void => {
      for (const item of waiting.all()) if (isAbout(item, removed)) waiting.end(item, "withdrawn");
    },
  };
}

function coreOf(parts: ActionParts) {
  const record = actionRecord(parts);
  // Ages are measured by it.
  const steadyNow = steadyClock(parts.now);
  return { parts, record, steadyNow, waiting: waitingActions(parts, record, steadyNow) };
}

type Core = ReturnType<typeof coreOf>;

/** What was decided about one proposal: what is asked, and what comes of it. */
interface Judgement {
  readonly question: Question | null;
  readonly ended: ActionOutcome | Promise<ActionOutcome>;
}

type Run = Omit<Extract<Decision, { kind: "run" }>, "reason"> & { reason: ActionReason };

const REFUSED = { kind: "refuse", reason: "unknown" } as const;
const UNKNOWN: ActionOutcome = {
  action: "unknown",
  decision: "refuse",
  reason: "unknown",
  outcome: null,
};

/** The one path of whatever is asked for: judged, written down, done, written down. */
function judging({ parts, record, waiting }: Core) {
  const { ledger } = parts;

  async function judge(asked: Asked): Promise<Judgement> {
    const target = await findMeant(parts, asked);
    // From here on nothing is awaited until the decision is written down.
    const facts = factsNow(parts, asked, target);
    const { decision, text } = withQuestion(parts, decide(asked, facts), asked, facts);
    const id = record.decided(asked, decision, facts);
    if (id !== null && decision.kind === "run")
      return { question: null, ended: perform(asked, id, decision) };
    // What could not be written down is refused.
    const isUnwritten = id === null && decision.kind !== "refuse";
    const ended = record.ended(asked, isUnwritten ? REFUSED : decision);
    if (id === null || decision.kind !== "hold") return { question: null, ended };
    return { question: waiting.add(asked, { ...decision, id, text }, facts), ended };
  }

  /** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
  async function rejudge(asked: Held): Promise<ActionOutcome> {
    const { id, waitsFor } = asked.fixed;
    waiting.take(id);
    const decision = decide(asked, factsNow(parts, asked, null));
    const given = waitsFor === "streamer" ? "approved" : "confirmed";
    if (decision.kind === "run" && ledger.release(id, given))
      return perform(asked, id, { ...decision, reason: given });
    const refused = decision.kind === "refuse" ? decision : REFUSED;
    ledger.refuseHeld(id, refused.reason, "yes");
    return record.ended(asked, refused);
  }

  async function perform(asked: Asked, id: number, run: Run): Promise<ActionOutcome> {
    const ended = await execute(parts, run.settled, asked);
    record.executed(id, run.settled.call.name, ended);
    return record.ended(asked, run, ended.outcome);
  }

  /** What comes of something that waits, if it is time. */
  const settle = (item: Held): Promise<ActionOutcome> | ActionOutcome | null => {
    const why = waiting.whyOver(item);
    return why === "approved" ? rejudge(item) : why && waiting.end(item, why);
  };

  return { judge, rejudge, settle };
}

/** Hears commands, and answers to questions. */
function listening(
  { parts, record, steadyNow, waiting }: Core,
  { judge, rejudge }: ReturnType<typeof judging>,
): (spoken: Spoken) => boolean {
  const tellRefused = refusalVoice(parts, steadyNow);

  function order(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const command = commandIn(parts, spoken, reader);
    if (command === null) return null;
    return async () => {
      const { ended } = await judge(ordered(spoken, command));
      tellRefused(spoken, await ended, command.args["user"]);
    };
  }

  function answer(spoken: Spoken, reader: CommandReader): (() => Promise<void>) | null {
    const item = waiting.openTo(spoken);
    const given = item && reader.answer(spoken.text, spoken.parent !== null);
    if (item === null || given === null) return null;
    const isLate = steadyNow() >= item.expiresAtMs;
    waiting.take(item.fixed.id);
    return async () => {
      if (given === "no" || isLate)
        return void waiting.end(item, isLate ? "unanswered" : "declined");
      const ended = await rejudge({ ...item, roles: spoken.person.roles });
      tellRefused(spoken, ended, item.fixed.person?.login);
    };
  }

  return (spoken) => {
    const reader = spoken.memorable ? parts.reader() : null;
    const work = reader && (answer(spoken, reader) ?? order(spoken, reader));
    if (work === null) return false;
    const ended = record.guarded(() => parts.hold(work));
    void ended.then(() => quietly(() => parts.onEnded(spoken.person.userId)));
    return true;
  };
}

const NOT_DONE_EVERY_MS = 60_000;

/** Says in one line that something ordered or confirmed was not done, at most once a minute in a channel. */
function refusalVoice({ says, say }: ActionParts, steadyNow: () => number) {
  const saidAtMs = new Map<string, number>();
  return ({ channel, messageId }: Spoken, ended: ActionOutcome, login = ""): void => {
    const refused = ended.decision === "refuse" ? ended.reason : null;
    const why = ended.outcome === "failed" ? "missing_scope" : refused;
    const text = why && notDone(why, login, says(channel));
    const lastMs = saidAtMs.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (text === null || steadyNow() - lastMs < NOT_DONE_EVERY_MS) return;
    saidAtMs.set(channel, steadyNow());
    say(channel, text, messageId);
  };
}

/** What needs the requester's yes needs a question that says all of it, and that may be said. */
function withQuestion(
  { memory, people, guard, says, questions }: ActionParts,
  decision: Decision,
  { channel, requesterId, repliesTo }: Asked,
  { target }: Facts,
): { readonly decision: Decision; readonly text: string | null } {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const { call, messageId } = decision.settled;
  const toGo = call.name === "forget" && ("note" in call.args ? call.args.note : call.args);
  const facts = toGo === false ? [] : (memory?.factsOf(channel, requesterId, toGo) ?? []);
  const asked = {
    login: target?.kind === "found" ? target.person.login : "",
    facts: facts.map((fact) => fillNames(fact, (id) => people.byId(channel, id)?.login ?? null)),
    isByReply: messageId !== null && repliesTo?.messageId === messageId,
  };
  const text = questionFor(call, asked, says(channel), questions());
  if (text !== null && guard(text).ok) return { decision, text };
  const reason = text === null ? "needs_command" : "guard";
  return { decision: { kind: "refuse", reason }, text: null };
}

/** The command that a line is; null for any other, and where the database cannot tell whom it means. */
function commandIn(parts: ActionParts, spoken: Spoken, reader: CommandReader): Command | null {
  const { channel, parent, text } = spoken;
  const { people, logins, isOwnMessage } = parts;
  try {
    const botId = logins.bot.identity()?.userId ?? null;
    const writerId = parent?.userId ?? null;
    const isBot =
      parent !== null && ((botId !== null && writerId === botId) || isOwnMessage(parent.messageId));
    const person = isBot || writerId === null ? null : people.byId(channel, writerId);
    const repliesTo = parent && { isBot, person };
    const likely = () => whoMayBeNamed(parts, channel, [text]);
    const command = reader.command({ text, repliesTo }, likely);
    // Who reports somebody is not meant for it.
    const isReport = () => parent !== null && tellsOfOthers(parts, channel, parent);
    const isByReply = command?.isByReply === true && command.name !== "delete";
    return isByReply && isReport() ? null : command;
  } catch {
    return null;
  }
}

/** A command as it is judged: its line is a turn of its own. */
function ordered(spoken: Spoken, command: Command): Asked {
  const { channel, person, text, messageId, parent } = spoken;
  const { userId: requesterId, roles } = person;
  const line = { channel, requesterId, roles, words: [text], messageId, repliesTo: parent };
  const turn = { ...line, replyId: null, isAsked: true, eventId: null, others: [], shown: [] };
  const parsed = { kind: "action", name: command.name, args: command.args } as const;
  return { ...turn, parsed, index: 0, span: "", command, fixed: null };
}
