import { rmSync, statSync } from "node:fs";
import { Fault, getMessage } from "../errors.ts";
import { checkBackup } from "./check-backup.ts";
import { copyWithoutChat, openDatabase } from "./open-database.ts";

/** Makes a backup without chat at a path that is free, and checks it. Throws a Fault if it cannot. */
export function makeBackup(path: string, databaseFile: string): void {
  refuseExisting(path);
  try {
    copyWithoutChat(databaseFile, path);
    checkBackup(path);
  } catch (cause) {
    rmSync(path, { force: true });
    throw new Fault(`${path}: the backup could not be made (${getMessage(cause)})`, {
      code: "database",
      fix: "check that the disk has room and the folder is writable, or name another file",
      cause,
    });
  }
}

/** Throws a Fault if something is at this path already: it may be the only copy. */
export function refuseExisting(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  throw new Fault(`${path}: there is a ${found.isDirectory() ? "folder" : "file"} already`, {
    code: "usage",
    fix: "name another one, or remove it first",
  });
}

/** Makes a database a single file that can be copied and moved, without a write-ahead log. */
export function toSingleFile(file: string): void {
  const db = openDatabase(file);
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}
