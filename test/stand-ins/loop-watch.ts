import { readFileSync, writeFileSync } from "node:fs";
import type { Launch } from "./program.ts";

/** What is told of a pause; shorter ones are of no interest. */
const TOLD_MS_MIN = 10;

/**
 * Runs in the program's own process: writes down how long each turn of its loop took, how much of that it computed, and
 * how long the system let it wait for a processor meanwhile (Linux tells that of a thread; elsewhere it counts as none).
 */
const WATCH = `
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
const every = 5;
const waited = () => {
  try {
    return Number(readFileSync("/proc/" + process.pid + "/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
};
let [last, used, queued] = [performance.now(), process.cpuUsage(), waited()];
const look = () => {
  const ms = performance.now() - last - every;
  const waitedMs = waited() - queued;
  const { user, system } = process.cpuUsage(used);
  const line = { atMs: Date.now(), ms: Math.max(0, ms - waitedMs), waitedMs, ownMs: (user + system) / 1000 };
  if (ms > ${TOLD_MS_MIN}) appendFileSync(process.env.STALLS, JSON.stringify(line) + "\\n");
  [last, used, queued] = [performance.now(), process.cpuUsage(), waited()];
};
if (isMainThread && process.env.STALLS) setInterval(look, every).unref();
`;

export interface Stall {
  readonly atMs: number;
  /** Without what it waited for a processor. */
  readonly ms: number;
  readonly waitedMs: number;
  /** Of all threads. */
  readonly ownMs: number;
}

/** The same start, whose process writes the pauses of its loop into `file`. */
export function watchedLoop(
  launch: Launch,
  file: string,
): { readonly launch: Launch; readonly stalls: () => readonly Stall[] } {
  writeFileSync(file, "");
  const watch = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`;
  const environment = { ...launch.environment, NODE_OPTIONS: watch, STALLS: file };
  const lines = () => readFileSync(file, "utf8").split("\n");
  return {
    launch: { ...launch, environment },
    stalls: () => lines().flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Stall])),
  };
}
