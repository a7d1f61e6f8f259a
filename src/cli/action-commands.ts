import { Argument, type Command, Option } from "commander";
import type { ActionsOptions } from "./action-list.ts";
import { atLeastOne, wholeNumber, withConfig } from "./command-options.ts";
import type { ExplainOptions } from "./explain-command.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about what the bot does besides speaking. */
export function addActions(program: Command, terminal: Terminal): void {
  withConfig(program.command("safe").description("refuse every action, also across restarts"))
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(async (state: string, { config }: { config: string }) =>
      (await import("./safe.ts")).safe(config, state === "on", terminal),
    );
  const actions = program
    .command("actions")
    .description("what the bot was asked to do, and why not");
  withConfig(actions.command("list", { isDefault: true }).description("the latest, newest first"))
    .option("--reason <code>", "with one reason only, such as not_allowed")
    .option("--requester <login>", "asked for by one person only")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: ActionsOptions) =>
      (await import("./action-list.ts")).listActions(options, terminal),
    );
  for (const answer of ["approve", "refuse"] as const) {
    withConfig(actions.command(answer).description(`${answer} a proposal that waits`))
      .argument("<id>", "number of the action", wholeNumber)
      .action(async (id: number, { config }: { config: string }) =>
        (await import("./action-list.ts")).answerAction(id, answer, config, terminal),
      );
  }
  withConfig(actions.command("explain").description("try the policy on a line; nothing is sent"))
    .argument("<line>", "as the model would write it: '[action timeout user=bob seconds=60]'")
    .addOption(
      new Option("--as <role>", "who asks")
        .choices(["viewer", "moderator", "streamer"])
        .default("viewer"),
    )
    .option("--target <name>", "whom it would be done to, if not the one the line names")
    .option(
      "--words <text>",
      "what they would have said; without it, that they ask for it is assumed",
    )
    .option("--json", "as JSON, for scripts")
    .action(async (line: string, options: ExplainOptions) =>
      (await import("./explain-command.ts")).explainAction(line, options, terminal),
    );
}
