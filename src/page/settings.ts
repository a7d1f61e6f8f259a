import { existsSync } from "node:fs";
import { z } from "zod";
import { ACTIONS } from "../catalogue/actions.ts";
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestedIn,
  withoutPath,
} from "../config/json-tree.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { rewriteConfig } from "../config/rewrite.ts";
import { configSchema } from "../config/schema.ts";
import { wrongUse } from "../errors.ts";
import {
  type PolicyChange,
  policyChanges,
  policyOf,
  restorePolicy,
} from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import type { OperatorContext } from "../privacy/operator.ts";

/** A key of the configuration that may change while the bot runs. */
export interface Setting {
  /** Dotted, as in config.json. */
  readonly key: string;
  /** From the configuration's schema. */
  readonly describe: string;
  readonly field: Field;
  readonly value: unknown;
  /** The default. */
  readonly standard: unknown;
}

/** The form field of a key. `isOptional`: an empty field means null, or the built-in value. */
type Field = { readonly isOptional: boolean } & (
  | { readonly kind: "choice"; readonly choices: readonly (string | boolean)[] }
  | { readonly kind: "list"; readonly choices: readonly string[] | null }
  | {
      readonly kind: "number";
      readonly isWhole: boolean;
      readonly min: number | undefined;
      readonly max: number | undefined;
    }
  | { readonly kind: "text"; readonly isLong: boolean }
);

/** Keys that need a restart, and addresses and folders, which no page may change. */
const NOT_HERE =
  /^(\$schema|channel|personas|dataDir|twitch|dashboard|bot\.login|llm\.(provider|baseUrl|allowInsecureHost|prices))(\.|$)/;
/** These keys exist only if they differ from what is built in. */
const MAY_BE_ABSENT = /^actions\.(limits|words)\./;
const LONG_CHARS = 120;

/** Every value of the configuration, with its schema. */
const LEAVES = [...leafSchemas(z.toJSONSchema(configSchema, { io: "input" }), "")];
const STANDARDS = new Map([
  ...leavesOf(configSchema.parse({ channel: "x" })),
  ...Object.entries(ACTIONS).flatMap(([name, { limits }]) => [
    ...leavesOf(limits, `actions.limits.${name}`),
  ]),
]);

/** Returns every key that may change while the bot runs, from the configuration's schema. */
export function settingsOf(config: Config): readonly Setting[] {
  const values = leavesOf(config);
  return LEAVES.flatMap(([key, leaf]) => {
    const field = NOT_HERE.test(key) ? null : fieldOf(leaf, MAY_BE_ABSENT.test(key));
    if (field === null) return [];
    const describe = String(leaf["description"] ?? "");
    return [{ key, describe, field, value: values.get(key), standard: STANDARDS.get(key) }];
  });
}

/** Reads the fields of a form as changes of the configuration. Throws a Fault for a key that is not a setting. */
export function changesIn(config: Config, fields: JsonObject): JsonObject {
  const known = new Map(settingsOf(config).map((setting) => [setting.key, setting]));
  const merged = Object.entries(fields).reduce<unknown>((sum, [key, given]) => {
    const setting = known.get(key);
    if (setting === undefined)
      throw wrongUse(
        "this key cannot be changed while the bot runs",
        "change config.json by hand and start the bot again",
      );
    const value = readField(setting.field, given);
    // A form sends all of its fields. Those that change nothing are left out.
    const isNone = value === "" || value === null || isSameJson(value, []);
    const isNew = !isSameJson(value, setting.value) && !(isNone && setting.value === undefined);
    return isNew ? mergeJson(sum, nestedIn(key, value)) : sum;
  }, {});
  return isJsonObject(merged) ? merged : {};
}

/** Writes changes to the configuration's file, and to the history of policies. Returns what changed. */
export function saveChange(
  file: string | null,
  context: OperatorContext,
  changes: JsonObject,
): readonly PolicyChange[] {
  const removed = [...leavesOf(changes)]
    .filter(([key, value]) => value === null && MAY_BE_ABSENT.test(key))
    .map(([key]) => key);
  const change = (raw: JsonObject): JsonObject => {
    const sum = mergeJson(raw, changes);
    return removed.reduce(withoutPath, isJsonObject(sum) ? sum : raw);
  };
  return write(file, context, { change, source: "page" });
}

/** Makes an earlier policy active again. Throws a Fault if it is not in the history. */
export function rollBack(
  file: string | null,
  context: OperatorContext,
  number: number,
): readonly PolicyChange[] {
  const row = policyHistory(context.db, context.now).find(number);
  if (row === null) throw wrongUse(`there is no policy ${number}`, "the history lists the numbers");
  const policy = policyOf(file === null ? context.config : loadConfig(file));
  return write(file, context, { change: restorePolicy(row.policy, policy), source: "rollback" });
}

function write(
  file: string | null,
  { db, now }: OperatorContext,
  how: { change: (raw: JsonObject) => JsonObject; source: "page" | "rollback" },
): readonly PolicyChange[] {
  if (file === null || !existsSync(file))
    throw wrongUse(
      "this bot runs without a configuration file",
      "a rehearsal saves nothing; run `forgetmenot setup` for a bot of your own",
    );
  const { before, after, isChange, write: save } = rewriteConfig(file, how.change);
  const isPolicy = policyChanges(policyOf(before), policyOf(after)).length > 0;
  if (isChange && isPolicy) policyHistory(db, now).record(policyOf(after), how.source, save);
  else if (isChange) save();
  const plain = ({ databaseFile: _, dataDir: _folder, ...config }: Config): unknown => config;
  return policyChanges(plain(before), plain(after));
}

/** Each value of the schema that is no object, by its dotted key. */
function* leafSchemas(schema: unknown, path: string): Generator<[string, JsonObject]> {
  if (!isJsonObject(schema)) return;
  const { properties, propertyNames, additionalProperties } = schema;
  // A record with known keys is an object of them.
  const names = isJsonObject(propertyNames) ? propertyNames["enum"] : null;
  const inner = Array.isArray(names)
    ? Object.fromEntries(names.map((name) => [name, additionalProperties]))
    : properties;
  if (!isJsonObject(inner)) yield [path, schema];
  else
    for (const [key, one] of Object.entries(inner))
      yield* leafSchemas(one, path === "" ? key : `${path}.${key}`);
}

/** Returns the field of a value's schema; null if no single field fits. */
function fieldOf(leaf: JsonObject, mayBeAbsent: boolean): Field | null {
  const parts = Array.isArray(leaf["anyOf"]) ? leaf["anyOf"].filter(isJsonObject) : [leaf];
  const [one, ...others] = parts.filter(({ type }) => type !== "null");
  if (one === undefined || others.length > 0) return null;
  const isOptional = mayBeAbsent || parts.length > 1;
  if (Array.isArray(one["enum"]))
    return { kind: "choice", isOptional, choices: one["enum"].map(String) };
  switch (one["type"]) {
    case "boolean":
      return { kind: "choice", isOptional, choices: [true, false] };
    case "number":
    case "integer": {
      const [min, max] = [boundIn(one["minimum"]), boundIn(one["maximum"])];
      return { kind: "number", isOptional, isWhole: one["type"] === "integer", min, max };
    }
    case "string":
      return { kind: "text", isOptional, isLong: Number(one["maxLength"] ?? 0) > LONG_CHARS };
    case "array": {
      const items = isJsonObject(one["items"]) ? one["items"] : {};
      if (items["type"] !== "string") return null;
      const choices = Array.isArray(items["enum"]) ? items["enum"].map(String) : null;
      return { kind: "list", isOptional, choices };
    }
    default:
      return null;
  }
}

function boundIn(value: unknown): number | undefined {
  // JSON Schema bounds an unbounded integer by the largest that a number holds.
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** Reads what a form sends as text; a program sends values. The configuration's schema checks both. */
function readField(field: Field, given: unknown): unknown {
  const text = String(given);
  if (field.isOptional && text.trim() === "") return null;
  if (field.kind !== "list" && typeof given !== "string") return given;
  switch (field.kind) {
    case "choice":
      return field.choices.find((one) => String(one) === text) ?? text;
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "text":
      // A browser without scripts sends both characters of a line break.
      return text.replaceAll("\r\n", "\n");
    case "list":
      return linesOf(given);
  }
}

/** Lines of a text, or ticked boxes. A form sends an empty one for none. */
function linesOf(given: unknown): string[] {
  const parts = Array.isArray(given) ? given.map(String) : String(given).split("\n");
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
