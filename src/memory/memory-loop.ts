import type { RemovedText } from "../chat/normalise.ts";
import { IdentityStore } from "../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { findPersona, listBotNames } from "../config/personas.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Counters, Switches } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import { forbiddenWordFinder } from "../language/banned.ts";
import type { Fence } from "../language/fence.ts";
import type { Log } from "../log.ts";
import type { Llm } from "../models/model-port.ts";
import { CandidateStore } from "./candidate-store.ts";
import { openCompactor } from "./compaction.ts";
import { EpisodeStore, ExtractionStore, RecapStore } from "./episode-store.ts";
import { openExtractor } from "./extraction.ts";
import { getNoteSettings, getStaleTime, keepCaps, listFreeKinds } from "./note-settings.ts";
import { NoteStore } from "./note-store.ts";
import { NoteWriter } from "./note-writer.ts";
import { RemovalStore } from "./removal-store.ts";
import { openRecapper } from "./stream-recap.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import { MemoryRequests } from "./viewer-requests.ts";

export interface MemoryParts {
  readonly config: Config;
  readonly db: Db;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly switches: () => Switches;
  /** Writes buffered chat and removals. Returns false if they wait: then nothing may be summarised. */
  readonly flush: () => boolean;
  /** Yields, so that chat and other work go on. */
  readonly breathe: () => Promise<void>;
  /** Returns true if the channel is known to be offline. */
  readonly isOver: (channel: string) => boolean;
  readonly counters: Counters;
  readonly notices: NoticeBoard;
  /** Opted-out viewers and suppressed topics. */
  readonly suppressions: SuppressionStore;
  readonly now: () => number;
  readonly log: Log;
}

/** Candidates are stored for thirty days. */
const CANDIDATES_KEPT_MS = 30 * 86_400_000;
const SWEEP_ROWS = 1_000;
const READ_ONLY =
  "Memory is read-only: the bot learns nothing, and waiting chat is deleted after 24 hours. Type `forgetmenot memory readonly off` to end that.";

export type Memory = ReturnType<typeof openMemory>;

/** Turns chat into memory, and removes it again. At once it settles removals and expires notes. */
export function openMemory(parts: MemoryParts) {
  const { config, db, now } = parts;
  const closing = new AbortController();
  const shared = makeLearningParts(parts);
  const { mayWork } = shared;
  const steps = {
    summaries: openCompactor(shared),
    notes: openExtractor(shared),
    recaps: openRecapper(shared),
  };
  const removal = new RemovalStore(db, now);
  const summaries = joinRuns(async () => {
    for (const channel of config.channels) await steps.summaries(channel, closing.signal);
  });
  const notesAndRecaps = joinRuns(async () => {
    for (const channel of config.channels) {
      await steps.notes(channel, closing.signal);
      if (mayWork()) await steps.recaps(channel, closing.signal);
    }
  });
  const settleRemovals = (): void => settle(parts, removal);
  settleRemovals();
  const notifyReadOnly = readOnlyNotifier(parts);
  notifyReadOnly();
  const { notes } = shared;
  // What ran out while the program was off is over at once.
  notes.keepBits();
  notes.expire();
  /** Makes notes active whose carriers returned as known viewers. Returns how many. */
  const promoteCarried = (channel: string): number => {
    const { caps, persona } = getNoteSettings(config, channel);
    const promoted = notes.promoteProven(channel, listFreeKinds(config.memory));
    if (promoted.length > 0) notes.evict({ channel, subjectId: null, persona }, caps.channelNotes);
    return promoted.length;
  };
  return {
    /** The requests of viewers about themselves. */
    requests: new MemoryRequests(shared),
    /**
     * Settles removals. Then, unless memory is paused, read-only or off, summarises due chat, extracts notes, and
     * writes recaps. Joins a run in progress.
     */
    run: async (): Promise<void> => {
      settleRemovals();
      notifyReadOnly();
      await summaries.run();
      if (!closing.signal.aborted) await notesAndRecaps.run();
    },
    /** Removes claims and notes that rest on removed chat. */
    forget: ({ eventIds }: RemovedText): void => {
      if (eventIds.length > 0) settleRemovals();
    },
    /**
     * Expires notes and makes old ones stale, also in read-only. Unless paused, read-only or off, it also keeps the
     * caps and promotes notes whose carriers are known now.
     */
    sweep: (): void => {
      const { counters } = parts;
      notes.keepBits();
      counters.bump("memory.notes_expired", notes.expire());
      counters.bump("memory.notes_stale", notes.retire(getStaleTime(now())));
      shared.candidates.prune(now() - CANDIDATES_KEPT_MS, SWEEP_ROWS);
      if (!mayWork()) return;
      for (const channel of config.channels) {
        counters.bump(
          "memory.notes_evicted",
          keepCaps(notes, channel, getNoteSettings(config, channel)),
        );
        counters.bump("memory.notes_carried", promoteCarried(channel));
      }
    },
    close: async (): Promise<void> => {
      closing.abort();
      await summaries.isOver();
      await notesAndRecaps.isOver();
    },
  };
}

/** Makes runs of `work`: `run` begins one or joins the one in progress; `isOver` waits for it, and never rejects. */
function joinRuns(work: () => Promise<void>) {
  let running: Promise<void> | null = null;
  return {
    run: (): Promise<void> => {
      running ??= work().finally(() => {
        running = null;
      });
      return running;
    },
    isOver: async (): Promise<void> => running?.catch(() => undefined),
  };
}

export type LearningParts = ReturnType<typeof makeLearningParts>;

/** The parts that all steps of learning share. */
function makeLearningParts(parts: MemoryParts) {
  const { config, db, now, switches } = parts;
  const banned = memoizeOn(
    () => [config.replies],
    () => forbiddenWordFinder(config.replies),
  );
  const readOnly = () => switches().readOnly;
  return {
    ...parts,
    readOnly,
    /** The bot's logins and names: no notes are about it. */
    botNames: () => listBotNames(config),
    bannedWords: () => config.replies,
    episodes: new EpisodeStore(db, now),
    accountsOf: new IdentityStore(db, now).accountsOf,
    notes: new NoteStore(db, now),
    candidates: new CandidateStore(db, now),
    extraction: new ExtractionStore(db, now),
    sessions: new RecapStore(db, now),
    /** The time in ms that an episode waits for others before extraction. */
    noteMs: () => config.memory.noteSeconds * 1_000,
    /** Returns the persona that owns a channel's notes; null if they are shared. */
    personaOf: (channel: string) => findPersona(config, channel).memoryScope,
    mayWork: (): boolean => {
      const { paused, readOnly: isReadOnly } = switches();
      return !paused && !isReadOnly && config.memory.mode !== "off";
    },
    writer: new NoteWriter({
      ...parts,
      readOnly,
      settings: (channel) => getNoteSettings(config, channel),
      banned: (text) => banned()(text),
    }),
  };
}

/**
 * Returns a function that raises a notice while memory is read-only, since waiting chat expires, and clears it after.
 */
function readOnlyNotifier({ switches, notices }: MemoryParts): () => void {
  let notified: boolean | null = null;
  return () => {
    const { readOnly } = switches();
    if (readOnly === notified) return;
    notified = readOnly;
    if (readOnly) notices.raise("memory_read_only", "warning", READ_ONLY);
    else notices.clear("memory_read_only");
  };
}

/** Settles removals. If that fails they stay due, and are tried again later. */
function settle({ counters, log }: MemoryParts, removal: RemovalStore): void {
  try {
    const { claimsWithdrawn, notesRemoved } = removal.settle();
    if (claimsWithdrawn > 0) counters.bump("memory.claims_withdrawn", claimsWithdrawn);
    if (notesRemoved > 0) counters.bump("memory.notes_removed", notesRemoved);
  } catch (thrown) {
    log.error({ ...describeBug(thrown) }, "what was learned from removed chat is still there");
  }
}
