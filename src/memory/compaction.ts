import type { ForbiddenWords } from "../language/banned.ts";
import type { Fence } from "../language/fence.ts";
import { estimateTokens } from "../language/tokens.ts";
import type { Log } from "../log.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Counters, Switches } from "../platform/database/runtime-store.ts";
import type { Llm, LlmAnswer, LlmFailure } from "../platform/models/model-port.ts";
import { checkSummary, type SummaryCheck, type SummaryContext } from "./check-summary.ts";
import type { ClaimedEpisode, EpisodeStore, Summary, WindowEvent } from "./episode-store.ts";
import { type RetryPolicy, retryPolicy } from "./retry.ts";
import {
  summaryInstructions,
  summaryQuestion,
  summarySchema,
  type WrittenSummary,
} from "./summary-prompt.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import { DIRECT_EVENTS_MIN, halve, nextWindow, readWindow, type Window } from "./windows.ts";

export interface CompactionParts {
  readonly channels: readonly string[];
  /** Logins and names of the bot: it is nobody to remember. */
  readonly botNames: () => readonly string[];
  readonly bannedWords: () => ForbiddenWords;
  readonly fence: Fence;
  readonly episodes: EpisodeStore;
  readonly suppressions: Pick<SuppressionStore, "isSuppressed">;
  readonly llm: Llm;
  readonly switches: () => Switches;
  /** How long an episode waits for others before notes are made of them, in ms. */
  readonly noteMs: () => number;
  /** Brings buffered chat into the database. */
  readonly flush: () => void;
  /** Whether the channel is known to be offline. */
  readonly isOver: (channel: string) => boolean;
  readonly counters: Counters;
  readonly notices: NoticeBoard;
  readonly now: () => number;
  readonly log: Log;
}

export interface Compaction {
  /** Summarises all that is due, in every channel; joins a pass that is under way. Never rejects for a model's failure. */
  run(): Promise<void>;
  /** Lets go of the model; what was claimed is taken up again at the next start. */
  close(): Promise<void>;
}

/** A conversation with the bot counts as over after so long a pause. */
const DIRECT_QUIET_MS = 60_000;
/** How often a window is done again at once because a text in it went while the model read it. */
const REDO_MAX = 3;

/** A smaller window may get through. */
const SMALLER_HELPS: ReadonlySet<LlmFailure> = new Set<LlmFailure>(["blocked", "truncated"]);

/** What became of one look at an episode. `wait` means that the model is no use right now. */
type Progress = "done" | "again" | "later" | "wait";

/** The loop that turns windows of chat into episodes. One model call at a time; ingest never waits for it. */
export function compaction(parts: CompactionParts): Compaction {
  const closing = new AbortController();
  const instructions = summaryInstructions(parts.fence);
  const retry = retryPolicy();
  let pass: Promise<void> | null = null;
  const summarise = summariser({ ...parts, instructions, retry, signal: closing.signal });

  /** Channels whose stream has ended and whose rest was closed: what is said after that is no stream's end. */
  const closed = new Set<string>();

  const next = (channel: string, at: PassStart): ClaimedEpisode | null => {
    parts.flush();
    return parts.episodes.due(channel, parts.now())[0] ?? claimNext(parts, channel, at);
  };
  /** Gives true where nothing is left to do, false where the rest has to wait. */
  const drainFrom = async (channel: string, at: PassStart): Promise<boolean> => {
    while (!closing.signal.aborted && mayWork(parts)) {
      const episode = next(channel, at);
      if (episode === null) return true;
      if ((await summarise(episode)) === "wait") return false;
    }
    return false;
  };
  const drain = async (channel: string): Promise<void> => {
    const isOver = parts.isOver(channel);
    if (!isOver) closed.delete(channel);
    // What is written meanwhile waits for the next pass: a fast chat and a slow model would make it endless.
    const at = { startedAtMs: parts.now(), isOver: isOver && !closed.has(channel) };
    if (!(await drainFrom(channel, at))) return;
    parts.notices.clear("memory_behind");
    if (isOver) closed.add(channel);
  };
  const runOnce = async (): Promise<void> => {
    for (const channel of parts.channels) await drain(channel);
  };
  return {
    run: () => {
      pass ??= runOnce().finally(() => {
        pass = null;
      });
      return pass;
    },
    close: async () => {
      closing.abort();
      await pass?.catch(() => undefined);
    },
  };
}

function mayWork(parts: CompactionParts): boolean {
  const { paused, readOnly } = parts.switches();
  return !paused && !readOnly;
}

interface PassStart {
  readonly startedAtMs: number;
  /** The stream has ended, and what was left of it is not closed yet. */
  readonly isOver: boolean;
}

/** Claims the next window, a finished conversation with the bot first. Null while nothing is ripe. */
function claimNext(
  parts: CompactionParts,
  channel: string,
  { startedAtMs, isOver }: PassStart,
): ClaimedEpisode | null {
  const { episodes, now } = parts;
  const [talk] = episodes.directTalks(channel, DIRECT_EVENTS_MIN, now() - DIRECT_QUIET_MS);
  const count = nextWindow(episodes.waiting(channel, startedAtMs), {
    nowMs: startedAtMs,
    isOver,
  });
  const claim = (kind: "direct" | "window", events: number, userId: string | null) => {
    const id = events > 0 ? episodes.claim({ channel, kind, count: events, userId }) : null;
    return id === null ? null : { id, channel, kind, attempts: 0 };
  };
  return talk === undefined
    ? claim("window", count, null)
    : claim("direct", talk.events, talk.userId);
}

interface SummariserParts extends CompactionParts {
  readonly instructions: string;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
}

function summariser(parts: SummariserParts): (episode: ClaimedEpisode) => Promise<Progress> {
  return async (episode) => {
    for (let redo = 0; redo < REDO_MAX; redo += 1) {
      const events = parts.episodes.events(episode.id);
      if (events.length === 0) return giveUp(parts, episode, "no_text");
      const progress = await attempt(parts, episode, events);
      if (progress !== "again") return progress;
      parts.counters.bump("compaction.redone");
    }
    return "later";
  };
}

async function attempt(
  parts: SummariserParts,
  episode: ClaimedEpisode,
  events: readonly WindowEvent[],
): Promise<Progress> {
  const mark = parts.episodes.forgetMark();
  const window = readWindow(parts, episode.channel, events);
  const answer = await ask(parts, window, false);
  if (!answer.ok || answer.value === null) {
    return afterFailure(parts, { episode, events }, answer.ok ? failed("empty") : answer);
  }
  const check = await settle(parts, window, answer.value);
  if (check.kind !== "good") return afterFailure(parts, { episode, events }, failed("empty"));
  if (parts.signal.aborted || !mayWork(parts)) return "wait";
  const read = { eventIds: window.shownIds, mark, notesAtMs: notesAtMs(parts, episode) };
  if (!parts.episodes.complete(episode.id, read, wanted(parts, check.summary))) return "again";
  parts.retry.forget(`${episode.id}`);
  tellUnread(parts, events.length - window.lines.length);
  for (const [reason, count] of check.dropped) parts.counters.bump(`compaction.${reason}`, count);
  parts.log.info(
    { episode: episode.id, events: events.length, claims: check.summary.claims.length },
    "an episode was made",
  );
  return "done";
}

/** A conversation with the bot is remembered before the next one. */
function notesAtMs(parts: CompactionParts, { kind }: ClaimedEpisode): number {
  return kind === "direct" ? parts.now() : parts.now() + parts.noteMs();
}

/** What did not fit into a window was read by nobody: the streamer is told. */
function tellUnread({ counters, notices }: CompactionParts, lines: number): void {
  if (lines <= 0) return;
  counters.bump("memory.lines_unread", lines);
  notices.raise(
    "memory_behind",
    "warning",
    "chat was faster than the model: of some windows only a part was read; `forgetmenot status` counts the lines that were not, raise `llm.caps`, or set a faster `llm.model`",
  );
}

/** What somebody had forgotten is not even claimed again. */
function wanted({ suppressions }: CompactionParts, summary: Summary): Summary {
  const claims = summary.claims.filter(
    ({ subjectId, statement }) =>
      subjectId === null || !suppressions.isSuppressed(subjectId, statement),
  );
  return { ...summary, claims };
}

/** Checks an answer; one that copied chat is asked for once more, and what is still copied is cut. */
async function settle(
  parts: SummariserParts,
  window: Window,
  written: WrittenSummary,
): Promise<SummaryCheck> {
  const context = (cut: boolean): SummaryContext => ({ ...window, cut });
  const first = checkSummary(written, context(false));
  if (first.kind !== "transcript") return first;
  parts.counters.bump("compaction.copied");
  const second = await ask(parts, window, true);
  const better =
    second.ok && second.value !== null ? checkSummary(second.value, context(true)) : null;
  return better?.kind === "good" ? better : checkSummary(written, context(true));
}

function ask(
  parts: SummariserParts,
  window: Window,
  copiedBefore: boolean,
): Promise<LlmAnswer<WrittenSummary>> {
  const tail = summaryQuestion(window.lines, window.labels, { fence: parts.fence, copiedBefore });
  return parts.llm.ask({
    purpose: "summarise",
    prefix: parts.instructions,
    tail,
    schema: summarySchema,
    estimatedTokens: estimateTokens(parts.instructions) + estimateTokens(tail),
    signal: parts.signal,
  });
}

interface Failure {
  readonly failure: LlmFailure;
  readonly retryAtMs: number | null;
}

function failed(failure: LlmFailure): Failure {
  return { failure, retryAtMs: null };
}

function afterFailure(
  parts: SummariserParts,
  { episode, events }: { episode: ClaimedEpisode; events: readonly WindowEvent[] },
  { failure, retryAtMs }: Failure,
): Progress {
  if (parts.signal.aborted) return "wait";
  parts.counters.bump(`compaction.failed.${failure}`);
  const { id, attempts } = episode;
  const next = parts.retry.after({ key: `${id}`, failure, retryAtMs, attempts }, parts.now());
  if (next.kind === "give_up") return giveUp(parts, episode, failure);
  if (next.kind === "wait") {
    parts.episodes.postpone(id, attempts, next.atMs);
    return "wait";
  }
  if (SMALLER_HELPS.has(failure) && events.length > 1) {
    const [, second] = halve(events.map((event) => event.id));
    parts.episodes.split(id, second, next.attempts);
  } else {
    parts.episodes.postpone(id, next.attempts, next.atMs);
  }
  return "later";
}

function giveUp(parts: SummariserParts, episode: ClaimedEpisode, reason: string): Progress {
  parts.episodes.toGap(episode.id);
  parts.retry.forget(`${episode.id}`);
  parts.counters.bump(`compaction.gap.${reason}`);
  parts.notices.raise(
    "memory_gap",
    "warning",
    "a stretch of chat could not be remembered, the model gave no summary of it that could be used; nothing to do, `forgetmenot memory episodes` shows it as a gap",
  );
  return "done";
}
