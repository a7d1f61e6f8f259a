import { parseAction } from "./grammar.ts";
import type { GuardVerdict } from "./guard-args.ts";
import { guardArgs } from "./guard-args.ts";
import { type Decision, decide, type RuleVerdict, verdicts } from "./policy.ts";
import type { Facts } from "./policy-facts.ts";

/** One line of an explanation. */
interface ExplainedRule extends RuleVerdict {
  /** Whether this is the rule that decides. */
  readonly isDeciding: boolean;
}

export interface Explanation {
  readonly decision: Decision;
  readonly rules: readonly ExplainedRule[];
}

/** What is supposed of the turn in which a proposal would come. */
export type Supposed = Omit<Facts, "texts" | "isApproved">;

/**
 * Why a line that a model may write would be decided as it would: each rule and its verdict, in order, the deciding
 * one marked. Nothing is sent, nothing is written.
 */
export function explainLine(
  span: string,
  supposed: Supposed,
  guard: (text: string) => GuardVerdict,
): Explanation {
  const parsed = parseAction(span);
  const proposal = { parsed, index: 0 };
  const facts: Facts = { ...supposed, texts: guardArgs(parsed, guard), isApproved: false };
  const all = verdicts(proposal, facts);
  const deciding = all.findIndex(({ verdict }) => verdict !== "passes" && verdict !== "not_judged");
  return {
    decision: decide(proposal, facts),
    rules: all.map((rule, index) => ({ ...rule, isDeciding: index === deciding })),
  };
}
