import { wantsColour } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { attempt } from "../errors.ts";
import { wrapWords } from "../language/clean.ts";
import {
  CHECKS,
  checkWithoutConfig,
  examineBot,
  type Finding,
  runChecks,
} from "../system/checks.ts";
import { formatPlural } from "../telemetry/figures.ts";
import type { Options } from "./open-folder.ts";
import { EXIT_FAILED, EXIT_WRONG_USE, Exit, printResult, type Terminal } from "./terminal.ts";

/**
 * Runs all checks and prints each finding with its fix. Changes nothing. Ends with 1 if there is a problem or it was
 * stopped. If the configuration cannot be loaded, checks only what needs none, and ends with 2.
 */
export async function runDoctor(options: Options, terminal: Terminal): Promise<void> {
  const style = {
    colour: wantsColour(),
    columns: terminal.isTerminal ? terminal.columns() : null,
  };
  const findings: Finding[] = [];
  const show = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (options.json === true) return;
    for (const line of formatFindings(found, style)) terminal.print(line);
  };
  const { value: config, fault } = attempt(() => loadConfig(options.config));
  if (fault !== null) show(checkWithoutConfig(fault));
  else for await (const found of runChecks(examineBot(config, terminal.stop))) show(found);
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  const summary = `${formatPlural(count("problem"), "problem")}, ${formatPlural(count("warning"), "warning")}`;
  printResult(terminal, options, { value: findings, text: `\n${summary}` });
  if (fault !== null) throw new Exit(EXIT_WRONG_USE);
  if (count("problem") > 0 || terminal.stop.aborted) throw new Exit(EXIT_FAILED);
}

const SIGNS: Readonly<Record<Finding["state"], readonly [sign: string, colour: number]>> = {
  ok: ["✓", 32],
  warning: ["!", 33],
  problem: ["✗", 31],
  not_checked: ["–", 2],
};
const LABELS = new Map<string, string>(CHECKS.map(({ name, label }) => [name, label]));
const LABEL_COLUMNS = Math.max(...[...LABELS.values()].map((label) => label.length));
const INDENT = " ".repeat("✓ ".length + LABEL_COLUMNS + 2);
const TEXT_COLUMNS_MIN = 30;

/**
 * Returns one text for each finding, maybe of several lines. Among neighbours of one check, only the first shows the
 * label. Of a fix that neighbours of one check share, only the last shows it.
 */
export function formatFindings(
  findings: readonly Finding[],
  { colour, columns }: { readonly colour: boolean; readonly columns: number | null },
): string[] {
  return findings.map(({ check, mend, state, found }, at) => {
    const above = findings[at - 1];
    const below = findings[at + 1];
    const [sign, code] = SIGNS[state];
    const label = check === above?.check ? "" : (LABELS.get(check) ?? "");
    const text = state === "not_checked" ? `not checked: ${found}` : found;
    const [first = "", ...more] = breakText(text, columns);
    const isRepeated = check === below?.check && mend === below.mend;
    const fix = mend === null || isRepeated ? [] : breakText(mend, columns, "→ ");
    return [
      `${colour ? `\u001b[${code}m${sign}\u001b[0m` : sign} ${label.padEnd(LABEL_COLUMNS)}  ${first}`,
      ...[...more, ...fix].map((line) => INDENT + line),
    ].join("\n");
  });
}

/**
 * Breaks a text between words into lines that fit next to the labels in a terminal of `columns`; one line if null.
 * The first line begins with `lead`, and the others are indented by its width.
 */
function breakText(text: string, columns: number | null, lead = ""): string[] {
  if (columns === null) return [lead + text];
  const room = Math.max(TEXT_COLUMNS_MIN, columns - INDENT.length) - lead.length;
  return wrapWords(text, room).map(
    (line, at) => (at === 0 ? lead : " ".repeat(lead.length)) + line,
  );
}
