import { setTimeout as delay } from "node:timers/promises";
import { classifyTrouble } from "./database-fault.ts";

/** Thrown by a write that must come after chat that is not written yet: it is tried again. */
export const NOT_FLUSHED = new Error("chat waits to be written");

export type RetryQueue = ReturnType<typeof retryQueue>;

/**
 * Writes that must happen although the database may be busy or full. `isPassing` takes what a write threw: true means
 * try again, false means a bug, and the write is dropped.
 */
export function retryQueue(isPassing: (thrown: unknown) => boolean) {
  const waiting: (() => void)[] = [];
  let isWorking = false;
  const retry = (): void => {
    if (isWorking) return;
    isWorking = true;
    try {
      for (let write = waiting[0]; write !== undefined; write = waiting[0]) {
        try {
          write();
        } catch (thrown) {
          if (isPassing(thrown)) return;
        }
        waiting.shift();
      }
    } finally {
      isWorking = false;
    }
  };
  return {
    /** Does the write now, or, if earlier writes wait or this one fails, later and in order. Never throws. */
    add: (write: () => void): void => {
      waiting.push(write);
      retry();
    },
    /** Tries what waits again. Call it regularly. */
    retry,
  };
}

const BUSY_TRIES_MAX = 10;
const BUSY_PAUSE_MS = 20;

/**
 * Does a write, and repeats it while another program holds the database; chat continues between tries. Rejects with
 * the last error.
 */
export async function retryWhileBusy<T>(write: () => T): Promise<T> {
  for (let left = BUSY_TRIES_MAX - 1; left > 0; left -= 1) {
    try {
      return write();
    } catch (thrown) {
      if (classifyTrouble(thrown) !== "busy") throw thrown;
      await delay(BUSY_PAUSE_MS);
    }
  }
  return write();
}
