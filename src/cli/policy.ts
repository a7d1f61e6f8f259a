import { existsSync, statSync } from "node:fs";
import { wrongUse } from "../errors.ts";
import { type PolicyTrial, tryPolicy } from "../lab/evaluation/try-policy-store.ts";
import { fillNames } from "../language/people.ts";
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
import { recallStore } from "../memory/recall/recall-store.ts";
import { isSameJson, leavesOf, mergeJson } from "../platform/config/json-tree.ts";
import {
  type Config,
  describeProblems,
  loadConfig,
  parseConfigJson,
  readConfigText,
  toConfig,
} from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { type MemoryPolicy, policySchema } from "../platform/config/memory-schema.ts";
import { type ConfigRewrite, rewriteConfig } from "../platform/config/rewrite.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { plural } from "../telemetry/figures.ts";
import { choosePeriod } from "../telemetry/period-store.ts";
import { type Options, reading, tell } from "./open-folder.ts";
import { type ConfirmOptions, confirm, type Terminal } from "./terminal.ts";

const EXAMPLE = "such as `forgetmenot memory policy set mode=shadow caps.viewerNotes=40`";

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
    if (words.length > 0)
      throw wrongUse("--no-shadow takes no settings: it ends the trial", EXAMPLE);
    change(options, { source: "cli set", change: endTrial }, terminal);
    return;
  }
  if (words.length === 0) throw wrongUse("nothing to set", EXAMPLE);
  const settings = settingsFrom(words, options.config);
  const make = options.shadow === true ? setTrial : setMemory;
  change(options, { source: "cli set", change: make(settings) }, terminal);
}

/** Brings an earlier policy back, after a yes; that is a new row, too. */
export async function rollBackPolicy(
  number: number,
  options: Options & ConfirmOptions,
  terminal: Terminal,
): Promise<void> {
  const config = loadConfig(options.config);
  const row = withDatabase(config, (db) => policyHistory(db, Date.now).find(number));
  if (row === null) {
    throw wrongUse(
      `there is no policy ${number}`,
      "see `forgetmenot memory policy history` for the numbers",
    );
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
  throw wrongUse(`${file}: is ${is}`, EXAMPLE);
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
    `Judged by both: ${plural(total, "candidate")}, ${sum(otherwise)} of them otherwise.`,
    ...(total === 0
      ? []
      : table(
          ["active", "trial"],
          byDecision(counts, "decision"),
          byDecision(counts, "trialDecision"),
        )),
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

/** What two policies came to, by decision. */
function table(
  [first, second]: readonly [string, string],
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): string[] {
  const row = (name: string, ...cells: readonly (string | number)[]): string =>
    `  ${name.padEnd(26)}${cells.map((cell) => String(cell).padStart(10)).join("")}`;
  const decisions = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return [
    row("", first, second),
    ...decisions.map((name) => row(name, one[name] ?? 0, other[name] ?? 0)),
  ];
}

/** How many of the counted came to each decision. */
function byDecision(
  counts: readonly TrialCount[],
  key: "decision" | "trialDecision",
): Readonly<Record<string, number>> {
  const names = new Set(counts.map((one) => one[key]));
  return Object.fromEntries(
    [...names].map((name) => [name, sum(counts.filter((one) => one[key] === name))]),
  );
}

function sum(counts: readonly TrialCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface TryOptions extends Options {
  readonly session?: string;
  readonly since?: string;
}

/** Candidates are kept for thirty days. */
const SINCE_ALL = "30d";
const FACTS_SHOWN = 8;

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
    tell(terminal, options, trial, () => triedText(trial, (fact) => fillNames(fact, displayName)));
  });
}

function policyFrom(words: readonly string[], { memory }: Config, file: string): MemoryPolicy {
  const { trial: _, ...active } = memory;
  const settings = settingsFrom(words, file);
  const merged = mergeJson(active, settings);
  const parsed = policySchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw wrongUse(
    describeProblems(parsed.error.issues, merged, "policy").join("\n"),
    "the keys are those under memory in docs/configuration.md",
  );
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

function triedText(
  { candidates, unreadable, now, tried, changed }: PolicyTrial,
  named: (fact: string) => string,
): string {
  const left = unreadable > 0 ? `; ${unreadable} could not be read again` : "";
  const more = changed.length - FACTS_SHOWN;
  return [
    `${plural(candidates, "candidate")}${left}. Nothing was written.`,
    "",
    ...table(["now", "tried"], now, tried),
    "",
    changed.length === 0 ? "Both decide alike." : `Decided differently: ${changed.length}`,
    ...changed
      .slice(0, FACTS_SHOWN)
      .map((one) => `  ${named(one.fact)}: ${one.now} → ${one.tried}`),
    ...(more > 0 ? [`  and ${more} more: --json has them all`] : []),
  ].join("\n");
}
