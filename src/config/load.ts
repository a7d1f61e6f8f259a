import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  applyEdits,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
  visit,
} from "jsonc-parser";
import { z } from "zod";
import { Fault, getMessage, writeOrFault } from "../errors.ts";
import { findNearest } from "../language/words.ts";
import { CONFIGURE } from "./environment.ts";
import { isJsonObject, isSameJson, type JsonObject, removePath } from "./json-tree.ts";
import { readText, writePrivately } from "./private-file.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import type { Secrets } from "./secrets.ts";

/** The name of a bot without a login: it listens, and says nothing. */
const NAMELESS = "the bot";

export interface Config extends Omit<ConfigFile, "channel" | "$schema" | "persona"> {
  /** If the file gives no name, it is the bot's login. */
  readonly persona: { readonly name: string; readonly voice: string };
  /** Logins in lower case, without `#`, each once. */
  readonly channels: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute path of the SQLite file. */
  readonly databaseFile: string;
  /** Keys in the file that this edition no longer has. They do nothing. */
  readonly removedKeys: readonly string[];
}

/**
 * Reads and checks a configuration file. Paths in it are relative to its folder. Throws a Fault if it cannot be read or
 * parsed, or a Fault with a line for each wrong key.
 */
export function loadConfig(file: string): Config {
  return parseConfig(readConfigText(file), file);
}

/**
 * Parses and checks the text of the configuration file `file`. Ignores keys of earlier versions, and lists them in
 * `removedKeys`. Throws a Fault like `loadConfig`.
 */
export function parseConfig(text: string, file: string): Config {
  const { raw, removed } = dropRemovedKeys(parseConfigJson(text, file));
  return { ...toConfig(raw, dirname(resolve(file)), file), removedKeys: removed };
}

/**
 * Checks configuration values and adds the defaults. `folder` is the base of relative paths; `source` names the values
 * in errors. Throws a Fault with a line for each wrong key, also for a key of an earlier version.
 */
export function toConfig(raw: unknown, folder: string, source = "config"): Config {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, raw));
    throw new Fault(lines.map((line) => `${source}: ${line}`).join("\n"), {
      code: "config",
      fix: "see docs/configuration.md for every key with its default",
    });
  }
  const { channel, $schema: _, ...rest } = parsed.data;
  const channels = [channel].flat().map((name) => name.replace(/^#/, ""));
  const dataDir = resolve(folder, rest.dataDir);
  return {
    ...rest,
    persona: { ...rest.persona, name: rest.persona.name ?? rest.bot.login ?? NAMELESS },
    channels: [...new Set(channels)],
    dataDir,
    databaseFile: join(dataDir, "forgetmenot.db"),
    removedKeys: [],
  };
}

/** Reads a configuration file's text. Throws a Fault if it cannot be read. */
export function readConfigText(file: string): string {
  try {
    return readText(file);
  } catch (cause) {
    const message = `${file}: cannot be read (${getMessage(cause)})`;
    throw new Fault(message, { code: "config", fix: CONFIGURE, cause });
  }
}

/**
 * Parses the JSON of a configuration file, with comments and trailing commas, without checking names or values. Throws
 * a Fault, which quotes no value, if it is empty, wrong, or has a key twice.
 */
export function parseConfigJson(text: string, file: string): unknown {
  const plain = text.replace(/^\uFEFF/, "");
  if (plain.trim() === "") throw new Fault(`${file}: is empty`, { code: "config", fix: CONFIGURE });
  const errors: ParseError[] = [];
  const value: unknown = parse(plain, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) {
    refuseRepeatedKeys(plain, file);
    return value;
  }
  const line = plain.slice(0, first.offset).split("\n").length;
  const problem = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
  const isPath = problem.includes("escape") || problem.includes("unicode");
  throw new Fault(`${file}: is not valid JSON (${problem}, line ${line})`, {
    code: "config",
    fix: isPath
      ? "in a path, write each backslash twice, or / in its place"
      : "check for a missing comma, quote or bracket there or just before",
  });
}

/** Throws a Fault if a key occurs twice: only the last one would count. */
function refuseRepeatedKeys(text: string, file: string): void {
  const seen = new Set<string>();
  visit(
    text,
    {
      onObjectProperty: (...[key, , , line, , path]) => {
        const name = [...path(), key].join(".");
        if (seen.has(name))
          throw new Fault(`${file}: ${hideSecrets(name)} occurs twice (line ${line + 1})`, {
            code: "config",
            fix: "remove one of the two",
          });
        seen.add(name);
      },
    },
    { allowTrailingComma: true },
  );
}

type Issue = z.core.$ZodIssue;

const SHOWN_VALUE_CHARS = 60;
const SECRET_LIKE = /key|token|secret|password|oauth/i;
/** Text that looks like a token or key, and the user part of a URL. Errors never show it. */
const SECRET_TEXT = /[\w-]{24,}|(?<=oauth:|\/\/)[^/\s"]+(?=@)|(?<=oauth:)[\w-]+/gi;

/**
 * Returns a line for each wrong key of an issue: the key, its value (at most 60 characters) and the expected value.
 * Hides text that looks like a secret.
 */
function describeIssue(issue: Issue, raw: unknown): string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => describeUnknownKey([...path, key], listKnownKeys(path)));
  }
  const name = path.join(".") || "the file";
  const value = readPath(raw, path);
  const expected = `should be ${describeExpectation(issue)}`;
  if (value === undefined) return [`${name} is missing, ${expected}`];
  const text = hideSecrets(JSON.stringify(value) ?? String(value));
  const end = text.length > SHOWN_VALUE_CHARS ? "…" : "";
  return [`${name} is ${text.slice(0, SHOWN_VALUE_CHARS)}${end}, ${expected}`];
}

function describeUnknownKey(path: readonly string[], known: readonly string[]): string {
  const key = path.at(-1) ?? "";
  const name = path.join(".");
  const begun = known.filter((one) => one.toLowerCase().startsWith(key.toLowerCase()));
  const near = findNearest(key, known) ?? (begun.length === 1 ? begun[0] : null) ?? null;
  if (near !== null) return `${hideSecrets(name)} is not a key; did you mean ${near}?`;
  if (SECRET_LIKE.test(key)) {
    return `${hideSecrets(name)} does not belong here: keys and tokens come from the environment or secrets.json`;
  }
  return `${hideSecrets(name)} is not a key; known here: ${known.join(", ")}`;
}

function describeExpectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value)).join(", ");
      return issue.values.length > 1 ? `one of ${values}` : values;
    }
    case "too_small":
      return `at least ${issue.minimum}${formatUnit(issue.origin, Number(issue.minimum))}`;
    case "too_big":
      return `at most ${issue.maximum}${formatUnit(issue.origin, Number(issue.maximum))}`;
    case "invalid_union":
      return [...new Set(issue.errors.flat().map(describeExpectation))].join(", or ");
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "a list",
  object: "an object in braces",
  record: "an object in braces",
  boolean: "true or false",
};

/** Returns ` entries` for a list, ` characters` for a text, and "" for a number. */
function formatUnit(origin: string, count: number): string {
  const unit = { string: ["character", "characters"], array: ["entry", "entries"] }[origin];
  return unit === undefined ? "" : ` ${unit[count === 1 ? 0 : 1]}`;
}

function hideSecrets(text: string): string {
  return text.replaceAll(SECRET_TEXT, "…");
}

/** Returns the value at a path; undefined if there is none. */
function readPath(raw: unknown, path: readonly string[]): unknown {
  let value = raw;
  for (const key of path)
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

/** Lists the keys that the configuration allows in the object at a path; none if it allows any. */
function listKnownKeys(path: readonly string[]): string[] {
  let schema: unknown = z.toJSONSchema(configSchema, { io: "input" });
  for (const key of path) {
    // The key of an object, of a list's entries, or of a record.
    const places = [["properties", key], ["items"], ["additionalProperties"]];
    schema = places.map((place) => readPath(schema, place)).find(Boolean);
  }
  const properties = readPath(schema, ["properties"]);
  if (isJsonObject(properties)) return Object.keys(properties);
  const ofRecord = readPath(schema, ["propertyNames", "enum"]);
  return Array.isArray(ofRecord) ? ofRecord.map(String) : [];
}

/** Keys of earlier versions. They are ignored and named once; a key with inner keys includes them all. */
const REMOVED_KEYS = `
  actions.approvalSeconds actions.autonomy actions.questions actions.warnReason
  bot.otherProgramPrefixes dashboard.host llm.maxOutputTokens log memory.kindDays
  memory.recall.lexicalWeight memory.recall.newestPlaces memory.recall.perKindMax
  memory.recall.profilePlaces memory.recall.scales memory.recall.topicWeight memory.staleDays
  memory.trial replies.ambientChance replies.badCommand replies.goodCommand
  replies.moderatorCommand replies.quietHours replies.reserveShare replies.slurs retention
  rights
`
  .trim()
  .split(/\s+/);

/** Returns a configuration without removed keys, and the names of its removed keys. */
function dropRemovedKeys(raw: unknown): { raw: unknown; removed: readonly string[] } {
  if (!isJsonObject(raw)) return { raw, removed: [] };
  const removed = REMOVED_KEYS.filter((path) => readPath(raw, path.split(".")) !== undefined);
  return { raw: removed.reduce(removePath, raw), removed };
}

/** Throws a Fault if the bot could never send: it has no login outside mode shadow, or a login and no token. */
export function refuseMute(config: Config, secrets: Secrets): void {
  if (config.bot.login === null && config.mode !== "shadow") {
    throw new Fault(`bot.login is null, should be the bot's login in mode ${config.mode}`, {
      code: "config",
      fix: 'set bot.login, or set mode to "shadow" to listen without an account',
    });
  }
  if (config.bot.login !== null && secrets.twitch === null) {
    throw new Fault(`TWITCH_ACCESS_TOKEN is missing, should be a token of ${config.bot.login}`, {
      code: "secret",
      fix: "run `forgetmenot setup`, or set it in the environment; or set bot.login to null and mode to shadow to listen only",
    });
  }
}

/**
 * Returns a function that returns the value of `make`. It calls `make` again only if one of `values` is another object
 * than before. Pass parts of the configuration, which a reload replaces whole.
 */
export function memoizeOn<T>(values: () => readonly unknown[], make: () => T): () => T {
  let last: { of: readonly unknown[]; made: T } | null = null;
  return () => {
    const current = values();
    if (last === null || current.some((value, at) => value !== last?.of[at]))
      last = { of: current, made: make() };
    return last.made;
  };
}

/** A configuration file with something changed, checked and not written yet. */
export interface ConfigRewrite {
  readonly before: Config;
  readonly after: Config;
  /** False if the file has these values already. */
  readonly isChange: boolean;
  /** Replaces the file, whole or not at all. Throws a Fault if that fails, or if another program changed the file. */
  write(): void;
}

const INDENT = /^\s*\{\r?\n([ \t]+)"/;

/**
 * Prepares a change of values in a configuration file; `write` of the result then writes it. Keeps comments, order and
 * indent, and drops removed keys. Throws a Fault if the file cannot be read, or if it is or would be invalid.
 */
export function rewriteConfig(
  file: string,
  change: (raw: JsonObject) => JsonObject,
): ConfigRewrite {
  const text = readConfigText(file);
  const before = parseConfig(text, file);
  const raw = parseConfigJson(text, file);
  const { raw: current } = dropRemovedKeys(raw);
  const changed = change(isJsonObject(current) ? current : {});
  const rewritten = editText(text, [], raw, changed);
  const fix = "make the file and its folder writable for this user, or change the file by hand";
  return {
    before,
    after: parseConfig(rewritten, file),
    isChange: !isSameJson(raw, changed),
    write: () => {
      if (readConfigText(file) !== text)
        throw new Fault(`${file}: another program changed it just now`, {
          code: "config",
          fix: "run the command again",
        });
      writeOrFault(file, { code: "config", fix }, () => {
        const path = realpathSync(file);
        writePrivately(path, rewritten, statSync(path).mode & 0o777);
      });
    },
  };
}

/** Returns the text of a configuration with the value at `path`, now `from`, set to `to`; undefined removes it. */
function editText(text: string, path: readonly string[], from: unknown, to: unknown): string {
  if (isSameJson(from, to)) return text;
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.reduce((edited, key) => editText(edited, [...path, key], from[key], to[key]), text);
  }
  const indent = INDENT.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], to, { formattingOptions }));
}
