import { existsSync } from "node:fs";
import { z } from "zod";
import { CATALOGUE } from "../actions/catalogue.ts";
import { actionReview } from "../actions/ledger-store.ts";
import { Fault } from "../errors.ts";
import {
  type PolicyChange,
  policyChanges,
  policyOf,
  restorePolicy,
} from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { noteReviewStore } from "../memory/review-store.ts";
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestedIn,
} from "../platform/config/json-tree.ts";
import type { Config } from "../platform/config/load.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import { type ConfigRewrite, rewriteConfig } from "../platform/config/rewrite.ts";
import { configSchema } from "../platform/config/schema.ts";
import type { OperatorContext } from "../privacy/operator.ts";
import type { PageData } from "./route.ts";

/** A key of the configuration that may change while the bot runs, as a form shows it. */
export interface Setting {
  /** Dotted, as in config.json. */
  readonly key: string;
  readonly describe: string;
  readonly shape: SettingShape;
  readonly value: unknown;
  readonly standard: unknown;
}

type SettingShape =
  | { readonly kind: "switch" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "number";
      readonly min: number | null;
      readonly max: number | null;
      readonly isWhole: boolean;
      readonly mayBeNone: boolean;
    }
  | { readonly kind: "text"; readonly isLong: boolean; readonly mayBeNone: boolean }
  | { readonly kind: "list"; readonly choices: readonly string[] | null };

/** Only a restart takes these over, or they are no single values; addresses and folders are nobody's to change here. */
const LEFT_OUT =
  /^(\$schema|channel|personas|dataDir|twitch|dashboard|bot\.login|llm\.(provider|baseUrl|allowInsecureHost|prices)|memory\.trial|actions\.limits)(\.|$)/;
const LONG_CHARS = 120;

/** Every key that may change while the bot runs, from the configuration's own schema, with what holds now. */
export function settingsOf(config: Config): readonly Setting[] {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const values = leavesOf(config);
  const standards = leavesOf(configSchema.parse({ channel: "x" }));
  return [...leafSchemas(schema, "")].flatMap(([key, leaf]) => {
    const shape = LEFT_OUT.test(key) ? null : shapeOf(leaf);
    if (shape === null) return [];
    const describe = typeof leaf["description"] === "string" ? leaf["description"] : "";
    return [{ key, describe, shape, value: values.get(key), standard: standards.get(key) }];
  });
}

/** What the fields of a form say, as values of the configuration. Throws a Fault for a key that is not to be changed. */
export function changesIn(config: Config, fields: Readonly<Record<string, unknown>>): JsonObject {
  const known = new Map(settingsOf(config).map((setting) => [setting.key, setting]));
  const merged = Object.entries(fields).reduce<unknown>((sum, [key, given]) => {
    const setting = known.get(key);
    if (setting === undefined) throw notHere();
    const value = typed(setting.shape, given);
    // A form sends all of its fields; what says nothing new is left as it stands, or does not stand.
    const isNew =
      !isSameJson(value, setting.value) && !(value === "" && setting.value === undefined);
    return isNew ? mergeJson(sum, nestedIn(key, value)) : sum;
  }, {});
  return isJsonObject(merged) ? merged : {};
}

/** What a change would do, key by key; nothing is written. Throws a Fault where it would be no configuration. */
export function previewChange(file: string | null, changes: JsonObject): readonly PolicyChange[] {
  const { before, after } = prepared(file, (raw) => merged(raw, changes));
  return policyChanges(plainOf(before), plainOf(after));
}

/** Writes changes to the configuration's file, and memory's policy to its history. Gives what changed. */
export function saveChange(
  file: string | null,
  data: OperatorContext,
  changes: JsonObject,
): readonly PolicyChange[] {
  return written(
    prepared(file, (raw) => merged(raw, changes)),
    data,
    "page",
  );
}

/** Brings an earlier policy of memory back. Throws a Fault where there is none of that number. */
export function rollBack(
  file: string | null,
  data: OperatorContext,
  number: number,
): readonly PolicyChange[] {
  const row = policyHistory(data.db, data.now).find(number);
  if (row === null) {
    throw new Fault(`there is no policy ${number}`, {
      code: "usage",
      mend: "the history lists the numbers",
    });
  }
  const change = restorePolicy(row.policy, policyOf(data.config));
  return written(prepared(file, change), data, "rollback");
}

function written(
  rewrite: ConfigRewrite,
  { db, now }: OperatorContext,
  source: "page" | "rollback",
): readonly PolicyChange[] {
  const { before, after, isChange, write } = rewrite;
  if (isChange) {
    const isPolicy = policyChanges(policyOf(before), policyOf(after)).length > 0;
    if (isPolicy) policyHistory(db, now).record(policyOf(after), source, write);
    else write();
  }
  return policyChanges(plainOf(before), plainOf(after));
}

function prepared(file: string | null, change: (raw: JsonObject) => JsonObject): ConfigRewrite {
  if (file === null || !existsSync(file)) {
    throw new Fault("this bot runs without a configuration file", {
      code: "usage",
      mend: "a rehearsal changes nothing for good; run `forgetmenot setup` for a bot of your own",
    });
  }
  return rewriteConfig(file, change);
}

function merged(raw: JsonObject, changes: JsonObject): JsonObject {
  const sum = mergeJson(raw, changes);
  return isJsonObject(sum) ? sum : raw;
}

function plainOf({ databaseFile: _, dataDir: _folder, ...config }: Config): unknown {
  return config;
}

/** Each value of the schema that is no object, by its dotted key. */
function* leafSchemas(schema: unknown, path: string): Generator<[string, JsonObject]> {
  if (!isJsonObject(schema)) return;
  const { properties } = schema;
  if (!isJsonObject(properties)) {
    yield [path, schema];
    return;
  }
  for (const [key, inner] of Object.entries(properties))
    yield* leafSchemas(inner, path === "" ? key : `${path}.${key}`);
}

function shapeOf(leaf: JsonObject): SettingShape | null {
  const { anyOf, type } = leaf;
  const parts = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [leaf];
  const mayBeNone = parts.some((part) => part["type"] === "null");
  const [only, ...others] = parts.filter((part) => part["type"] !== "null");
  if (only === undefined || others.length > 0) return null;
  if (Array.isArray(only["enum"])) return { kind: "choice", choices: only["enum"].map(String) };
  switch (only["type"] ?? type) {
    case "boolean":
      return { kind: "switch" };
    case "number":
    case "integer":
      return {
        kind: "number",
        min: numberIn(only["minimum"]),
        max: numberIn(only["maximum"]),
        isWhole: only["type"] === "integer",
        mayBeNone,
      };
    case "string":
      return { kind: "text", isLong: Number(only["maxLength"] ?? 0) > LONG_CHARS, mayBeNone };
    case "array":
      return listShape(only["items"]);
    default:
      return null;
  }
}

function listShape(items: unknown): SettingShape | null {
  if (!isJsonObject(items) || items["type"] !== "string") return null;
  const choices = Array.isArray(items["enum"]) ? items["enum"].map(String) : null;
  return { kind: "list", choices };
}

/** What a form sends is text; a program sends values. The configuration's schema has the last word on both. */
function typed(shape: SettingShape, given: unknown): unknown {
  if (shape.kind !== "list" && typeof given !== "string") return given;
  const isNone = String(given).trim() === "";
  switch (shape.kind) {
    case "list":
      return listed(given);
    case "switch":
      return given === "true" || given === "on";
    case "number":
      return isNone && shape.mayBeNone ? null : Number(given);
    case "text":
      return isNone && shape.mayBeNone ? null : given;
    case "choice":
      return given;
  }
}

/** One a line, or ticked boxes; an empty one is what a form sends for none. */
function listed(given: unknown): unknown {
  const parts = Array.isArray(given) ? given : String(given).split("\n");
  return parts.map((part) => String(part).trim()).filter((part) => part !== "");
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

function notHere(): Fault {
  return new Fault("this key cannot be changed while the bot runs", {
    code: "usage",
    mend: "change config.json by hand and start the bot again",
  });
}

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
export function policyEffects(data: PageData, changes: readonly PolicyChange[]): string[] {
  return changes.flatMap((change) => gateEffect(data, change) ?? memoryEffect(data, change) ?? []);
}

function gateEffect({ db, nowMs }: PageData, { key, to }: PolicyChange): string | null {
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

function memoryEffect({ db, nowMs }: PageData, { key, from, to }: PolicyChange): string | null {
  if (!key.startsWith("memory.")) return null;
  const offered = noteReviewStore(db, nowMs).candidates({ reason: null, limit: CANDIDATES_BACK });
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
