// Pure: values in, values out.

import { wrapWords } from "../language/clean.ts";
import type { ReportPart } from "./report-table.ts";

const BOLD = 1;
const DIM = 2;
const INDENT = "  ";

/** Prints parts of the report for a terminal. Long values continue below their beginning. */
export function partsText(
  parts: readonly ReportPart[],
  { colour, columns }: { colour: boolean; columns: number },
): string {
  const paint = (code: number, text: string): string =>
    colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lines = parts.flatMap(({ name, rows }) => {
    const width = Math.max(...rows.map(({ label }) => label.length));
    const room = Math.max(20, columns - width - 2 * INDENT.length);
    const lineOf = ({ label, text }: ReportPart["rows"][number]): string[] =>
      wrapWords(text, room).map(
        (piece, n) =>
          `${INDENT}${paint(DIM, (n === 0 ? label : "").padEnd(width))}${INDENT}${piece}`,
      );
    return ["", paint(BOLD, name), ...rows.flatMap(lineOf)];
  });
  return lines.join("\n");
}
