import { existsSync } from "node:fs";
import type { Decision } from "../actions/action-policy.ts";
import { actionReview } from "../actions/ledger-store.ts";
import { wrongUse } from "../errors.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { isLocked } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { type Asker, type Explanation, explainAction } from "../reply/explain-action.ts";
import { changing, type Options, reading, tell } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

export interface ActionsOptions extends Options {
  readonly reason?: string;
  /** A login. */
  readonly requester?: string;
  readonly limit: number;
}

/** The counts below the list reach back this far. */
const COUNTED_DAYS = 7;
const DAY_MS = 86_400_000;

/** Lists what was proposed and what became of it, newest first, and counts it by reason and by who asked. */
export function printActions(options: ActionsOptions, terminal: Terminal): void {
  const { reason, requester, limit } = options;
  reading(options.config, ({ db, now }) => {
    const review = actionReview(db, now);
    const sinceMs = now() - COUNTED_DAYS * DAY_MS;
    const actions = review.list({
      ...(reason === undefined ? {} : { reason }),
      ...(requester === undefined ? {} : { requester: requester.replace(/^@/, "") }),
      limit,
    });
    const byReason = review.countsByReason(sinceMs);
    const refusedByRequester = review.refusedByRequester(sinceMs);
    tell(terminal, options, { actions, byReason, refusedByRequester }, () => [
      ...(actions.length === 0 ? ["No actions."] : actions.map(actionLine)),
      "",
      `In the last ${COUNTED_DAYS} days, by reason: ${listed(byReason.map(({ decision, reason: why, count }) => `${decision} ${why} ${count}`))}`,
      `Refused, by who asked: ${listed(refusedByRequester.map(({ userId, login, count }) => `${login ?? userId} ${count}`))}`,
    ]);
  });
}

/** Answers a proposal that waits; a running daemon judges it once more and acts on it. Says what is true without one. */
export function answerAction(
  id: number,
  answer: "approve" | "refuse",
  config: string,
  terminal: Terminal,
): void {
  changing(config, ({ db, now, config: { dataDir } }) => {
    if (!actionReview(db, now).answer(id, answer)) {
      throw wrongUse(
        `action ${id} does not wait for an answer, or not any more`,
        "see `forgetmenot actions --reason needs_approval` for those that do",
      );
    }
    terminal.print(`action ${id}: ${isLocked(dataDir) ? TOLD[answer] : TOLD_NOBODY[answer]}`);
  });
}

const TOLD = {
  approve:
    "approved; the running bot judges it once more, and does it if nothing has changed that forbids it: `forgetmenot actions` shows what came of it",
  refuse: "refused; the running bot drops it",
} as const;
/** Nothing that waits outlives the daemon that holds it. */
const TOLD_NOBODY = {
  approve:
    "noted, but nothing happens: no bot is running here, and its next start drops what waited",
  refuse: "refused; no bot is running here, and its next start drops what waited anyway",
} as const;

type Line = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

function actionLine(line: Line): string {
  const { id, createdAtMs, action, targetLogin, targetId, decision, reason } = line;
  const target = targetId === null ? "" : ` on ${targetLogin ?? targetId}`;
  const by = line.requesterLogin ?? line.requestedBy ?? "nobody";
  const args = line.argsJson === null || line.argsJson === "{}" ? "" : `  ${line.argsJson}`;
  return `${String(id).padStart(6)}  ${localTime(createdAtMs)}  ${decision} (${reason})${outcomeOf(line)}  ${action}${target}, asked by ${by}${args}`;
}

const ENDED: Readonly<Record<string, string>> = {
  yes: "said yes",
  declined: "said no",
  unanswered: "did not answer",
};

function outcomeOf(line: Line): string {
  const { decision, outcome, error, result, waitsFor, endedAs, expiresAtMs } = line;
  if (decision === "hold" && expiresAtMs !== null) {
    const leftMs = expiresAtMs - Date.now();
    const whom = waitsFor === null ? "" : ` for the ${waitsFor}`;
    return leftMs > 0 ? `, waits ${Math.ceil(leftMs / 1_000)} s more${whom}` : ", ran out";
  }
  const answered = endedAs === null ? "" : `, ${waitsFor} ${ENDED[endedAs] ?? endedAs}`;
  if (outcome === null) return answered;
  const made = result === null ? "" : ` (${result})`;
  return `${answered}, ${outcome}${error === null ? made : `: ${error}`}`;
}

function listed(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}

export interface ExplainOptions extends Asker, Options {}

/** Shows how a line that the model may write would be decided, rule by rule. Sends nothing, writes nothing. */
export async function explainLine(
  span: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const config = loadConfig(options.config);
  const db = existsSync(config.databaseFile)
    ? openDatabase(config.databaseFile, { readOnly: true })
    : openDatabase(":memory:");
  try {
    const explained = withHint(await explainAction(span, options, config, db));
    const { target, ...told } = explained;
    const whom = target === null ? "" : `, about ${target.displayName} (${target.userId})`;
    tell(terminal, options, told, () =>
      explanationText(explained, `Asked for by a ${options.as}${whom}.`),
    );
  } finally {
    db.close();
  }
}

/** What would settle an assumption, as it is said at a terminal. */
function withHint({ rules, ...rest }: Explanation): Explanation {
  return {
    ...rest,
    rules: rules.map((one) =>
      one.rule === "requester" && one.assumed !== null
        ? { ...one, assumed: `${one.assumed}; try --words` }
        : one,
    ),
  };
}

function explanationText({ decision, rules, question }: Explanation, asked: string): string {
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
