import { resolve } from "node:path";
import { keyedHash } from "../language/keyed-hash.ts";
import { loadConfig } from "../platform/config/load.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { lockFolder } from "../platform/database/lock.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { makeBackup } from "../privacy/make-backup.ts";
import { usualPath } from "../privacy/operator.ts";
import { restoreBackup } from "../privacy/restore.ts";
import type { Terminal } from "./terminal.ts";

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;

/** Makes a backup; works beside a running daemon. */
export function backup(file: string | undefined, configFile: string, terminal: Terminal): void {
  const config = loadConfig(configFile);
  const path = file === undefined ? usualPath(config.dataDir, "backups", "db") : resolve(file);
  const db = openDatabase(config.databaseFile, { busyTimeoutMs: PATIENCE_MS });
  try {
    const hash = keyedHash(hashKey(config.dataDir));
    makeBackup(path, { db, databaseFile: config.databaseFile, hash, now: Date.now });
  } finally {
    db.close();
  }
  terminal.print(
    `${path}\nChat lines and the bot's answers are not in it. Whoever asks to be forgotten is taken out of it, as long as it stays where it is.`,
  );
}

/** Puts a backup in the place of the database. Throws a Fault while a daemon runs. */
export function restore(file: string, configFile: string, terminal: Terminal): void {
  const { dataDir, databaseFile } = loadConfig(configFile);
  const lock = lockFolder(dataDir);
  try {
    const hash = keyedHash(hashKey(dataDir));
    const done = restoreBackup(resolve(file), { dataDir, databaseFile, hash, now: Date.now });
    const forgotten =
      done.forgotten === 0
        ? ""
        : ` ${done.forgotten} who asked to be forgotten since then were forgotten again.`;
    const unfit =
      done.unfit === 0
        ? ""
        : ` ${done.unfit} texts in it are none that this program writes, and were left out.`;
    const lost = done.wasUnreadable
      ? " The database that was there could not be read; who asked to be forgotten is known from forgets.json."
      : "";
    terminal.print(`restored from ${file}.${forgotten}${unfit}${lost}`);
  } finally {
    lock.release();
  }
}
