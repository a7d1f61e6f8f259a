import type { PolicyChange } from "../memory/memory-policy.ts";
import type { PolicyRow } from "../memory/memory-policy-store.ts";
import type { Trial, TrialCount } from "../memory/trial-store.ts";
import { leavesOf } from "../platform/config/json-tree.ts";
import { localTime } from "../platform/config/local-time.ts";

/** `  memory.mode: auto → shadow`. */
export function changeLine({ key, from, to }: PolicyChange): string {
  return `  ${key}: ${shown(from)} → ${shown(to)}`;
}

/** Policies as lines, each with what it changed. */
export function historyText(
  rows: readonly (PolicyRow & { readonly changes: readonly PolicyChange[] })[],
): string {
  if (rows.length === 0) return "No policy was taken over yet.";
  return rows
    .flatMap(({ number, createdAtMs, source, changes }) => [
      `${String(number).padStart(6)}  ${localTime(createdAtMs)}  ${source}`,
      ...changes.map((change) => `      ${changeLine(change)}`),
    ])
    .join("\n");
}

/** What a policy on trial would have done, beside what was done. */
export function trialText({ changes, sinceMs, counts }: Trial): readonly string[] {
  const total = sum(counts);
  const otherwise = counts.filter(
    ({ decision, reason, trialDecision, trialReason }) =>
      decision !== trialDecision || reason !== trialReason,
  );
  return [
    `On trial since ${localTime(sinceMs)}:`,
    ...keyLines(changes),
    `Judged by both: ${total} candidates, ${sum(otherwise)} of them otherwise.`,
    ...(total === 0 ? [] : table(counts)),
    ...otherwise.map(
      ({ decision, reason, trialDecision, trialReason, count }) =>
        `  ${String(count).padStart(5)}  ${decision} (${reason}) → ${trialDecision} (${trialReason})`,
    ),
  ];
}

/** What the configuration puts on trial, and the bot has not begun with; null: what it ends. */
export function comingTrialText(changes: Trial["changes"] | null): readonly string[] {
  return changes === null
    ? ["The trial ends when the bot takes this over."]
    : ["On trial once the bot has taken it over:", ...keyLines(changes)];
}

function keyLines(changes: Trial["changes"]): string[] {
  return [...leavesOf(changes)].map(([key, value]) => `  memory.${key}: ${shown(value)}`);
}

function table(counts: readonly TrialCount[]): string[] {
  const decisions = [
    ...new Set(counts.flatMap(({ decision, trialDecision }) => [decision, trialDecision])),
  ].sort();
  const row = (name: string, active: string | number, trial: string | number): string =>
    `  ${name.padEnd(10)} ${String(active).padStart(8)} ${String(trial).padStart(8)}`;
  return [
    row("", "active", "trial"),
    ...decisions.map((name) =>
      row(
        name,
        sum(counts.filter(({ decision }) => decision === name)),
        sum(counts.filter(({ trialDecision }) => trialDecision === name)),
      ),
    ),
  ];
}

function sum(counts: readonly TrialCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}
