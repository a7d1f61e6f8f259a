import { type Command, Option } from "commander";
import { PACES } from "../memory/recall/depth.ts";
import { wholeNumber, withConfig } from "./command-options.ts";
import type { ExplainReplyOptions } from "./explain-reply.ts";
import type { RecallOptions } from "./recall-command.ts";
import type { Terminal } from "./terminal.ts";

/** What a reply was made of. */
export function addExplain(program: Command, terminal: Terminal): void {
  withConfig(
    program
      .command("explain")
      .description("what a reply's prompt was made of, what was left out and why, and its cost"),
  )
    .argument("<reply>", "number of the reply", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: ExplainReplyOptions) =>
      (await import("./explain-reply.ts")).explainReply(id, options, terminal),
    );
}

/** What a reply would remember. */
export function addRecall(memory: Command, terminal: Terminal): void {
  withConfig(
    memory.command("recall").description("which notes a reply to a message would see, and why"),
  )
    .requiredOption("--viewer <login>", "who writes it; id:12345 names one by Twitch user id")
    .requiredOption("--message <text>", "what they write")
    .option("--channel <login>", "in which channel, if not the first one")
    .addOption(
      new Option("--pace <name>", "how fast chat is then").choices(PACES).default("normal"),
    )
    .option("--json", "as JSON, for scripts")
    .action(async (options: RecallOptions) =>
      (await import("./recall-command.ts")).showRecall(options, terminal),
    );
}
