import { resolve } from "node:path";
import { accountStore } from "../chat/account-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { type KeyedHash, keyedHash } from "../language/keyed-hash.ts";
import { openLog } from "../log.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { isLocked } from "../platform/database/lock.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { cleanNow } from "../privacy/clean-now.ts";
import { forgetStore } from "../privacy/forget-store.ts";
import { enlist, refuseExisting } from "../privacy/make-backup.ts";
import { usualPath } from "../privacy/operator.ts";
import { sealViewerExport } from "../privacy/viewer-export.ts";
import { type ViewerRecord, viewerRecords } from "../privacy/viewer-record-store.ts";
import { existingDatabase } from "./existing-database.ts";
import type { Terminal } from "./terminal.ts";
import { recordText } from "./viewer-text.ts";
import { writeOut } from "./write-out.ts";

/** Shows all that is kept about a person. */
export function showViewer(
  name: string,
  { config, json }: { readonly config: string; readonly json?: true },
  terminal: Terminal,
): void {
  withDatabase(config, (opened) => {
    const record = recordOf(opened, accountsOf(opened.db, name));
    terminal.print(json === true ? JSON.stringify(record, null, 2) : recordText(record));
  });
}

/** Writes all that is kept about a person to a new file. Whoever is forgotten later is taken out of the folder with it. */
export function exportViewer(
  { name, file }: { readonly name: string; readonly file: string | undefined },
  configFile: string,
  terminal: Terminal,
): void {
  withDatabase(configFile, (opened) => {
    const { config, db, hash } = opened;
    const path = file === undefined ? usualPath(config.dataDir, "exports", "json") : resolve(file);
    refuseExisting(path);
    const userIds = accountsOf(db, name);
    const record = recordOf(opened, userIds);
    const whos = userIds.map(hash.person);
    writeOut(path, sealViewerExport({ whos, exportedAtMs: Date.now(), record }));
    const { databaseFile } = config;
    enlist({ path, kind: "viewer" }, { db, databaseFile, hash, now: Date.now });
    terminal.print(
      `${path}\nNo line of chat is in it. It is removed when that person asks to be forgotten, as long as it stays where it is.`,
    );
  });
}

/** Forgets everything about a person. A running daemon hears of it and drops what it is at. */
export function forgetViewer(name: string, configFile: string, terminal: Terminal): void {
  withDatabase(configFile, ({ config, db, hash }) => {
    const [userId = ""] = accountsOf(db, name);
    const done = forgetStore(db, hash, Date.now).forget(userId);
    const accounts = done.userIds.length === 1 ? "" : ` (${done.userIds.length} accounts)`;
    terminal.print(
      `everything about ${name}${accounts} is forgotten, ${done.notes} notes among it`,
    );
    if (isLocked(config.dataDir)) {
      return terminal.print("the bot is running, and cleans the files of it within moments");
    }
    const notices = noticeBoard(db, Date.now, openLog("silent"));
    const { dataDir, databaseFile } = config;
    const isClean = cleanNow({ db, dataDir, databaseFile, hash, notices, now: Date.now });
    if (!isClean) terminal.print("not every file could be cleaned of it: see `forgetmenot status`");
  });
}

interface Opened {
  readonly config: Config;
  readonly db: Db;
  readonly hash: KeyedHash;
}

function withDatabase(configFile: string, work: (opened: Opened) => void): void {
  const config = loadConfig(configFile);
  const db = existingDatabase(config.databaseFile);
  try {
    work({ config, db, hash: keyedHash(hashKey(config.dataDir)) });
  } finally {
    db.close();
  }
}

const BY_ID = /^id:([\w-]{1,40})$/i;

/** Every account of the person; an id may be of somebody who was never seen, or is forgotten. */
function accountsOf(db: Db, name: string): readonly string[] {
  const id = BY_ID.exec(name.trim())?.[1];
  return identityStore(db, Date.now).accountsOf(id ?? accountStore(db).named(name).userId);
}

function recordOf({ db, hash }: Opened, userIds: readonly string[]): ViewerRecord {
  return viewerRecords(db, hash)(userIds);
}
