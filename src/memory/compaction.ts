import type { WindowEvent } from "../chat/event-reads-store.ts";
import type { LlmFailure } from "../models/model-port.ts";
import { checkSummary, type SummaryCheck } from "./check-summary.ts";
import type { ClaimedEpisode } from "./episode-store.ts";
import {
  askForJson,
  type LearningStep,
  NOTHING_USABLE,
  type NoAnswer,
  planRetry,
} from "./learning.ts";
import type { LearningParts } from "./memory-loop.ts";
import {
  summarySchema,
  type WrittenSummary,
  writeSummaryInstructions,
  writeSummaryQuestion,
} from "./summary-prompt.ts";
import { DIRECT_EVENTS_MIN, readWindow, sizeWindow, type Window } from "./windows.ts";

/** The pause that ends a conversation with the bot. */
const DIRECT_QUIET_MS = 60_000;
/** The most tries in a row for a window, if messages of it are removed while the model reads it. */
const REDO_MAX = 3;
/** A smaller window may get through. */
const SMALLER_HELPS: ReadonlySet<LlmFailure> = new Set<LlmFailure>(["blocked", "truncated"]);

/**
 * The outcome of one try. `done`: the episode has a summary or is a gap. `again`: a removal made the try out of date.
 * `later`: the episode is due again later. `wait`: the model cannot be used now.
 */
type Progress = "done" | "again" | "later" | "wait";

/**
 * Returns a function that makes episodes of a channel's due chat, one window and model call at a time. It leaves
 * messages that arrive after its start. It ends early, without rejecting, after an abort, or if the model cannot be
 * used. The next call resumes the window.
 */
export function openCompactor(
  parts: LearningParts,
): (channel: string, signal: AbortSignal) => Promise<void> {
  const instructions = writeSummaryInstructions(parts.fence);
  /** Channels whose ended stream is closed. Later messages belong to no stream. */
  const closed = new Set<string>();
  return async (channel, signal) => {
    const isOver = parts.isOver(channel);
    if (!isOver) closed.delete(channel);
    // Later messages wait for the next pass: fast chat and a slow model would make this one endless.
    const at = { startedAtMs: parts.now(), isOver: isOver && !closed.has(channel) };
    if (!(await drain({ ...parts, instructions, signal }, channel, at))) return;
    parts.notices.clear("memory_behind");
    if (isOver) closed.add(channel);
  };
}

/** The start of a pass. `isOver`: the stream has ended and its rest is not closed yet. */
type PassStart = Readonly<{ startedAtMs: number; isOver: boolean }>;

/** Makes episodes of the due chat. Returns false if it stopped before the last one. */
async function drain(step: LearningStep, channel: string, at: PassStart): Promise<boolean> {
  while (!step.signal.aborted && step.mayWork()) {
    if (!step.flush()) return false;
    const due = step.episodes.due(channel, step.now())[0];
    const episode = due ?? (await claimNext(step, channel, at));
    if (episode === null) return true;
    await step.breathe();
    if ((await summarise(step, episode)) === "wait") return false;
  }
  return false;
}

/**
 * Makes an episode of the next window. A conversation with the bot that has been quiet for a minute comes first. Null
 * if none is due. Pauses between reads so that chat is read, too.
 */
async function claimNext(
  { episodes, now, breathe, config }: LearningParts,
  channel: string,
  { startedAtMs, isOver }: PassStart,
): Promise<ClaimedEpisode | null> {
  await breathe();
  const [talk] = episodes.events.findDirectTalks(
    channel,
    DIRECT_EVENTS_MIN,
    now() - DIRECT_QUIET_MS,
  );
  await breathe();
  const waiting = episodes.events.countWaiting(channel, startedAtMs);
  await breathe();
  const count =
    talk?.events ??
    sizeWindow(waiting, {
      nowMs: startedAtMs,
      isOver,
      intervalMs: config.memory.compactionSeconds * 1_000,
    });
  return count > 0 ? episodes.claim(channel, count, talk?.userId ?? null) : null;
}

/** Tries again, three times in all, if removals make the try out of date. An episode without messages becomes a gap. */
async function summarise(step: LearningStep, episode: ClaimedEpisode): Promise<Progress> {
  for (let redo = 0; redo < REDO_MAX; redo += 1) {
    const events = step.episodes.events.eventsOf(episode.id);
    if (events.length === 0) return makeGap(step, episode, "no_text");
    const progress = await trySummary(step, episode, events);
    if (progress !== "again") return progress;
    step.counters.bump("compaction.redone");
  }
  return "later";
}

/** Asks for a summary and stores it. Leaves out claims on topics that their subject asked to forget for good. */
async function trySummary(
  step: LearningStep,
  episode: ClaimedEpisode,
  events: readonly WindowEvent[],
): Promise<Progress> {
  const { episodes, counters, now, breathe } = step;
  const { id, channel, kind } = episode;
  const mark = episodes.forgetMark();
  // No `await` since the read: a removal cannot come in between.
  const window = readWindow(step, events, episodes.readContext(channel, events));
  const eventIds = window.shownIds;
  const isStale = () => episodes.isStale(id, { eventIds, mark });
  const answer = await askForSummary(step, { ...window, isStale }, false);
  if (!answer.ok) {
    return isStale() ? "again" : handleFailure(step, { episode, events }, answer);
  }
  await breathe();
  const check = await checkOrAskAgain(step, { ...window, isStale }, answer.value);
  await breathe();
  if (check.kind !== "good") return handleFailure(step, { episode, events }, NOTHING_USABLE);
  if (step.signal.aborted || !step.mayWork()) return "wait";
  // Extracts a conversation with the bot at once, before the next one.
  const waitMs = kind === "direct" ? 0 : step.config.memory.noteSeconds * 1_000;
  const claims = check.summary.claims.filter(
    ({ subjectId, statement }) =>
      subjectId === null || !step.suppressions.isSuppressed(subjectId, statement),
  );
  const summary = { ...check.summary, claims };
  const notesAtMs = now() + waitMs;
  if (!episodes.complete(id, { eventIds, mark, notesAtMs }, summary)) return "again";
  notifyUnread(step, events.length - window.lines.length);
  for (const reason of check.dropped) counters.bump(`compaction.${reason}`);
  step.log.info(
    { episode: id, events: events.length, claims: check.summary.claims.length },
    "an episode was made",
  );
  return "done";
}

/** Notifies the streamer that the model did not see `lines` events of a window; does nothing for 0. */
function notifyUnread({ counters, notices }: LearningParts, lines: number): void {
  if (lines <= 0) return;
  counters.bump("memory.lines_unread", lines);
  notices.raise(
    "memory_behind",
    "warning",
    "Chat was faster than the model, which read only a part of it. Raise `llm.caps`, or set a faster `llm.model`; `forgetmenot status` counts the unread lines.",
  );
}

/**
 * Checks a summary. If its topic or summary copied chat, asks once more, and cuts what the second answer copied. If
 * that answer is unusable, cuts the first one.
 */
async function checkOrAskAgain(
  step: LearningStep,
  window: SentWindow,
  written: WrittenSummary,
): Promise<SummaryCheck> {
  const first = checkSummary(written, { ...window, cut: false });
  if (first.kind !== "transcript") return first;
  step.counters.bump("compaction.copied");
  const second = await askForSummary(step, window, true);
  const better = second.ok ? checkSummary(second.value, { ...window, cut: true }) : null;
  return better?.kind === "good" ? better : checkSummary(written, { ...window, cut: true });
}

interface SentWindow extends Window {
  /** True if a text was removed, or a viewer forgotten, since the read. */
  readonly isStale: () => boolean;
}

function askForSummary(
  step: LearningStep,
  { lines, labels, isStale, fromMs, toMs }: SentWindow,
  copiedBefore: boolean,
) {
  const { fence } = step;
  const tail = writeSummaryQuestion(lines, labels, { fence, copiedBefore, fromMs, toMs });
  return askForJson(step, "summarise", { tail, isStale }, summarySchema);
}

/**
 * Postpones the episode, or moves its second half to a new one if that may help. Makes it a gap after the fifth try.
 * Does nothing after an abort.
 */
function handleFailure(
  step: LearningStep,
  { episode, events }: { episode: ClaimedEpisode; events: readonly WindowEvent[] },
  answer: NoAnswer,
): Progress {
  if (step.signal.aborted) return "wait";
  const { episodes, counters, now } = step;
  const { failure } = answer;
  counters.bump(`compaction.failed.${failure}`);
  const next = planRetry(episode.attempts, answer, now());
  if (next.kind === "give_up") return makeGap(step, episode, failure);
  if (next.kind === "wait") {
    episodes.postpone(episode.id, episode.attempts, next.atMs);
    return "wait";
  }
  if (SMALLER_HELPS.has(failure) && events.length > 1) {
    const second = events.slice(Math.ceil(events.length / 2)).map(({ id }) => id);
    episodes.split(episode.id, second, next.attempts);
  } else {
    episodes.postpone(episode.id, next.attempts, next.atMs);
  }
  return "later";
}

/** Makes an episode a gap, and notifies the streamer. */
function makeGap(step: LearningStep, { id }: ClaimedEpisode, reason: string): Progress {
  step.episodes.toGap(id);
  step.counters.bump(`compaction.gap.${reason}`);
  step.notices.raise(
    "memory_gap",
    "warning",
    "Some chat could not be summarised: the model gave no usable summary. Nothing to do; the page shows the gap under Memory.",
  );
  return "done";
}
