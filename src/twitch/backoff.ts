/** How long to wait between attempts, ms: `baseMs` doubles with each failure up to `capMs`. */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before the attempt after `failures` failures in a row, in whole ms. `random` is in [0, 1): half of the
 * wait is fixed and half is drawn, so that many clients do not return at once, and none returns at once itself.
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits): number {
  const ceilingMs = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(failures, 30));
  return Math.round(ceilingMs * (0.5 + random / 2));
}
