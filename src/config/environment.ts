import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type KeyName, PROVIDER_NAMES, PROVIDERS } from "../catalogue/providers.ts";
import { quotePath } from "./private-file.ts";

/** The program's settings from the environment. Empty variables count as absent. */
export interface Environment extends SecretsFromEnvironment {
  /** True if the program uses a server on this machine instead of Twitch's API. */
  readonly hasHelixStandIn: boolean;
}

const KEY_VARIABLES = Object.fromEntries(
  PROVIDER_NAMES.map((name) => [PROVIDERS[name].key.secret, PROVIDERS[name].key.variable]),
) as Record<KeyName, string>;

export const SECRET_VARIABLES = {
  twitchAccessToken: "TWITCH_ACCESS_TOKEN",
  twitchRefreshToken: "TWITCH_REFRESH_TOKEN",
  twitchStreamerAccessToken: "TWITCH_STREAMER_ACCESS_TOKEN",
  twitchStreamerRefreshToken: "TWITCH_STREAMER_REFRESH_TOKEN",
  ...KEY_VARIABLES,
} as const;

type SecretsFromEnvironment = Readonly<Record<keyof typeof SECRET_VARIABLES, string | null>>;

/** Reads the program's settings from the environment. Only this file reads it. */
export function readEnvironment(): Environment {
  return {
    ...(Object.fromEntries(
      Object.entries(SECRET_VARIABLES).map(([secret, name]) => [secret, readVariable(name)]),
    ) as SecretsFromEnvironment),
    hasHelixStandIn: getHelixStandInPort() !== null,
  };
}

/** True if a terminal shows standard output, and its user does not refuse colours. */
export function wantsColour(): boolean {
  return process.stdout.isTTY === true && readVariable("NO_COLOR") === null;
}

/** True if a browser that is started here shows on the screen of the user at this terminal. */
export function hasScreen(): boolean {
  if (isOverSsh()) return false;
  if (process.platform !== "linux") return true;
  return readVariable("DISPLAY") !== null || readVariable("WAYLAND_DISPLAY") !== null;
}

/** True if the user came here by SSH: their browser is on another machine. */
export function isOverSsh(): boolean {
  return readVariable("SSH_CONNECTION") !== null;
}

/** Returns how the launcher of an unzipped folder is called, such as ForgetMeNot.cmd; null if there is none. */
export function getProgramCommand(): string | null {
  return readVariable("FORGETMENOT_COMMAND");
}

/**
 * Resolves a path against the folder where the user typed it. The launcher of an unzipped folder changes the working
 * folder, and passes the user's folder on in a variable.
 */
export function resolveTyped(path: string): string {
  return resolve(readVariable("FORGETMENOT_FOLDER") ?? "", path);
}

/** Sends all requests of twurple, tokens included, to `http://localhost:port` from now on; if null, to Twitch again. */
export function useHelixStandIn(port: number | string | null): void {
  if (port === null) delete process.env["TWURPLE_MOCK_API_PORT"];
  else process.env["TWURPLE_MOCK_API_PORT"] = String(port);
}

/** Returns the port of the stand-in for Twitch's API on this machine; null if Twitch itself is asked. */
export function getHelixStandInPort(): string | null {
  return readVariable("TWURPLE_MOCK_API_PORT");
}

/** Returns a variable, trimmed; null if it is missing or blank. */
function readVariable(name: string): string | null {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}

const { version, engines }: { version: string; engines: { node: string } } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

export const VERSION = version;
/** The oldest Node that will do, such as 20.19. */
export const NODE_OLDEST = /\d+\.\d+/.exec(engines.node)?.[0] ?? "";

/** `version`: such as `v20.19.0`. */
export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = NODE_OLDEST.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

const isUnzipped = getProgramCommand() !== null;
const UNZIP_AGAIN = "download the folder again, and unzip it over this one";
export const NODE_FIX = isUnzipped
  ? UNZIP_AGAIN
  : "install a newer Node from https://nodejs.org, then `npm ci`";
export const REINSTALL = isUnzipped
  ? UNZIP_AGAIN
  : "run `npm ci` with this Node, or install Node 22 or newer first";
export const CONFIGURE = isUnzipped
  ? "run `forgetmenot setup`"
  : "run `forgetmenot setup`, or copy config.example.json to config.json and set your channel";

export const CONFIG_FILE = "config.json";

/** Commands that work on no configuration, and so have no `--config`. */
const WITHOUT_CONFIG = /^(?:start|demo|--)|--help$/u;

/**
 * Returns a command as this user can type it: `formatCommand("status")` is "npm start -- status", "node dist/main.js
 * status" or "ForgetMeNot.cmd status". Names a configuration file if it is not config.json.
 */
export function formatCommand(command: string, file = readConfigOption()): string {
  const { program, option } = findShellWords(command, file);
  return `${program} ${command}${option}`;
}

/** Rewrites each command in backquotes, such as `forgetmenot status`, as this user can type it. JSON stays JSON. */
export function withShellCommands(text: string): string {
  const isJson = /^(?:\{|\[[\n{])/u.test(text);
  const quote = (words: string) => (isJson ? JSON.stringify(words).slice(1, -1) : words);
  return text.replaceAll(/`forgetmenot((?: [^`]+)?)`/gu, (_, command: string) => {
    const { program, option } = findShellWords(command.trim(), readConfigOption());
    return `\`${quote(program)}${command}${quote(option)}\``;
  });
}

/**
 * Returns what this user types before a command (`program`), and after it (`option`): ` --config FILE`, or "" if the
 * command needs none. The command "" is the program alone, and needs none.
 */
function findShellWords(command: string, file: string): { program: string; option: string } {
  const launcher = getProgramCommand();
  const near = relative(process.cwd(), process.argv[1] ?? "");
  const path = near === "" || near.startsWith("..") ? (process.argv[1] ?? "") : near;
  const direct = launcher ?? `node ${quotePath(path)}`;
  const hasOption = file !== CONFIG_FILE && command !== "" && !WITHOUT_CONFIG.test(command);
  // In some shells npm takes options for itself.
  if (hasOption) return { program: direct, option: ` --config ${quotePath(file)}` };
  const isByNpm = ["start", "setup"].includes(readVariable("npm_lifecycle_event") ?? "");
  if (launcher !== null || !isByNpm) return { program: direct, option: "" };
  // By its usual policy PowerShell refuses `npm`, which is a script there.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  return { program: `${npm} start --`, option: "" };
}

/** Returns the file of this program's option `--config`, as the user typed it; config.json without the option. */
function readConfigOption(): string {
  const options = { config: { type: "string", short: "c", default: CONFIG_FILE } } as const;
  return String(parseArgs({ options, strict: false }).values.config);
}
