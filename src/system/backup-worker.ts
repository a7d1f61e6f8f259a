import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { makeBackup } from "../database/backup.ts";
import { getMessage } from "../errors.ts";

// This runs in a thread: copying a large database blocks.
const { databaseFile, path } = workerData as { databaseFile: string; path: string };
parentPort?.postMessage(backUp());

/** Returns why the backup could not be made; null if it was. */
function backUp(): string | null {
  if (!existsSync(databaseFile)) return "the database file is missing";
  try {
    makeBackup(path, databaseFile);
    return null;
  } catch (thrown) {
    return getMessage(thrown);
  }
}
