import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

export interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
}

const LOOK_EVERY_MS = 250;

/** Does `work` at regular intervals of real time until the end; a failure is reported, and it goes on. */
export function every(
  ms: number,
  work: () => unknown,
  { life, log }: { life: Lifetime; log: Log },
): void {
  const timer = setInterval(async () => {
    try {
      await work();
    } catch (thrown) {
      log.error({ ...describeBug(thrown) }, "bug: a regular task failed");
    }
  }, ms);
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
