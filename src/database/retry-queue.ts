import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../errors.ts";
import { classifyTrouble } from "./database-fault.ts";

/** Thrown by a write that must come after chat that is not written yet. `RetryQueue` tries the write again. */
export const NOT_FLUSHED = new Error("chat waits to be written");

/** Writes that must happen although the database may be busy or full. They wait in memory, so a restart loses them. */
export class RetryQueue {
  readonly #handleError: (thrown: unknown) => boolean;
  readonly #onBug: (thrown: unknown) => void;
  readonly #waiting: (() => void)[] = [];
  #isWorking = false;

  /**
   * A write waits if it throws `NOT_FLUSHED`, a Fault, or an error for which `handleError` returns true. A write that
   * throws anything else is dropped, and `onBug` gets the error.
   */
  constructor(handleError: (thrown: unknown) => boolean, onBug: (thrown: unknown) => void) {
    this.#handleError = handleError;
    this.#onBug = onBug;
  }

  /** Does the waiting writes and then this one. If one must wait, so do the later ones. Never throws. */
  add(write: () => void): void {
    this.#waiting.push(write);
    this.retry();
  }

  /** Does the waiting writes in order, until one must wait. Call it regularly. Does nothing while a write runs. */
  retry(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let write = this.#waiting[0]; write !== undefined; write = this.#waiting[0]) {
      if (!this.#tryWrite(write)) break;
      this.#waiting.shift();
    }
    this.#isWorking = false;
  }

  /** Does a write. Returns false if it must be tried again, true if it is done or dropped. */
  #tryWrite(write: () => void): boolean {
    try {
      write();
    } catch (thrown) {
      if (thrown === NOT_FLUSHED || thrown instanceof Fault || this.#handleError(thrown))
        return false;
      this.#onBug(thrown);
    }
    return true;
  }
}

const BUSY_TRIES_MAX = 10;
const BUSY_PAUSE_MS = 20;

/**
 * Does a write and returns its result. If another program holds the database, tries it up to 10 times, 20 ms apart,
 * then rejects with that error. Any other error rejects at once.
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
