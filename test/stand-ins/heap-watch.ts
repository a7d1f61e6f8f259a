import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Launch } from "./program.ts";

const SAMPLE_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
/** Loading is no growth, nor is what the program stores for some minutes only. */
const WARM_UP_MS = 10 * MINUTE_MS;
const MINUTES_MIN = 10;

/** Without these V8 compiles hot functions for hours, and counts its notes about them as the program's memory. */
const FLAGS = [
  "expose-gc",
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

/** Runs in the program's own process. Collects all garbage every ten seconds and writes down what is left, without code. */
const WATCH = `
import { appendFileSync } from "node:fs";
import { getHeapCodeStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";
for (const flag of ${JSON.stringify(FLAGS)}) setFlagsFromString("--" + flag);
const collect = runInNewContext("gc");
const file = process.env.HEAP_SAMPLES + "/" + process.pid;
const look = () => {
  collect();
  collect();
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  const bytes = process.memoryUsage().heapUsed - code_and_metadata_size - bytecode_and_metadata_size;
  appendFileSync(file, Date.now() + " " + bytes + "\\n");
};
if (isMainThread) setInterval(look, ${SAMPLE_EVERY_MS}).unref();
`;

/** Returns the same start, whose process writes its samples into a file of its own in `samples`. */
export function watched(launch: Launch, samples: string): Launch {
  mkdirSync(samples, { recursive: true });
  const watch = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`;
  const environment = { ...launch.environment, NODE_OPTIONS: watch, HEAP_SAMPLES: samples };
  return { ...launch, environment };
}

/**
 * Measures the growth of the live heap in the longest run that was watched into a folder, KB an hour. Null if it was too
 * short to tell. A turn in progress holds memory too, so the least of each third counts.
 */
export function growthIn(samples: string): number | null {
  const runs = readdirSync(samples).map((name) => readSamples(join(samples, name)));
  const longest = runs.toSorted((one, other) => other.length - one.length)[0] ?? [];
  const warm = longest.filter(({ atMs }) => atMs - (longest[0]?.atMs ?? 0) > WARM_UP_MS);
  const third = Math.floor(warm.length / 3);
  const [first, last] = [warm.slice(0, third), warm.slice(-third)];
  const spanMs = (last[0]?.atMs ?? 0) - (first[0]?.atMs ?? 0);
  if (spanMs < (MINUTES_MIN * MINUTE_MS * 2) / 3) return null;
  const least = (part: typeof warm) => Math.min(...part.map(({ bytes }) => bytes));
  return ((least(last) - least(first)) / 1_024) * (3_600_000 / spanMs);
}

function readSamples(file: string): { readonly atMs: number; readonly bytes: number }[] {
  // The last line of a run that was killed may be half a line.
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [atMs = 0, bytes = 0] = line.split(" ").map(Number);
    return { atMs, bytes };
  });
}
