import {
  type Decision,
  decide,
  type RuleName,
  type RuleVerdict,
  verdicts,
} from "./action-policy.ts";
import { parseAction } from "./grammar.ts";
import { type GuardVerdict, guardArgs } from "./guard-args.ts";
import type { Facts } from "./policy-facts.ts";

/** One line of an explanation. */
interface ExplainedRule extends RuleVerdict {
  /** Whether this is the rule that decides. */
  readonly isDeciding: boolean;
  /** What its verdict takes for granted; null where it rests on facts alone. */
  readonly assumed: string | null;
}

export interface Explanation {
  readonly decision: Decision;
  readonly rules: readonly ExplainedRule[];
}

/** The turn in which a proposal would come: what is known of it, and what is only taken for granted, by rule. */
export interface Supposed {
  readonly facts: Omit<Facts, "texts" | "isApproved">;
  readonly assumed: Readonly<Partial<Record<RuleName, string>>>;
}

/**
 * Why a line that a model may write would be decided as it would: each rule and its verdict, in order, the deciding
 * one marked. Nothing is sent, nothing is written.
 */
export function explainLine(
  span: string,
  { facts: known, assumed }: Supposed,
  guard: (text: string) => GuardVerdict,
): Explanation {
  const parsed = parseAction(span);
  const proposal = { parsed, index: 0 };
  const facts: Facts = { ...known, texts: guardArgs(parsed, guard), isApproved: false };
  const all = verdicts(proposal, facts);
  const deciding = all.findIndex(({ verdict }) => verdict !== "passes" && verdict !== "not_judged");
  return {
    decision: decide(proposal, facts),
    rules: all.map((rule, index) => ({
      ...rule,
      isDeciding: index === deciding,
      assumed: rule.verdict === "not_judged" ? null : (assumed[rule.rule] ?? null),
    })),
  };
}
