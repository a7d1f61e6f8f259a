import type { VacuumState } from "./vacuum-queue.ts";

const SOON_MS = 10 * 60_000;
const RETRY_MS = 30_000;
const RETRY_MS_MAX = 60 * 60_000;
/** After one that took long the next has to wait: forgets in a row may not keep the database busy all the time. */
const REST_PER_WORK = 10;

/** The longest that a removed text waits for its VACUUM where none fails. */
export const VACUUM_EVERY_MS = SOON_MS;

/** When the next VACUUM may begin, ms; null where none is due. Failures put it off: 30 s, then twice as long each time. */
export function vacuumDueAtMs(state: VacuumState): number | null {
  const { dueSinceMs, due, endedAtMs, tookMs, failures } = state;
  if (dueSinceMs === null) return null;
  if (endedAtMs === null) return dueSinceMs;
  if (failures > 0) return endedAtMs + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** (failures - 1));
  const restMs = tookMs * REST_PER_WORK;
  return Math.max(dueSinceMs, endedAtMs + (due === "now" ? restMs : Math.max(SOON_MS, restMs)));
}
