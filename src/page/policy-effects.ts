import { actionReview } from "../actions/action-review-store.ts";
import { CATALOGUE } from "../actions/catalogue.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { noteReviewStore } from "../memory/note-review-store.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import type { Desk } from "./desk.ts";

const DAY_MS = 86_400_000;
const BACK_DAYS = 30;
const LINES_BACK = 2_000;
const CANDIDATES_BACK = 5_000;
const GATE = /^actions\.classes\.(\w+)$/;
const MEANS: Readonly<Record<string, string>> = {
  off: "be refused",
  dry_run: "be written down and not done",
  approve: "wait for your word",
  live: "be done, where every other rule allows it",
};

/** What a change would have meant for what was proposed and offered in the last thirty days, in sentences. */
export function policyEffects(desk: Desk, changes: readonly PolicyChange[]): string[] {
  return changes.flatMap((change) => gateEffect(desk, change) ?? memoryEffect(desk, change) ?? []);
}

function gateEffect({ db, nowMs }: Desk, { key, to }: PolicyChange): string | null {
  const name = GATE.exec(key)?.[1];
  if (name === undefined) return null;
  const of = new Set<string>(ACTION_NAMES.filter((action) => CATALOGUE[action].class === name));
  const sinceMs = nowMs - BACK_DAYS * DAY_MS;
  const lines = actionReview(db, () => nowMs)
    .list({ limit: LINES_BACK })
    .filter((line) => of.has(line.action) && line.createdAtMs >= sinceMs);
  if (lines.length === 0)
    return `Nothing of class ${name} was proposed in the last ${BACK_DAYS} days.`;
  const byRule = lines.filter(
    (line) => line.decision === "refuse" && !/class|off/.test(line.reason),
  ).length;
  const rest = lines.length - byRule;
  return `Of ${lines.length} proposals of class ${name} in the last ${BACK_DAYS} days, ${rest} would ${MEANS[String(to)] ?? "be judged anew"}; ${byRule} would be refused by other rules as they were.`;
}

const MODES: Readonly<Record<string, string>> = {
  auto: "be in use at once",
  shadow: "be kept where you see them, and stand in no prompt",
  manual: "wait for your approval",
};

function memoryEffect({ db }: Desk, { key, from, to }: PolicyChange): string | null {
  if (!key.startsWith("memory.")) return null;
  const offered = noteReviewStore(db).candidates({ reason: null, limit: CANDIDATES_BACK });
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
  if (key.startsWith("memory.caps."))
    return `Of ${offered.length} facts offered lately, ${capped} ran into a cap.`;
  return null;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
