import { readEnvironment } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { loadSecrets } from "../config/secrets.ts";
import { openDatabase } from "../database/open-database.ts";
import { makeUsageFault } from "../errors.ts";
import {
  AGES,
  type Evaluation,
  evaluate,
  openFactsModel,
  openScriptedModel,
} from "../evaluation/replay.ts";
import type { StrategyName } from "../evaluation/replay-room.ts";
import { loadScenario, type Scenario, SHIPPED } from "../evaluation/scenario.ts";
import { openLog } from "../log.ts";
import { openLlm } from "../models/open-model.ts";
import { formatPlural, type Share } from "../telemetry/figures.ts";
import type { Options } from "./open-folder.ts";
import { printResult, type Terminal } from "./terminal.ts";

interface EvalOptions extends Options {
  readonly strategy: readonly StrategyName[];
  readonly model: "offline" | "scripted" | "config";
}

/**
 * Replays scenarios, by file or by shipped name, or all shipped ones if `names` is empty. Prints the measurements. Does
 * not touch the bot's database. A stop takes effect before the next scenario: it throws a Fault, and prints nothing.
 */
export async function runEval(
  names: readonly string[],
  options: EvalOptions,
  terminal: Terminal,
): Promise<void> {
  const evaluation = await evaluate({
    ...openModel(options),
    scenarios: (names.length === 0 ? SHIPPED : names).map(loadScenario),
    strategies: [...new Set(options.strategy)],
    onScenario: (name) => {
      if (terminal.stop.aborted)
        throw makeUsageFault("stopped before the end", "let it run to its end");
      if (terminal.isTerminal && options.json !== true) terminal.complain(`replaying ${name} …`);
    },
  });
  printResult(terminal, options, { value: evaluation, text: formatEvaluation(evaluation) });
}

/**
 * Returns a model's name and a function that opens it for a scenario. For `config` also returns settings, and throws a
 * Fault for an unusable configuration.
 */
function openModel({ model, config: file }: EvalOptions) {
  if (model === "offline") return { model, llmFor: openFactsModel };
  if (model === "scripted")
    return { model, llmFor: ({ answers }: Scenario) => openScriptedModel(answers) };
  const config = loadConfig(file);
  // Its calls are counted for this run alone.
  const db = openDatabase(":memory:");
  const apiKeys = loadSecrets(config.dataDir, readEnvironment());
  const { prompt, memory, persona, llm: llmConfig } = config;
  return {
    model: llmConfig.provider === "offline" ? "offline" : llmConfig.model,
    llmFor: (scenario: Scenario) =>
      openLlm({
        config,
        apiKeys,
        offline: openFactsModel(scenario),
        db,
        now: Date.now,
        notices: { raise: () => undefined, clear: () => undefined },
        log: openLog("silent"),
      }),
    settings: { prompt, memory, persona, llm: llmConfig },
  };
}

const NAME_WIDTH = 11;
const CELL_WIDTH = 12;

/** Formats an evaluation as tables of at most 80 columns. */
function formatEvaluation({ model, scenarios, recall, survival }: Evaluation): string[] {
  const asked = scenarios.reduce((sum, { prompts }) => sum + prompts.prompts, 0);
  const { told, episode, note, asked: wanted, prompt } = survival;
  return [
    `${formatPlural(scenarios.length, "scenario")}, ${formatPlural(asked, "question")}, model ${model}`,
    "",
    "Shown of what was needed and noted (in brackets: of how many)",
    formatRow("sessions ago", [...AGES, "all"]),
    ...recall.map(({ strategy, byAge, ranking }) =>
      formatRow(strategy, [...AGES.map((age) => formatShare(byAge[age])), formatShare(ranking)]),
    ),
    "",
    ...recall.map(
      ({ strategy, everything, loreTokensMean, stale }) =>
        `${strategy.padEnd(NAME_WIDTH)}  of everything ${formatPercent(everything.share)}, ${Math.round(loreTokensMean)} tokens of notes, outdated ${stale}`,
    ),
    "",
    "Facts told in chat that came as far as",
    told === 0
      ? "  nothing was told in chat"
      : `  event ${told} → episode ${episode} → note ${note}; → prompt ${prompt} of ${wanted} asked for`,
    "",
    "With --json: each scenario's prompts, prefix and notes.",
  ].map((line) => line.trimEnd());
}

function formatShare({ share, of }: Share): string {
  return of === 0 ? "-" : `${formatPercent(share)} (${of})`;
}

function formatRow(name: string, cells: readonly string[]): string {
  return `${name.padEnd(NAME_WIDTH)}${cells.map((text) => text.padStart(CELL_WIDTH)).join("")}`;
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
