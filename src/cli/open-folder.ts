import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { writing } from "../errors.ts";
import { keyedHash } from "../language/people.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { writePrivately } from "../platform/config/private-file.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { enlist, refuseExisting } from "../privacy/made-files-store.ts";
import { usualPath } from "../privacy/operator.ts";

/** What nearly every command takes. */
export interface Options {
  /** The configuration file. */
  readonly config: string;
  readonly json?: true;
}

/** The data folder that a configuration names, opened beside a running daemon or without one. */
export interface Opened {
  readonly config: Config;
  readonly db: Db;
  readonly now: () => number;
}

/** What a command found: for scripts, and in lines for a person. */
export interface CommandOutput {
  readonly value: unknown;
  readonly text: string | readonly string[];
}

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;

/**
 * Opens the database and closes it behind `work`. Throws a Fault where there is none, but for `make`, which makes one
 * (what is set holds at the first start), and for `any`, which takes an empty one then.
 */
export function withFolder<T>(
  file: string,
  how: "read" | "change" | "make" | "any",
  work: (opened: Opened) => T,
): T {
  const config = loadConfig(file);
  const { databaseFile } = config;
  const isThere = existsSync(databaseFile);
  const readOnly = how === "read" || (how === "change" && !isThere);
  const path = how === "any" && !isThere ? ":memory:" : databaseFile;
  const db = openDatabase(path, { readOnly, busyTimeoutMs: PATIENCE_MS });
  try {
    return work({ config, db, now: Date.now });
  } finally {
    db.close();
  }
}

/** Every account of a person, whichever of them was named: what was learned of either is known of both. */
export function accountsOf(db: Db, name: string): readonly string[] {
  return identityStore(db, Date.now).accountsOf(accountStore(db).named(name).userId);
}

/** What a file is made with that a later forget has to reach. */
export function madeFile({ config, db, now }: Opened) {
  return { db, databaseFile: config.databaseFile, hash: keyedHash(hashKey(config.dataDir)), now };
}

/**
 * Writes an export to a new file that only its owner can read, and that a later forget reaches: `file`, or one in the
 * data folder's `exports`. Gives its path too. Throws a Fault where that cannot be done.
 */
export function writeExport(
  opened: Opened,
  kind: "export" | "viewer",
  file: string | undefined,
  textOf: () => string,
): { readonly path: string; readonly text: string } {
  const path =
    file === undefined ? usualPath(opened.config.dataDir, "exports", "json") : resolve(file);
  refuseExisting(path);
  const text = textOf();
  const mend = "make the folder writable for this user, or name another file";
  writing(`${path}:`, { code: "folder", mend }, () => writePrivately(path, text));
  enlist({ path, kind }, madeFile(opened));
  return { path, text };
}

/** The name of a channel as people type it. */
export function channelName(typed: string): string {
  return typed.toLowerCase().replace(/^#/, "");
}

/** These where it is so, else none. */
export function when<T>(isSo: boolean, ...these: readonly T[]): readonly T[] {
  return isSo ? these : [];
}
