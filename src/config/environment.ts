import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { z } from "zod";
import { type KeyName, PROVIDER_NAMES, PROVIDERS } from "../catalogue/providers.ts";

/** The program's settings from the environment. Empty variables count as absent. */
export interface Environment extends SecretsFromEnvironment {
  /** The twurple libraries talk to a server on this machine when this is set. */
  readonly hasHelixStandIn: boolean;
  readonly wantsColour: boolean;
}

const KEY_VARIABLES = Object.fromEntries(
  PROVIDER_NAMES.map((name) => [PROVIDERS[name].key.secret, PROVIDERS[name].key.variable]),
) as Record<KeyName, string>;

/** Under which names people set the secrets. */
export const SECRET_VARIABLES = {
  twitchAccessToken: "TWITCH_ACCESS_TOKEN",
  twitchRefreshToken: "TWITCH_REFRESH_TOKEN",
  twitchStreamerAccessToken: "TWITCH_STREAMER_ACCESS_TOKEN",
  twitchStreamerRefreshToken: "TWITCH_STREAMER_REFRESH_TOKEN",
  ...KEY_VARIABLES,
} as const;

type SecretsFromEnvironment = Readonly<Record<keyof typeof SECRET_VARIABLES, string | null>>;

/** Reads tokens, keys, the Helix stand-in and the wish for colour. Only this file reads the environment. */
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

/** Returns how npm started this program; null if it did not. */
export function detectNpm(): "script" | "npx" | null {
  if (variable("npm_command") === "exec") return "npx";
  return ["start", "setup"].includes(variable("npm_lifecycle_event") ?? "") ? "script" : null;
}

/** Returns how the launcher of an unzipped folder is called, such as ForgetMeNot.cmd; null if there is none. */
export function getProgramCommand(): string | null {
  return variable("FORGETMENOT_COMMAND");
}

/** Resolves a path that the user typed. The launcher of an unzipped folder changes the working folder before. */
export function resolveTyped(path: string): string {
  return resolve(variable("FORGETMENOT_FOLDER") ?? "", path);
}

/** Sends everything twurple does, tokens included, to `http://localhost:port` from now on; to Twitch again if null. */
export function useHelixStandIn(port: number | string | null): void {
  if (port === null) delete process.env["TWURPLE_MOCK_API_PORT"];
  else process.env["TWURPLE_MOCK_API_PORT"] = String(port);
}

/** The port on this machine where Twitch's API is asked instead; null: Twitch itself is. */
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

/** Of package.json: the one place that knows. */
export const VERSION = version;
/** The oldest Node that will do, such as 20.19. */
export const NODE_OLDEST = /\d+\.\d+/.exec(engines.node)?.[0] ?? "";

/** True if a Node (`v20.19.0`) is too old. */
export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = numbers(version);
  const [oldestMajor = 0, oldestMinor = 0] = numbers(NODE_OLDEST);
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

function numbers(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
