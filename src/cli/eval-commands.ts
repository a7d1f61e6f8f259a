import { type Command, Option } from "commander";
import { STRATEGIES } from "../lab/evaluation/strategies.ts";
import { withConfig } from "./command-options.ts";
import type { EvalOptions } from "./eval.ts";
import type { Terminal } from "./terminal.ts";

/** The commands that measure memory. */
export function addEval(program: Command, terminal: Terminal): void {
  const group = program
    .command("eval")
    .description("how well memory finds what is needed, by replaying scenarios");
  withConfig(
    group
      .command("run", { isDefault: true })
      .description("replay scenarios and print which retrieval is better, by how much"),
  )
    .argument("[scenarios...]", "names of those that are shipped, or files; all shipped if none")
    .addOption(
      new Option("--strategy <names...>", "what to compare")
        .choices(STRATEGIES)
        .default([...STRATEGIES]),
    )
    .addOption(
      new Option("--model <which>", "who summarises, extracts, reranks and answers")
        .choices(["offline", "scripted", "config"])
        .default("offline"),
    )
    .option("--json", "as JSON, for scripts")
    .action(async (scenarios: string[], options: EvalOptions) =>
      (await import("./eval.ts")).runEval(scenarios, options, terminal),
    );
  group
    .command("list")
    .description("the scenarios that are shipped")
    .option("--json", "as JSON, for scripts")
    .action(async ({ json }: { json?: true }) =>
      (await import("./eval.ts")).listScenarios(json === true, terminal),
    );
  group
    .command("convert")
    .description("turn a file of the LoCoMo format into scenarios, one a conversation")
    .argument("<file>", "the file, such as locomo10.json")
    .argument("<folder>", "where the scenarios go")
    .action(async (file: string, folder: string) =>
      (await import("./eval-convert.ts")).convertLocomo(file, folder, terminal),
    );
}
