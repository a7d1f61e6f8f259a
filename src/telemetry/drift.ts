// Pure: values in, values out.
import { medianOf } from "./distribution.ts";

/** Something of a stream that can be compared with earlier ones: a share of `of`, or a mean over `of`. */
export interface Metric {
  /** Dotted: `notes.kind.profile`, `replies.refused.stale`. */
  readonly name: string;
  readonly unit: "share" | "mean";
  readonly value: number;
  readonly of: number;
  /** Standard deviation of what a mean is over; 0 for a share. */
  readonly deviation: number;
}

export interface Moved {
  readonly name: string;
  readonly unit: Metric["unit"];
  readonly from: number;
  readonly to: number;
  /** How many deviations it lies from the earlier streams' median. */
  readonly score: number;
}

/** Fewer earlier streams than this are no habit. */
export const STREAMS_MIN = 3;
/** Fewer samples in a stream than this say nothing. */
const SAMPLES_MIN = 20;
/** B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers (1993): the modified z-score's limit. */
const SCORE_MIN = 3.5;
/** Turns the median absolute deviation of normal values into their standard deviation. */
const MAD_SCALE = 1.4826;
/** A smaller move is true but not worth a word: points of a share, parts of a mean. */
const SHARE_MOVE_MIN = 0.05;
const MEAN_MOVE_MIN = 0.1;

/**
 * What moved against earlier streams, the furthest first. The scale is how far those lie apart among themselves (median
 * absolute deviation) and how far a sample of this size may lie off by chance, together.
 */
export function movedMetrics(
  current: readonly Metric[],
  earlier: readonly (readonly Metric[])[],
): Moved[] {
  const names = new Set([...current, ...earlier.flat()].map(({ name }) => name));
  return [...names]
    .flatMap((name) => movedOne(name, current, earlier) ?? [])
    .sort((one, other) => Math.abs(other.score) - Math.abs(one.score));
}

function movedOne(
  name: string,
  current: readonly Metric[],
  earlier: readonly (readonly Metric[])[],
): Moved | null {
  const now = metricNamed(current, name);
  if (now === null) return null;
  const before = earlier
    .map((metrics) => metricNamed(metrics, name))
    .filter((metric) => metric !== null);
  if (before.length < STREAMS_MIN) return null;
  const from = medianOf(before.map(({ value }) => value));
  const apart = medianOf(before.map(({ value }) => Math.abs(value - from))) * MAD_SCALE;
  const score = (now.value - from) / Math.hypot(apart, chanceOf(now, from));
  const isFar = Math.abs(score) >= SCORE_MIN && isWorthAWord(now, from);
  return isFar ? { name, unit: now.unit, from, to: now.value, score } : null;
}

/** With enough samples. A name that a stream lacks is a share of nothing: of none, where its family has samples. */
function metricNamed(metrics: readonly Metric[], name: string): Metric | null {
  const found = metrics.find((metric) => metric.name === name);
  if (found !== undefined) return found.of >= SAMPLES_MIN ? found : null;
  const family = name.slice(0, name.lastIndexOf(".") + 1);
  const kin = metrics.find((metric) => metric.unit === "share" && isOfFamily(metric.name, family));
  if (kin === undefined || kin.of < SAMPLES_MIN) return null;
  return { ...kin, name, value: 0 };
}

function isOfFamily(name: string, family: string): boolean {
  return family !== "" && name.slice(0, name.lastIndexOf(".") + 1) === family;
}

/** The standard error of the value, if nothing had changed; a share of none is smoothed, or any one would be a wonder. */
function chanceOf({ unit, of, deviation }: Metric, from: number): number {
  if (unit === "mean") return deviation / Math.sqrt(of);
  const share = (from * of + 1) / (of + 2);
  return Math.sqrt((share * (1 - share)) / of);
}

function isWorthAWord({ unit, value }: Metric, from: number): boolean {
  const move = Math.abs(value - from);
  return unit === "share" ? move >= SHARE_MOVE_MIN : move >= MEAN_MOVE_MIN * Math.abs(from);
}
