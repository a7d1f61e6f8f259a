import { Fault } from "../errors.ts";
import type { PolicyRun } from "../lab/evaluation/policy-run.ts";
import { recordedEpisodes } from "../lab/evaluation/policy-run-store.ts";
import { type PolicyHalf, type PolicyTrial, tryPolicy } from "../lab/evaluation/try-policy.ts";
import { fillNames } from "../language/people.ts";
import { recallStore } from "../memory/recall/recall-store.ts";
import { isJsonObject, mergeJson } from "../platform/config/json-tree.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { type MemoryPolicy, policySchema } from "../platform/config/memory-schema.ts";
import { describeProblems } from "../platform/config/problems.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { choosePeriod } from "../telemetry/choose-period.ts";
import { settingsFrom } from "./policy-change-command.ts";
import type { Terminal } from "./terminal.ts";

export interface TryOptions {
  readonly config: string;
  readonly session?: string;
  readonly since?: string;
  readonly json?: true;
}

/** Candidates are kept for thirty days. */
const SINCE_ALL = "30d";
const FACTS_SHOWN = 8;
const LABEL_WIDTH = 26;
const CELL_WIDTH = 12;

/** Shows what another policy would have made of what was offered lately, beside the one in force. Writes nothing. */
export function tryPolicyOn(
  words: readonly string[],
  options: TryOptions,
  terminal: Terminal,
): void {
  const config = loadConfig(options.config);
  const tried = policyFrom(words, config, options.config);
  const db = openDatabase(config.databaseFile, { readOnly: true });
  try {
    const trial = tryPolicy(config, tried, recordedEpisodes(db, periodOf(db, options)));
    const { displayName } = recallStore(db);
    const named = (fact: string): string => fillNames(fact, displayName);
    terminal.print(
      options.json === true ? JSON.stringify(trial, null, 2) : trialText(trial, named),
    );
  } finally {
    db.close();
  }
}

function policyFrom(words: readonly string[], { memory }: Config, file: string): MemoryPolicy {
  const { trial: _, ...active } = memory;
  const settings = settingsFrom(words, file);
  if (!isJsonObject(settings)) throw new Error("a policy is an object");
  const merged = mergeJson(active, settings);
  const parsed = policySchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new Fault(describeProblems(parsed.error.issues, merged, "policy").join("\n"), {
    code: "usage",
    mend: "the keys are those under memory in docs/configuration.md",
  });
}

/** One stream, or since a time; thirty days where neither is named: candidates are kept for so long. */
function periodOf(db: Db, { session, since }: TryOptions) {
  const asked = {
    session: session ?? null,
    since: since ?? (session === undefined ? SINCE_ALL : null),
    channel: null,
  };
  const { fromMs, toMs, callsToMs, sessionId } = choosePeriod(db, asked, Date.now());
  return { fromMs, toMs: Math.max(toMs, callsToMs), sessionId };
}

function trialText({ halves, unreadable }: PolicyTrial, named: (fact: string) => string): string {
  const total = halves.reduce((sum, { now }) => sum + now.candidates, 0);
  const left = unreadable > 0 ? `; ${unreadable} could not be read again` : "";
  return [
    `${total} candidates${left}. Nothing was written.`,
    ...halves.flatMap((half) => ["", ...halfText(half, named)]),
    "",
    "Tune by the first half, believe the second one.",
  ].join("\n");
}

function halfText(
  { half, episodes, now, tried, ...only }: PolicyHalf,
  named: (fact: string) => string,
) {
  const head = `${half}, ${episodes} episodes`.padEnd(LABEL_WIDTH);
  const row = (label: string, of: (run: PolicyRun) => string): string =>
    `${label.padEnd(LABEL_WIDTH)}${of(now).padStart(CELL_WIDTH)}${of(tried).padStart(CELL_WIDTH)}`;
  const count = (run: PolicyRun, kind: string): number =>
    Object.entries(run.decisions)
      .filter(([decision]) => decision.startsWith(`${kind}.`))
      .reduce((sum, [, times]) => sum + times, 0);
  const reasons = [...new Set([...Object.keys(now.decisions), ...Object.keys(tried.decisions)])]
    .filter((decision) => now.decisions[decision] !== tried.decisions[decision])
    .sort();
  return [
    `${head}${"now".padStart(CELL_WIDTH)}${"tried".padStart(CELL_WIDTH)}`,
    ...["write", "confirm", "supersede", "drop"].map((kind) =>
      row(kind, (run) => String(count(run, kind))),
    ),
    row("in force at the end", ({ kept }) => String(kept.length)),
    row("shown in a prompt", ({ shown }) => String(shown.length)),
    row("came up again, was shown", ({ recall: { hits, of } }) => `${hits} of ${of}`),
    row("tokens of notes a prompt", ({ loreTokensMean }) => loreTokensMean.toFixed(0)),
    row("reading, ms", ({ latencyMsMean }) => latencyMsMean.toFixed(2)),
    row("rule violations", ({ violations }) => String(violations)),
    ...reasons.map((decision) =>
      row(`  ${decision}`, (run) => String(run.decisions[decision] ?? 0)),
    ),
    ...factLines("only now", only.onlyNow, named),
    ...factLines("only tried", only.onlyTried, named),
  ];
}

function factLines(
  label: string,
  facts: readonly string[],
  named: (fact: string) => string,
): string[] {
  const more = facts.length - FACTS_SHOWN;
  return [
    ...facts.slice(0, FACTS_SHOWN).map((fact) => `  ${label}: ${named(fact)}`),
    ...(more > 0 ? [`  ${label}: and ${more} more`] : []),
  ];
}
