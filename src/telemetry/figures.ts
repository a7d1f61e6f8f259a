// Pure: values in, values out.
/** Figures as a person reads them; the same in a terminal and on a page. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `12,345`. */
export function count(value: number): string {
  // By hand: what the language has for it loads all of its locales first.
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Holds a figure and its unit on one line. */
const NO_BREAK = "\u00a0";

/** `41 %`; below ten with one digit: `4.1 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${Math.abs(value) < 9.95 && value !== 0 ? value.toFixed(1) : value.toFixed(0)}${NO_BREAK}%`;
}

/** `+2.1 %`. */
export function signedPercent(share: number): string {
  return `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)}${NO_BREAK}%`;
}

/** `$1.23`, or `$0.0012` below ten cents; `no price known` for null. */
export function dollars(value: number | null): string {
  if (value === null) return "no price known";
  return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
}

/** `840 ms`, `1.2 s`. */
export function milliseconds(value: number): string {
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`;
}

/** `4 h 10 min`. */
export function span(ms: number): string {
  if (ms < HOUR_MS) return `${Math.max(0, Math.round(ms / MINUTE_MS))} min`;
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  const minutes = Math.round((ms % HOUR_MS) / MINUTE_MS);
  return `${Math.floor(ms / HOUR_MS)} h${minutes === 0 ? "" : ` ${minutes} min`}`;
}

/** `12 stale, 3 paused`; `none`. */
export function tallyText(
  tally: Readonly<Record<string, number>>,
  nameOf = (code: string): string => code,
): string {
  const parts = Object.entries(tally).map(([code, value]) => `${count(value)} ${nameOf(code)}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}
