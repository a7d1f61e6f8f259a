/** Google's daily quotas begin anew at midnight there. */
const ZONE = "America/Los_Angeles";
/** Made when first needed: it takes 10 ms that a start need not. */
let clock: Intl.DateTimeFormat | null = null;

/** The next midnight in Pacific time after `nowMs`, epoch ms; right across changes of summer time. */
export function nextPacificMidnight(nowMs: number): number {
  const wall = new Date(wallClock(nowMs));
  const midnight = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + 1);
  const guess = midnight - offsetAt(nowMs);
  return midnight - offsetAt(guess);
}

function offsetAt(atMs: number): number {
  return wallClock(atMs) - Math.floor(atMs / 1_000) * 1_000;
}

/** What clocks in the zone show, read as if it were UTC. */
function wallClock(atMs: number): number {
  clock ??= zoneClock();
  const parts = new Map(clock.formatToParts(atMs).map((part) => [part.type, Number(part.value)]));
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(
    get("year"),
    get("month") - 1,
    get("day"),
    get("hour"),
    get("minute"),
    get("second"),
  );
}

function zoneClock(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: ZONE,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}
