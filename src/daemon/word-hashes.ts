import { setImmediate as breathe } from "node:timers/promises";
import { wordHashStore } from "../recall/word-hash-store.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

/** Until then a new note is found as it is written, which takes longer. */
const LOOK_EVERY_MS = 60_000;

/** Hashes the words of notes soon after they were written, and lets other work in between. */
export function keepWordsHashed(
  { log }: Pick<DaemonOptions, "log">,
  { db, hash, gate }: Pick<Stores, "db" | "hash" | "gate">,
  life: Lifetime,
): void {
  const { hashSlice } = wordHashStore(db, hash);
  let isRunning = false;
  let isOver = false;
  const hashAll = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (;;) {
        await gate.opened();
        if (isOver || hashSlice() === 0) return;
        await breathe();
      }
    } finally {
      isRunning = false;
    }
  };
  every(LOOK_EVERY_MS, hashAll, { life, log });
  life.closers.push(() => {
    isOver = true;
  });
}
