import type { Command } from "commander";
import { withConfig } from "./command-options.ts";
import { EXIT_FAILED, endingWith } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** The guided way to a configuration. */
export function addSetup(program: Command, terminal: Terminal): void {
  withConfig(
    program.command("setup").description("go live: asks what the bot needs, tries it, writes it"),
  ).action(async ({ config }: { config: string }) => {
    const isDone = await (await import("./setup/setup.ts")).setup(config, terminal);
    if (!isDone) throw endingWith(EXIT_FAILED);
  });
}
