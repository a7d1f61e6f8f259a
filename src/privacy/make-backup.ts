import { existsSync } from "node:fs";
import { Fault, messageOf } from "../errors.ts";
import type { KeyedHash } from "../language/keyed-hash.ts";
import { copyBackup } from "../platform/database/copy-backup.ts";
import type { Db } from "../platform/database/open-database.ts";
import { type MadeFile, madeFilesStore } from "./made-files-store.ts";
import { rewriteFiles } from "./rewrite-files.ts";
import { wishesIn } from "./wishes-store.ts";

export interface MadeFileParts {
  /** Of the data folder. */
  readonly db: Db;
  readonly databaseFile: string;
  readonly hash: KeyedHash;
  readonly now: () => number;
}

/** Makes a backup at `path`, where nothing may be yet, without a line of chat in it. Throws a Fault where it cannot. */
export function makeBackup(path: string, parts: MadeFileParts): void {
  refuseExisting(path);
  try {
    copyBackup(parts.databaseFile, path);
  } catch (cause) {
    throw new Fault(`${path}: the backup could not be made (${messageOf(cause)})`, {
      code: "database",
      mend: "look whether the disk is full and the folder writable, or name another file",
      cause,
    });
  }
  enlist({ path, kind: "backup" }, parts);
}

/** A forget reaches the file from now on, and one that came while it was written reaches it, too. */
export function enlist(file: MadeFile, { db, hash, now }: MadeFileParts): void {
  madeFilesStore(db, now).add(file);
  rewriteFiles([file], wishesIn(db, hash));
}

/** Throws a Fault where there is something already: it may be the only copy of it. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new Fault(`${path}: there is a file already`, {
    code: "usage",
    mend: "name another one, or remove it first",
  });
}
