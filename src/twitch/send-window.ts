/** A send that began; it counts as now until `settle` says when it was through. */
interface SendSlot {
  settle(atMs: number): void;
  /** Nothing was sent after all. */
  release(): void;
}

/** The account's sends of the last `windowMs`, over all channels. */
export interface SendWindow {
  /** How long until one more send makes at most `max` in the window, ms; 0: now. */
  delayMs(max: number, nowMs: number): number;
  /** Begins a send that may be the `max`th in the window. */
  begin(max: number): SendSlot;
}

export function sendWindow(windowMs: number): SendWindow {
  const maxOfUnderWay = new Map<SendSlot, number>();
  /** Ascending. */
  let settledAtMs: number[] = [];
  return {
    delayMs: (max, nowMs) => {
      settledAtMs = settledAtMs.filter((atMs) => nowMs - atMs < windowMs);
      // Nobody knows when one under way will count: what overtakes it must leave it room.
      const lowestMax = Math.min(max, ...maxOfUnderWay.values());
      const surplus = settledAtMs.length + maxOfUnderWay.size - lowestMax;
      return surplus < 0 ? 0 : (settledAtMs[surplus] ?? nowMs) + windowMs - nowMs;
    },
    begin: (max) => {
      const slot: SendSlot = {
        settle: (atMs) => {
          if (maxOfUnderWay.delete(slot)) settledAtMs.push(atMs);
        },
        release: () => {
          maxOfUnderWay.delete(slot);
        },
      };
      maxOfUnderWay.set(slot, max);
      return slot;
    },
  };
}
