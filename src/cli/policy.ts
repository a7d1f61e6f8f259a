import { existsSync } from "node:fs";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { type ConfigRewrite, loadConfig, rewriteConfig } from "../config/load.ts";
import { fillNames } from "../language/people.ts";
import {
  getPolicy,
  listPolicyChanges,
  PolicyHistory,
  readPolicySettings,
  setMemory,
} from "../memory/memory-policy-store.ts";
import { tryPolicy } from "../memory/try-policy.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { type CommandOutput, type OpenFolder, type Options, withFolder } from "./open-folder.ts";
import { linesIf, printResult, type Terminal } from "./terminal.ts";

const FACTS_SHOWN = 8;

/**
 * Decides about the recorded candidates of the last 30 days under the configured memory policy, and under one changed by
 * `settings` (`KEY=VALUE`). Shows the first eight differences; the value for scripts has all. Writes nothing.
 */
export function tryPolicyOn(
  { db }: OpenFolder,
  settings: readonly string[],
  options: Options,
): CommandOutput {
  return replayCandidates(db, rewriteMemory(settings, options));
}

/**
 * Sets keys of the memory policy in the configuration (`KEY=VALUE`). Prints what `tryPolicyOn` shows, then the changes.
 * Writes the file and a row of the history, both or neither; without a database the file only. Writes nothing if the
 * file has these values.
 */
export function setPolicy(settings: readonly string[], options: Options, terminal: Terminal): void {
  const { config } = options;
  const done = rewriteMemory(settings, options);
  const changes = listPolicyChanges(getPolicy(done.before), getPolicy(done.after));
  const hasDatabase = existsSync(done.after.databaseFile);
  let tried: CommandOutput = { value: null, text: [] };
  if (changes.length > 0 && hasDatabase)
    tried = withFolder(config, "read", ({ db }) => replayCandidates(db, done));
  let number: number | null = null;
  let text = ["Nothing to change: the configuration has these values."];
  if (done.isChange) {
    if (hasDatabase)
      number = withFolder(config, "change", ({ db, now }) =>
        new PolicyHistory(db, now).record(getPolicy(done.after), "cli set", done.write),
      );
    else done.write();
    const lines = changes.map(({ key, from, to }) => {
      const [before, after] = [from, to].map((value = "(none)") =>
        typeof value === "string" ? value : JSON.stringify(value),
      );
      return `  ${key}: ${before} → ${after}`;
    });
    const title = number === null ? "Set:" : `Set; this is policy ${number}:`;
    text =
      changes.length === 0
        ? ["Saved. Nothing changes: this was the default."]
        : [title, ...lines, "A running bot applies it within seconds."];
  }
  printResult(terminal, options, {
    value: { tried: tried.value, number, changes },
    text: [tried.text, text].flat(),
  });
}

/** Shows which decisions about the recorded candidates differ between a configuration and a changed one. */
function replayCandidates(db: OpenFolder["db"], { before, after }: ConfigRewrite): CommandOutput {
  const result = tryPolicy(db, before, after.memory);
  const { candidates, unreadable, now, tried, changed } = result;
  const displayName = prepareNameRead(db);
  const more = changed.length - FACTS_SHOWN;
  const skipped = unreadable > 0 ? `; ${unreadable} could not be read` : "";
  const formatCounts = (decisions: Readonly<Record<string, number>>) =>
    Object.entries(decisions)
      .map(([decision, count]) => `${decision} ${count}`)
      .join(", ");
  return {
    value: result,
    text: [
      `Replayed ${formatPlural(candidates, "candidate")} of the last 30 days${skipped}.`,
      ...linesIf(candidates > 0, `  now: ${formatCounts(now)}`, `  tried: ${formatCounts(tried)}`),
      changed.length === 0
        ? "No decision would change."
        : `${changed.length} would be decided differently:`,
      ...changed
        .slice(0, FACTS_SHOWN)
        .map((one) => `  ${fillNames(one.fact, displayName)}: ${one.now} → ${one.tried}`),
      ...linesIf(more > 0, `  and ${more} more; --json lists them all`),
    ],
  };
}

/**
 * Returns the configuration before and after settings (`KEY=VALUE`), with a function that writes it. Throws a Fault for
 * a wrong key or value. Writes nothing itself.
 */
function rewriteMemory(settings: readonly string[], { config }: Options): ConfigRewrite {
  const changes = readPolicySettings(settings, loadConfig(config).memory);
  return rewriteConfig(config, setMemory(changes));
}
