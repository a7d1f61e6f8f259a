import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { messageOf } from "../errors.ts";
import { keyedHash } from "../language/keyed-hash.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { scheduledBackups } from "./backup-schedule.ts";
import { madeFilesStore } from "./made-files-store.ts";
import { makeBackup } from "./make-backup.ts";

// A process of its own: copying blocks whoever does it. Arguments: the database, the new backup, how many stay.
// Prints null, or why there is none.
const [databaseFile = "", path = "", keep = "7"] = process.argv.slice(2);
const PATIENCE_MS = 30_000;

process.stdout.write(JSON.stringify({ failure: backUp() }));

function backUp(): string | null {
  try {
    if (!existsSync(databaseFile)) return "the database is not there";
    const db = openDatabase(databaseFile, { busyTimeoutMs: PATIENCE_MS });
    try {
      const dataDir = dirname(databaseFile);
      makeBackup(path, { db, databaseFile, hash: keyedHash(hashKey(dataDir)), now: Date.now });
      for (const old of scheduledBackups(dataDir).slice(0, -Number(keep))) {
        rmSync(old, { force: true });
        madeFilesStore(db, Date.now).remove(old);
      }
      return null;
    } finally {
      db.close();
    }
  } catch (thrown) {
    return messageOf(thrown);
  }
}
