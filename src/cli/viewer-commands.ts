import { openAccountStore } from "../chat/viewer-store.ts";
import { formatLocalDay } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { NoticeBoard } from "../database/notices-store.ts";
import { toPrintable } from "../language/clean.ts";
import { openLog } from "../log.ts";
import { forgetPerson, makeViewerFile, recordOf } from "../privacy/operator.ts";
import type { ViewerRecord } from "../privacy/viewer-record.ts";
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
import { confirm, linesIf, type Terminal } from "./terminal.ts";

/** Shows all that is kept about a person. */
export function printViewer(opened: OpenFolder, name: string): CommandOutput {
  const record = recordOf(opened, findUserId(opened, name));
  return { value: record, text: formatRecord(record) };
}

/** Writes all that is stored about a viewer to a new file. */
export function exportViewer(opened: OpenFolder, name: string, file: string | undefined): string {
  const { path } = writeExport(opened, file, () =>
    makeViewerFile(opened, findUserId(opened, name)),
  );
  return `${path}\nNo chat is in it. ${adviseOnExport(file)}`;
}

/** Forgets everything about a person, after a confirmation. A running daemon drops its work about them. */
export async function forgetViewer(
  name: string,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { accounts, notes, lines } = withFolder(options.config, "change", (opened) =>
    recordOf(opened, findUserId(opened, name)),
  );
  const called = accounts.find(({ displayName }) => displayName !== null)?.displayName ?? name;
  const [also, all] =
    accounts.length === 1
      ? ["", ""]
      : [`, in ${accounts.length} accounts`, ` (${accounts.length} accounts)`];
  const forgetSummary = [
    `Everything about ${toPrintable(called)} would be forgotten, for good${also}:`,
    `  ${formatPlural(notes.length, "note")}, ${formatPlural(lines, "line")} of chat, and all that was made of them`,
    ...notes.map(({ id, fact }) => `  [${id}] ${toPrintable(fact)}`),
  ];
  await confirm(forgetSummary, options, terminal);
  await withFolderAsync(options.config, "change", async (opened) => {
    const { config, db, now } = opened;
    const { notes: gone, messages } = forgetPerson(opened, findUserId(opened, name));
    terminal.print(
      `everything about ${name}${all} is forgotten: ${formatPlural(gone, "note")}, ${formatPlural(messages, "message")}`,
    );
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

/** An id may belong to a viewer who was never seen, or is forgotten. */
function findUserId({ db }: OpenFolder, name: string): string {
  return BY_ID.exec(name.trim())?.[1] ?? openAccountStore(db).named(name).userId;
}

function formatRecord(record: ViewerRecord): string[] {
  const { lines } = record;
  const text = [
    ...record.accounts.map(formatAccount),
    record.optedOut ? "opted out: the bot stores nothing that they write" : "not opted out",
    ...record.channels.map(formatChannel),
    `${formatPlural(lines, "line")} of chat ${lines === 1 ? "is" : "are"} still there, ${record.linesWithText} with their words; asked the bot ${formatPlural(record.asked, "time")}, answered ${formatPlural(record.answered, "time")}`,
    ...linesIf(record.suppressedTopics > 0, "has topics that the bot must not learn again"),
  ];
  for (const [title, format] of SECTIONS) {
    const items = format(record);
    if (items.length > 0) text.push("", `${title}:`, ...items.map((item) => `  ${item}`));
  }
  return text;
}

/** Lists of a record, each with its title. */
const SECTIONS: readonly (readonly [string, (record: ViewerRecord) => readonly string[]])[] = [
  [
    "Notes",
    ({ notes }) =>
      notes.map((one) => `${one.id}  ${one.kind}  ${one.fact} [${one.status}, ${one.source}]`),
  ],
  [
    "Claims in episodes",
    ({ claims }) =>
      claims.map(({ episodeId, statement, withdrawnAtMs }) => {
        const fate = withdrawnAtMs === null ? "" : " (withdrawn)";
        return `episode ${episodeId}: ${statement}${fate}`;
      }),
  ],
  [
    "Took part in",
    ({ episodes }) =>
      episodes.map((one) => `episode ${one.id}, ${formatLocalDay(one.endedAtMs)}: ${one.topic}`),
  ],
  [
    "Reported by Twitch",
    ({ moments }) =>
      moments.map((one) =>
        `${formatLocalDay(one.atMs)}  #${one.channel}: ${one.kind} ${one.amount ?? ""}`.trimEnd(),
      ),
  ],
  ["Named in", ({ namedIn }) => namedIn],
  [
    "Actions",
    ({ actions }) =>
      actions.map(({ action, decision, reason, asked, createdAtMs }) => {
        const role = asked === 1 ? "" : ", done to them";
        return `${formatLocalDay(createdAtMs)}  ${action}: ${decision} (${reason})${role}`;
      }),
  ],
];

function formatAccount(one: ViewerRecord["accounts"][number]): string {
  const { userId, login, displayName, firstSeenAtMs, lastSeenAtMs } = one;
  if (login === null || firstSeenAtMs === null || lastSeenAtMs === null)
    return `account ${userId}: never seen, or forgotten`;
  const [first, last] = [firstSeenAtMs, lastSeenAtMs].map((atMs) => formatLocalDay(atMs));
  return `account ${userId}: ${login} (${displayName}), seen ${first} to ${last}`;
}

function formatChannel(one: ViewerRecord["channels"][number]): string {
  const messages = formatPlural(one.messages, "message");
  const roles = [
    ...linesIf(one.isBroadcaster === 1, "streamer"),
    ...linesIf(one.isModerator === 1, "moderator"),
    ...linesIf(one.isVip === 1, "VIP"),
    ...linesIf(one.isSubscriber === 1, "subscriber"),
    ...linesIf(one.isFounder === 1, "founder"),
    ...linesIf(one.moderatedOn !== null, `last timeout, ban or deletion on ${one.moderatedOn}`),
  ];
  const place = `in #${one.channel}: ${messages} in ${formatPlural(one.streams, "stream")}`;
  return [place, ...roles].join(", ");
}
