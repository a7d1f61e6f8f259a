import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault, messageOf } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "./json-tree.ts";
import { describeProblems } from "./problems.ts";
import { MOVED_RECALL_DEFAULTS } from "./recall-schema.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** What a bot without a login and a name is called: it listens, and says nothing. */
const NAMELESS = "the bot";
const BYTE_ORDER_MARK = /^\uFEFF/;
/** How much V8 shows before the character it stumbled over. */
const EXCERPT_LEAD_CHARS = 10;

export interface Config extends Omit<ConfigFile, "channel" | "$schema" | "persona"> {
  /** Its name is the bot's login where the file gives none. */
  readonly persona: { readonly name: string; readonly voice: string };
  /** Logins in lower case, without `#`, each once. */
  readonly channels: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute path of the SQLite file. */
  readonly databaseFile: string;
}

/**
 * Reads a configuration file. Paths in it are relative to it.
 * Throws a Fault that lists every problem at once, a line each.
 */
export function loadConfig(file: string): Config {
  return parseConfig(readConfigText(file), file);
}

/** The same for the text of a file that was read already. */
export function parseConfig(text: string, file: string): Config {
  return toConfig(unsetMovedDefaults(parseConfigJson(text, file)), dirname(resolve(file)), file);
}

/** The same for values that stand in no file; `folder` is what relative paths are relative to. */
export function toConfig(raw: unknown, folder: string, source = "config"): Config {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    throw new Fault(describeProblems(parsed.error.issues, raw, source).join("\n"), {
      code: "config",
      mend: "see config.example.json for every key with its default",
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
  };
}

/** The same without what a file has from an earlier edition's example, where the default has moved since. */
function unsetMovedDefaults(raw: unknown): unknown {
  if (!isJsonObject(raw)) return raw;
  const { memory } = raw;
  if (!isJsonObject(memory) || !isJsonObject(memory["recall"])) return raw;
  const recall = withoutEqual(memory["recall"], MOVED_RECALL_DEFAULTS);
  return { ...raw, memory: { ...memory, recall } };
}

function withoutEqual(values: JsonObject, moved: JsonObject): JsonObject {
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const before = moved[key];
    if (isJsonObject(value) && isJsonObject(before)) return [[key, withoutEqual(value, before)]];
    return value === before ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Reads a configuration file's text. Throws a Fault where it cannot be read. */
export function readConfigText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Fault(`${file}: cannot be read (${messageOf(cause)})`, {
      code: "config",
      mend: "run `forgetmenot setup`, or copy config.example.json to config.json and set your channel",
      cause,
    });
  }
}

/** The JSON of a configuration file, not checked any further. Throws a Fault that says in which line it is broken. */
export function parseConfigJson(text: string, file: string): unknown {
  const parsed = parseJson(text.replace(BYTE_ORDER_MARK, ""));
  if ("value" in parsed) return parsed.value;
  throw new Fault(`${file}: is not valid JSON (${parsed.problem})`, {
    code: "config",
    mend: "look for a missing comma, quote or bracket just before that place; JSON takes no comments",
  });
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { problem: syntaxError(messageOf(thrown), text) };
  }
}

/** What the parser said and the line it said it about, without the piece of the file it quotes: that may be a key. */
function syntaxError(message: string, text: string): string {
  const quoted = /, (\.{3})?"([\s\S]*)"(?:\.{3})? is not valid JSON/.exec(message);
  const position = /at position (\d+)/.exec(message)?.[1];
  const what = message.replace(/(, (\.{3})?"[\s\S]*"| in JSON at position)[\s\S]*$/, "");
  const at = position === undefined ? quotedAt(text, quoted) : Number(position);
  return `${what}, line ${text.slice(0, at).split("\n").length}`;
}

/** Where the parser stopped, from the excerpt it shows: ten characters after its beginning, if that was cut. */
function quotedAt(text: string, quoted: RegExpExecArray | null): number {
  const [, cut, excerpt] = quoted ?? [];
  if (excerpt === undefined) return text.length;
  return cut === undefined ? text.search(/\S/) : text.indexOf(excerpt) + EXCERPT_LEAD_CHARS;
}
