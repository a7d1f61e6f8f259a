import { loadConfig } from "../platform/config/load.ts";
import { isLocked } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import type { Terminal } from "./terminal.ts";

/** Flips the pause switch in the database; a running daemon sees it before its next decision. */
export function pause(configFile: string, on: boolean, terminal: Terminal): void {
  const config = loadConfig(configFile);
  const db = openDatabase(config.databaseFile);
  try {
    switchStore(db, Date.now).set("paused", on, "cli");
    const state = on ? "paused: it says nothing until `forgetmenot resume`" : "resumed";
    const beside = isLocked(config.dataDir)
      ? ""
      : " (it is not running now; this holds when it starts)";
    terminal.print(`${state}${beside}`);
  } finally {
    db.close();
  }
}
