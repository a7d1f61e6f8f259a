import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Launch } from "./program.ts";

const SAMPLE_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
/** What loading takes is no growth, nor what is remembered for a while: a minute, or two thousand lines. */
const WARM_UP_MS = 10 * MINUTE_MS;
const MINUTES_MIN = 10;

/**
 * V8 reads all functions at the start: else each fault that comes for the first time leaves some kilobytes of them. It compiles
 * nothing for speed, and notes down no types to do so: at 400 lines a minute it finds something hot for hours, and counts
 * its notes as the program's. The factor is how often a function runs before they begin: at 10,000 whatever is called for each
 * line had them after 25 minutes; V8 multiplies it by the function's length, which a larger one would let overflow. Nor does
 * V8 forget functions that were not called for long, or the shapes of objects of which there is none just now, to make them
 * anew: some 80 KB came and went with what was under way. It knows from the start in which line what stands.
 */
const FLAGS = [
  "no-lazy",
  "no-opt",
  "no-sparkplug",
  "no-maglev",
  "no-flush-bytecode",
  "retain-maps-for-n-gc=1000000",
  "no-enable-lazy-source-positions",
  "interrupt-budget-for-feedback-allocation=1000000000",
  "interrupt-budget-factor-for-feedback-allocation=200000",
];

/**
 * Runs in the program's own process: collects all garbage every ten seconds and writes down what is left, so that what
 * grows is held by something, and is not what a collector has not come to yet.
 */
const WATCH = `
import { appendFileSync } from "node:fs";
import { getHeapCodeStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";
for (const flag of ["expose-gc", ...${JSON.stringify(FLAGS)}]) setFlagsFromString("--" + flag);
const collect = runInNewContext("gc");
const file = process.env.HEAP_SAMPLES + "/" + process.pid;
const look = () => {
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  const code = code_and_metadata_size + bytecode_and_metadata_size;
  const line = { atMs: Date.now(), live: heapUsed - code, code, external, resident: rss };
  appendFileSync(file, JSON.stringify(line) + "\\n");
};
if (isMainThread) setInterval(look, ${SAMPLE_EVERY_MS}).unref();
`;

/**
 * Bytes of a process. `live`: what its heap holds after a collection, but for `code`, which V8 reads when it is first
 * called; `external`: buffers that belong to what is live.
 */
const PARTS = ["live", "code", "external", "resident"] as const;
type Part = (typeof PARTS)[number];
type Sample = { readonly atMs: number } & Readonly<Record<Part, number>>;

/** Kilobytes an hour, with the standard error. */
interface Slope {
  readonly kbPerHour: number;
  readonly errorKb: number;
}

export type Growth = Readonly<Record<Part, Slope>>;

/** The same start, whose process writes its samples into a file of its own in `samples`. */
export function watched(launch: Launch, samples: string): Launch {
  mkdirSync(samples, { recursive: true });
  const watch = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`;
  const environment = { ...launch.environment, NODE_OPTIONS: watch, HEAP_SAMPLES: samples };
  return { ...launch, environment };
}

/** Of all runs that were watched into a folder; null where none was long enough to tell. */
export function growthIn(samples: string): Growth | null {
  const runs = readdirSync(samples).map((name) => samplesOf(join(samples, basename(name))));
  const slopes = PARTS.map((part) => [part, slope(runs, part)] as const);
  return slopes.some(([, found]) => found === null)
    ? null
    : (Object.fromEntries(slopes) as unknown as Growth);
}

function samplesOf(file: string): Sample[] {
  const lines = readFileSync(file, "utf8").split("\n");
  // The last line of a run that was killed may be half a line.
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Sample);
}

/**
 * A straight line through what came after each run's warm-up, each run with a height of its own. What a turn holds while it
 * goes on is no growth: of each minute the least counts. What one minute is off, the next one is too: the error grows by
 * how much.
 */
function slope(runs: readonly (readonly Sample[])[], part: Part): Slope | null {
  const warm = runs
    .map((run) => run.filter(({ atMs }) => atMs - (run[0]?.atMs ?? 0) > WARM_UP_MS))
    .map((run) => leastOfMinutes(run, part))
    .filter((run) => run.length >= MINUTES_MIN);
  const points = warm.flatMap((run) => {
    const mean = (of: (one: Sample) => number) =>
      run.reduce((sum, one) => sum + of(one), 0) / run.length;
    const [meanMs, meanBytes] = [mean(({ atMs }) => atMs), mean((one) => one[part])];
    return run.map((one) => ({
      x: (one.atMs - meanMs) / 3_600_000,
      y: (one[part] - meanBytes) / 1024,
    }));
  });
  const sum = (of: (one: { readonly x: number; readonly y: number }, at: number) => number) =>
    points.reduce((total, one, at) => total + of(one, at), 0);
  const spread = sum(({ x }) => x * x);
  if (spread === 0) return null;
  const kbPerHour = sum(({ x, y }) => x * y) / spread;
  const off = points.map(({ x, y }) => y - kbPerHour * x);
  const square = off.reduce((total, one) => total + one * one, 0);
  const withNext = off.reduce((total, one, at) => total + one * (off[at + 1] ?? 0), 0);
  const alike = square === 0 ? 0 : Math.min(0.95, Math.max(0, withNext / square));
  const variance = (square / (points.length - warm.length - 1)) * ((1 + alike) / (1 - alike));
  return { kbPerHour, errorKb: Math.sqrt(variance / spread) };
}

function leastOfMinutes(run: readonly Sample[], part: Part): readonly Sample[] {
  const least = new Map<number, Sample>();
  for (const sample of run) {
    const minute = Math.floor((sample.atMs - (run[0]?.atMs ?? 0)) / MINUTE_MS);
    const known = least.get(minute);
    if (known === undefined || sample[part] < known[part]) least.set(minute, sample);
  }
  return [...least.values()];
}
