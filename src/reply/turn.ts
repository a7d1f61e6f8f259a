import { setImmediate as breathe } from "node:timers/promises";
import type { ActionTurn } from "../actions/gather.ts";
import type { ActionOutcome, ActionRoom, Question } from "../actions/room.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { findPersona } from "../config/personas.ts";
import { retryWhileBusy } from "../database/retry-queue.ts";
import type { Counters } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import type { Fence } from "../language/fence.ts";
import type { Log } from "../log.ts";
import { LORE_LINES } from "../memory/recall/pace.ts";
import type { RecallStore } from "../memory/recall/recall-store.ts";
import { createReranker } from "../memory/recall/rerank.ts";
import { createPrefixSnapshots, type SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { Llm, LlmAnswer } from "../models/model-port.ts";
import type { DeliveryOutcome } from "../twitch/delivery.ts";
import type { Sender } from "../twitch/outbox.ts";
import { type AssembledPrompt, completeTrail, createAssembler } from "./assemble.ts";
import type { Guard, GuardResult } from "./guard.ts";
import type { TailInput } from "./prompt/sections.ts";
import {
  checkPreflight,
  type LoreOrder,
  type PreflightParts,
  readTail,
  type TailRead,
} from "./read.ts";
import { abortReason, countSendsLeft, mayUseReservedCalls, type Ticket } from "./reply-queue.ts";
import {
  getKnownAction,
  type ReplyOutcome,
  type ReplyReason,
  type ReplyStore,
  type TakenReply,
} from "./reply-store.ts";
import type { Trail } from "./trail.ts";

/** Parts of a turn. It reads the configuration at each use, because a reload replaces them. */
export interface TurnParts extends PreflightParts {
  readonly recall: RecallStore;
  readonly replies: ReplyStore;
  readonly calls: { correction(model: string): number };
  readonly llm: Llm;
  readonly fence: Fence;
  readonly outbox: Sender;
  /** Guards everything that a model says. */
  readonly guard: Guard;
  readonly actions: Pick<ActionRoom, "handle" | "speaksTo" | "offered">;
  readonly counters: Counters;
  /** Called after the bot sent an answer, which becomes an event that is never memory. */
  readonly onSaid: (
    ticket: Ticket,
    /** Ids are null if the row could not be written, or if Twitch gave none. */
    said: Pick<TakenReply, "text" | "messageId"> & { readonly replyId: number | null },
  ) => void;
  readonly log: Log;
}

/** An answer that is older than this is not sent. */
const TIME_TO_LIVE_MS = 45_000;

/**
 * Returns a function that takes one turn. It resolves with true if the viewer was answered, or would have been in mode
 * shadow. Every turn writes one row in `replies` with its result, unless its message is removed before the row exists.
 * If the write fails, the answer is still sent and the log says so. Chat never shows an error. It rejects for a bug,
 * after it recorded that. `onAsking` gets the prompt before the model is called.
 */
export function createTurnTaker(
  parts: TurnParts,
  onAsking: (ticket: Ticket, prompt: AssembledPrompt["prompt"]) => void,
): (ticket: Ticket, signal: AbortSignal) => Promise<boolean> {
  const tools = openTools(parts, onAsking);
  return async (ticket, signal) => {
    const turn: Turn = { ticket, signal, id: null, isEnded: false };
    try {
      return await take(parts, tools, turn);
    } catch (thrown) {
      // A reply that was begun may have been sent, so it becomes `unknown`.
      if (!turn.isEnded)
        tryToWrite(parts, () => {
          if (turn.id === null) parts.replies.refuse(ticket, "bug");
          else parts.replies.finish(turn.id, { ...makeSilent("bug"), state: "unknown" });
        });
      throw thrown;
    }
  };
}

/** Does the steps of a turn in their order. Resolves with false if it ended without an answer. */
async function take(parts: TurnParts, tools: Tools, turn: Turn): Promise<boolean> {
  const look = await checkPreflight(parts, tools, turn);
  if (look.obstacle !== null) {
    parts.replies.refuse(turn.ticket, look.obstacle);
    return false;
  }
  const order = look.order && (look.order.ids ?? []);
  const read = readTail(parts, turn.ticket, look.taken.snapshot, order);
  await breathe(); // the first time either half takes 25 ms: chat is heard in between
  const assembled = assemble(parts, tools, turn, { ...look, ...read });
  const asking = askModel(parts, tools, turn, assembled);
  const [answer] = await Promise.all([asking, begin(parts, turn)]);
  const guarded = guardAnswer(parts.guard, assembled, answer);
  const trail = answer === null ? assembled.trail : completeTrail(assembled.trail, answer, guarded);
  const proposed = await propose(parts, turn, { tail: read.tail, guarded });
  const ending = await say(parts, turn, { answer, guarded, proposed });
  const { model = null, finish: finishReason = null, latencyMs = null } = answer ?? {};
  const answered = { model, finish: finishReason, latencyMs, trail: JSON.stringify(trail) };
  await finish(parts, turn, { ...ending, answered }, trail);
  // Twitch may take seconds for an action: the next turn does not wait for it.
  void proposed.outcomes.then((ended) => recordOutcomes(parts, turn, trail, ended));
  return ending.state !== "silent";
}

interface Turn {
  readonly ticket: Ticket;
  /** Aborts when the message was removed, or the program ends. */
  readonly signal: AbortSignal;
  /** The id of its row in `replies`; null until that is written, or if it could not be. */
  id: number | null;
  isEnded: boolean;
}

/** Functions and caches that live between turns. */
type Tools = ReturnType<typeof openTools>;

function openTools(
  { config, fence, recall, llm, actions, now }: TurnParts,
  onAsking: (ticket: Ticket, prompt: AssembledPrompt["prompt"]) => void,
) {
  const snapshots = memoizeOn(
    () => {
      // The notes of a snapshot and their order depend on these.
      const scopes = config.channels.map((channel) => findPersona(config, channel).memoryScope);
      return [JSON.stringify([config.memory.recall.readFloor, scopes])];
    },
    () => createPrefixSnapshots(recall, now),
  );
  return {
    onAsking,
    snapshot: (channel: string) => snapshots()(channel),
    rerank: createReranker(llm, fence),
    assemble: createAssembler({
      personaOf: (channel) => findPersona(config, channel),
      fence,
      get budgetTokens() {
        return config.prompt.budgetTokens;
      },
      offered: (channel) => actions.offered(channel),
    }),
  };
}

/** Returns the name of the model that answers in chat. */
export function getReplyModel({ llm }: Config): string {
  return llm.models.reply ?? llm.model;
}

function assemble(
  { config, calls }: TurnParts,
  tools: Tools,
  { ticket }: Turn,
  {
    order,
    ...read
  }: TailRead & { readonly taken: SnapshotTaken; readonly order: LoreOrder | null },
): AssembledPrompt {
  const correction = calls.correction(getReplyModel(config));
  const assembled = tools.assemble({ ...read, messageKind: ticket.trigger, correction });
  if (order === null) return assembled;
  return { ...assembled, trail: { ...assembled.trail, rerank: order.trail } };
}

/**
 * Writes the row when the request to the model has left: the write costs the reply no time. Writes none if the message
 * was removed by then: its viewer may be forgotten.
 */
async function begin({ replies, log }: TurnParts, turn: Turn): Promise<void> {
  await breathe();
  if (turn.signal.reason === "removed") return;
  await retryWhileBusy(() => {
    turn.id = replies.begin(turn.ticket);
  }).catch((thrown) => logUnwritten(log, thrown));
}

/**
 * Asks the model; null if the prompt's floor exceeds its budget. A failure of the model is an answer too, and does not
 * throw.
 */
async function askModel(
  { llm }: TurnParts,
  { onAsking }: Tools,
  { ticket, signal }: Turn,
  { prompt, trail }: AssembledPrompt,
): Promise<LlmAnswer | null> {
  if (trail.overBudget) return null;
  onAsking(ticket, prompt);
  return llm.ask({
    purpose: "reply",
    prefix: prompt.prefix,
    tail: prompt.tail,
    estimatedTokens: prompt.trimmed.tokens,
    mayUseReserve: mayUseReservedCalls(ticket),
    signal,
  });
}

/** Guards an answer; null if the model gave none. */
export function guardAnswer(
  guard: Guard,
  { prompt }: AssembledPrompt,
  answer: LlmAnswer | null,
): GuardResult | null {
  if (answer?.ok !== true) return null;
  const isCutOff = answer.finish === "max_tokens";
  return guard(answer.text, { noteIds: prompt.keptIds.notes, isCutOff, tail: prompt.tail });
}

/**
 * Has the model's proposals judged before the reply is sent: a question may replace the reply. Nothing runs in an
 * aborted turn or in mode shadow, or if the reply has no row.
 */
async function propose(
  { actions, config }: TurnParts,
  { ticket, id, signal }: Turn,
  { tail, guarded }: { readonly tail: TailInput; readonly guarded: GuardResult | null },
): ReturnType<ActionRoom["handle"]> {
  const proposals = guarded?.proposals ?? [];
  if (proposals.length === 0 || id === null || signal.aborted || config.mode === "shadow")
    return { instead: null, outcomes: Promise.resolve([]) };
  return actions.handle(makeActionTurn(ticket, id, tail), proposals);
}

/** Describes a turn for the action room. */
export function makeActionTurn(ticket: Ticket, replyId: number, tail: TailInput): ActionTurn {
  const { channel, userId, trigger, pieces, question, messageId, eventId, repliesTo } = ticket;
  const others = tail.chat.map(({ text }) => text);
  return {
    channel,
    replyId,
    requesterId: userId,
    isAsked: trigger !== "chance",
    words: pieces === undefined || pieces.length === 0 ? [question] : pieces,
    messageId,
    eventId,
    repliesTo: repliesTo ?? null,
    others,
    shown: [...others, ...tail.own.map(({ text }) => text)],
  };
}

async function say(
  parts: TurnParts,
  turn: Turn,
  {
    answer,
    guarded,
    proposed,
  }: {
    readonly answer: LlmAnswer | null;
    readonly guarded: GuardResult | null;
    readonly proposed: Awaited<ReturnType<ActionRoom["handle"]>>;
  },
): Promise<ReplyOutcome> {
  const { instead } = proposed;
  const question = instead?.kind === "question" ? instead.question : null;
  if (answer === null) return makeSilent("over_budget");
  if (turn.signal.aborted) {
    question?.sent({ kind: "withdrawn" });
    return makeSilent(abortReason(turn.signal));
  }
  if (question !== null) return send(parts, turn, question.text, question);
  if (instead?.kind === "silence") return makeSilent("question_open");
  if (instead?.kind === "line") return send(parts, turn, instead.text, null);
  if (guarded === null) return makeSilent(answer.ok ? "empty" : `model_${answer.failure}`);
  if (!guarded.ok) {
    tryToWrite(parts, () => parts.counters.bump(`guard.${guarded.rule}`));
    return makeSilent(`guard_${guarded.rule}`);
  }
  const { text } = guarded;
  if (parts.config.mode === "shadow") return { ...makeSilent("shadow"), state: "shadow", text };
  return send(parts, turn, text, null);
}

/**
 * Sends a text once the outbox has a slot, at most 45 s after the message, or until the question expires. It then
 * checks once more whether to send, and marks the reply `sending`. Resolves with the result. The text of a message that
 * was removed since is not stored.
 */
async function send(
  parts: TurnParts,
  turn: Turn,
  text: string,
  question: Question | null,
): Promise<ReplyOutcome> {
  const { ticket, id, signal } = turn;
  const outcome = await parts.outbox.offer({
    channel: ticket.channel,
    text,
    replyTo: ticket.messageId,
    expiresAtMs: question?.expiresAtMs ?? ticket.atMs + TIME_TO_LIVE_MS,
    leaves: countSendsLeft(ticket),
    onSending: () => {
      if (signal.aborted || parts.switches().paused || question?.onSending() === false)
        return false;
      if (question === null) parts.actions.speaksTo(ticket.channel, ticket.userId);
      if (id !== null) tryToWrite(parts, () => parts.replies.markSending(id));
      return true;
    },
  });
  question?.sent(outcome);
  if (outcome.kind === "sent") {
    parts.onSaid(ticket, { replyId: id, text, messageId: outcome.messageId });
  }
  const ending = toTurnEnd(outcome, text, signal, parts.now());
  if (signal.reason !== "removed" || id === null) return ending;
  // It was removed while it was being sent, so its text is not stored.
  const isDropped = tryToWrite(parts, () => parts.replies.dropText(id));
  return isDropped ? ending : { ...ending, text: null };
}

function toTurnEnd(
  outcome: DeliveryOutcome,
  text: string,
  signal: AbortSignal,
  nowMs: number,
): ReplyOutcome {
  switch (outcome.kind) {
    case "sent":
      return { state: "sent", reason: null, text, messageId: outcome.messageId, sentAtMs: nowMs };
    case "unknown":
      return { ...makeSilent("send_unknown"), state: "unknown", text };
    case "withdrawn":
      return makeSilent(signal.aborted ? abortReason(signal) : "paused");
    case "expired":
    case "duplicate":
      return makeSilent(outcome.kind);
    case "refused":
    case "failed":
      return makeSilent(`send_${outcome.reason}`);
  }
}

/** Makes the result of a reply that was not sent. */
function makeSilent(reason: ReplyReason): ReplyOutcome {
  return { state: "silent", reason, text: null, messageId: null, sentAtMs: null };
}

/** Writes how a turn ended, with the notes that a sent reply used, in one transaction. */
async function finish(
  parts: TurnParts,
  turn: Turn,
  ending: ReplyOutcome,
  trail: Trail,
): Promise<void> {
  const { ticket, id } = turn;
  turn.isEnded = true;
  if (id !== null) {
    const used = ending.state === "sent" ? listUsedNotes(trail) : [];
    const write = () => parts.replies.finish(id, ending, used);
    await retryWhileBusy(write).catch((thrown) => logUnwritten(parts.log, thrown));
  }
  const { state, reason } = ending;
  if (reason !== null) tryToWrite(parts, () => parts.counters.bump(`reply.${reason}`));
  const requester = parts.log.person(ticket.userId);
  parts.log.info(
    { reply: id, who: requester, trigger: ticket.trigger, state, reason },
    "turn ended",
  );
}

/** Returns the ids of the notes with a line of their own that share a word or a topic with the conversation. */
function listUsedNotes({ ids: { lore = [] }, notes: { candidates } }: Trail): number[] {
  const lines = new Set(lore.slice(0, LORE_LINES));
  return candidates
    .filter(({ id, terms }) => lines.has(id) && terms !== null && terms[2] + terms[3] > 0)
    .map(({ id }) => id);
}

/** Adds the results of the proposed actions to the stored trail. Does nothing without a row or actions. */
function recordOutcomes(
  parts: TurnParts,
  { id }: Turn,
  trail: Trail,
  outcomes: readonly ActionOutcome[],
): void {
  if (id === null || outcomes.length === 0) return;
  const trailJson = JSON.stringify({
    ...trail,
    actions: outcomes.map((one) => ({ ...one, action: getKnownAction(one.action) })),
  });
  tryToWrite(parts, () => parts.replies.recordTrail(id, trailJson));
}

/** Writes once. Returns false, and logs it, if the database refused: the answer goes on. */
function tryToWrite({ log }: TurnParts, write: () => void): boolean {
  try {
    write();
    return true;
  } catch (thrown) {
    logUnwritten(log, thrown);
    return false;
  }
}

function logUnwritten(log: Log, thrown: unknown): void {
  log.error({ ...describeBug(thrown) }, "a reply goes on though its row could not be written");
}
