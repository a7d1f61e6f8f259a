import {
  type Decision,
  decide,
  type Facts,
  type Proposal,
  type RuleVerdict,
  verdicts,
} from "./policy.ts";

/** One line of an explanation. */
export interface ExplainedRule extends RuleVerdict {
  /** Whether this is the rule that decides. */
  readonly isDeciding: boolean;
}

export interface Explanation {
  readonly decision: Decision;
  readonly rules: readonly ExplainedRule[];
}

/** Why a proposal is decided as it is: each rule and its verdict, in order, the deciding one marked. Nothing is sent. */
export function explainDecision(proposal: Proposal, facts: Facts): Explanation {
  const all = verdicts(proposal, facts);
  const deciding = all.findIndex(({ verdict }) => verdict !== "passes" && verdict !== "not_judged");
  return {
    decision: decide(proposal, facts),
    rules: all.map((rule, index) => ({ ...rule, isDeciding: index === deciding })),
  };
}
