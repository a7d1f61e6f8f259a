import { runFinder } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { type Decision, decide, type Settled } from "./action-policy.ts";
import { actionNamed, CATALOGUE } from "./catalogue.ts";
import { execute } from "./execute.ts";
import {
  type ActionTurn,
  type Asked,
  type Fixed,
  factsNow,
  findMeant,
  type GatherParts,
  type Meant,
} from "./gather.ts";
import { parseAction } from "./grammar.ts";
import { heedLimits } from "./heed-limits.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";
import type { Facts } from "./policy-facts.ts";
import { tellHeld } from "./tell-held.ts";
import { tellLedger, tellUnwritten } from "./tell-ledger.ts";
import { tellOutcome } from "./tell-outcome.ts";

export interface ActionParts extends Omit<GatherParts, "ledger"> {
  readonly ledger: Ledger;
  readonly counters: Pick<Counters, "bump">;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly log: Log;
}

/** What became of one proposal: for the trail. Names and codes only. */
export interface ActionOutcome {
  readonly action: string;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  /** Null where nothing was executed. */
  readonly outcome: "done" | "failed" | "unknown" | null;
}

export interface ActionRoom {
  /**
   * Judges what the model proposed in one reply and does what may be done, in the reply's order. `spans` are the
   * proposals as the guard took them out. Never rejects.
   */
  handle(turn: ActionTurn, spans: readonly string[]): Promise<ActionOutcome[]>;
  /**
   * Looks after held proposals: runs what was approved, if it may still run, and drops what was refused or ran out.
   * To be called when another process wrote to the database, and every second. Never rejects.
   */
  settleHeld(): Promise<ActionOutcome[]>;
  /** Refuses what waits and was asked for by, or is about, somebody whose words were taken away. Throws as the ledger does. */
  withdraw(removed: { readonly channel: string | null; readonly userId: string | null }): void;
}

interface Held extends Asked {
  readonly id: number;
  readonly fixed: Fixed;
  readonly expiresAtMs: number;
}

/** Entries of the ledger for one reply; a model that writes hundreds of brackets is counted beyond. */
const SPANS_LOGGED_MAX = 10;

/** Held proposals live in memory: a restart refuses them. */
export function actionRoom(given: ActionParts): ActionRoom {
  const parts = { ...given, logins: heedLimits(given.logins, given.now) };
  const held = new Map<number, Held>();
  const tell = () => guardedNow(() => tellHeld(parts.notices, [...held.keys()]));
  tell();
  guardedNow(() => tellUnwritten(parts.notices, null));

  async function propose(turn: ActionTurn, span: string, index: number): Promise<ActionOutcome> {
    const asked: Asked = { turn, span, proposal: { parsed: parseAction(span), index } };
    const meant = await findMeant(parts, asked, null);
    // Nothing is awaited from here until it is written down.
    const facts = factsNow(parts, asked, null, meant);
    const decision = decide(asked.proposal, facts);
    const id = write(parts, asked, decision, facts);
    if (id === null) return outcomeOf(parts, asked, unless(decision, "unknown"), null);
    if (decision.kind === "hold") {
      hold(held, asked, { id, decision, facts });
      tell();
    }
    return decision.kind === "run"
      ? perform(parts, asked, id, decision)
      : outcomeOf(parts, asked, decision, null);
  }

  async function settleOne(item: Held): Promise<ActionOutcome | null> {
    const answer = parts.ledger.answerTo(item.id);
    const isLate = parts.now() >= item.expiresAtMs;
    if (answer === null && !isLate) return null;
    if (answer === "approve" && !isLate) {
      const meant = await findMeant(parts, item, item.fixed);
      // It may have been withdrawn meanwhile.
      return held.delete(item.id) ? rejudge(parts, item, meant) : null;
    }
    held.delete(item.id);
    const reason = isLate ? "expired" : "refused_by_streamer";
    parts.ledger.refuseHeld(item.id, reason);
    return { action: actionOf(item), decision: "refuse", reason, outcome: null };
  }

  return {
    handle: async (turn, spans) => {
      const outcomes: ActionOutcome[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        outcomes.push(await guarded(parts, () => propose(turn, span, index), UNKNOWN));
      }
      const rest = spans.length - outcomes.length;
      if (rest > 0) guardedNow(() => parts.counters.bump("action.refuse.too_many", rest));
      return outcomes;
    },
    settleHeld: async () => {
      const outcomes: ActionOutcome[] = [];
      const waiting = [...held.values()];
      for (const item of waiting) {
        if (!held.has(item.id)) continue;
        const outcome = await guarded(parts, () => settleOne(item), null);
        if (outcome !== null) outcomes.push(outcome);
      }
      if (held.size !== waiting.length) tell();
      return outcomes;
    },
    withdraw: (removed) => {
      for (const item of [...held.values()].filter((one) => isAbout(one, removed))) {
        held.delete(item.id);
        parts.ledger.refuseHeld(item.id, "withdrawn");
        outcomeOf(parts, item, { kind: "refuse", reason: "withdrawn" }, null);
        tell();
      }
    },
  };
}

/** A channel alone means everybody in it. */
function isAbout(
  { turn, fixed }: Held,
  { channel, userId }: { readonly channel: string | null; readonly userId: string | null },
): boolean {
  if (channel !== null && channel !== turn.channel) return false;
  return userId === null
    ? channel !== null
    : userId === turn.requesterId || userId === fixed.targetId;
}

const UNKNOWN: ActionOutcome = {
  action: "unknown",
  decision: "refuse",
  reason: "unknown",
  outcome: null,
};

function hold(
  held: Map<number, Held>,
  asked: Asked,
  { id, decision, facts }: { id: number; decision: { readonly settled: Settled }; facts: Facts },
): void {
  const { targetId, messageId } = decision.settled;
  const expiresAtMs = facts.nowMs + facts.policy.approvalSeconds * 1_000;
  held.set(id, {
    ...asked,
    // Its echo is fixed; what others wrote is not kept for it.
    turn: { ...asked.turn, untrusted: [] },
    id,
    expiresAtMs,
    fixed: { echo: facts.echo, targetId, messageId, ledgerId: id },
  });
}

/** The streamer said yes to what they saw, not to what changed since. */
async function rejudge(
  parts: ActionParts,
  item: Held,
  meant: Meant | null,
): Promise<ActionOutcome> {
  const facts = factsNow(parts, item, item.fixed, meant);
  const decision = decide(item.proposal, facts);
  if (decision.kind === "run" && parts.ledger.release(item.id)) {
    return perform(parts, item, item.id, decision);
  }
  const ended = decision.kind === "run" ? unless(decision, "unknown") : decision;
  parts.ledger.refuseHeld(item.id, ended.reason);
  return outcomeOf(parts, item, ended, null);
}

async function perform(
  parts: ActionParts,
  asked: Asked,
  id: number,
  decision: Extract<Decision, { kind: "run" }>,
): Promise<ActionOutcome> {
  const { channel, requesterId } = asked.turn;
  const { name } = decision.settled.call;
  const context = { channel, streamerId: parts.streamerId(channel), requesterId };
  const { outcome, error } = await execute(parts, decision.settled, context);
  // What could not be noted stays open: it counts as run, and is found at the next start as unknown.
  const isWritten = guardedNow(() => parts.ledger.finish(id, outcome, error));
  if (!isWritten) guardedNow(() => tellUnwritten(parts.notices, { name, outcome }));
  guardedNow(() => tellOutcome(parts.notices, name, { outcome, error }));
  return outcomeOf(parts, asked, decision, outcome);
}

/** Writes it down; null where that failed or it stands there already: then it must not run. */
function write(parts: ActionParts, asked: Asked, decision: Decision, facts: Facts): number | null {
  const { turn, proposal } = asked;
  const settled = decision.kind === "refuse" ? null : decision.settled;
  const name = actionNamed(actionOf(asked));
  try {
    const id = parts.ledger.record({
      replyId: turn.replyId,
      channel: turn.channel,
      action: actionOf(asked),
      class: name === null ? "never" : CATALOGUE[name].class,
      targetId:
        settled?.targetId ?? (facts.target?.kind === "found" ? facts.target.person.userId : null),
      argsJson: argsToKeep(asked, settled),
      decision: decision.kind,
      reason: decision.reason,
      requestedBy: turn.requesterId,
      expiresAtMs:
        decision.kind === "hold" ? facts.nowMs + facts.policy.approvalSeconds * 1_000 : null,
      key: `${turn.channel}:${turn.replyId ?? `${turn.requesterId}@${facts.nowMs}`}:${proposal.index}`,
    });
    guardedNow(() => tellLedger(parts.notices, true));
    return id;
  } catch {
    guardedNow(() => tellLedger(parts.notices, false));
    return null;
  }
}

/**
 * The arguments without what copies older chat: that runs out before this entry does. The requester's words are as
 * old as the entry itself.
 */
function argsToKeep({ turn, proposal, span }: Asked, settled: Settled | null): string {
  const others = turn.untrusted
    .map(({ text }) => text)
    .filter((text) => !turn.words.includes(text));
  const find = runFinder(others);
  const { parsed } = proposal;
  const args = settled?.call.args ?? (parsed.kind === "action" ? parsed.args : { written: span });
  return JSON.stringify(args, (_key, value: unknown) =>
    typeof value === "string" && find(value) !== null ? "…" : value,
  );
}

function outcomeOf(
  parts: ActionParts,
  asked: Asked,
  decision: Pick<ActionOutcome, "reason"> & { readonly kind: Decision["kind"] },
  outcome: ActionOutcome["outcome"],
): ActionOutcome {
  const action = actionOf(asked);
  const { kind, reason } = decision;
  guardedNow(() => parts.counters.bump(`action.${kind}.${reason}`));
  parts.log.info(
    {
      who: parts.log.person(asked.turn.requesterId),
      action: actionNamed(action) ?? "other",
      decision: kind,
      reason,
      outcome,
    },
    "action judged",
  );
  return { action, decision: kind, reason, outcome };
}

function actionOf({ proposal: { parsed } }: Asked): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}

/** A refusal as it stands; anything else is refused, since it could not be written down. */
function unless(decision: Decision, reason: "unknown"): { kind: "refuse"; reason: ActionReason } {
  return { kind: "refuse", reason: decision.kind === "refuse" ? decision.reason : reason };
}

async function guarded<T>(parts: ActionParts, work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch {
    guardedNow(() => tellLedger(parts.notices, false));
    return otherwise;
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
