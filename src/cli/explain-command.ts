import { existsSync } from "node:fs";
import { type Explanation, explainLine } from "../actions/explain-decision.ts";
import { makeFence } from "../language/fence.ts";
import { loadConfig } from "../platform/config/load.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { configuredGuard } from "../reply/configured-guard.ts";
import { type Asker, suppose } from "./hypothetical-facts.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainOptions extends Asker {
  readonly config: string;
  readonly json?: true;
}

/** Shows how a line that the model may write would be decided, rule by rule. Sends nothing, writes nothing. */
export function explainAction(span: string, options: ExplainOptions, terminal: Terminal): void {
  const config = loadConfig(options.config);
  const db = existsSync(config.databaseFile)
    ? openDatabase(config.databaseFile, { readOnly: true })
    : null;
  try {
    const supposed = suppose(span, options, { config, db });
    const guard = configuredGuard(config, makeFence("0".repeat(12)));
    const explained = explainLine(span, supposed, guard);
    const { target } = supposed.facts;
    const found = target?.kind === "found" ? target.person : null;
    const whom = found === null ? "" : `, about ${found.displayName} (${found.userId})`;
    terminal.print(
      options.json === true
        ? JSON.stringify(explained, null, 2)
        : textOf(explained, `Asked for by a ${options.as}${whom}.`),
    );
  } finally {
    db?.close();
  }
}

function textOf({ decision, rules }: Explanation, asked: string): string {
  const lines = rules.map(({ rule, verdict, isDeciding, assumed }) => {
    const line = `${isDeciding ? "→" : " "} ${rule.padEnd(10)} ${verdict}`;
    return assumed === null ? line : `${line}  (assumed: ${assumed})`;
  });
  return [...lines, "", verdictOf(decision), asked].join("\n");
}

function verdictOf(decision: Explanation["decision"]): string {
  if (decision.kind === "refuse") return `refuse (${decision.reason})`;
  const { call } = decision.settled;
  return `${decision.kind} (${decision.reason}): ${call.name} ${JSON.stringify(call.args)}`;
}
