import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { accountStore } from "../chat/account-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { Fault, messageOf } from "../errors.ts";
import { type KeyedHash, keyedHash } from "../language/keyed-hash.ts";
import {
  EXPORT_BYTES_MAX,
  type ExportContent,
  parseExport,
  sealExport,
} from "../memory/export-format.ts";
import { exportContent } from "../memory/export-store.ts";
import type { ImportReport } from "../memory/import-store.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { enlist, refuseExisting } from "../privacy/make-backup.ts";
import { importMemory as takeIn, usualPath } from "../privacy/operator.ts";
import type { Terminal } from "./terminal.ts";
import { writeOut } from "./write-out.ts";

export interface ExportOptions {
  readonly config: string;
  /** A login. */
  readonly viewer?: string;
}

export interface ImportOptions {
  readonly config: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;

/** Writes notes to a new file; works beside a running daemon. */
export function exportMemory(
  file: string | undefined,
  options: ExportOptions,
  terminal: Terminal,
): void {
  withDatabase(options.config, ({ config, db, hash }) => {
    const path = file === undefined ? usualPath(config.dataDir, "exports", "json") : resolve(file);
    refuseExisting(path);
    const userIds = options.viewer === undefined ? null : accountsOf(db, options.viewer);
    const { isOptedOut } = suppressionStore(db, hash, Date.now);
    const content = exportContent({ db, isOptedOut, now: Date.now }, userIds);
    writeOut(path, sealExport(content));
    enlist(
      { path, kind: "export" },
      { db, databaseFile: config.databaseFile, hash, now: Date.now },
    );
    terminal.print(`${path}\n${content.notes.length} notes about ${content.people.length} people`);
  });
}

/** Takes notes from a file, or tells what would happen. A file that will not do changes nothing. */
export function importMemory(file: string, options: ImportOptions, terminal: Terminal): void {
  const content = readExport(resolve(file));
  withDatabase(options.config, ({ config, db }) => {
    const report = takeIn({ config, db, now: Date.now }, content, options.dryRun === true);
    terminal.print(
      options.json === true
        ? JSON.stringify(report, null, 2)
        : reportText(report, options.dryRun === true),
    );
  });
}

/** What an import would do, as lines. Throws a Fault for a file that will not do. */
export function importPreview(file: string, { config }: ImportOptions): string[] {
  const content = readExport(resolve(file));
  return withDatabase(config, (opened) =>
    reportText(
      takeIn({ config: opened.config, db: opened.db, now: Date.now }, content, true),
      true,
    ).split("\n"),
  );
}

function readExport(path: string): ExportContent {
  const parsed = parseExport(readText(path), Date.now());
  if (parsed.ok) return parsed.content;
  throw new Fault(`${path}: ${parsed.path === "" ? "the file" : parsed.path} ${parsed.problem}`, {
    code: "usage",
    mend: "take a file that `forgetmenot memory export` made; nothing was changed",
  });
}

function readText(path: string): string {
  const tooLarge = `larger than ${EXPORT_BYTES_MAX / 1024 / 1024} MB`;
  try {
    if (statSync(path).size > EXPORT_BYTES_MAX) throw new Error(tooLarge);
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault(`${path}: cannot be read (${messageOf(cause)})`, {
      code: "usage",
      mend: "name a file that `forgetmenot memory export` made",
      cause,
    });
  }
}

interface Opened {
  readonly config: Config;
  readonly db: Db;
  readonly hash: KeyedHash;
}

function withDatabase<T>(configFile: string, work: (opened: Opened) => T): T {
  const config = loadConfig(configFile);
  const db = openDatabase(config.databaseFile, { busyTimeoutMs: PATIENCE_MS });
  try {
    return work({ config, db, hash: keyedHash(hashKey(config.dataDir)) });
  } finally {
    db.close();
  }
}

function accountsOf(db: Db, name: string): readonly string[] {
  return identityStore(db, Date.now).accountsOf(accountStore(db).named(name).userId);
}

function reportText(report: ImportReport, isDryRun: boolean): string {
  const { notes, written, confirmed, superseded, dropped, byReason, merged } = report;
  const reasons = Object.entries(byReason).map(([reason, count]) => `  ${count} ${reason}`);
  return [
    `${isDryRun ? "It would be" : "Done"}: of ${notes} notes ${written} new, ${confirmed} known and confirmed, ${superseded} in the place of others, ${dropped} dropped; ${merged} accounts made one person.`,
    ...reasons,
  ].join("\n");
}
