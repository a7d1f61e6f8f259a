import { existsSync } from "node:fs";
import { Fault } from "../errors.ts";
import { type PolicyChange, policyChanges, policyOf } from "../memory/memory-policy.ts";
import { type PolicyRow, type PolicySource, policyHistory } from "../memory/memory-policy-store.ts";
import {
  endTrial,
  type FileChange,
  restorePolicy,
  setMemory,
  setTrial,
} from "../memory/policy-change.ts";
import { policyIn, policySettings } from "../memory/policy-settings.ts";
import { type Trial, trialStore } from "../memory/trial-store.ts";
import { isSameJson } from "../platform/config/json-tree.ts";
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
import { changeLine, comingTrialText, historyText, trialText } from "./policy-text.ts";
import type { Terminal } from "./terminal.ts";

export interface PolicyOptions {
  readonly config: string;
  readonly json?: true;
}

/** Shows the memory policy in the configuration: what differs from the defaults, and what is on trial beside it. */
export function showPolicy({ config: file, json }: PolicyOptions, terminal: Terminal): void {
  const config = loadConfig(file);
  const policy = policyOf(config);
  const changes = policyChanges(policyOf(toConfig({ channel: "x" }, ".")), policy);
  const { last, trial } = readKept(config);
  const taken = last !== null && policyChanges(last.policy, policy).length === 0 ? last : null;
  if (json === true) {
    const { number = null, source = null, createdAtMs = null } = taken ?? {};
    terminal.print(
      JSON.stringify({ number, source, createdAtMs, policy, changes, trial }, null, 2),
    );
    return;
  }
  terminal.print(
    [
      taken === null
        ? "This policy has not been taken over yet; the bot does so within seconds, or when it starts."
        : `Policy ${taken.number}, since ${localTime(taken.createdAtMs)} (${taken.source}).`,
      ...(changes.length === 0 ? ["Everything as by default."] : ["Other than by default:"]),
      ...changes.map(({ key, from, to }) => changeLine({ key, from, to })),
      ...trialLines(config, trial),
    ].join("\n"),
  );
}

/** The configuration may be ahead of the bot. */
function trialLines({ memory }: Config, trial: Trial | null): readonly string[] {
  if (isSameJson(memory.trial, trial?.changes ?? null))
    return trial === null ? [] : ["", ...trialText(trial)];
  return ["", ...comingTrialText(memory.trial)];
}

export interface SetPolicyOptions extends PolicyOptions {
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

/** Brings an earlier policy back; that is a new row, too. */
export function rollBackPolicy(number: number, options: PolicyOptions, terminal: Terminal): void {
  const config = loadConfig(options.config);
  const row = withDatabase(config, (db) => policyHistory(db, Date.now).find(number));
  if (row === null) {
    throw new Fault(`there is no policy ${number}`, {
      code: "usage",
      mend: "see `forgetmenot memory policy history` for the numbers",
    });
  }
  const restore = restorePolicy(row.policy, policyOf(config));
  change(options, { source: "rollback", change: restore }, terminal);
}

/** Lists the policies that were accepted, newest first, each with what it changed. */
export function listPolicies(
  { config: file, json, limit }: PolicyOptions & { readonly limit: number },
  terminal: Terminal,
): void {
  const rows = withDatabase(loadConfig(file), (db) =>
    // One more than is shown: the first one shown is held against it.
    policyHistory(db, Date.now).list(limit + 1),
  );
  const listed = (rows ?? []).slice(0, limit).map((row, at) => ({
    ...row,
    changes: changesSince(rows?.[at + 1], row),
  }));
  terminal.print(json === true ? JSON.stringify(listed, null, 2) : historyText(listed));
}

function changesSince(before: PolicyRow | undefined, row: PolicyRow): readonly PolicyChange[] {
  return before === undefined ? [] : policyChanges(before.policy, row.policy);
}

interface Order {
  readonly source: PolicySource;
  readonly change: FileChange;
}

function change({ config: file, json }: PolicyOptions, order: Order, terminal: Terminal): void {
  const rewrite = rewriteConfig(file, order.change);
  const number = rewrite.isChange ? keep(rewrite, order.source) : null;
  const changes = policyChanges(watched(rewrite.before), watched(rewrite.after));
  terminal.print(
    json === true
      ? JSON.stringify({ number, changes }, null, 2)
      : changeText(rewrite, number, changes),
  );
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
  if (existsSync(file)) return readConfigText(file);
  throw wrongUse(`${file}: is neither KEY=VALUE nor a file that is there`);
}

interface Kept {
  readonly last: PolicyRow | null;
  readonly trial: Trial | null;
}

function readKept(config: Config): Kept {
  const read = (db: Db): Kept => ({
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
