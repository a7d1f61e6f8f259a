import { Argument, type Command, Option } from "commander";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { PACES } from "../memory/recall/weigh.ts";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_STATUSES } from "../platform/config/names.ts";
import {
  atLeastOne,
  configured,
  rowNumber,
  rowNumbers,
  telling,
  wholeNumber,
} from "./command-options.ts";
import type { EpisodesOptions } from "./episodes.ts";
import type { ExportOptions, ImportOptions } from "./files.ts";
import type { AddOptions, EditOptions, UndoOptions } from "./note-changes.ts";
import type { CandidatesOptions, NotesOptions } from "./notes.ts";
import type { Options } from "./open-folder.ts";
import type { SetPolicyOptions, TryOptions } from "./policy.ts";
import type { RecallOptions } from "./recall-command.ts";
import type { ConfirmOptions, Terminal } from "./terminal.ts";

/** The commands about what was remembered. */
export function addMemory(program: Command, terminal: Terminal): void {
  const memory = program.command("memory").description("what was remembered, and why");
  addEpisodes(memory, terminal);
  addLooks(memory, terminal);
  addFacts(memory, terminal);
  addDecisions(memory, terminal);
  addAccounts(memory, terminal);
  addRecall(memory, terminal);
  addFiles(memory, terminal);
  addPolicy(memory, terminal);
}

function addEpisodes(memory: Command, terminal: Terminal): void {
  const episodes = () => import("./episodes.ts");
  telling(memory, "episodes", "list episodes, newest first")
    .option("--channel <login>", "of one channel only")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .action(async (options: EpisodesOptions) => (await episodes()).listEpisodes(options, terminal));
  telling(memory, "episode", "show one episode, its people and its claims")
    .argument("<id>", "number of the episode", rowNumber)
    .action(async (id: number, options: Options) =>
      (await episodes()).printEpisode(id, options, terminal),
    );
  configured(memory, "retry", "try to summarise a failed episode again")
    .argument("<id>", "number of the episode", rowNumber)
    .action(async (id: number, options: Options) =>
      (await episodes()).retryEpisode(id, options, terminal),
    );
  telling(memory, "recap", "the recap of the last stream").action(async (options: Options) =>
    (await episodes()).showRecap(options, terminal),
  );
}

function addLooks(memory: Command, terminal: Terminal): void {
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
  filtered("list", "list notes, newest first").action(async (options: NotesOptions) =>
    (await notes()).printNotes(null, options, terminal),
  );
  filtered("search", "list notes that hold one of these words, or are about such a person")
    .argument("<words>", "what to look for")
    .action(async (words: string, options: NotesOptions) =>
      (await notes()).printNotes(words, options, terminal),
    );
  telling(memory, "show", "show one note, and the episodes it rests on")
    .argument("<id>", "number of the note", rowNumber)
    .action(async (id: number, options: Options) =>
      (await notes()).printNote(id, options, terminal),
    );
  telling(memory, "candidates", "what was offered, and why it was dropped")
    .option("--reason <code>", "with one reason only, such as sensitive")
    .option("--limit <number>", "how many", atLeastOne, 40)
    .action(async (options: CandidatesOptions) =>
      (await notes()).listCandidates(options, terminal),
    );
}

function addFacts(memory: Command, terminal: Terminal): void {
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
    .action(async (fact: string, options: AddOptions) =>
      (await changes()).addNote(fact, options, terminal),
    );
  telling(memory, "edit", "put a note right: what it says, or how much it counts and how long")
    .argument("<id>", "number of the note", rowNumber)
    .argument("[fact]", "what is right, written in its place; @name stands for a person")
    .addOption(new Option("--importance <level>", "how much it counts").choices(IMPORTANCES))
    .addOption(new Option("--lifetime <time>", "how long it lives from now on").choices(LIFETIMES))
    .action(async (id: number, fact: string | undefined, options: EditOptions) =>
      (await changes()).editNote({ id, fact }, options, terminal),
    );
}

const DECISIONS = [
  ["pin", "keep notes for good: they neither fade nor make room"],
  ["unpin", "let them fade again"],
  ["approve", "put notes that wait, or stand in the shadow, in force"],
  ["reject", "put notes out of force; they are not learned again"],
] as const;

function addDecisions(memory: Command, terminal: Terminal): void {
  const changes = () => import("./note-changes.ts");
  telling(memory, "forget", "remove notes and every trace of what they say")
    .argument("<ids...>", "numbers of the notes", rowNumbers)
    .option("--yes", "do not ask")
    .action(async (ids: number[], options: Options & ConfirmOptions) =>
      (await changes()).forgetNotes(ids, options, terminal),
    );
  for (const [name, description] of DECISIONS) {
    telling(memory, name, description)
      .argument("<ids...>", "numbers of the notes", rowNumbers)
      .action(async (ids: number[], options: Options) =>
        (await changes()).decideNotes(name, { ids, options }, terminal),
      );
  }
  telling(memory, "supersede", "let one note take the place of another")
    .argument("<old>", "number of the note that goes", rowNumber)
    .argument("<new>", "number of the active note that holds instead", rowNumber)
    .action(async (oldId: number, newId: number, options: Options) =>
      (await changes()).supersedeNote({ oldId, newId }, options, terminal),
    );
  telling(memory, "undo", "take the last decision about a note back")
    .argument("<id>", "number of the note", rowNumber)
    .option("--keep", "what had taken its place stays in force, too")
    .action(async (id: number, options: UndoOptions) =>
      (await changes()).undoDecision(id, options, terminal),
    );
}

function addAccounts(memory: Command, terminal: Terminal): void {
  const accounts = () => import("./accounts.ts");
  telling(memory, "merge", "say that two accounts are one person")
    .argument("<login>", "the account to merge, as a login or id:12345")
    .argument("<into>", "the person's main account")
    .action(async (login: string, into: string, options: Options) =>
      (await accounts()).mergeAccounts({ login, into }, options, terminal),
    );
  telling(memory, "separate", "undo one merge")
    .argument("<login>", "the account that was merged, as a login or id:12345")
    .argument("[from]", "the account it was merged into, where it was merged into several")
    .action(async (login: string, from: string | undefined, options: Options) =>
      (await accounts()).separateAccount({ login, from }, options, terminal),
    );
  telling(memory, "merges", "list accounts that are one person").action(async (options: Options) =>
    (await accounts()).listMerges(options, terminal),
  );
}

function addRecall(memory: Command, terminal: Terminal): void {
  telling(memory, "recall", "which notes a reply to a message would see, and why")
    .requiredOption("--viewer <login>", "who writes it; id:12345 names one by Twitch user id")
    .requiredOption("--message <text>", "what they write")
    .option("--channel <login>", "in which channel, if not the first one")
    .addOption(
      new Option("--pace <name>", "how fast chat is then").choices(PACES).default("normal"),
    )
    .action(async (options: RecallOptions) =>
      (await import("./recall-command.ts")).showRecall(options, terminal),
    );
}

function addFiles(memory: Command, terminal: Terminal): void {
  const files = () => import("./files.ts");
  configured(memory, "export", "write notes to a file, without any chat")
    .argument("[file]", "a new file; in the data folder's `exports` where none is named")
    .option("--viewer <name>", "about one person only")
    .action(async (file: string | undefined, options: ExportOptions) =>
      (await files()).exportMemory(file, options, terminal),
    );
  telling(memory, "import", "take notes from a file, by the write policy")
    .argument("<file>", "an export")
    .option("--dry-run", "only tell what would happen")
    .option("--yes", "do not ask")
    .action(async (file: string, options: ImportOptions) =>
      (await files()).importMemory(file, options, terminal),
    );
}

const SETTINGS = "KEY=VALUE, as under memory in the configuration; or a JSON file";

function addPolicy(memory: Command, terminal: Terminal): void {
  configured(memory, "readonly", "learn nothing, also across restarts")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .action(async (state: string, options: Options) =>
      (await import("./switches.ts")).flip("read_only", state === "on", options, terminal),
    );
  const group = memory.command("policy").description("what becomes memory, and how much of it");
  const policy = () => import("./policy.ts");
  telling(group, "show", "what differs from the defaults, and what is on trial", {
    isDefault: true,
  }).action(async (options: Options) => (await policy()).showPolicy(options, terminal));
  telling(group, "set", "change it in the configuration file")
    .argument("[settings...]", SETTINGS)
    .option("--shadow", "put it on trial: it judges beside the active one and changes nothing")
    .option("--no-shadow", "end the trial")
    .action(async (settings: string[], options: SetPolicyOptions) =>
      (await policy()).setPolicy(settings, options, terminal),
    );
  telling(group, "try", "what another policy would have made of what was offered; changes nothing")
    .argument("<settings...>", SETTINGS)
    .option("--session <id>", "of one stream, by its number, or last")
    .option(
      "--since <time>",
      "from then until now: 24h, 7d, or a day of your time zone; 30d unless told",
    )
    .action(async (settings: string[], options: TryOptions) =>
      (await policy()).tryPolicyOn(settings, options, terminal),
    );
  telling(group, "history", "every policy that was accepted, numbered")
    .option("--limit <number>", "how many", atLeastOne, 20)
    .action(async (options: Options & { limit: number }) =>
      (await policy()).listPolicies(options, terminal),
    );
  telling(group, "rollback", "bring an earlier policy back")
    .argument("<number>", "number of the policy", rowNumber)
    .option("--yes", "do not ask")
    .action(async (number: number, options: Options & ConfirmOptions) =>
      (await policy()).rollBackPolicy(number, options, terminal),
    );
}
