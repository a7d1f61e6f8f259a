import { z } from "zod";
import type { Log } from "../log.ts";
import { counterStore } from "../platform/database/counters-store.ts";
import { type Notice, noticeBoard, type PastNotice } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { type Switches, switchStore } from "../platform/database/switches-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { FORGETTING } from "../privacy/forget-store.ts";
import { HEARTBEAT, type Heartbeat, heartbeatSchema } from "./heartbeat.ts";
import { type NoteTally, noteTally } from "./notes-store.ts";
import { type Backlog, type Counts, type SpendSummary, telemetryStore } from "./status-store.ts";
import type { Tally } from "./tally.ts";

export interface Status {
  readonly running: boolean;
  /** Of the running daemon, or of the last one. */
  readonly daemon: (Heartbeat & { readonly lastSeenAtMs: number }) | null;
  readonly channels: readonly ChannelStatus[];
  readonly switches: Switches;
  readonly counts: Counts;
  readonly backlog: Backlog;
  /** Of the last 24 h. */
  readonly notes: NoteTally;
  readonly replies: { readonly byState: Tally; readonly byReason: Tally };
  readonly spend: SpendSummary;
  readonly cleaning: Cleaning;
  readonly notices: readonly Notice[];
  /** What is over, of the last week. */
  readonly pastNotices: readonly PastNotice[];
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

export interface ChannelStatus {
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

export interface StatusParts {
  readonly db: Db;
  readonly now: () => number;
  readonly log: Log;
  /** Whether a daemon holds the data folder. */
  readonly running: boolean;
}

/** Everything `status` and the page show, read from the database alone. No chat text is in it. */
export function readStatus({ db, now, log, running }: StatusParts): Status {
  const store = telemetryStore(db);
  const notices = noticeBoard(db, now, log);
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema);
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
    counts: store.counts(),
    backlog: store.backlog(),
    notes: noteTally(db)(now() - DAY_MS),
    replies: store.replies(now()),
    spend: store.spend(now()),
    cleaning: readCleaning(db, now),
    notices: notices.list(),
    pastNotices: notices.past(),
    counters: counterStore(db).read(),
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
