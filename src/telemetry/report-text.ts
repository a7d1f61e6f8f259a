// Pure: values in, values out.

import { wrapWords } from "../language/clean.ts";
import type { Part, Row } from "./report-table.ts";

interface TextStyle {
  readonly colour: boolean;
  readonly columns: number;
}

const BOLD = 1;
const DIM = 2;
const CYAN = 36;
const INDENT = "  ";
const BAR_COLUMNS = 16;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Prints parts of the report for a terminal, with bars made of characters. */
export function partsText(parts: readonly Part[], { colour, columns }: TextStyle): string {
  const paint = (code: number, text: string): string =>
    colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lines = parts.flatMap(({ name, rows }) => {
    const width = Math.max(...rows.map(({ label }) => label.length));
    const longest = Math.max(...rows.map(({ bar = 0 }) => bar));
    const hasBars = longest > 0;
    const room = Math.max(
      20,
      columns - width - 2 * INDENT.length - (hasBars ? BAR_COLUMNS + 2 : 0),
    );
    const lineOf = ({ label, bar = 0, text }: Row): string[] =>
      wrapWords(text, room).map((piece, n) => {
        const drawn = n === 0 && hasBars ? barOf(bar / longest) : "";
        const gap = hasBars
          ? `${paint(CYAN, drawn)}${" ".repeat(BAR_COLUMNS + 2 - drawn.length)}`
          : "";
        return `${INDENT}${paint(DIM, (n === 0 ? label : "").padEnd(width))}${INDENT}${gap}${piece}`;
      });
    return ["", paint(BOLD, name), ...rows.flatMap(lineOf)];
  });
  return lines.join("\n");
}

/** A bar of full width at 1, in eighths of a character. Anything above 0 shows. */
function barOf(share: number): string {
  const eighths = Math.round(share * BAR_COLUMNS * 8);
  const seen = share > 0 ? Math.max(1, eighths) : 0;
  return "█".repeat(Math.floor(seen / 8)) + EIGHTHS[seen % 8];
}
