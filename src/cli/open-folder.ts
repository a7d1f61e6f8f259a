import { existsSync } from "node:fs";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { Fault, messageOf } from "../errors.ts";
import { keyedHash } from "../language/people.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { writePrivately } from "../platform/config/private-file.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { Terminal } from "./terminal.ts";

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

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;

/** Opens the database to read it, and closes it behind `work`. Throws a Fault where there is none. */
export function reading<T>(file: string, work: (opened: Opened) => T): T {
  return opened(file, "read", work);
}

/** The same to change what is in it. */
export function changing<T>(file: string, work: (opened: Opened) => T): T {
  return opened(file, "change", work);
}

/** The same, and makes one where there is none: what is set holds at the first start. */
export function making<T>(file: string, work: (opened: Opened) => T): T {
  return opened(file, "make", work);
}

function opened<T>(file: string, how: "read" | "change" | "make", work: (opened: Opened) => T): T {
  const config = loadConfig(file);
  const readOnly = how === "read" || (how === "change" && !existsSync(config.databaseFile));
  const db = openDatabase(config.databaseFile, { readOnly, busyTimeoutMs: PATIENCE_MS });
  try {
    return work({ config, db, now: Date.now });
  } finally {
    db.close();
  }
}

/** Prints a result: as JSON where `--json` asks for it, else as text. */
export function tell(
  terminal: Terminal,
  { json }: Pick<Options, "json">,
  value: unknown,
  text: () => string | readonly string[],
): void {
  terminal.print(json === true ? JSON.stringify(value, null, 2) : [text()].flat().join("\n"));
}

/** Every account of a person, whichever of them was named: what was learned of either is known of both. */
export function accountsOf(db: Db, name: string): readonly string[] {
  return identityStore(db, Date.now).accountsOf(accountStore(db).named(name).userId);
}

/** What a file is made with that a later forget has to reach. */
export function madeFile({ config, db, now }: Opened) {
  return { db, databaseFile: config.databaseFile, hash: keyedHash(hashKey(config.dataDir)), now };
}

/** The name of a channel as people type it. */
export function channelName(typed: string): string {
  return typed.toLowerCase().replace(/^#/, "");
}

/** Writes what a command made to a file that only its owner can read. Throws a Fault where that cannot be done. */
export function writeOut(path: string, text: string): void {
  try {
    writePrivately(path, text);
  } catch (cause) {
    throw new Fault(`${path}: cannot be written (${messageOf(cause)})`, {
      code: "folder",
      mend: "make the folder writable for this user, or name another file",
      cause,
    });
  }
}
