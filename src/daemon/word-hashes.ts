import { wordHashStore } from "../memory/recall/word-hash-store.ts";
import { wait as realWait } from "../twitch/wait.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

/** Until then a new note is hashed with every question, which takes longer. */
const LOOK_EVERY_MS = 60_000;
/** Between two slices: so slow that it disturbs nobody, and the write-ahead log is emptied in between. */
const PAUSE_MS = 20;

/** Hashes the words of notes, at the start and soon after they were written. */
export function keepWordsHashed(
  { log, wait = realWait }: Pick<DaemonOptions, "log" | "wait">,
  { db, hasher, gate }: Pick<Stores, "db" | "hasher" | "gate">,
  life: Lifetime,
): void {
  const { hashSlice } = wordHashStore(db, hasher);
  const closing = new AbortController();
  const hashAll = async (): Promise<void> => {
    for (;;) {
      await wait(PAUSE_MS, closing.signal);
      await gate.opened();
      if (closing.signal.aborted || hashSlice() === 0) return;
    }
  };
  every(LOOK_EVERY_MS, hashAll, { life, log, atOnce: true });
  life.closers.push(() => closing.abort());
}
