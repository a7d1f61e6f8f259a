import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { VERSION } from "../config/version.ts";
import { Fault, messageOf } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import type { ActionsOptions } from "./actions.ts";
import type { ExplainOptions } from "./explain.ts";
import type { NotesOptions } from "./notes.ts";
import type { Terminal } from "./terminal.ts";

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;
const CONFIG_FILE = "config.json";
const SPEED_MAX = 1_000;

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
      { speed: 1, seed: 7, data: null, port: 0 },
      terminal,
    );
  });
  addRun(program, terminal);
  addRehearse(program, terminal);
  addStatus(program, terminal);
  addSwitches(program, terminal);
  addActions(program, terminal);
  addMemory(program, terminal);
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

function addRehearse(program: Command, terminal: Terminal): void {
  program
    .command("rehearse")
    .description("run the real bot in a simulated channel on this machine, without network or key")
    .option("--speed <factor>", `how fast time passes, 0.1 to ${SPEED_MAX}`, speed, 1)
    .option("--seed <number>", "which rehearsal: the same number, the same chat", wholeNumber, 7)
    .option("--port <number>", "port of the local page; 0 takes any", wholeNumber, 0)
    .option("--data <folder>", "keep the database in this folder instead of a temporary one")
    .action(async (options: { speed: number; seed: number; port: number; data?: string }) =>
      (await import("./rehearse.ts")).rehearse(
        { ...options, data: options.data ?? null },
        terminal,
      ),
    );
}

function addStatus(program: Command, terminal: Terminal): void {
  withConfig(program.command("status").description("what runs, what is kept, what it costs"))
    .option("--json", "as JSON, for scripts")
    .action(async ({ config, json }: { config: string; json?: true }) =>
      (await import("./status.ts")).status(config, json === true, terminal),
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

function addActions(program: Command, terminal: Terminal): void {
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
    .option("--limit <number>", "how many", wholeNumber, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: ActionsOptions) =>
      (await import("./actions.ts")).listActions(options, terminal),
    );
  for (const answer of ["approve", "refuse"] as const) {
    withConfig(actions.command(answer).description(`${answer} a proposal that waits`))
      .argument("<id>", "number of the action", wholeNumber)
      .action(async (id: number, { config }: { config: string }) =>
        (await import("./actions.ts")).answerAction(id, answer, config, terminal),
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
    .option("--json", "as JSON, for scripts")
    .action(async (line: string, options: ExplainOptions) =>
      (await import("./explain.ts")).explainAction(line, options, terminal),
    );
}

function addMemory(program: Command, terminal: Terminal): void {
  const memory = program.command("memory").description("what was remembered, and why");
  withConfig(memory.command("episodes").description("list episodes, newest first"))
    .option("--channel <login>", "of one channel only")
    .option("--limit <number>", "how many", wholeNumber, 20)
    .option("--json", "as JSON, for scripts")
    .action(async (options: { config: string; channel?: string; limit: number; json?: true }) =>
      (await import("./memory.ts")).listEpisodes(options, terminal),
    );
  withConfig(memory.command("episode").description("show one episode, its people and its claims"))
    .argument("<id>", "number of the episode", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: { config: string; json?: true }) =>
      (await import("./memory.ts")).showEpisode(id, options, terminal),
    );
  withConfig(memory.command("retry").description("try to summarise a failed episode again"))
    .argument("<id>", "number of the episode", wholeNumber)
    .action(async (id: number, { config }: { config: string }) =>
      (await import("./memory.ts")).retryEpisode(id, config, terminal),
    );
  withConfig(memory.command("recap").description("the recap of the last stream")).action(
    async ({ config }: { config: string }) =>
      (await import("./memory.ts")).showRecap(config, terminal),
  );
  addNotes(memory, terminal);
}

function addNotes(memory: Command, terminal: Terminal): void {
  withConfig(memory.command("list").description("list notes, newest first"))
    .option("--viewer <login>", "about one person only")
    .option("--channel <login>", "of one channel only")
    .option("--status <name>", "of one status only, such as superseded")
    .option("--limit <number>", "how many", wholeNumber, 40)
    .option("--json", "as JSON, for scripts")
    .action(async (options: NotesOptions) =>
      (await import("./notes.ts")).listNotes("", options, terminal),
    );
  withConfig(memory.command("search").description("list notes that hold one of these words"))
    .argument("<words>", "what to look for")
    .option("--viewer <login>", "about one person only")
    .option("--channel <login>", "of one channel only")
    .option("--status <name>", "of one status only, such as superseded")
    .option("--limit <number>", "how many", wholeNumber, 40)
    .option("--json", "as JSON, for scripts")
    .action(async (words: string, options: NotesOptions) =>
      (await import("./notes.ts")).listNotes(words, options, terminal),
    );
  withConfig(memory.command("show").description("show one note, and the episodes it rests on"))
    .argument("<id>", "number of the note", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: { config: string; json?: true }) =>
      (await import("./notes.ts")).showNote(id, options, terminal),
    );
}

function withConfig(command: Command): Command {
  return command.option("-c, --config <file>", "configuration file", CONFIG_FILE);
}

function speed(text: string): number {
  const value = Number(text);
  if (value >= 0.1 && value <= SPEED_MAX) return value;
  throw new InvalidArgumentError(`A number from 0.1 to ${SPEED_MAX}.`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("A whole number from 0.");
}

function explain(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_DONE : EXIT_WRONG_USE;
  if (thrown instanceof Fault) {
    terminal.complain(`${thrown.message}\n  → ${thrown.mend}`);
    return thrown.code === "network" ? EXIT_FAILED : EXIT_WRONG_USE;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  terminal.complain(`This is a bug in ForgetMeNot, please report it:\n${stack}`);
  return EXIT_FAILED;
}
