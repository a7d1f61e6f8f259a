const TRIES = 7;
const MS_MIN = 0.05;

/** How many times as long `run` takes for ten times the repetitions: about 10 when it is linear, 100 when it is not. */
export function growth(run: (text: string) => unknown, unit: string, repetitions: number): number {
  run(unit.repeat(repetitions));
  const many = fastestMs(run, unit.repeat(repetitions * 10));
  return many / Math.max(MS_MIN, fastestMs(run, unit.repeat(repetitions)));
}

/** The fastest of several runs, in ms: what else the machine does only makes runs slower. */
export function fastestMs(run: (text: string) => unknown, text: string): number {
  return Math.min(
    ...Array.from({ length: TRIES }, () => {
      const start = performance.now();
      run(text);
      return performance.now() - start;
    }),
  );
}
