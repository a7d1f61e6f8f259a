import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

export interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
}

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
