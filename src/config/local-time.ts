// Pure: values in, values out.
const MINUTE_MS = 60_000;

/**
 * Formats epoch ms by this machine's clock, with its offset from UTC: `2026-05-01 20:00 +02:00`. The language's own
 * formatter is not used: it loads all of its locales first, and their names of zones differ.
 */
export function formatLocalTime(atMs: number): string {
  const aheadMinutes = getMinutesAhead(atMs);
  const minutes = Math.abs(aheadMinutes);
  const offset = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `${formatWallClock(atMs).replace("T", " ")} ${aheadMinutes < 0 ? "-" : "+"}${offset}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * Formats a span by this machine's clock: `Friday 2026-05-01, 20:00 to 20:45`. Names the second day if it is another.
 */
export function formatSpan(fromMs: number, toMs: number): string {
  const [fromDay, toDay] = [formatLocalDay(fromMs), formatLocalDay(toMs)];
  const clock = (atMs: number) => formatWallClock(atMs).slice("2026-05-01T".length);
  const end = fromDay === toDay ? clock(toMs) : `${formatDay(toMs)} ${clock(toMs)}`;
  return `${formatDay(fromMs)}, ${clock(fromMs)} to ${end}`;
}

/** Formats the weekday and the day on this machine: `Friday 2026-05-01`. */
export function formatDay(atMs: number): string {
  return `${WEEKDAYS[new Date(atMs).getDay()]} ${formatLocalDay(atMs)}`;
}

/** Formats the day on this machine at a time (epoch ms): `2026-05-01`. */
export function formatLocalDay(atMs: number): string {
  return formatWallClock(atMs).slice(0, "2026-05-01".length);
}

/**
 * Reads an ISO 8601 time as epoch ms; NaN if it cannot be read. Without a Z or an offset it is this machine's time. A
 * day alone is its first moment on this machine. February 30 becomes March 2.
 */
export function readLocalTime(text: string): number {
  return Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text);
}

/** Returns by how many minutes this machine's clock is ahead of UTC at a time. TZ in the environment sets the zone. */
function getMinutesAhead(atMs: number): number {
  return -new Date(atMs).getTimezoneOffset();
}

function formatWallClock(atMs: number): string {
  const shifted = new Date(atMs + getMinutesAhead(atMs) * MINUTE_MS);
  return shifted.toISOString().slice(0, "2026-05-01T20:00".length);
}
