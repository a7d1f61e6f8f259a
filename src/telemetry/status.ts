import { z } from "zod";
import { type Notice, noticeLists, type PastNotice } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import {
  counterStore,
  runtimeStore,
  type Switches,
  switchStore,
} from "../platform/database/runtime-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { percent, plural, type Tally } from "./figures.ts";
import { FORGETTING, HEARTBEAT, type Heartbeat, heartbeatSchema } from "./heartbeat.ts";
import {
  type Backlog,
  type Counts,
  type NoteTally,
  noteTally,
  type SpendSummary,
  telemetryStore,
} from "./status-store.ts";

/** What happens now. */
export interface StatusNow {
  readonly running: boolean;
  /** Of the running daemon, or of the last one. */
  readonly daemon: (Heartbeat & { readonly lastSeenAtMs: number }) | null;
  readonly channels: readonly ChannelStatus[];
  readonly switches: Switches;
  readonly spend: SpendSummary;
  readonly notices: readonly Notice[];
  /** What is over, of the last week. */
  readonly pastNotices: readonly PastNotice[];
}

export interface Status extends StatusNow {
  readonly counts: Counts;
  readonly backlog: Backlog;
  /** Of the last 24 h. */
  readonly notes: NoteTally;
  readonly replies: { readonly byState: Tally; readonly byReason: Tally };
  readonly cleaning: Cleaning;
  readonly counters: Tally;
}

/** Whether what was removed is gone to the last byte. */
interface Cleaning {
  /** Since when bytes of it may stand in unused parts of the database file; null where none can. */
  readonly pendingSinceMs: number | null;
  readonly lastDoneAtMs: number | null;
  /** Code of the last try's failure; null where it did not fail. */
  readonly failure: string | null;
  /** Whether a backup or export that the program made may still hold somebody who was forgotten. */
  readonly filesPending: boolean;
}

interface ChannelStatus {
  readonly channel: string;
  readonly joined: boolean;
  /** null: not known. */
  readonly isLive: boolean | null;
  readonly title: string;
  readonly category: string;
  readonly pace: string | null;
  readonly messagesPerMinute: number | null;
}

const DAY_MS = 86_400_000;

interface StatusParts {
  readonly db: Db;
  readonly now: () => number;
  /** Whether a daemon holds the data folder. */
  readonly running: boolean;
}

/** Everything that `status` shows, read from the database alone. No chat text is in it. */
export function readStatus(parts: StatusParts): Status {
  const { db, now } = parts;
  const store = telemetryStore(db, now);
  return {
    ...readStatusNow(parts),
    counts: store.counts(),
    backlog: store.backlog(),
    notes: noteTally(db, now)(now() - DAY_MS),
    replies: store.replies(now()),
    cleaning: readCleaning(db, now),
    counters: counterStore(db).read(),
  };
}

/** The part of it that takes the same time however much is kept. */
export function readStatusNow({ db, now, running }: StatusParts): StatusNow {
  const store = telemetryStore(db, now);
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema);
  const told = noticeLists(db, now);
  return {
    running,
    daemon: beat === null ? null : { ...beat.value, lastSeenAtMs: beat.updatedAtMs },
    channels: store.channels().map((row) => {
      const live = running
        ? beat?.value.channels.find(({ channel }) => channel === row.channel)
        : undefined;
      return {
        channel: row.channel,
        joined: live?.joined ?? false,
        isLive: row.isLive === null ? null : row.isLive === 1,
        title: row.title,
        category: row.category,
        pace: live?.pace ?? null,
        messagesPerMinute: live?.messagesPerMinute ?? null,
      };
    }),
    switches: switchStore(db, now).read(),
    spend: store.spend(now()),
    notices: told.list(),
    pastNotices: told.past(),
  };
}

/** Somebody is going out of every sentence right now; null where nobody is. */
function forgettingSince(db: Db, now: () => number): number | null {
  const row = runtimeStore(db, now).read(FORGETTING, z.object({ people: z.int() }));
  return row !== null && row.value.people > 0 ? row.updatedAtMs : null;
}

function readCleaning(db: Db, now: () => number): Cleaning {
  const { dueSinceMs, endedAtMs, failures, failure, filesDue } = vacuumQueue(db, now).state();
  return {
    pendingSinceMs: dueSinceMs ?? forgettingSince(db, now),
    lastDoneAtMs: failures === 0 ? endedAtMs : null,
    failure,
    filesPending: filesDue,
  };
}

/** A status as lines for a terminal. */
export function statusText(status: Status, nowMs: number): string {
  const rows: [string, string][] = [
    ["bot", daemonLine(status, nowMs)],
    ...status.channels.map((channel): [string, string] => [
      `#${channel.channel}`,
      channelLine(channel),
    ]),
    ["switches", switchesLine(status)],
    ["kept", keptLine(status)],
    ["backlog", backlogLine(status, nowMs)],
    ["notes 24 h", notesLine(status)],
    ...sortedBy(status.counters).map((one): [string, string] => ["sorted", sortedLine(one)]),
    ["replies 24 h", tallyLine(status.replies.byState)],
    ["not sent", tallyLine(status.replies.byReason)],
    ["model 24 h", spendLine(status)],
    ["removed", cleaningLine(status, nowMs)],
    ...status.notices.map((notice): [string, string] => [
      notice.severity,
      noticeLine(notice, nowMs),
    ]),
    ...status.pastNotices.map((notice): [string, string] => [
      "is over",
      `${notice.message} (until ${ago(nowMs - notice.clearedAtMs)} ago)`,
    ]),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)}  ${text}`).join("\n");
}

const RELATION_COUNTER = /^extract\.relation\.(.+)\.(new|same|adds|replaces)$/;

/** How a model sorted claims. */
export interface Sorted {
  readonly model: string;
  readonly claims: number;
  /** Of those, the share that it called new. */
  readonly newShare: number;
  readonly relations: Tally;
}

/** How each model sorted claims, by the counters. */
export function sortedBy(counters: Tally): Sorted[] {
  const byModel = new Map<string, Record<string, number>>();
  for (const [name, count] of Object.entries(counters)) {
    const [, model, relation] = RELATION_COUNTER.exec(name) ?? [];
    if (model === undefined || relation === undefined) continue;
    byModel.set(model, { ...byModel.get(model), [relation]: count });
  }
  return [...byModel].map(([model, relations]) => {
    const claims = Object.values(relations).reduce((sum, count) => sum + count, 0);
    return { model, claims, newShare: (relations["new"] ?? 0) / claims, relations };
  });
}

function sortedLine({ model, claims, newShare, relations }: Sorted): string {
  return `${model}: ${percent(newShare)} of ${plural(claims, "claim")} new · ${tallyLine(relations)}`;
}

function daemonLine({ daemon, running }: Status, nowMs: number): string {
  if (daemon === null) return running ? "starting" : "not running, and never was on this folder";
  const page = running && daemon.pageUrl !== null ? ` · page ${daemon.pageUrl}` : "";
  const who = daemon.botLogin ?? "anonymous";
  if (!running) return `not running; last seen ${ago(nowMs - daemon.lastSeenAtMs)} ago as ${who}`;
  const up = ago(nowMs - daemon.startedAtMs);
  return `running as ${who} for ${up} · mode ${daemon.mode} · ${daemon.provider} ${daemon.model}${page}`;
}

function channelLine(channel: ChannelStatus): string {
  const live = { true: "live", false: "offline", null: "live state unknown" }[`${channel.isLive}`];
  const pace =
    channel.pace === null ? [] : [`${channel.pace}, ${channel.messagesPerMinute} messages/min`];
  const about = [channel.category, channel.title].filter((text) => text !== "");
  return [channel.joined ? "joined" : "not joined", live, ...pace, ...about].join(" · ");
}

function switchesLine({ switches }: Status): string {
  const on = [
    ...(switches.paused ? ["paused"] : []),
    ...(switches.safeMode ? ["safe mode"] : []),
    ...(switches.readOnly ? ["memory read-only"] : []),
  ];
  return on.length === 0 ? "none on" : on.join(", ");
}

function backlogLine({ backlog, counters }: Status, nowMs: number): string {
  const oldest =
    backlog.oldestWaitingAtMs === null ? "" : `, oldest ${ago(nowMs - backlog.oldestWaitingAtMs)}`;
  const lines = counters["memory.lines_unread"] ?? 0;
  const unread = lines === 0 ? "" : ` · ${plural(lines, "line")} came too fast to be read`;
  return `${plural(backlog.waitingEvents, "event")} waiting${oldest} · ${plural(backlog.pendingEpisodes, "episode")} in work, ${backlog.failedEpisodes} failed${unread}`;
}

function keptLine({ counts: { events, episodes, notes, replies, viewers } }: Status): string {
  return [
    plural(events, "event"),
    plural(episodes, "episode"),
    plural(notes, "note"),
    plural(replies, "reply"),
    plural(viewers, "viewer"),
  ].join(", ");
}

function notesLine({ notes }: Status): string {
  const { made, confirmed, superseded, evicted, dropped, droppedByReason, waiting } = notes;
  const why = dropped === 0 ? "" : ` (${tallyLine(droppedByReason)})`;
  return `${made} new, ${confirmed} confirmed, ${superseded} replaced another, ${evicted} made room, ${dropped} dropped${why}${waitingFor(waiting)}`;
}

function waitingFor(notes: number): string {
  return notes === 0
    ? ""
    : ` · ${notes} ${notes === 1 ? "waits" : "wait"} for your word: \`forgetmenot memory list --status pending\``;
}

function spendLine({ spend }: Status): string {
  const money = spend.dollarsLastDay === null ? "" : ` · $${spend.dollarsLastDay.toFixed(4)}`;
  const failed =
    Object.keys(spend.failuresLastDay).length === 0
      ? ""
      : ` · failed: ${tallyLine(spend.failuresLastDay)}`;
  return `${plural(spend.callsLastDay, "call")} (${spend.callsLastHour} in the last hour) · ${plural(spend.tokensLastDay, "token")}${money}${failed}`;
}

function cleaningLine({ cleaning }: Status, nowMs: number): string {
  const { pendingSinceMs, lastDoneAtMs, failure, filesPending } = cleaning;
  const failed = failure === null ? "" : `, the last try failed (${failure})`;
  const database =
    pendingSinceMs === null
      ? `nothing is left in the database file${lastDoneAtMs === null ? "" : `, cleaned ${ago(nowMs - lastDoneAtMs)} ago`}`
      : `pending for ${ago(nowMs - pendingSinceMs)}: bytes may be left in unused parts of the database file${failed}`;
  return filesPending ? `${database} · backups and exports are still to be rewritten` : database;
}

function noticeLine(notice: Status["notices"][number], nowMs: number): string {
  const times = notice.count > 1 ? `, ${notice.count} times` : "";
  return `${notice.message} (${ago(nowMs - notice.lastAtMs)} ago${times})`;
}

function tallyLine(tally: Tally): string {
  const parts = Object.entries(tally).map(([name, value]) => `${value} ${name}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

function ago(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return `${Math.floor(Math.max(0, ms) / 1_000)} s`;
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
