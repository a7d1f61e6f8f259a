import type { Command } from "commander";
import { withConfig } from "./command-options.ts";
import type { ExportOptions, ImportOptions } from "./memory-files.ts";
import type { Terminal } from "./terminal.ts";

/** The commands that write and read copies of the database. */
export function addBackups(program: Command, terminal: Terminal): void {
  withConfig(program.command("backup").description("copy the database, without any chat"))
    .argument("[file]", "a new file; in the data folder's `backups` where none is named")
    .action(async (file: string | undefined, { config }: { config: string }) =>
      (await import("./backup.ts")).backup(file, config, terminal),
    );
  withConfig(program.command("restore").description("put a backup in the place of the database"))
    .argument("<file>", "a backup")
    .option("--yes", "do not ask")
    .action(async (file: string, options: { config: string; yes?: true }) => {
      await (await import("./confirm.ts")).confirmRestore(file, options, terminal);
      return (await import("./backup.ts")).restore(file, options.config, terminal);
    });
}

/** The commands that carry notes from one bot to another. */
export function addMemoryFiles(memory: Command, terminal: Terminal): void {
  withConfig(memory.command("export").description("write notes to a file, without any chat"))
    .argument("[file]", "a new file; in the data folder's `exports` where none is named")
    .option("--viewer <name>", "about one person only")
    .action(async (file: string | undefined, options: ExportOptions) =>
      (await import("./memory-files.ts")).exportMemory(file, options, terminal),
    );
  withConfig(memory.command("import").description("take notes from a file, by the write policy"))
    .argument("<file>", "an export")
    .option("--dry-run", "only tell what would happen")
    .option("--yes", "do not ask")
    .option("--json", "as JSON, for scripts")
    .action(async (file: string, options: ImportOptions & { yes?: true }) => {
      const { importMemory, importPreview } = await import("./memory-files.ts");
      if (options.dryRun !== true) {
        const { confirm } = await import("./confirm.ts");
        await confirm(importPreview(file, options), options, terminal);
      }
      importMemory(file, options, terminal);
    });
}
