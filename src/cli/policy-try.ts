import { Fault } from "../errors.ts";
import { type PolicyTrial, tryPolicy } from "../lab/evaluation/try-policy-store.ts";
import { fillNames } from "../language/people.ts";
import { recallStore } from "../memory/recall/recall-store.ts";
import { isJsonObject, mergeJson } from "../platform/config/json-tree.ts";
import { type Config, describeProblems } from "../platform/config/load.ts";
import { type MemoryPolicy, policySchema } from "../platform/config/memory-schema.ts";
import type { Db } from "../platform/database/open-database.ts";
import { choosePeriod } from "../telemetry/period-store.ts";
import { type Options, reading, tell } from "./open-folder.ts";
import { settingsFrom } from "./policy.ts";
import type { Terminal } from "./terminal.ts";

export interface TryOptions extends Options {
  readonly session?: string;
  readonly since?: string;
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
  reading(options.config, ({ config, db }) => {
    const tried = policyFrom(words, config, options.config);
    const trial = tryPolicy(db, { config, tried, period: periodOf(db, options) });
    const { displayName } = recallStore(db);
    tell(terminal, options, trial, () => trialText(trial, (fact) => fillNames(fact, displayName)));
  });
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

function trialText(
  { candidates, unreadable, now, tried, changed }: PolicyTrial,
  named: (fact: string) => string,
): string {
  const left = unreadable > 0 ? `; ${unreadable} could not be read again` : "";
  const line = (label: string, cells: readonly (string | number)[]): string =>
    `${label.padEnd(LABEL_WIDTH)}${cells.map((cell) => String(cell).padStart(CELL_WIDTH)).join("")}`;
  const decisions = [...new Set([...Object.keys(now), ...Object.keys(tried)])].sort();
  const more = changed.length - FACTS_SHOWN;
  return [
    `${candidates} candidates${left}. Nothing was written.`,
    "",
    line("", ["now", "tried"]),
    ...decisions.map((decision) => line(decision, [now[decision] ?? 0, tried[decision] ?? 0])),
    "",
    changed.length === 0 ? "Both decide alike." : `Decided differently: ${changed.length}`,
    ...changed
      .slice(0, FACTS_SHOWN)
      .map((one) => `  ${named(one.fact)}: ${one.now} → ${one.tried}`),
    ...(more > 0 ? [`  and ${more} more: --json has them all`] : []),
  ].join("\n");
}
