import { setImmediate as breathe } from "node:timers/promises";
import { actionNamed } from "../actions/catalogue.ts";
import type { Question } from "../actions/held.ts";
import type { ActionOutcome } from "../actions/record.ts";
import type { ActionRoom } from "../actions/room.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Pace } from "../memory/recall/depth.ts";
import type { SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { ReplyMode } from "../platform/config/names.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { Switches } from "../platform/database/switches-store.ts";
import type { Llm, LlmAnswer } from "../platform/models/model-port.ts";
import type { Outbox } from "../twitch/outbox.ts";
import { actionTurn } from "./action-context.ts";
import type { Assembled, assembler } from "./assemble.ts";
import type { Corrections } from "./corrections.ts";
import { completed, ended, silent } from "./ending.ts";
import type { Guard, GuardResult } from "./guard.ts";
import { firstLook } from "./preflight.ts";
import type { TailInput } from "./prompt/sections.ts";
import { type ReadParts, readTail, type TailRead } from "./read.ts";
import { endedBy, mayUseReserve, type Ticket } from "./reply-queue.ts";
import type { Answered, ReplyOutcome, ReplyStore } from "./reply-store.ts";
import { type LoreOrder, type LoreReranking, withOrder } from "./rerank-lore.ts";
import type { Trail } from "./trail.ts";

export interface TurnParts extends ReadParts {
  readonly mode: ReplyMode;
  readonly whenOffline: boolean;
  /** The model that answers, as the configuration names it. */
  readonly model: string;
  readonly assemble: ReturnType<typeof assembler>;
  /** May put what is known of the speaker in another order. */
  readonly rerank: LoreReranking;
  readonly snapshot: (channel: string) => SnapshotTaken;
  readonly paceOf: (channel: string) => Pace;
  readonly replies: ReplyStore;
  readonly llm: Llm;
  /** The model is about to read this. */
  readonly onAsking: (ticket: Ticket, prompt: Assembled["prompt"]) => void;
  readonly corrections: Corrections;
  readonly guard: Guard;
  /** Judges and does what the model proposed. */
  readonly actions: Pick<ActionRoom, "handle">;
  readonly outbox: Pick<Outbox, "offer">;
  /** Rereads the switches where another process changed them. Throws where they cannot be read. */
  readonly switches: () => Switches;
  readonly isShut: (channel: string) => boolean;
  readonly isQuiet: () => boolean;
  readonly counters: Counters;
  /** The bot said something: it becomes an event that is never memory. */
  readonly onSaid: (ticket: Ticket, said: SaidInChat) => void;
  readonly log: Log;
}

interface SaidInChat {
  /** Null where its row could not be written. */
  readonly replyId: number | null;
  readonly text: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
}

/** How long after the message an answer still makes sense. */
const TIME_TO_LIVE_MS = 45_000;

/** Of Twitch's twenty messages in 30 s, so many wait for the streamer and moderators. */
const SENDS_KEPT = 4;

/** What an answer to a ticket leaves of Twitch's limit to others. */
export function sendsLeft(ticket: Pick<Ticket, "rank">): number {
  return mayUseReserve(ticket) ? 0 : SENDS_KEPT;
}

/**
 * Takes one turn: read → assemble → model → guard → judge → send → record. What is done goes on beside it. Every turn leaves one row in `replies` that
 * says how it ended; where that cannot be written, the answer is given all the same, and the log says so. Nothing of a failure reaches chat.
 */
export function turnTaker(
  parts: TurnParts,
): (ticket: Ticket, signal: AbortSignal) => Promise<boolean> {
  return async (ticket, signal) => {
    const row: Row = { id: null, isEnded: false };
    try {
      return await take(parts, { ticket, signal, row });
    } catch (thrown) {
      recordBug(parts, ticket, row);
      throw thrown;
    }
  };
}

interface Row {
  /** Of `replies`; null until it is written. */
  id: number | null;
  isEnded: boolean;
}

/** What was begun may have been sent too: nobody knows how far it came. */
function recordBug(parts: TurnParts, ticket: Ticket, { id, isEnded }: Row): void {
  const { replies } = parts;
  if (isEnded) return;
  tryToWrite(parts, () => {
    if (id === null) replies.refuse(ticket, "bug");
    else replies.finish(id, { ...silent("bug"), state: "unknown" });
  });
}

/** Whether something was written; an answer does not wait for that. */
function tryToWrite({ log }: Pick<TurnParts, "log">, write: () => void): boolean {
  try {
    write();
    return true;
  } catch (thrown) {
    log.error({ ...describeBug(thrown) }, "a reply goes on though its row could not be written");
    return false;
  }
}

/** Whether the viewer was answered, or would have been. */
async function take(
  parts: TurnParts,
  {
    ticket,
    signal,
    row,
  }: { readonly ticket: Ticket; readonly signal: AbortSignal; readonly row: Row },
): Promise<boolean> {
  const { look, order } = await firstLook(parts, ticket, signal);
  if (!look.isClear) {
    parts.replies.refuse(ticket, look.obstacle);
    return false;
  }
  const { taken } = look;
  const shown = { taken, ...readTail(parts, ticket, taken.snapshot, order && (order.ids ?? [])) };
  const assembled = assembleFor(parts, ticket, shown, order);
  tryToWrite(parts, () => {
    row.id = parts.replies.begin(ticket);
  });
  const { id } = row;
  const { ending, outcomes, trail } = assembled.trail.overBudget
    ? giveUp(parts, id, assembled)
    : await answer(parts, { ticket, id, assembled, signal, tail: shown.tail });
  if (id !== null) tryToWrite(parts, () => parts.replies.finish(id, ending));
  row.isEnded = true;
  if (ending.reason !== null) count(parts, `reply.${ending.reason}`);
  parts.log.info(
    {
      reply: id,
      who: parts.log.person(ticket.userId),
      trigger: ticket.trigger,
      state: ending.state,
      reason: ending.reason,
    },
    "turn ended",
  );
  await countUse(parts, ending, trail);
  const isAnswered = ending.state !== "silent";
  const done = await outcomes;
  if (done.length > 0) writeTrail(parts, id, { ...trail, actions: done.map(coded) });
  return isAnswered;
}

function count(parts: TurnParts, name: string): void {
  tryToWrite(parts, () => parts.counters.bump(name));
}

function writeTrail(parts: TurnParts, id: number | null, trail: Trail): void {
  if (id !== null) tryToWrite(parts, () => parts.replies.recordTrail(id, JSON.stringify(trail)));
}

/** The answer is out: what waits for the program comes first. A database that is busy then counts nothing. */
async function countUse(
  { replies }: TurnParts,
  { state }: ReplyOutcome,
  { ids: { lore = [] } }: Trail,
): Promise<void> {
  if (state !== "sent" || lore.length === 0) return;
  await breathe();
  try {
    replies.useNotes(lore);
  } catch {
    return;
  }
}

/** A name that the model made up may be anybody's words. */
function coded({ action, decision, reason, outcome }: ActionOutcome): Trail["actions"][number] {
  const isNamed = action === "malformed" || actionNamed(action) !== null;
  return { action: isNamed ? action : "other", decision, reason, outcome };
}

interface Turn {
  readonly ticket: Ticket;
  /** Of its row; null where that could not be written. */
  readonly id: number | null;
  readonly assembled: Assembled;
  readonly signal: AbortSignal;
  readonly tail: TailInput;
}

/** What the prompt is made of. */
interface Shown extends TailRead {
  readonly taken: SnapshotTaken;
}

function assembleFor(
  parts: TurnParts,
  ticket: Ticket,
  shown: Shown,
  order: LoreOrder | null,
): Assembled {
  const assembled = parts.assemble({
    ...shown,
    messageKind: ticket.trigger,
    correction: parts.corrections.factor(parts.model),
  });
  return { ...assembled, trail: withOrder(assembled.trail, order) };
}

interface Ended {
  readonly ending: ReplyOutcome;
  /** What comes of what the model proposed; nothing where the turn was given up, or only tries things out. */
  readonly outcomes: Promise<readonly ActionOutcome[]>;
  readonly trail: Trail;
}

function giveUp(parts: TurnParts, id: number | null, { trail }: Assembled): Ended {
  writeTrail(parts, id, trail);
  return { ending: silent("over_budget"), outcomes: Promise.resolve([]), trail };
}

/** What the model did, and whether it was written down with the sending: it is written once. */
interface Spoken {
  readonly said: LlmAnswer;
  readonly guarded: GuardResult | null;
  readonly answered: Answered;
  isRecorded: boolean;
  /** Asked in the place of the reply; null where nothing needs a yes. */
  readonly question: Question | null;
}

async function answer(parts: TurnParts, turn: Turn): Promise<Ended> {
  const { prompt } = turn.assembled;
  parts.onAsking(turn.ticket, prompt);
  const said = await parts.llm.ask({
    purpose: "reply",
    prefix: prompt.prefix,
    tail: prompt.tail,
    estimatedTokens: prompt.trimmed.tokens,
    mayUseReserve: mayUseReserve(turn.ticket),
    signal: turn.signal,
  });
  parts.corrections.learn(parts.model, prompt.trimmed.tokens, said.usage.promptTokens);
  const guarded = said.ok
    ? parts.guard(said.text, {
        noteIds: prompt.keptIds.notes,
        isCutOff: said.finish === "max_tokens",
      })
    : null;
  const trail = completed(turn.assembled.trail, said, guarded);
  const { model, finish, latencyMs } = said;
  const answered = { model, finish, latencyMs, trail: JSON.stringify(trail) };
  const isReal = !turn.signal.aborted && parts.mode !== "shadow";
  const proposals = isReal ? (guarded?.proposals ?? []) : [];
  const { question, outcomes } = await propose(parts, turn, proposals);
  const spoken: Spoken = { said, guarded, answered, isRecorded: false, question };
  const ending = await say(parts, turn, spoken);
  return {
    ending: { ...ending, answered: spoken.isRecorded ? null : answered },
    outcomes,
    trail,
  };
}

/**
 * Judges what the model proposed before anything is said: a question takes the place of the reply. Nothing is done that
 * could not be written down as asked for by a reply.
 */
async function propose(
  { actions }: TurnParts,
  { ticket, id, tail }: Turn,
  proposals: readonly string[],
): ReturnType<ActionRoom["handle"]> {
  if (proposals.length === 0 || id === null)
    return { question: null, outcomes: Promise.resolve([]) };
  return actions.handle(actionTurn(ticket, id, tail), proposals);
}

async function say(parts: TurnParts, turn: Turn, spoken: Spoken): Promise<ReplyOutcome> {
  const { said, guarded, question } = spoken;
  if (turn.signal.aborted) {
    question?.sent({ kind: "withdrawn" });
    return silent(endedBy(turn.signal));
  }
  if (question !== null) return send(parts, turn, { text: question.text, spoken });
  if (guarded === null) return silent(said.ok ? "empty" : `model_${said.failure}`);
  if (!guarded.ok) {
    count(parts, `guard.${guarded.rule}`);
    return silent(`guard_${guarded.rule}`);
  }
  if (parts.mode === "shadow") return { ...silent("shadow"), state: "shadow", text: guarded.text };
  return send(parts, turn, { text: guarded.text, spoken });
}

async function send(
  parts: TurnParts,
  { ticket, id, signal }: Turn,
  { text, spoken }: { readonly text: string; readonly spoken: Spoken },
): Promise<ReplyOutcome> {
  const { question } = spoken;
  const outcome = await parts.outbox.offer({
    channel: ticket.channel,
    text,
    replyTo: ticket.messageId,
    expiresAtMs: question?.expiresAtMs ?? ticket.atMs + TIME_TO_LIVE_MS,
    leaves: sendsLeft(ticket),
    onSending: () => {
      if (signal.aborted || parts.switches().paused || question?.onSending() === false)
        return false;
      if (id !== null)
        spoken.isRecorded = tryToWrite(parts, () => parts.replies.markSending(id, spoken.answered));
      return true;
    },
  });
  question?.sent(outcome);
  if (outcome.kind === "sent") {
    parts.onSaid(ticket, { replyId: id, text, messageId: outcome.messageId });
  }
  const ending = ended(outcome, { text, signal, nowMs: parts.now() });
  if (signal.reason !== "removed" || id === null) return ending;
  // Too late to keep it in: then it is not kept either.
  const isDropped = tryToWrite(parts, () => parts.replies.dropText(id));
  return isDropped ? ending : { ...ending, text: null };
}
