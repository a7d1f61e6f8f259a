import { actionReview } from "../actions/action-review-store.ts";
import { Fault } from "../errors.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { isLocked } from "../platform/database/lock.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Terminal } from "./terminal.ts";

export interface ActionsOptions {
  readonly config: string;
  readonly reason?: string;
  /** A login. */
  readonly requester?: string;
  readonly limit: number;
  readonly json?: true;
}

/** The counts below the list reach back this far. */
const COUNTED_DAYS = 7;
const DAY_MS = 86_400_000;

/** Lists what was proposed and what became of it, newest first, and counts it by reason and by who asked. */
export function listActions(options: ActionsOptions, terminal: Terminal): void {
  const { config, reason, requester, limit, json } = options;
  withDatabase(config, true, (db) => {
    const review = actionReview(db, Date.now);
    const sinceMs = Date.now() - COUNTED_DAYS * DAY_MS;
    const actions = review.list({
      ...(reason === undefined ? {} : { reason }),
      ...(requester === undefined ? {} : { requester: requester.replace(/^@/, "") }),
      limit,
    });
    const byReason = review.countsByReason(sinceMs);
    const refusedByRequester = review.refusedByRequester(sinceMs);
    if (json === true) {
      return terminal.print(JSON.stringify({ actions, byReason, refusedByRequester }, null, 2));
    }
    terminal.print(
      [
        ...(actions.length === 0 ? ["No actions."] : actions.map(actionLine)),
        "",
        `In the last ${COUNTED_DAYS} days, by reason: ${listed(byReason.map(({ decision, reason: why, count }) => `${decision} ${why} ${count}`))}`,
        `Refused, by who asked: ${listed(refusedByRequester.map(({ userId, login, count }) => `${login ?? userId} ${count}`))}`,
      ].join("\n"),
    );
  });
}

/** Answers a proposal that waits; a running daemon judges it once more and acts on it. Says what is true without one. */
export function answerAction(
  id: number,
  answer: "approve" | "refuse",
  config: string,
  terminal: Terminal,
): void {
  withDatabase(config, false, (db, dataDir) => {
    if (!actionReview(db, Date.now).answer(id, answer)) {
      throw new Fault(`action ${id} does not wait for an answer, or not any more`, {
        code: "usage",
        mend: "see `forgetmenot actions --reason needs_approval` for those that do",
      });
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

function withDatabase(
  configFile: string,
  readOnly: boolean,
  work: (db: Db, dataDir: string) => void,
): void {
  const { databaseFile, dataDir } = loadConfig(configFile);
  const db = readOnly ? openDatabase(databaseFile, { readOnly }) : existingDatabase(databaseFile);
  try {
    work(db, dataDir);
  } finally {
    db.close();
  }
}

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
