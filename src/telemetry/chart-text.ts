// Pure: values in, values out.
/** Charts made of characters. */

const LEVELS = "▁▂▃▄▅▆▇█";
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** One character a value, from the line's foot to its top; a zero is a blank. */
export function sparkline(values: readonly number[]): string {
  const max = Math.max(...values, 0);
  if (max === 0) return "";
  return values
    .map((value) => (value <= 0 ? " " : LEVELS[Math.ceil((value / max) * LEVELS.length) - 1]))
    .join("");
}

/** A bar `columns` wide at a share of 1, in eighths of a character; anything above nothing shows. */
function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const seen = share > 0 ? Math.max(1, eighths) : 0;
  return "█".repeat(Math.floor(seen / 8)) + EIGHTHS[seen % 8];
}

export interface BarRow {
  readonly name: string;
  readonly value: number;
  /** What is written behind the bar. */
  readonly label: string;
}

/** Rows of bars, the longest as long as there is room. */
export function bars(rows: readonly BarRow[], columns: number): string[] {
  const max = Math.max(...rows.map(({ value }) => value), 0);
  const width = Math.max(...rows.map(({ name }) => name.length), 0);
  return rows.map(({ name, value, label }) => {
    const drawn = bar(max === 0 ? 0 : value / max, columns);
    return `${name.padEnd(width)}  ${drawn.padEnd(columns)}  ${label}`;
  });
}
