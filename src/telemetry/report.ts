import type { Db } from "../platform/database/open-database.ts";
import { counterStore, runtimeStore } from "../platform/database/runtime-store.ts";
import { readDrift } from "./drift.ts";
import type { Tally } from "./figures.ts";
import { countedIn } from "./heartbeat.ts";
import { outcomeScores } from "./outcome-scores.ts";
import { type Period, streamStore } from "./period-store.ts";
import { visitReplies } from "./replies-store.ts";
import { type Collected, memoryUse, promptUse, replyCounts, timeLine } from "./reply-counts.ts";
import { memoryReportStore, spendBetween } from "./report-store.ts";
import { sortedBy } from "./status.ts";
import { telemetryStore } from "./status-store.ts";

const MOST_USED_SHOWN = 10;

/** What a streamer reads after a stream: ids, codes and numbers. No text of chat, of a note or of an episode is in it. */
export type Report = ReturnType<typeof readReport>;

/** Reads a report from the database, in short statements. Takes about 60 µs a reply. */
export function readReport(db: Db, period: Period, nowMs: number) {
  const steps = reportSteps(db, period, nowMs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of some milliseconds, so that others are served in between. */
export function* reportSteps(db: Db, period: Period, nowMs: number) {
  const parts = {
    replies: replyCounts(),
    prompts: promptUse(),
    timeLine: timeLine(period),
    use: memoryUse(),
    outcomes: outcomeScores(),
  };
  yield* visitReplies(db, period, (reply) => {
    for (const part of Object.values(parts)) part.add(reply);
  });
  const { fromMs, callsToMs, sessionId } = period;
  const streams = streamStore(db);
  const stream = sessionId === null ? null : streams.stream(sessionId);
  const counted = countedFor(db, sessionId);
  return {
    version: 1 as const,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: period.toMs - fromMs },
    replies: parts.replies.read(),
    prompts: parts.prompts.read(),
    timeLine: parts.timeLine.read(),
    /** Calls belong to no channel: those of other channels, too, are in `spend` and `callFailures`. */
    isSpendShared: streams.channels().length > period.channels.length,
    ...spendBetween(db, fromMs, callsToMs),
    memory: {
      ...(yield* memoryOf(db, { period, nowMs }, parts.use.read())),
      ...countedOf(counted.counts),
    },
    outcomes: parts.outcomes.read(),
    counted,
    /** null for a stretch of time that is no stream. */
    drift: stream === null ? null : yield* readDrift(db, stream, period.toMs),
  };
}

function* memoryOf(
  db: Db,
  { period, nowMs }: { readonly period: Period; readonly nowMs: number },
  { notes, episodes, notesDropped }: Collected<typeof memoryUse>,
) {
  const store = memoryReportStore(db);
  const stock = yield* store.stock(period.channels, { nowMs });
  const memorySpan = { ...period, toMs: period.callsToMs };
  const episodesUnused = store.shownEpisodes(memorySpan).filter((id) => !episodes.has(id));
  return {
    ...store.changes(memorySpan),
    ...stock,
    /** Different ones that stood in prompts that were sent. */
    notesUsed: notes.size,
    episodesUsed: episodes.size,
    mostUsedNotes: mostUsed(notes),
    mostUsedEpisodes: mostUsed(episodes),
    /** Episodes of the period that stood in no prompt of it, oldest first. */
    episodesUnused,
    unusedEpisodes: episodesUnused.length,
    /** Active notes that stood in no prompt of the period. */
    activeUnused: stock.active - store.activeAmong([...notes.keys()], { nowMs }),
    notesDropped,
    backlog: telemetryStore(db, () => nowMs).backlog(),
  };
}

/** What the counters counted of memory's work, over the time that `counted` says. */
function countedOf(counts: Tally) {
  return {
    /** One that calls everything new fills memory with sayings of the same. */
    sorted: sortedBy(counts),
    /** Events that ran out before they were summarised. */
    unsummarised: counts["retention.unsummarised"] ?? 0,
    /** Lines of chat that came faster than the model read them. */
    linesUnread: counts["memory.lines_unread"] ?? 0,
    /** Calls for memory that a cap did not allow. */
    cappedCalls: (counts["compaction.failed.cap"] ?? 0) + (counts["extract.failed.cap"] ?? 0),
  };
}

function mostUsed(uses: ReadonlyMap<number, number>) {
  return [...uses]
    .map(([id, count]) => ({ id, uses: count }))
    .sort((one, other) => other.uses - one.uses || one.id - other.id)
    .slice(0, MOST_USED_SHOWN);
}

/** `stream`: since it began, until the next one did. `ever`: since the database was made. */
function countedFor(db: Db, sessionId: number | null) {
  const counters = counterStore(db);
  const runtime = runtimeStore(db, () => 0);
  const counts = sessionId === null ? null : countedIn(sessionId, runtime, counters);
  return counts === null
    ? { over: "ever" as const, counts: counters.read() }
    : { over: "stream" as const, counts };
}
