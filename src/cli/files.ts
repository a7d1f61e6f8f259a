import { statSync } from "node:fs";
import { loadConfig } from "../config/load.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { readText, writePrivately } from "../config/private-file.ts";
import { findOrCreateHashKey } from "../config/secrets.ts";
import { makeBackup, refuseExisting } from "../database/backup.ts";
import { lockFolder } from "../database/lock.ts";
import { attempt, makeUsageFault, writeOrFault } from "../errors.ts";
import { createKeyedHash } from "../language/people.ts";
import type { ExportContent } from "../memory/export-store.ts";
import type { ImportReport } from "../memory/import-store.ts";
import { exportText, importText, makeUsualPath } from "../privacy/operator.ts";
import { restoreBackup } from "../privacy/restore.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { countStored } from "../telemetry/report-store.ts";
import { findAccounts, type OpenFolder, type Options, withFolder } from "./open-folder.ts";
import { confirm, printResult, type Terminal } from "./terminal.ts";

/**
 * Makes a backup without chat and answers, also next to a running daemon: at `file`, else in the data folder's
 * `backups`. Returns the message to print. Throws a Fault if the file exists or cannot be written.
 */
export function backup(opened: OpenFolder, file: string | undefined): string {
  const path = file ?? makeUsualPath(opened.config.dataDir, "backups", "db");
  makeBackup(path, opened.config.databaseFile);
  const later = "After a forget the bot replaces the backups in this folder.";
  return `${path}\nChat and the bot's answers are not in it. ${file === undefined ? later : adviseOnExport(file)}`;
}

/**
 * Replaces the database, maybe missing or damaged, by a backup after a confirmation. Backs up a readable one first.
 * Forgets again the viewers who asked for it after the backup. Throws a Fault for an unusable backup, or while a daemon
 * runs; then the database is unchanged.
 */
export async function restore(path: string, options: Options, terminal: Terminal): Promise<void> {
  const { dataDir, databaseFile } = loadConfig(options.config);
  const made = formatLocalTime(readStats(path, "backup").mtimeMs);
  // Null if the database is missing or damaged: a restore fixes that.
  const { value: now } = attempt(() =>
    withFolder(options.config, "read", ({ db }) => countStored(db, Date.now)),
  );
  const lost = now === null ? [] : [`  ${formatPlural(now.notes, "note")} of now would go with it`];
  const question = `${path} (of ${made}) would take the place of ${databaseFile}:`;
  await confirm([question, ...lost], options, terminal);
  const lock = lockFolder(dataDir);
  try {
    const hash = createKeyedHash(findOrCreateHashKey(dataDir));
    const done = restoreBackup(path, { dataDir, databaseFile, hash, now: Date.now });
    const { forgotten, unfit, wasUnreadable } = done;
    const lines = [`restored from ${path}.`];
    if (forgotten > 0)
      lines.push(`${forgotten} who asked to be forgotten since then were forgotten again.`);
    if (unfit > 0)
      lines.push(
        `${unfit} texts in it could not have been written by this program. They were left out.`,
      );
    if (wasUnreadable)
      lines.push(
        "The old database could not be read. Forget requests were taken from forgets.json.",
      );
    terminal.print(lines.join(" "));
  } finally {
    lock.release();
  }
}

/**
 * Writes active, shadow and pending notes, all or those about one viewer, to a new file. Leaves out opted-out viewers.
 * Returns the message to print. Throws a Fault for an unknown viewer or an existing file.
 */
export function exportMemory(
  opened: OpenFolder,
  file: string | undefined,
  { viewer }: { viewer?: string },
): string {
  const accounts = viewer === undefined ? null : findAccounts(opened.db, viewer);
  const text = exportText(opened, accounts);
  const path = writeExport(opened, file, text);
  // Counted without the check of an import, which refuses what a clock that was ahead has dated.
  const { content }: { content: ExportContent } = JSON.parse(text);
  const { notes, people } = content;
  return `${path}\n${formatPlural(notes.length, "note")} about ${formatPlural(people.length, "viewer")}. ${adviseOnExport(file)}`;
}

const IMPORT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Imports notes from a file after a confirmation; with `dryRun` only prints what an import would do. Throws a Fault for
 * an unusable file, which changes nothing.
 */
export async function importMemory(
  path: string,
  options: Options & { dryRun?: true },
  terminal: Terminal,
): Promise<void> {
  if (readStats(path, "memory export").size > IMPORT_BYTES_MAX) {
    throw makeUsageFault(
      `${path}: larger than an export can be`,
      "name a file that `forgetmenot memory export` made",
    );
  }
  const text = readText(path);
  const take = (isDryRun: boolean): ImportReport => {
    const { value, fault } = attempt(() =>
      withFolder(options.config, "change", (opened) => importText(opened, text, isDryRun)),
    );
    if (fault === null) return value;
    if (fault.code !== "usage") throw fault;
    throw makeUsageFault(`${path}: ${fault.message}`, fault.fix);
  };
  const isDryRun = options.dryRun === true;
  if (!isDryRun) await confirm(formatImport(take(true), true), options, terminal);
  const report = take(isDryRun);
  printResult(terminal, options, { value: report, text: formatImport(report, isDryRun) });
}

/**
 * Returns the size and times of a file. Throws a Fault if it is missing or a folder; the fix says that `command`, such
 * as "backup", makes such a file.
 */
function readStats(path: string, command: string) {
  const stats = statSync(path, { throwIfNoEntry: false });
  const refuse = (why: string) =>
    makeUsageFault(`${path}: ${why}`, `name a file that \`forgetmenot ${command}\` made`);
  if (stats === undefined) throw refuse("there is no such file");
  if (!stats.isFile()) throw refuse("that is a folder, not a file");
  return stats;
}

function formatImport(report: ImportReport, isDryRun: boolean): string[] {
  const { notes, written, confirmed, superseded, dropped, byReason, merged } = report;
  const reasons = Object.entries(byReason).map(([reason, count]) => `  ${count} ${reason}`);
  return [
    `${isDryRun ? "It would be" : "Done"}: of ${formatPlural(notes, "note")} ${written} new, ${confirmed} known and confirmed, ${superseded} in the place of others, ${dropped} dropped; ${formatPlural(merged, "account")} made one person.`,
    ...reasons,
  ];
}

/**
 * Returns a sentence on what a later forget does to an export. It deletes an export in the data folder (`file`
 * undefined), and never touches one at a path that the user chose.
 */
export function adviseOnExport(file: string | undefined): string {
  return file === undefined
    ? "A later forget deletes it."
    : "The bot does not touch this file again: delete it when a viewer in it asks to be forgotten.";
}

/**
 * Writes an export to a new file that only its owner can read; without `file`, into the data folder's `exports`. Returns
 * its path. Throws a Fault if it exists already or cannot be written.
 */
export function writeExport(opened: OpenFolder, file: string | undefined, text: string): string {
  const path = file ?? makeUsualPath(opened.config.dataDir, "exports", "json");
  refuseExisting(path);
  const fix = "make the folder writable for this user, or name another file";
  writeOrFault(path, { code: "folder", fix }, () => writePrivately(path, text));
  return path;
}
