import { type Command, CommanderError } from "commander";
import { withConfig } from "./command-options.ts";
import type { Terminal } from "./terminal.ts";

/** The code of a command's end that told everything by itself. */
export const TOLD = "forgetmenot.told";

/** The command that says what is the matter. */
export function addDoctor(program: Command, terminal: Terminal): void {
  withConfig(
    program
      .command("doctor")
      .description("what is the matter with the bot on this machine, and how to mend it"),
  )
    .option("--json", "as JSON, for scripts")
    .action(async ({ config, json }: { config: string; json?: true }) => {
      const exit = await (await import("./doctor/doctor.ts")).doctor(
        config,
        json === true,
        terminal,
      );
      if (exit !== 0) throw new CommanderError(exit, TOLD, "");
    });
}
