import { z } from "zod";
import { withShellCommands } from "../config/environment.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { readCleanupState } from "../database/cleanup.ts";
import { type NoticeBoard, NoticeList } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import { Counters, RuntimeStore, SwitchStore } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { countNoteOutcomes } from "../memory/candidate-store.ts";
import { openStaleCopies } from "../privacy/forget-store.ts";
import { formatDurationSpan, formatPlural, formatTally } from "./figures.ts";
import {
  countRecentReplies,
  countStored,
  readBacklog,
  readChannelStates,
  sumRecentCalls,
} from "./report-store.ts";

/** The runtime value that the daemon writes for other processes. */
export const HEARTBEAT = "daemon";
export const HEARTBEAT_EVERY_MS = 15_000;

const heartbeatSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  startedAtMs: z.int(),
  mode: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Address of the local page; null if there is none. */
  pageUrl: z.string().nullable(),
  /** null if anonymous. */
  botLogin: z.string().nullable(),
  channels: z.array(
    z.strictObject({
      channel: z.string(),
      joined: z.boolean(),
      pace: z.string(),
      messagesPerMinute: z.int(),
    }),
  ),
});

export type Heartbeat = z.output<typeof heartbeatSchema>;

/** Returns the last address of the daemon's page; null if it has none or never ran. */
export function readPageUrl(db: Db, now: () => number): string | null {
  return new RuntimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value.pageUrl ?? null;
}

const ORDERLY = "orderly_end";
const CRASHED = "crashed";

/**
 * Notifies the streamer if the last run was cut off, unless a notice says that it crashed. Call it once, at the start.
 * Returns the functions that record how this run ends; without `orderly`, it counts as cut off.
 */
export function watchEnd(runtime: RuntimeStore, notices: NoticeBoard, log: Log) {
  const before = runtime.read(HEARTBEAT, heartbeatSchema);
  const isOrderly = runtime.read(ORDERLY, z.boolean())?.value === true;
  const hasCrashNotice = notices
    .list()
    .some(({ kind, severity }) => kind === CRASHED && severity === "error");
  if (before !== null && !isOrderly && !hasCrashNotice) {
    notices.raise(
      CRASHED,
      "info",
      `The bot was cut off after ${formatLocalTime(before.updatedAtMs)} (power, a kill, a crash), and the last seconds of chat may be missing. Nothing to do.`,
    );
  }
  runtime.write(ORDERLY, false);
  let isCrash = false;
  return {
    /** Logs an uncaught error and raises a notice, with its kind and place. `orderly` then keeps the notice. */
    crashed: (thrown: unknown): void => {
      isCrash = true;
      const { bug, at } = describeBug(thrown);
      log.error({ bug, at }, "the bot ends: an error that nobody caught");
      notices.raise(
        CRASHED,
        "error",
        `The bot stopped because of a bug (${bug}${at === null ? "" : ` ${at}`}). Start it again with \`forgetmenot run\`, and report this line.`,
      );
    },
    /** Records that the run was closed. Clears the notice about an earlier end. */
    orderly: (): void => {
      if (!isCrash) notices.clear(CRASHED);
      runtime.write(ORDERLY, true);
    },
  };
}

const DAY_MS = 86_400_000;

interface StatusParts {
  readonly db: Db;
  readonly now: () => number;
  /** True if a daemon holds the data folder. */
  readonly running: boolean;
}

export type Status = ReturnType<typeof readStatus>;

/** Reads everything that `status` shows. No chat text is in it. */
export function readStatus(parts: StatusParts) {
  const { db, now } = parts;
  const { pendingSinceMs, endedAtMs, failure } = readCleanupState(db, now);
  return {
    ...readStatusNow(parts),
    counts: countStored(db, now),
    backlog: readBacklog(db),
    /** Decisions of the last 24 h, and the notes that wait for approval. */
    notes: countNoteOutcomes(db, now, now() - DAY_MS),
    replies: countRecentReplies(db, now()),
    /** See `CleanupState`. */
    cleaning: {
      pendingSinceMs,
      lastDoneAtMs: failure === null ? endedAtMs : null,
      failure,
      /** True if a backup or export in the data folder may still hold a forgotten viewer. */
      filesPending: openStaleCopies(db, now).read() !== null,
    },
    counters: new Counters(db).read(),
  };
}

export type StatusNow = ReturnType<typeof readStatusNow>;

/** Reads the part of the status whose reading takes no longer if more is stored. */
export function readStatusNow(parts: StatusParts) {
  const { db, now, running } = parts;
  const beat = new RuntimeStore(db, now).read(HEARTBEAT, heartbeatSchema);
  const notices = new NoticeList(db, now);
  return {
    running,
    /** The running or the last daemon; null if none ever ran. */
    daemon: beat === null ? null : { ...beat.value, lastSeenAtMs: beat.updatedAtMs },
    channels: readChannelStates(db).map(({ isLive, ...row }) => {
      const live = beat?.value.channels.find(({ channel }) => running && channel === row.channel);
      return {
        ...row,
        joined: live?.joined ?? false,
        /** null if unknown. */
        isLive: isLive === null ? null : isLive === 1,
        pace: live?.pace ?? null,
        messagesPerMinute: live?.messagesPerMinute ?? null,
      };
    }),
    switches: new SwitchStore(db, now).read(),
    spend: sumRecentCalls(db, now()),
    notices: notices.list().map(rewriteCommands),
    /** Notices of the last week that are over. */
    pastNotices: notices.past().map(rewriteCommands),
  };
}

function rewriteCommands<T extends { readonly message: string }>(notice: T): T {
  return { ...notice, message: withShellCommands(notice.message) };
}

/** Formats a status as lines for a terminal. */
export function formatStatusText(status: Status, nowMs: number): string {
  const { counts, notes, replies, spend, switches } = status;
  const on = [
    ...(switches.paused ? ["paused"] : []),
    ...(switches.safeMode ? ["safe mode"] : []),
    ...(switches.readOnly ? ["memory read-only"] : []),
  ];
  const stored = [
    formatPlural(counts.events, "event"),
    formatPlural(counts.episodes, "episode"),
    formatPlural(counts.notes, "note"),
    formatPlural(counts.replies, "reply"),
    formatPlural(counts.viewers, "viewer"),
  ];
  const dropped = notes.dropped === 0 ? "" : ` (${formatTally(notes.droppedByReason)})`;
  const waiting =
    notes.waiting === 0
      ? ""
      : ` · ${notes.waiting} waiting for you: \`forgetmenot memory list --status pending\``;
  const failed = formatTally(spend.failuresLastDay);
  const rows: (readonly [label: string, text: string])[] = [
    ["bot", formatDaemon(status, nowMs)],
    ...status.channels.map((one) => [`#${one.channel}`, formatChannelStatus(one)] as const),
    ["switches", on.join(", ") || "none on"],
    ["stored", stored.join(", ")],
    ["backlog", formatBacklog(status, nowMs)],
    [
      "notes 24 h",
      `${notes.made} new, ${notes.confirmed} confirmed, ${notes.superseded} replaced another, ${notes.evicted} made room, ${notes.dropped} dropped${dropped}${waiting}`,
    ],
    ["replies 24 h", formatTally(replies.byState) || "none"],
    ["not sent", formatTally(replies.byReason) || "none"],
    [
      "model 24 h",
      `${formatPlural(spend.callsLastDay, "call")} (${spend.callsLastHour} in the last hour) · ${formatPlural(spend.tokensLastDay, "token")}${formatMoneySuffix(spend.dollarsLastDay)}${failed === "" ? "" : ` · failed: ${failed}`}`,
    ],
    ["for answers", formatSpend(spend.answersLastDay)],
    ["for memory", formatSpend(spend.memoryLastDay)],
    ["removed", formatCleaning(status, nowMs)],
    ...status.notices.map(({ severity, message, firstAtMs, lastAtMs, count }) => {
      const last =
        count > 1 ? `, ${count} times, last ${formatDurationSpan(nowMs - lastAtMs)} ago` : "";
      return [
        severity,
        `${message} (first ${formatDurationSpan(nowMs - firstAtMs)} ago${last})`,
      ] as const;
    }),
    ...status.pastNotices.map(
      ({ message, clearedAtMs }) =>
        ["is over", `${message} (until ${formatDurationSpan(nowMs - clearedAtMs)} ago)`] as const,
    ),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)}  ${text}`).join("\n");
}

function formatSpend(side: Status["spend"]["memoryLastDay"]): string {
  return `${formatPlural(side.calls, "call")} · ${formatPlural(side.tokens, "token")}${formatMoneySuffix(side.dollars)}`;
}

function formatMoneySuffix(dollars: number | null): string {
  return dollars === null ? "" : ` · $${dollars.toFixed(4)}`;
}

function formatDaemon({ daemon, running }: Status, nowMs: number): string {
  if (daemon === null) return running ? "starting" : "not running, and never was on this folder";
  const botName = daemon.botLogin ?? "anonymous";
  if (!running)
    return `not running; last seen ${formatDurationSpan(nowMs - daemon.lastSeenAtMs)} ago as ${botName}`;
  const page = daemon.pageUrl === null ? "" : ` · page ${daemon.pageUrl}`;
  return `running as ${botName} for ${formatDurationSpan(nowMs - daemon.startedAtMs)} · mode ${daemon.mode} · ${daemon.provider} ${daemon.model}${page}`;
}

function formatChannelStatus(channel: Status["channels"][number]): string {
  const live = { true: "live", false: "offline", null: "live state unknown" }[`${channel.isLive}`];
  const pace =
    channel.pace === null ? [] : [`${channel.pace}, ${channel.messagesPerMinute} messages/min`];
  const about = [channel.category, channel.title].filter((text) => text !== "");
  return [channel.joined ? "joined" : "not joined", live, ...pace, ...about].join(" · ");
}

function formatBacklog({ backlog, counters }: Status, nowMs: number): string {
  const { waitingEvents, oldestWaitingAtMs, pendingEpisodes, failedEpisodes } = backlog;
  const oldest =
    oldestWaitingAtMs === null ? "" : `, oldest ${formatDurationSpan(nowMs - oldestWaitingAtMs)}`;
  const lines = counters["memory.lines_unread"] ?? 0;
  const unread = lines === 0 ? "" : ` · ${formatPlural(lines, "message")} came too fast to be read`;
  return `${formatPlural(waitingEvents, "event")} waiting${oldest} · ${formatPlural(pendingEpisodes, "episode")} in progress, ${failedEpisodes} failed${unread}`;
}

function formatCleaning({ cleaning }: Status, nowMs: number): string {
  const { pendingSinceMs, lastDoneAtMs, failure, filesPending } = cleaning;
  const failed = failure === null ? "" : `, the last try failed (${failure})`;
  const done =
    lastDoneAtMs === null ? "" : `, cleaned ${formatDurationSpan(nowMs - lastDoneAtMs)} ago`;
  const database =
    pendingSinceMs === null
      ? `nothing is left in the database file${done}`
      : `pending for ${formatDurationSpan(nowMs - pendingSinceMs)}: bytes may be left in unused parts of the database file${failed}`;
  return filesPending ? `${database} · old backups are still to be replaced` : database;
}
