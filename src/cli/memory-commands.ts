import type { Command } from "commander";
import { wholeNumber, withConfig } from "./command-options.ts";
import type { NotesOptions } from "./notes.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about what was remembered. */
export function addMemory(program: Command, terminal: Terminal): void {
  const memory = program.command("memory").description("what was remembered, and why");
  withConfig(memory.command("episodes").description("list episodes, newest first"))
    .option("--channel <login>", "of one channel only")
    .option("--limit <number>", "how many", wholeNumber, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: { config: string; channel?: string; limit: number; json?: true }) =>
      (await import("./memory.ts")).listEpisodes(options, terminal),
    );
  withConfig(memory.command("episode").description("show one episode, its people and its claims"))
    .argument("<id>", "number of the episode", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: { config: string; json?: true }) =>
      (await import("./memory.ts")).showEpisode(id, options, terminal),
    );
  withConfig(memory.command("retry").description("try to summarise a failed episode again"))
    .argument("<id>", "number of the episode", wholeNumber)
    .action(async (id: number, { config }: { config: string }) =>
      (await import("./memory.ts")).retryEpisode(id, config, terminal),
    );
  withConfig(memory.command("recap").description("the recap of the last stream")).action(
    async ({ config }: { config: string }) =>
      (await import("./memory.ts")).showRecap(config, terminal),
  );
  addNotes(memory, terminal);
}

function addNotes(memory: Command, terminal: Terminal): void {
  withConfig(memory.command("list").description("list notes, newest first"))
    .option("--viewer <login>", "about one person only")
    .option("--channel <login>", "of one channel only")
    .option("--status <name>", "of one status only, such as superseded")
    .option("--limit <number>", "how many", wholeNumber, 40)
    .option("--json", "as JSON, for scripts")
    .action(async (options: NotesOptions) =>
      (await import("./notes.ts")).listNotes("", options, terminal),
    );
  withConfig(memory.command("search").description("list notes that hold one of these words"))
    .argument("<words>", "what to look for")
    .option("--viewer <login>", "about one person only")
    .option("--channel <login>", "of one channel only")
    .option("--status <name>", "of one status only, such as superseded")
    .option("--limit <number>", "how many", wholeNumber, 40)
    .option("--json", "as JSON, for scripts")
    .action(async (words: string, options: NotesOptions) =>
      (await import("./notes.ts")).listNotes(words, options, terminal),
    );
  withConfig(memory.command("show").description("show one note, and the episodes it rests on"))
    .argument("<id>", "number of the note", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: { config: string; json?: true }) =>
      (await import("./notes.ts")).showNote(id, options, terminal),
    );
}
