import { setTimeout as delay } from "node:timers/promises";
import { troubleOf } from "./database-fault.ts";

/**
 * Closes the database to the daemon's own writes while another process has it to itself, so that nobody waits for it
 * inside SQLite, which would stop the event loop. Reading goes on.
 */
export interface WriteGate {
  readonly isClosed: () => boolean;
  /** Resolves when writing is possible and what waited for it is done: at once while the gate is open. */
  readonly opened: () => Promise<void>;
  /** The same for whoever is waited for in chat: at the latest after ten seconds, whatever becomes of their writes. */
  readonly openedSoon: () => Promise<void>;
  /** Does the work now, and throws what it throws; or does it once the gate opens, in order. */
  readonly whenOpen: (work: () => void) => void;
  /** Begins once the gate is open, or as soon. It closes only after the work, and what follows at once on it, is done. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets nobody begin to hold it, closes once nobody holds it any more, and resolves then, or when it is opened before. */
  readonly close: () => Promise<void>;
  readonly open: () => void;
}

/** What waited is done so long without a pause, ms: hundreds of wishes may have come while the gate was closed. */
const SLICE_MS = 5;
/** Whoever has the database then has it as another program may: answers go on without their rows. */
const PATIENCE_MS = 10_000;

/** `onThrown` is told what work threw that had to wait: nobody else could be. */
export function writeGate(onThrown: (thrown: unknown) => void = () => undefined): WriteGate {
  let isClosed = false;
  /** Given when the gate opens; there is one from the moment somebody wants it closed. */
  let next: Signal | null = null;
  let nextSinceMs = 0;
  let holders = 0;
  let idle: Signal | null = null;
  const waiting: (() => void)[] = [];
  const letGo = (): void => {
    holders -= 1;
    if (holders === 0) idle?.give();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      onThrown(thrown);
    }
  };
  const isShut = (): boolean => isClosed || waiting.length > 0;
  const whilePatient = async (isInTheWay: () => boolean): Promise<void> => {
    while (isInTheWay()) {
      const leftMs = nextSinceMs + PATIENCE_MS - performance.now();
      if (leftMs <= 0) return;
      await Promise.race([next?.given, delay(leftMs, undefined, { ref: false })]);
    }
  };
  const takeNext = () => (isClosed ? undefined : waiting.shift());
  const catchUp = (opened: Signal): void => {
    const untilMs = performance.now() + SLICE_MS;
    let work = takeNext();
    while (work !== undefined) {
      attempt(work);
      work = performance.now() < untilMs ? takeNext() : undefined;
    }
    if (!isClosed && waiting.length > 0) return void setImmediate(catchUp, opened);
    if (next === opened) next = null;
    opened.give();
  };
  return {
    isClosed: () => isClosed,
    opened: async () => {
      while (isShut()) await next?.given;
    },
    openedSoon: () => whilePatient(isShut),
    whenOpen: (work) => {
      if (isShut()) waiting.push(work);
      else work();
    },
    hold: async (work) => {
      await whilePatient(() => next !== null);
      holders += 1;
      try {
        return await work();
      } finally {
        setImmediate(letGo);
      }
    },
    close: async () => {
      const closing = signal();
      [next, nextSinceMs] = [closing, performance.now()];
      idle = signal();
      if (holders > 0) await idle.given;
      if (next === closing) isClosed = true;
    },
    open: () => {
      const was = next;
      const opened = signal();
      [next, nextSinceMs] = [opened, performance.now()];
      isClosed = false;
      idle?.give();
      catchUp(opened);
      was?.give();
    },
  };
}

/** Together about as long as SQLite itself would wait. */
const BUSY_TRIES_MAX = 10;
const BUSY_REST_MS = 20;

/**
 * Writes now; where a command beside the bot has the database for a moment, in a moment: others go on meanwhile. Rejects
 * with what the last try threw.
 */
export async function onceFree<T>(write: () => T): Promise<T> {
  for (let left = BUSY_TRIES_MAX - 1; left > 0; left -= 1) {
    try {
      return write();
    } catch (thrown) {
      if (troubleOf(thrown) !== "busy") throw thrown;
      await delay(BUSY_REST_MS);
    }
  }
  return write();
}

interface Signal {
  readonly given: Promise<void>;
  readonly give: () => void;
}

function signal(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
