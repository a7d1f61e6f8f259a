import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";

/** Runs `work`; a throw of it is reported as a bug and goes no further. */
export type Guard = (where: string, work: () => void) => void;

/**
 * A guard that reports to `log` where the bug is, and nothing that was thrown: an error's message may quote chat.
 * Of a bug that repeats with every message, the 1st, 2nd, 4th, 8th … is reported.
 */
export function bugGuard(log: Log): Guard {
  let count = 0;
  return (where, work) => {
    try {
      work();
    } catch (thrown) {
      count++;
      if (!Number.isInteger(Math.log2(count))) return;
      log.error({ where, ...describeBug(thrown), count }, "bug: a handler of chat threw");
    }
  };
}
