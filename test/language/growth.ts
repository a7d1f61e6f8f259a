import process from "node:process";

const TRIES_MIN = 3;
const TRIES_MAX = 7;
const TRIES_MS_MAX = 60;
const MS_MIN = 0.05;
/** Of ten times as much: below this nobody needs to measure again. */
const GROWTH_OF_LINEAR = 20;

/** How many times as long `run` takes for ten times the repetitions: about 10 when it is linear, 100 when it is not. */
export function growth(run: (text: string) => unknown, unit: string, repetitions: number): number {
  const [short, long] = [unit.repeat(repetitions), unit.repeat(repetitions * 10)];
  run(short);
  const measured = (): number => {
    const shortMs = Math.max(MS_MIN, fastestMs(run, short));
    return fastestMs(run, long, GROWTH_OF_LINEAR * shortMs) / shortMs;
  };
  const first = measured();
  // Twice: the machine may have been compiling, or collecting, all through the first.
  return first < GROWTH_OF_LINEAR ? first : Math.min(first, measured());
}

/**
 * The fastest of several runs, in ms of work: what else the machine does only makes runs slower. One that takes less
 * than `enoughMs` is the last.
 */
export function fastestMs(run: (text: string) => unknown, text: string, enoughMs = 0): number {
  let fastest = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (
    let tries = 0;
    tries < TRIES_MAX && fastest >= enoughMs && (tries < TRIES_MIN || spent < TRIES_MS_MAX);
    tries += 1
  ) {
    const start = workMs();
    run(text);
    const took = workMs() - start;
    spent += took;
    fastest = Math.min(fastest, took);
  }
  return fastest;
}

/** What this process has computed, so that a busy machine does not count; Windows knows that only to 16 ms. */
export function workMs(): number {
  if (process.platform === "win32") return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
