import { ACTIONS } from "../catalogue/actions.ts";
import type { Spoken } from "../chat/normalise.ts";
import { parseAction } from "../language/action-syntax.ts";
import { actionIn, type Decision, decide } from "./action-policy.ts";
import { readCall, touchesOthers } from "./calls.ts";
import type { CommandReader } from "./direct-command.ts";
import { execute } from "./execute.ts";
import {
  type ActionRequest,
  type ActionTurn,
  factsNow,
  findTarget,
  type GatherParts,
  readOrNull,
} from "./gather.ts";
import { type Held, type Question, waitingActions } from "./held.ts";
import type { ActionReason } from "./ledger-store.ts";
import { type ActionOutcome, actionRecord, type RecordParts } from "./record.ts";
import { notDone, questionFor, shortened, toType } from "./wording.ts";

export interface ActionParts extends GatherParts, RecordParts {
  readonly ledger: RecordParts["ledger"];
  /** Reads commands and answers, by the configuration as it is now; null if the bot has no login. */
  readonly reader: () => CommandReader | null;
  readonly botLogin: () => string;
  /** Whether the bot wrote a message. */
  readonly isOwnMessage: (messageId: string) => boolean;
  /** Sends a line of code in answer to a message; with a `question`, as that question. */
  readonly say: (
    to: { readonly channel: string; readonly messageId: string | null },
    text: string,
    question?: Question,
  ) => void;
  /** Called when a viewer's request has ended, whatever its outcome. */
  readonly onEnded: (requesterId: string) => void;
}

export type ActionRoom = ReturnType<typeof actionRoom>;
type Core = ReturnType<typeof coreOf>;

/** Rows of the ledger for one reply, also if a model writes hundreds of brackets. */
const SPANS_LOGGED_MAX = 10;
/** Viewers are told once in this time that something was not done. */
const NOT_DONE_EVERY_MS = 60_000;
const REFUSED = { kind: "refuse", reason: "unknown" } as const;
const IS_OPEN = { kind: "refuse", reason: "question_open" } as const;
const LOST: Judged = {
  instead: null,
  ended: { action: "unknown", decision: "refuse", reason: "unknown", outcome: null },
};

/** The message that replaces the model's reply: a question, a line, or none, since the same question is open. */
export type Instead =
  | Readonly<{ kind: "question"; question: Question }>
  | Readonly<{ kind: "line"; text: string }>
  | Readonly<{ kind: "silence" }>;

interface Judged {
  readonly instead: Instead | null;
  readonly ended: ActionOutcome | Promise<ActionOutcome>;
}

/** Judges and carries out what proposals, commands and answers ask for. */
export function actionRoom(given: ActionParts) {
  const core = coreOf({ ...given, waits: new Map() });
  const { parts, record, waiting } = core;
  const onEnded = (requesterId: string) => void readOrNull(() => parts.onEnded(requesterId));
  record.started();
  return {
    /**
     * Judges the proposals of one reply before the reply is sent, and starts those that may run. `instead` is sent in place
     * of the reply; null if the reply may be sent. Never rejects.
     */
    handle: async (turn: ActionTurn, spans: readonly string[]) => {
      const judged: Judged[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        const asked = { ...turn, parsed: parseAction(span), index, span, command: null };
        judged.push((await record.guarded(() => judge(core, asked))) ?? LOST);
      }
      const outcomes = Promise.all(judged.map(({ ended }) => ended));
      void outcomes.then(() => onEnded(turn.requesterId));
      const others = judged.flatMap(({ instead }) => instead ?? []);
      const instead = others.find(({ kind }) => kind === "question") ?? others[0] ?? null;
      return { instead, outcomes };
    },
    /** True if a message is a command, begins like one, or answers a question: then nothing else reads it. */
    hear: (spoken: Spoken): boolean => {
      const reader = spoken.memorable ? parts.reader() : null;
      const work =
        reader && (readAnswer(core, spoken, reader) ?? readCommand(core, spoken, reader));
      if (work === null) return false;
      const ended = record.guarded(work);
      void ended.then(() => onEnded(spoken.person.userId));
      return true;
    },
    /** Ends the question to a viewer: the bot is about to send them another message. */
    speaksTo: (channel: string, userId: string): void =>
      void readOrNull(() => waiting.overtake(channel, userId)),
    /**
     * Runs what the streamer approved, if it may still run, and ends what was refused or not answered. To be called each
     * second, and when another process wrote to the database. Never rejects.
     */
    settleHeld: async (): Promise<ActionOutcome[]> => {
      const settleOne = async (item: Held) => {
        const why = waiting.whyOver(item);
        return why === "approved" ? rejudge(core, item) : why && waiting.end(item, why);
      };
      // All at once: one that hangs delays no other.
      const settled = waiting.all().map((item) => record.guarded(() => settleOne(item)));
      return (await Promise.all(settled)).filter((ended) => ended !== null);
    },
    withdraw: waiting.withdraw,
  };
}

function coreOf(parts: ActionParts) {
  const record = actionRecord(parts);
  /** When each channel was last told that something was not done. */
  const toldAtMs = new Map<string, number>();
  return { parts, record, waiting: waitingActions(parts, record), toldAtMs };
}

/** Judges a request, writes the decision down, carries it out, and writes the outcome down. */
async function judge(core: Core, asked: ActionRequest): Promise<Judged> {
  const { parts, record, waiting } = core;
  const early = decide(asked, factsNow(parts, asked, null));
  // Twitch is not asked about a name if the request is refused whoever it is.
  const isRefused = early.kind === "refuse" && early.reason !== "unknown";
  const target = isRefused ? null : await findTarget(parts, asked).catch(() => null);
  // From here on nothing is awaited until the decision is written down.
  const facts = factsNow(parts, asked, target);
  const isOpen = waiting.isOpen(asked, facts);
  const { decision, text } = isOpen
    ? { decision: IS_OPEN, text: null }
    : withQuestion(parts, decide(asked, facts), asked, target?.person?.login);
  const id = record.decided(asked, decision, facts);
  if (id !== null && decision.kind === "run")
    return { instead: null, ended: perform(core, asked, id, decision) };
  // What could not be written down is refused.
  const ended = record.ended(asked, id === null && decision.kind !== "refuse" ? REFUSED : decision);
  if (isOpen) return { instead: { kind: "silence" }, ended };
  if (id !== null && decision.kind === "hold") {
    const question = waiting.add(asked, { ...decision, id, text }, facts);
    if (question !== null) return { instead: { kind: "question", question }, ended };
  }
  // A moderator gets the reason if the model understood them and code refused.
  const name = actionIn(asked)?.name;
  const isTold = facts.requester !== "viewer" && name !== undefined && touchesOthers(name);
  const line = isTold ? refusalLine(parts, asked, ended) : null;
  return { instead: line === null ? null : { kind: "line", text: line }, ended };
}

/** Adds the question to a decision that needs the requester's yes: it must say all that a yes does, and pass the guard. */
function withQuestion(
  parts: ActionParts,
  decision: Decision,
  asked: ActionRequest,
  login?: string,
) {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const text = questionFor(parts, decision.settled, asked, login);
  if (text !== null && parts.guard(text).ok) return { decision, text };
  const reason = text === null ? "needs_command" : "guard";
  return { decision: { kind: "refuse", reason } as const, text: null };
}

/** Judges a held action again after a yes. Target, message and length are fixed; everything else may have changed. */
async function rejudge(core: Core, item: Held): Promise<ActionOutcome> {
  const { parts, record, waiting } = core;
  waiting.take(item);
  const decision = decide(item, factsNow(parts, item, null, item));
  const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
  if (decision.kind === "run" && parts.ledger.release(item.id, "run", reason, "yes"))
    return perform(core, item, item.id, { ...decision, reason });
  const refused = decision.kind === "refuse" ? decision : REFUSED;
  parts.ledger.release(item.id, "refuse", refused.reason, "yes");
  return record.ended(item, refused);
}

type Run = Omit<Extract<Decision, { kind: "run" }>, "reason"> & { reason: ActionReason };

async function perform(core: Core, asked: ActionRequest, id: number, run: Run) {
  const { parts, record } = core;
  const ended = await execute(parts, run.settled, asked);
  record.executed(id, run.settled.call.name, ended);
  const cut = shortened(asked, run.settled, parts.says(asked.channel));
  const isCommand = asked.command?.isExact === true;
  if (isCommand && ended.outcome === "done" && cut !== null) sendLine(core, asked, cut);
  return record.ended(asked, run, ended.outcome);
}

/** Returns the work of a message that answers a question; null for any other message. */
function readAnswer(core: Core, spoken: Spoken, reader: CommandReader) {
  const { parts, waiting } = core;
  const item = spoken.kind === "message" ? waiting.openTo(spoken) : null;
  const given = item && reader.answer(spoken.text, spoken.parent !== null);
  if (item === null || given === null) return null;
  const isLate = parts.now() >= item.expiresAtMs;
  waiting.take(item);
  return async () => {
    if (given === "no" || isLate) return void waiting.end(item, isLate ? "unanswered" : "declined");
    const { roles } = spoken.person;
    const ended = await rejudge(core, { ...item, roles });
    sendRefusal(core, { ...item, messageId: spoken.messageId, roles }, ended);
  };
}

/** Returns the work of a message that is a command or begins like one; null for any other message. */
function readCommand(core: Core, spoken: Spoken, reader: CommandReader) {
  const { parts } = core;
  const { channel, person, text, messageId, parent: repliesTo } = spoken;
  const { userId: requesterId, roles } = person;
  const writerId = repliesTo?.userId ?? null;
  const find = (names: readonly string[]) => parts.people.named(channel, names);
  // Null too if the database cannot say who may be named.
  const command = readOrNull(() => {
    if (spoken.kind !== "message") return null;
    const isOwnId = writerId !== null && writerId === parts.logins.bot.identity()?.userId;
    const isBot = repliesTo !== null && (isOwnId || parts.isOwnMessage(repliesTo.messageId));
    const writer = isBot || writerId === null ? null : parts.people.byId(channel, writerId);
    return reader.command({ text, repliesTo: repliesTo && { isBot, person: writer } }, find);
  });
  if (command === null) return null;
  const { name, args, isExact } = command;
  const isLive = parts.policy().classes[ACTIONS[name].class] === "live";
  if (!isExact && !(isLive && (roles.broadcaster || roles.moderator))) return null;
  const line = { channel, requesterId, roles, words: [text], messageId, repliesTo };
  const turn = { ...line, replyId: null, isAsked: true, eventId: null, others: [], shown: [] };
  const parsed = { kind: "action", name, args } as const;
  const asked = { ...turn, parsed, index: 0, span: "", command };
  return async () => {
    if (!isExact && readCall(name, args) === null)
      return sendLine(core, asked, toType(command, parts.botLogin(), parts.says(channel)));
    const { instead, ended } = await judge(core, asked);
    if (instead?.kind === "question") parts.say(asked, instead.question.text, instead.question);
    if (instead?.kind !== "silence") sendRefusal(core, asked, await ended);
  };
}

/** Says in one line that something was not done. */
function sendRefusal(core: Core, asked: ActionRequest, ended: ActionOutcome): void {
  const { parts, toldAtMs } = core;
  const { channel, roles } = asked;
  const text = refusalLine(parts, asked, ended);
  if (text === null) return;
  const isRecent = parts.now() - (toldAtMs.get(channel) ?? -Infinity) < NOT_DONE_EVERY_MS;
  if (isRecent && roles?.broadcaster !== true && roles?.moderator !== true) return;
  toldAtMs.set(channel, parts.now());
  sendLine(core, asked, text);
}

function sendLine({ parts, waiting }: Core, asked: ActionRequest, text: string): void {
  waiting.overtake(asked.channel, asked.requesterId);
  // It may repeat words of the message.
  if (parts.guard(text).ok) parts.say(asked, text);
}

/** Returns the line that says why an action was not done; null if nothing is said about it. */
function refusalLine(
  parts: ActionParts,
  asked: ActionRequest,
  ended: ActionOutcome,
): string | null {
  const action = actionIn(asked);
  const refused = ended.decision === "refuse" ? ended.reason : null;
  const reason = ended.outcome === "failed" ? "missing_scope" : refused;
  return action && reason && notDone(reason, action, parts.botLogin(), parts.says(asked.channel));
}
