import { copyFileSync, existsSync, linkSync, renameSync } from "node:fs";
import { Fault, messageOf } from "../errors.ts";
import type { KeyedHash } from "../language/people.ts";
import { checkBackup } from "../platform/database/check-backup.ts";
import { asDatabaseFault, backupPath, troubleOf } from "../platform/database/database-fault.ts";
import {
  makePrivateFile,
  openDatabase,
  removeBeside,
  removeDatabase,
  truncateWal,
} from "../platform/database/open-database.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { stripChat, toSingleFile } from "./backup-copy-store.ts";
import { readJournal } from "./forget-journal.ts";
import { bringUpToDate, type MadeFile, madeFilesStore, makeBackup } from "./made-files-store.ts";
import { dropUnfitIn } from "./unfit-store.ts";
import {
  type Tombstones,
  tombstoneStore,
  type Wishes,
  wishesIn,
  wishesOf,
} from "./wishes-store.ts";

export interface RestoreParts {
  readonly dataDir: string;
  readonly databaseFile: string;
  readonly hash: KeyedHash;
  readonly now: () => number;
}

export interface Restored {
  /** People who asked to be forgotten since the backup was made, and were forgotten again. */
  readonly forgotten: number;
  /** Texts that no memory of this program can hold, and that were left out. */
  readonly unfit: number;
  /** Whether the database that was there could not be read: what it alone knew is lost. */
  readonly wasUnreadable: boolean;
}

/**
 * Puts a backup in the place of the database. The caller holds the lock of the data folder. Everything is done on a copy
 * first: it is checked whole, brought up to date, made to forget whom the present database or its journal knows to be
 * forgotten, and cleaned. Then it takes the place of the present one, which stays aside until that is done. Throws a
 * Fault for a file that will not do; then nothing was changed.
 */
export function restoreBackup(file: string, parts: RestoreParts): Restored {
  checkBackup(file);
  const present = readPresent(parts);
  const fresh = `${parts.databaseFile}.restored`;
  removeDatabase(fresh);
  try {
    makePrivateFile(fresh);
    copyFileSync(file, fresh);
    checkBackup(fresh);
    stripChat(fresh);
    const unfit = dropUnfit(fresh);
    const unknown = wishedFor(fresh, present.wishes);
    bringUpToDate(fresh, present.wishes);
    finish(fresh, present, parts);
    replace(fresh, parts.databaseFile);
    return { forgotten: unknown, unfit, wasUnreadable: present.isUnreadable };
  } finally {
    removeDatabase(fresh);
  }
}

interface Present {
  readonly wishes: Wishes;
  readonly madeFiles: readonly MadeFile[];
  readonly isUnreadable: boolean;
}

/** What the database that is there knows and a backup cannot, with what its journal knows. */
function readPresent({ databaseFile, dataDir, hash, now }: RestoreParts): Present {
  const journal = readJournal(dataDir);
  const lost = { wishes: wishesOf(journal, hash), madeFiles: [] };
  if (!existsSync(databaseFile)) return { ...lost, isUnreadable: false };
  try {
    const db = openDatabase(databaseFile);
    try {
      truncateWal(db);
      const kept = backupPath(dataDir, "before-restore", now());
      makeBackup(kept, { db, databaseFile, hash, now });
      const wishes = wishesIn(db, hash, joined(tombstoneStore(db).read(), journal));
      return { wishes, madeFiles: madeFilesStore(db, now).list(), isUnreadable: false };
    } finally {
      db.close();
    }
  } catch (cause) {
    if (isMendable(cause)) throw asDatabaseFault(databaseFile, cause);
    return { ...lost, isUnreadable: true };
  }
}

/** Whether somebody can mend what keeps the database from being read. A disk that fails may never be readable again. */
function isMendable(thrown: unknown): boolean {
  if (thrown instanceof Fault) return isMendable(thrown.cause);
  const trouble = troubleOf(thrown);
  return trouble === null
    ? thrown instanceof Error && "syscall" in thrown
    : trouble !== "damaged" && trouble !== "disk";
}

/** An opt-in since is in the database alone: a journal that still has the opt-out is older. */
function joined(known: Tombstones, journal: Tombstones): Tombstones {
  const isEmpty = known.forgets.length === 0 && known.suppressions.length === 0;
  return {
    forgets: [...journal.forgets, ...known.forgets],
    suppressions: isEmpty ? journal.suppressions : known.suppressions,
  };
}

function dropUnfit(file: string): number {
  const db = openDatabase(file);
  try {
    return dropUnfitIn(db);
  } finally {
    db.close();
  }
}

function wishedFor(file: string, { tombstones }: Wishes): number {
  const db = openDatabase(file);
  try {
    return tombstoneStore(db).unknown(tombstones).size;
  } finally {
    db.close();
  }
}

function finish(file: string, present: Present, { hash, now }: RestoreParts): void {
  const db = openDatabase(file);
  try {
    tombstoneStore(db).absorb(present.wishes.tombstones, hash);
    const files = madeFilesStore(db, now);
    for (const made of present.madeFiles) files.add(made);
    // It was cleaned just now, after everything that was taken out.
    const vacuums = vacuumQueue(db, now);
    vacuums.done(vacuums.state().removals, 0);
  } finally {
    db.close();
  }
  toSingleFile(file);
}

/** One rename puts the new one in place; until it is known to open, the old one can come back. */
function replace(fresh: string, databaseFile: string): void {
  const aside = `${databaseFile}.aside`;
  removeDatabase(aside);
  const hadOne = existsSync(databaseFile);
  try {
    if (hadOne) keepAside(databaseFile, aside);
    removeBeside(databaseFile);
    renameSync(fresh, databaseFile);
    openDatabase(databaseFile).close();
  } catch (cause) {
    if (hadOne) bringBack(aside, databaseFile);
    throw new Fault(`${databaseFile}: could not be replaced (${messageOf(cause)})`, {
      code: "database",
      mend: "close whatever else has it open, and try again; the old one is still in place",
      cause,
    });
  }
  removeDatabase(aside);
}

function keepAside(file: string, aside: string): void {
  for (const end of ["", "-wal"]) {
    if (!existsSync(`${file}${end}`)) continue;
    try {
      linkSync(`${file}${end}`, `${aside}${end}`);
    } catch {
      copyFileSync(`${file}${end}`, `${aside}${end}`); // file systems without links
    }
  }
}

function bringBack(aside: string, file: string): void {
  for (const end of ["", "-wal"]) {
    if (existsSync(`${aside}${end}`)) renameSync(`${aside}${end}`, `${file}${end}`);
  }
}
