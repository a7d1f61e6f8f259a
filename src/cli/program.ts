import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import { CONFIG_FILE } from "../config/command-line.ts";
import { isNodeTooOld, NODE_FIX, resolveTyped, VERSION } from "../config/environment.ts";
import { Fault, type FaultCode, getMessage } from "../errors.ts";
import { toPrintable } from "../language/clean.ts";
import {
  addConfiguredCommand,
  addJsonCommand,
  type CommandRunner,
  makeRunner,
  parseLimit,
  parsePort,
  parseRowNumber,
  parseSpeed,
  SPEED_MAX,
} from "./command-options.ts";
import { addMemory } from "./memory-commands.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_WRONG_USE,
  isAlreadyPrinted,
  type Terminal,
} from "./terminal.ts";

const EXAMPLES = `
Examples:
  forgetmenot                   the same as forgetmenot start
  forgetmenot demo --speed 20   a simulated channel, twenty times as fast
  forgetmenot status --json     also next to a running bot

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`;

/** The usual port of the page, as in the configuration: demo, setup and bot are at one address. */
const PAGE_PORT = 4_747;

/** Runs one command line. Returns the exit code; never rejects. */
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
    return chooseExitCode(thrown, terminal);
  }
}

/** Builds the commands with their options. Apart from `runProgram`, so that a test can compare the documentation. */
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
  const runner = makeRunner(terminal);
  program.commandsGroup("Run the bot:");
  addRunning(program, runner);
  program.commandsGroup("Look at it:");
  addLooks(program, runner);
  program.commandsGroup("Steer it:");
  addSwitches(program, runner);
  addActions(program, runner);
  program.commandsGroup("What it knows:");
  addMemory(program, runner);
  addViewer(program, runner);
  addBackups(program, runner);
  program.commandsGroup("More:");
  addPage(program, runner);
  addService(program, runner);
  addEval(program, runner);
  program.helpCommand("help [command]", "print the help of a command");
  pointToHelp(program, "forgetmenot");
  return program;
}

/** Names that people type for a command whose own name is not similar. */
const SYNONYMS = new Map([
  ["forgetmenot config", "setup"],
  ["forgetmenot login", "setup"],
  ["forgetmenot stop", "pause"],
  ["forgetmenot eval convert", "eval run"],
  ["forgetmenot eval list", "eval run"],
]);
/** Former commands of `memory` that the page replaced. */
const ON_PAGE = new Set(
  "edit episode episodes merge merges pin recap retry search separate show supersede undo unpin".split(
    " ",
  ),
);
const UNKNOWN_COMMAND = /^(error: unknown command '(\w+)')\n(?:\(Did you mean .*\?\)\n)?/u;

/** Rewrites errors of a command's commander in plain words, and names the command that was probably meant. */
function rewriteError(text: string, path: string): string {
  return text
    .replace(UNKNOWN_COMMAND, (line, error: string, word: string) => {
      if (path === "forgetmenot memory" && ON_PAGE.has(word))
        return `${error}\n(The page does that: try page)\n`;
      const suggestion = SYNONYMS.get(`${path} ${word}`);
      return suggestion === undefined ? line : `${error}\n(Did you mean ${suggestion}?)\n`;
    })
    .replace(
      /^error: command-argument value '(.*)' is invalid for argument '(\w+)'\. (?:A|An) /su,
      "error: '$1' cannot be <$2>: it has to be a ",
    )
    .replace(
      /^error: option '(?:-\w, )?(--\w+)[^']*' argument '(.*)' is invalid\. (?:A|An) /su,
      "error: '$2' cannot be $1: it has to be a ",
    );
}

function pointToHelp(command: Command, path: string): void {
  const helpSubject = command.commands.length > 0 ? "the commands" : "what it takes";
  command.showHelpAfterError(`Run \`${path} --help\` for ${helpSubject}.`);
  command.configureOutput({ outputError: (text, write) => write(rewriteError(text, path)) });
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`);
}

/** Faults that wrong usage does not cause. */
const FAILED_LATER: ReadonlySet<FaultCode> = new Set(["network", "broken"]);

function chooseExitCode(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError && isAlreadyPrinted(thrown)) return thrown.exitCode;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_DONE : EXIT_WRONG_USE;
  if (thrown instanceof Fault) {
    const lines = thrown.message.split("\n").map(toPrintable);
    terminal.complain(`${lines.join("\n")}\n  → ${toPrintable(thrown.fix)}`);
    return FAILED_LATER.has(thrown.code) ? EXIT_FAILED : EXIT_WRONG_USE;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : getMessage(thrown);
  terminal.complain(`This is a bug in ForgetMeNot, please report it:\n${stack}`);
  return EXIT_FAILED;
}

function addRunning(program: Command, { runs, terminal }: CommandRunner): void {
  program
    .command("start")
    .description(
      "run the bot if config.json is here, else the demo; show the page of a running bot",
    )
    .action(async () => {
      if (!existsSync(CONFIG_FILE))
        return await (await import("./demo.ts")).runDemo({ speed: 1, port: PAGE_PORT }, terminal);
      if ((await import("./page-commands.ts")).openRunningPage(CONFIG_FILE, terminal)) return;
      await (await import("./run.ts")).run({ config: CONFIG_FILE }, terminal);
    });
  addConfiguredCommand(program, "run", "join the channel and answer, until Ctrl-C").action(
    runs(async () => (await import("./run.ts")).run),
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
    .action(runs(async () => (await import("./demo.ts")).runDemo));
  addConfiguredCommand(
    program,
    "setup",
    "go live: opens a page that asks what the bot needs",
  ).action(runs(async () => (await import("./setup.ts")).serveSetupAndRun));
  addJsonCommand(program, "doctor", "check the bot; each problem has its fix").action(
    runs(async () => (await import("./doctor.ts")).runDoctor),
  );
}

function addLooks(program: Command, { onFolder, runs }: CommandRunner): void {
  addJsonCommand(program, "status", "what runs, what is stored, what it costs").action(
    onFolder("read", async () => (await import("./switches.ts")).printStatus),
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
    .action(runs(async () => (await import("./report-command.ts")).report));
  addJsonCommand(program, "replies", "what it answered or would have, to whom, and why")
    .option("--shadow", "only answers of mode shadow")
    .option("--last <number>", "how many, newest last", parseLimit, 20)
    .option("--viewer <name>", "to one viewer: a login, or id: and a Twitch user id")
    .action(onFolder("read", async () => (await import("./replies.ts")).printReplies));
  addJsonCommand(program, "explain", "what a reply's prompt was made of, and its cost")
    .argument("<reply>", "number of the reply", parseRowNumber)
    .action(onFolder("read", async () => (await import("./explain-reply.ts")).explainReply));
}

function addSwitches(program: Command, { onFolder }: CommandRunner): void {
  const switches = () => import("./switches.ts");
  addConfiguredCommand(program, "pause", "fall silent at once, also across restarts").action(
    onFolder("make", async () => (await switches()).setSwitch("paused", true)),
  );
  addConfiguredCommand(program, "resume", "speak again").action(
    onFolder("make", async () => (await switches()).setSwitch("paused", false)),
  );
  addConfiguredCommand(program, "safe", "refuse every action, also across restarts")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(onFolder("make", async () => (await switches()).setSwitch("safe_mode")));
}

function addActions(program: Command, { onFolder, runs }: CommandRunner): void {
  const group = program.command("actions").description("list, approve, refuse or explain actions");
  const actions = () => import("./actions-command.ts");
  addJsonCommand(group, "list", "the latest, newest first")
    .option("--reason <code>", "with one reason only, such as not_allowed")
    .option("--requester <login>", "requested by one viewer only")
    .option("--limit <number>", "how many", parseLimit, 20)
    .action(onFolder("read", async () => (await actions()).printActions));
  for (const answer of ["approve", "refuse"] as const) {
    addConfiguredCommand(group, answer, `${answer} an action that waits for approval`)
      .argument("<id>", "number of the action", parseRowNumber)
      .action(onFolder("change", async () => (await actions()).approveOrRefuse(answer)));
  }
  addJsonCommand(group, "explain", "show how the policy decides about a line; nothing is sent")
    .argument("<line>", "as the model would write it: '[action timeout user=bob seconds=60]'")
    .addOption(
      new Option("--as <role>", "who asks")
        .choices(["viewer", "moderator", "streamer"])
        .default("viewer"),
    )
    .option("--target <name>", "the viewer it is about, if not the one in the line")
    .option("--words <text>", "the requester's message; default: one that asks for the action")
    .action(runs(async () => (await actions()).explainLine));
}

const NAME = "a login, or id: and a Twitch user id";

function addViewer(program: Command, { onFolder, runs }: CommandRunner): void {
  const group = program.command("viewer").description("show, export or forget one viewer");
  const viewer = () => import("./viewer-commands.ts");
  addJsonCommand(group, "show", "show everything that is stored")
    .argument("<name>", NAME)
    .action(onFolder("change", async () => (await viewer()).printViewer));
  addConfiguredCommand(group, "export", "write everything that is stored to a file, as JSON")
    .argument("<name>", NAME)
    .argument("[file]", "a new file; default: in the data folder's `exports`", resolveTyped)
    .action(onFolder("change", async () => (await viewer()).exportViewer));
  addConfiguredCommand(group, "forget", "forget everything about a viewer, for good")
    .argument("<name>", NAME)
    .option("--yes", "do not ask")
    .action(runs(async () => (await viewer()).forgetViewer));
}

function addBackups(program: Command, { onFolder, runs }: CommandRunner): void {
  const files = () => import("./files.ts");
  addConfiguredCommand(program, "backup", "copy the database, without any chat")
    .argument("[file]", "a new file; default: in the data folder's `backups`", resolveTyped)
    .action(onFolder("change", async () => (await files()).backup));
  addConfiguredCommand(program, "restore", "replace the database by a backup")
    .argument("<file>", "a backup", resolveTyped)
    .option("--yes", "do not ask")
    .action(runs(async () => (await files()).restore));
}

function addPage(program: Command, { onFolder }: CommandRunner): void {
  const page = program.command("page").description("print a link to the page of the running bot");
  const keys = () => import("./page-commands.ts");
  page
    .command("link", { isDefault: true, hidden: true })
    .allowExcessArguments()
    .option("-c, --config <file>", "configuration file", resolveTyped, CONFIG_FILE)
    .option("--json", "as JSON, for scripts")
    .action(async (options: object, link: Command) => {
      const [mistyped] = link.args;
      if (mistyped !== undefined)
        page.error(`error: unknown command '${mistyped}'\n(There are token and overlay)`);
      await onFolder("change", async () => (await keys()).makePageLink)(options, link);
    });
  addJsonCommand(page, "token", "make a token with which a program may use /api")
    .argument("[name]", "what you call it", "program")
    .option("--list", "list the tokens there are, without the tokens themselves")
    .option("--revoke <name>", "revoke the tokens of that name")
    .action(onFolder("change", async () => (await keys()).managePageTokens));
  addJsonCommand(page, "overlay", "make a link for OBS that shows the overlay alone")
    .option("--revoke", "revoke every such link")
    .action(onFolder("change", async () => (await keys()).makeOverlayLink));
}

function addService(program: Command, { runs }: CommandRunner): void {
  const group = program.command("service").description("start the bot by itself at log-in");
  const service = () => import("./service.ts");
  const print = ["--print", "only show the file and the commands"] as const;
  addConfiguredCommand(group, "install", "have the system start it at log-in, without a window")
    .option(...print)
    .action(runs(async () => (await service()).installService));
  addConfiguredCommand(group, "uninstall", "end it, and remove it from the system")
    .option(...print)
    .action(runs(async () => (await service()).uninstallService));
  addConfiguredCommand(group, "status", "show whether it is installed and runs").action(
    runs(async () => (await service()).printServiceStatus),
  );
}

function addEval(program: Command, { runs }: CommandRunner): void {
  const group = program.command("eval").description("how well memory finds what is needed");
  addJsonCommand(group, "run", "replay scenarios and print how much of it was shown")
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
    .action(runs(async () => (await import("./eval.ts")).runEval));
}
