import { accountStore, identityStore, type Viewer } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { printable } from "../language/clean.ts";
import { fillNames } from "../language/people.ts";
import { openLog } from "../log.ts";
import { accountConflicts } from "../memory/note-decisions-store.ts";
import { localDay } from "../platform/config/local-time.ts";
import { isLocked } from "../platform/database/lock.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import { cleanNow, forgetPerson, recordOf, viewerFile } from "../privacy/operator.ts";
import type { ViewerRecord } from "../privacy/viewer-record-store.ts";
import { plural } from "../telemetry/figures.ts";
import { readStatus } from "../telemetry/status.ts";
import { exportAdvice, writeExport } from "./files.ts";
import {
  type CommandOutput,
  type Opened,
  type Options,
  withFolder,
  withFolderAsync,
} from "./open-folder.ts";
import { confirm, type Terminal, when } from "./terminal.ts";

/** Shows all that is kept about a person. */
export function tellViewer(opened: Opened, name: string): CommandOutput {
  const record = recordOf(opened, userIdOf(opened, name));
  return { value: record, text: recordText(record) };
}

/** Writes all that is stored about a viewer to a new file. */
export function exportViewer(opened: Opened, name: string, file: string | undefined): string {
  const { path } = writeExport(opened, file, () => viewerFile(opened, userIdOf(opened, name)));
  return `${path}\nNo chat is in it. ${exportAdvice(file)}`;
}

/** Forgets everything about a person, after a yes. A running daemon hears of it and drops what it is at. */
export async function forgetViewer(
  name: string,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { accounts, notes, lines } = withFolder(options.config, "change", (opened) =>
    recordOf(opened, userIdOf(opened, name)),
  );
  const called = accounts.find(({ displayName }) => displayName !== null)?.displayName ?? name;
  const [also, all] =
    accounts.length === 1
      ? ["", ""]
      : [`, in ${accounts.length} accounts`, ` (${accounts.length} accounts)`];
  const whatGoes = [
    `Everything about ${printable(called)} would be forgotten, for good${also}:`,
    `  ${plural(notes.length, "note")}, ${plural(lines, "line")} of chat, and all that was made of them`,
    ...notes.map(({ id, fact }) => `  [${id}] ${printable(fact)}`),
  ];
  await confirm(whatGoes, options, terminal);
  await withFolderAsync(options.config, async (opened) => {
    const { config, db, now } = opened;
    const { notes: gone, messages } = forgetPerson(opened, userIdOf(opened, name));
    terminal.print(
      `everything about ${name}${all} is forgotten: ${plural(gone, "note")}, ${plural(messages, "message")}`,
    );
    if (isLocked(config.dataDir)) {
      return terminal.print("the bot is running, and cleans its files within moments");
    }
    await cleanNow(opened, noticeBoard(db, now, openLog("silent")));
    const { cleaning } = readStatus({ db, now, running: false });
    const isClean = cleaning.pendingSinceMs === null && !cleaning.filesPending;
    if (!isClean) terminal.print("not every file is clean yet: see `forgetmenot status`");
  });
}

const BY_ID = /^id:([\w-]{1,40})$/i;

/** An id may be of somebody who was never seen, or is forgotten. */
function userIdOf({ db }: Opened, name: string): string {
  return BY_ID.exec(name.trim())?.[1] ?? accountStore(db).named(name).userId;
}

function recordText(record: ViewerRecord): string[] {
  const { notes, claims, episodes, namedIn, actions, lines } = record;
  return [
    ...record.accounts.map(accountLine),
    record.optedOut ? "opted out: nothing of what they write is kept" : "not opted out",
    ...record.channels.map(channelLine),
    `${plural(lines, "line")} of chat ${lines === 1 ? "is" : "are"} still there, ${record.linesWithText} with their words; asked the bot ${plural(record.asked, "time")}, answered ${plural(record.answered, "time")}`,
    ...when(record.suppressedTopics > 0, "has topics that are never to be learned again"),
    ...section(
      "Notes",
      notes,
      ({ id, kind, fact, status, source }) => `${id}  ${kind}  ${fact} [${status}, ${source}]`,
    ),
    ...section(
      "Claims in episodes",
      claims,
      ({ episodeId, statement, withdrawnAtMs }) =>
        `episode ${episodeId}: ${statement}${withdrawnAtMs === null ? "" : " (withdrawn)"}`,
    ),
    ...section(
      "Took part in",
      episodes,
      ({ id, topic, endedAtMs }) => `episode ${id}, ${localDay(endedAtMs)}: ${topic}`,
    ),
    ...section(
      "Reported by Twitch",
      record.moments,
      ({ channel, kind, amount, atMs }) =>
        `${localDay(atMs)}  #${channel}: ${kind}${amount === null ? "" : ` ${amount}`}`,
    ),
    ...section("Named in", namedIn, (place) => place),
    ...section(
      "Actions",
      actions,
      ({ action, decision, reason, asked, createdAtMs }) =>
        `${localDay(createdAtMs)}  ${action}: ${decision} (${reason})${asked === 1 ? "" : ", done to them"}`,
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
    ...when(one.isBroadcaster === 1, "streamer"),
    ...when(one.isModerator === 1, "moderator"),
    ...when(one.isVip === 1, "VIP"),
    ...when(one.isSubscriber === 1, "subscriber"),
    ...when(one.isFounder === 1, "founder"),
    ...when(one.moderatedOn !== null, `last timeout, ban or deletion on ${one.moderatedOn}`),
  ];
  const messages = plural(one.messages, "message");
  return [`in #${one.channel}: ${messages} in ${plural(one.streams, "stream")}`, ...roles].join(
    ", ",
  );
}

/** A title and a line for each, indented; nothing where there are none. */
function section<T>(title: string, all: readonly T[], lineOf: (one: T) => string): string[] {
  return all.length === 0 ? [] : ["", `${title}:`, ...all.map((one) => `  ${lineOf(one)}`)];
}

/** Says that two accounts are one person: what was learned of either is known of both. Nothing is moved. */
export function mergeAccounts({ db, now }: Opened, login: string, into: string): CommandOutput {
  const { named, loginOf } = accountStore(db);
  const [from, main] = [named(login), named(into)];
  for (const one of [from, main]) refuseOptedOut(one);
  const identity = identityStore(db, now);
  const isMerged = identity.merge(from.userId, main.userId);
  const ids = identity.accountsOf(main.userId);
  const accounts = ids.map(loginOf);
  const conflicts = accountConflicts(db, ids);
  const both = `${from.login} and ${main.login}`;
  return {
    value: { isMerged, accounts, conflicts },
    text: [
      isMerged
        ? `${both} are one person now: ${accounts.join(", ")}; \`forgetmenot memory separate ${from.login}\` undoes it`
        : `${both} were one person already: ${accounts.join(", ")}`,
      ...conflicts.map(({ older, newer }) => {
        const [before, after] = [older, newer].map(({ fact }) => fillNames(fact, loginOf));
        return `  note ${older.id} (${before}) and note ${newer.id} (${after}) cannot both be true: \`forgetmenot memory reject ${older.id}\` lets the older one go`;
      }),
    ],
  };
}

/** Undoes one merge, and no other: what was learned of either account is known of that account again. */
export function separateAccount(
  { db, now }: Opened,
  login: string,
  from: string | undefined,
): CommandOutput {
  const { named, loginOf } = accountStore(db);
  const identity = identityStore(db, now);
  const account = named(login);
  const wanted = from === undefined ? undefined : named(from).userId;
  const fitting = identity
    .mergedInto(account.userId)
    .filter((userId) => wanted === undefined || userId === wanted);
  const [into, ...others] = fitting;
  if (into === undefined) {
    throw wrongUse(
      `${account.login} was not merged into ${from ?? "another account"}`,
      "see `forgetmenot memory merges`: name the account on the left",
    );
  }
  if (others.length > 0) {
    throw wrongUse(
      `${account.login} was merged into ${fitting.map(loginOf).join(" and ")}`,
      `say which merge to undo: \`forgetmenot memory separate ${account.login} ${loginOf(into)}\``,
    );
  }
  identity.separate(account.userId, into);
  const accounts = identity.accountsOf(account.userId).map(loginOf);
  return {
    value: { separated: account.userId, from: into, accounts },
    text:
      accounts.length === 1
        ? `${account.login} stands alone again, with what was learned from that account`
        : `${account.login} is apart from ${loginOf(into)}; one person still: ${accounts.join(", ")}`,
  };
}

/** Lists the merges, oldest first. */
export function listMerges({ db, now }: Opened): CommandOutput {
  const { loginOf } = accountStore(db);
  const merges = identityStore(db, now)
    .list()
    .map((alias) => ({ ...alias, login: loginOf(alias.userId), into: loginOf(alias.sameAs) }));
  const lines = merges.map(
    ({ login, into, createdAtMs }) => `${login} → ${into}  ${localDay(createdAtMs)}`,
  );
  return { value: merges, text: lines.length === 0 ? "No accounts are merged." : lines };
}

/** Somebody who opted out is not to be known by another account either. */
function refuseOptedOut({ login, optedOut }: Viewer): void {
  if (!optedOut) return;
  throw wrongUse(
    `${login} opted out: nothing about them is kept or put together`,
    "only they can opt in again, with !optin",
  );
}
