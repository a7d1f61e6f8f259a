import { openLog } from "../log.ts";
import { loadConfig } from "../platform/config/load.ts";
import { isLocked } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { readStatus, statusText } from "../telemetry/status.ts";
import type { Terminal } from "./terminal.ts";

/** Prints what the daemon of a configuration does, from its database; works beside a running one. */
export function status(configFile: string, asJson: boolean, terminal: Terminal): void {
  const config = loadConfig(configFile);
  const db = openDatabase(config.databaseFile, { readOnly: true });
  try {
    const running = isLocked(config.dataDir);
    const found = readStatus({ db, now: Date.now, log: openLog("silent"), running });
    terminal.print(asJson ? JSON.stringify(found, null, 2) : statusText(found, Date.now()));
  } finally {
    db.close();
  }
}
