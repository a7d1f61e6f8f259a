import { performance } from "node:perf_hooks";
import { forbiddenWords } from "../../language/slurs.ts";
import { estimateTokens } from "../../language/tokens.ts";
import { staleBefore } from "../../memory/lifetimes.ts";
import { noteSettings } from "../../memory/note-settings.ts";
import { noteStore } from "../../memory/note-store.ts";
import { type NoteWriter, noteWriter } from "../../memory/note-writer-store.ts";
import { depthOf } from "../../memory/recall/depth.ts";
import { type RecallStore, recallStore } from "../../memory/recall/recall-store.ts";
import { checkSentence } from "../../memory/sentence-checks.ts";
import { compareFacts } from "../../memory/similarity.ts";
import type { Config } from "../../platform/config/load.ts";
import type { MemoryPolicy } from "../../platform/config/memory-schema.ts";
import { personaFor } from "../../platform/config/personas.ts";
import { type Db, openDatabase } from "../../platform/database/open-database.ts";
import { meanOf } from "./mean.ts";
import {
  activeFacts,
  episodeCopier,
  type RecordedCandidate,
  type RecordedEpisode,
} from "./policy-run-store.ts";

/** What a policy made of recorded episodes. */
export interface PolicyRun {
  readonly candidates: number;
  /** Candidates by what became of them: `write.new`, `confirm.duplicate`, `drop.sensitive` … */
  readonly decisions: Readonly<Record<string, number>>;
  /** Facts in force at the end. */
  readonly kept: readonly string[];
  /** Facts that stood in a prompt, had their subject asked for what their episode was about. */
  readonly shown: readonly string[];
  /** Facts that came up again, and how many of them would have been shown just before. */
  readonly recall: { readonly hits: number; readonly of: number };
  /** Of what was known about a person, as a prompt shows it: estimated tokens, and how long reading took. */
  readonly loreTokensMean: number;
  readonly latencyMsMean: number;
  /** Facts in force that today's rules would not let in. */
  readonly violations: number;
}

const FACT_CHARS_MAX = 200;

interface Replay {
  readonly writer: NoteWriter;
  readonly recall: RecallStore;
  readonly loreTokensMax: number;
  readonly copy: (episode: RecordedEpisode) => void;
  readonly tidy: () => void;
  readonly clock: { nowMs: number };
  /** Notes of then by notes of now. */
  readonly noteIds: Map<number, number>;
  readonly decisions: Map<string, number>;
  /** What was offered so far, by person. */
  readonly offered: Map<string, string[]>;
  readonly shown: Set<string>;
  readonly seen: { tokens: number[]; latencyMs: number[]; hits: number; of: number };
}

/**
 * Runs a memory policy over recorded episodes, in a database of its own that begins empty and ends with the run: the
 * write policy, lifetimes, caps and recall are the product's.
 */
export function runPolicy(
  config: Config,
  policy: MemoryPolicy,
  episodes: readonly RecordedEpisode[],
): PolicyRun {
  const db = openDatabase(":memory:");
  try {
    const replay = openReplay(db, { ...config, memory: { ...policy, trial: null } });
    for (const episode of episodes) playEpisode(replay, episode);
    const { seen, decisions, shown } = replay;
    const kept = activeFacts(db);
    return {
      candidates: episodes.reduce((sum, { candidates }) => sum + candidates.length, 0),
      decisions: Object.fromEntries([...decisions].sort()),
      kept,
      shown: [...shown],
      recall: { hits: seen.hits, of: seen.of },
      loreTokensMean: meanOf(seen.tokens),
      latencyMsMean: meanOf(seen.latencyMs),
      violations: kept.filter((fact) => isViolation(fact, config)).length,
    };
  } finally {
    db.close();
  }
}

function openReplay(db: Db, config: Config): Replay {
  const clock = { nowMs: 0 };
  const now = (): number => clock.nowMs;
  const { memory } = config;
  const notes = noteStore(db, now);
  return {
    writer: noteWriter({
      db,
      settings: (channel) => noteSettings(config, channel),
      readOnly: () => false,
      banned: forbiddenWords(config.replies),
      suppressions: { isOptedOut: () => false, isSuppressed: () => false },
      now,
    }),
    recall: recallStore(db, {
      settings: () => memory,
      personaOf: (channel) => personaFor(config, channel).memoryScope,
    }),
    loreTokensMax: memory.recall.loreTokens,
    copy: episodeCopier(db),
    tidy: () => {
      notes.expire();
      notes.retire(staleBefore(clock.nowMs, memory.staleDays));
    },
    clock,
    noteIds: new Map(),
    decisions: new Map(),
    offered: new Map(),
    shown: new Set(),
    seen: { tokens: [], latencyMs: [], hits: 0, of: 0 },
  };
}

function playEpisode(replay: Replay, episode: RecordedEpisode): void {
  replay.clock.nowMs = episode.atMs;
  replay.tidy();
  replay.copy(episode);
  for (const userId of peopleOf(episode)) lookAt(replay, episode, userId);
  for (const recorded of episode.candidates) write(replay, episode, recorded);
}

function peopleOf({ candidates }: RecordedEpisode): string[] {
  return [...new Set(candidates.flatMap(({ candidate: { subjectId } }) => subjectId ?? []))];
}

/** What a prompt would have shown about a person who talks of this, before it was learned. */
function lookAt(replay: Replay, episode: RecordedEpisode, userId: string): void {
  const own = episode.candidates.filter(({ candidate }) => candidate.subjectId === userId);
  const known = replay.offered.get(userId) ?? [];
  const again = own.filter(({ candidate }) => known.some((fact) => isSame(fact, candidate.fact)));
  const startMs = performance.now();
  const lore = replay.recall.lore({
    channel: episode.channel,
    userId,
    nowMs: episode.atMs,
    limit: depthOf("normal").lore,
    conversation: conversationOf(episode, userId, again),
  });
  replay.seen.latencyMs.push(performance.now() - startMs);
  const facts = withinCeiling(lore, replay.loreTokensMax);
  replay.seen.tokens.push(facts.reduce((sum, { tokens }) => sum + tokens, 0));
  for (const { fact } of facts) replay.shown.add(fact);
  replay.seen.of += again.length;
  replay.seen.hits += again.filter(({ candidate }) =>
    facts.some(({ fact }) => isSame(fact, candidate.fact)),
  ).length;
  replay.offered.set(userId, [...known, ...own.map(({ candidate }) => candidate.fact)]);
}

/** The topic, and what else was claimed of the person: not what is looked for. */
function conversationOf(
  { topic, claims }: RecordedEpisode,
  userId: string,
  again: readonly RecordedCandidate[],
) {
  const sought = new Set(again.flatMap(({ candidate }) => candidate.claimNumbers));
  const recent = claims
    .filter(({ n, subjectId }) => subjectId === userId && !sought.has(n))
    .map(({ statement }) => ({ id: null, text: statement }));
  return { message: { id: null, text: topic }, recent, category: "", others: [] };
}

function withinCeiling(
  lore: readonly { readonly fact: string; readonly topics: string }[],
  max: number,
) {
  let left = max;
  return lore
    .map(({ fact, topics }) => ({ fact, tokens: estimateTokens(`[id:1] ${fact} (${topics})\n`) }))
    .filter(({ tokens }) => {
      left -= tokens;
      return left >= 0;
    });
}

function write(replay: Replay, episode: RecordedEpisode, recorded: RecordedCandidate): void {
  const { candidate } = recorded;
  const related = candidate.noteId === null ? null : (replay.noteIds.get(candidate.noteId) ?? null);
  const { verdict, noteId } = replay.writer.write(
    { ...candidate, noteId: related, relation: related === null ? "new" : candidate.relation },
    {
      channel: episode.channel,
      episodeId: episode.id,
      sessionId: episode.sessionId,
      model: recorded.model,
      promptVersion: null,
    },
  );
  const decision = `${verdict.kind}.${verdict.reason}`;
  replay.decisions.set(decision, (replay.decisions.get(decision) ?? 0) + 1);
  if (noteId !== null && recorded.noteId !== null) replay.noteIds.set(recorded.noteId, noteId);
}

function isSame(one: string, other: string): boolean {
  return compareFacts(one, other).kind === "same";
}

function isViolation(fact: string, { replies }: Config): boolean {
  const checks = { banned: forbiddenWords(replies), charsMax: FACT_CHARS_MAX };
  return checkSentence(fact, checks) !== null;
}
