import { dirname, join, resolve } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { Fault, messageOf } from "../../errors.ts";
import { describeProblems } from "./problems.ts";
import { readText } from "./read-text.ts";
import { withoutRetired } from "./retired-keys.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** What a bot without a login and a name is called: it listens, and says nothing. */
const NAMELESS = "the bot";
const BYTE_ORDER_MARK = /^\uFEFF/;

export interface Config extends Omit<ConfigFile, "channel" | "$schema" | "persona"> {
  /** Its name is the bot's login where the file gives none. */
  readonly persona: { readonly name: string; readonly voice: string };
  /** Logins in lower case, without `#`, each once. */
  readonly channels: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute path of the SQLite file. */
  readonly databaseFile: string;
  /** Keys in the file that only an earlier edition knew. They do nothing. */
  readonly retiredKeys: readonly string[];
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
  const { raw, retired } = withoutRetired(parseConfigJson(text, file));
  return { ...toConfig(raw, dirname(resolve(file)), file), retiredKeys: retired };
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
    retiredKeys: [],
  };
}

/** Reads a configuration file's text. Throws a Fault where it cannot be read. */
export function readConfigText(file: string): string {
  try {
    return readText(file);
  } catch (cause) {
    throw new Fault(`${file}: cannot be read (${messageOf(cause)})`, {
      code: "config",
      mend: "run `forgetmenot setup`, or copy config.example.json to config.json and set your channel",
      cause,
    });
  }
}

/**
 * The JSON of a configuration file, with comments and trailing commas allowed, not checked any further. Throws a Fault
 * that says in which line it is broken, and nothing of what stands there: that may be a key.
 */
export function parseConfigJson(text: string, file: string): unknown {
  const plain = text.replace(BYTE_ORDER_MARK, "");
  const errors: ParseError[] = [];
  const value: unknown = parse(plain, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = plain.slice(0, first.offset).split("\n").length;
  const what = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
  throw new Fault(`${file}: is not valid JSON (${what}, line ${line})`, {
    code: "config",
    mend: "look for a missing comma, quote or bracket at that place or just before it",
  });
}
