import { Argument, type Command, Option } from "commander";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { resolveTyped } from "../config/environment.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import {
  addConfiguredCommand,
  addJsonCommand,
  type CommandRunner,
  parseLimit,
  parseRowNumber,
  parseRowNumbers,
} from "./command-options.ts";

/** Adds `memory` and its commands: notes, export, import and policy. */
export function addMemory(program: Command, runner: CommandRunner): void {
  const memory = program.command("memory").description("list, add, judge, move or forget notes");
  addNotes(memory, runner);
  addFiles(memory, runner);
  addPolicy(memory, runner);
}

function addNotes(memory: Command, { onFolder, runs }: CommandRunner): void {
  const notes = () => import("./notes.ts");
  addJsonCommand(memory, "list", "list notes, newest first")
    .option("--viewer <name>", "about one viewer only")
    .option("--channel <login>", "of one channel only")
    .addOption(
      new Option("--status <name>", "of one status only, such as pending").choices(NOTE_STATUSES),
    )
    .addOption(new Option("--kind <name>", "of one kind only").choices(NOTE_KIND_NAMES))
    .addOption(new Option("--scope <name>", "of one scope only").choices(NOTE_SCOPES))
    .option("--at <day>", "as of the end of a day, such as 2026-03-01")
    .option("--limit <number>", "how many", parseLimit, 40)
    .action(onFolder("read", async () => (await notes()).printNotes));
  addJsonCommand(memory, "add", "store a fact in your own words")
    .argument("[fact]", "one sentence; one that begins with @name is about that viewer")
    .option("--file <path>", "store each line of a file, pinned; up to 200", resolveTyped)
    .option("--viewer <name>", "about this viewer; else about the channel")
    .option("--channel <login>", "in this channel, if there are several")
    .addOption(
      new Option("--scope <name>", "bit: a running joke of the channel").choices([
        "channel",
        "bit",
      ]),
    )
    .addOption(
      new Option("--kind <name>", "its kind; else read from its words").choices(NOTE_KIND_NAMES),
    )
    .action(onFolder("change", async () => (await notes()).addNote));
  addJsonCommand(memory, "approve", "make pending or shadow notes active")
    .argument("<ids...>", "numbers of the notes", parseRowNumbers)
    .action(onFolder("change", async () => (await notes()).approveNotes));
  addJsonCommand(memory, "reject", "reject notes; they are not learned again")
    .argument("<ids...>", "numbers of the notes", parseRowNumbers)
    .action(onFolder("change", async () => (await notes()).rejectNotes));
  addJsonCommand(memory, "forget", "remove notes and every trace of what they say")
    .argument("<ids...>", "numbers of the notes", parseRowNumbers)
    .option("--yes", "do not ask")
    .action(runs(async () => (await notes()).forgetNotes));
  addConfiguredCommand(memory, "readonly", "stop learning, also across restarts; off learns again")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(onFolder("make", async () => (await import("./switches.ts")).setSwitch("read_only")));
}

function addFiles(memory: Command, { onFolder, runs }: CommandRunner): void {
  const files = () => import("./files.ts");
  addConfiguredCommand(memory, "export", "write notes to a file, without any chat")
    .argument("[file]", "a new file; default: in the data folder's `exports`", resolveTyped)
    .option("--viewer <name>", "about one viewer only")
    .action(onFolder("change", async () => (await files()).exportMemory));
  addJsonCommand(memory, "import", "import notes from an export, by the write policy")
    .argument("<file>", "an export", resolveTyped)
    .option("--dry-run", "only print what would happen")
    .option("--yes", "do not ask")
    .action(runs(async () => (await files()).importMemory));
}

const SETTINGS = "KEY=VALUE, as under memory in the configuration; or a JSON file";

function addPolicy(memory: Command, { onFolder, runs }: CommandRunner): void {
  const group = memory.command("policy").description("show or change what becomes memory");
  const policy = () => import("./policy.ts");
  addJsonCommand(group, "show", "show what differs from the defaults").action(
    onFolder("any", async () => (await policy()).showPolicy),
  );
  addJsonCommand(
    group,
    "set",
    "change it in the configuration file; prints first what `try` prints",
  )
    .argument("[settings...]", SETTINGS)
    .action(runs(async () => (await policy()).setPolicy));
  addJsonCommand(group, "try", "replay the last 30 days' candidates under another policy")
    .argument("<settings...>", SETTINGS)
    .action(onFolder("read", async () => (await policy()).tryPolicyOn));
  addJsonCommand(group, "history", "list all accepted policies by number")
    .option("--limit <number>", "how many", parseLimit, 20)
    .action(onFolder("any", async () => (await policy()).listPolicies));
  addJsonCommand(group, "rollback", "restore an earlier policy")
    .argument("<number>", "number of the policy", parseRowNumber)
    .option("--yes", "do not ask")
    .action(runs(async () => (await policy()).rollBackPolicy));
}
