import { actionNamed } from "../actions/catalogue.ts";
import type { ActionOutcome, ActionRoom } from "../actions/room.ts";
import type { ReplyMode } from "../config/names.ts";
import type { Counters } from "../db/counters-store.ts";
import type { Switches } from "../db/switches-store.ts";
import type { Llm, LlmAnswer } from "../llm/port.ts";
import type { Log } from "../log.ts";
import type { TailInput } from "../prompt/sections.ts";
import type { Pace } from "../recall/depth.ts";
import type { SnapshotTaken } from "../recall/snapshot.ts";
import type { Outbox, Outcome } from "../twitch/outbox.ts";
import { actionTurn } from "./asked.ts";
import type { Assembled, assembler } from "./assemble.ts";
import type { Corrections } from "./corrections.ts";
import type { GuardResult } from "./guard.ts";
import type { Ticket } from "./lane.ts";
import { type ReadParts, readTail } from "./read.ts";
import type { ReplyOutcome, ReplyStore } from "./store.ts";
import type { Trail } from "./trail.ts";

export interface TurnParts extends ReadParts {
  readonly mode: ReplyMode;
  readonly whenOffline: boolean;
  /** The model that answers, as the configuration names it. */
  readonly model: string;
  readonly assemble: ReturnType<typeof assembler>;
  readonly snapshot: (channel: string, pace: Pace) => SnapshotTaken;
  readonly paceOf: (channel: string) => Pace;
  readonly replies: ReplyStore;
  readonly llm: Llm;
  readonly corrections: Corrections;
  readonly guard: (raw: string) => GuardResult;
  /** Judges and does what the model proposed. */
  readonly actions: Pick<ActionRoom, "handle">;
  readonly outbox: Pick<Outbox, "offer">;
  /** Rereads the switches where another process changed them. Throws where they cannot be read. */
  readonly switches: () => Switches;
  readonly counters: Counters;
  /** The bot said something: it becomes an event that is never memory. */
  readonly onSaid: (ticket: Ticket, text: string, messageId: string | null) => void;
  readonly log: Log;
}

/** How long after the message an answer still makes sense. */
const TIME_TO_LIVE_MS = 45_000;

/**
 * Takes one turn: read → assemble → model → guard → send → record → act. Every turn leaves one row in `replies` that
 * says how it ended. Nothing of a failure reaches chat.
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
function recordBug({ replies }: TurnParts, ticket: Ticket, { id, isEnded }: Row): void {
  if (isEnded) return;
  if (id === null) replies.refuse(ticket, "bug");
  else replies.finish(id, { ...silent("bug"), state: "unknown" });
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
  const obstacle = obstacleTo(parts, ticket);
  if (obstacle !== null) {
    parts.replies.refuse(ticket, obstacle);
    return false;
  }
  const shown = readFor(parts, ticket);
  const assembled = assembleFor(parts, ticket, shown);
  const id = parts.replies.begin(ticket, JSON.stringify(assembled.trail));
  row.id = id;
  const { ending, proposals, trail } = assembled.trail.overBudget
    ? { ending: silent("over_budget"), proposals: [], trail: assembled.trail }
    : await answer(parts, { ticket, id, assembled, signal });
  parts.replies.finish(id, ending);
  row.isEnded = true;
  if (ending.reason !== null) parts.counters.bump(`reply.${ending.reason}`);
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
  const isAnswered = ending.state !== "silent";
  if (proposals.length === 0 || signal.aborted) return isAnswered;
  const asked = actionTurn(ticket, id, { snapshot: shown.taken.snapshot, tail: shown.tail });
  const outcomes = await parts.actions.handle(asked, proposals);
  parts.replies.recordTrail(id, JSON.stringify({ ...trail, actions: outcomes.map(coded) }));
  return isAnswered;
}

/** A name that the model made up may be anybody's words. */
function coded({ action, decision, reason, outcome }: ActionOutcome): Trail["actions"][number] {
  const isNamed = action === "malformed" || actionNamed(action) !== null;
  return { action: isNamed ? action : "other", decision, reason, outcome };
}

interface Turn {
  readonly ticket: Ticket;
  readonly id: number;
  readonly assembled: Assembled;
  readonly signal: AbortSignal;
}

function obstacleTo(parts: TurnParts, ticket: Ticket): string | null {
  if (parts.switches().paused) return "paused";
  const { snapshot } = parts.snapshot(ticket.channel, parts.paceOf(ticket.channel));
  return snapshot.state.isLive === false && !parts.whenOffline ? "offline" : null;
}

/** What the prompt is made of. */
interface Shown {
  readonly taken: SnapshotTaken;
  readonly tail: TailInput;
}

function readFor(parts: TurnParts, ticket: Ticket): Shown {
  const pace = parts.paceOf(ticket.channel);
  return {
    taken: parts.snapshot(ticket.channel, pace),
    tail: readTail(parts, ticket, pace),
  };
}

function assembleFor(parts: TurnParts, ticket: Ticket, shown: Shown): Assembled {
  return parts.assemble({
    ...shown,
    messageKind: ticket.trigger,
    correction: parts.corrections.factor(parts.model),
  });
}

interface Answered {
  readonly ending: ReplyOutcome;
  /** To be judged; none where the turn was given up, or only tries things out. */
  readonly proposals: readonly string[];
  readonly trail: Trail;
}

async function answer(parts: TurnParts, turn: Turn): Promise<Answered> {
  const { prompt } = turn.assembled;
  const said = await parts.llm.ask({
    purpose: "reply",
    prefix: prompt.prefix,
    tail: prompt.tail,
    estimatedTokens: prompt.trimmed.tokens,
    signal: turn.signal,
  });
  parts.corrections.learn(parts.model, prompt.trimmed.tokens, said.usage.promptTokens);
  const guarded = said.ok ? parts.guard(said.text) : null;
  const trail = completed(turn.assembled.trail, said, guarded);
  parts.replies.recordModel(turn.id, said, JSON.stringify(trail));
  const isReal = !turn.signal.aborted && parts.mode !== "shadow";
  const proposals = isReal ? (guarded?.proposals ?? []) : [];
  return { ending: await say(parts, turn, { said, guarded }), proposals, trail };
}

async function say(
  parts: TurnParts,
  turn: Turn,
  { said, guarded }: { readonly said: LlmAnswer; readonly guarded: GuardResult | null },
): Promise<ReplyOutcome> {
  if (turn.signal.aborted) return silent(String(turn.signal.reason));
  if (guarded === null) return silent(said.ok ? "empty" : `model_${said.failure}`);
  if (!guarded.ok) {
    parts.counters.bump(`guard.${guarded.rule}`);
    return silent(`guard_${guarded.rule}`);
  }
  if (parts.mode === "shadow") return { ...silent("shadow"), state: "shadow", text: guarded.text };
  return send(parts, turn, guarded.text);
}

async function send(parts: TurnParts, turn: Turn, text: string): Promise<ReplyOutcome> {
  const { ticket, id, signal } = turn;
  const outcome = await parts.outbox.offer({
    channel: ticket.channel,
    text,
    replyTo: ticket.messageId,
    expiresAtMs: ticket.atMs + TIME_TO_LIVE_MS,
    onSending: () => {
      if (signal.aborted || parts.switches().paused) return false;
      parts.replies.markSending(id);
      return true;
    },
  });
  if (outcome.kind === "sent") parts.onSaid(ticket, text, outcome.messageId);
  return ended(parts, outcome, text, signal);
}

function ended(
  parts: TurnParts,
  outcome: Outcome,
  text: string,
  signal: AbortSignal,
): ReplyOutcome {
  switch (outcome.kind) {
    case "sent":
      return {
        state: "sent",
        reason: null,
        text,
        messageId: outcome.messageId,
        sentAtMs: parts.now(),
      };
    case "unknown":
      return { ...silent("send_unknown"), state: "unknown", text };
    case "withdrawn":
      return silent(signal.aborted ? String(signal.reason) : "paused");
    case "expired":
    case "duplicate":
      return silent(outcome.kind);
    case "refused":
    case "failed":
      return silent(`send_${outcome.reason}`);
  }
}

function completed(trail: Trail, said: LlmAnswer, guarded: GuardResult | null): Trail {
  const { promptTokens, cachedTokens, outputTokens } = said.usage;
  return {
    ...trail,
    promptTokens,
    cachedTokens,
    outputTokens,
    model: said.model,
    finish: said.finish,
    overBudget: trail.overBudget || (promptTokens ?? 0) > trail.budgetTokens,
    guard: {
      removed: guarded?.ok === true ? [...guarded.removed] : [],
      rule: guarded?.ok === false ? guarded.rule : null,
    },
  };
}

function silent(reason: string): ReplyOutcome {
  return { state: "silent", reason, text: null, messageId: null, sentAtMs: null };
}
