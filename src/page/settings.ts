import { existsSync } from "node:fs";
import { z } from "zod";
import { CATALOGUE } from "../actions/catalogue.ts";
import { wrongUse } from "../errors.ts";
import {
  type PolicyChange,
  policyChanges,
  policyOf,
  restorePolicy,
} from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestedIn,
  withoutPath,
} from "../platform/config/json-tree.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { type ConfigRewrite, rewriteConfig } from "../platform/config/rewrite.ts";
import { configSchema } from "../platform/config/schema.ts";
import type { OperatorContext } from "../privacy/operator.ts";

/** A key of the configuration that may change while the bot runs, as a form shows it. */
export interface Setting {
  /** Dotted, as in config.json. */
  readonly key: string;
  readonly describe: string;
  readonly shape: SettingShape;
  readonly value: unknown;
  readonly standard: unknown;
}

type SettingShape = NonNullable<ReturnType<typeof shapeOf>>;

/** Only a restart takes these over, or they are no single values; addresses and folders are nobody's to change here. */
const LEFT_OUT =
  /^(\$schema|channel|personas|dataDir|twitch|dashboard|bot\.login|llm\.(provider|baseUrl|allowInsecureHost|prices))(\.|$)/;
const LONG_CHARS = 120;
const LIMITS = "actions.limits";
/** What stands there only where it differs from what is built in: to say nothing takes it away. */
const MAY_BE_ABSENT = /^actions\.(limits|words)\./;

/** Every value of the configuration, with its schema. */
const LEAVES = [...leafSchemas(z.toJSONSchema(configSchema, { io: "input" }), "")];
const STANDARDS = new Map([
  ...leavesOf(configSchema.parse({ channel: "x" })),
  ...Object.entries(CATALOGUE).flatMap(([name, action]) => [
    ...leavesOf(action.limits, `${LIMITS}.${name}`),
  ]),
]);

/** Every key that may change while the bot runs, from the configuration's own schema, with what holds now. */
export function settingsOf(config: Config): readonly Setting[] {
  const values = leavesOf(config);
  return LEAVES.flatMap(([key, leaf]) => {
    const shape = LEFT_OUT.test(key) ? null : shapeOf(leaf, MAY_BE_ABSENT.test(key));
    if (shape === null) return [];
    const describe = typeof leaf["description"] === "string" ? leaf["description"] : "";
    return [{ key, describe, shape, value: values.get(key), standard: STANDARDS.get(key) }];
  });
}

/** What the fields of a form say, as values of the configuration. Throws a Fault for a key that is not to be changed. */
export function changesIn(config: Config, fields: Readonly<Record<string, unknown>>): JsonObject {
  const known = new Map(settingsOf(config).map((setting) => [setting.key, setting]));
  const merged = Object.entries(fields).reduce<unknown>((sum, [key, given]) => {
    const setting = known.get(key);
    if (setting === undefined)
      throw wrongUse(
        "this key cannot be changed while the bot runs",
        "change config.json by hand and start the bot again",
      );
    const value = typed(setting.shape, given);
    // A form sends all of its fields; what says nothing new is left as it stands, or does not stand.
    const isNone = value === "" || value === null || isSameJson(value, []);
    const isNew = !isSameJson(value, setting.value) && !(isNone && setting.value === undefined);
    return isNew ? mergeJson(sum, nestedIn(key, value)) : sum;
  }, {});
  return isJsonObject(merged) ? merged : {};
}

/** What a change would do, key by key; nothing is written. Throws a Fault where it would be no configuration. */
export function previewChange(file: string | null, changes: JsonObject): readonly PolicyChange[] {
  return changesOf(prepared(file, (raw) => merged(raw, changes)));
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
  if (row === null) throw wrongUse(`there is no policy ${number}`, "the history lists the numbers");
  const policy = policyOf(file === null ? data.config : loadConfig(file));
  return written(prepared(file, restorePolicy(row.policy, policy)), data, "rollback");
}

function written(
  rewrite: ConfigRewrite,
  { db, now }: OperatorContext,
  source: "page" | "rollback",
): readonly PolicyChange[] {
  const { before, after, isChange, write } = rewrite;
  const isPolicy = policyChanges(policyOf(before), policyOf(after)).length > 0;
  if (isChange && isPolicy) policyHistory(db, now).record(policyOf(after), source, write);
  else if (isChange) write();
  return changesOf(rewrite);
}

function changesOf({ before, after }: ConfigRewrite): readonly PolicyChange[] {
  return policyChanges(plainOf(before), plainOf(after));
}

function prepared(file: string | null, change: (raw: JsonObject) => JsonObject): ConfigRewrite {
  if (file === null || !existsSync(file))
    throw wrongUse(
      "this bot runs without a configuration file",
      "a rehearsal changes nothing for good; run `forgetmenot setup` for a bot of your own",
    );
  return rewriteConfig(file, change);
}

function merged(raw: JsonObject, changes: JsonObject): JsonObject {
  const sum = mergeJson(raw, changes);
  const absent = [...leavesOf(changes)].filter(
    ([key, value]) => value === null && MAY_BE_ABSENT.test(key),
  );
  return absent.reduce((rest, [key]) => withoutPath(rest, key), isJsonObject(sum) ? sum : raw);
}

function plainOf({ databaseFile: _, dataDir: _folder, ...config }: Config): unknown {
  return config;
}

/** Each value of the schema that is no object, by its dotted key. */
function* leafSchemas(schema: unknown, path: string): Generator<[string, JsonObject]> {
  if (!isJsonObject(schema)) return;
  const properties = schema["properties"] ?? namedOf(schema);
  if (!isJsonObject(properties)) {
    yield [path, schema];
    return;
  }
  for (const [key, inner] of Object.entries(properties))
    yield* leafSchemas(inner, path === "" ? key : `${path}.${key}`);
}

/** A record whose keys are known is an object of them. */
function namedOf({ propertyNames, additionalProperties }: JsonObject): unknown {
  const names = isJsonObject(propertyNames) ? propertyNames["enum"] : null;
  if (!Array.isArray(names)) return null;
  return Object.fromEntries(names.map((name) => [name, additionalProperties]));
}

/** The field that a value asks for; null where it is no single value. */
function shapeOf(leaf: JsonObject, mayBeAbsent: boolean) {
  const { anyOf, type } = leaf;
  const parts = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [leaf];
  const mayBeNone = mayBeAbsent || parts.some((part) => part["type"] === "null");
  const [only, ...others] = parts.filter((part) => part["type"] !== "null");
  if (only === undefined || others.length > 0) return null;
  const choices = choicesIn(only);
  if (choices !== null) return { kind: "choice" as const, choices };
  switch (only["type"] ?? type) {
    case "boolean":
      return { kind: "switch" as const };
    case "number":
    case "integer": {
      const [min, max] = [numberIn(only["minimum"]), numberIn(only["maximum"])];
      return { kind: "number" as const, min, max, isWhole: only["type"] === "integer", mayBeNone };
    }
    case "string":
      return {
        kind: "text" as const,
        isLong: Number(only["maxLength"] ?? 0) > LONG_CHARS,
        mayBeNone,
      };
    case "array":
      return isJsonObject(only["items"]) && only["items"]["type"] === "string"
        ? { kind: "list" as const, choices: choicesIn(only["items"]) }
        : null;
    default:
      return null;
  }
}

function choicesIn({ enum: choices }: JsonObject): readonly string[] | null {
  return Array.isArray(choices) ? choices.map(String) : null;
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
      if (isNone && shape.mayBeNone) return null;
      return Number.isNaN(Number(given)) ? given : Number(given);
    case "text":
      // A browser without scripts sends both characters.
      return isNone && shape.mayBeNone ? null : String(given).replaceAll("\r\n", "\n");
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
