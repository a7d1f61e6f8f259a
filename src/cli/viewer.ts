import { resolve } from "node:path";
import { accountStore } from "../chat/viewer-store.ts";
import { printable } from "../language/clean.ts";
import { openLog } from "../log.ts";
import { localDay } from "../platform/config/local-time.ts";
import { isLocked } from "../platform/database/lock.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { cleanNow } from "../privacy/file-keeper.ts";
import { enlist, refuseExisting } from "../privacy/made-files-store.ts";
import { forgetPerson, recordOf, usualPath, viewerFile } from "../privacy/operator.ts";
import type { ViewerRecord } from "../privacy/viewer-record-store.ts";
import { plural } from "../telemetry/figures.ts";
import { changing, madeFile, type Options, tell, writeOut } from "./open-folder.ts";
import { type ConfirmOptions, confirm, type Terminal } from "./terminal.ts";

/** Shows all that is kept about a person. */
export function printViewer(name: string, options: Options, terminal: Terminal): void {
  changing(options.config, (opened) => {
    const record = recordOf(opened, userIdOf(opened.db, name));
    tell(terminal, options, record, () => recordText(record));
  });
}

/** Writes all that is kept about a person to a new file. Whoever is forgotten later is taken out of the folder with it. */
export function exportViewer(
  { name, file }: { readonly name: string; readonly file: string | undefined },
  configFile: string,
  terminal: Terminal,
): void {
  changing(configFile, (opened) => {
    const { dataDir } = opened.config;
    const path = file === undefined ? usualPath(dataDir, "exports", "json") : resolve(file);
    refuseExisting(path);
    writeOut(path, viewerFile(opened, userIdOf(opened.db, name)));
    enlist({ path, kind: "viewer" }, madeFile(opened));
    terminal.print(
      `${path}\nNo line of chat is in it. It is removed when that person asks to be forgotten, as long as it stays where it is.`,
    );
  });
}

/** Forgets everything about a person, after a yes. A running daemon hears of it and drops what it is at. */
export async function forgetViewer(
  name: string,
  options: Options & ConfirmOptions,
  terminal: Terminal,
): Promise<void> {
  const record = changing(options.config, (opened) => recordOf(opened, userIdOf(opened.db, name)));
  await confirm(whatGoes(name, record), options, terminal);
  changing(options.config, (opened) => {
    const { config, db, now } = opened;
    const notes = forgetPerson(opened, userIdOf(db, name));
    const accounts = record.accounts.length === 1 ? "" : ` (${record.accounts.length} accounts)`;
    terminal.print(
      `everything about ${name}${accounts} is forgotten, ${plural(notes, "note")} among it`,
    );
    if (isLocked(config.dataDir)) {
      return terminal.print("the bot is running, and cleans the files of it within moments");
    }
    const notices = noticeBoard(db, now, openLog("silent"));
    const isClean = cleanNow({ ...madeFile(opened), dataDir: config.dataDir, notices });
    if (!isClean) terminal.print("not every file could be cleaned of it: see `forgetmenot status`");
  });
}

function whatGoes(name: string, { accounts, notes, lines }: ViewerRecord): string[] {
  const called = accounts.find(({ displayName }) => displayName !== null)?.displayName ?? name;
  const also = accounts.length > 1 ? `, in ${accounts.length} accounts` : "";
  return [
    `Everything about ${printable(called)} would be forgotten, for good${also}:`,
    `  ${plural(notes.length, "note")}, ${plural(lines, "line")} of chat, and all that was made of them`,
    ...notes.map(({ id, fact }) => `  [${id}] ${printable(fact)}`),
  ];
}

const BY_ID = /^id:([\w-]{1,40})$/i;

/** An id may be of somebody who was never seen, or is forgotten. */
function userIdOf(db: Db, name: string): string {
  return BY_ID.exec(name.trim())?.[1] ?? accountStore(db).named(name).userId;
}

/** What is kept about a person, for a terminal. */
function recordText(record: ViewerRecord): string[] {
  const { notes, claims, episodes, namedIn, actions } = record;
  return [
    ...record.accounts.map(accountLine),
    record.optedOut ? "opted out: nothing of what they write is kept" : "not opted out",
    ...record.channels.map(channelLine),
    `${plural(record.lines, "line")} of chat ${record.lines === 1 ? "is" : "are"} still there, ${record.linesWithText} with their words; asked the bot ${plural(record.asked, "time")}, answered ${plural(record.answered, "time")}`,
    ...(record.suppressedTopics > 0 ? ["has topics that are never to be learned again"] : []),
    ...section(
      "Notes",
      notes.map(
        ({ id, kind, fact, status, source }) => `${id}  ${kind}  ${fact} [${status}, ${source}]`,
      ),
    ),
    ...section(
      "Claims in episodes",
      claims.map(
        ({ episodeId, statement, withdrawnAtMs }) =>
          `episode ${episodeId}: ${statement}${withdrawnAtMs === null ? "" : " (withdrawn)"}`,
      ),
    ),
    ...section(
      "Took part in",
      episodes.map(({ id, topic, endedAtMs }) => `episode ${id}, ${localDay(endedAtMs)}: ${topic}`),
    ),
    ...section("Named in", namedIn),
    ...section(
      "Actions",
      actions.map(
        ({ action, decision, reason, asked, createdAtMs }) =>
          `${localDay(createdAtMs)}  ${action}: ${decision} (${reason})${asked === 1 ? "" : ", done to them"}`,
      ),
    ),
  ];
}

function accountLine(account: ViewerRecord["accounts"][number]): string {
  const { userId, login, displayName, firstSeenAtMs, lastSeenAtMs } = account;
  if (login === null || firstSeenAtMs === null || lastSeenAtMs === null)
    return `account ${userId}: never seen, or forgotten`;
  return `account ${userId}: ${login} (${displayName}), seen ${localDay(firstSeenAtMs)} to ${localDay(lastSeenAtMs)}`;
}

function channelLine(one: ViewerRecord["channels"][number]): string {
  const roles = [
    one.isBroadcaster === 1 ? "streamer" : "",
    one.isModerator === 1 ? "moderator" : "",
    one.isVip === 1 ? "VIP" : "",
    one.isSubscriber === 1 ? "subscriber" : "",
  ].filter((role) => role !== "");
  const as = roles.length === 0 ? "" : `, ${roles.join(", ")}`;
  return `in #${one.channel}: ${plural(one.messages, "message")} in ${plural(one.streams, "stream")}${as}`;
}

/** A title and its lines, indented; nothing where there are no lines. */
function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}
