import { IdentityStore } from "../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { findPersona, listBotNames } from "../config/personas.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Counters, Switches } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import { createForbiddenTest } from "../language/banned.ts";
import type { Fence } from "../language/fence.ts";
import type { Log } from "../log.ts";
import type { Llm } from "../models/model-port.ts";
import { CandidateStore } from "./candidate-store.ts";
import { openCompactor } from "./compaction.ts";
import { EpisodeStore, ExtractionStore, RecapStore } from "./episode-store.ts";
import { openExtractor } from "./extraction.ts";
import { getNoteSettings, keepCaps, listFreeKinds } from "./note-settings.ts";
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

/** Turns chat into memory, and removes it again. The constructor settles removals and expires notes. */
export class Memory {
  /** The requests of viewers about themselves. */
  readonly requests: MemoryRequests;
  readonly #parts: LearningParts;
  readonly #removals: RemovalStore;
  readonly #steps: Readonly<Record<"summarise" | "extract" | "recap", Step>>;
  readonly #closing = new AbortController();
  /** Summaries do not wait for notes: a run may summarise while an earlier one extracts. */
  readonly #summaries = joinRuns(() => this.#summarise());
  readonly #notesAndRecaps = joinRuns(() => this.#extractAndRecap());
  #wasReadOnly: boolean | null = null;

  constructor(memoryParts: MemoryParts) {
    const parts = makeLearningParts(memoryParts);
    this.#parts = parts;
    this.requests = new MemoryRequests(parts);
    this.#removals = new RemovalStore(parts.db, parts.now);
    this.#steps = {
      summarise: openCompactor(parts),
      extract: openExtractor(parts),
      recap: openRecapper(parts),
    };
    this.settleRemovals();
    this.#notifyReadOnly();
    // Notes that expired while the program was off.
    parts.notes.expire();
  }

  /**
   * Settles removals. Then, unless memory is paused, read-only or off, summarises due chat, extracts notes, and writes
   * recaps. Joins a run in progress.
   */
  async run(): Promise<void> {
    this.settleRemovals();
    this.#notifyReadOnly();
    await this.#summaries.run();
    if (!this.#closing.signal.aborted) await this.#notesAndRecaps.run();
  }

  async #summarise(): Promise<void> {
    for (const channel of this.#parts.config.channels)
      await this.#steps.summarise(channel, this.#closing.signal);
  }

  async #extractAndRecap(): Promise<void> {
    for (const channel of this.#parts.config.channels) {
      await this.#steps.extract(channel, this.#closing.signal);
      await this.#steps.recap(channel, this.#closing.signal);
    }
  }

  /** Removes claims and notes that rest on removed chat. If that fails, logs the error; the next run tries again. */
  settleRemovals(): void {
    const { counters, log } = this.#parts;
    try {
      const { claimsWithdrawn, notesRemoved } = this.#removals.settle();
      if (claimsWithdrawn > 0) counters.bump("memory.claims_withdrawn", claimsWithdrawn);
      if (notesRemoved > 0) counters.bump("memory.notes_removed", notesRemoved);
    } catch (thrown) {
      log.error({ ...describeBug(thrown) }, "what was learned from removed chat is still there");
    }
  }

  /** Raises a notice when memory becomes read-only, and clears it when that ends. */
  #notifyReadOnly(): void {
    const { notices } = this.#parts;
    const readOnly = this.#parts.readOnly();
    if (readOnly === this.#wasReadOnly) return;
    this.#wasReadOnly = readOnly;
    if (readOnly) notices.raise("memory_read_only", "warning", READ_ONLY);
    else notices.clear("memory_read_only");
  }

  /**
   * Expires notes, makes old ones stale, and deletes candidates after 30 days, also in read-only. Unless paused,
   * read-only or off, it also activates channel notes whose speakers are known viewers now, and evicts above the caps.
   */
  sweep(): void {
    const { candidates, config, counters, mayWork, notes, now } = this.#parts;
    counters.bump("memory.notes_expired", notes.expire());
    counters.bump("memory.notes_stale", notes.makeStale());
    candidates.prune(now() - CANDIDATES_KEPT_MS, SWEEP_ROWS);
    if (!mayWork()) return;
    for (const channel of config.channels) {
      const promoted = notes.promoteProven(channel, listFreeKinds(config.memory));
      counters.bump("memory.notes_carried", promoted);
      const evicted = keepCaps(notes, channel, getNoteSettings(config, channel));
      counters.bump("memory.notes_evicted", evicted);
    }
  }

  /** Aborts runs in progress, and waits until they end. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#summaries.waitForEnd();
    await this.#notesAndRecaps.waitForEnd();
  }
}

/** Makes runs of `work`. `run` begins one or joins the current one. `waitForEnd` waits for that, and never rejects. */
function joinRuns(work: () => Promise<void>) {
  let running: Promise<void> | null = null;
  return {
    run: (): Promise<void> => {
      running ??= work().finally(() => {
        running = null;
      });
      return running;
    },
    waitForEnd: async (): Promise<void> => running?.catch(() => undefined),
  };
}

/** Does due work of a channel until the signal aborts. */
type Step = (channel: string, signal: AbortSignal) => Promise<void>;

export type LearningParts = ReturnType<typeof makeLearningParts>;

/** Returns the parts that summaries, extraction, recaps and requests share. */
function makeLearningParts(parts: MemoryParts) {
  const { config, db, now, switches } = parts;
  const isForbidden = memoizeOn(
    () => [config.replies],
    () => createForbiddenTest(config.replies.bannedWords),
  );
  const readOnly = () => switches().readOnly;
  return {
    ...parts,
    readOnly,
    /** The bot's logins and names: no notes are about it. */
    botNames: () => listBotNames(config),
    bannedWords: () => config.replies.bannedWords,
    episodes: new EpisodeStore(db, now),
    accountsOf: new IdentityStore(db, now).accountsOf,
    notes: new NoteStore(db, now),
    candidates: new CandidateStore(db, now),
    extraction: new ExtractionStore(db, now),
    sessions: new RecapStore(db, now),
    /** Returns the persona that owns a channel's notes; null if they are shared. */
    personaOf: (channel: string) => findPersona(config, channel).memoryScope,
    mayWork: () => !switches().paused && !readOnly() && config.memory.mode !== "off",
    writer: new NoteWriter({
      ...parts,
      readOnly,
      settings: (channel) => getNoteSettings(config, channel),
      isBanned: (text) => isForbidden()(text),
    }),
  };
}
