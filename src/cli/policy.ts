import { existsSync, statSync } from "node:fs";
import { nameReader } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { tryPolicy } from "../lab/evaluation/try-policy-store.ts";
import { fillNames } from "../language/people.ts";
import {
  type FileChange,
  type PolicyChange,
  policyChanges,
  policyIn,
  policyOf,
  policySettings,
  restorePolicy,
  setMemory,
  wholePolicy,
} from "../memory/memory-policy.ts";
import {
  type PolicySource,
  policyHistory,
  type Trial,
  type TrialCount,
  trialStore,
} from "../memory/memory-policy-store.ts";
import { isSameJson, leavesOf, mergeJson, withoutPath } from "../platform/config/json-tree.ts";
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
import { plural, type Tally, tallyMaker } from "../telemetry/figures.ts";
import { choosePeriod } from "../telemetry/period-store.ts";
import { tell } from "./command-options.ts";
import {
  type CommandOutput,
  noSuch,
  type Opened,
  type Options,
  withFolder,
} from "./open-folder.ts";
import { confirm, type Terminal, when } from "./terminal.ts";

const EXAMPLE = "such as `forgetmenot memory policy set mode=shadow caps.viewerNotes=40`";

/** Shows the memory policy in the configuration: what differs from the defaults, and what is on trial beside it. */
export function showPolicy({ config, db, now }: Opened): CommandOutput {
  const policy = policyOf(config);
  const changes = policyChanges(policyOf(toConfig({ channel: "x" }, ".")), policy);
  const last = policyHistory(db, now).list(1)[0];
  const trial = trialStore(db, now).read();
  const taken = last && policyChanges(last.policy, policy).length === 0 ? last : null;
  const { number = null, source = null, createdAtMs = null } = taken ?? {};
  return {
    value: { number, source, createdAtMs, policy, changes, trial },
    text: [
      taken === null
        ? "This policy has not been taken over yet; the bot does so within seconds, or when it starts."
        : `Policy ${taken.number}, since ${localTime(taken.createdAtMs)} (${taken.source}).`,
      changes.length === 0 ? "Everything as by default." : "Other than by default:",
      ...changes.map(changeLine),
      ...trialLines(config.memory.trial, trial),
    ],
  };
}

/** The configuration may be ahead of the bot. */
function trialLines(configured: Config["memory"]["trial"], trial: Trial | null): string[] {
  if (isSameJson(configured, trial?.changes ?? null))
    return trial === null ? [] : ["", ...trialText(trial)];
  if (configured === null) return ["", "The trial ends when the bot takes this over."];
  return ["", "On trial once the bot has taken it over:", ...keyLines(configured)];
}

/** Sets keys of the memory policy in the configuration, or of the one on trial (`shadow`; false ends it). */
export function setPolicy(
  words: readonly string[],
  options: Options & { shadow?: boolean },
  terminal: Terminal,
): void {
  const { shadow } = options;
  if (shadow === false && words.length > 0)
    throw wrongUse("--no-shadow takes no settings: it ends the trial", EXAMPLE);
  if (shadow !== false && words.length === 0) throw wrongUse("nothing to set", EXAMPLE);
  const settings = shadow === false ? {} : settingsFrom(words, options.config);
  const change: FileChange =
    shadow === false
      ? (raw) => withoutPath(raw, "memory.trial")
      : setMemory(shadow === true ? { trial: settings } : settings);
  rewrite(options, { source: "cli set", change }, terminal);
}

/** Brings an earlier policy back, after a yes; that is a new row, too. */
export async function rollBackPolicy(
  number: number,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { row, now } = withFolder(options.config, "any", ({ config, db }) => ({
    row: policyHistory(db, Date.now).find(number),
    now: policyOf(config),
  }));
  if (row === null) throw noSuch("policy", number, "memory policy history");
  const lines = policyChanges(now, wholePolicy(row.policy, now)).map(changeLine);
  const said = lines.length === 0 ? ["  nothing: it is what holds now"] : lines;
  await confirm([`Policy ${number} would change:`, ...said], options, terminal);
  const change = restorePolicy(row.policy, now);
  rewrite(options, { source: "rollback", change }, terminal);
}

/** Lists the policies that were accepted, newest first, each with what it changed. */
export function listPolicies({ db, now }: Opened, { limit }: { limit: number }): CommandOutput {
  const listed = policyHistory(db, now).list(limit);
  const lines = listed.flatMap(({ number, createdAtMs, source, changes }) => [
    `${String(number).padStart(6)}  ${localTime(createdAtMs)}  ${source}`,
    ...changes.map((change) => `      ${changeLine(change)}`),
  ]);
  return { value: listed, text: lines.length === 0 ? "No policy was taken over yet." : lines };
}

/** Changes the configuration, and writes down that it did. */
function rewrite(
  options: Options,
  { source, change }: { readonly source: PolicySource; readonly change: FileChange },
  terminal: Terminal,
): void {
  const done = rewriteConfig(options.config, change);
  const number = done.isChange ? keep(options.config, done, source) : null;
  const changes = policyChanges(watched(done.before), watched(done.after));
  tell(terminal, options, {
    value: { number, changes },
    text: changeText(done, number, changes),
  });
}

function changeText(
  { isChange, before, after }: ConfigRewrite,
  number: number | null,
  changes: readonly PolicyChange[],
): string | string[] {
  if (!isChange) return "Nothing to change: the configuration says so already.";
  if (changes.length === 0) return "Written down; it changes nothing, that was the default.";
  const isPolicy = policyChanges(policyOf(before), policyOf(after)).length > 0;
  const set = number === null ? "Set:" : `Set; this is policy ${number}:`;
  const trial =
    after.memory.trial === null
      ? "The trial ends; the policy in force stays:"
      : "On trial; the policy in force goes on deciding:";
  return [
    isPolicy ? set : trial,
    ...changes.map(changeLine),
    "A running bot takes it over within seconds.",
  ];
}

/** Writes the row and the file, both or neither; null where there is no database yet: the first start writes the row. */
function keep(file: string, { after, write }: ConfigRewrite, source: PolicySource): number | null {
  if (existsSync(after.databaseFile))
    return withFolder(file, "change", ({ db, now }) =>
      policyHistory(db, now).record(policyOf(after), source, write),
    );
  write();
  return null;
}

function watched(config: Config): unknown {
  const { trial } = config.memory;
  return trial === null ? policyOf(config) : { ...policyOf(config), trial };
}

/** What the words of a command say of a policy: `KEY=VALUE`, or one JSON file. Throws a Fault for neither. */
function settingsFrom(words: readonly string[], configFile: string) {
  const [file = ""] = words;
  if (words.length > 1 || file.includes("="))
    return policySettings(words, policyOf(loadConfig(configFile)).memory);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isFile()) return policyIn(parseConfigJson(readConfigText(file), file), file);
  const is =
    there === undefined ? "neither KEY=VALUE nor a file that is there" : "a folder, not a file";
  throw wrongUse(`${file}: is ${is}`, EXAMPLE);
}

function changeLine({ key, from, to }: PolicyChange): string {
  return `  ${key}: ${shown(from)} → ${shown(to)}`;
}

/** What a policy on trial would have done, beside what was done. */
function trialText({ changes, sinceMs, counts }: Trial): string[] {
  const total = sum(counts);
  const otherwise = counts.filter(
    ({ decision, reason, trialDecision, trialReason }) =>
      decision !== trialDecision || reason !== trialReason,
  );
  return [
    `On trial since ${localTime(sinceMs)}:`,
    ...keyLines(changes),
    `Judged by both: ${plural(total, "candidate")}, ${sum(otherwise)} of them otherwise.`,
    ...when(
      total > 0,
      tallyLine("in force", tally(counts, "decision")),
      tallyLine("on trial", tally(counts, "trialDecision")),
    ),
    ...otherwise.map(
      ({ decision, reason, trialDecision, trialReason, count }) =>
        `  ${String(count).padStart(5)}  ${decision} (${reason}) → ${trialDecision} (${trialReason})`,
    ),
  ];
}

function sum(counts: readonly TrialCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function tally(counts: readonly TrialCount[], key: "decision" | "trialDecision"): Tally {
  const { add, read } = tallyMaker();
  for (const one of counts) add(one[key], one.count);
  return read();
}

function keyLines(changes: Trial["changes"]): string[] {
  return [...leavesOf(changes)].map(([key, value]) => `  memory.${key}: ${shown(value)}`);
}

/** What a policy came to, by decision. */
function tallyLine(policy: string, decisions: Tally): string {
  const told = Object.entries(decisions).map(([name, many]) => `${name} ${many}`);
  return `  ${policy}: ${told.sort().join(", ") || "nothing"}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Candidates are kept for thirty days. */
const SINCE_ALL = "30d";
const FACTS_SHOWN = 8;

/** Shows what another policy would have made of what was offered lately, beside the one in force. Writes nothing. */
export function tryPolicyOn(
  { config, db, now }: Opened,
  words: readonly string[],
  options: Options & { session?: string; since?: string },
): CommandOutput {
  const { session = null, since = session === null ? SINCE_ALL : null } = options;
  const wanted = policyFrom(words, config, options.config);
  const asked = { session, since, channel: null };
  const { fromMs, toMs, callsToMs, sessionId } = choosePeriod(db, asked, now());
  const period = { fromMs, toMs: Math.max(toMs, callsToMs), sessionId };
  const trial = tryPolicy(db, { config, tried: wanted, period });
  const { candidates, unreadable, now: before, tried, changed } = trial;
  const displayName = nameReader(db);
  const more = changed.length - FACTS_SHOWN;
  return {
    value: trial,
    text: [
      `${plural(candidates, "candidate")}${unreadable > 0 ? `; ${unreadable} could not be read again` : ""}. Nothing was written.`,
      "",
      tallyLine("now", before),
      tallyLine("tried", tried),
      "",
      changed.length === 0 ? "Both decide alike." : `Decided differently: ${changed.length}`,
      ...changed
        .slice(0, FACTS_SHOWN)
        .map((one) => `  ${fillNames(one.fact, displayName)}: ${one.now} → ${one.tried}`),
      ...when(more > 0, `  and ${more} more: --json has them all`),
    ],
  };
}

function policyFrom(words: readonly string[], { memory }: Config, file: string): MemoryPolicy {
  const { trial: _, ...active } = memory;
  const merged = mergeJson(active, settingsFrom(words, file));
  const parsed = policySchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw wrongUse(
    describeProblems(parsed.error.issues, merged, "policy").join("\n"),
    "the keys are those under memory in docs/configuration.md",
  );
}
