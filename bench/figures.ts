/** The value that `share` (0 to 1) of `values` does not exceed; 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** One line of the table of `npm run bench`. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  readonly digits?: number;
  /** What it is compared with, measured in the same run. */
  readonly beside?: string;
  readonly theirs?: number;
  /** Ours by theirs, unless given. */
  readonly ratio?: number;
  /** A bar for our figure or for the ratio. */
  readonly goal?: ({ readonly atMost: number } | { readonly atLeast: number }) & {
    readonly of: "ours" | "ratio";
  };
}

export const HEAD = ["what", "ours", "beside", "theirs", "ratio", "goal", ""];

export function cellsOf(row: Row): string[] {
  const { what, ours, unit, digits = 1, beside = "", theirs } = row;
  const shown = (value: number) => `${value.toFixed(digits)} ${unit}`.trim();
  const ratio = ratioOf(row);
  return [
    what,
    shown(ours),
    beside,
    theirs === undefined ? "" : shown(theirs),
    ratio === null ? "" : `${ratio.toFixed(2)} ×`,
    goalOf(row),
    verdictOf(row),
  ];
}

function goalOf({ goal, unit }: Row): string {
  if (goal === undefined) return "";
  const limit = "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  return `${limit} ${goal.of === "ratio" ? "×" : unit}`;
}

function verdictOf(row: Row): string {
  const reached = isReached(row);
  if (reached === null) return "";
  return reached ? "reached" : "MISSED";
}

/** Null for a row without a goal. */
export function isReached(row: Row): boolean | null {
  const { goal, ours } = row;
  if (goal === undefined) return null;
  const value = goal.of === "ours" ? ours : (ratioOf(row) ?? Number.NaN);
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

function ratioOf({ ours, theirs, ratio }: Row): number | null {
  if (ratio !== undefined) return ratio;
  return theirs === undefined || theirs === 0 ? null : ours / theirs;
}
