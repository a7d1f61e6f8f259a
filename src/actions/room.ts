import { ACTIONS } from "../catalogue/actions.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { RemovedText } from "../chat/removal.ts";
import { memoizeOn } from "../config/load.ts";
import { parseAction } from "../language/action-syntax.ts";
import {
  checkArgs,
  type Decision,
  decide,
  type Facts,
  needsModerator,
  type Plan,
  readAction,
} from "./action-policy.ts";
import { type CommandReader, createCommandReader } from "./direct-command.ts";
import { execute, listOffered } from "./execute.ts";
import {
  type ActionRequest,
  type ActionTurn,
  channelSayings,
  findTarget,
  type GatherParts,
  gatherFacts,
  readActionPolicy,
  readOrNull,
} from "./gather.ts";
import { createWaitingActions, type Held, type Question } from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";
import { type ActionOutcome, createActionRecord, type RecordParts } from "./record.ts";
import { describeCut, writeExample, writeQuestion, writeRefusal } from "./wording.ts";

export interface ActionParts extends GatherParts, RecordParts {
  readonly ledger: Ledger;
  /** Returns true if the bot wrote a message. */
  readonly isOwnMessage: (messageId: string) => boolean;
  /** Sends a line of code in answer to a message; with a `question`, as that question. */
  readonly say: (
    to: { readonly channel: string; readonly messageId: string | null },
    text: string,
    question?: Question,
  ) => void;
  /** Called when a viewer's request has ended, with any outcome. */
  readonly onEnded: (requesterId: string) => void;
}

export type ActionRoom = ReturnType<typeof actionRoom>;
type Core = ReturnType<typeof openCore>;

/** The most rows of the ledger for one reply: a model may write hundreds of brackets. */
const SPANS_LOGGED_MAX = 10;
/** Viewers get one line in this time that says that something was not done. */
const NOT_DONE_EVERY_MS = 60_000;

/** The message that replaces the model's reply: a question, a line, or none, since the same question is open. */
export type Instead =
  | Readonly<{ kind: "question"; question: Question }>
  | Readonly<{ kind: "line"; text: string }>
  | Readonly<{ kind: "silence" }>;

type Judgement = Readonly<{
  instead: Instead | null;
  ended: ActionOutcome | Promise<ActionOutcome>;
}>;

const refuse = <R extends ActionReason>(reason: R) => ({ kind: "refuse", reason }) as const;

/** Opens the actions room. Call `settle` regularly, and wait for `settled` at the end. */
export function actionRoom(parts: ActionParts) {
  const core = openCore(parts);
  const { record, waiting } = core;
  const { ledger, notices } = parts;
  const onEnded = (requesterId: string) => void readOrNull(() => parts.onEnded(requesterId));
  /** Commands and answers, by the configuration as it is now. Null if the bot has no login. */
  const readerNow = memoizeOn(
    () => [parts.config.bot, parts.config.actions],
    () => {
      const { bot, actions } = parts.config;
      const names = [...bot.aliases, "!bot"];
      return (
        bot.login && createCommandReader({ names: [bot.login, ...names], words: actions.words })
      );
    },
  );
  record.write(ledger.settleUnfinished);
  // That has settled what these notices of an earlier run were about.
  for (const key of ["action:unwritten", "action:held"] as const) notices.clear(key);
  let settled: Promise<unknown> = Promise.resolve();
  /** Runs approved actions that may still run. Ends refused and unanswered ones. Never rejects. */
  const settleHeld = async (): Promise<ActionOutcome[]> => {
    const settleOne = (item: Held) => {
      const why = waiting.whyOver(item);
      return why === "approved" ? rejudge(core, item) : why && waiting.end(item, why);
    };
    // All at once: one that hangs delays no other.
    const outcomes = await Promise.all(waiting.all().map(settleOne));
    return outcomes.filter((ended) => ended !== null);
  };
  return {
    /**
     * Judges the proposals of one reply before the reply is sent, and starts each that may run. `instead` replaces the
     * reply; null if the reply may be sent.
     */
    handle: async (turn: ActionTurn, spans: readonly string[]) => {
      const judged: Judgement[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        const asked = { ...turn, parsed: parseAction(span), index, span, command: null };
        judged.push(await judge(core, asked));
      }
      const outcomes = Promise.all(judged.map(({ ended }) => ended));
      void outcomes.then(() => onEnded(turn.requesterId));
      const others = judged.flatMap(({ instead }) => instead ?? []);
      const instead = others.find(({ kind }) => kind === "question") ?? others[0] ?? null;
      return { instead, outcomes };
    },
    /** Returns true if a message is a command, begins like one, or answers a question: then nothing else reads it. */
    hear: (spoken: Spoken): boolean => {
      const reader = spoken.kind === "message" && spoken.memorable ? readerNow() : null;
      const work =
        reader && (readAnswer(core, spoken, reader) ?? readCommand(core, spoken, reader));
      if (!work) return false;
      void work().then(() => onEnded(spoken.person.userId));
      return true;
    },
    /** Ends the question to a viewer: the bot is about to send them another message. */
    speaksTo: waiting.overtake,
    /** Returns a line for each action that the model may propose in a channel. */
    offered: (channel: string) => listOffered(readActionPolicy(parts.config), parts, channel),
    /** Drops what a removed message asked for, and its words. */
    removed: (removed: RemovedText): void => {
      const { removal, userId } = removed;
      if (removal.by === "channel") record.write(() => ledger.dropArgsIn(removal.channel));
      else if (userId !== null) record.write(() => ledger.dropArgs(userId));
      waiting.withdraw(removed);
    },
    ownDeleted: waiting.ownDeleted,
    settleHeld,
    /** Settles waiting actions. Call it each second, and when another process wrote to the database. */
    settle: (): void => {
      settled = Promise.all([settled, settleHeld()]);
    },
    /** Resolves when all calls of `settle` are done. */
    settled: () => settled,
  };
}

function openCore(parts: ActionParts) {
  const record = createActionRecord(parts);
  /** When each channel last got a line that says that something was not done. */
  const refusalSentAtMs = new Map<string, number>();
  return { parts, record, waiting: createWaitingActions(parts, record), refusalSentAtMs };
}

/** Judges a request, writes the decision down, carries it out, and writes the outcome down. */
async function judge(core: Core, asked: ActionRequest): Promise<Judgement> {
  const { parts, record, waiting } = core;
  const early = decide(asked, gatherFacts(parts, asked, null));
  // Twitch is not asked about a name if the request is refused for any target.
  const isRefused = early.kind === "refuse" && early.reason !== "unknown";
  const target = isRefused ? null : await findTarget(parts, asked).catch(() => null);
  // No await from here until the decision is written down.
  const facts = gatherFacts(parts, asked, target);
  const { decision, text } = decideNow(core, asked, facts);
  const id = record.decided(asked, decision, facts);
  if (id !== null && decision.kind === "run")
    return { instead: null, ended: perform(core, asked, id, decision) };
  // What could not be written down is refused.
  const isLost = id === null && decision.kind !== "refuse";
  const ended = record.ended(asked, isLost ? refuse("unknown") : decision);
  if (ended.reason === "question_open") return { instead: { kind: "silence" }, ended };
  if (id !== null && decision.kind === "hold") {
    const fixed = { ...decision, id, person: target?.person ?? null };
    const question = waiting.add(asked, fixed, text);
    if (question !== null) return { instead: { kind: "question", question }, ended };
  }
  // A moderator gets the reason if the model understood them and code refused.
  const name = readAction(asked)?.name;
  const isReported = facts.requester !== "viewer" && name !== undefined && needsModerator(name);
  const line = isReported ? formatRefusal(parts, asked, ended) : null;
  return { instead: line === null ? null : { kind: "line", text: line }, ended };
}

/** Decides, with the question if the requester must say yes: it must say all that a yes does, and pass the guard. */
function decideNow({ parts, waiting }: Core, asked: ActionRequest, facts: Facts) {
  const decision: Decision = waiting.isOpen(asked, facts)
    ? refuse("question_open")
    : decide(asked, facts);
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const text = writeQuestion(parts, decision.settled, asked, facts.target?.person?.login);
  if (text === null) return { decision: refuse("needs_command"), text };
  return parts.guard(text).ok ? { decision, text } : { decision: refuse("guard"), text: null };
}

/** Judges a held action again after a yes. Target, message and length are fixed; everything else may have changed. */
async function rejudge(core: Core, item: Held): Promise<ActionOutcome | null> {
  const { parts, record, waiting } = core;
  waiting.take(item);
  const decision = decide(item, gatherFacts(parts, item, null, item));
  const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
  const release = (kind: "run" | "refuse", why: ActionReason) =>
    record.write(() => parts.ledger.release(item.id, kind, why, "yes"));
  if (decision.kind === "run" && release("run", reason))
    return perform(core, item, item.id, { ...decision, reason });
  const refused = decision.kind === "refuse" ? decision : refuse("unknown");
  return release("refuse", refused.reason) ? record.ended(item, refused) : null;
}

async function perform(
  core: Core,
  asked: ActionRequest,
  id: number,
  { settled, reason }: Readonly<{ settled: Plan; reason: ActionReason }>,
): Promise<ActionOutcome> {
  const { parts, record } = core;
  const ended = await execute(parts, settled, asked);
  record.executed(id, settled, ended);
  const isCommand = asked.command?.isExact === true;
  const cut = isCommand ? describeCut(asked, settled, channelSayings(asked.channel, parts)) : null;
  if (ended.outcome === "done" && cut !== null) sendLine(core, asked, cut);
  return record.ended(asked, { kind: "run", reason }, ended.outcome);
}

/** Returns the work of a message that answers a question; null for any other message. */
function readAnswer(core: Core, spoken: Spoken, reader: CommandReader) {
  const { parts, waiting } = core;
  const item = waiting.openTo(spoken);
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
  const find = (names: readonly string[]) => parts.people.named(channel, names);
  // Null too if the database cannot say who may be named.
  const command = readOrNull(() => {
    const writerId = repliesTo?.userId ?? null;
    const isOwnId = writerId !== null && writerId === parts.api()?.identity()?.userId;
    const isBot = repliesTo !== null && (isOwnId || parts.isOwnMessage(repliesTo.messageId));
    const writer = isBot || writerId === null ? null : parts.people.byId(channel, writerId);
    return reader.command({ text, repliesTo: repliesTo && { isBot, person: writer } }, find);
  });
  if (command === null) return null;
  const { name, args, isExact } = command;
  const isLive = readActionPolicy(parts.config).classes[ACTIONS[name].class] === "live";
  if (!isExact && !(isLive && (roles.broadcaster || roles.moderator))) return null;
  const asked: ActionRequest = {
    ...{ channel, requesterId, roles, words: [text], messageId, repliesTo, command, span: "" },
    ...{ replyId: null, isAsked: true, eventId: null, others: [], shown: [], index: 0 },
    parsed: { kind: "action", name, args },
  };
  return async () => {
    if (!isExact && checkArgs(name, args) === null)
      return sendLine(core, asked, writeExample(command, channel, parts));
    const { instead, ended } = await judge(core, asked);
    if (instead?.kind === "question") parts.say(asked, instead.question.text, instead.question);
    if (instead?.kind !== "silence") sendRefusal(core, asked, await ended);
  };
}

/** Says in one line that something was not done. */
function sendRefusal(core: Core, asked: ActionRequest, ended: ActionOutcome | null): void {
  const { parts, refusalSentAtMs } = core;
  const { channel, roles } = asked;
  const text = ended && formatRefusal(parts, asked, ended);
  if (text === null) return;
  const isRecent = parts.now() - (refusalSentAtMs.get(channel) ?? -Infinity) < NOT_DONE_EVERY_MS;
  if (isRecent && roles?.broadcaster !== true && roles?.moderator !== true) return;
  refusalSentAtMs.set(channel, parts.now());
  sendLine(core, asked, text);
}

function sendLine({ parts, waiting }: Core, asked: ActionRequest, text: string): void {
  waiting.overtake(asked.channel, asked.requesterId);
  // It may repeat words of the message.
  if (parts.guard(text).ok) parts.say(asked, text);
}

/** Returns the line that says why an action was not done; null for a silent reason. */
function formatRefusal(parts: ActionParts, asked: ActionRequest, ended: ActionOutcome) {
  const action = readAction(asked);
  const refused = ended.decision === "refuse" ? ended.reason : null;
  const reason = ended.outcome === "failed" ? "missing_scope" : refused;
  return action && reason && writeRefusal(reason, action, asked.channel, parts);
}
