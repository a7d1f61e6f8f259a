import type { Db } from "../database/open-database.ts";
import { counterStore } from "../database/runtime-store.ts";
import { joinedChannels, type Period } from "./period-store.ts";
import {
  learningDrift,
  memoryChanges,
  modelSpend,
  outcomeSums,
  promptSums,
  replyQueries,
  replySums,
} from "./report-store.ts";
import { telemetryStore } from "./status-store.ts";

/** What `report --json` prints: ids, codes and numbers. No chat text, note or episode is in it. */
export type Report = ReturnType<typeof readReport>;

/** Reads a report from the database. */
export function readReport(db: Db, period: Period, nowMs: number) {
  const queries = replyQueries(db, period);
  const { channels, fromMs, toMs, callsToMs } = period;
  const { spend, callFailures, costPerDay } = modelSpend(db, fromMs, callsToMs);
  const counters = counterStore(db).read();
  return {
    version: 1 as const,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: toMs - fromMs },
    replies: replySums(queries),
    prompts: promptSums(queries),
    /** True if `spend`, `costPerDay` and `callFailures` include other channels: calls belong to none. */
    isSpendShared: joinedChannels(db).length > channels.length,
    spend,
    callFailures,
    costPerDay,
    memory: {
      ...memoryChanges(db, { channels, fromMs, toMs: callsToMs }, nowMs),
      backlog: telemetryStore(db, () => nowMs).backlog(),
      /** These count since the database was made. Events that expired before they were summarised: */
      unsummarised: counters["retention.unsummarised"] ?? 0,
      /** Messages that came faster than the model read them: */
      linesUnread: counters["memory.lines_unread"] ?? 0,
      /** Memory's calls that a cap prevented: */
      cappedCalls: (counters["compaction.failed.cap"] ?? 0) + (counters["extract.failed.cap"] ?? 0),
    },
    outcomes: outcomeSums(queries),
    drift: learningDrift(db, period),
  };
}
