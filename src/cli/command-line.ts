import { basename, relative } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { startedByNpm } from "../config/environment.ts";
import { shellPath } from "../config/private-file.ts";

export const CONFIG_FILE = "config.json";

/** Installed as a package, under its name. On Windows a `.cmd` file hands over the path behind it. */
const INSTALLED = /^forgetmenot(?:\.|$)|node_modules[\\/]forgetmenot[\\/]/u;

/** Commands that work on no configuration, and so have no `--config`. */
const WITHOUT_CONFIG = /^(?:start|demo|--)|--help$/u;

/**
 * A command as this person can type it, by how the program was started: `typed("status")` is "npm start -- status". On a
 * configuration of another name it says so; npm keeps options to itself in some shells, so it is not asked then.
 */
export function typed(command: string, file = calledOn(), platform = process.platform): string {
  if (file === CONFIG_FILE || WITHOUT_CONFIG.test(command))
    return `${programName(platform)} ${command}`;
  return `${byPath(platform)} ${command} --config ${shellPath(file, platform)}`;
}

/** The same for each command that stands in backquotes in a text: `forgetmenot status`. JSON stays JSON. */
export function asTyped(text: string): string {
  const isJson = /^(?:\{|\[[\n{])/u.test(text);
  return text.replaceAll(/`forgetmenot(?: ([^`]+))?`/gu, (_, command?: string) => {
    const said = isJson ? fromJson(command) : command;
    const whole = said === undefined ? programName(process.platform) : typed(said);
    return `\`${isJson ? JSON.stringify(whole).slice(1, -1) : whole}\``;
  });
}

/** A part of a string of JSON without its escapes; what is none as it stands. */
function fromJson(part: string | undefined): string | undefined {
  try {
    return part && String(JSON.parse(`"${part}"`));
  } catch {
    return part;
  }
}

/** What starts the bot on the configuration in `file`, as it can be typed here. */
export function typedStart(file: string, platform: NodeJS.Platform = process.platform): string {
  return file === CONFIG_FILE ? npmStart(platform) : typed("run", file, platform);
}

/** By its usual policy PowerShell refuses `npm`, which is a script there. */
function npmStart(platform: NodeJS.Platform): string {
  return platform === "win32" ? "npm.cmd start" : "npm start";
}

function programName(platform: NodeJS.Platform): string {
  return startedByNpm() === "script" ? `${npmStart(platform)} --` : byPath(platform);
}

/** The configuration that this program was called on, as it was named there. */
function calledOn(): string {
  const options = { config: { type: "string", short: "c", default: CONFIG_FILE } } as const;
  return String(parseArgs({ options, strict: false }).values.config);
}

function byPath(platform: NodeJS.Platform): string {
  const file = process.argv[1] ?? "";
  if (INSTALLED.test(basename(file)) || INSTALLED.test(file))
    return startedByNpm() === "npx" ? "npx forgetmenot" : "forgetmenot";
  const near = relative(process.cwd(), file);
  const path = near === "" || near.startsWith("..") ? file : near;
  return `node ${shellPath(path, platform)}`;
}
