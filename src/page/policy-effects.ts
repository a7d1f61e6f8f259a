import { CATALOGUE } from "../actions/catalogue.ts";
import { actionReview } from "../actions/ledger-store.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { noteReviewStore } from "../memory/review-store.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import { plural } from "../telemetry/figures.ts";
import type { PageData } from "./route.ts";

type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

const DAY_MS = 86_400_000;
const BACK_DAYS = 30;
const LINES_BACK = 2_000;
const CANDIDATES_BACK = 5_000;

/** What a change would have meant for what was proposed and offered in the last thirty days, in sentences. */
export function policyEffects(
  { db, nowMs }: PageData,
  changes: readonly PolicyChange[],
): readonly string[] {
  const sinceMs = nowMs - BACK_DAYS * DAY_MS;
  const lines = actionReview(db, () => nowMs)
    .list({ limit: LINES_BACK })
    .filter(({ createdAtMs }) => createdAtMs >= sinceMs);
  const offered = noteReviewStore(db, nowMs).candidates({ reason: null, limit: CANDIDATES_BACK });
  const told = changes.flatMap(
    (change) => actionEffect(change, lines) ?? memoryEffect(change, offered) ?? [],
  );
  return told.length > 0 ? told : ["Nothing of the last 30 days says; it holds from now on."];
}

const MEANS: Readonly<Record<string, string>> = {
  off: "be refused",
  dry_run: "be written down and not done",
  approve: "wait for your word",
  live: "be done, where every other rule allows it",
};

function actionEffect({ key, from, to }: PolicyChange, lines: readonly LedgerLine[]) {
  const [root, part, name = "", limit = ""] = key.split(".");
  if (root !== "actions") return null;
  const refused = (which: readonly LedgerLine[], what: string) =>
    `Of ${plural(lines.length, "proposal")} in the last ${BACK_DAYS} days, ${which.length} ${what}; they would be refused.`;
  const added = listOf(to).filter((one) => !listOf(from).includes(one));
  switch (part) {
    case "classes":
      return gateEffect(name, String(to), lines);
    case "safeMode":
      return to === true ? refused(lines.filter(isRun), "ran") : null;
    case "limits":
      return limitEffect(name, limit, to, lines);
    case "allowlist":
    case "denylist": {
      const isHit = ({ action, targetId, targetLogin }: LedgerLine) =>
        added.some(
          (one) => one === (name === "actions" ? action : targetLogin) || one === targetId,
        );
      return added.length === 0
        ? null
        : refused(lines.filter(isHit), `were about ${added.join(", ")}`);
    }
    default:
      return null;
  }
}

function isRun({ decision }: LedgerLine): boolean {
  return decision === "run";
}

function gateEffect(name: string, gate: string, all: readonly LedgerLine[]): string {
  const of = new Set<string>(ACTION_NAMES.filter((action) => CATALOGUE[action].class === name));
  const lines = all.filter(({ action }) => of.has(action));
  if (lines.length === 0)
    return `Nothing of class ${name} was proposed in the last ${BACK_DAYS} days.`;
  const byRule = lines.filter(
    ({ decision, reason }) => decision === "refuse" && !/class|off/.test(reason),
  ).length;
  return `Of ${plural(lines.length, "proposal")} of class ${name} in the last ${BACK_DAYS} days, ${lines.length - byRule} would ${MEANS[gate] ?? "be judged anew"}; ${byRule} would be refused by other rules as they were.`;
}

const HOUR_MS = 3_600_000;
/** Of limits on how soon one may follow another: which others count. */
const ALIKE: Readonly<Record<string, (one: LedgerLine, other: LedgerLine) => boolean>> = {
  actionSeconds: () => true,
  targetSeconds: (one, other) => one.targetId === other.targetId,
  requesterSeconds: (one, other) => one.requestedBy === other.requestedBy,
  perHour: () => true,
};

/** Plays what ran once more, and counts what the limit would have kept back. */
function limitEffect(
  action: string,
  limit: string,
  to: unknown,
  all: readonly LedgerLine[],
): string | null {
  const isAlike = ALIKE[limit];
  const facts = ACTION_NAMES.find((known) => known === action);
  if (isAlike === undefined || facts === undefined) return null;
  const standard = CATALOGUE[facts].limits[limit as "perHour"];
  const value = typeof to === "number" ? to : standard;
  const [spanMs, most] = limit === "perHour" ? [HOUR_MS, value] : [value * 1_000, 1];
  const runs = all.filter((line) => isRun(line) && line.action === action).toReversed();
  const kept: LedgerLine[] = [];
  for (const run of runs) {
    const before = kept.filter(
      (other) => isAlike(run, other) && run.createdAtMs - other.createdAtMs < spanMs,
    );
    if (before.length < most) kept.push(run);
  }
  return `Of ${plural(runs.length, "run")} of ${action} in the last ${BACK_DAYS} days, ${runs.length - kept.length} would have been refused.`;
}

const MODES: Readonly<Record<string, string>> = {
  auto: "be in use at once",
  shadow: "be kept where you see them, and stand in no prompt",
  manual: "wait for your approval",
};

function memoryEffect(
  { key, from, to }: PolicyChange,
  offered: readonly { readonly decision: string; readonly reason: string }[],
): string | null {
  if (!key.startsWith("memory.")) return null;
  const written = offered.filter(({ decision }) => decision === "write").length;
  if (key === "memory.mode")
    return `Of ${offered.length} facts offered lately, the ${written} that were written would ${MODES[String(to)] ?? "be judged anew"}.`;
  if (key === "memory.kinds" || key === "memory.scopes") {
    const gone = listOf(from).filter((one) => !listOf(to).includes(one));
    return gone.length === 0
      ? null
      : `No note of ${gone.join(", ")} would be written any more; those that are there stay.`;
  }
  const capped = offered.filter(({ reason }) => reason.endsWith("_rate")).length;
  return key.startsWith("memory.caps.")
    ? `Of ${offered.length} facts offered lately, ${capped} ran into a cap.`
    : null;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
