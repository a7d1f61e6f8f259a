import { wrapWords } from "../language/wrap.ts";
import { count, percent } from "./figures.ts";
import { plainName } from "./plain-names.ts";
import type { Report } from "./report.ts";
import {
  costLines,
  driftLines,
  estimateLines,
  type Line,
  memoryLines,
  outcomeLines,
  promptLines,
  replyLines,
  titleOf,
} from "./report-lines.ts";

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
  const { title, when } = titleOf(report);
  const part = (name: string, lines: readonly Line[], charts: readonly string[] = []): string[] => {
    const width = Math.max(...lines.map(({ label }) => label.length));
    return [
      "",
      paint(BOLD, name),
      ...charts.map((chart) => INDENT + paint(CYAN, chart)),
      ...lines.flatMap((line) =>
        wrapped(line, width, columns).map(
          ([label, text]) => `${INDENT}${paint(DIM, label)}${text}`,
        ),
      ),
    ];
  };
  return [
    paint(BOLD, title),
    when,
    ...part("Drift", driftLines(report)),
    ...part("Replies", replyLines(report), sparklines(report)),
    ...part("Cost", costLines(report)),
    ...part("Prompt", promptLines(report), sectionBars(report)),
    ...part("Ladder", ladderLines(report), ladderBars(report)),
    ...part("Estimate against the provider's count", estimateLines(report)),
    ...part("Memory", memoryLines(report)),
    ...part("Outcomes", outcomeLines(report), outcomeBars(report)),
  ].join("\n");
}

function sparklines({ timeLine }: Report): string[] {
  const rows = [
    ["sent", timeLine.map(({ sent }) => sent)],
    ["not sent", timeLine.map(({ notSent }) => notSent)],
    ["tokens", timeLine.map(({ tokens }) => tokens)],
    ["latency", timeLine.map(({ latencyMs }) => latencyMs)],
  ] as const;
  return rows
    .filter(([, values]) => values.some((value) => value > 0))
    .map(([name, values]) => `${name.padEnd(8)}  ${sparkline(values)}`);
}

function sectionBars({ prompts }: Report): string[] {
  const total = Object.values(prompts.sections).reduce((sum, tokens) => sum + tokens, 0);
  const rows = Object.entries(prompts.sections).map(([name, tokens]) => ({
    name: plainName(name),
    value: tokens,
    label: `${count(tokens)} tokens, ${percent(total === 0 ? 0 : tokens / total)}`,
  }));
  return bars(rows, BAR_COLUMNS);
}

function ladderLines({ prompts }: Report): Line[] {
  const fired = prompts.ladder.reduce((sum, step) => sum + step.fired, 0);
  const saved = prompts.ladder.reduce((sum, step) => sum + step.savedTokens, 0);
  return [{ label: "fired", text: `${count(fired)} times, ${count(saved)} tokens saved` }];
}

function ladderBars({ prompts }: Report): string[] {
  const rows = prompts.ladder.map((step) => ({
    name: `${plainName(step.section)} · ${step.messageKind}`,
    value: step.fired,
    label: `${count(step.fired)}×, ${count(step.droppedLines)} lines out, ${count(step.savedTokens)} tokens saved`,
  }));
  return bars(rows, BAR_COLUMNS);
}

function outcomeBars({ outcomes }: Report): string[] {
  const rows = Object.entries(outcomes.byKind).map(([name, value]) => ({
    name: plainName(name),
    value,
    label: `${count(value)}, ${percent(value / outcomes.known)}`,
  }));
  return bars(rows, BAR_COLUMNS);
}

/** A line broken at spaces, its label in front of the first piece. */
function wrapped(
  { label, text }: Line,
  width: number,
  columns: number,
): (readonly [string, string])[] {
  const room = Math.max(20, columns - width - 2 * INDENT.length - 1);
  return wrapWords(text, room).map((piece, n) => [
    `${(n === 0 ? label : "").padEnd(width)}  `,
    piece,
  ]);
}

/** Charts made of characters. */

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

/** A bar `columns` wide at a share of 1, in eighths of a character; anything above nothing shows. */
function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const seen = share > 0 ? Math.max(1, eighths) : 0;
  return "█".repeat(Math.floor(seen / 8)) + EIGHTHS[seen % 8];
}

interface BarRow {
  readonly name: string;
  readonly value: number;
  /** What is written behind the bar. */
  readonly label: string;
}

/** Rows of bars, the longest as long as there is room. */
function bars(rows: readonly BarRow[], columns: number): string[] {
  const max = Math.max(...rows.map(({ value }) => value), 0);
  const width = Math.max(...rows.map(({ name }) => name.length), 0);
  return rows.map(({ name, value, label }) => {
    const drawn = bar(max === 0 ? 0 : value / max, columns);
    return `${name.padEnd(width)}  ${drawn.padEnd(columns)}  ${label}`;
  });
}
