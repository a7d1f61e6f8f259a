import type { Command } from "commander";
import { withConfig } from "./command-options.ts";
import type { ReportOptions } from "./report-command.ts";
import type { Terminal } from "./terminal.ts";

/** The command that is read after a stream. */
export function addReport(program: Command, terminal: Terminal): void {
  withConfig(
    program
      .command("report")
      .description("a stream on one page: who, what was learned, what to look at"),
  )
    .option("--session <id>", "of one stream, by its number, or last")
    .option(
      "--since <time>",
      "from then until now: 24h, 7d, or a day of your time zone such as 2026-05-01",
    )
    .option("--channel <login>", "of one channel only")
    .option("--details", "in numbers: replies, cost, prompts, memory, outcomes; no names")
    .option("--json", "as JSON, for scripts")
    .option("--html <file>", "write it as a page of its own, with charts")
    .action(async (options: ReportOptions) =>
      (await import("./report-command.ts")).report(options, terminal),
    );
}
