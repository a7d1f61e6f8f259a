// Pure: values in, values out.
import {
  type ActionCall,
  type ActionLimits,
  actionNamed,
  CATALOGUE,
  readCall,
} from "./catalogue.ts";
import type { RawArgs } from "./grammar.ts";
import { type Facts, limitsOf, type Proposal, type RefusalReason } from "./policy-facts.ts";
import { type Judged, RULES } from "./policy-rules.ts";

/** An action as it is executed: nothing in it is looked up again. */
export interface Settled {
  readonly call: ActionCall;
  readonly targetId: string | null;
  readonly messageId: string | null;
}

/** What becomes of a proposal, with one reason. */
export type Decision =
  | { readonly kind: "run"; readonly reason: "allowed" | "approved"; readonly settled: Settled }
  | { readonly kind: "dry_run"; readonly reason: "dry_run"; readonly settled: Settled }
  | { readonly kind: "hold"; readonly reason: "needs_approval"; readonly settled: Settled }
  | { readonly kind: "refuse"; readonly reason: RefusalReason };

/** One rule and what it says of a proposal; `not_judged` where an earlier refusal left it nothing to judge. */
export interface RuleVerdict {
  readonly rule: RuleName;
  readonly verdict: RefusalReason | "passes" | "not_judged";
}

export type RuleName = (typeof RULES)[number]["name"];

/** Total: every proposal gets one decision, from the first rule that refuses it, in the order of `RULES`. */
export function decide(proposal: Proposal, facts: Facts): Decision {
  const judged = judge(proposal, facts);
  for (const { check } of RULES) {
    const reason = check(judged);
    if (reason !== null && reason !== "not_judged") return { kind: "refuse", reason };
  }
  return settle(judged);
}

/** Every rule's verdict, in order. The first that is a refusal is the one that decides. */
export function verdicts(proposal: Proposal, facts: Facts): readonly RuleVerdict[] {
  const judged = judge(proposal, facts);
  return RULES.map(({ name, check }) => ({ rule: name, verdict: check(judged) ?? "passes" }));
}

function judge(proposal: Proposal, facts: Facts): Judged {
  const { parsed } = proposal;
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  const read = (args: RawArgs) => (name === null ? null : readCall(name, args));
  return {
    proposal,
    facts,
    name,
    written: parsed.kind === "action" ? read(parsed.args) : null,
    call: facts.texts?.kind === "passed" ? read(facts.texts.args) : null,
  };
}

function settle({ name, call, facts }: Judged): Decision {
  if (name === null || call === null) return { kind: "refuse", reason: "unknown" };
  const found = facts.target?.kind === "found" ? facts.target : null;
  const settled: Settled = {
    call: clamped(call, limitsOf(name, facts.policy), facts.saidSeconds),
    targetId: found?.person.userId ?? null,
    messageId: CATALOGUE[name].target === "message" ? (found?.messageId ?? null) : null,
  };
  switch (facts.policy.classes[CATALOGUE[name].class]) {
    case "off":
      return { kind: "refuse", reason: "class_off" };
    case "dry_run":
      return { kind: "dry_run", reason: "dry_run", settled };
    case "approve":
      return facts.isApproved
        ? { kind: "run", reason: "approved", settled }
        : { kind: "hold", reason: "needs_approval", settled };
    case "live":
      return { kind: "run", reason: facts.isApproved ? "approved" : "allowed", settled };
  }
}

/**
 * Last, so that nothing before it can widen the range; where the range is upside down, its shorter end holds. A model
 * that writes more than the requester said gets what was said.
 */
function clamped(
  call: ActionCall,
  { secondsMin, secondsMax }: ActionLimits,
  saidSeconds: number | null,
): ActionCall {
  if (call.name !== "timeout" && call.name !== "poll") return call;
  const wanted = Math.min(call.args.seconds, saidSeconds ?? call.args.seconds);
  const seconds = Math.max(1, Math.min(Math.max(wanted, secondsMin), secondsMax));
  return call.name === "poll"
    ? { ...call, args: { ...call.args, seconds } }
    : { ...call, args: { ...call.args, seconds } };
}
