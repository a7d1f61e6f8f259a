import { uptime } from "node:os";

/** The two clocks may drift this far apart between two readings. If more is lost, a user set the clock back. */
const DRIFT_MS = 2_000;

/**
 * Makes a clock in epoch ms that never goes back. `now` is the machine's clock, which a user may set; `monotonicNow` is
 * the process's own, in ms. If `now` is set back by over 2 s, this clock adds the difference until the process ends.
 * After less, it stands still until `now` catches up. If `now` is set forward, or the machine slept, this clock follows.
 */
export function createSteadyClock(now: () => number, monotonicNow = (): number => 0): () => number {
  let wallMs = now();
  let ticksMs = monotonicNow();
  let aheadMs = 0;
  let lastMs = wallMs;
  return () => {
    const [nextWallMs, nextTicksMs] = [now(), monotonicNow()];
    const lostMs = nextTicksMs - ticksMs - (nextWallMs - wallMs);
    if (lostMs > DRIFT_MS) aheadMs += Math.round(lostMs);
    [wallMs, ticksMs] = [nextWallMs, nextTicksMs];
    // Repeats the last value until the clock catches up.
    lastMs = Math.max(lastMs, wallMs + aheadMs);
    return lastMs;
  };
}

/** Further apart, the machine's clock was set or the machine slept. */
const APART_MS_MAX = 20;

/**
 * Makes a clock of the machine's uptime in ms, sleep included, right to about 20 ms. Setting the time does not move it.
 * `askSystem` returns the uptime in seconds, and takes 0.1 ms. The clock calls it only at first, and after a sleep or a
 * set time.
 */
export function createUptimeClock(askSystem = uptime): () => number {
  let upMs = 0;
  let wallMs = Number.NEGATIVE_INFINITY;
  let ticksMs = 0;
  return () => {
    const [nextWallMs, nextTicksMs] = [Date.now(), performance.now()];
    const passedMs = nextTicksMs - ticksMs;
    // Sleep moves the machine's clock. Where it moves the process's own too, the time that passed has it already.
    if (Math.abs(nextWallMs - wallMs - passedMs) < APART_MS_MAX) return upMs + passedMs;
    upMs = askSystem() * 1_000;
    [wallMs, ticksMs] = [nextWallMs, nextTicksMs];
    return upMs;
  };
}

/** The shortest delay grows by this share of the passed time, so that one wrong stamp does not count for ever. */
const FORGOTTEN_SHARE = 0.05;

/**
 * Makes a meter, to notice the old messages that Twitch sends after a sleep. `meter(sentAtMs)` returns how much longer
 * than the shortest earlier delay a message took, ms, so wrong clocks do not matter. It returns 0 for the first message,
 * or if the stamp or `sinceBootMs` (a clock of `createUptimeClock`) is missing.
 */
export function createLatenessMeter(
  sinceBootMs: (() => number) | undefined,
): (sentAtMs: number | null) => number {
  let leastMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  return (sentAtMs) => {
    if (sinceBootMs === undefined || sentAtMs === null) return 0;
    const nowMs = sinceBootMs();
    leastMs = Math.min(leastMs + (nowMs - lastMs) * FORGOTTEN_SHARE, nowMs - sentAtMs);
    lastMs = nowMs;
    return Math.round(nowMs - sentAtMs - leastMs);
  };
}

/** The wait between attempts: `baseMs` doubles with each failure up to `capMs`. */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Returns the wait before the next attempt, whole ms, after `failures` earlier failures in a row. Half of it is fixed;
 * `random`, in [0, 1], draws the other half, so that not all clients return at once.
 */
export function calculateBackoffMs(
  failures: number,
  random: number,
  limits: BackoffLimits,
): number {
  const ceilingMs = Math.min(limits.capMs, limits.baseMs * 2 ** failures);
  return Math.round(ceilingMs * (0.5 + random / 2));
}

/** A timer may fire this much early, ms; then it must not fire again for the same time. */
const EARLY_MS_MAX = 2;

interface Interval {
  readonly ms: number;
  readonly work: () => void;
  dueMs: number;
}

/**
 * Intervals that share one timer. Each is due at multiples of its `ms` on the process's own clock, so an idle program
 * wakes only as often as its shortest interval.
 */
export class SharedTimer {
  readonly #intervals = new Set<Interval>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * Calls `work`, which must not throw, every `ms`; the first time maybe earlier. Keeps no program alive. Returns a
   * function that ends the interval.
   */
  setInterval(ms: number, work: () => void): () => void {
    const interval = { ms, work, dueMs: findNextDue(ms) };
    this.#intervals.add(interval);
    this.#wait();
    return () => {
      this.#intervals.delete(interval);
      this.#wait();
    };
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#intervals.size === 0) return;
    const soonestMs = Math.min(...Array.from(this.#intervals, ({ dueMs }) => dueMs));
    // A busy start may let a due time pass. Node warns about a negative delay.
    const waitMs = Math.max(0, soonestMs - performance.now());
    this.#timer = setTimeout(() => this.#runDue(), waitMs).unref();
  }

  #runDue(): void {
    const nowMs = performance.now() + EARLY_MS_MAX;
    const due = [...this.#intervals].filter(({ dueMs }) => dueMs <= nowMs);
    for (const interval of due) interval.dueMs = findNextDue(interval.ms);
    this.#wait();
    // The work of one interval may end another.
    for (const interval of due) if (this.#intervals.has(interval)) interval.work();
  }
}

/** Returns the next multiple of `ms` on the process's own clock. */
function findNextDue(ms: number): number {
  return (Math.floor((performance.now() + EARLY_MS_MAX) / ms) + 1) * ms;
}

const processTimer = new SharedTimer();

/** Does what `SharedTimer.setInterval` does, by the one timer of this process. */
export function setSharedInterval(ms: number, work: () => void): () => void {
  return processTimer.setInterval(ms, work);
}
