// Pure: values in, values out.
/** Counts what happens in each channel, second by second, for the last ten minutes. Forgets with the process. */
export interface Pace {
  note(channel: string, nowMs: number): void;
  /** How many in the last `windowMs`, at most ten minutes, to a second's precision. */
  count(channel: string, windowMs: number, nowMs: number): number;
}

const SECONDS_KEPT = 600;

export function paceCounter(): Pace {
  const channels = new Map<string, Ring>();
  return {
    note: (channel, nowMs) => {
      let ring = channels.get(channel);
      if (ring === undefined) {
        ring = { seconds: new Float64Array(SECONDS_KEPT), counts: new Uint32Array(SECONDS_KEPT) };
        channels.set(channel, ring);
      }
      const second = Math.floor(nowMs / 1_000);
      const slot = second % SECONDS_KEPT;
      if (ring.seconds[slot] !== second) {
        ring.seconds[slot] = second;
        ring.counts[slot] = 0;
      }
      ring.counts[slot] = (ring.counts[slot] ?? 0) + 1;
    },
    count: (channel, windowMs, nowMs) => {
      const ring = channels.get(channel);
      if (ring === undefined) return 0;
      const last = Math.floor(nowMs / 1_000);
      const first = last - Math.min(SECONDS_KEPT, Math.ceil(windowMs / 1_000)) + 1;
      let total = 0;
      for (let second = first; second <= last; second += 1) {
        const slot = second % SECONDS_KEPT;
        if (ring.seconds[slot] === second) total += ring.counts[slot] ?? 0;
      }
      return total;
    },
  };
}

interface Ring {
  /** Which second a slot counts. */
  readonly seconds: Float64Array;
  readonly counts: Uint32Array;
}
