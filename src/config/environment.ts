import { readFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type KeyName, PROVIDER_NAMES, PROVIDERS } from "../catalogue/providers.ts";
import { quotePath } from "./private-file.ts";

/** The program's settings from the environment. Empty variables count as absent. */
export interface Environment extends SecretsFromEnvironment {
  /** True if the program uses a server on this machine instead of Twitch's API. */
  readonly hasHelixStandIn: boolean;
  readonly wantsColour: boolean;
}

const KEY_VARIABLES = Object.fromEntries(
  PROVIDER_NAMES.map((name) => [PROVIDERS[name].key.secret, PROVIDERS[name].key.variable]),
) as Record<KeyName, string>;

/** The environment variable of each secret. */
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
      Object.entries(SECRET_VARIABLES).map(([secret, name]) => [secret, variable(name)]),
    ) as SecretsFromEnvironment),
    hasHelixStandIn: helixTestPort() !== null,
    wantsColour: variable("NO_COLOR") === null && process.stdout.isTTY === true,
  };
}

/** True if a browser that is started here shows on the screen of the user at this terminal. */
export function hasScreen(platform: NodeJS.Platform = process.platform): boolean {
  if (isOverSsh()) return false;
  if (platform !== "linux") return true;
  return variable("DISPLAY") !== null || variable("WAYLAND_DISPLAY") !== null;
}

/** True if the user came here by SSH: their browser is on another machine. */
export function isOverSsh(): boolean {
  return variable("SSH_CONNECTION") !== null;
}

/** Returns how npm started this program: as a `script` (start or setup) or by `npx`; null if neither. */
function detectNpm(): "script" | "npx" | null {
  if (variable("npm_command") === "exec") return "npx";
  return ["start", "setup"].includes(variable("npm_lifecycle_event") ?? "") ? "script" : null;
}

/** Returns how the launcher of an unzipped folder is called, such as ForgetMeNot.cmd; null if there is none. */
export function getProgramCommand(): string | null {
  return variable("FORGETMENOT_COMMAND");
}

/**
 * Resolves a path against the folder where the user typed it. The launcher of an unzipped folder changes the working
 * folder, and names the one before.
 */
export function resolveTyped(path: string): string {
  return resolve(variable("FORGETMENOT_FOLDER") ?? "", path);
}

/** Sends everything twurple does, tokens included, to `http://localhost:port` from now on; to Twitch again if null. */
export function useHelixStandIn(port: number | string | null): void {
  if (port === null) delete process.env["TWURPLE_MOCK_API_PORT"];
  else process.env["TWURPLE_MOCK_API_PORT"] = String(port);
}

/** Returns the port of the stand-in for Twitch's API on this machine; null if Twitch itself is asked. */
export function helixTestPort(): string | null {
  return variable("TWURPLE_MOCK_API_PORT");
}

function variable(name: string): string | null {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? null : value;
}

const manifest = z.object({ version: z.string(), engines: z.object({ node: z.string() }) });

const { version, engines } = manifest.parse(
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
);

/** This program's version, from package.json. */
export const VERSION = version;
/** The oldest Node that will do, such as 20.19. */
export const NODE_OLDEST = /\d+\.\d+/.exec(engines.node)?.[0] ?? "";

/** True if a Node (`v20.19.0`) is too old. */
export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = NODE_OLDEST.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

const isUnzipped = getProgramCommand() !== null;
const UNZIP_AGAIN = "download the folder again, and unzip it over this one";
/** The fix for a Node that is too old. */
export const NODE_FIX = isUnzipped
  ? UNZIP_AGAIN
  : "install a newer Node from https://nodejs.org, then `npm ci`";
/** The fix for a package that does not fit this Node. */
export const REINSTALL = isUnzipped
  ? UNZIP_AGAIN
  : "run `npm ci` with this Node, or install Node 22 or newer first";
/** The fix for a missing configuration. */
export const CONFIGURE = isUnzipped
  ? "run `forgetmenot setup`"
  : "run `forgetmenot setup`, or copy config.example.json to config.json and set your channel";

export const CONFIG_FILE = "config.json";

/** Matches the path of a program that is installed as a package. On Windows a `.cmd` file passes the path behind it. */
const INSTALLED = /^forgetmenot(?:\.|$)|node_modules[\\/]forgetmenot[\\/]/u;
/** Commands that work on no configuration, and so have no `--config`. */
const WITHOUT_CONFIG = /^(?:start|demo|--)|--help$/u;

/**
 * Returns a command as this user can type it, by how the program was started: `formatCommand("status")` is "npm start
 * -- status", "forgetmenot status" or "ForgetMeNot.cmd status". Names a configuration file if it is not config.json.
 * Such commands do not use npm, because in some shells npm takes options for itself.
 */
export function formatCommand(
  command: string,
  file = readConfigOption(),
  platform = process.platform,
): string {
  if (file === CONFIG_FILE || WITHOUT_CONFIG.test(command))
    return `${getProgramName(platform)} ${command}`;
  return `${findCommand(platform)} ${command} --config ${quotePath(file, platform)}`;
}

/** Rewrites each command in backquotes, such as `forgetmenot status`, as this user can type it. JSON stays JSON. */
export function withShellCommands(text: string): string {
  const isJson = /^(?:\{|\[[\n{])/u.test(text);
  return text.replaceAll(/`forgetmenot(?: ([^`]+))?`/gu, (_, command?: string) => {
    const plain = isJson ? unescapeJson(command) : command;
    const whole = plain === undefined ? getProgramName(process.platform) : formatCommand(plain);
    return `\`${isJson ? JSON.stringify(whole).slice(1, -1) : whole}\``;
  });
}

/** Returns a part of a JSON string without its escapes, or unchanged if it has none. */
function unescapeJson(part: string | undefined): string | undefined {
  try {
    return part && String(JSON.parse(`"${part}"`));
  } catch {
    return part;
  }
}

function getProgramName(platform: NodeJS.Platform): string {
  if (getProgramCommand() !== null || detectNpm() !== "script") return findCommand(platform);
  // By its usual policy PowerShell refuses `npm`, which is a script there.
  return platform === "win32" ? "npm.cmd start --" : "npm start --";
}

/** Returns the file of this program's option `--config`, as the user typed it; config.json without the option. */
function readConfigOption(): string {
  const options = { config: { type: "string", short: "c", default: CONFIG_FILE } } as const;
  return String(parseArgs({ options, strict: false }).values.config);
}

function findCommand(platform: NodeJS.Platform): string {
  const own = getProgramCommand();
  if (own !== null) return own;
  const file = process.argv[1] ?? "";
  if (INSTALLED.test(basename(file)) || INSTALLED.test(file))
    return detectNpm() === "npx" ? "npx forgetmenot" : "forgetmenot";
  const near = relative(process.cwd(), file);
  const path = near === "" || near.startsWith("..") ? file : near;
  return `node ${quotePath(path, platform)}`;
}
