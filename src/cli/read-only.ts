import { loadConfig } from "../platform/config/load.ts";
import { isLocked } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import type { Terminal } from "./terminal.ts";

/** Flips the switch that keeps memory as it is; a running daemon sees it before its next write. */
export function readOnly(configFile: string, on: boolean, terminal: Terminal): void {
  const config = loadConfig(configFile);
  const db = openDatabase(config.databaseFile);
  try {
    switchStore(db, Date.now).set("read_only", on, "cli");
    const state = on
      ? "memory is read-only: nothing is learned until `forgetmenot memory readonly off`; chat that waits runs out meanwhile, and what is to be forgotten still is"
      : "memory may be written again";
    const beside = isLocked(config.dataDir)
      ? ""
      : " (the bot is not running now; this holds when it starts)";
    terminal.print(`${state}${beside}`);
  } finally {
    db.close();
  }
}
