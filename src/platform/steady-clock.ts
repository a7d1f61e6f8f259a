/**
 * A clock for waiting: `now`, but never going back. It stands still while a clock that was set back catches up on what
 * it told last, so that nothing waits for longer than it should.
 */
export function steadyClock(now: () => number): () => number {
  let lastMs = Number.NEGATIVE_INFINITY;
  let aheadMs = 0;
  return () => {
    const nowMs = now();
    if (nowMs < lastMs) aheadMs += lastMs - nowMs;
    lastMs = nowMs;
    return nowMs + aheadMs;
  };
}
