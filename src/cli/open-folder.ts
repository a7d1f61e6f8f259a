import { existsSync } from "node:fs";
import { AccountStore, IdentityStore } from "../chat/viewer-store.ts";
import { type Config, loadConfig } from "../config/load.ts";
import {
  classifyTrouble,
  makeUnusableFault,
  refuseLostDatabase,
} from "../database/database-fault.ts";
import { type Db, openDatabase } from "../database/open-database.ts";

export interface Options {
  readonly config: string;
  readonly json?: true;
  /** True if the user confirmed on the command line what cannot be undone. */
  readonly yes?: true;
}

/** The data folder of a configuration, open with or without a running daemon. */
export interface OpenFolder {
  readonly config: Config;
  readonly db: Db;
  readonly now: () => number;
}

/** The result of a command: a value for scripts, and lines for a user. */
export interface CommandOutput {
  readonly value: unknown;
  readonly text: string | readonly string[];
}

/** `read` opens the database read-only; `create` also makes a missing one. */
export type OpenedFor = "read" | "change" | "create";

/** Time limit of a wait for the daemon's writes. */
const BUSY_MS_MAX = 5_000;

/**
 * Opens the database of a configuration, returns what `work` returns, and closes it. Only `create` makes a missing
 * database, unless backups show that there was one. Else a missing database, or an unusable one, throws a Fault.
 */
export function withFolder<T>(
  configFile: string,
  how: OpenedFor,
  work: (opened: OpenFolder) => T,
): T {
  const opened = openFolder(configFile, how);
  try {
    return work(opened);
  } catch (thrown) {
    throw toFault(opened, thrown);
  } finally {
    opened.db.close();
  }
}

/** Does what `withFolder` does, for asynchronous work: closes the database after the work settles. */
export async function withFolderAsync(
  configFile: string,
  how: OpenedFor,
  work: (opened: OpenFolder) => Promise<void>,
): Promise<void> {
  const opened = openFolder(configFile, how);
  try {
    await work(opened);
  } catch (thrown) {
    throw toFault(opened, thrown);
  } finally {
    opened.db.close();
  }
}

function openFolder(configFile: string, how: OpenedFor): OpenFolder {
  const config = loadConfig(configFile);
  if (how === "create") refuseLostDatabase(config);
  // Read-only, a missing file is a Fault.
  const readOnly = how === "read" || (how === "change" && !existsSync(config.databaseFile));
  const db = openDatabase(config.databaseFile, { readOnly, busyTimeoutMs: BUSY_MS_MAX });
  return { config, db, now: Date.now };
}

/** Returns a Fault for an error of the database file; any other thrown value as it is. */
function toFault({ config }: OpenFolder, thrown: unknown): unknown {
  return classifyTrouble(thrown) === null ? thrown : makeUnusableFault(config.databaseFile, thrown);
}

/**
 * Returns the user ids of a viewer's account and of those merged with it. `name`: a login, or `id:` and a user id. Throws
 * a Fault for an unknown viewer, or a login that several accounts had.
 */
export function findAccounts(db: Db, name: string): readonly string[] {
  return new IdentityStore(db, Date.now).accountsOf(new AccountStore(db).named(name).userId);
}

/** Returns a typed channel name in lower case and without `#`. */
export function readChannelName(typed: string): string {
  return typed.toLowerCase().replace(/^#/, "");
}
