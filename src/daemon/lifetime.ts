import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

export interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
}

const LOOK_EVERY_MS = 250;

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
