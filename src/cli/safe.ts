import { loadConfig } from "../platform/config/load.ts";
import { isLocked } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import type { Terminal } from "./terminal.ts";

/** Flips safe mode in the database; a running daemon sees it before its next decision on an action. */
export function safe(configFile: string, on: boolean, terminal: Terminal): void {
  const config = loadConfig(configFile);
  const db = openDatabase(config.databaseFile);
  try {
    switchStore(db, Date.now).set("safe_mode", on, "cli");
    terminal.print(`${stateOf(on, config.actions.safeMode)}${besideOf(config.dataDir)}`);
  } finally {
    db.close();
  }
}

function stateOf(on: boolean, isConfigured: boolean): string {
  if (on) return "safe mode is on: every action is refused until `forgetmenot safe off`";
  return isConfigured
    ? "safe mode is off here, but `actions.safeMode` in the configuration still refuses every action"
    : "safe mode is off";
}

function besideOf(dataDir: string): string {
  return isLocked(dataDir) ? "" : " (the bot is not running now; this holds when it starts)";
}
