import type { Fence } from "../language/fence.ts";
import { estimateTokens } from "../language/tokens.ts";
import type { Log } from "../log.ts";
import type { Counters } from "../platform/database/counters-store.ts";
import type { Llm, LlmFailure } from "../platform/models/model-port.ts";
import { checkCandidate } from "./check-candidate.ts";
import type { EpisodeStore } from "./episode-store.ts";
import type { ExtractionStore, SummarisedEpisode } from "./extraction-store.ts";
import { type Labels, labelPeople } from "./labels.ts";
import {
  type EpisodeClaim,
  EXTRACT_VERSION,
  type Extraction,
  extractInstructions,
  extractQuestion,
  extractSchema,
  type KnownNote,
} from "./note-prompt.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { backoffMs, CONTENT_FAILURES, TRIES_MAX } from "./retry.ts";

export interface ExtractionParts {
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly extractions: ExtractionStore;
  readonly writer: NoteWriter;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly botNames: () => readonly string[];
  /** Whose notes a channel's are: a persona's own, or everybody's. */
  readonly personaOf: (channel: string) => string | null;
  /** False while paused or read-only. */
  readonly mayWork: () => boolean;
  readonly counters: Counters;
  readonly now: () => number;
  readonly log: Log;
}

/** More than this is not even looked at. */
const NOTES_READ_MAX = 100;
const PEOPLE_MAX = 300;

interface Reading {
  readonly episode: SummarisedEpisode;
  readonly claims: readonly EpisodeClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  /** The forget mark when it was read. */
  readonly mark: number;
}

/**
 * Makes notes of the episodes that are due in a channel: read → model → pure → one write. An episode is asked about
 * until it was answered once, and never again.
 */
export function extraction(
  parts: ExtractionParts,
): (channel: string, signal: AbortSignal) => Promise<void> {
  const instructions = extractInstructions(parts.fence);
  const failures = new Map<number, number>();
  return async (channel, signal) => {
    const goOn = (): boolean => !signal.aborted && parts.mayWork();
    let isUseful = true;
    while (isUseful && goOn()) {
      const episode = parts.extractions.due(channel, parts.now());
      if (episode === null) return;
      isUseful = await makeNotes(parts, episode, { instructions, failures, signal });
    }
  };
}

interface Pass {
  readonly instructions: string;
  /** Passing failures in a row, by episode. */
  readonly failures: Map<number, number>;
  readonly signal: AbortSignal;
}

/** False where the model is no use right now. */
async function makeNotes(
  parts: ExtractionParts,
  episode: SummarisedEpisode,
  pass: Pass,
): Promise<boolean> {
  const reading = read(parts, episode);
  if (reading.claims.length === 0)
    return parts.extractions.complete(
      episode.id,
      { claims: 0, mark: reading.mark },
      () => undefined,
    );
  const answer = await ask(parts, reading, pass);
  if (pass.signal.aborted || !parts.mayWork()) return false;
  if (answer.ok && answer.value !== null) {
    pass.failures.delete(episode.id);
    write(parts, reading, { offered: answer.value.notes, model: answer.model });
    return true;
  }
  const { failure, retryAtMs } = answer.ok
    ? { failure: "empty" as const, retryAtMs: null }
    : answer;
  return postpone(parts, episode, { failure, retryAtMs, failures: pass.failures });
}

function read(parts: ExtractionParts, episode: SummarisedEpisode): Reading {
  const { channel } = episode;
  const mark = parts.extractions.forgetMark();
  const claims = parts.extractions.claims(episode.id);
  const subjectIds = [...new Set(claims.flatMap(({ subjectId }) => subjectId ?? []))];
  const people = parts.episodes.people(channel, PEOPLE_MAX);
  const known = new Map(people.map((person) => [person.userId, person]));
  const speakers = subjectIds.map(
    (userId) => known.get(userId) ?? { userId, login: "", displayName: "" },
  );
  return {
    episode,
    claims,
    known: parts.extractions.known({ channel, persona: parts.personaOf(channel), subjectIds }),
    labels: labelPeople(speakers, people, parts.botNames()),
    mark,
  };
}

function ask(parts: ExtractionParts, reading: Reading, { instructions, signal }: Pass) {
  const { episode, claims, known, labels } = reading;
  const tail = extractQuestion({ summary: episode.summary, claims, known }, labels, parts.fence);
  return parts.llm.ask({
    purpose: "extract",
    prefix: instructions,
    tail,
    schema: extractSchema,
    estimatedTokens: estimateTokens(instructions) + estimateTokens(tail),
    signal,
  });
}

function write(
  parts: ExtractionParts,
  { episode, claims, known, labels, mark }: Reading,
  { offered, model }: { readonly offered: Extraction["notes"]; readonly model: string },
): void {
  const origin = {
    channel: episode.channel,
    episodeId: episode.id,
    sessionId: episode.sessionId,
    model,
    promptVersion: EXTRACT_VERSION,
  };
  const tally = new Map<string, number>();
  const count = (name: string): void => {
    tally.set(name, (tally.get(name) ?? 0) + 1);
  };
  const tooMany = offered.length - NOTES_READ_MAX;
  if (tooMany > 0) tally.set("extract.drop.too_many", tooMany);
  const isWritten = parts.extractions.complete(episode.id, { claims: claims.length, mark }, () => {
    for (const raw of offered.slice(0, NOTES_READ_MAX)) {
      const check = checkCandidate(raw, { claims, known, labels, source: "extracted" });
      if (check.kind === "drop") {
        count(`extract.drop.${check.reason}`);
        parts.writer.refuse(origin, check.reason);
        continue;
      }
      const { verdict } = parts.writer.write(check.candidate, origin);
      count(`extract.${verdict.kind}.${verdict.reason}`);
    }
  });
  if (!isWritten) return; // a claim was withdrawn meanwhile: the episode is still due
  for (const [name, times] of tally) parts.counters.bump(name, times);
  parts.log.info({ episode: episode.id, offered: offered.length }, "notes were made");
}

interface Failed {
  readonly failure: LlmFailure;
  readonly retryAtMs: number | null;
  readonly failures: Map<number, number>;
}

/** False where the model is no use right now. */
function postpone(
  parts: ExtractionParts,
  episode: SummarisedEpisode,
  { failure, retryAtMs, failures }: Failed,
): boolean {
  parts.counters.bump(`extract.failed.${failure}`);
  const isContent = CONTENT_FAILURES.has(failure);
  const attempts = episode.attempts + (isContent ? 1 : 0);
  if (attempts >= TRIES_MAX) {
    parts.extractions.giveUp(episode.id);
    return true;
  }
  const inARow = isContent ? attempts : (failures.get(episode.id) ?? 0) + 1;
  failures.set(episode.id, inARow);
  const nextAtMs = Math.max(retryAtMs ?? 0, parts.now() + backoffMs(inARow));
  parts.extractions.postpone(episode.id, attempts, nextAtMs);
  return isContent;
}
