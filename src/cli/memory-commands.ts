import { Argument, type Command, Option } from "commander";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { PACES } from "../memory/recall/weigh.ts";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_STATUSES } from "../platform/config/names.ts";
import {
  atLeastOne,
  configured,
  type Doing,
  rowNumber,
  rowNumbers,
  telling,
  wholeNumber,
} from "./command-options.ts";

/** The commands about what was remembered. */
export function addMemory(program: Command, doing: Doing): void {
  const memory = program.command("memory").description("what was remembered, and why");
  addEpisodes(memory, doing);
  addLooks(memory, doing);
  addFacts(memory, doing);
  addDecisions(memory, doing);
  addAccounts(memory, doing);
  addRecall(memory, doing);
  addFiles(memory, doing);
  addPolicy(memory, doing);
}

function addEpisodes(memory: Command, { does }: Doing): void {
  const episodes = () => import("./notes.ts");
  telling(memory, "episodes", "list episodes, newest first")
    .option("--channel <login>", "of one channel only")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .action(does("read", async () => (await episodes()).listEpisodes));
  telling(memory, "episode", "show one episode, its people and its claims")
    .argument("<id>", "number of the episode", rowNumber)
    .action(does("read", async () => (await episodes()).tellEpisode));
  configured(memory, "retry", "try to summarise a failed episode again")
    .argument("<id>", "number of the episode", rowNumber)
    .action(does("change", async () => (await episodes()).retryEpisode));
  telling(memory, "recap", "the recap of the last stream").action(
    does("read", async () => (await episodes()).showRecap),
  );
}

function addLooks(memory: Command, { does }: Doing): void {
  const notes = () => import("./notes.ts");
  const filtered = (name: string, description: string): Command =>
    telling(memory, name, description)
      .option("--viewer <login>", "about one person only")
      .option("--channel <login>", "of one channel only")
      .addOption(
        new Option("--status <name>", "of one status only, such as superseded").choices(
          NOTE_STATUSES,
        ),
      )
      .addOption(new Option("--kind <name>", "of one kind only").choices(NOTE_KINDS))
      .addOption(new Option("--scope <name>", "of one scope only").choices(NOTE_SCOPES))
      .option("--property <name>", "with one property only, such as home")
      .option("--older <days>", "not confirmed for so many days", wholeNumber)
      .option("--limit <number>", "how many", atLeastOne, 40);
  filtered("list", "list notes, newest first").action(
    does("read", async () => (await notes()).tellNotes),
  );
  filtered("search", "list notes that hold one of these words, or are about such a person")
    .argument("<words>", "what to look for")
    .action(does("read", async () => (await notes()).searchNotes));
  telling(memory, "show", "show one note, and the episodes it rests on")
    .argument("<id>", "number of the note", rowNumber)
    .action(does("read", async () => (await notes()).tellNote));
  telling(memory, "candidates", "what was offered, and why it was dropped")
    .option("--reason <code>", "with one reason only, such as sensitive")
    .option("--limit <number>", "how many", atLeastOne, 40)
    .action(does("read", async () => (await notes()).listCandidates));
}

function addFacts(memory: Command, { does }: Doing): void {
  const changes = () => import("./note-changes.ts");
  telling(memory, "add", "have a fact remembered by your own word")
    .argument("<fact>", "one sentence; @name stands for a person")
    .option("--viewer <login>", "about this person; else about the channel")
    .option("--channel <login>", "in this channel, if there are several")
    .addOption(
      new Option("--scope <name>", "a running joke of the channel, not a fact about it").choices([
        "channel",
        "bit",
      ]),
    )
    .addOption(
      new Option("--kind <name>", "which kind it is, else read from its words").choices(NOTE_KINDS),
    )
    .action(does("change", async () => (await changes()).addNote));
  telling(memory, "edit", "put a note right: what it says, or how much it counts and how long")
    .argument("<id>", "number of the note", rowNumber)
    .argument("[fact]", "what is right, written in its place; @name stands for a person")
    .addOption(new Option("--importance <level>", "how much it counts").choices(IMPORTANCES))
    .addOption(new Option("--lifetime <time>", "how long it lives from now on").choices(LIFETIMES))
    .action(does("change", async () => (await changes()).editNote));
}

const DECISIONS = [
  ["pin", "keep notes for good: they neither fade nor make room"],
  ["unpin", "let them fade again"],
  ["approve", "put notes that wait, or stand in the shadow, in force"],
  ["reject", "put notes out of force; they are not learned again"],
] as const;

function addDecisions(memory: Command, { does, runs }: Doing): void {
  const changes = () => import("./note-changes.ts");
  telling(memory, "forget", "remove notes and every trace of what they say")
    .argument("<ids...>", "numbers of the notes", rowNumbers)
    .option("--yes", "do not ask")
    .action(runs(async () => (await changes()).forgetNotes));
  for (const [name, description] of DECISIONS) {
    telling(memory, name, description)
      .argument("<ids...>", "numbers of the notes", rowNumbers)
      .action(does("change", async () => (await changes()).deciding(name)));
  }
  telling(memory, "supersede", "let one note take the place of another")
    .argument("<old>", "number of the note that goes", rowNumber)
    .argument("<new>", "number of the active note that holds instead", rowNumber)
    .action(does("change", async () => (await changes()).supersedeNote));
  telling(memory, "undo", "take the last decision about a note back")
    .argument("<id>", "number of the note", rowNumber)
    .option("--keep", "what had taken its place stays in force, too")
    .action(does("change", async () => (await changes()).undoDecision));
}

function addAccounts(memory: Command, { does }: Doing): void {
  const accounts = () => import("./people-commands.ts");
  telling(memory, "merge", "say that two accounts are one person")
    .argument("<login>", "the account to merge, as a login or id:12345")
    .argument("<into>", "the person's main account")
    .action(does("change", async () => (await accounts()).mergeAccounts));
  telling(memory, "separate", "undo one merge")
    .argument("<login>", "the account that was merged, as a login or id:12345")
    .argument("[from]", "the account it was merged into, where it was merged into several")
    .action(does("change", async () => (await accounts()).separateAccount));
  telling(memory, "merges", "list accounts that are one person").action(
    does("change", async () => (await accounts()).listMerges),
  );
}

function addRecall(memory: Command, { does }: Doing): void {
  telling(memory, "recall", "which notes a reply to a message would see, and why")
    .requiredOption("--viewer <login>", "who writes it; id:12345 names one by Twitch user id")
    .requiredOption("--message <text>", "what they write")
    .option("--channel <login>", "in which channel, if not the first one")
    .addOption(
      new Option("--pace <name>", "how fast chat is then").choices(PACES).default("normal"),
    )
    .action(does("read", async () => (await import("./recall-command.ts")).showRecall));
}

function addFiles(memory: Command, { does, runs }: Doing): void {
  const files = () => import("./files.ts");
  configured(memory, "export", "write notes to a file, without any chat")
    .argument("[file]", "a new file; in the data folder's `exports` where none is named")
    .option("--viewer <name>", "about one person only")
    .action(does("change", async () => (await files()).exportMemory));
  telling(memory, "import", "take notes from a file, by the write policy")
    .argument("<file>", "an export")
    .option("--dry-run", "only tell what would happen")
    .option("--yes", "do not ask")
    .action(runs(async () => (await files()).importMemory));
}

const SETTINGS = "KEY=VALUE, as under memory in the configuration; or a JSON file";

function addPolicy(memory: Command, { does, runs }: Doing): void {
  configured(memory, "readonly", "learn nothing, also across restarts")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(does("make", async () => (await import("./switches.ts")).switching("read_only")));
  const group = memory.command("policy").description("what becomes memory, and how much of it");
  const policy = () => import("./policy.ts");
  telling(group, "show", "what differs from the defaults", { isDefault: true }).action(
    does("any", async () => (await policy()).showPolicy),
  );
  telling(group, "set", "change it in the configuration file; prints first what `try` prints")
    .argument("[settings...]", SETTINGS)
    .action(runs(async () => (await policy()).setPolicy));
  telling(group, "try", "replay the candidates of the last 30 days under another policy")
    .argument("<settings...>", SETTINGS)
    .action(does("read", async () => (await policy()).tryPolicyOn));
  telling(group, "history", "every policy that was accepted, numbered")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .action(does("any", async () => (await policy()).listPolicies));
  telling(group, "rollback", "bring an earlier policy back")
    .argument("<number>", "number of the policy", rowNumber)
    .option("--yes", "do not ask")
    .action(runs(async () => (await policy()).rollBackPolicy));
}
