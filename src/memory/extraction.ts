import { estimateTokens } from "../language/tokens.ts";
import { checkEntry } from "./check-sorted.ts";
import type { SummarisedEpisode } from "./episode-store.ts";
import { makeFactKey } from "./fact-key.ts";
import { type Labels, labelUserIds } from "./labels.ts";
import { askForJson, type LearningStep, type NoAnswer, planRetry } from "./learning.ts";
import type { LearningParts } from "./memory-loop.ts";
import {
  type ExtractedEntry,
  extractSchema,
  type KnownNote,
  SORT_VERSION,
  type WaitingClaim,
  writeExtractInstructions,
  writeExtractQuestion,
} from "./note-prompt.ts";

/** The most episodes in one question, and the most tokens of claims and notes. */
const BATCH_EPISODES_MAX = 4;
const BATCH_TOKENS_MAX = 6_000;
/** Further entries of an answer are ignored. */
const ENTRIES_READ_MAX = 100;

/** Episodes that one question is about. */
interface Batch {
  readonly episodes: readonly SummarisedEpisode[];
  readonly claims: readonly WaitingClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  /** The forget mark at the time of reading. */
  readonly mark: number;
}

/**
 * Returns a function that extracts notes from the claims of a channel's episodes. One question is about at most four
 * episodes. An episode waits until its time has come, the stream has ended, or four are waiting. One that failed before
 * is sent alone.
 */
export function openExtractor(
  parts: LearningParts,
): (channel: string, signal: AbortSignal) => Promise<void> {
  const instructions = writeExtractInstructions(parts.fence);
  return async (channel, signal) => {
    let isUseful = true;
    while (isUseful && !signal.aborted && parts.mayWork()) {
      const batch = findBatch(parts, channel);
      if (batch === null) return;
      isUseful = await extractBatch({ ...parts, instructions, signal }, batch);
    }
  };
}

/** Returns the next batch, or null if none is due. Leaves out the last episodes if the question would be too long. */
function findBatch(parts: LearningParts, channel: string): Batch | null {
  const nowMs = parts.now();
  const waiting = parts.extraction.waiting(channel, 2 * BATCH_EPISODES_MAX);
  const failed = waiting.find(({ attempts, dueAtMs }) => attempts > 0 && dueAtMs <= nowMs);
  if (failed !== undefined) return readBatch(parts, [failed]);
  const untried = waiting.filter(({ attempts }) => attempts === 0).slice(0, BATCH_EPISODES_MAX);
  const isDue =
    untried.length >= BATCH_EPISODES_MAX ||
    untried.some(({ dueAtMs }) => dueAtMs <= nowMs) ||
    (untried.length > 0 && parts.isOver(channel));
  if (!isDue) return null;
  for (let count = untried.length; count > 1; count -= 1) {
    const batch = readBatch(parts, untried.slice(0, count));
    if (estimateTokens(writeQuestion(parts, batch)) <= BATCH_TOKENS_MAX) return batch;
  }
  return readBatch(parts, untried.slice(0, 1));
}

/** Reads the claims that were not withdrawn, grouped by subject, and the known notes of each subject. */
function readBatch(parts: LearningParts, episodes: readonly SummarisedEpisode[]): Batch {
  const channel = episodes[0]?.channel ?? "";
  const mark = parts.episodes.forgetMark();
  const waiting = episodes.flatMap(({ id }) => parts.extraction.claims(id));
  // Puts claims of one subject, or of one scope, next to each other.
  const keyOf = ({ subjectId, scope }: WaitingClaim) => subjectId ?? scope;
  const keys = [...new Set(waiting.map(keyOf))];
  const claims = keys.flatMap((key) => waiting.filter((claim) => keyOf(claim) === key));
  const subjectIds = [...new Set(claims.flatMap(({ subjectId }) => subjectId ?? []))];
  const withChannel = claims.some(({ subjectId }) => subjectId === null);
  const persona = parts.personaOf(channel);
  const about = [...subjectIds, ...(withChannel ? [null] : [])];
  return {
    episodes,
    claims,
    known: about.flatMap((subjectId) => parts.notes.shown({ channel, subjectId, persona })),
    labels: labelUserIds(subjectIds, parts.episodes.people(channel), parts.botNames()),
    mark,
  };
}

function writeQuestion({ fence, now }: LearningParts, { claims, known, labels }: Batch): string {
  return writeExtractQuestion({ claims, known }, labels, { fence, nowMs: now() });
}

/**
 * Asks for the notes of a batch, writes them, and ends its episodes. A batch without claims asks nothing. If a claim was
 * withdrawn meanwhile, writes nothing, and the episodes stay due. After a useless answer postpones or fails them. Returns
 * false if this pass has to stop.
 */
async function extractBatch(step: LearningStep, batch: Batch): Promise<boolean> {
  const { extraction, counters, log } = step;
  const ids = batch.episodes.map(({ id }) => id);
  const read = { claims: batch.claims.length, mark: batch.mark };
  if (batch.claims.length === 0) return extraction.complete(ids, read, () => undefined);
  const isStale = () => extraction.isStale(ids, read);
  const question = { tail: writeQuestion(step, batch), isStale };
  const answer = await askForJson(step, "extract", question, extractSchema);
  if (step.signal.aborted || !step.mayWork()) return false;
  if (!answer.ok) return isStale() || postpone(step, batch, answer);
  const { notes } = answer.value;
  // The episodes stay due if the read is out of date.
  const isWritten = extraction.complete(ids, read, () => {
    const unread = notes.length - ENTRIES_READ_MAX;
    if (unread > 0) counters.bump("extract.drop.too_many", unread);
    writeEntries(step, batch, notes.slice(0, ENTRIES_READ_MAX), answer.model);
  });
  if (isWritten) log.info({ episodes: ids.length, offered: notes.length }, "notes were made");
  return true;
}

/** Writes or confirms notes, records each refused entry, and then evicts notes above the cap of each subject. */
function writeEntries(
  { writer, counters }: LearningParts,
  batch: Batch,
  entries: readonly ExtractedEntry[],
  model: string,
): void {
  const latest = batch.episodes.at(-1);
  if (latest === undefined) return;
  const { channel } = latest;
  const taken = new Set<number>();
  const replaced = new Set<number>();
  const freshNoteIds = new Set<number>();
  // Each known fact is compared with each entry. A key takes 0.15 ms.
  const keys = new Map<string, string>();
  const factKeyOf = (fact: string): string => {
    const key = keys.get(fact) ?? makeFactKey(fact);
    keys.set(fact, key);
    return key;
  };
  const statements = batch.claims.map(({ statement }) => statement);
  const origin = {
    channel,
    model,
    promptVersion: SORT_VERSION,
    freshNoteIds,
    window: [...statements, ...batch.known.map(({ fact }) => fact)],
    factKeyOf,
    isOneOfMany: true,
  };
  for (const entry of entries) {
    const candidate = checkEntry(entry, { ...batch, taken, replaced });
    if (typeof candidate === "string") {
      counters.bump(`extract.drop.${candidate}`);
      writer.refuse(latest.id, candidate);
      continue;
    }
    for (const place of entry.claims) taken.add(place);
    const written = writer.write(candidate, origin);
    const { verdict, noteId } = written;
    counters.bump(`extract.${verdict.kind}.${verdict.reason}`);
    if (noteId === null) continue;
    for (const id of written.replaced) replaced.add(id);
    // It wrote a note, or one that replaces another.
    if (verdict.kind !== "confirm" || verdict.replacesId !== null) freshNoteIds.add(noteId);
  }
  // Once for all: each note of a full owner is compared with each other one.
  for (const subjectId of new Set(batch.claims.map((claim) => claim.subjectId)))
    writer.keepCap(channel, subjectId, latest.id);
}

/**
 * Sets when each episode is due again. After a useless answer it is asked about alone; after the fifth it is marked as
 * failed. Returns false if the model cannot be used now.
 */
function postpone(step: LearningStep, { episodes }: Batch, answer: NoAnswer): boolean {
  const { extraction, counters, now } = step;
  counters.bump(`extract.failed.${answer.failure}`);
  const isTogether = episodes.length > 1;
  let isUseful = true;
  for (const { id, attempts } of episodes) {
    const next = planRetry(attempts, answer, now());
    if (next.kind === "give_up") extraction.markFailed(id);
    else if (next.kind === "again") {
      step.episodes.postpone(id, next.attempts, isTogether ? now() : next.atMs);
    } else {
      step.episodes.postpone(id, attempts, next.atMs);
      isUseful = false;
    }
  }
  return isUseful;
}
