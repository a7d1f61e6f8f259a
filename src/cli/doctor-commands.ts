import type { Command } from "commander";
import { withConfig } from "./command-options.ts";
import { EXIT_DONE, endingWith } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** The command that says what is the matter. */
export function addDoctor(program: Command, terminal: Terminal): void {
  withConfig(
    program
      .command("doctor")
      .description("what is the matter with the bot on this machine, and how to mend it"),
  )
    .option("--fix", "first mends what is safe to mend: file modes, keys of an earlier edition")
    .option("--json", "as JSON, for scripts")
    .action(async ({ config, json, fix }: { config: string; json?: true; fix?: true }) => {
      if (fix === true) {
        const mended = (await import("./doctor/mend.ts")).mend(config);
        if (json !== true) for (const line of mended) terminal.print(line);
      }
      const exit = await (await import("./doctor/doctor.ts")).doctor(
        config,
        json === true,
        terminal,
      );
      if (exit !== EXIT_DONE) throw endingWith(exit);
    });
}
