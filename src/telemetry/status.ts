import { z } from "zod";
import { noticeLists } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { counterStore, runtimeStore, switchStore } from "../platform/database/runtime-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { percent, plural, type Tally } from "./figures.ts";
import { FORGETTING, HEARTBEAT, heartbeatSchema } from "./heartbeat.ts";
import { noteTally, telemetryStore } from "./status-store.ts";

const DAY_MS = 86_400_000;

interface StatusParts {
  readonly db: Db;
  readonly now: () => number;
  /** Whether a daemon holds the data folder. */
  readonly running: boolean;
}

export type Status = ReturnType<typeof readStatus>;

/** Everything that `status` shows, read from the database alone. No chat text is in it. */
export function readStatus(parts: StatusParts) {
  const { db, now } = parts;
  const store = telemetryStore(db, now);
  return {
    ...readStatusNow(parts),
    counts: store.counts(),
    backlog: store.backlog(),
    /** Of the last 24 h. */
    notes: noteTally(db, now)(now() - DAY_MS),
    replies: store.replies(),
    cleaning: readCleaning(db, now),
    counters: counterStore(db).read(),
  };
}

export type StatusNow = ReturnType<typeof readStatusNow>;

/** The part of it that takes the same time however much is kept. */
export function readStatusNow({ db, now, running }: StatusParts) {
  const store = telemetryStore(db, now);
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema);
  const told = noticeLists(db, now);
  return {
    running,
    /** Of the running daemon, or of the last one. */
    daemon: beat === null ? null : { ...beat.value, lastSeenAtMs: beat.updatedAtMs },
    channels: store.channels().map(({ isLive, ...row }) => {
      const live = beat?.value.channels.find(({ channel }) => running && channel === row.channel);
      return {
        ...row,
        joined: live?.joined ?? false,
        /** null: not known. */
        isLive: isLive === null ? null : isLive === 1,
        pace: live?.pace ?? null,
        messagesPerMinute: live?.messagesPerMinute ?? null,
      };
    }),
    switches: switchStore(db, now).read(),
    spend: store.spend(),
    notices: told.list(),
    /** What is over, of the last week. */
    pastNotices: told.past(),
  };
}

/** Whether what was removed is gone to the last byte. */
function readCleaning(db: Db, now: () => number) {
  const { dueSinceMs, endedAtMs, failures, failure, filesDue } = vacuumQueue(db, now).state();
  const forgetting = runtimeStore(db, now).read(FORGETTING, z.object({ people: z.int() }));
  const isForgetting = forgetting !== null && forgetting.value.people > 0;
  return {
    /** Since when bytes of it may stand in unused parts of the file, or in sentences; null where none can. */
    pendingSinceMs: dueSinceMs ?? (isForgetting ? forgetting.updatedAtMs : null),
    lastDoneAtMs: failures === 0 ? endedAtMs : null,
    /** Code of the last try's failure; null where it did not fail. */
    failure,
    /** Whether a backup or export that the program made may still hold somebody who was forgotten. */
    filesPending: filesDue,
  };
}

/** A status as lines for a terminal. */
export function statusText(status: Status, nowMs: number): string {
  const since = (ms: number): string => ago(nowMs - ms);
  const rows: (readonly [label: string, text: string])[] = [
    ["bot", daemonLine(status, since)],
    ...status.channels.map((one) => [`#${one.channel}`, channelLine(one)] as const),
    ["switches", switchesLine(status)],
    ["kept", keptLine(status)],
    ["backlog", backlogLine(status, since)],
    ["notes 24 h", notesLine(status)],
    ...sortedBy(status.counters).map((one) => ["sorted", sortedLine(one)] as const),
    ["replies 24 h", tallyLine(status.replies.byState)],
    ["not sent", tallyLine(status.replies.byReason)],
    ["model 24 h", spendLine(status)],
    ["removed", cleaningLine(status, since)],
    ...status.notices.map(({ severity, message, lastAtMs, count }) => {
      const times = count > 1 ? `, ${count} times` : "";
      return [severity, `${message} (${since(lastAtMs)} ago${times})`] as const;
    }),
    ...status.pastNotices.map(
      ({ message, clearedAtMs }) =>
        ["is over", `${message} (until ${since(clearedAtMs)} ago)`] as const,
    ),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)}  ${text}`).join("\n");
}

type Since = (atMs: number) => string;

const RELATION_COUNTER = /^extract\.relation\.(.+)\.(new|same|adds|replaces)$/;

/** How each model sorted claims, by the counters: of how many it called which share new. */
export function sortedBy(counters: Tally) {
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

function sortedLine({
  model,
  claims,
  newShare,
  relations,
}: ReturnType<typeof sortedBy>[number]): string {
  return `${model}: ${percent(newShare)} of ${plural(claims, "claim")} new · ${tallyLine(relations)}`;
}

function daemonLine({ daemon, running }: Status, since: Since): string {
  if (daemon === null) return running ? "starting" : "not running, and never was on this folder";
  const who = daemon.botLogin ?? "anonymous";
  if (!running) return `not running; last seen ${since(daemon.lastSeenAtMs)} ago as ${who}`;
  const page = daemon.pageUrl === null ? "" : ` · page ${daemon.pageUrl}`;
  return `running as ${who} for ${since(daemon.startedAtMs)} · mode ${daemon.mode} · ${daemon.provider} ${daemon.model}${page}`;
}

function channelLine(channel: Status["channels"][number]): string {
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

function backlogLine({ backlog, counters }: Status, since: Since): string {
  const { waitingEvents, oldestWaitingAtMs, pendingEpisodes, failedEpisodes } = backlog;
  const oldest = oldestWaitingAtMs === null ? "" : `, oldest ${since(oldestWaitingAtMs)}`;
  const lines = counters["memory.lines_unread"] ?? 0;
  const unread = lines === 0 ? "" : ` · ${plural(lines, "line")} came too fast to be read`;
  return `${plural(waitingEvents, "event")} waiting${oldest} · ${plural(pendingEpisodes, "episode")} in work, ${failedEpisodes} failed${unread}`;
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
  const wait =
    waiting === 0
      ? ""
      : ` · ${waiting} ${waiting === 1 ? "waits" : "wait"} for your word: \`forgetmenot memory list --status pending\``;
  return `${made} new, ${confirmed} confirmed, ${superseded} replaced another, ${evicted} made room, ${dropped} dropped${why}${wait}`;
}

function spendLine({ spend }: Status): string {
  const { callsLastDay, callsLastHour, tokensLastDay, dollarsLastDay, failuresLastDay } = spend;
  const money = dollarsLastDay === null ? "" : ` · $${dollarsLastDay.toFixed(4)}`;
  const hasFailed = Object.keys(failuresLastDay).length > 0;
  const failed = hasFailed ? ` · failed: ${tallyLine(failuresLastDay)}` : "";
  return `${plural(callsLastDay, "call")} (${callsLastHour} in the last hour) · ${plural(tokensLastDay, "token")}${money}${failed}`;
}

function cleaningLine({ cleaning }: Status, since: Since): string {
  const { pendingSinceMs, lastDoneAtMs, failure, filesPending } = cleaning;
  const failed = failure === null ? "" : `, the last try failed (${failure})`;
  const done = lastDoneAtMs === null ? "" : `, cleaned ${since(lastDoneAtMs)} ago`;
  const database =
    pendingSinceMs === null
      ? `nothing is left in the database file${done}`
      : `pending for ${since(pendingSinceMs)}: bytes may be left in unused parts of the database file${failed}`;
  return filesPending ? `${database} · backups and exports are still to be rewritten` : database;
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
