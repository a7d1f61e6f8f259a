import { existsSync, statSync } from "node:fs";
import { Fault } from "../errors.ts";
import {
  endTrial,
  type FileChange,
  type PolicyChange,
  policyChanges,
  policyIn,
  policyOf,
  policySettings,
  restorePolicy,
  setMemory,
  setTrial,
  wholePolicy,
} from "../memory/memory-policy.ts";
import {
  type PolicyRow,
  type PolicySource,
  policyHistory,
  type Trial,
  type TrialCount,
  trialStore,
} from "../memory/memory-policy-store.ts";
import { isSameJson, leavesOf } from "../platform/config/json-tree.ts";
import {
  type Config,
  loadConfig,
  parseConfigJson,
  readConfigText,
  toConfig,
} from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { type ConfigRewrite, rewriteConfig } from "../platform/config/rewrite.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { type Options, tell } from "./open-folder.ts";
import { type Asked, confirm, type Terminal } from "./terminal.ts";

/** Shows the memory policy in the configuration: what differs from the defaults, and what is on trial beside it. */
export function showPolicy(options: Options, terminal: Terminal): void {
  const config = loadConfig(options.config);
  const policy = policyOf(config);
  const changes = policyChanges(policyOf(toConfig({ channel: "x" }, ".")), policy);
  const { last, trial } = readKept(config);
  const taken = last !== null && policyChanges(last.policy, policy).length === 0 ? last : null;
  const { number = null, source = null, createdAtMs = null } = taken ?? {};
  const found = { number, source, createdAtMs, policy, changes, trial };
  tell(terminal, options, found, () => [
    taken === null
      ? "This policy has not been taken over yet; the bot does so within seconds, or when it starts."
      : `Policy ${taken.number}, since ${localTime(taken.createdAtMs)} (${taken.source}).`,
    ...(changes.length === 0 ? ["Everything as by default."] : ["Other than by default:"]),
    ...changes.map(changeLine),
    ...trialLines(config, trial),
  ]);
}

/** The configuration may be ahead of the bot. */
function trialLines({ memory }: Config, trial: Trial | null): readonly string[] {
  if (isSameJson(memory.trial, trial?.changes ?? null))
    return trial === null ? [] : ["", ...trialText(trial)];
  return ["", ...comingTrialText(memory.trial)];
}

export interface SetPolicyOptions extends Options {
  /** True: what is set is only on trial. False: the trial ends. */
  readonly shadow?: boolean;
}

/** Sets keys of the memory policy in the configuration, or of the one on trial, and writes down that it did. */
export function setPolicy(
  words: readonly string[],
  options: SetPolicyOptions,
  terminal: Terminal,
): void {
  if (options.shadow === false) {
    if (words.length > 0) throw wrongUse("--no-shadow takes no settings: it ends the trial");
    change(options, { source: "cli set", change: endTrial }, terminal);
    return;
  }
  if (words.length === 0) throw wrongUse("nothing to set");
  const settings = settingsFrom(words, options.config);
  const make = options.shadow === true ? setTrial : setMemory;
  change(options, { source: "cli set", change: make(settings) }, terminal);
}

/** Brings an earlier policy back, after a yes; that is a new row, too. */
export async function rollBackPolicy(
  number: number,
  options: Options & Asked,
  terminal: Terminal,
): Promise<void> {
  const config = loadConfig(options.config);
  const row = withDatabase(config, (db) => policyHistory(db, Date.now).find(number));
  if (row === null) {
    throw new Fault(`there is no policy ${number}`, {
      code: "usage",
      mend: "see `forgetmenot memory policy history` for the numbers",
    });
  }
  const now = policyOf(config);
  const lines = policyChanges(now, wholePolicy(row.policy, now)).map(changeLine);
  const said = lines.length === 0 ? ["  nothing: it is what holds now"] : lines;
  await confirm([`Policy ${number} would change:`, ...said], options, terminal);
  const restore = restorePolicy(row.policy, now);
  change(options, { source: "rollback", change: restore }, terminal);
}

/** Lists the policies that were accepted, newest first, each with what it changed. */
export function listPolicies(
  options: Options & { readonly limit: number },
  terminal: Terminal,
): void {
  const { limit } = options;
  const read = (db: Db) => policyHistory(db, Date.now).list(limit);
  const listed = withDatabase(loadConfig(options.config), read) ?? [];
  tell(terminal, options, listed, () => historyText(listed));
}

function change(
  options: Options,
  order: { readonly source: PolicySource; readonly change: FileChange },
  terminal: Terminal,
): void {
  const rewrite = rewriteConfig(options.config, order.change);
  const number = rewrite.isChange ? keep(rewrite, order.source) : null;
  const changes = policyChanges(watched(rewrite.before), watched(rewrite.after));
  tell(terminal, options, { number, changes }, () => changeText(rewrite, number, changes));
}

function changeText(
  { isChange, before, after }: ConfigRewrite,
  number: number | null,
  changes: readonly PolicyChange[],
): string {
  if (!isChange) return "Nothing to change: the configuration says so already.";
  if (changes.length === 0) return "Written down; it changes nothing, that was the default.";
  const isPolicy = policyChanges(policyOf(before), policyOf(after)).length > 0;
  return [
    isPolicy ? headOf(number) : trialHead(after),
    ...changes.map(changeLine),
    "A running bot takes it over within seconds.",
  ].join("\n");
}

function headOf(number: number | null): string {
  return number === null ? "Set:" : `Set; this is policy ${number}:`;
}

function trialHead({ memory }: Config): string {
  return memory.trial === null
    ? "The trial ends; the policy in force stays:"
    : "On trial; the policy in force goes on deciding:";
}

/** Writes the row and the file, both or neither; null where there is no database yet: the first start writes the row. */
function keep({ after, write }: ConfigRewrite, source: PolicySource): number | null {
  if (!existsSync(after.databaseFile)) {
    write();
    return null;
  }
  return withDatabase(after, (db) =>
    policyHistory(db, Date.now).record(policyOf(after), source, write),
  );
}

function watched(config: Config): unknown {
  const { trial } = config.memory;
  return trial === null ? policyOf(config) : { ...policyOf(config), trial };
}

/** What the words of a command say of a policy: `KEY=VALUE`, or one JSON file. Throws a Fault for neither. */
export function settingsFrom(words: readonly string[], configFile: string) {
  const [file = ""] = words;
  if (words.length > 1 || file.includes("=")) {
    return policySettings(words, policyOf(loadConfig(configFile)).memory);
  }
  return policyIn(parseConfigJson(policyText(file), file), file);
}

function policyText(file: string): string {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isFile()) return readConfigText(file);
  const is =
    there === undefined ? "neither KEY=VALUE nor a file that is there" : "a folder, not a file";
  throw wrongUse(`${file}: is ${is}`);
}

function readKept(config: Config): { last: PolicyRow | null; trial: Trial | null } {
  const read = (db: Db) => ({
    last: policyHistory(db, Date.now).list(1)[0] ?? null,
    trial: trialStore(db, Date.now).read(),
  });
  return withDatabase(config, read) ?? { last: null, trial: null };
}

/** Null while there is no database. */
function withDatabase<T>(config: Config, work: (db: Db) => T): T | null {
  if (!existsSync(config.databaseFile)) return null;
  const db = openDatabase(config.databaseFile);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function wrongUse(message: string): Fault {
  return new Fault(message, {
    code: "usage",
    mend: "such as `forgetmenot memory policy set mode=shadow caps.viewerNotes=40`",
  });
}

/** `  memory.mode: auto → shadow`. */
function changeLine({ key, from, to }: PolicyChange): string {
  return `  ${key}: ${shown(from)} → ${shown(to)}`;
}

/** Policies as lines, each with what it changed. */
function historyText(
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
function trialText({ changes, sinceMs, counts }: Trial): readonly string[] {
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
function comingTrialText(changes: Trial["changes"] | null): readonly string[] {
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
