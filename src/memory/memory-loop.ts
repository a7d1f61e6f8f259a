import type { RemovedText } from "../chat/removal.ts";
import { describeBug } from "../errors.ts";
import { forbiddenWords } from "../language/banned.ts";
import type { Fence } from "../language/fence.ts";
import type { Log } from "../log.ts";
import { type Config, remade } from "../platform/config/load.ts";
import { botNames, personaFor } from "../platform/config/personas.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Counters, Switches } from "../platform/database/runtime-store.ts";
import type { Llm } from "../platform/models/model-port.ts";
import { compaction } from "./compaction.ts";
import { episodeStore } from "./episode-store.ts";
import { trialPolicy } from "./memory-policy.ts";
import { capKeeper, noteSettings, staleBefore } from "./note-settings.ts";
import { noteStore } from "./note-store.ts";
import { noteWriter } from "./note-writer-store.ts";
import { type RemovalStore, removalStore } from "./removal-store.ts";
import { type ViewerRequests, viewerRequests } from "./requests-store.ts";
import { sorter } from "./sorting.ts";
import { recapper } from "./stream-recap.ts";
import { sessionStore, sortingStore } from "./summarised-store.ts";
import type { SuppressionStore } from "./suppression-store.ts";

export interface MemoryParts {
  readonly config: Config;
  readonly db: Db;
  readonly llm: Llm;
  readonly fence: Fence;
  readonly switches: () => Switches;
  /** Brings buffered chat into the database. */
  readonly flush: () => void;
  /** Whether the channel is known to be offline. */
  readonly isOver: (channel: string) => boolean;
  readonly counters: Counters;
  readonly notices: NoticeBoard;
  /** Whom and what memory may not learn. */
  readonly suppressions: SuppressionStore;
  readonly now: () => number;
  readonly log: Log;
}

export interface Memory {
  /** Summarises what is due, then writes the recaps of streams that ended. Joins a run under way. */
  run(): Promise<void>;
  /** Chat was taken away: so is what was learned from it. */
  forget(removed: RemovedText): void;
  /** What a viewer may ask for, about themselves. */
  readonly requests: ViewerRequests;
  /** Moves notes that ran out, or that nobody confirmed for long, out of the way. */
  sweep(): void;
  close(): Promise<void>;
}

/** What extraction offered, and what became of it, is told for thirty days. */
const CANDIDATES_KEPT_MS = 30 * 86_400_000;
const SWEEP_ROWS = 1_000;
const READ_ONLY =
  "memory is read-only: nothing is learned, and chat that waits runs out within 24 hours; `forgetmenot memory readonly off` ends it";

/** What turns chat into memory, and takes it back. */
export function openMemory(parts: MemoryParts): Memory {
  const { config, db, now } = parts;
  const closing = new AbortController();
  const shared = sharedParts(parts);
  const { mayWork } = shared;
  const loop = compaction(shared);
  const makeNotes = sorter({ ...shared, sorting: sortingStore(db, now) });
  const writeRecaps = recapper({ ...shared, sessions: sessionStore(db) });
  const removal = removalStore(db, now);
  let later: Promise<void> | null = null;
  /** Notes and recaps are made of episodes. */
  const runLater = async (): Promise<void> => {
    for (const channel of config.channels) {
      await makeNotes(channel, closing.signal);
      if (mayWork()) await writeRecaps(channel, closing.signal);
    }
  };
  const settleRemovals = (): void => settle(parts, removal);
  settleRemovals();
  const tellReadOnly = readOnlyTeller(parts);
  tellReadOnly();
  const keepCaps = capKeeper(noteStore(db, now), (channel) => noteSettings(config, channel));
  return {
    requests: viewerRequests(shared),
    run: async () => {
      settleRemovals();
      tellReadOnly();
      await loop.run();
      if (closing.signal.aborted) return;
      later ??= runLater().finally(() => {
        later = null;
      });
      await later;
    },
    forget: ({ eventIds }) => {
      if (eventIds.length > 0) settleRemovals();
    },
    sweep: () => {
      // What ran out goes, also while nothing may be learned.
      sweepNotes(parts);
      if (!mayWork()) return;
      for (const channel of config.channels) {
        parts.counters.bump("memory.notes_evicted", keepCaps(channel));
      }
    },
    close: async () => {
      closing.abort();
      await loop.close();
      await later?.catch(() => undefined);
    },
  };
}

function sweepNotes({ config, db, counters, now }: MemoryParts): void {
  const notes = noteStore(db, now);
  counters.bump("memory.notes_expired", notes.expire());
  counters.bump("memory.notes_stale", notes.retire(staleBefore(now(), config.memory.staleDays)));
  sortingStore(db, now).pruneCandidates(now() - CANDIDATES_KEPT_MS, SWEEP_ROWS);
}

/** What the parts of memory have in common. */
function sharedParts(parts: MemoryParts) {
  const { config, db, now } = parts;
  const banned = remade(
    () => [config.replies],
    () => forbiddenWords(config.replies),
  );
  const trial = remade(
    () => [config.memory],
    () => trialPolicy(config.memory),
  );
  return {
    ...parts,
    channels: config.channels,
    botNames: () => botNames(config),
    bannedWords: () => config.replies,
    episodes: episodeStore(db, now),
    noteMs: () => config.memory.noteSeconds * 1_000,
    personaOf: (channel: string) => personaFor(config, channel).memoryScope,
    mayWork: (): boolean => {
      const { paused, readOnly } = parts.switches();
      return !paused && !readOnly;
    },
    readOnly: () => parts.switches().readOnly,
    writer: noteWriter({
      db,
      settings: (channel) => noteSettings(config, channel),
      trial: (channel) => {
        const policy = trial();
        return policy === null ? null : noteSettings(config, channel, policy);
      },
      readOnly: () => parts.switches().readOnly,
      banned: (text) => banned()(text),
      suppressions: parts.suppressions,
      now,
    }),
  };
}

/** Chat that waits piles up meanwhile and runs out: the streamer is told, until memory may be written again. */
function readOnlyTeller({ switches, notices }: MemoryParts): () => void {
  let told: boolean | null = null;
  return () => {
    const { readOnly } = switches();
    if (readOnly === told) return;
    told = readOnly;
    if (readOnly) notices.raise("memory_read_only", "warning", READ_ONLY);
    else notices.clear("memory_read_only");
  };
}

/** What fails stays due, and is tried at the next look: nobody who removes a text waits for memory. */
function settle({ counters, log }: MemoryParts, removal: RemovalStore): void {
  try {
    const { claimsWithdrawn, notesRemoved } = removal.settle();
    if (claimsWithdrawn > 0) counters.bump("memory.claims_withdrawn", claimsWithdrawn);
    if (notesRemoved > 0) counters.bump("memory.notes_removed", notesRemoved);
  } catch (thrown) {
    log.error({ ...describeBug(thrown) }, "what was learned from removed chat is still there");
  }
}
