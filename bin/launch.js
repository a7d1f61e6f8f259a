/**
 * Starts the program in an unzipped folder. It becomes `app/launch.js`, next to `app/node`. The working folder is the
 * user's data folder, so configuration and data survive when the program folder is replaced.
 */
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, posix, resolve, win32 } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const LAUNCHERS = {
  win32: ".\\ForgetMeNot.cmd",
  darwin: "./ForgetMeNot.command",
  linux: "./ForgetMeNot",
};

/** Returns the folder for the user's configuration and data on a system. */
export function dataFolder(platform, environment, home) {
  if (platform === "win32") {
    const local = environment["LOCALAPPDATA"] || win32.join(home, "AppData", "Local");
    return win32.join(local, "ForgetMeNot");
  }
  if (platform === "darwin")
    return posix.join(home, "Library", "Application Support", "ForgetMeNot");
  // The XDG specification ignores relative paths.
  const data = environment["XDG_DATA_HOME"] ?? "";
  return posix.join(data.startsWith("/") ? data : posix.join(home, ".local/share"), "forgetmenot");
}

/** Goes to the folder of the configuration. One next to the launcher wins over the user's data folder. */
function enterFolder(programFolder) {
  const isPortable = existsSync(join(programFolder, "config.json"));
  const folder = isPortable ? programFolder : dataFolder(process.platform, process.env, homedir());
  try {
    mkdirSync(folder, { recursive: true });
    process.chdir(folder);
  } catch (error) {
    console.error(
      `The folder ${folder} cannot be used (${error.code ?? error.message}).\n  → Make it writable for your user, or put a config.json next to the launcher.`,
    );
    process.exit(1);
  }
}

const file = fileURLToPath(import.meta.url);
if (resolve(process.argv[1] ?? "") === file) {
  process.env["FORGETMENOT_FOLDER"] = process.cwd();
  enterFolder(dirname(dirname(file)));
  process.env["FORGETMENOT_COMMAND"] ??= LAUNCHERS[process.platform] ?? LAUNCHERS.linux;
  await import(pathToFileURL(join(dirname(file), "dist", "main.js")).href);
}
