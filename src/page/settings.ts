import { existsSync } from "node:fs";
import { z } from "zod";
import { ACTIONS } from "../catalogue/actions.ts";
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestValue,
  removePath,
} from "../config/json-tree.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { rewriteConfig } from "../config/rewrite.ts";
import { configSchema } from "../config/schema.ts";
import { makeUsageFault } from "../errors.ts";
import {
  getPolicy,
  listPolicyChanges,
  type PolicyChange,
  restorePolicy,
} from "../memory/memory-policy.ts";
import { openPolicyHistory } from "../memory/memory-policy-store.ts";
import type { OperatorContext } from "../privacy/operator.ts";

/** A key of the configuration that may change while the bot runs. */
export interface Setting {
  /** Dotted, as in config.json. */
  readonly key: string;
  /** A sentence of the configuration's schema. */
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
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "text"; readonly isLong: boolean }
);

/** Keys that need a restart, and addresses and folders, which no page may change. */
const NOT_HERE =
  /^(\$schema|channel|personas|dataDir|twitch|dashboard|bot\.login|llm\.(provider|baseUrl|allowInsecureHost|prices))(\.|$)/;
/** These keys exist only if they differ from the built-in values. */
const MAY_BE_ABSENT = /^actions\.(limits|words)\./;
const LONG_CHARS = 120;

/** Every value of the configuration, with its schema. */
const LEAVES = [...listLeaves(z.toJSONSchema(configSchema, { io: "input" }), "")];
const STANDARDS = new Map([
  ...leavesOf(configSchema.parse({ channel: "x" })),
  ...Object.entries(ACTIONS).flatMap(([name, { limits }]) => [
    ...leavesOf(limits, `actions.limits.${name}`),
  ]),
]);

/** Returns every key that may change while the bot runs, from the configuration's schema. */
export function listSettings(config: Config): readonly Setting[] {
  const values = leavesOf(config);
  return LEAVES.flatMap(([key, leaf]) => {
    const field = NOT_HERE.test(key) ? null : findField(leaf, MAY_BE_ABSENT.test(key));
    if (field === null) return [];
    const describe = String(leaf["description"] ?? "");
    return [{ key, describe, field, value: values.get(key), standard: STANDARDS.get(key) }];
  });
}

/** Reads the fields of a form as changes of the configuration. Throws a Fault for a key that is not a setting. */
export function readChanges(config: Config, fields: JsonObject): JsonObject {
  const known = new Map(listSettings(config).map((setting) => [setting.key, setting]));
  const merged = Object.entries(fields).reduce<unknown>((sum, [key, given]) => {
    const setting = known.get(key);
    if (setting === undefined)
      throw makeUsageFault(
        "this key cannot be changed while the bot runs",
        "change config.json by hand and start the bot again",
      );
    const value = readField(setting.field, given);
    // A form sends all of its fields. Those that change nothing are left out.
    const isNone = value === "" || value === null || isSameJson(value, []);
    const isNew = !isSameJson(value, setting.value) && !(isNone && setting.value === undefined);
    return isNew ? mergeJson(sum, nestValue(key, value)) : sum;
  }, {});
  return isJsonObject(merged) ? merged : {};
}

/** Writes changes to the configuration's file, and to the history of policies. Returns the changes. */
export function saveSettings(
  file: string | null,
  context: OperatorContext,
  changes: JsonObject,
): readonly PolicyChange[] {
  const removed = [...leavesOf(changes)]
    .filter(([key, value]) => value === null && MAY_BE_ABSENT.test(key))
    .map(([key]) => key);
  return write(file, context, "page", (raw) => {
    const sum = mergeJson(raw, changes);
    return removed.reduce(removePath, isJsonObject(sum) ? sum : raw);
  });
}

/** Makes an earlier policy active again. Throws a Fault if it is not in the history. */
export function restoreSettings(
  file: string | null,
  context: OperatorContext,
  number: number,
): readonly PolicyChange[] {
  const row = openPolicyHistory(context.db, context.now).find(number);
  if (row === null)
    throw makeUsageFault(`there is no policy ${number}`, "the history lists the numbers");
  const policy = getPolicy(file === null ? context.config : loadConfig(file));
  return write(file, context, "rollback", restorePolicy(row.policy, policy));
}

function write(
  file: string | null,
  { db, now }: OperatorContext,
  source: "page" | "rollback",
  change: (raw: JsonObject) => JsonObject,
): readonly PolicyChange[] {
  if (file === null || !existsSync(file))
    throw makeUsageFault(
      "this bot runs without a configuration file",
      "a demo saves nothing; run `forgetmenot setup` for a bot of your own",
    );
  const { before, after, isChange, write: save } = rewriteConfig(file, change);
  const isPolicy = listPolicyChanges(getPolicy(before), getPolicy(after)).length > 0;
  if (isChange && isPolicy) openPolicyHistory(db, now).record(getPolicy(after), source, save);
  else if (isChange) save();
  const omitFolders = ({ databaseFile: _, dataDir: _folder, ...config }: Config) => config;
  return listPolicyChanges(omitFolders(before), omitFolders(after));
}

/** Lists each value of the schema that is no object, by its dotted key. */
function* listLeaves(schema: unknown, path: string): Generator<[string, JsonObject]> {
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
      yield* listLeaves(one, path === "" ? key : `${path}.${key}`);
}

/** Returns the field of a value's schema; null if no single field fits. */
function findField(leaf: JsonObject, mayBeAbsent: boolean): Field | null {
  const parts = Array.isArray(leaf["anyOf"]) ? leaf["anyOf"].filter(isJsonObject) : [leaf];
  const [one, ...others] = parts.filter(({ type }) => type !== "null");
  if (one === undefined || others.length > 0) return null;
  const isOptional = mayBeAbsent || parts.length > 1;
  const choices = listChoices(one);
  if (choices !== null) return { kind: "choice", isOptional, choices };
  switch (one["type"]) {
    case "boolean":
      return { kind: "choice", isOptional, choices: [true, false] };
    case "number":
    case "integer": {
      const isWhole = one["type"] === "integer";
      const bounds = { ...readBound("min", one["minimum"]), ...readBound("max", one["maximum"]) };
      return { kind: "number", isOptional, isWhole, ...bounds };
    }
    case "string":
      return { kind: "text", isOptional, isLong: Number(one["maxLength"] ?? 0) > LONG_CHARS };
    case "array": {
      const items = isJsonObject(one["items"]) ? one["items"] : {};
      if (items["type"] !== "string") return null;
      return { kind: "list", isOptional, choices: listChoices(items) };
    }
    default:
      return null;
  }
}

function listChoices(schema: JsonObject): string[] | null {
  return Array.isArray(schema["enum"]) ? schema["enum"].map(String) : null;
}

function readBound(name: "min" | "max", value: unknown) {
  // JSON Schema bounds an unbounded integer by the largest that a number holds.
  const isBound = typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return isBound ? { [name]: value } : {};
}

/** Reads the text of a form, or the value of a program. The configuration's schema checks both. */
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
    case "list": {
      const parts = Array.isArray(given) ? given.map(String) : text.split("\n");
      return parts.map((part) => part.trim()).filter((part) => part !== "");
    }
  }
}

/** Names for keys whose last part says too little. */
const NAMES: Readonly<Record<string, string>> = {
  mode: "Who it answers",
  language: "Language of its own sentences",
  "persona.name": "Its name",
  "persona.voice": "How it speaks",
  "replies.command": "Command that asks it",
  "replies.viewerCooldownSeconds": "Seconds between answers to one viewer",
  "replies.channelCooldownSeconds": "Seconds between answers to anyone",
  "replies.continuationSeconds": "Seconds to go on without its name",
  "replies.whenOffline": "Answers while the stream is off",
  "replies.allowedHosts": "Sites it may link to",
  "replies.bannedWords": "Words it never says or stores",
  "memory.mode": "What happens to what it learns",
  "memory.compactionSeconds": "Seconds between two summaries",
  "memory.noteSeconds": "Seconds until notes are made",
  "memory.personaScope": "Notes of several personas",
  "memory.scopes": "What notes may be about",
  "memory.kinds": "Kinds of notes it stores",
  "memory.approvalKinds": "Kinds that wait for your approval",
  "memory.caps.viewerNotes": "Notes about one viewer",
  "memory.caps.channelNotes": "Notes about the channel",
  "memory.caps.perViewerAndStream": "New notes about one viewer in a stream",
  "memory.caps.perChannelAndStream": "New notes about the channel in a stream",
  "memory.caps.perBitAndStream": "New jokes in a stream",
  "memory.topics": "Notes on other topics",
  "memory.recall.readFloor": "Least confidence of a note",
  "memory.recall.loreTokens": "Tokens for notes about who asks",
  "memory.recall.rerank": "A model sorts the notes first",
  "actions.safeMode": "Refuse every action",
  "actions.classes.memory": "Change notes",
  "actions.classes.chat": "Announcements and shoutouts",
  "actions.classes.stream": "Clips, markers and polls",
  "actions.classes.moderation": "Warnings, deletions and timeouts",
  "actions.timeoutSeconds": "Usual seconds of a timeout",
  "actions.allowlist": "Viewers it never acts on",
  "actions.protectVips": "Never act on VIPs",
  "actions.denylist.actions": "Actions that never run",
  "actions.denylist.targets": "Viewers the model never acts on",
  "llm.model": "Model",
  "llm.models.reply": "Model for answers",
  "llm.models.summarise": "Model for summaries",
  "llm.models.extract": "Model for notes",
  "llm.models.rerank": "Model that sorts notes",
  "llm.timeoutSeconds": "Seconds to wait for the model",
  "llm.caps.memoryShare": "Share of the limits kept for memory",
  "prompt.budgetTokens": "Most tokens that an answer reads",
  "bot.aliases": "Other names it listens to",
  "bot.knownBots": "Other bots",
  "backup.keep": "Backups to keep",
};

/** Names a key of the configuration: `Calls per hour`; a limit of an action: `timeout: per hour`. */
export function nameSetting(key: string): string {
  const [, of, action = "", last] = /^actions\.(limits|words)\.([^.]+)\.?(.*)$/.exec(key) ?? [];
  if (of === "words") return action;
  const words = (NAMES[key] ?? last ?? key.slice(key.lastIndexOf(".") + 1)).replaceAll(
    /(?<=[a-z])[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  return of === "limits" ? `${action}: ${words}` : words.charAt(0).toUpperCase() + words.slice(1);
}
