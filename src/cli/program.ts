import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import { Fault, type FaultCode, messageOf } from "../errors.ts";
import { printable } from "../language/clean.ts";
import { nearest } from "../language/nearest.ts";
import { isNodeTooOld, NODE_MEND, VERSION } from "../platform/config/environment.ts";
import { CONFIG_FILE } from "./command-line.ts";
import {
  atLeastOne,
  configured,
  type Doing,
  doing,
  portNumber,
  rowNumber,
  SPEED_MAX,
  speed,
  telling,
} from "./command-options.ts";
import { addMemory } from "./memory-commands.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_WRONG_USE,
  endingWith,
  isTold,
  type Terminal,
} from "./terminal.ts";

/** The rehearsal of two minutes. */
const SHORT = { speed: 1, data: null, port: 0 };

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
  if (isNodeTooOld(process.version) && argv[0] !== "doctor") {
    terminal.complain(`Node ${process.version} will not do here: ${NODE_MEND}.`);
    return EXIT_WRONG_USE;
  }
  try {
    const program = buildProgram(terminal);
    // First, or else an option behind a wrong word is what is complained of.
    if (argv[0]?.startsWith("-") === false) refuseUnknown(program, argv);
    await program.parseAsync([...argv], { from: "user" });
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
    .helpCommand(true)
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text, write) => write(inPlainWords(text)),
    });
  program.action(async () => {
    refuseUnknown(program, program.args);
    const isBot = existsSync(CONFIG_FILE);
    if (isBot) await (await import("./run.ts")).run({ config: CONFIG_FILE }, terminal);
    else await (await import("./rehearse.ts")).rehearse(SHORT, terminal);
  });
  const groups = [
    ...[addRunning, addRehearse, addLookingBack, addPage, addSwitches, addService],
    ...[addActions, addMemory, addViewer, addBackups, addEval],
  ];
  for (const add of groups) add(program, doing(terminal));
  pointToHelp(program, "forgetmenot");
  // Last, since commands inherit it: what the default takes no notice of is a command that there is not.
  return program.allowExcessArguments(true);
}

/** What is wrong with an argument, as a person says it: the one they typed, and what it has to be. */
function inPlainWords(text: string): string {
  return text
    .replace(
      /^error: command-argument value '(.*)' is invalid for argument '(\w+)'\. (?:A|An) /su,
      "error: '$1' cannot be <$2>: it has to be a ",
    )
    .replace(
      /^error: option '(?:-\w, )?(--\w+)[^']*' argument '(.*)' is invalid\. (?:A|An) /su,
      "error: '$2' cannot be $1: it has to be a ",
    );
}

/** What was typed wrong is looked up where it was typed. */
function pointToHelp(command: Command, path: string): void {
  const what = command.commands.length > 0 ? "the commands" : "what it takes";
  command.showHelpAfterError(`Run \`${path} --help\` for ${what}.`);
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`);
}

/** What a person may type for a command whose name is not near it. */
const MEANT = new Map([
  ["start", "run"],
  ["stop", "pause"],
  ["config", "setup"],
  ["login", "setup"],
]);

/** Commander calls a word that is no command an argument too many of the default. */
function refuseUnknown(program: Command, [first, second]: readonly string[]): void {
  const word = first === "help" && second !== undefined ? second : first;
  const names = [...program.commands.map((command) => command.name()), "help"];
  if (word === undefined || names.includes(word)) return;
  const near = MEANT.get(word) ?? nearest(word, names);
  const hint = near === null ? "" : `\n(Did you mean ${near}?)`;
  program.error(`error: unknown command '${word}'${hint}`, { code: "commander.unknownCommand" });
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

function addRunning(program: Command, { runs, terminal }: Doing): void {
  configured(program, "run", "join the channel and answer, until Ctrl-C").action(
    runs(async () => (await import("./run.ts")).run),
  );
  configured(program, "setup", "go live: asks what the bot needs, tries it, writes it").action(
    async ({ config }) => {
      const isDone = await (await import("./setup/setup.ts")).setup(config, terminal);
      if (!isDone) throw endingWith(EXIT_FAILED);
    },
  );
  telling(program, "doctor", "what is the matter with the bot on this machine, and how to mend it")
    .option("--fix", "first mends what is safe to mend: file modes, keys of an earlier edition")
    .action(runs(async () => (await import("./doctor/doctor.ts")).doctor));
}

function addRehearse(program: Command, { terminal }: Doing): void {
  program
    .command("rehearse")
    .description("two minutes that show what it remembers, without network or key")
    .option("--speed <factor>", `how fast time passes, 0.1 to ${SPEED_MAX}`, speed, 1)
    .option("--port <number>", "port of the local page; 0 takes any", portNumber, 0)
    .option("--data <folder>", "keep the database in this folder instead of a temporary one")
    .action(async ({ speed, port, data = null }) => {
      const { rehearse } = await import("./rehearse.ts");
      await rehearse({ speed, port, data }, terminal);
    });
}

function addLookingBack(program: Command, { does, runs }: Doing): void {
  telling(program, "status", "what runs, what is kept, what it costs").action(
    does("read", async () => (await import("./switches.ts")).status),
  );
  telling(program, "replies", "what it said or would have said, to whom, and why")
    .option("--shadow", "only what was thought in mode shadow")
    .option("--last <number>", "how many, newest last", atLeastOne, 20)
    .option("--viewer <name>", "to one person: a login, or id: and a Twitch user id")
    .action(does("read", async () => (await import("./replies.ts")).replies));
  telling(program, "report", "a stream on one page: who, what was learned, what to look at")
    .option("--session <id>", "of one stream, by its number, or last")
    .option(
      "--since <time>",
      "from then until now: 24h, 7d, or a day of your time zone such as 2026-05-01",
    )
    .option("--channel <login>", "of one channel only")
    .option(
      "--details",
      "in numbers: replies, cost, prompts, memory, outcomes; no names; --json and --html have them anyway",
    )
    .option("--html <file>", "write it as a page of its own, with charts")
    .action(runs(async () => (await import("./report-command.ts")).report));
  telling(
    program,
    "explain",
    "what a reply's prompt was made of, what was left out and why, and its cost",
  )
    .argument("<reply>", "number of the reply", rowNumber)
    .action(does("read", async () => (await import("./explain-reply.ts")).explainReply));
}

function addPage(program: Command, { does }: Doing): void {
  const page = program.command("page").description("the page of the running bot: who may open it");
  const keys = () => import("./page-commands.ts");
  telling(page, "link", "a link that opens it in one browser, once", { isDefault: true }).action(
    does("change", async () => (await keys()).pageLink),
  );
  telling(page, "token", "a token with which a program may use /api")
    .argument("[name]", "what you call it", "program")
    .option("--list", "list the tokens there are, without the tokens themselves")
    .option("--revoke <name>", "take away those of that name")
    .action(does("change", async () => (await keys()).pageToken));
  telling(page, "overlay", "a link for OBS that shows the overlay alone")
    .option("--revoke", "take away every such link")
    .action(does("change", async () => (await keys()).overlayLink));
}

function addSwitches(program: Command, { does }: Doing): void {
  const switches = () => import("./switches.ts");
  configured(program, "pause", "fall silent at once, also across restarts").action(
    does("make", async () => (await switches()).switching("paused", true)),
  );
  configured(program, "resume", "speak again").action(
    does("make", async () => (await switches()).switching("paused", false)),
  );
  configured(program, "safe", "refuse every action, also across restarts")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(does("make", async () => (await switches()).switching("safe_mode")));
}

function addService(program: Command, { runs }: Doing): void {
  const group = program.command("service").description("the bot starts by itself at log-in");
  const service = () => import("./service.ts");
  const printable = (name: string, description: string) =>
    configured(group, name, description).option("--print", "only show the file and the commands");
  printable("install", "have the system start it at log-in, without a window").action(
    runs(async () => (await service()).installService),
  );
  printable("uninstall", "end it, and take that away again").action(
    runs(async () => (await service()).uninstallService),
  );
  printable("status", "whether it is installed, and runs").action(
    runs(async () => (await service()).serviceStatus),
  );
}

function addActions(program: Command, { does, runs }: Doing): void {
  const group = program.command("actions").description("what the bot was asked to do, and why not");
  const actions = () => import("./actions-command.ts");
  telling(group, "list", "the latest, newest first", { isDefault: true })
    .option("--reason <code>", "with one reason only, such as not_allowed")
    .option("--requester <login>", "asked for by one person only")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .action(does("read", async () => (await actions()).tellActions));
  for (const answer of ["approve", "refuse"] as const) {
    configured(group, answer, `${answer} a proposal that waits`)
      .argument("<id>", "number of the action", rowNumber)
      .action(does("change", async () => (await actions()).answering(answer)));
  }
  telling(group, "explain", "try the policy on a line; nothing is sent")
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
    .action(runs(async () => (await actions()).explainLine));
}

const NAME = "a login, or id: and a Twitch user id";

function addViewer(program: Command, { does, runs }: Doing): void {
  const group = program.command("viewer").description("what is kept about one person");
  const viewer = () => import("./people-commands.ts");
  telling(group, "show", "show all that is kept", { isDefault: true })
    .argument("<name>", NAME)
    .action(does("change", async () => (await viewer()).tellViewer));
  configured(group, "export", "write all that is kept to a file, as JSON")
    .argument("<name>", NAME)
    .argument("[file]", "a new file; in the data folder's `exports` where none is named")
    .action(does("change", async () => (await viewer()).exportViewer));
  configured(group, "forget", "forget everything about a person, for good")
    .argument("<name>", NAME)
    .option("--yes", "do not ask")
    .action(runs(async () => (await viewer()).forgetViewer));
}

function addBackups(program: Command, { does, runs }: Doing): void {
  const files = () => import("./files.ts");
  configured(program, "backup", "copy the database, without any chat")
    .argument("[file]", "a new file; in the data folder's `backups` where none is named")
    .action(does("change", async () => (await files()).backup));
  configured(program, "restore", "put a backup in the place of the database")
    .argument("<file>", "a backup")
    .option("--yes", "do not ask")
    .action(runs(async () => (await files()).restore));
}

function addEval(program: Command, { runs }: Doing): void {
  const group = program.command("eval").description("how well memory finds what is needed");
  telling(group, "run", "replay scenarios and print how much of it was shown", { isDefault: true })
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
