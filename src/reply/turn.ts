import { setImmediate as breathe } from "node:timers/promises";
import type { ActionTurn } from "../actions/gather.ts";
import type { ActionOutcome, ActionRoom, Question } from "../actions/room.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { findPersona } from "../config/personas.ts";
import { retryWhileBusy } from "../database/retry-queue.ts";
import type { Counters } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import type { Fence } from "../language/fence.ts";
import { fillNames } from "../language/people.ts";
import type { Log } from "../log.ts";
import { LORE_LINES } from "../memory/recall/pace.ts";
import { createReranker, RERANK_POOL, type Reranker } from "../memory/recall/rerank.ts";
import { createPrefixSnapshots, type SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { Llm, LlmAnswer } from "../models/model-port.ts";
import type { DeliveryOutcome } from "../twitch/delivery.ts";
import type { Sender } from "../twitch/outbox.ts";
import { type AssembledPrompt, assemblePrompt, completeTrail } from "./assemble.ts";
import type { Guard, GuardResult } from "./guard.ts";
import type { TailInput } from "./prompt/sections.ts";
import { closedReason, isOffline, type PreflightParts, readTail } from "./read.ts";
import {
  abortReason,
  countSendsToLeave,
  mayUseReservedCalls,
  type Obstacle,
  type Ticket,
} from "./reply-queue.ts";
import {
  getKnownAction,
  type RemovedReply,
  type ReplyOutcome,
  type ReplyReason,
  type ReplyStore,
} from "./reply-store.ts";
import type { Trail } from "./trail.ts";

/** Parts of a turn. It reads the configuration at each use, because a reload replaces its parts. */
export interface TurnParts extends PreflightParts {
  readonly replies: ReplyStore;
  readonly calls: { correction(model: string): number };
  readonly llm: Llm;
  readonly fence: Fence;
  readonly outbox: Sender;
  /** Returns what may be sent of a model's text, or the rule that forbids it. */
  readonly guard: Guard;
  readonly actions: Pick<ActionRoom, "handle" | "endQuestionTo" | "listOffered">;
  readonly counters: Counters;
  /** Called after the bot sent an answer. The answer becomes an event, from which no memory is made. */
  readonly onSaid: (
    ticket: Ticket,
    /** Ids are null if the row could not be written, or if Twitch gave none. */
    said: Pick<RemovedReply, "text" | "messageId"> & { readonly replyId: number | null },
  ) => void;
  readonly log: Log;
}

/** An answer that is older than this is not sent. */
const TIME_TO_LIVE_MS = 45_000;

interface Turn {
  readonly ticket: Ticket;
  /** Aborts when the message was removed, or the program ends. */
  readonly signal: AbortSignal;
  /** The id of its row in `replies`; null until that is written, or if it could not be. */
  id: number | null;
  isEnded: boolean;
}

type Handled = Awaited<ReturnType<ActionRoom["handle"]>>;

/** The model's answer in a turn. */
interface ModelAnswer {
  /** null if the prompt did not fit, so no model was asked. */
  readonly answer: LlmAnswer | null;
  /** null if the model gave no text. */
  readonly guarded: GuardResult | null;
}

/** An order of the speaker's best notes that a model gave, or did not give. */
interface LoreOrder {
  /** Best first; empty for the database's order. */
  readonly ids: readonly number[];
  readonly trail: NonNullable<Trail["rerank"]>;
}

/** Takes turns: read, assemble, ask the model, guard, send, record. */
export class TurnTaker {
  readonly #parts: TurnParts;
  readonly #onAsking: (ticket: Ticket, prompt: AssembledPrompt["prompt"]) => void;
  readonly #snapshots: () => (channel: string) => SnapshotTaken;
  readonly #rerank: Reranker;

  /** `onAsking` gets the prompt before the model is called. */
  constructor(
    parts: TurnParts,
    onAsking: (ticket: Ticket, prompt: AssembledPrompt["prompt"]) => void,
  ) {
    const { config } = parts;
    this.#parts = parts;
    this.#onAsking = onAsking;
    this.#snapshots = memoizeOn(
      () => {
        // The notes of a snapshot and their order depend on these.
        const scopes = config.channels.map((channel) => findPersona(config, channel).memoryScope);
        return [JSON.stringify([config.memory.recall.readFloor, scopes])];
      },
      () => createPrefixSnapshots(parts.recall, parts.now),
    );
    this.#rerank = createReranker(parts.llm, parts.fence);
  }

  /**
   * Takes one turn. Resolves with true if the answer was sent, may have been, or was kept back by mode shadow. Chat
   * never shows an error. A turn writes one row in `replies` with its result, unless its message is removed before the
   * row exists. If that write fails, the answer is still sent, and the log says so. Rejects for a bug, after it
   * recorded it.
   */
  async take(ticket: Ticket, signal: AbortSignal): Promise<boolean> {
    const { replies } = this.#parts;
    const turn: Turn = { ticket, signal, id: null, isEnded: false };
    try {
      return await this.#answer(turn);
    } catch (thrown) {
      // A reply that was begun may have been sent, so it becomes `unknown`.
      if (!turn.isEnded)
        this.#tryToWrite(() => {
          if (turn.id === null) replies.refuse(ticket, "bug");
          else replies.finish(turn.id, { ...makeSilent("bug"), state: "unknown" });
        });
      throw thrown;
    }
  }

  async #answer(turn: Turn): Promise<boolean> {
    const { actions, calls, config, fence, guard, replies } = this.#parts;
    const { ticket } = turn;
    let taken = this.#takeSnapshot(ticket.channel);
    let order: LoreOrder | null = null;
    if (typeof taken !== "string" && config.memory.recall.rerank !== "off") {
      order = await this.#orderLore(turn, taken);
      // While the model ordered, the bot may have been paused, or a text removed.
      taken = this.#takeSnapshot(ticket.channel);
    }
    if (typeof taken === "string") {
      replies.refuse(ticket, taken);
      return false;
    }
    const read = readTail(this.#parts, ticket, taken.snapshot, order?.ids);
    await breathe(); // the first time either half takes 25 ms: chat is heard in between
    const assembled = assemblePrompt(
      {
        ...{ taken, ...read, messageKind: ticket.trigger },
        correction: calls.correction(getReplyModel(config)),
      },
      {
        persona: findPersona(config, ticket.channel),
        fence,
        budgetTokens: config.prompt.budgetTokens,
        offered: actions.listOffered(ticket.channel),
      },
    );
    if (order !== null) assembled.trail.rerank = order.trail;
    const [answer] = await Promise.all([this.#askModel(turn, assembled), this.#begin(turn)]);
    const guarded = guardAnswer(guard, assembled, answer);
    const trail = answer ? completeTrail(assembled.trail, answer, guarded) : assembled.trail;
    const handled = await this.#propose(turn, read.tail, guarded);
    const ending = await this.#say(turn, { answer, guarded }, handled);
    const { model = null, finish = null, latencyMs = null } = answer ?? {};
    const answered = { model, finish, latencyMs, trail: JSON.stringify(trail) };
    await this.#finish(turn, { ...ending, answered }, trail);
    // Twitch may take seconds for an action: the next turn does not wait for it.
    void handled.outcomes.then((outcomes) => this.#recordOutcomes(turn, trail, outcomes));
    return ending.state !== "silent";
  }

  /** Returns the snapshot to answer from, or why the bot does not answer now. */
  #takeSnapshot(channel: string): SnapshotTaken | Obstacle {
    const closed = closedReason(this.#parts, channel);
    if (closed !== null) return closed;
    const taken = this.#snapshots()(channel);
    return isOffline(this.#parts.config, taken.snapshot.state.isLive) ? "offline" : taken;
  }

  /** Lets a model order the speaker's best notes. Never rejects, and takes 1.5 s at most. */
  async #orderLore({ ticket, signal }: Turn, { snapshot }: SnapshotTaken): Promise<LoreOrder> {
    const { recall } = this.#parts;
    const { candidates, tail } = readTail(this.#parts, ticket, snapshot);
    const nameOf = recall.namesFor(ticket.userId, recall.accountsOf(ticket.userId));
    const pool = candidates.slice(0, RERANK_POOL).map(({ id, fact, topics }) => ({
      id,
      fact: fillNames(fact, nameOf),
      topics: fillNames(topics, nameOf),
    }));
    const recent = tail.own.map(({ text }) => text);
    const question = { message: ticket.question, recent, pool };
    const { outcome, ids, latencyMs } = await this.#rerank(question, signal);
    const database = pool.map(({ id }) => id);
    const model = ids && [...ids];
    return { ids: ids ?? [], trail: { mode: "on", outcome, latencyMs, database, model } };
  }

  /**
   * Writes the row after the request to the model has left, so that the write costs the reply no time. Writes none if
   * the message was removed by then, or if the database refuses; then `turn.id` stays null.
   */
  async #begin(turn: Turn): Promise<void> {
    await breathe();
    if (turn.signal.reason === "removed") return;
    await retryWhileBusy(() => {
      turn.id = this.#parts.replies.begin(turn.ticket);
    }).catch((thrown) => this.#logUnwritten(thrown));
  }

  /**
   * Asks the model. A failure of the model is an answer too. Null, without a call, if the prompt exceeds its budget.
   */
  async #askModel(
    { ticket, signal }: Turn,
    { prompt, trail }: AssembledPrompt,
  ): Promise<LlmAnswer | null> {
    if (trail.overBudget) return null;
    this.#onAsking(ticket, prompt);
    return this.#parts.llm.ask({
      purpose: "reply",
      prefix: prompt.prefix,
      tail: prompt.tail,
      estimatedTokens: prompt.trimmed.tokens,
      mayUseReserve: mayUseReservedCalls(ticket.rank),
      signal,
    });
  }

  /**
   * Has the action room handle the model's proposals before the reply is sent: a question may replace the reply. Does
   * nothing without proposals or row, in mode shadow, or if the turn was aborted.
   */
  async #propose(
    { ticket, id, signal }: Turn,
    tail: TailInput,
    guarded: GuardResult | null,
  ): Promise<Handled> {
    const { actions, config } = this.#parts;
    const proposals = guarded?.proposals ?? [];
    if (proposals.length === 0 || id === null || signal.aborted || config.mode === "shadow")
      return { instead: null, outcomes: Promise.resolve([]) };
    return actions.handle(makeActionTurn(ticket, id, tail), proposals);
  }

  /**
   * Sends a question or line of the action room, else the answer that the guard let through. Sends nothing if there is
   * none, if the turn was aborted, or in mode shadow. Resolves with the result in each case.
   */
  async #say(
    turn: Turn,
    { answer, guarded }: ModelAnswer,
    { instead }: Handled,
  ): Promise<ReplyOutcome> {
    const { config, counters } = this.#parts;
    const question = instead?.kind === "question" ? instead.question : null;
    if (answer === null) return makeSilent("over_budget");
    if (turn.signal.aborted) {
      question?.onSent({ kind: "withdrawn" });
      return makeSilent(abortReason(turn.signal));
    }
    if (question !== null) return this.#send(turn, question.text, question);
    if (instead?.kind === "silence") return makeSilent("question_open");
    if (instead?.kind === "line") return this.#send(turn, instead.text, null);
    if (guarded === null) return makeSilent(answer.ok ? "empty" : `model_${answer.failure}`);
    if (!guarded.ok) {
      this.#tryToWrite(() => counters.bump(`guard.${guarded.rule}`));
      return makeSilent(`guard_${guarded.rule}`);
    }
    const { text } = guarded;
    if (config.mode === "shadow") return { ...makeSilent("shadow"), state: "shadow", text };
    return this.#send(turn, text, null);
  }

  /**
   * Offers a text to the outbox, which may send it until 45 s after the message, or until the question expires. Just
   * before, checks once more whether to send, and marks the reply `sending`. Resolves with the result, sent or not. If
   * the viewer's message was removed meanwhile, the text is not stored.
   */
  async #send(turn: Turn, text: string, question: Question | null): Promise<ReplyOutcome> {
    const { actions, onSaid, outbox, replies, switches } = this.#parts;
    const { ticket, id, signal } = turn;
    const outcome = await outbox.offer({
      channel: ticket.channel,
      text,
      replyTo: ticket.messageId,
      expiresAtMs: question?.expiresAtMs ?? ticket.atMs + TIME_TO_LIVE_MS,
      leaves: countSendsToLeave(ticket.rank),
      onSending: () => {
        if (signal.aborted || switches().paused || question?.onSending() === false) return false;
        if (question === null) actions.endQuestionTo(ticket.channel, ticket.userId);
        if (id !== null) this.#tryToWrite(() => replies.markSending(id));
        return true;
      },
    });
    question?.onSent(outcome);
    if (outcome.kind === "sent")
      onSaid(ticket, { replyId: id, text, messageId: outcome.messageId });
    const ending = toTurnEnd(outcome, text, signal, this.#parts.now());
    if (signal.reason !== "removed" || id === null) return ending;
    // It was removed while it was being sent, so its text is not stored.
    const isDropped = this.#tryToWrite(() => replies.dropText(id));
    return isDropped ? ending : { ...ending, text: null };
  }

  /** Writes and logs how a turn ended. Of a sent reply, also counts the notes that it used; `writeUses` stores that. */
  async #finish(turn: Turn, ending: ReplyOutcome, trail: Trail): Promise<void> {
    const { counters, log, replies } = this.#parts;
    const { ticket, id } = turn;
    const { state, reason } = ending;
    turn.isEnded = true;
    if (id !== null) {
      const used = state === "sent" ? listUsedNotes(trail) : [];
      await retryWhileBusy(() => replies.finish(id, ending, used)).catch((thrown) =>
        this.#logUnwritten(thrown),
      );
    }
    if (reason !== null) this.#tryToWrite(() => counters.bump(`reply.${reason}`));
    const who = log.person(ticket.userId);
    log.info({ reply: id, who, trigger: ticket.trigger, state, reason }, "turn ended");
  }

  /** Replaces the stored trail by one with the results of the actions. Does nothing without a row or results. */
  #recordOutcomes({ id }: Turn, trail: Trail, outcomes: readonly ActionOutcome[]): void {
    if (id === null || outcomes.length === 0) return;
    const actions = outcomes.map((one) => ({ ...one, action: getKnownAction(one.action) }));
    const trailJson = JSON.stringify({ ...trail, actions });
    this.#tryToWrite(() => this.#parts.replies.recordTrail(id, trailJson));
  }

  /** Writes once. If the database refuses, logs that and returns false. */
  #tryToWrite(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (thrown) {
      this.#logUnwritten(thrown);
      return false;
    }
  }

  #logUnwritten(thrown: unknown): void {
    const message = "a reply goes on though its row could not be written";
    this.#parts.log.error({ ...describeBug(thrown) }, message);
  }
}

/** Returns the name of the model that answers in chat. */
export function getReplyModel({ llm }: Config): string {
  return llm.models.reply ?? llm.model;
}

/** Returns what the guard makes of the model's text; null if the model was not asked, or failed. */
export function guardAnswer(
  guard: Guard,
  { prompt }: AssembledPrompt,
  answer: LlmAnswer | null,
): GuardResult | null {
  if (answer?.ok !== true) return null;
  const isCutOff = answer.finish === "max_tokens";
  return guard(answer.text, { noteIds: prompt.keptIds.notes, isCutOff, tail: prompt.tail });
}

/** Describes a turn for the action room. */
export function makeActionTurn(ticket: Ticket, replyId: number, tail: TailInput): ActionTurn {
  const { channel, userId, trigger, words, messageId, eventId, repliesTo } = ticket;
  const others = tail.chat.map(({ text }) => text);
  return {
    channel,
    replyId,
    requesterId: userId,
    isAsked: trigger !== "chance",
    words,
    messageId,
    eventId,
    repliesTo,
    others,
    shown: [...others, ...tail.own.map(({ text }) => text)],
  };
}

/** Makes the result from the outbox's outcome. Of a withdrawn text the reason is the abort's, else `paused`. */
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

/** Makes the result of a reply that was not sent, with state `silent`. */
function makeSilent(reason: ReplyReason): ReplyOutcome {
  return { state: "silent", reason, text: null, messageId: null, sentAtMs: null };
}

/** Of the first ten notes about the speaker in the prompt, returns those that share a word or topic with the chat. */
function listUsedNotes({ ids: { lore = [] }, notes: { candidates } }: Trail): number[] {
  const lines = new Set(lore.slice(0, LORE_LINES));
  return candidates
    .filter(({ id, terms }) => lines.has(id) && terms !== null && terms[2] + terms[3] > 0)
    .map(({ id }) => id);
}
