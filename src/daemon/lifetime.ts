import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

export interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
  /** Each may take what a task threw, and say so by true: it is told then, and no bug. */
  readonly takers: ((thrown: unknown) => boolean)[];
}

const LOOK_EVERY_MS = 250;

/** What is to be closed at the end, in reverse order. One that fails keeps no other from it. */
export function lifetime(log: Log): Lifetime {
  const closers: Lifetime["closers"] = [];
  const takers: Lifetime["takers"] = [];
  const closeOne = async (close: () => unknown): Promise<void> => {
    try {
      await close();
    } catch (thrown) {
      if (takers.some((takes) => takes(thrown))) return;
      log.error({ ...describeBug(thrown) }, "bug: something could not be closed");
    }
  };
  return {
    closers,
    takers,
    closeAll: async () => {
      for (const close of closers.splice(0).reverse()) await closeOne(close);
    },
  };
}

interface Every {
  readonly life: Lifetime;
  readonly log: Log;
  /** Whether to begin now, and not only after the first interval. */
  readonly atOnce?: boolean;
}

/** Does `work` at regular intervals of real time until the end; a failure is reported, and it goes on. */
export function every(ms: number, work: () => unknown, { life, log, atOnce = false }: Every): void {
  const once = async (): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      if (life.takers.some((takes) => takes(thrown))) return;
      log.error({ ...describeBug(thrown) }, "bug: a regular task failed");
    }
  };
  if (atOnce) void once();
  const timer = setInterval(once, ms);
  timer.unref();
  life.closers.push(() => clearInterval(timer));
}

/** The same at intervals that may change, and that are a second at the least. */
export function everySo(
  msOf: () => number,
  work: () => unknown,
  parts: { life: Lifetime; log: Log },
): void {
  let lastAtMs = performance.now();
  const look = (): unknown => {
    if (performance.now() - lastAtMs < msOf()) return undefined;
    lastAtMs = performance.now();
    return work();
  };
  every(LOOK_EVERY_MS, look, parts);
}
