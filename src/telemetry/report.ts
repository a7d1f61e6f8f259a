import type { Db } from "../platform/database/open-database.ts";
import { counterStore, runtimeStore } from "../platform/database/runtime-store.ts";
import { type Drift, readDrift } from "./drift.ts";
import type { Tally } from "./figures.ts";
import { countedIn } from "./heartbeat.ts";
import { type OutcomeScores, outcomeScores } from "./outcome-scores.ts";
import { type Period, streamStore } from "./period-store.ts";
import { visitReplies } from "./replies-store.ts";
import {
  type MemoryUse,
  memoryUse,
  type PromptUse,
  promptUse,
  type ReplyCounts,
  replyCounts,
  type Stretch,
  timeLine,
} from "./reply-counts.ts";
import {
  callFailures,
  callsBetween,
  type MemoryChanges,
  type ModelSpend,
  memoryReportStore,
  type NoteStock,
  spendOf,
} from "./report-store.ts";
import { type Sorted, sortedBy } from "./status.ts";
import { type Backlog, telemetryStore } from "./status-store.ts";

/** What a streamer reads after a stream: ids, codes and numbers. No text of chat, of a note or of an episode is in it. */
export interface Report {
  readonly version: 1;
  readonly madeAtMs: number;
  readonly period: Period & { readonly lengthMs: number };
  readonly replies: ReplyCounts;
  readonly prompts: PromptUse;
  readonly timeLine: readonly Stretch[];
  readonly spend: ModelSpend;
  /** Calls belong to no channel: those of other channels, too, are in `spend` and `callFailures`. */
  readonly isSpendShared: boolean;
  /** Why calls to a model failed. */
  readonly callFailures: Tally;
  readonly memory: MemoryChanges & NoteStock & Used & Counted & { readonly backlog: Backlog };
  readonly outcomes: OutcomeScores;
  /** Everything else that is counted. */
  readonly counted: {
    /** `stream`: since it began, until the next one did. `ever`: since the database was made. */
    readonly over: "stream" | "ever";
    readonly counts: Tally;
  };
  /** null for a stretch of time that is no stream. */
  readonly drift: Drift | null;
}

/** What the counters counted of memory's work, over the time that `counted` says. */
interface Counted {
  /** How each model sorted claims: one that calls everything new fills memory with sayings of the same. */
  readonly sorted: readonly Sorted[];
  /** Events that ran out before they were summarised. */
  readonly unsummarised: number;
  /** Lines of chat that came faster than the model read them. */
  readonly linesUnread: number;
  /** Calls for memory that a cap did not allow. */
  readonly cappedCalls: number;
}

interface Used {
  /** Different notes and episodes that stood in prompts that were sent. */
  readonly notesUsed: number;
  readonly episodesUsed: number;
  readonly mostUsedNotes: readonly IdUses[];
  readonly mostUsedEpisodes: readonly IdUses[];
  /** Episodes of the period that stood in no prompt of it, oldest first. */
  readonly episodesUnused: readonly number[];
  readonly unusedEpisodes: number;
  /** Active notes that stood in no prompt of the period. */
  readonly activeUnused: number;
  readonly notesDropped: number;
}

interface IdUses {
  readonly id: number;
  readonly uses: number;
}

const MOST_USED_SHOWN = 10;

/** Reads a report from the database, in short statements. Takes about 60 µs a reply. */
export function readReport(db: Db, period: Period, nowMs: number): Report {
  const steps = reportSteps(db, period, nowMs);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of some milliseconds, so that others are served in between. */
export function* reportSteps(db: Db, period: Period, nowMs: number): Generator<void, Report> {
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
  const { fromMs, callsToMs } = period;
  const streams = streamStore(db);
  const stream = period.sessionId === null ? null : streams.stream(period.sessionId);
  const counted = countedFor(db, period.sessionId);
  return {
    version: 1,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: period.toMs - fromMs },
    replies: parts.replies.read(),
    prompts: parts.prompts.read(),
    timeLine: parts.timeLine.read(),
    spend: spendOf(callsBetween(db, fromMs, callsToMs)),
    isSpendShared: streams.channels().length > period.channels.length,
    callFailures: callFailures(db, fromMs, callsToMs),
    memory: {
      ...(yield* memoryOf(db, { period, nowMs }, parts.use.read())),
      ...countedOf(counted.counts),
    },
    outcomes: parts.outcomes.read(),
    counted,
    drift: stream === null ? null : yield* readDrift(db, stream, period.toMs),
  };
}

function* memoryOf(
  db: Db,
  { period, nowMs }: { readonly period: Period; readonly nowMs: number },
  { notes, episodes, notesDropped }: MemoryUse,
): Generator<void, Omit<Report["memory"], keyof Counted>> {
  const store = memoryReportStore(db);
  const stock = yield* store.stock(period.channels, { nowMs });
  const memorySpan = { ...period, toMs: period.callsToMs };
  const episodesUnused = store.shownEpisodes(memorySpan).filter((id) => !episodes.has(id));
  return {
    ...store.changes(memorySpan),
    ...stock,
    notesUsed: notes.size,
    episodesUsed: episodes.size,
    mostUsedNotes: mostUsed(notes),
    mostUsedEpisodes: mostUsed(episodes),
    episodesUnused,
    unusedEpisodes: episodesUnused.length,
    activeUnused: stock.active - store.activeAmong([...notes.keys()], { nowMs }),
    notesDropped,
    backlog: telemetryStore(db, () => nowMs).backlog(),
  };
}

function countedOf(counts: Tally): Counted {
  return {
    sorted: sortedBy(counts),
    unsummarised: counts["retention.unsummarised"] ?? 0,
    linesUnread: counts["memory.lines_unread"] ?? 0,
    cappedCalls: (counts["compaction.failed.cap"] ?? 0) + (counts["extract.failed.cap"] ?? 0),
  };
}

function mostUsed(uses: ReadonlyMap<number, number>): IdUses[] {
  const most = [...uses.values()].sort((one, other) => other - one)[MOST_USED_SHOWN - 1] ?? 0;
  return [...uses]
    .filter(([, count]) => count >= most)
    .map(([id, count]) => ({ id, uses: count }))
    .sort((one, other) => other.uses - one.uses || one.id - other.id)
    .slice(0, MOST_USED_SHOWN);
}

function countedFor(db: Db, sessionId: number | null): Report["counted"] {
  const counters = counterStore(db);
  const ofStream =
    sessionId === null
      ? null
      : countedIn(
          sessionId,
          runtimeStore(db, () => 0),
          counters,
        );
  if (ofStream !== null) return { over: "stream", counts: ofStream };
  return { over: "ever", counts: counters.read() };
}
