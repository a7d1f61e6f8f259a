// Pure: values in, values out. Figures read the same in a terminal and on a page.

const DAY_MS = 24 * 3_600_000;

/** A report counts notes up to this number. */
export const COUNTED_MAX = 1_000;

/** Formats a number, rounded: `12,345`. */
export function formatCount(value: number): string {
  // By hand: the language's own formatter loads all of its locales first.
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a share (0.41) as a percentage: `41 %`, `4.1 %` below ten, or `0 %`. Its space does not break a line. */
export function formatPercent(share: number): string {
  const value = share * 100;
  return `${Math.abs(value) < 9.95 && value !== 0 ? value.toFixed(1) : value.toFixed(0)}\u00a0%`;
}

/** Formats dollars: `$1.23`, or `$0.0012` below ten cents; `no price known` for null. */
export function formatDollars(value: number | null): string {
  if (value === null) return "no price known";
  return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
}

/** Formats milliseconds: `840 ms`, or from a second on `1.2 s`. */
export function formatMilliseconds(value: number): string {
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`;
}

/** Formats a time span (ms): `40 s`, `25 min`, `4 h 10 min`, or from two days on `3 days`. A negative one is `0 s`. */
export function formatDurationSpan(ms: number): string {
  const seconds = Math.round(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}

/** Formats a number with its noun: `1 note`, `1,200 notes`, `2 replies`. Pass `plural` only if it is irregular. */
export function formatPlural(many: number, one: string, plural = `${one}s`): string {
  const usual = /[^aeiou]ys$/.test(plural) ? `${one.slice(0, -1)}ies` : plural;
  return `${formatCount(many)} ${many === 1 ? one : usual}`;
}

export type Tally = Readonly<Record<string, number>>;

/** Formats counts by name: `12 stale, 3 paused`; "" for no counts. */
export function formatTally(tally: Tally): string {
  return Object.entries(tally)
    .map(([name, many]) => `${formatCount(many)} ${name}`)
    .join(", ");
}

/** A share with its counts. The share is 0 if `of` is 0. */
export type Share = Readonly<Record<"hits" | "of" | "share", number>>;

export function calculateShare(hits: number, of: number): Share {
  return { hits, of, share: of === 0 ? 0 : hits / of };
}

type Distribution = Readonly<Record<"count" | "p50" | "p90" | "max", number>>;

/** Returns the count, percentiles and maximum of values; null for no values. Each percentile is one of the values. */
export function calculateDistribution(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), max: at(1) };
}

/** Percentiles of fewer values mean nothing. */
const VALUES_MIN = 5;

/**
 * Formats times: `half within 840 ms, nine of ten within 1.2 s, longest 3.0 s`. Of fewer than five, only the longest.
 */
export function formatTimes(times: Distribution): string {
  const { count: many, p50, p90, max } = times;
  const most = `half within ${formatMilliseconds(p50)}, nine of ten within ${formatMilliseconds(p90)}, `;
  return `${many < VALUES_MIN ? "" : most}longest ${formatMilliseconds(max)}`;
}
