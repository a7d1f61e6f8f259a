import type { LlmAnswer } from "../platform/models/model-port.ts";
import type { Outcome } from "../twitch/outbox.ts";
import type { GuardResult } from "./guard.ts";
import type { ReplyReason } from "./reason.ts";
import { endedBy } from "./reply-queue.ts";
import type { ReplyOutcome } from "./reply-store.ts";
import type { Trail } from "./trail.ts";

/** What is recorded of a reply that went to the outbox. */
export function ended(
  outcome: Outcome,
  {
    text,
    signal,
    nowMs,
  }: { readonly text: string; readonly signal: AbortSignal; readonly nowMs: number },
): ReplyOutcome {
  switch (outcome.kind) {
    case "sent":
      return {
        state: "sent",
        reason: null,
        text,
        messageId: outcome.messageId,
        sentAtMs: nowMs,
      };
    case "unknown":
      return { ...silent("send_unknown"), state: "unknown", text };
    case "withdrawn":
      return silent(signal.aborted ? endedBy(signal) : "paused");
    case "expired":
    case "duplicate":
      return silent(outcome.kind);
    case "refused":
    case "failed":
      return silent(`send_${outcome.reason}`);
  }
}

/** A trail with what the model did and the guard made of it. */
export function completed(trail: Trail, said: LlmAnswer, guarded: GuardResult | null): Trail {
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

/** Nothing was sent, for one reason. */
export function silent(reason: ReplyReason): ReplyOutcome {
  return { state: "silent", reason, text: null, messageId: null, sentAtMs: null };
}
