import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { Fault, type FaultCode, messageOf } from "../errors.ts";
import { nearest } from "../language/nearest.ts";
import { VERSION } from "../platform/config/version.ts";
import { addActions } from "./action-commands.ts";
import {
  atLeastOne,
  CONFIG_FILE,
  minutes,
  SPEED_MAX,
  STREAMS_MAX,
  speed,
  streams,
  wholeNumber,
  withConfig,
} from "./command-options.ts";
import { addDoctor } from "./doctor-commands.ts";
import { addEval } from "./eval-commands.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_WRONG_USE, isTold } from "./exit-codes.ts";
import { addBackups } from "./file-commands.ts";
import { addMemory } from "./memory-commands.ts";
import { addPage } from "./page-commands.ts";
import { printable } from "./printable.ts";
import { addExplain } from "./recall-commands.ts";
import type { RepliesOptions } from "./replies-command.ts";
import { addReport } from "./report-commands.ts";
import { addSetup } from "./setup-commands.ts";
import type { Terminal } from "./terminal.ts";
import { addViewer } from "./viewer-group.ts";

const EXAMPLES = `
Examples:
  forgetmenot                             the bot, if there is a config.json here; a rehearsal if not
  forgetmenot rehearse --speed 20         a simulated channel, twenty times as fast
  forgetmenot run --config my/config.json
  forgetmenot status --json
  forgetmenot pause                       the bot falls silent at once; resume wakes it

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`;

/** Runs one command line. Gives the exit code; never rejects. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await buildProgram(terminal).parseAsync([...argv], { from: "user" });
    return EXIT_DONE;
  } catch (thrown) {
    return explain(thrown, terminal);
  }
}

/** The commands and their options; separate, so that documentation can be held against it. */
export function buildProgram(terminal: Terminal): Command {
  const program = new Command("forgetmenot")
    .description(
      "A Twitch chat bot that remembers people across streams without keeping a chat log.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .showHelpAfterError("Run `forgetmenot --help` for the commands.");
  program.action(async () => {
    refuseUnknown(program);
    if (existsSync(CONFIG_FILE)) return (await import("./run.ts")).run(CONFIG_FILE, terminal);
    return (await import("./rehearse.ts")).rehearse(
      { speed: 1, long: null, data: null, port: 0 },
      terminal,
    );
  });
  addRun(program, terminal);
  addRehearse(program, terminal);
  addSetup(program, terminal);
  addStatus(program, terminal);
  addDoctor(program, terminal);
  addReplies(program, terminal);
  addPage(program, terminal);
  addReport(program, terminal);
  addExplain(program, terminal);
  addSwitches(program, terminal);
  addActions(program, terminal);
  addMemory(program, terminal);
  addViewer(program, terminal);
  addBackups(program, terminal);
  addEval(program, terminal);
  // Last, since commands inherit it: what the default takes no notice of is a command that there is not.
  return program.allowExcessArguments(true);
}

/** Commander calls a word that is no command an argument too many of the default. */
function refuseUnknown(program: Command): void {
  const [word] = program.args;
  if (word === undefined) return;
  const near = nearest(
    word,
    program.commands.map((command) => command.name()),
  );
  const hint = near === null ? "" : `\n(Did you mean ${near}?)`;
  program.error(`error: unknown command '${word}'${hint}`, { code: "commander.unknownCommand" });
}

function addRun(program: Command, terminal: Terminal): void {
  withConfig(
    program.command("run").description("join the channel and answer, until Ctrl-C"),
  ).action(async ({ config }: { config: string }) =>
    (await import("./run.ts")).run(config, terminal),
  );
}

interface RehearseFlags {
  readonly speed: number;
  readonly port: number;
  readonly data?: string;
  readonly long?: true;
  readonly seed?: number;
  readonly minutes?: number;
  readonly streams?: number;
}

const SEED = 7;
const MINUTES = 12;

function addRehearse(program: Command, terminal: Terminal): void {
  program
    .command("rehearse")
    .description("two minutes that show what it remembers, without network or key")
    .option("--speed <factor>", `how fast time passes, 0.1 to ${SPEED_MAX}`, speed, 1)
    .option("--long", "another one, of twelve minutes, with a raid and much more chat")
    .option("--seed <number>", `long: the same number, the same chat (${SEED})`, wholeNumber)
    .option(
      "--minutes <number>",
      `long: length of a stream (${MINUTES}); the raid needs 7`,
      minutes,
    )
    .option("--streams <number>", `long: how many, a night apart, 1 to ${STREAMS_MAX} (1)`, streams)
    .option("--port <number>", "port of the local page; 0 takes any", wholeNumber, 0)
    .option("--data <folder>", "keep the database in this folder instead of a temporary one")
    .action(
      async ({
        speed,
        port,
        data = null,
        ...flags
      }: Omit<RehearseFlags, "data"> & { data?: string | null }) =>
        (await import("./rehearse.ts")).rehearse(
          { speed, port, data, long: longRehearsal(flags) },
          terminal,
        ),
    );
}

/** Whoever asks for its length, or which one, means the long one. */
function longRehearsal(flags: Pick<RehearseFlags, "long" | "seed" | "minutes" | "streams">) {
  if (Object.keys(flags).length === 0) return null;
  const { seed = SEED, minutes = MINUTES, streams = 1 } = flags;
  return { seed, minutes, streams };
}

function addStatus(program: Command, terminal: Terminal): void {
  withConfig(program.command("status").description("what runs, what is kept, what it costs"))
    .option("--json", "as JSON, for scripts")
    .action(async ({ config, json }: { config: string; json?: true }) =>
      (await import("./status-command.ts")).status(config, json === true, terminal),
    );
}

function addReplies(program: Command, terminal: Terminal): void {
  withConfig(
    program.command("replies").description("what it said or would have said, to whom, and why"),
  )
    .option("--shadow", "only what was thought in mode shadow")
    .option("--last <number>", "how many, newest last", atLeastOne, 20)
    .option("--viewer <name>", "to one person: a login, or id: and a Twitch user id")
    .option("--json", "as JSON, for scripts")
    .action(async (options: RepliesOptions) =>
      (await import("./replies-command.ts")).replies(options, terminal),
    );
}

function addSwitches(program: Command, terminal: Terminal): void {
  withConfig(
    program.command("pause").description("fall silent at once, also across restarts"),
  ).action(async ({ config }: { config: string }) =>
    (await import("./pause.ts")).pause(config, true, terminal),
  );
  withConfig(program.command("resume").description("speak again")).action(
    async ({ config }: { config: string }) =>
      (await import("./pause.ts")).pause(config, false, terminal),
  );
}

/** Nobody used anything wrongly. */
const FAILED_LATER: ReadonlySet<FaultCode> = new Set(["network", "broken"]);

function explain(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError && isTold(thrown)) return thrown.exitCode;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_DONE : EXIT_WRONG_USE;
  if (thrown instanceof Fault) {
    const lines = thrown.message.split("\n").map(printable);
    terminal.complain(`${lines.join("\n")}\n  → ${printable(thrown.mend)}`);
    return FAILED_LATER.has(thrown.code) ? EXIT_FAILED : EXIT_WRONG_USE;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  terminal.complain(`This is a bug in ForgetMeNot, please report it:\n${stack}`);
  return EXIT_FAILED;
}
