import { Argument, type Command } from "commander";
import { atLeastOne, wholeNumber, withConfig } from "./command-options.ts";
import type { PolicyOptions, SetPolicyOptions } from "./policy-change-command.ts";
import type { TryOptions } from "./policy-try-command.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about what becomes memory, under `memory`. */
export function addPolicy(memory: Command, terminal: Terminal): void {
  withConfig(memory.command("readonly").description("learn nothing, also across restarts"))
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(async (state: string, { config }: { config: string }) =>
      (await import("./read-only.ts")).readOnly(config, state === "on", terminal),
    );
  const policy = memory.command("policy").description("what becomes memory, and how much of it");
  withConfig(
    policy
      .command("show", { isDefault: true })
      .description("what differs from the defaults, and what is on trial"),
  )
    .option("--json", "as JSON, for scripts")
    .action(async (options: PolicyOptions) =>
      (await import("./policy-change-command.ts")).showPolicy(options, terminal),
    );
  withConfig(policy.command("set").description("change it in the configuration file"))
    .argument("[settings...]", "KEY=VALUE, as under memory in the configuration; or a JSON file")
    .option("--shadow", "put it on trial: it judges beside the active one and changes nothing")
    .option("--no-shadow", "end the trial")
    .option("--json", "as JSON, for scripts")
    .action(async (settings: string[], options: SetPolicyOptions) =>
      (await import("./policy-change-command.ts")).setPolicy(settings, options, terminal),
    );
  withConfig(
    policy
      .command("try")
      .description("what another policy would have made of what was offered; changes nothing"),
  )
    .argument("<settings...>", "KEY=VALUE, as under memory in the configuration; or a JSON file")
    .option("--session <id>", "of one stream, by its number, or last")
    .option(
      "--since <time>",
      "from then until now: 24h, 7d, or a day of your time zone; 30d unless told",
    )
    .option("--json", "as JSON, for scripts")
    .action(async (settings: string[], options: TryOptions) =>
      (await import("./policy-try-command.ts")).tryPolicyOn(settings, options, terminal),
    );
  withConfig(policy.command("history").description("every policy that was accepted, numbered"))
    .option("--limit <number>", "how many", atLeastOne, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: PolicyOptions & { limit: number }) =>
      (await import("./policy-change-command.ts")).listPolicies(options, terminal),
    );
  withConfig(policy.command("rollback").description("bring an earlier policy back"))
    .argument("<number>", "number of the policy", wholeNumber)
    .option("--yes", "do not ask")
    .option("--json", "as JSON, for scripts")
    .action(async (number: number, options: PolicyOptions & { yes?: true }) => {
      await (await import("./confirm.ts")).confirmRollback(number, options, terminal);
      (await import("./policy-change-command.ts")).rollBackPolicy(number, options, terminal);
    });
}
