import { existsSync } from "node:fs";
import { type Decision, decide, type RuleVerdict, verdicts } from "../actions/action-policy.ts";
import { parseAction } from "../actions/grammar.ts";
import { questionFor } from "../actions/question.ts";
import { loadConfig } from "../platform/config/load.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { type Asker, type Supposed, suppose } from "./hypothetical-facts.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainOptions extends Asker {
  readonly config: string;
  readonly json?: true;
}

/** One line of an explanation. */
interface ExplainedRule extends RuleVerdict {
  /** Whether this is the rule that decides. */
  readonly isDeciding: boolean;
  /** What its verdict takes for granted; null where it rests on facts alone. */
  readonly assumed: string | null;
}

interface Explanation {
  readonly decision: Decision;
  readonly rules: readonly ExplainedRule[];
  /** What the requester would be asked; null where nothing is asked. */
  readonly question: string | null;
}

/** Shows how a line that the model may write would be decided, rule by rule. Sends nothing, writes nothing. */
export async function explainAction(
  span: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const config = loadConfig(options.config);
  const db = existsSync(config.databaseFile)
    ? openDatabase(config.databaseFile, { readOnly: true })
    : openDatabase(":memory:");
  try {
    const supposed = await suppose(span, options, config, db);
    const explained = explain(span, supposed, config.actions.questions);
    const { target } = supposed.facts;
    const found = target?.kind === "found" ? target.person : null;
    const whom = found === null ? "" : `, about ${found.displayName} (${found.userId})`;
    terminal.print(
      options.json === true
        ? JSON.stringify(explained, null, 2)
        : textOf(explained, `Asked for by a ${options.as}${whom}.`),
    );
  } finally {
    db.close();
  }
}

/** Each rule and its verdict, in order, the deciding one marked. */
function explain(
  span: string,
  { facts, assumed, says }: Supposed,
  questions: Parameters<typeof questionFor>[3],
): Explanation {
  const proposal = { parsed: parseAction(span), index: 0 };
  const all = verdicts(proposal, facts);
  const deciding = all.findIndex(({ verdict }) => verdict !== "passes" && verdict !== "not_judged");
  const decision = decide(proposal, facts);
  const login = facts.target?.kind === "found" ? facts.target.person.login : "";
  const asked = { login, fact: "…", isByReply: false };
  return {
    decision,
    question:
      decision.kind === "hold" && decision.waitsFor === "requester"
        ? questionFor(decision.settled, asked, says, questions)
        : null,
    rules: all.map((rule, index) => ({
      ...rule,
      isDeciding: index === deciding,
      assumed: rule.verdict === "not_judged" ? null : (assumed[rule.rule] ?? null),
    })),
  };
}

function textOf({ decision, rules, question }: Explanation, asked: string): string {
  const lines = rules.map(({ rule, verdict, isDeciding, assumed }) => {
    const line = `${isDeciding ? "→" : " "} ${rule.padEnd(10)} ${verdict}`;
    return assumed === null ? line : `${line}  (assumed: ${assumed})`;
  });
  const asks = question === null ? [] : [`The bot asks: ${question}`];
  return [...lines, "", verdictOf(decision), ...asks, asked].join("\n");
}

function verdictOf(decision: Decision): string {
  if (decision.kind === "refuse") return `refuse (${decision.reason})`;
  const { call } = decision.settled;
  const waits = decision.kind === "hold" ? `, waits for the ${decision.waitsFor}` : "";
  return `${decision.kind} (${decision.reason}${waits}): ${call.name} ${JSON.stringify(call.args)}`;
}
