import type { Config } from "../config/load.ts";
import type { Counters } from "../db/counters-store.ts";
import type { NoticeBoard } from "../db/notices-store.ts";
import type { Db } from "../db/open.ts";
import type { Switches } from "../db/switches-store.ts";
import { describeBug } from "../errors.ts";
import type { RemovedText } from "../events/removal.ts";
import type { Llm } from "../llm/port.ts";
import type { Log } from "../log.ts";
import type { Fence } from "../text/fence.ts";
import { compaction } from "./compaction.ts";
import { episodeStore } from "./episode-store.ts";
import { recapper } from "./recap.ts";
import { removalStore } from "./removal-store.ts";
import { sessionStore } from "./session-store.ts";

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
  readonly now: () => number;
  readonly log: Log;
}

export interface Memory {
  /** Summarises what is due, then writes the recaps of streams that ended. Joins a run under way. */
  run(): Promise<void>;
  /** Chat was taken away: so is what was learned from it. */
  forget(removed: RemovedText): void;
  close(): Promise<void>;
}

/** What turns chat into memory, and takes it back. */
export function openMemory(parts: MemoryParts): Memory {
  const { config, db, now, counters } = parts;
  const closing = new AbortController();
  const shared = {
    ...parts,
    channels: config.channels,
    botNames: [...(config.bot.login === null ? [] : [config.bot.login]), ...config.bot.aliases, config.persona.name],
    bannedWords: config.replies.bannedWords,
    episodes: episodeStore(db, now),
  };
  const loop = compaction(shared);
  const writeRecaps = recapper({ ...shared, sessions: sessionStore(db) });
  const removal = removalStore(db, now);
  let recaps: Promise<void> | null = null;
  const runRecaps = async (): Promise<void> => {
    for (const channel of config.channels) {
      const { paused, readOnly } = parts.switches();
      if (!paused && !readOnly) await writeRecaps(channel, closing.signal);
    }
  };
  /** What fails stays due, and is tried at the next look: nobody who removes a text waits for memory. */
  const settleRemovals = (): void => {
    try {
      const { claimsWithdrawn, notesRemoved } = removal.settle();
      if (claimsWithdrawn > 0) counters.bump("memory.claims_withdrawn", claimsWithdrawn);
      if (notesRemoved > 0) counters.bump("memory.notes_removed", notesRemoved);
    } catch (thrown) {
      parts.log.error({ ...describeBug(thrown) }, "what was learned from removed chat is still there");
    }
  };
  settleRemovals();
  return {
    run: async () => {
      settleRemovals();
      await loop.run();
      if (closing.signal.aborted) return;
      recaps ??= runRecaps().finally(() => {
        recaps = null;
      });
      await recaps;
    },
    forget: ({ eventIds }) => {
      if (eventIds.length > 0) settleRemovals();
    },
    close: async () => {
      closing.abort();
      await loop.close();
      await recaps?.catch(() => undefined);
    },
  };
}
