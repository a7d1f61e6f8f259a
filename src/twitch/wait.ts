import { setTimeout as delay } from "node:timers/promises";

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Longest delay a Node timer keeps; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Waits on a real timer. Whoever waits has to look at the clock again: the longest waits come back early. */
export const wait: Wait = async (ms, signal) => {
  try {
    await delay(Math.min(Math.max(ms, 0), TIMER_MS_MAX), undefined, { signal });
  } catch {
    // aborted: the caller looks at its signal
  }
};

/** What `work` gives, or `late` after `ms`. The work goes on all the same; a late rejection is swallowed. */
export async function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, wait(ms, stop.signal).then(() => late)]);
  } finally {
    stop.abort();
    work.catch(() => undefined);
  }
}
