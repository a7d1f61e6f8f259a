import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { messageOf } from "../errors.ts";
import { keyedHash } from "../language/people.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { withMadeFile } from "../platform/database/lock.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { scheduledBackups } from "./backup-schedule.ts";
import { madeFilesStore, makeBackup, rewriteFiles } from "./made-files-store.ts";

// A process of its own: copying and rewriting files blocks whoever does it. Arguments: `rewrite` or `backup`, the database,
// and for a backup its path and how many stay. Prints one JSON value.
const [job = "", databaseFile = "", path = "", keep = "7"] = process.argv.slice(2);
const BUSY_MS_MAX = 30_000;
const dataDir = dirname(databaseFile);

process.stdout.write(JSON.stringify(job === "backup" ? backUp() : rewriteAll()));

function rewriteAll() {
  const db = openDatabase(databaseFile, { readOnly: true });
  try {
    const files = madeFilesStore(db, () => 0).list();
    return rewriteFiles(files, { db, databaseFile, hash: keyedHash(hashKey(dataDir)) });
  } finally {
    db.close();
  }
}

function backUp(): { readonly failure: string | null } {
  try {
    if (!existsSync(databaseFile)) return { failure: "the database is not there" };
    const db = openDatabase(databaseFile, { busyTimeoutMs: BUSY_MS_MAX });
    try {
      keepBackup(db);
      return { failure: null };
    } finally {
      db.close();
    }
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  }
}

function keepBackup(db: Db): void {
  makeBackup(path, { db, databaseFile, hash: keyedHash(hashKey(dataDir)), now: Date.now });
  const all = scheduledBackups(dataDir);
  const own = all.indexOf(path) + 1;
  // What is named by a later time was made while the clock was wrong: it goes first.
  const oldestFirst = [...all.slice(own), ...all.slice(0, own)];
  for (const old of oldestFirst.slice(0, -Number(keep))) {
    withMadeFile(dataDir, () => rmSync(old, { force: true }));
    madeFilesStore(db, Date.now).remove(old);
  }
}
