import { basename, relative } from "node:path";
import process from "node:process";
import { startedByNpm } from "../platform/config/environment.ts";
import { CONFIG_FILE } from "./command-options.ts";

/** Installed as a package, under its name. On Windows a `.cmd` file hands over the path behind it. */
const INSTALLED = /^forgetmenot(?:\.|$)|node_modules[\\/]forgetmenot[\\/]/u;

/** A command as this person can type it, by how the program was started: `typed("status")` is "npm start -- status". */
export function typed(command: string, platform: NodeJS.Platform = process.platform): string {
  return `${programName(platform)} ${command}`;
}

/** The same for each command that stands in backquotes in a text: `forgetmenot status`. */
export function asTyped(text: string): string {
  return text.replaceAll(/`forgetmenot(?= |`)/gu, () => `\`${programName(process.platform)}`);
}

/** A command on the configuration in `file`. npm keeps options to itself in some shells: so it is not asked then. */
export function typedFor(file: string, command: string): string {
  return file === CONFIG_FILE ? typed(command) : `${byPath()} ${command} --config "${file}"`;
}

/** What starts the bot on the configuration in `file`, as it can be typed here. */
export function typedStart(file: string, platform: NodeJS.Platform = process.platform): string {
  return file === CONFIG_FILE ? npmStart(platform) : typedFor(file, "run");
}

/** By its usual policy PowerShell refuses `npm`, which is a script there. */
function npmStart(platform: NodeJS.Platform): string {
  return platform === "win32" ? "npm.cmd start" : "npm start";
}

function programName(platform: NodeJS.Platform): string {
  return startedByNpm() === "script" ? `${npmStart(platform)} --` : byPath();
}

function byPath(): string {
  const file = process.argv[1] ?? "";
  if (INSTALLED.test(basename(file)) || INSTALLED.test(file))
    return startedByNpm() === "npx" ? "npx forgetmenot" : "forgetmenot";
  const near = relative(process.cwd(), file);
  const path = near === "" || near.startsWith("..") ? file : near;
  return `node ${/\s/u.test(path) ? `"${path}"` : path}`;
}
