export interface Limit {
  /** Aborts when the time is over or the caller gave up. */
  readonly signal: AbortSignal;
  /** Why it aborted; null while it has not. */
  reason(): "timeout" | "aborted" | null;
  /** What is left of the time, ms; measured on the monotonic clock that the timer runs on. */
  leftMs(): number;
  /** Resolves with what `work` gives, or with null once the signal aborts, whichever is first. */
  race<T>(work: Promise<T>): Promise<T | null>;
  /** Waits `delayMs`, or until the signal aborts. */
  wait(delayMs: number): Promise<void>;
  /** Ends the timer and lets go of the caller's signal. */
  close(): void;
}

/** A time limit of `timeoutMs` over everything that one question needs, joined with the caller's own signal. */
export function openLimit(timeoutMs: number, caller: AbortSignal | undefined): Limit {
  const endsAtMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  let reason: "timeout" | "aborted" | null = null;
  const end = (why: "timeout" | "aborted") => {
    reason ??= why;
    controller.abort();
  };
  const onCaller = () => end("aborted");
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  caller?.addEventListener("abort", onCaller, { once: true });
  if (caller?.aborted === true) onCaller();

  const { signal } = controller;
  const over = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  return {
    signal,
    reason: () => reason,
    leftMs: () => endsAtMs - performance.now(),
    race: (work) => Promise.race([work, over]),
    wait: async (delayMs) => {
      let pause: NodeJS.Timeout | undefined;
      const elapsed = new Promise<null>((resolve) => {
        pause = setTimeout(() => resolve(null), delayMs);
      });
      await Promise.race([elapsed, over]);
      clearTimeout(pause);
    },
    close: () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCaller);
    },
  };
}
