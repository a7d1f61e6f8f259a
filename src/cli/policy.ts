import { existsSync } from "node:fs";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { loadConfig, toConfig } from "../config/load.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { type ConfigRewrite, rewriteConfig } from "../config/rewrite.ts";
import { fillNames } from "../language/people.ts";
import {
  completePolicy,
  getPolicy,
  listPolicyChanges,
  type PolicyChange,
  readPolicySettings,
  restorePolicy,
  setMemory,
} from "../memory/memory-policy.ts";
import { openPolicyHistory, type PolicySource } from "../memory/memory-policy-store.ts";
import { tryPolicy } from "../memory/try-policy.ts";
import { formatPlural } from "../telemetry/figures.ts";
import {
  type CommandOutput,
  type OpenFolder,
  type Options,
  unknownNumber,
  withFolder,
} from "./open-folder.ts";
import { confirm, linesIf, printResult, type Terminal } from "./terminal.ts";

/** Shows how the policy in the configuration differs from the defaults. */
export function showPolicy({ config, db, now }: OpenFolder): CommandOutput {
  const policy = getPolicy(config);
  const changes = listPolicyChanges(getPolicy(toConfig({ channel: "x" }, ".")), policy);
  const last = openPolicyHistory(db, now).list(1)[0];
  const taken = last && listPolicyChanges(last.policy, policy).length === 0 ? last : null;
  const { number = null, source = null, createdAtMs = null } = taken ?? {};
  return {
    value: { number, source, createdAtMs, policy, changes },
    text: [
      taken === null
        ? "This policy is not active yet. The bot applies it within seconds, or when it starts."
        : `Policy ${taken.number}, since ${formatLocalTime(taken.createdAtMs)} (${taken.source}).`,
      changes.length === 0 ? "Everything as by default." : "Other than by default:",
      ...changes.map(formatChange),
    ],
  };
}

/** Replays the recorded candidates under a changed policy. Writes nothing. */
export function tryPolicyOn(
  { db }: OpenFolder,
  words: readonly string[],
  options: Options,
): CommandOutput {
  return replayPolicy(db, rewriteMemory(words, options));
}

/** Sets keys of the memory policy in the configuration. Prints first what they change for the recorded candidates. */
export function setPolicy(words: readonly string[], options: Options, terminal: Terminal): void {
  const done = rewriteMemory(words, options);
  const isTried = listChanges(done).length > 0 && existsSync(done.after.databaseFile);
  const tried = isTried
    ? withFolder(options.config, "read", ({ db }) => replayPolicy(db, done))
    : { value: null, text: [] };
  const set = writePolicy(options.config, done, "cli set");
  printResult(terminal, options, {
    value: { tried: tried.value, ...set.value },
    text: [...tried.text, ...set.text],
  });
}

/** Brings an earlier policy back, after a yes; that is a new row, too. */
export async function rollBackPolicy(
  number: number,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { row, now } = withFolder(options.config, "any", ({ config, db }) => ({
    row: openPolicyHistory(db, Date.now).find(number),
    now: getPolicy(config),
  }));
  if (row === null) throw unknownNumber("policy", number, "memory policy history");
  const lines = listPolicyChanges(now, completePolicy(row.policy, now)).map(formatChange);
  const said = lines.length === 0 ? ["  nothing: it is the current policy"] : lines;
  await confirm([`Policy ${number} would change:`, ...said], options, terminal);
  const done = rewriteConfig(options.config, restorePolicy(row.policy, now));
  printResult(terminal, options, writePolicy(options.config, done, "rollback"));
}

/** Lists the policies that were accepted, newest first, each with what it changed. */
export function listPolicies({ db, now }: OpenFolder, { limit }: { limit: number }): CommandOutput {
  const listed = openPolicyHistory(db, now).list(limit);
  const lines = listed.flatMap(({ number, createdAtMs, source, changes }) => [
    `${String(number).padStart(6)}  ${formatLocalTime(createdAtMs)}  ${source}`,
    ...changes.map((change) => `      ${formatChange(change)}`),
  ]);
  return { value: listed, text: lines.length === 0 ? "No policy was applied yet." : lines };
}

/**
 * Writes a row of the history and the file, both or neither. Without a database only the file: the first start adds the
 * row, and the number is null.
 */
function writePolicy(file: string, done: ConfigRewrite, source: PolicySource) {
  const changes = listChanges(done);
  let number: number | null = null;
  if (!done.isChange)
    return {
      value: { number, changes },
      text: ["Nothing to change: the configuration has these values."],
    };
  if (existsSync(done.after.databaseFile))
    number = withFolder(file, "change", ({ db, now }) =>
      openPolicyHistory(db, now).record(getPolicy(done.after), source, done.write),
    );
  else done.write();
  const set = [
    number === null ? "Set:" : `Set; this is policy ${number}:`,
    ...changes.map(formatChange),
    "A running bot applies it within seconds.",
  ];
  const nothing = ["Saved. Nothing changes: this was the default."];
  return { value: { number, changes }, text: changes.length === 0 ? nothing : set };
}

function listChanges({ before, after }: ConfigRewrite): readonly PolicyChange[] {
  return listPolicyChanges(getPolicy(before), getPolicy(after));
}

const FACTS_SHOWN = 8;

/** Returns how a changed configuration decides about the recorded candidates. */
function replayPolicy(db: OpenFolder["db"], { before, after }: ConfigRewrite) {
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

/** Works out the configuration with settings in it, from `KEY=VALUE` words. */
function rewriteMemory(words: readonly string[], { config }: Options): ConfigRewrite {
  const settings = readPolicySettings(words, loadConfig(config).memory);
  return rewriteConfig(config, setMemory(settings));
}

function formatChange({ key, from, to }: PolicyChange): string {
  const [before, after] = [from, to].map((value = "(none)") =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return `  ${key}: ${before} → ${after}`;
}
