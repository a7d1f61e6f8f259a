import { chmodSync, existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { Fault } from "../../errors.ts";
import { type Config, loadConfig } from "../../platform/config/load.ts";
import { rewriteConfig } from "../../platform/config/rewrite.ts";

/**
 * Mends what nobody can want otherwise and what loses nothing: the rights of the data folder and of the secrets file,
 * and keys in the configuration that do nothing any more. Gives a line for each thing that it did, and for each that it
 * could not do. Without a configuration that can be read it does nothing: the examination says why.
 */
export function mend(file: string): readonly string[] {
  const config = readable(file);
  if (config === null) return [];
  return [
    ...mendMode(config.dataDir, 0o700),
    ...mendMode(join(config.dataDir, "secrets.json"), 0o600),
    ...mendKeys(file, config),
  ].map((line) => `mended: ${line}`);
}

function readable(file: string): Config | null {
  if (!existsSync(file)) return null;
  try {
    return loadConfig(file);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return null;
  }
}

/** A link is left alone: what it leads to may be somebody else's. */
function mendMode(path: string, mode: number): readonly string[] {
  if (platform === "win32" || !existsSync(path) || lstatSync(path).isSymbolicLink()) return [];
  if ((statSync(path).mode & 0o077) === 0) return [];
  try {
    chmodSync(path, mode);
  } catch {
    return []; // another user's: the examination tells it
  }
  return [`${path} is for this user only now`];
}

function mendKeys(file: string, { retiredKeys }: Config): readonly string[] {
  if (retiredKeys.length === 0) return [];
  try {
    rewriteConfig(file, (raw) => raw).write();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return [];
  }
  return [`${file} no longer has ${retiredKeys.join(", ")}; its comments stay`];
}
