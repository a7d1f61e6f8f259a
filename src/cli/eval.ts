import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writing, wrongUse } from "../errors.ts";
import {
  AGES,
  type EvaluateInput,
  type Evaluation,
  evaluate,
  type StrategyComparison,
  type Survival,
  scriptedModel,
} from "../lab/evaluation/evaluate.ts";
import { fromLocomo } from "../lab/evaluation/locomo.ts";
import type { PromptMeasures } from "../lab/evaluation/measures.ts";
import {
  loadScenario,
  readJsonFile,
  type Scenario,
  shippedScenarios,
} from "../lab/evaluation/scenario.ts";
import { STRATEGY_WORDS, type StrategyName } from "../lab/evaluation/strategies.ts";
import { offlineModel } from "../lab/offline/offline-model.ts";
import { openLog } from "../log.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { makeFolder } from "../platform/config/private-file.ts";
import { loadSecrets } from "../platform/config/secrets.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { openLlm } from "../platform/models/open-model.ts";
import { plural, type Share } from "../telemetry/figures.ts";
import { tell } from "./command-options.ts";
import type { Options } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

interface EvalOptions extends Options {
  readonly strategy: readonly StrategyName[];
  readonly model: "offline" | "scripted" | "config";
}

/** Replays scenarios in memory and prints what they measured. Nothing of the bot's own is read or written. */
export async function runEval(
  names: readonly string[],
  options: EvalOptions,
  terminal: Terminal,
): Promise<void> {
  const chosen = names.length === 0 ? shippedScenarios() : names;
  const scenarios = chosen.map(loadScenario);
  const { close, ...model } = openModel(options);
  try {
    const evaluation = await evaluate({
      ...model,
      scenarios,
      strategies: [...new Set(options.strategy)],
      onScenario: (name) => {
        if (terminal.stop.aborted)
          throw wrongUse("stopped before the end", "let it run to its end");
        if (terminal.isTerminal && options.json !== true) terminal.complain(`replaying ${name} …`);
      },
    });
    tell(terminal, options, { value: evaluation, text: evaluationText(evaluation) });
  } finally {
    close();
  }
}

/** Lists the scenarios that come with the program. */
export function listScenarios(options: Pick<Options, "json">, terminal: Terminal): void {
  const scenarios = shippedScenarios().map(loadScenario);
  tell(terminal, options, {
    value: scenarios.map(({ name, about, sessions, facts, questions }) => {
      const sizes = { sessions: sessions.length, facts: facts.length, questions: questions.length };
      return { name, about, ...sizes };
    }),
    text: scenarios.map((one) => `${one.name}: ${sizeText(one)}\n  ${one.about}`),
  });
}

type Chosen = Pick<EvaluateInput, "llmFor" | "model" | "settings"> & { readonly close: () => void };

function openModel({ model, config: file }: EvalOptions): Chosen {
  const close = (): void => undefined;
  switch (model) {
    case "offline":
      return { model, llmFor: () => offlineModel(), close };
    case "scripted":
      return { model, llmFor: ({ answers }) => scriptedModel(answers), close };
    case "config":
      return configuredModel(loadConfig(file));
  }
}

/** The model of a configuration behind its gate, with its caps and keys; its calls are counted for this run alone. */
function configuredModel(config: Config): Chosen {
  const db = openDatabase(":memory:");
  const secrets = loadSecrets(config.dataDir, readEnvironment());
  const llm = openLlm({
    config: config.llm,
    apiKeys: { gemini: secrets.geminiApiKey, openai: secrets.openaiApiKey },
    offline: offlineModel(),
    db,
    now: Date.now,
    notices: { raise: () => undefined, clear: () => undefined },
    log: openLog("silent"),
  });
  const { prompt, memory, persona, llm: llmConfig } = config;
  return {
    model: llmConfig.provider === "offline" ? "offline" : llmConfig.model,
    llmFor: () => llm,
    settings: { prompt, memory: { ...memory, trial: null }, persona, llm: llmConfig },
    close: () => void db.close(),
  };
}

const NAME_WIDTH = 11;
const CELL_WIDTH = 12;
const SECTION_WIDTH = 13;
/** A difference is told as one where chance alone would make it this rarely. */
const SURE = 0.05;
/** Those that the ladder cuts. */
const SECTIONS = ["episodes", "channelNotes", "lore", "chat", "replies"] as const;

function sizeText({ sessions, facts, questions }: Scenario): string {
  return [
    plural(sessions.length, "session"),
    plural(facts.length, "fact"),
    plural(questions.length, "question"),
  ].join(", ");
}

/** An evaluation as tables of at most 80 columns. */
function evaluationText(evaluation: Evaluation): string[] {
  const { model, scenarios, recall, comparisons, survival } = evaluation;
  const asked = scenarios.reduce((sum, { prompts }) => sum + prompts.prompts, 0);
  return [
    `${plural(scenarios.length, "scenario")}, ${plural(asked, "question")}, model ${model}`,
    "",
    "Shown of what was needed and noted (in brackets: of how many)",
    row("sessions ago", [...AGES, "all"]),
    ...recall.map(({ strategy, byAge, ranking }) =>
      row(strategy, [...AGES.map((age) => shareCell(byAge[age])), shareCell(ranking)]),
    ),
    "",
    ...recall.map(
      ({ strategy, everything, loreTokensMean, stale, fellBack }) =>
        `${strategy.padEnd(NAME_WIDTH)}  of everything ${percent(everything.share)}, ${Math.round(loreTokensMean)} tokens of notes, outdated ${stale}${fellBack > 0 ? `, without an order ${fellBack}` : ""}`,
    ),
    "",
    ...recall.map(({ strategy }) => `  ${strategy.padEnd(NAME_WIDTH)} ${STRATEGY_WORDS[strategy]}`),
    "",
    ...comparisons.flatMap(verdict),
    "",
    "Facts told in chat that came as far as",
    survivalText(survival),
    "",
    ...scenarioTable(evaluation),
  ].map((line) => line.trimEnd());
}

function shareCell({ share, of }: Share): string {
  return of === 0 ? "-" : `${percent(share)} (${of})`;
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(NAME_WIDTH)}${cells.map((text) => text.padStart(CELL_WIDTH)).join("")}`;
}

/** A pair in a sentence, the better one first. */
function verdict({ better, worse, difference }: StrategyComparison): string[] {
  const { mean, low, high, p } = difference;
  const split = `${difference.better} better, ${difference.worse} worse`;
  return [
    p < SURE
      ? `${better} is better than ${worse} by ${points(mean)} points`
      : `${better} and ${worse} cannot be told apart: ${points(mean)} points`,
    `  95 % interval ${points(low)} to ${points(high)}; ${split}`,
  ];
}

function survivalText({ told, episode, note, asked, prompt }: Survival): string {
  if (told === 0) return "  nothing was told in chat";
  return `  event ${told} → episode ${episode} → note ${note}; → prompt ${prompt} of ${asked} asked for`;
}

function scenarioTable({ scenarios }: Evaluation): string[] {
  return [
    "scenario     prompts  tokens   max  growth  prefix  calls/change  over  others",
    ...scenarios.map(
      ({ scenario, prompts, othersMin }) =>
        `${scenario.slice(0, 12).padEnd(12)}${promptCells(prompts)}${String(othersMin).padStart(8)}`,
    ),
    "",
    columns("written", ["notes", "duplicates", "orphans", "echoes", "gaps"]),
    ...scenarios.map(({ scenario, audit, episodes }) => {
      const { activeNotes, duplicates, orphans, echoes } = audit;
      return columns(scenario, [activeNotes, duplicates, orphans, echoes, episodes.gaps]);
    }),
    "",
    columns("sections", SECTIONS, SECTION_WIDTH),
    ...scenarios.map(({ scenario, prompts: { sections } }) => {
      const cells = SECTIONS.map((name) => percent(sections[name]?.present ?? 0));
      return columns(scenario, cells, SECTION_WIDTH);
    }),
  ];
}

/** A scenario's name and five figures at most. */
function columns(name: string, cells: readonly (string | number)[], width = 11): string {
  return `${name.slice(0, 12).padEnd(12)}${cells.map((cell) => String(cell).padStart(width)).join("")}`;
}

function promptCells(measured: PromptMeasures): string {
  const growth = Math.round(measured.growthTokens);
  return [
    String(measured.prompts).padStart(8),
    measured.tokensMean.toFixed(0).padStart(8),
    String(measured.tokensMax).padStart(6),
    `${measured.growthTokens >= 0 ? "+" : ""}${growth}`.padStart(8),
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

/** Writes the conversations of a LoCoMo file as scenarios into a folder. Throws a Fault, before anything is written. */
export function convertLocomo(
  file: string,
  folder: string,
  _options: object,
  terminal: Terminal,
): void {
  const converted = fromLocomo(readJsonFile(file), file);
  const names = converted.map(({ scenario }) => scenario.name);
  if (new Set(names).size < names.length) {
    throw wrongUse(
      `${file}: two conversations have the same sample_id`,
      "give each a sample_id of its own",
    );
  }
  const mend = "name a folder that you may write to";
  writing(`${folder}:`, { code: "folder", mend }, () => {
    makeFolder(folder);
    for (const { scenario } of converted) {
      const text = `${JSON.stringify(scenario, null, 1)}\n`;
      writeFileSync(join(folder, `${scenario.name}.json`), text);
    }
  });
  const lines = converted.map(
    ({ scenario, left }) =>
      `${scenario.name}: ${sizeText(scenario)} (left out: ${left.unanswerable} without an answer, ${left.withoutNote} without a note)`,
  );
  terminal.print(lines.join("\n"));
}
