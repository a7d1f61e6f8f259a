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

type Limit = { readonly atMost: number } | { readonly atLeast: number };

/** One line of the table of `npm run bench`. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  readonly digits?: number;
  /** What it stands beside, measured in the same run. */
  readonly beside?: string;
  readonly theirs?: number;
  /** Ours by theirs, unless given: of each round, where there are rounds. */
  readonly ratio?: number;
  /** Of our figure, or of the ratio; none is only shown. */
  readonly goal?: Limit & { readonly of: "ours" | "ratio" };
  /** How `ours` came about, by the number of what it grows with: drawn, in ascending order. */
  readonly grows?: { readonly by: string; readonly points: readonly Point[] };
}

type Point = readonly [count: number, cost: number];

/** The cost at the largest number beside that at the smallest. */
export function growthRow(
  { what, unit, digits }: Pick<Row, "what" | "unit"> & { readonly digits: number },
  by: string,
  points: readonly Point[],
  goal?: Row["goal"],
): Row {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${what}: nothing was measured`);
  const many = last[0].toLocaleString("en");
  return {
    what: `${what}, ${many} ${by}`,
    unit,
    digits,
    ours: last[1],
    beside: `${first[0].toLocaleString("en")} ${by}`,
    theirs: first[1],
    ...(goal === undefined ? {} : { goal }),
    grows: { by, points },
  };
}

export function ratioOf({ ours, theirs, ratio }: Row): number | null {
  if (ratio !== undefined) return ratio;
  return theirs === undefined || theirs === 0 ? null : ours / theirs;
}

/** null where there is no goal. */
export function isRowReached(row: Row): boolean | null {
  const { goal, ours } = row;
  if (goal === undefined) return null;
  const value = goal.of === "ours" ? ours : ratioOf(row);
  if (value === null || Number.isNaN(value)) return false;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

const VERDICTS = { true: "reached", false: "MISSED" };

/** Of the columns of the table. */
export const HEAD = ["what", "ours", "beside", "theirs", "ratio", "goal", ""];

export function cellsOf(row: Row): string[] {
  const { what, ours, unit, digits = 1, beside = "", theirs, goal } = row;
  const shown = (value: number) => `${value.toFixed(digits)} ${unit}`.trim();
  const ratio = ratioOf(row);
  const reached = isRowReached(row);
  return [
    what,
    shown(ours),
    beside,
    theirs === undefined ? "" : shown(theirs),
    ratio === null ? "" : `${ratio.toFixed(2)} ×`,
    goalOf(goal, unit),
    reached === null ? "" : VERDICTS[`${reached}`],
  ];
}

function goalOf(goal: Row["goal"], unit: string): string {
  if (goal === undefined) return "";
  const of = goal.of === "ratio" ? "×" : unit;
  return "atMost" in goal ? `≤ ${goal.atMost} ${of}` : `≥ ${goal.atLeast} ${of}`;
}

/** One figure beside its bar. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly digits?: number;
  /** null: shown for comparison, without a bar. */
  readonly bar: Limit | null;
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
