// Pure: values in, values out.
const MINUTE_MS = 60_000;

/**
 * `2026-05-01 20:00 +02:00`: what the clock of this machine shows at a time (epoch ms), and how far it is ahead of UTC.
 * By hand: what the language has for it loads all of its locales first, and their names of zones differ.
 */
export function formatLocalTime(atMs: number, aheadMinutes = getMinutesAhead(atMs)): string {
  const minutes = Math.abs(aheadMinutes);
  const offset = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `${formatWallClock(atMs, aheadMinutes).replace("T", " ")} ${aheadMinutes < 0 ? "-" : "+"}${offset}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `Friday 2026-05-01, 20:00 to 20:45`: when something was on this machine; with the second day if it is another. */
export function formatSpan(fromMs: number, toMs: number): string {
  const [fromDay, toDay] = [formatLocalDay(fromMs), formatLocalDay(toMs)];
  const clock = (atMs: number) =>
    formatWallClock(atMs, getMinutesAhead(atMs)).slice("2026-05-01T".length);
  const end = fromDay === toDay ? clock(toMs) : `${formatDay(toMs)} ${clock(toMs)}`;
  return `${formatDay(fromMs)}, ${clock(fromMs)} to ${end}`;
}

/** `Friday 2026-05-01`: the weekday and the day on this machine. */
export function formatDay(atMs: number): string {
  return `${WEEKDAYS[new Date(atMs).getDay()]} ${formatLocalDay(atMs)}`;
}

/** `2026-05-01`: the day that it is on this machine at a time (epoch ms). */
export function formatLocalDay(atMs: number, aheadMinutes = getMinutesAhead(atMs)): string {
  return formatWallClock(atMs, aheadMinutes).slice(0, "2026-05-01".length);
}

/** A time as ISO 8601 writes it, as epoch ms; NaN for none. Without a Z or an offset it is this machine's; a day alone, its midnight. */
export function readLocalTime(text: string): number {
  return Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text);
}

/** Returns minutes that the clock of this machine is ahead of UTC at that time. TZ in the environment sets the zone. */
function getMinutesAhead(atMs: number): number {
  return -new Date(atMs).getTimezoneOffset();
}

function formatWallClock(atMs: number, aheadMinutes: number): string {
  return new Date(atMs + aheadMinutes * MINUTE_MS)
    .toISOString()
    .slice(0, "2026-05-01T20:00".length);
}
