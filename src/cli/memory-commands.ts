import type { Command } from "commander";
import { atLeastOne, wholeNumber, withConfig } from "./command-options.ts";
import { addMemoryFiles } from "./file-commands.ts";
import { addNotes } from "./note-commands.ts";
import { addPolicy } from "./policy-commands.ts";
import { addRecall } from "./recall-commands.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about what was remembered. */
export function addMemory(program: Command, terminal: Terminal): void {
  const memory = program.command("memory").description("what was remembered, and why");
  withConfig(memory.command("episodes").description("list episodes, newest first"))
    .option("--channel <login>", "of one channel only")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: { config: string; channel?: string; limit: number; json?: true }) =>
      (await import("./memory-list.ts")).listEpisodes(options, terminal),
    );
  withConfig(memory.command("episode").description("show one episode, its people and its claims"))
    .argument("<id>", "number of the episode", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: { config: string; json?: true }) =>
      (await import("./memory-list.ts")).showEpisode(id, options, terminal),
    );
  withConfig(memory.command("retry").description("try to summarise a failed episode again"))
    .argument("<id>", "number of the episode", wholeNumber)
    .action(async (id: number, { config }: { config: string }) =>
      (await import("./memory-list.ts")).retryEpisode(id, config, terminal),
    );
  withConfig(memory.command("recap").description("the recap of the last stream"))
    .option("--json", "as JSON, for scripts")
    .action(async (options: { config: string; json?: true }) =>
      (await import("./memory-list.ts")).showRecap(options, terminal),
    );
  addNotes(memory, terminal);
  addRecall(memory, terminal);
  addMemoryFiles(memory, terminal);
  addPolicy(memory, terminal);
}
