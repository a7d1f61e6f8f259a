import { runFinder } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { ActionNotices } from "./action-notices.ts";
import type { Decision, Facts } from "./action-policy.ts";
import { actionNamed, CATALOGUE, rawArgs } from "./catalogue.ts";
import type { Execution } from "./execute.ts";
import type { Asked } from "./gather.ts";
import { quietly, waitMs } from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";

/** What became of one proposal: for the trail. Names and codes only. */
export interface ActionOutcome {
  readonly action: string;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  /** Null where nothing was executed. */
  readonly outcome: Execution["outcome"] | null;
}

/** What is written down of actions: in the ledger before anything is done, and in counters and the log after. */
export function actionRecord(
  ledger: Ledger,
  counters: Pick<Counters, "bump">,
  tell: ActionNotices,
  log: Log,
) {
  return {
    /** Null where that failed or it stands there already: then it must not run. */
    decided: (asked: Asked, decision: Decision, facts: Facts): number | null => {
      try {
        const id = ledger.record(entryFor(asked, decision, facts));
        quietly(() => tell.ledger(true));
        return id;
      } catch {
        quietly(() => tell.ledger(false));
        return null;
      }
    },
    ended: (
      asked: Asked,
      { kind, reason }: { readonly kind: Decision["kind"]; readonly reason: ActionReason },
      outcome: ActionOutcome["outcome"],
    ): ActionOutcome => {
      const action = actionOf(asked);
      quietly(() => counters.bump(`action.${kind}.${reason}`));
      const who = log.person(asked.turn.requesterId);
      const named = actionNamed(action) ?? "other";
      log.info({ who, action: named, decision: kind, reason, outcome }, "action judged");
      return { action, decision: kind, reason, outcome };
    },
  };
}

function entryFor(
  asked: Asked,
  decision: Decision,
  { nowMs, policy, target }: Facts,
): Parameters<Ledger["record"]>[0] {
  const { turn, proposal, command } = asked;
  const settled = decision.kind === "refuse" ? null : decision.settled;
  const name = actionNamed(actionOf(asked));
  const waitsFor = decision.kind === "hold" ? decision.waitsFor : null;
  const unnumbered = `${turn.requesterId}@${nowMs}`;
  const source =
    command === null ? (turn.replyId ?? unnumbered) : `line:${turn.messageId ?? unnumbered}`;
  const found = target?.kind === "found" ? target.person.userId : null;
  return {
    replyId: turn.replyId,
    channel: turn.channel,
    action: actionOf(asked),
    class: name === null ? "never" : CATALOGUE[name].class,
    targetId: settled?.targetId ?? found,
    argsJson: argsToKeep(asked, settled === null ? null : rawArgs(settled.call)),
    decision: decision.kind,
    reason: decision.reason,
    requestedBy: turn.requesterId,
    messageId: settled?.messageId ?? null,
    waitsFor,
    expiresAtMs: waitsFor === null ? null : nowMs + waitMs(waitsFor, policy),
    key: `${turn.channel}:${source}:${proposal.index}`,
  };
}

/**
 * The arguments without quotes, and without what copies older chat: that runs out before this entry does. The
 * requester's words are as old as the entry itself.
 */
function argsToKeep(
  { turn, proposal: { parsed }, span }: Asked,
  settled: Readonly<Record<string, string>> | null,
): string {
  const find = runFinder(turn.shown.filter((text) => !turn.words.includes(text)));
  const args: Readonly<Record<string, string>> =
    settled ?? (parsed.kind === "action" ? parsed.args : { written: span });
  const { quote: _, ...kept } = args;
  return JSON.stringify(kept, (_key, value: unknown) =>
    typeof value === "string" && find(value) !== null ? "…" : value,
  );
}

function actionOf({ proposal: { parsed } }: Asked): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}
