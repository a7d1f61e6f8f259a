import { wrapWords } from "../language/clean.ts";
import type { Report } from "./report.ts";
import { textOf, titleOf, whenOf } from "./report-figures.ts";
import { type Bar, type Chart, type ReportPart, reportParts } from "./report-parts.ts";

interface TextStyle {
  /** Where nobody watches, or colours are not wanted, none is used. */
  readonly colour: boolean;
  readonly columns: number;
}

const BOLD = 1;
const DIM = 2;
const CYAN = 36;
const BAR_COLUMNS = 24;
const INDENT = "  ";

/** A report for a terminal, with charts made of characters. */
export function reportText(report: Report, { colour, columns }: TextStyle): string {
  const paint = (code: number, text: string): string =>
    colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  const part = ({ name, lines, charts }: ReportPart): string[] => {
    const width = Math.max(...lines.map(({ label }) => label.length));
    return [
      "",
      paint(BOLD, name),
      ...charts.flatMap(drawn).map((chart) => INDENT + paint(CYAN, chart)),
      ...lines.flatMap(({ label, words }) =>
        wrapped({ label, text: textOf(words) }, width, columns).map(
          ([name, text]) => `${INDENT}${paint(DIM, name)}${text}`,
        ),
      ),
    ];
  };
  return [
    paint(BOLD, titleOf(report.period)),
    textOf(whenOf(report)),
    ...reportParts(report).flatMap(part),
  ].join("\n");
}

/** What a chart is in characters; lines say what the others show. */
function drawn(chart: Chart): string[] {
  switch (chart.kind) {
    case "bars":
      return bars(chart.rows);
    case "heat":
      return bars(chart.cells);
    case "columns":
      return chart.series.flatMap(({ name, values }) => {
        const heights = values.map(({ value }) => Number(value));
        return heights.some((height) => height > 0)
          ? [`${name.padEnd(8)}  ${sparkline(heights)}`]
          : [];
      });
    case "histogram":
      return [];
  }
}

/** A line broken at spaces, its label in front of the first piece. */
function wrapped(
  { label, text }: { readonly label: string; readonly text: string },
  width: number,
  columns: number,
): (readonly [string, string])[] {
  const room = Math.max(20, columns - width - 2 * INDENT.length - 1);
  return wrapWords(text, room).map((piece, n) => [
    `${(n === 0 ? label : "").padEnd(width)}  `,
    piece,
  ]);
}

const LEVELS = "▁▂▃▄▅▆▇█";
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** One character a value, from the line's foot to its top; a zero is a blank. */
function sparkline(values: readonly number[]): string {
  const max = Math.max(...values, 0);
  if (max === 0) return "";
  return values
    .map((value) => (value <= 0 ? " " : LEVELS[Math.ceil((value / max) * LEVELS.length) - 1]))
    .join("");
}

/** A bar of full width at a share of 1, in eighths of a character; anything above nothing shows. */
function bar(share: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * BAR_COLUMNS * 8);
  const seen = share > 0 ? Math.max(1, eighths) : 0;
  return "█".repeat(Math.floor(seen / 8)) + EIGHTHS[seen % 8];
}

function bars(rows: readonly Bar[]): string[] {
  const max = Math.max(...rows.map(({ bar: { value } }) => Number(value)), 0);
  const width = Math.max(...rows.map(({ name }) => name.length), 0);
  return rows.map(({ name, bar: { value }, label }) => {
    const line = bar(max === 0 ? 0 : Number(value) / max);
    return `${name.padEnd(width)}  ${line.padEnd(BAR_COLUMNS)}  ${textOf(label)}`;
  });
}
