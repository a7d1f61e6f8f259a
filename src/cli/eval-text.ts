import {
  AGES,
  type Evaluation,
  type StrategyComparison,
  type StrategyRecall,
  type Survival,
} from "../lab/evaluation/evaluate.ts";
import type { PromptMeasures } from "../lab/evaluation/prompt-measures.ts";
import { STRATEGY_WORDS } from "../lab/evaluation/strategies.ts";
import type { Share } from "../telemetry/figures.ts";

const NAME_WIDTH = 11;
const CELL_WIDTH = 12;
const SECTION_WIDTH = 13;
/** A difference is told as one where chance alone would make it this rarely. */
const SURE = 0.05;
/** Those that the ladder cuts. */
const SECTIONS = ["episodes", "channelNotes", "lore", "chat", "replies"] as const;

/** An evaluation as tables of at most 80 columns. */
export function evaluationText(evaluation: Evaluation): string {
  const { model, scenarios, recall, comparisons, survival } = evaluation;
  const prompts = scenarios.map(({ prompts: { prompts: count } }) => count);
  return [
    `${scenarios.length === 1 ? "1 scenario" : `${scenarios.length} scenarios`}, ${prompts.reduce((sum, n) => sum + n, 0)} questions, model ${model}`,
    "",
    "Shown of what was needed and noted (in brackets: of how many)",
    ...recallTable(recall),
    "",
    ...recall.map(({ strategy }) => `  ${strategy.padEnd(NAME_WIDTH)} ${STRATEGY_WORDS[strategy]}`),
    "",
    ...verdicts(comparisons),
    "",
    "Facts told in chat that came as far as",
    survivalText(survival),
    "",
    ...scenarioTable(evaluation),
  ]
    .map((line) => line.trimEnd())
    .join("\n");
}

function recallTable(recall: readonly StrategyRecall[]): string[] {
  const head = row("sessions ago", [...AGES, "all"]);
  const lines = recall.map(({ strategy, byAge, ranking }) =>
    row(strategy, [...AGES.map((age) => shareCell(byAge[age])), shareCell(ranking)]),
  );
  const more = recall.map(
    ({ strategy, everything, loreTokensMean, stale, fellBack }) =>
      `${strategy.padEnd(NAME_WIDTH)}  of everything ${percent(everything.share)}, ${Math.round(loreTokensMean)} tokens of notes, outdated ${stale}${fellBack > 0 ? `, without an order ${fellBack}` : ""}`,
  );
  return [head, ...lines, "", ...more];
}

function shareCell({ share, of }: Share): string {
  return of === 0 ? "-" : `${percent(share)} (${of})`;
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(NAME_WIDTH)}${cells.map((text) => text.padStart(CELL_WIDTH)).join("")}`;
}

/** Each pair in a sentence, the better one first. */
function verdicts(comparisons: readonly StrategyComparison[]): string[] {
  return comparisons.flatMap(({ better, worse, difference }) => {
    const { mean, low, high, p } = difference;
    const verdict =
      p < SURE
        ? `${better} is better than ${worse} by ${points(mean)} points`
        : `${better} and ${worse} cannot be told apart: ${points(mean)} points`;
    const split = `${difference.better} better, ${difference.worse} worse`;
    return [verdict, `  95 % interval ${points(low)} to ${points(high)}; ${split}`];
  });
}

function survivalText({ told, episode, note, asked, prompt }: Survival): string {
  if (told === 0) return "  nothing was told in chat";
  return `  event ${told} → episode ${episode} → note ${note}; → prompt ${prompt} of ${asked} asked for`;
}

function scenarioTable({ scenarios }: Evaluation): string[] {
  const head = "scenario     prompts  tokens   max  growth  prefix  calls/change  over  others";
  const lines = scenarios.map(
    ({ scenario, prompts: measured, othersMin }) =>
      `${scenario.slice(0, 12).padEnd(12)}${promptCells(measured)}${String(othersMin).padStart(8)}`,
  );
  const audits = scenarios.map(({ scenario, audit, episodes }) => {
    const { activeNotes, duplicates, orphans, echoes } = audit;
    return columns(scenario, [activeNotes, duplicates, orphans, echoes, episodes.gaps]);
  });
  const sections = scenarios.map(({ scenario, prompts: { sections: seen } }) =>
    columns(
      scenario,
      SECTIONS.map((name) => percent(seen[name]?.present ?? 0)),
      SECTION_WIDTH,
    ),
  );
  return [
    head,
    ...lines,
    "",
    columns("written", ["notes", "duplicates", "orphans", "echoes", "gaps"]),
    ...audits,
    "",
    columns("sections", SECTIONS, SECTION_WIDTH),
    ...sections,
  ];
}

/** A scenario's name and five figures at most. */
function columns(name: string, cells: readonly (string | number)[], width = 11): string {
  return `${name.slice(0, 12).padEnd(12)}${cells.map((cell) => String(cell).padStart(width)).join("")}`;
}

function promptCells(measured: PromptMeasures): string {
  return [
    String(measured.prompts).padStart(8),
    measured.tokensMean.toFixed(0).padStart(8),
    String(measured.tokensMax).padStart(6),
    signedWhole(measured.growthTokens).padStart(8),
    percent(measured.prefixShare).padStart(8),
    measured.callsPerPrefixChange.toFixed(1).padStart(14),
    String(measured.overBudget).padStart(6),
  ].join("");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function points(share: number): string {
  return (share * 100).toFixed(1);
}

function signedWhole(value: number): string {
  return `${value >= 0 ? "+" : ""}${Math.round(value)}`;
}
