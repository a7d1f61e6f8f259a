// Pure: values in, values out.
import { wrapWords } from "../../language/wrap.ts";
import { CHECKS, counted, type Finding } from "./finding.ts";

export interface TextStyle {
  readonly colour: boolean;
  /** Where lines are broken; null: nowhere. */
  readonly columns: number | null;
}

const SIGNS: Readonly<Record<Finding["state"], { readonly sign: string; readonly code: number }>> =
  {
    ok: { sign: "✓", code: 32 },
    warning: { sign: "!", code: 33 },
    problem: { sign: "✗", code: 31 },
    not_checked: { sign: "–", code: 2 },
  };
const LABEL_COLUMNS = Math.max(...Object.values(CHECKS).map((label) => label.length));
const INDENT = " ".repeat("✓ ".length + LABEL_COLUMNS + 2);
const TEXT_COLUMNS_MIN = 30;

export interface Neighbours {
  readonly before: Finding | undefined;
  readonly after: Finding | undefined;
}

/** One finding as a person reads it, in its place: neither the same label nor the same mend is said twice. */
export function findingText(
  finding: Finding,
  { before, after }: Neighbours,
  style: TextStyle,
): string {
  const { sign, code } = SIGNS[finding.state];
  const paint = (text: string) => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const label = finding.check === before?.check ? "" : CHECKS[finding.check];
  const told = finding.state === "not_checked" ? `not checked: ${finding.found}` : finding.found;
  const [first = "", ...more] = broken(told, style.columns);
  const isSaidBelow = finding.check === after?.check && finding.mend === after.mend;
  const mend =
    finding.mend === null || isSaidBelow ? [] : broken(finding.mend, style.columns, "→ ");
  return [
    `${paint(sign)} ${label.padEnd(LABEL_COLUMNS)}  ${first}`,
    ...more.map((line) => INDENT + line),
    ...mend.map((line) => INDENT + line),
  ].join("\n");
}

/** `2 problems, 1 warning`. */
export function summaryText(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  return `${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}`;
}

/** Breaks between words, so that what follows stays in its column. */
function broken(text: string, columns: number | null, lead = ""): string[] {
  if (columns === null) return [lead + text];
  const room = Math.max(TEXT_COLUMNS_MIN, columns - INDENT.length) - lead.length;
  return wrapWords(text, room).map(
    (line, at) => (at === 0 ? lead : " ".repeat(lead.length)) + line,
  );
}
