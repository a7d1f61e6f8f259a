import { setTimeout as delay } from "node:timers/promises";

const LOOK_EVERY_MS = 5;

/** Resolves once `condition` holds; fails the test where it does not within `timeoutMs`, or goes on throwing. */
export async function until(condition: () => boolean, timeoutMs = 20_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const isOver = performance.now() >= endMs;
    try {
      if (condition()) return;
    } catch (cause) {
      if (isOver) throw cause;
    }
    if (isOver) throw new Error(`this did not come about in ${timeoutMs} ms: ${condition}`);
    await delay(LOOK_EVERY_MS);
  }
}
