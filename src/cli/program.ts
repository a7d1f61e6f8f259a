import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import {
  CONFIG_FILE,
  isNodeTooOld,
  NODE_FIX,
  resolveTyped,
  VERSION,
} from "../config/environment.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import { Fault, type FaultCode } from "../errors.ts";
import { toPrintable } from "../language/clean.ts";
import type { CommandOutput, OpenedFor, OpenFolder, Options } from "./open-folder.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_WRONG_USE,
  Exit,
  printResult,
  type Terminal,
} from "./terminal.ts";

const EXAMPLES = `
Examples:
  forgetmenot                   the same as forgetmenot start
  forgetmenot demo --speed 20   a simulated channel, twenty times as fast
  forgetmenot status --json     also next to a running bot

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`;

/** The default of `dashboard.port`: demo, setup and bot are at one address. */
const PAGE_PORT = 4_747;

/**
 * Runs one command line; without words, `start`. With too old a Node, runs only `doctor`. Prints an error and its fix.
 * Returns the exit code; never rejects.
 */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  if (isNodeTooOld(process.version) && argv[0] !== "doctor") {
    terminal.complain(`Node ${process.version} is too old: ${NODE_FIX}.`);
    return EXIT_WRONG_USE;
  }
  try {
    const words = argv.length === 0 ? ["start"] : [...argv];
    await buildProgram(terminal).parseAsync(words, { from: "user" });
    return EXIT_DONE;
  } catch (thrown) {
    return reportError(thrown, terminal);
  }
}

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
    });
  const runner = new CommandRunner(terminal);
  // The help shows them in this order.
  for (const add of [addRunning, addSteering, addMemory, addViewerAndBackups, addMore])
    add(program, runner);
  program.helpCommand("help [command]", "print the help of a command");
  pointToHelp(program, "forgetmenot");
  return program;
}

/** Names that users type for a command whose own name is not similar. */
const SYNONYMS = new Map([
  ["config", "setup"],
  ["login", "setup"],
  ["stop", "pause"],
]);
const UNKNOWN_COMMAND = /^(error: unknown command '(\w+)')\n(?:\(Did you mean .*\?\)\n)?/u;

/** Returns commander's error, with a suggestion if its unknown command is one of `SYNONYMS`. */
function suggestCommand(error: string): string {
  return error.replace(UNKNOWN_COMMAND, (line, message: string, word: string) => {
    const meant = SYNONYMS.get(word);
    return meant === undefined ? line : `${message}\n(Did you mean ${meant}?)\n`;
  });
}

/**
 * Adds to each usage error of a command and of its subcommands how to get help, and what `suggestCommand` suggests.
 * `path`: the words that a user types for the command, such as `forgetmenot memory`.
 */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Run \`${path} --help\` for help.`);
  command.configureOutput({ outputError: (text, write) => write(suggestCommand(text)) });
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`);
}

/** Faults that a right command can meet. All others are wrong usage or configuration. */
const FAILED_LATER: ReadonlySet<FaultCode> = new Set(["network", "broken"]);

/** Prints an error with its fix, unless its command or commander did. Returns the exit code. */
function reportError(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof Exit) return thrown.exitCode;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_DONE : EXIT_WRONG_USE;
  if (thrown instanceof Fault) {
    const lines = thrown.message.split("\n").map(toPrintable);
    terminal.complain(`${lines.join("\n")}\n  → ${toPrintable(thrown.fix)}`);
    return FAILED_LATER.has(thrown.code) ? EXIT_FAILED : EXIT_WRONG_USE;
  }
  const stack = thrown instanceof Error ? thrown.stack : String(thrown);
  terminal.complain(`This is a bug in ForgetMeNot, please report it:\n${stack}`);
  return EXIT_FAILED;
}

// Each file is loaded when one of its commands runs, so that `--help` is quick.
const actions = () => import("./actions-command.ts");
const demo = () => import("./demo.ts");
const files = () => import("./files.ts");
const notes = () => import("./notes.ts");
const page = () => import("./page-commands.ts");
const policy = () => import("./policy.ts");
const replies = () => import("./replies.ts");
const bot = () => import("./run.ts");
const service = () => import("./service.ts");
const status = () => import("./status.ts");
const viewer = () => import("./viewer-commands.ts");

/** Makes the actions of commands. Each action loads its file only when the command runs. */
class CommandRunner {
  readonly terminal: Terminal;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Returns an action that loads a function and calls it with the arguments, the options and the terminal. */
  run<Name extends string>(
    load: () => Promise<Record<Name, (...given: never[]) => void | Promise<void>>>,
    name: Name,
  ) {
    return async (...given: unknown[]): Promise<void> => {
      const { [name]: work } = await load();
      await work(...this.#argumentsOf(given));
    };
  }

  /**
   * Returns an action that loads a function and calls it with the opened data folder, the arguments, the options and the
   * terminal. It prints the result: a string as it is, else JSON with `--json`, or text.
   */
  onFolder<Name extends string>(
    how: OpenedFor,
    load: () => Promise<
      Record<
        Name,
        (opened: OpenFolder, ...given: never[]) => CommandOutput | string | Promise<CommandOutput>
      >
    >,
    name: Name,
  ) {
    return async (...given: unknown[]): Promise<void> => {
      const options = given.at(-2) as Options;
      const { [name]: work } = await load();
      const { withFolderAsync } = await import("./open-folder.ts");
      await withFolderAsync(options.config, how, async (opened) => {
        const result = await work(opened, ...this.#argumentsOf(given));
        if (typeof result === "string") this.terminal.print(result);
        else printResult(this.terminal, options, result);
      });
    };
  }

  /** Replaces commander's last argument, the command itself, by the terminal. */
  #argumentsOf(given: unknown[]): never[] {
    return [...given.slice(0, -1), this.terminal] as never[];
  }
}

/** Adds a command with the option `--config`. */
function addCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description);
  return command.option("-c, --config <file>", "configuration file", resolveTyped, CONFIG_FILE);
}

/** Adds a command with the options `--config` and `--json`. */
function addJsonCommand(parent: Command, name: string, description: string): Command {
  return addCommand(parent, name, description).option("--json", "as JSON, for scripts");
}

/** Returns a parser of numbers from `min` to `max` that match the pattern. Its error for another text ends with `expected`. */
function makeNumberParser(expected: string, pattern: RegExp, min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (pattern.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It has to be ${expected}.`);
  };
}

const WHOLE = /^\d+$/;
const SPEED_MAX = 1_000;
const LIMIT_MAX = 100_000;
const parseSpeed = makeNumberParser(`a number from 0.1 to ${SPEED_MAX}`, /\S/, 0.1, SPEED_MAX);
const parseLimit = makeNumberParser(`a whole number from 1 to ${LIMIT_MAX}`, WHOLE, 1, LIMIT_MAX);
const parsePort = makeNumberParser("a whole number from 0 to 65535", WHOLE, 0, 65_535);
const parseRowNumber = makeNumberParser(
  "a whole number such as 12, as the list shows it",
  WHOLE,
  1,
  Number.MAX_SAFE_INTEGER,
);

/** Returns `before` and the row number in `text`. Commander calls it for each word. */
function parseRowNumbers(text: string, before: number[] = []): number[] {
  return [...before, parseRowNumber(text)];
}

const VIEWER = "a login, or id: and a Twitch user id";
const ON_OR_OFF = new Argument("<state>", "on or off").choices(["on", "off"]);
const YES = ["--yes", "do not ask"] as const;

function addRunning(program: Command, runner: CommandRunner): void {
  program.commandsGroup("Run the bot:");
  const { terminal } = runner;
  program
    .command("start")
    .description(
      "run the bot if config.json is here, else the demo; show the page of a running bot",
    )
    .action(async () => {
      if (!existsSync(CONFIG_FILE))
        return await (await demo()).runDemo({ speed: 1, port: PAGE_PORT }, terminal);
      if ((await page()).openRunningPage(CONFIG_FILE, terminal)) return;
      await (await bot()).run({ config: CONFIG_FILE }, terminal);
    });
  addCommand(program, "run", "join the channel and answer, until Ctrl-C").action(
    runner.run(bot, "run"),
  );
  program
    .command("demo")
    .alias("rehearse")
    .description("two evenings in 100 seconds that show what it remembers; no key needed")
    .option("--speed <factor>", `how fast time passes, 0.1 to ${SPEED_MAX}`, parseSpeed, 1)
    .option("--port <number>", "port of the local page; 0 takes any", parsePort, PAGE_PORT)
    .option(
      "--data <folder>",
      "keep the database in this folder instead of a temporary one",
      resolveTyped,
    )
    .action(runner.run(demo, "runDemo"));
  addCommand(program, "setup", "go live: opens a page that asks what the bot needs").action(
    runner.run(() => import("./setup.ts"), "serveSetupAndRun"),
  );
  addJsonCommand(program, "doctor", "check the bot; each problem has its fix").action(
    runner.run(() => import("./doctor.ts"), "runDoctor"),
  );
  program.commandsGroup("Look at it:");
  addJsonCommand(program, "status", "what runs, what is stored, what it costs").action(
    runner.onFolder("read", status, "describeStatus"),
  );
  addJsonCommand(program, "report", "a stream on one page: people, notes, costs")
    .option("--session <id>", "of one stream, by its number, or last")
    .option(
      "--since <time>",
      "from then until now: 24h, 7d, or a day of your time zone such as 2026-05-01",
    )
    .option("--channel <login>", "of one channel only")
    .option(
      "--details",
      "in numbers: replies, cost, prompts, memory, outcomes; no names; --json has them anyway",
    )
    .action(runner.onFolder("read", status, "describeReport"));
  addJsonCommand(program, "replies", "what it answered or would have, to whom, and why")
    .option("--shadow", "only answers of mode shadow")
    .option("--last <number>", "how many, newest last", parseLimit, 20)
    .option("--viewer <name>", `to one viewer: ${VIEWER}`)
    .action(runner.onFolder("read", replies, "listReplies"));
  addJsonCommand(program, "explain", "what a reply's prompt was made of, and its cost")
    .argument("<reply>", "number of the reply", parseRowNumber)
    .action(runner.onFolder("read", replies, "explainReply"));
}

function addSteering(program: Command, runner: CommandRunner): void {
  program.commandsGroup("Steer it:");
  addCommand(program, "pause", "fall silent at once, also across restarts").action(
    runner.onFolder("create", status, "pause"),
  );
  addCommand(program, "resume", "speak again").action(runner.onFolder("create", status, "resume"));
  addCommand(program, "safe", "refuse every action, also across restarts")
    .addArgument(ON_OR_OFF)
    .action(runner.onFolder("create", status, "setSafeMode"));
  const group = program.command("actions");
  group.description("list, approve, refuse or explain actions");
  addJsonCommand(group, "list", "the latest, newest first")
    .option("--reason <code>", "with one reason only, such as not_allowed")
    .option("--requester <login>", "requested by one viewer only")
    .option("--limit <number>", "how many", parseLimit, 20)
    .action(runner.onFolder("read", actions, "listActions"));
  for (const answer of ["approve", "refuse"] as const)
    addCommand(group, answer, `${answer} an action that waits for approval`)
      .argument("<id>", "number of the action", parseRowNumber)
      .action(runner.onFolder("change", actions, answer));
  addJsonCommand(group, "explain", "show how the policy decides about a line; nothing is sent")
    .argument("<line>", "as the model would write it: '[action timeout user=bob seconds=60]'")
    .addOption(
      new Option("--as <role>", "who asks")
        .choices(["viewer", "moderator", "streamer"])
        .default("viewer"),
    )
    .option("--words <text>", "the requester's message; default: one that asks for the action")
    .action(runner.onFolder("read", actions, "explainLine"));
}

function addMemory(program: Command, runner: CommandRunner): void {
  program.commandsGroup("What it knows:");
  const memory = program.command("memory");
  memory.description("list, add, judge, move or forget notes");
  const kinds = (description: string) =>
    new Option("--kind <name>", description).choices(NOTE_KIND_NAMES);
  const scopes = (description: string, names: readonly string[]) =>
    new Option("--scope <name>", description).choices(names);
  const addNotesCommand = (name: string, description: string) =>
    addJsonCommand(memory, name, description).argument(
      "<ids...>",
      "numbers of the notes",
      parseRowNumbers,
    );
  addJsonCommand(memory, "list", "list notes, newest first")
    .option("--viewer <name>", "about one viewer only")
    .option("--channel <login>", "of one channel only")
    .addOption(
      new Option("--status <name>", "of one status only, such as pending").choices(NOTE_STATUSES),
    )
    .addOption(kinds("of one kind only"))
    .addOption(scopes("of one scope only", NOTE_SCOPES))
    .option("--at <day>", "as of the end of a day, such as 2026-03-01")
    .option("--limit <number>", "how many", parseLimit, 40)
    .action(runner.onFolder("read", notes, "listNotes"));
  addJsonCommand(memory, "add", "store a fact in your own words")
    .argument("[fact]", "one sentence; one that begins with @name is about that viewer")
    .option("--file <path>", "store each line of a file, pinned; up to 200", resolveTyped)
    .option("--viewer <name>", "about this viewer; else about the channel")
    .option("--channel <login>", "in this channel, if there are several")
    .addOption(scopes("bit: a running joke of the channel", ["channel", "bit"]).conflicts("viewer"))
    .addOption(kinds("its kind; else read from its words"))
    .action(runner.onFolder("change", notes, "addNote"));
  addNotesCommand("approve", "make pending or shadow notes active").action(
    runner.onFolder("change", notes, "approveNotes"),
  );
  addNotesCommand("reject", "reject notes; they are not learned again").action(
    runner.onFolder("change", notes, "rejectNotes"),
  );
  addNotesCommand("forget", "remove notes and every trace of what they say")
    .option(...YES)
    .action(runner.run(notes, "forgetNotes"));
  addCommand(memory, "readonly", "stop learning, also across restarts; off learns again")
    .addArgument(ON_OR_OFF)
    .action(runner.onFolder("create", status, "setReadOnly"));
  addCommand(memory, "export", "write notes to a file, without any chat")
    .argument("[file]", "a new file; default: in the data folder's `exports`", resolveTyped)
    .option("--viewer <name>", "about one viewer only")
    .action(runner.onFolder("change", files, "exportMemory"));
  addJsonCommand(memory, "import", "import notes from an export, by the write policy")
    .argument("<file>", "an export", resolveTyped)
    .option("--dry-run", "only print what would happen")
    .option(...YES)
    .action(runner.run(files, "importMemory"));
  const settings = "KEY=VALUE, as under memory in the configuration";
  const group = memory.command("policy").description("change what becomes memory");
  addJsonCommand(group, "set", "change it in config.json; prints first what `try` prints")
    .argument("<settings...>", settings)
    .action(runner.run(policy, "setPolicy"));
  addJsonCommand(group, "try", "replay the last 30 days' candidates under another policy")
    .argument("<settings...>", settings)
    .action(runner.onFolder("read", policy, "tryPolicyOn"));
}

function addViewerAndBackups(program: Command, runner: CommandRunner): void {
  const group = program.command("viewer");
  group.description("show, export or forget one viewer");
  addJsonCommand(group, "show", "show everything that is stored")
    .argument("<name>", VIEWER)
    .action(runner.onFolder("change", viewer, "describeViewer"));
  addCommand(group, "export", "write everything that is stored to a file, as JSON")
    .argument("<name>", VIEWER)
    .argument("[file]", "a new file; default: in the data folder's `exports`", resolveTyped)
    .action(runner.onFolder("change", viewer, "exportViewer"));
  addCommand(group, "forget", "forget everything about a viewer, for good")
    .argument("<name>", VIEWER)
    .option(...YES)
    .action(runner.run(viewer, "forgetViewerByName"));
  addCommand(program, "backup", "copy the database, without any chat")
    .argument("[file]", "a new file; default: in the data folder's `backups`", resolveTyped)
    .action(runner.onFolder("change", files, "backup"));
  addCommand(program, "restore", "replace the database by a backup")
    .argument("<file>", "a backup", resolveTyped)
    .option(...YES)
    .action(runner.run(files, "restore"));
}

function addMore(program: Command, runner: CommandRunner): void {
  program.commandsGroup("More:");
  const pages = program.command("page");
  pages.description("print a link to the page of the running bot");
  // Options of `page` itself would take those of `page token`.
  pages
    .command("link", { isDefault: true, hidden: true })
    .allowExcessArguments()
    .option("-c, --config <file>", "configuration file", resolveTyped, CONFIG_FILE)
    .option("--json", "as JSON, for scripts")
    .action(async (options: object, link: Command) => {
      const [mistyped] = link.args;
      if (mistyped !== undefined)
        pages.error(`error: unknown command '${mistyped}'\n(There are token and overlay)`);
      await runner.onFolder("change", page, "makePageLink")(options, link);
    });
  addJsonCommand(pages, "token", "make a token with which a program may use /api")
    .argument("[name]", "what you call it", "program")
    .option("--list", "list the tokens there are, without the tokens themselves")
    .option("--revoke <name>", "revoke the tokens of that name")
    .action(runner.onFolder("change", page, "managePageTokens"));
  addJsonCommand(pages, "overlay", "make a link for OBS that shows the overlay alone")
    .option("--revoke", "revoke every such link")
    .action(runner.onFolder("change", page, "makeOverlayLink"));
  const services = program.command("service");
  services.description("start the bot by itself at log-in");
  addCommand(services, "install", "have the system start it at log-in, without a window").action(
    runner.run(service, "installService"),
  );
  addCommand(services, "uninstall", "end it, and remove it from the system").action(
    runner.run(service, "uninstallService"),
  );
  addCommand(services, "status", "show whether it is installed and runs").action(
    runner.run(service, "printServiceStatus"),
  );
  const evaluation = program.command("eval").description("how well memory finds what is needed");
  addJsonCommand(evaluation, "run", "replay scenarios and print how much of it was shown")
    .argument("[files...]", "scenario files, or names of shipped ones; all shipped if none")
    .addOption(
      new Option("--strategy <names...>", "what to compare")
        .choices(["seed", "shipped"])
        .default(["seed", "shipped"]),
    )
    .addOption(
      new Option("--model <which>", "who summarises, extracts, reranks and answers")
        .choices(["offline", "scripted", "config"])
        .default("offline"),
    )
    .action(runner.run(() => import("./eval.ts"), "runEval"));
}
