/** A clock that runs faster than the wall's, waits in its own time, and may jump: then whoever waited that long is done. */
export interface SimulatedClock {
  /** Epoch ms. */
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly skip: (ms: number) => void;
}

/** `speed`: how many of its seconds pass in a real one. */
export function simulatedClock(speed: number): SimulatedClock {
  const startedAtMs = Date.now();
  const startedAt = performance.now();
  const waiting = new Set<() => void>();
  let skippedMs = 0;
  const now = (): number =>
    Math.floor(startedAtMs + skippedMs + (performance.now() - startedAt) * speed);
  return {
    now,
    skip: (ms) => {
      skippedMs += ms;
      for (const look of [...waiting]) look();
    },
    wait: (ms, signal) => {
      const untilMs = now() + ms;
      if (ms <= 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout;
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const look = (): void => {
          clearTimeout(timer);
          const leftMs = untilMs - now();
          if (leftMs <= 0) done();
          else timer = setTimeout(look, Math.max(1, leftMs / speed));
        };
        signal.addEventListener("abort", done);
        waiting.add(look);
        look();
      });
    },
  };
}
