/** Returns the value below which `share` (0 to 1) of `values` lie; 0 if there are none. */
export function getPercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function getMedian(values: readonly number[]): number {
  return getPercentile(values, 0.5);
}

/** One line of the table of `npm run bench`. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  readonly digits?: number;
  /** The peer, measured in the same run. */
  readonly peer?: string;
  readonly theirs?: number;
  /** Default: ours by theirs. */
  readonly ratio?: number;
  /** A bar for our figure or for the ratio. */
  readonly goal?: ({ readonly atMost: number } | { readonly atLeast: number }) & {
    readonly of: "ours" | "ratio";
  };
}

export const HEAD = ["what", "ours", "peer", "theirs", "ratio", "goal", ""];

export function formatCells(row: Row): string[] {
  const { what, ours, unit, digits = 1, peer = "", theirs } = row;
  const shown = (value: number) => `${value.toFixed(digits)} ${unit}`.trim();
  const ratio = getRatio(row);
  return [
    what,
    shown(ours),
    peer,
    theirs === undefined ? "" : shown(theirs),
    ratio === null ? "" : `${ratio.toFixed(2)} ×`,
    formatGoal(row),
    formatVerdict(row),
  ];
}

function formatGoal({ goal, unit }: Row): string {
  if (goal === undefined) return "";
  const limit = "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  return `${limit} ${goal.of === "ratio" ? "×" : unit}`;
}

function formatVerdict(row: Row): string {
  const reached = isReached(row);
  if (reached === null) return "";
  return reached ? "reached" : "MISSED";
}

/** Returns null for a row without a goal. */
export function isReached(row: Row): boolean | null {
  const { goal, ours } = row;
  if (goal === undefined) return null;
  const value = goal.of === "ours" ? ours : (getRatio(row) ?? Number.NaN);
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

function getRatio({ ours, theirs, ratio }: Row): number | null {
  if (ratio !== undefined) return ratio;
  return theirs === undefined || theirs === 0 ? null : ours / theirs;
}
