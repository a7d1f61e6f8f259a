import { basename, relative } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { detectNpm, getProgramCommand } from "./environment.ts";
import { quotePath } from "./private-file.ts";

export const CONFIG_FILE = "config.json";

/** Installed as a package, under its name. On Windows a `.cmd` file hands over the path behind it. */
const INSTALLED = /^forgetmenot(?:\.|$)|node_modules[\\/]forgetmenot[\\/]/u;
/** Commands that work on no configuration, and so have no `--config`. */
const WITHOUT_CONFIG = /^(?:start|demo|--)|--help$/u;

/**
 * Returns a command as this user can type it, by how the program was started: `formatCommand("status")` is "npm start
 * -- status", "forgetmenot status" or "ForgetMeNot.cmd status". Names a configuration file if it is not config.json.
 * In some shells npm takes options for itself, so such commands do not use npm.
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
    const plain = isJson ? fromJson(command) : command;
    const whole = plain === undefined ? getProgramName(process.platform) : formatCommand(plain);
    return `\`${isJson ? JSON.stringify(whole).slice(1, -1) : whole}\``;
  });
}

/** Returns a part of a JSON string without its escapes, or unchanged if it has none. */
function fromJson(part: string | undefined): string | undefined {
  try {
    return part && String(JSON.parse(`"${part}"`));
  } catch {
    return part;
  }
}

/** By its usual policy PowerShell refuses `npm`, which is a script there. */
function formatNpmStart(platform: NodeJS.Platform): string {
  return platform === "win32" ? "npm.cmd start" : "npm start";
}

function getProgramName(platform: NodeJS.Platform): string {
  if (getProgramCommand() !== null) return findCommand(platform);
  return detectNpm() === "script" ? `${formatNpmStart(platform)} --` : findCommand(platform);
}

/** The configuration that this program was called on, as it was named there. */
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
