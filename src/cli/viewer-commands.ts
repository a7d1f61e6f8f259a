import { AccountStore } from "../chat/viewer-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { NoticeBoard } from "../database/notices-store.ts";
import { toPrintable } from "../language/clean.ts";
import { openLog } from "../log.ts";
import { describeRemoved } from "../privacy/command-answers.ts";
import { forgetPerson, makeViewerFile, recordOf } from "../privacy/operator.ts";
import { cleanNow } from "../system/backup-schedule.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { readStatus } from "../telemetry/status.ts";
import { adviseOnExport, writeExport } from "./files.ts";
import {
  type CommandOutput,
  type OpenFolder,
  type Options,
  withFolder,
  withFolderAsync,
} from "./open-folder.ts";
import { confirm, type Terminal } from "./terminal.ts";

/**
 * Shows everything that is stored about a viewer, in all their accounts; of chat only the number of lines. Throws a Fault
 * for an unknown login.
 */
export function describeViewer(opened: OpenFolder, name: string): CommandOutput {
  const record = recordOf(opened, findUserId(opened, name));
  const fields: string[] = [];
  const lists: string[] = [];
  for (const [key, value] of Object.entries(record)) {
    if (!Array.isArray(value)) fields.push(...formatField(key, value));
    else if (value.length > 0) lists.push("", `${toWords(key)}:`, ...value.map(formatRow));
  }
  return { value: record, text: [...fields, ...lists] };
}

/**
 * Writes what `describeViewer` shows to a new file. Returns the message to print. Throws a Fault for an unknown login or
 * an existing file.
 */
export function exportViewer(opened: OpenFolder, name: string, file: string | undefined): string {
  const path = writeExport(opened, file, makeViewerFile(opened, findUserId(opened, name)));
  return `${path}\nNo chat is in it. ${adviseOnExport(file)}`;
}

/**
 * Forgets everything about a viewer, in all their accounts, after a confirmation. A running daemon notices it and cleans
 * the files; without a daemon, this command cleans them. Throws a Fault for an unknown login.
 */
export async function forgetViewerByName(
  name: string,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { accounts, notes, lines } = withFolder(options.config, "change", (opened) =>
    recordOf(opened, findUserId(opened, name)),
  );
  const called = accounts.find(({ displayName }) => displayName !== null)?.displayName ?? name;
  const where = accounts.length === 1 ? "" : `, in ${accounts.length} accounts`;
  const forgetSummary = [
    `Everything about ${toPrintable(called)} would be forgotten, for good${where}:`,
    `  ${formatPlural(notes.length, "note")}, ${formatPlural(lines, "line")} of chat, and all that was made of them`,
    ...notes.map(({ id, fact }) => `  [${id}] ${toPrintable(fact)}`),
  ];
  await confirm(forgetSummary, options, terminal);
  await withFolderAsync(options.config, "change", async (opened) => {
    const { config, db, now } = opened;
    const forgotten = forgetPerson(opened, findUserId(opened, name));
    terminal.print(`everything about ${name} is forgotten: ${describeRemoved(forgotten)}`);
    if (isLocked(config.dataDir)) {
      return terminal.print("the bot is running, and cleans its files within moments");
    }
    await cleanNow(opened, new NoticeBoard(db, now, openLog("silent")));
    const { cleaning } = readStatus({ db, now, running: false });
    const isClean = cleaning.pendingSinceMs === null && !cleaning.filesPending;
    if (!isClean) terminal.print("not every file is clean yet: see `forgetmenot status`");
  });
}

const BY_ID = /^id:([\w-]{1,40})$/i;

/**
 * Returns the user id of a login, or the one after `id:`. Throws a Fault for an unknown login, but not for an unknown id:
 * its viewer may be forgotten.
 */
function findUserId({ db }: OpenFolder, name: string): string {
  return BY_ID.exec(name.trim())?.[1] ?? new AccountStore(db).named(name).userId;
}

function formatRow(row: unknown): string {
  if (typeof row !== "object" || row === null) return `  ${toPrintable(String(row))}`;
  return `  ${Object.entries(row)
    .flatMap(([name, value]) => formatField(name, value))
    .join(", ")}`;
}

/**
 * Returns one text for a field, such as `user id 501` or `first seen 2026-05-01 20:00 +02:00`. For null, 0 and "" it
 * returns none.
 */
function formatField(name: string, value: unknown): string[] {
  if (value === null || value === 0 || value === "") return [];
  const isTime = name.endsWith("AtMs");
  const text = isTime ? formatLocalTime(Number(value)) : toPrintable(String(value));
  return [`${toWords(name.replace(/(?:AtMs|Json)$/, ""))} ${text}`];
}

function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
