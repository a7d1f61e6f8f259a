/** The value that `share` (0 to 1) of `values` does not exceed; 0 where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** One figure beside its bar. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly digits?: number;
  /** null: shown for comparison, without a bar. */
  readonly bar: { readonly atMost: number } | { readonly atLeast: number } | null;
}

/** Prints the figures, a line each, and sets the exit code to 1 where one missed its bar. */
export function report(figures: readonly Figure[]): void {
  for (const figure of figures) process.stdout.write(`${lineOf(figure)}\n`);
  process.exitCode = figures.every(isReached) ? 0 : 1;
}

function lineOf(figure: Figure): string {
  const { name, value, unit, digits = 2, bar } = figure;
  const shown = `${name.padEnd(56)} ${value.toFixed(digits).padStart(9)} ${unit.padEnd(6)}`;
  if (bar === null) return shown.trimEnd();
  const limit = "atMost" in bar ? `at most ${bar.atMost}` : `at least ${bar.atLeast}`;
  return `${shown} ${limit.padEnd(14)} ${isReached(figure) ? "reached" : "MISSED"}`;
}

function isReached({ value, bar }: Figure): boolean {
  if (bar === null) return true;
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
}
