import { type Random, randomFrom } from "../rehearsal/random.ts";
import { meanOf } from "./mean.ts";

/** How much better one strategy is than another, over the same questions. */
export interface Difference {
  /** Mean of the differences, in shares: 0.1 is ten in a hundred. */
  readonly mean: number;
  /** 95 % interval of that mean, by paired bootstrap. */
  readonly low: number;
  readonly high: number;
  /** Questions that went better, and worse. */
  readonly better: number;
  readonly worse: number;
  /** Chance of so uneven a split, or a more uneven one, were both equally good: two-sided exact sign test. */
  readonly p: number;
}

const SAMPLES = 2_000;
const SEED = "paired";
const TAIL = 0.025;

/**
 * Compares two strategies question by question. `a[i]` and `b[i]` are the shares of what question i needed that each
 * showed, 0 to 1. Bootstrap by percentiles, 2,000 samples with a fixed seed (Efron and Tibshirani, 1993, chapter 13).
 */
export function compare(a: readonly number[], b: readonly number[]): Difference {
  const differences = a.map((share, at) => share - (b[at] ?? 0));
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const means = resampled(differences, randomFrom(SEED)).sort((x, y) => x - y);
  return {
    mean: meanOf(differences),
    low: means[Math.floor(SAMPLES * TAIL)] ?? 0,
    high: means[Math.ceil(SAMPLES * (1 - TAIL)) - 1] ?? 0,
    better,
    worse,
    p: signTest(better, worse),
  };
}

/** The same comparison, seen from the other side. */
export function reversed({ mean, low, high, better, worse, p }: Difference): Difference {
  return { mean: 0 - mean, low: 0 - high, high: 0 - low, better: worse, worse: better, p };
}

function resampled(values: readonly number[], random: Random): number[] {
  if (values.length === 0) return [];
  return Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at += 1)
      sum += values[random.int(0, values.length - 1)] ?? 0;
    return sum / values.length;
  });
}

/** Binomial with p = 1/2, ties left out. In logarithms: factorials of hundreds are too large. */
function signTest(better: number, worse: number): number {
  const n = better + worse;
  if (n === 0) return 1;
  const least = Math.min(better, worse);
  let logTerm = -n * Math.LN2;
  let sum = 0;
  for (let k = 0; k <= least; k += 1) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(n - k) - Math.log(k + 1);
  }
  return Math.min(1, 2 * sum);
}
