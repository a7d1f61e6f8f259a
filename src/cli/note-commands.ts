import { type Command, Option } from "commander";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_STATUSES } from "../platform/config/names.ts";
import type { CandidatesOptions } from "./candidates.ts";
import { atLeastOne, wholeNumber, withConfig } from "./command-options.ts";
import type { AddOptions, EditOptions, UndoOptions } from "./note-changes.ts";
import type { NotesOptions } from "./notes.ts";
import type { ChangeOptions } from "./operator-service.ts";
import type { Terminal } from "./terminal.ts";

/** The commands about notes: to look at them, and to put them right. */
export function addNotes(memory: Command, terminal: Terminal): void {
  addLooks(memory, terminal);
  addFacts(memory, terminal);
  addDecisions(memory, terminal);
  addAccounts(memory, terminal);
}

function addLooks(memory: Command, terminal: Terminal): void {
  const filtered = (command: Command): Command =>
    withConfig(command)
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
      .option("--limit <number>", "how many", atLeastOne, 40)
      .option("--json", "as JSON, for scripts");
  filtered(memory.command("list").description("list notes, newest first")).action(
    async (options: NotesOptions) =>
      (await import("./notes.ts")).listNotes(null, options, terminal),
  );
  filtered(
    memory
      .command("search")
      .description("list notes that hold one of these words, or are about such a person"),
  )
    .argument("<words>", "what to look for")
    .action(async (words: string, options: NotesOptions) =>
      (await import("./notes.ts")).listNotes(words, options, terminal),
    );
  withConfig(memory.command("show").description("show one note, and the episodes it rests on"))
    .argument("<id>", "number of the note", wholeNumber)
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, options: ChangeOptions) =>
      (await import("./notes.ts")).showNote(id, options, terminal),
    );
  withConfig(memory.command("candidates").description("what was offered, and why it was dropped"))
    .option("--reason <code>", "with one reason only, such as sensitive")
    .option("--limit <number>", "how many", atLeastOne, 40)
    .option("--json", "as JSON, for scripts")
    .action(async (options: CandidatesOptions) =>
      (await import("./candidates.ts")).listCandidates(options, terminal),
    );
}

function addFacts(memory: Command, terminal: Terminal): void {
  withConfig(memory.command("add").description("have a fact remembered by your own word"))
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
    .option("--json", "as JSON, for scripts")
    .action(async (fact: string, options: AddOptions) =>
      (await import("./note-changes.ts")).addNote(fact, options, terminal),
    );
  withConfig(
    memory
      .command("edit")
      .description("put a note right: what it says, or how much it counts and how long"),
  )
    .argument("<id>", "number of the note", wholeNumber)
    .argument("[fact]", "what is right, written in its place; @name stands for a person")
    .addOption(new Option("--importance <level>", "how much it counts").choices(IMPORTANCES))
    .addOption(new Option("--lifetime <time>", "how long it lives from now on").choices(LIFETIMES))
    .option("--json", "as JSON, for scripts")
    .action(async (id: number, fact: string | undefined, options: EditOptions) =>
      (await import("./note-changes.ts")).editNote({ id, fact }, options, terminal),
    );
}

const DECISIONS = [
  ["pin", "keep notes for good: they neither fade nor make room"],
  ["unpin", "let them fade again"],
  ["approve", "put notes that wait, or stand in the shadow, in force"],
  ["reject", "put notes out of force; they are not learned again"],
] as const;

function addDecisions(memory: Command, terminal: Terminal): void {
  changing(memory.command("forget").description("remove notes and every trace of what they say"))
    .argument("<ids...>", "numbers of the notes", wholeNumbers)
    .option("--yes", "do not ask")
    .action(async (ids: number[], options: ChangeOptions & { yes?: true }) => {
      await (await import("./confirm.ts")).confirmForget(ids, options, terminal);
      (await import("./note-changes.ts")).decide("forget", { ids, options }, terminal);
    });
  for (const [name, description] of DECISIONS) {
    changing(memory.command(name).description(description))
      .argument("<ids...>", "numbers of the notes", wholeNumbers)
      .action(async (ids: number[], options: ChangeOptions) =>
        (await import("./note-changes.ts")).decide(name, { ids, options }, terminal),
      );
  }
  changing(memory.command("supersede").description("let one note take the place of another"))
    .argument("<old>", "number of the note that goes", wholeNumber)
    .argument("<new>", "number of the active note that holds instead", wholeNumber)
    .action(async (oldId: number, newId: number, options: ChangeOptions) =>
      (await import("./note-changes.ts")).supersedeNote({ oldId, newId }, options, terminal),
    );
  changing(memory.command("undo").description("take the last decision about a note back"))
    .argument("<id>", "number of the note", wholeNumber)
    .option("--keep", "what had taken its place stays in force, too")
    .action(async (id: number, options: UndoOptions) =>
      (await import("./note-changes.ts")).undoDecision(id, options, terminal),
    );
}

function addAccounts(memory: Command, terminal: Terminal): void {
  changing(memory.command("merge").description("say that two accounts are one person"))
    .argument("<login>", "the account to merge, as a login or id:12345")
    .argument("<into>", "the person's main account")
    .action(async (login: string, into: string, options: ChangeOptions) =>
      (await import("./accounts.ts")).mergeAccounts({ login, into }, options, terminal),
    );
  changing(memory.command("separate").description("undo one merge"))
    .argument("<login>", "the account that was merged, as a login or id:12345")
    .argument("[from]", "the account it was merged into, where it was merged into several")
    .action(async (login: string, from: string | undefined, options: ChangeOptions) =>
      (await import("./accounts.ts")).separateAccount({ login, from }, options, terminal),
    );
  changing(memory.command("merges").description("list accounts that are one person")).action(
    async (options: ChangeOptions) => (await import("./accounts.ts")).listMerges(options, terminal),
  );
}

function changing(command: Command): Command {
  return withConfig(command).option("--json", "as JSON, for scripts");
}

function wholeNumbers(text: string, before: readonly number[] = []): number[] {
  return [...before, wholeNumber(text)];
}
