import { ActionReview, type LedgerLine } from "../actions/ledger-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { makeUsageFault } from "../errors.ts";
import { explainAction, type RequesterInput } from "../reply/explain-action.ts";
import type { CommandOutput, OpenFolder } from "./open-folder.ts";
import { linesIf } from "./terminal.ts";

const COUNTED_DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * Lists at most `limit` proposed actions with their outcomes, newest first. `reason` and `requester`, a login, filter
 * this list only. Below it: last week's counts of all actions by reason, and of all refusals by requester.
 */
export function listActions(
  { db, now }: OpenFolder,
  { reason: wanted, requester, limit }: { reason?: string; requester?: string; limit: number },
): CommandOutput {
  const review = new ActionReview(db, now);
  const sinceMs = now() - COUNTED_DAYS * DAY_MS;
  const actions = review.list({
    ...(wanted === undefined ? {} : { reason: wanted }),
    ...(requester === undefined ? {} : { requester: requester.replace(/^@/, "") }),
    limit,
  });
  const lines = actions.map((line) => {
    const { id, createdAtMs, action, argsJson, targetLogin, targetId, decision, reason } = line;
    const target = targetId === null ? "" : ` on ${targetLogin ?? targetId}`;
    const by = line.requesterLogin ?? line.requestedBy ?? "nobody";
    const args = argsJson === null || argsJson === "{}" ? "" : `  ${argsJson}`;
    const fate = `${decision} (${reason})${describeOutcome(line, now())}`;
    return `${String(id).padStart(6)}  ${formatLocalTime(createdAtMs)}  ${fate}  ${action}${target}, asked by ${by}${args}`;
  });
  const byReason = review.countByReason(sinceMs);
  const refusedByRequester = review.countRefusals(sinceMs);
  const reasons = byReason.map((one) => `${one.decision} ${one.reason} ${one.count}`);
  const requesters = refusedByRequester.map((one) => `${one.login ?? one.userId} ${one.count}`);
  return {
    value: { actions, byReason, refusedByRequester },
    text: [
      ...(actions.length === 0 ? ["No actions."] : lines),
      "",
      `In the last ${COUNTED_DAYS} days, by reason: ${reasons.join(", ") || "none"}`,
      `Refused, by who asked: ${requesters.join(", ") || "none"}`,
    ],
  };
}

/**
 * Approves an action that waits for the streamer: a running daemon judges it again, and runs or refuses it. Without a
 * daemon nothing runs, and the next start drops the action. Throws a Fault if the action does not wait.
 */
export function approve(opened: OpenFolder, id: number): string {
  return answerAction(opened, id, "approve")
    ? `action ${id}: approved; the running bot judges it once more: \`forgetmenot actions list\` shows the outcome`
    : `action ${id}: noted, but nothing happens: no bot is running here, and its next start drops what waited`;
}

/** Refuses an action that waits for the streamer. Throws a Fault if it does not wait. */
export function refuse(opened: OpenFolder, id: number): string {
  return answerAction(opened, id, "refuse")
    ? `action ${id}: refused; the running bot drops it`
    : `action ${id}: refused; no bot is running here, and its next start drops what waited anyway`;
}

/**
 * Stores the streamer's answer. Returns true if a daemon runs: it reads the answer. Throws a Fault if the action waits
 * for another approver, or is answered or expired.
 */
function answerAction(
  { db, now, config }: OpenFolder,
  id: number,
  answer: "approve" | "refuse",
): boolean {
  if (new ActionReview(db, now).answer(id, answer)) return isLocked(config.dataDir);
  throw makeUsageFault(
    `action ${id} does not wait for an answer, or not any more`,
    "see `forgetmenot actions list --reason needs_approval` for those that do",
  );
}

const ENDED: Readonly<Record<string, string>> = {
  yes: "said yes",
  declined: "said no",
  unanswered: "did not answer",
};

/** Returns what became of an action, such as `, waits 20 s more for the streamer`; "" if that is not known. */
function describeOutcome(line: LedgerLine, nowMs: number): string {
  const { decision, outcome, error, result, waitsFor, endedAs, expiresAtMs } = line;
  if (decision === "hold" && expiresAtMs !== null) {
    const leftMs = expiresAtMs - nowMs;
    const approver = waitsFor === null ? "" : ` for the ${waitsFor}`;
    return leftMs > 0 ? `, waits ${Math.ceil(leftMs / 1_000)} s more${approver}` : ", ran out";
  }
  const answered = endedAs === null ? "" : `, ${waitsFor} ${ENDED[endedAs] ?? endedAs}`;
  if (outcome === null) return answered;
  const made = result === null ? "" : ` (${result})`;
  return `${answered}, ${outcome}${error === null ? made : `: ${error}`}`;
}

/**
 * Shows how the policy would decide, rule by rule, about `span`: an action as the model writes it, such as
 * `[action timeout user=bob seconds=60]`. It judges for the first channel, and shows a malformed span as refused. Marks
 * verdicts that rest on what only a running bot knows. Sends nothing, writes nothing.
 */
export async function explainLine(
  { config, db }: OpenFolder,
  span: string,
  options: RequesterInput,
): Promise<CommandOutput> {
  const { target, ...explained } = await explainAction(span, options, config, db);
  const rules = explained.rules.map((one) =>
    one.rule === "requester" && one.assumed !== null
      ? { ...one, assumed: `${one.assumed}; try --words` }
      : one,
  );
  const { decision } = explained;
  let verdict = `refuse (${decision.reason})`;
  if (decision.kind !== "refuse") {
    const { call } = decision.settled;
    const waits = decision.kind === "hold" ? `, waits for the ${decision.waitsFor}` : "";
    const args = JSON.stringify(call.args);
    verdict = `${decision.kind} (${decision.reason}${waits}): ${call.name} ${args}`;
  }
  const targetText = target === null ? "" : `, about ${target.displayName} (${target.userId})`;
  return {
    value: { ...explained, rules },
    text: [
      ...rules.map(({ rule, isDeciding, assumed, ...one }) => {
        const line = `${isDeciding ? "→" : " "} ${rule.padEnd(10)} ${one.verdict}`;
        return assumed === null ? line : `${line}  (assumed: ${assumed})`;
      }),
      "",
      verdict,
      ...linesIf(explained.question !== null, `The bot asks: ${explained.question}`),
      `Asked for by a ${options.as}${targetText}.`,
    ],
  };
}
