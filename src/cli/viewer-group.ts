import type { Command } from "commander";
import { withConfig } from "./command-options.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about one person: what is kept, and that it goes. */
export function addViewer(program: Command, terminal: Terminal): void {
  const viewer = program.command("viewer").description("what is kept about one person");
  withConfig(viewer.command("show", { isDefault: true }).description("show all that is kept"))
    .argument("<name>", "a login, or id: and a Twitch user id")
    .option("--json", "as JSON, for scripts")
    .action(async (name: string, options: { config: string; json?: true }) =>
      (await import("./viewer.ts")).showViewer(name, options, terminal),
    );
  withConfig(viewer.command("export").description("write all that is kept to a file, as JSON"))
    .argument("<name>", "a login, or id: and a Twitch user id")
    .argument("[file]", "a new file; in the data folder's `exports` where none is named")
    .action(async (name: string, file: string | undefined, { config }: { config: string }) =>
      (await import("./viewer.ts")).exportViewer({ name, file }, config, terminal),
    );
  withConfig(viewer.command("forget").description("forget everything about a person, for good"))
    .argument("<name>", "a login, or id: and a Twitch user id")
    .option("--yes", "do not ask")
    .action(async (name: string, options: { config: string; yes?: true }) => {
      await (await import("./confirm.ts")).confirmForgetViewer(name, options, terminal);
      return (await import("./viewer.ts")).forgetViewer(name, options.config, terminal);
    });
}
