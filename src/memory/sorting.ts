import type { Fence } from "../language/fence.ts";
import { estimateTokens } from "../language/tokens.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/runtime-store.ts";
import type { Llm, LlmFailure } from "../platform/models/model-port.ts";
import { checkSorted } from "./check-sorted.ts";
import type { EpisodeStore } from "./episode-store.ts";
import { type Labels, labelsFor } from "./labels.ts";
import {
  type KnownNote,
  SORT_VERSION,
  type SortedClaim,
  sortInstructions,
  sortQuestion,
  sortSchema,
  type WaitingClaim,
} from "./note-prompt.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { type RetryPolicy, retryPolicy } from "./retry.ts";
import type { SortingStore, SummarisedEpisode } from "./summarised-store.ts";
import type { Verdict } from "./write-policy.ts";

export interface SortingParts {
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly sorting: SortingStore;
  readonly writer: NoteWriter;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly botNames: () => readonly string[];
  /** Whose notes a channel's are: a persona's own, or everybody's. */
  readonly personaOf: (channel: string) => string | null;
  /** False while paused or read-only. */
  readonly mayWork: () => boolean;
  /** Whether the channel is known to be offline. */
  readonly isOver: (channel: string) => boolean;
  readonly counters: Counters;
  readonly now: () => number;
  readonly log: Log;
}

/** So many episodes are sorted with one question, within so many tokens of claims and notes. */
const BATCH_EPISODES_MAX = 4;
const BATCH_TOKENS_MAX = 6_000;
/** More than this is not even looked at. */
const ENTRIES_READ_MAX = 100;

/** Episodes as they are shown to the model together. */
interface Batch {
  readonly episodes: readonly SummarisedEpisode[];
  readonly claims: readonly WaitingClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  /** The forget mark when it was read. */
  readonly mark: number;
}

/**
 * Makes notes of the claims of a channel's episodes, several episodes at once: read → model → pure → one write. An
 * episode waits for others until its time has come, the stream or a conversation has ended, or four are there.
 */
export function sorter(
  parts: SortingParts,
): (channel: string, signal: AbortSignal) => Promise<void> {
  const instructions = sortInstructions(parts.fence);
  const retry = retryPolicy();
  return async (channel, signal) => {
    const goOn = (): boolean => !signal.aborted && parts.mayWork();
    let isUseful = true;
    while (isUseful && goOn()) {
      const batch = nextBatch(parts, channel);
      if (batch === null) return;
      isUseful = await sortBatch(parts, batch, { instructions, retry, signal });
    }
  };
}

/** What is sorted next; null while nothing is due. What failed before goes alone, when its time has come. */
function nextBatch(parts: SortingParts, channel: string): Batch | null {
  const nowMs = parts.now();
  const waiting = parts.sorting.waiting(channel, 2 * BATCH_EPISODES_MAX);
  const failed = waiting.find(({ attempts, dueAtMs }) => attempts > 0 && dueAtMs <= nowMs);
  if (failed !== undefined) return readBatch(parts, [failed]);
  const fresh = waiting.filter(({ attempts }) => attempts === 0).slice(0, BATCH_EPISODES_MAX);
  const isDue =
    fresh.length >= BATCH_EPISODES_MAX ||
    fresh.some(({ dueAtMs }) => dueAtMs <= nowMs) ||
    (fresh.length > 0 && parts.isOver(channel));
  if (!isDue) return null;
  for (let count = fresh.length; count > 1; count -= 1) {
    const batch = readBatch(parts, fresh.slice(0, count));
    if (estimateTokens(questionOf(parts, batch)) <= BATCH_TOKENS_MAX) return batch;
  }
  return readBatch(parts, fresh.slice(0, 1));
}

function readBatch(parts: SortingParts, episodes: readonly SummarisedEpisode[]): Batch {
  const channel = episodes[0]?.channel ?? "";
  const mark = parts.sorting.forgetMark();
  const claims = byPerson(episodes.flatMap(({ id }) => parts.sorting.claims(id)));
  const subjectIds = [...new Set(claims.flatMap(({ subjectId }) => subjectId ?? []))];
  const withChannel = claims.some(({ subjectId }) => subjectId === null);
  const about = [...subjectIds, ...(withChannel ? [null] : [])];
  return {
    episodes,
    claims,
    known: parts.sorting.known(channel, parts.personaOf(channel), about),
    labels: labelsFor(subjectIds, parts.episodes.people(channel), parts.botNames()),
    mark,
  };
}

/** A person's claims stand together, in the order in which they were made. */
function byPerson(claims: readonly WaitingClaim[]): WaitingClaim[] {
  const groups = new Map<string, WaitingClaim[]>();
  for (const claim of claims) {
    const key = claim.subjectId ?? claim.scope;
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  return [...groups.values()].flat();
}

function questionOf({ fence }: SortingParts, { claims, known, labels }: Batch): string {
  return sortQuestion({ claims, known }, labels, fence);
}

interface Pass {
  readonly instructions: string;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
}

/** False where the model is no use right now. */
async function sortBatch(parts: SortingParts, batch: Batch, pass: Pass): Promise<boolean> {
  const ids = batch.episodes.map(({ id }) => id);
  const read = { claims: batch.claims.length, mark: batch.mark };
  if (batch.claims.length === 0) return parts.sorting.complete(ids, read, () => undefined);
  const tail = questionOf(parts, batch);
  const answer = await parts.llm.ask({
    purpose: "extract",
    prefix: pass.instructions,
    tail,
    schema: sortSchema,
    estimatedTokens: estimateTokens(pass.instructions) + estimateTokens(tail),
    signal: pass.signal,
  });
  if (pass.signal.aborted || !parts.mayWork()) return false;
  if (answer.ok && answer.value !== null) {
    for (const id of ids) pass.retry.forget(`${id}`);
    write(parts, batch, { entries: answer.value.notes, model: answer.model });
    return true;
  }
  const { failure, retryAtMs } = answer.ok
    ? { failure: "empty" as const, retryAtMs: null }
    : answer;
  return postpone(parts, batch, { failure, retryAtMs, retry: pass.retry });
}

interface Answered {
  readonly entries: readonly SortedClaim[];
  readonly model: string;
}

/** What was read may be out of date by now: then nothing is written, and the episodes are still due. */
function write(parts: SortingParts, batch: Batch, { entries, model }: Answered): void {
  const tally = new Map<string, number>();
  const count = (name: string, by = 1): void => {
    if (by > 0) tally.set(name, (tally.get(name) ?? 0) + by);
  };
  count("extract.drop.too_many", entries.length - ENTRIES_READ_MAX);
  const ids = batch.episodes.map(({ id }) => id);
  const read = { claims: batch.claims.length, mark: batch.mark };
  const isWritten = parts.sorting.complete(ids, read, () => {
    writeEntries(parts, batch, { entries: entries.slice(0, ENTRIES_READ_MAX), model, count });
  });
  if (!isWritten) return;
  for (const [name, times] of tally) parts.counters.bump(name, times);
  parts.log.info({ episodes: ids.length, offered: entries.length }, "notes were made");
}

function writeEntries(
  parts: SortingParts,
  batch: Batch,
  { entries, model, count }: Answered & { readonly count: (name: string) => void },
): void {
  const taken = new Set<number>();
  const gone = new Set<number>();
  const fresh = new Set<number>();
  const latest = batch.episodes.at(-1);
  if (latest === undefined) return;
  const origin = {
    channel: latest.channel,
    sessionId: latest.sessionId,
    saidAtMs: latest.endedAtMs,
    ...{ model, promptVersion: SORT_VERSION, fresh },
    window: [
      ...batch.claims.map(({ statement }) => statement),
      ...batch.known.map(({ fact }) => fact),
    ],
  };
  const write = (entry: SortedClaim): void => {
    const check = checkSorted(entry, { ...batch, taken, gone, fresh });
    if (check.kind === "drop") {
      count(`extract.drop.${check.reason}`);
      parts.writer.refuse(latest.id, check.reason);
      return;
    }
    for (const place of entry.claims) taken.add(place);
    for (const mended of check.mended) count(`extract.mended.${mended}`);
    count(`extract.relation.${model}.${entry.relation ?? "new"}`);
    const { verdict, noteId, behind } = parts.writer.write(check.candidate, origin);
    count(`extract.${verdict.kind}.${verdict.reason}`);
    for (const id of behind) gone.add(id);
    if (noteId !== null && putsInForce(verdict)) fresh.add(noteId);
  };
  for (const entry of entries) write(entry);
}

/** It wrote a note, or put one in the place of another. */
function putsInForce(verdict: Verdict): boolean {
  return verdict.kind === "confirm" ? verdict.replacesId !== null : verdict.kind !== "drop";
}

interface Failed {
  readonly failure: LlmFailure;
  readonly retryAtMs: number | null;
  readonly retry: RetryPolicy;
}

/** After a useless answer each episode of a batch is asked about alone, at once. False where the model is no use now. */
function postpone(
  parts: SortingParts,
  { episodes }: Batch,
  { failure, retryAtMs, retry }: Failed,
): boolean {
  parts.counters.bump(`extract.failed.${failure}`);
  const isTogether = episodes.length > 1;
  let isUseful = true;
  for (const { id, attempts } of episodes) {
    const next = retry.after({ key: `${id}`, failure, retryAtMs, attempts }, parts.now());
    if (next.kind === "give_up") parts.sorting.giveUp(id);
    else if (next.kind === "again") {
      parts.sorting.postpone(id, next.attempts, isTogether ? parts.now() : next.atMs);
    } else {
      parts.sorting.postpone(id, attempts, next.atMs);
      isUseful = false;
    }
  }
  return isUseful;
}
