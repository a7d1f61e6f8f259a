/** Failures in a row after which a model is left alone for a while. */
const FAULTS_MAX = 5;
const PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 300_000;

type BreakerPass =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "wait"; readonly untilMs: number };

export interface Breaker {
  readonly isOpen: boolean;
  admit(nowMs: number): BreakerPass;
  /** A call that was let through has ended. `neutral` says nothing about the server. */
  report(result: "success" | "fault" | "neutral", isProbe: boolean, nowMs: number): void;
}

/**
 * Opens after five faults in a row, for 30 s; twice as long after each probe that fails, up to 5 min. When that time
 * is over one call goes through as a probe; others are refused meanwhile rather than made to wait for it.
 */
export function createBreaker(): Breaker {
  let faults = 0;
  let pauseMs = PAUSE_MS;
  let openUntilMs: number | null = null;
  let isProbing = false;

  const open = (nowMs: number) => {
    openUntilMs = nowMs + pauseMs;
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
  };
  const close = () => {
    faults = 0;
    pauseMs = PAUSE_MS;
    openUntilMs = null;
  };

  return {
    get isOpen() {
      return openUntilMs !== null;
    },
    admit(nowMs) {
      if (openUntilMs === null) return { kind: "go", isProbe: false };
      if (nowMs < openUntilMs) return { kind: "wait", untilMs: openUntilMs };
      if (isProbing) return { kind: "wait", untilMs: nowMs + PAUSE_MS };
      isProbing = true;
      return { kind: "go", isProbe: true };
    },
    report(result, isProbe, nowMs) {
      if (isProbe) isProbing = false;
      if (result === "success") close();
      if (result !== "fault") return;
      faults += 1;
      // Calls that were under way when it opened say nothing new.
      if (isProbe || (openUntilMs === null && faults >= FAULTS_MAX)) open(nowMs);
    },
  };
}
