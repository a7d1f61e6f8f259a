import { Fault } from "../errors.ts";
import { type EvaluateInput, evaluate } from "../lab/evaluation/evaluate.ts";
import { loadScenario, shippedScenarios } from "../lab/evaluation/load-scenario.ts";
import { scriptedModel } from "../lab/evaluation/scripted-model.ts";
import type { StrategyName } from "../lab/evaluation/strategies.ts";
import { offlineModel } from "../lab/offline/offline-model.ts";
import { openLog } from "../log.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { loadSecrets } from "../platform/config/secrets.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { openLlm } from "../platform/models/open-model.ts";
import { evaluationText } from "./eval-text.ts";
import type { Terminal } from "./terminal.ts";

export interface EvalOptions {
  readonly config: string;
  readonly strategy: readonly StrategyName[];
  readonly model: "offline" | "scripted" | "config";
  readonly json?: true;
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
        if (terminal.stop.aborted) throw stopped();
        if (terminal.isTerminal && options.json !== true) terminal.complain(`replaying ${name} …`);
      },
    });
    terminal.print(
      options.json === true ? JSON.stringify(evaluation, null, 2) : evaluationText(evaluation),
    );
  } finally {
    close();
  }
}

/** Lists the scenarios that come with the program. */
export function listScenarios(json: boolean, terminal: Terminal): void {
  const scenarios = shippedScenarios().map((name) => {
    const { about, sessions, facts, questions } = loadScenario(name);
    return {
      name,
      about,
      sessions: sessions.length,
      facts: facts.length,
      questions: questions.length,
    };
  });
  if (json) {
    terminal.print(JSON.stringify(scenarios, null, 2));
    return;
  }
  terminal.print(
    scenarios
      .map(
        ({ name, about, sessions, facts, questions }) =>
          `${name}: ${sessions} sessions, ${facts} facts, ${questions} questions\n  ${about}`,
      )
      .join("\n"),
  );
}

type Chosen = Pick<EvaluateInput, "llmFor" | "model" | "settings"> & { readonly close: () => void };

function openModel({ model, config: file }: EvalOptions): Chosen {
  const nothing = (): void => undefined;
  switch (model) {
    case "offline":
      return { model, llmFor: () => offlineModel(), close: nothing };
    case "scripted":
      return { model, llmFor: ({ answers }) => scriptedModel(answers), close: nothing };
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

function stopped(): Fault {
  return new Fault("stopped before the end", { code: "usage", mend: "let it run to its end" });
}
