import { localDay } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { counterStore } from "../platform/database/runtime-store.ts";
import { joinedChannels, type Period } from "./period-store.ts";
import {
  activeNotes,
  lastPolicies,
  learnedAround,
  memoryChanges,
  modelSpend,
  outcomeSums,
  promptSums,
  replyQueries,
  replySums,
} from "./report-store.ts";
import { telemetryStore } from "./status-store.ts";

const DAY_MS = 86_400_000;

/** What `report --json` prints: ids, codes and numbers. No chat text, note or episode is in it. */
export type Report = ReturnType<typeof readReport>;

/** Reads a report from the database at once. */
export function readReport(db: Db, period: Period, nowMs: number) {
  const steps = reportSteps(db, period, nowMs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Reads a report in steps of some milliseconds, so that others get their turn in between. */
export function* reportSteps(db: Db, period: Period, nowMs: number) {
  const queries = replyQueries(db, period);
  const replies = replySums(queries);
  yield;
  const prompts = promptSums(queries);
  yield;
  const outcomes = outcomeSums(queries);
  yield;
  const { channels, fromMs, toMs, callsToMs } = period;
  const { spend, callFailures, quarters } = modelSpend(db, fromMs, callsToMs);
  const counters = counterStore(db).read();
  return {
    version: 1 as const,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: toMs - fromMs },
    replies,
    prompts,
    /** True if `spend`, `costPerDay` and `callFailures` include other channels: calls belong to none. */
    isSpendShared: joinedChannels(db).length > channels.length,
    spend,
    callFailures,
    costPerDay: costPerDay(quarters),
    memory: {
      ...memoryChanges(db, { channels, fromMs, toMs: callsToMs }),
      ...activeNotes(db, channels, nowMs),
      backlog: telemetryStore(db, () => nowMs).backlog(),
      /** Since the database was made: events that expired before they were summarised. */
      unsummarised: counters["retention.unsummarised"] ?? 0,
      /** Since then: messages that came faster than the model read them. */
      linesUnread: counters["memory.lines_unread"] ?? 0,
      /** Since then: memory's calls that a cap prevented. */
      cappedCalls: (counters["compaction.failed.cap"] ?? 0) + (counters["extract.failed.cap"] ?? 0),
    },
    outcomes,
    drift: readDrift(db, period),
  };
}

/** Adds up what each local day cost, memory apart from answers. Dollars are null if no price is known. */
function costPerDay(quarters: ReturnType<typeof modelSpend>["quarters"]) {
  const days = new Map<string, ReturnType<typeof emptyDay>>();
  for (const { atMs, isMemory, tokens, dollars } of quarters) {
    const day = localDay(atMs);
    const sums = days.get(day) ?? emptyDay(day);
    days.set(day, sums);
    const side = isMemory === 1 ? sums.memory : sums.answers;
    side.tokens += tokens;
    if (dollars !== null) side.dollars = (side.dollars ?? 0) + dollars;
  }
  return [...days.values()];
}

function emptyDay(day: string) {
  const nothing: { tokens: number; dollars: number | null } = { tokens: 0, dollars: null };
  return { day, answers: { ...nothing }, memory: { ...nothing } };
}

const DRIFT_DAYS = 30;
/** Fewer notes on a side make no comparison. */
const DRIFT_NOTES_MIN = 5;

/** Compares what was learned before and after the last change of the memory policy; null if that is 30 days ago. */
function readDrift(db: Db, { channels, toMs }: Period) {
  const [policy, previous] = lastPolicies(db, toMs);
  if (policy === undefined || previous === undefined) return null;
  const { number, source, atMs } = policy;
  if (atMs < toMs - DRIFT_DAYS * DAY_MS) return null;
  const fromMs = Math.max(previous.atMs, atMs - DRIFT_DAYS * DAY_MS);
  const { notesBefore, notesAfter, cosine } = learnedAround(db, { channels, fromMs, toMs }, atMs);
  const isEnough = Math.min(notesBefore, notesAfter) >= DRIFT_NOTES_MIN;
  return {
    policy: { number, source, atMs },
    notesBefore,
    notesAfter,
    cosine: isEnough ? cosine : null,
  };
}
