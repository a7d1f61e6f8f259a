import { accountStore } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { printable } from "../language/clean.ts";
import type { Decided } from "../memory/note-decisions-store.ts";
import type { Kept, NoteOperator } from "../memory/note-operator-store.ts";
import type { Importance, NoteLifetime } from "../memory/note-prompt.ts";
import type { ForgottenNote } from "../memory/removal-store.ts";
import { noteReviewStore } from "../memory/review-store.ts";
import type { Config } from "../platform/config/load.ts";
import type { NoteKind } from "../platform/config/names.ts";
import { openNoteOperator } from "../privacy/operator.ts";
import { plural } from "../telemetry/figures.ts";
import { tell } from "./command-options.ts";
import {
  type CommandOutput,
  channelName,
  noSuch,
  type Opened,
  type Options,
  withFolder,
} from "./open-folder.ts";
import { confirm, type Terminal, when } from "./terminal.ts";

interface AddOptions {
  readonly viewer?: string;
  readonly channel?: string;
  readonly scope?: "channel" | "bit";
  readonly kind?: NoteKind;
}

/** Has a fact remembered, by the streamer's own word. */
export function addNote(opened: Opened, text: string, options: AddOptions): CommandOutput {
  const { viewer, scope, kind = null } = options;
  if (viewer !== undefined && scope !== undefined) {
    throw wrongUse(
      "--viewer and --scope do not go together",
      "a note is about one person, or about the channel",
    );
  }
  const subjectId = viewer === undefined ? null : accountStore(opened.db).named(viewer).userId;
  const kept = openNoteOperator(opened).add({
    channel: channelOf(opened.config, options.channel),
    subjectId,
    scope: subjectId === null ? (scope ?? "channel") : "viewer",
    kind,
    text,
  });
  return { value: kept, text: keptLine(opened, kept) };
}

/** Writes a fact in the place of a note, or changes how much it counts and how long it lives; or both. */
export function editNote(
  opened: Opened,
  id: number,
  fact: string | undefined,
  { importance, lifetime }: { importance?: Importance; lifetime?: NoteLifetime },
): CommandOutput {
  const said = [
    ...when(importance !== undefined, `importance ${importance}`),
    ...when(lifetime !== undefined, `lifetime ${lifetime}`),
  ];
  if (fact === undefined && said.length === 0) {
    throw wrongUse("nothing to change", "give what is right, or --importance or --lifetime");
  }
  const operator = openNoteOperator(opened);
  const kept = fact === undefined ? null : operator.edit(id, fact);
  const noteId = kept?.id ?? id;
  if (said.length > 0) operator.adjust(noteId, { importance, lifetime });
  return {
    value: kept ?? { id: noteId, importance, lifetime },
    text: [
      ...(kept === null ? [] : [keptLine(opened, kept)]),
      ...when(said.length > 0, `note ${noteId} has ${said.join(" and ")} now`),
    ],
  };
}

/** Forgets notes and every trace of what they say, after a yes. */
export async function forgetNotes(
  ids: readonly number[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const said = withFolder(options.config, "read", ({ db, now }) => {
    const { note } = noteReviewStore(db, now());
    return ids.map((id) => {
      const there = note(id);
      if (there === null) throw noSuch("note", id, "memory list");
      return `  [${id}] ${printable(there.fact)}`;
    });
  });
  await confirm(
    ["To be forgotten, with every trace of what they say:", ...said],
    options,
    terminal,
  );
  const gone = withFolder(options.config, "change", (opened) =>
    openNoteOperator(opened).forget(ids),
  );
  tell(terminal, options, { value: gone, text: gone.map(forgottenLine) });
}

type Decide = (operator: NoteOperator, ids: readonly number[]) => Decided[];

const DECISIONS = {
  pin: ["is pinned: it stays until it is unpinned", ({ pin }, ids) => pin(ids, true)],
  unpin: ["is no longer pinned", ({ pin }, ids) => pin(ids, false)],
  approve: ["is approved and in force", ({ approve }, ids) => approve(ids)],
  reject: ["is rejected, and is not learned again", ({ reject }, ids) => reject(ids)],
} as const satisfies Readonly<Record<string, readonly [told: string, decide: Decide]>>;

/** Decides about several notes alike: all of them, or none where one cannot be. */
export function deciding(decision: keyof typeof DECISIONS) {
  const [told, decide] = DECISIONS[decision];
  return (opened: Opened, ids: readonly number[]): CommandOutput => {
    const decided = decide(openNoteOperator(opened), ids);
    return { value: decided, text: decided.map((one) => decidedLine(one, told)) };
  };
}

/** Lets one note take the place of another. */
export function supersedeNote(opened: Opened, oldId: number, newId: number): CommandOutput {
  const decided = openNoteOperator(opened).supersede(oldId, newId);
  const told = `stands behind note ${newId} now; \`forgetmenot memory undo ${oldId}\` brings it back`;
  return { value: decided, text: decidedLine(decided, told) };
}

/** Takes the last decision about a note back. */
export function undoDecision(opened: Opened, id: number, { keep }: { keep?: true }): CommandOutput {
  const decided = openNoteOperator(opened).undo(id, keep === true);
  return { value: decided, text: undoneLine(decided) };
}

function channelOf({ channels }: Config, asked: string | undefined): string {
  const named = asked === undefined ? undefined : channelName(asked);
  const fitting = named === undefined ? channels : channels.filter((one) => one === named);
  const [channel, ...others] = fitting;
  if (channel !== undefined && others.length === 0) return channel;
  throw wrongUse(
    named === undefined ? "which channel?" : `the bot is not in #${named}`,
    `say --channel with one of: ${channels.join(", ")}`,
  );
}

function keptLine({ db, now }: Opened, { id, isNew, superseded, evicted }: Kept): string {
  const fact = noteReviewStore(db, now()).note(id)?.fact ?? "";
  const how = isNew ? "" : " said so already and is confirmed";
  return [`note ${id}${how}: ${fact}`, ...besides(superseded, evicted)].join("; ");
}

function decidedLine({ id, restored, superseded, evicted }: Decided, told: string): string {
  const back = restored.filter((one) => one !== id);
  return [
    `note ${id} ${told}`,
    ...when(back.length > 0, `${notes(back)} in force again`),
    ...besides(superseded, evicted),
  ].join("; ");
}

/** Where what a note had replaced comes back, the note itself goes behind it, and is told of once. */
function undoneLine(decided: Decided): string {
  const { id, status, restored, superseded } = decided;
  if (!superseded.includes(id)) return decidedLine(decided, `is ${status} again`);
  const others = { ...decided, superseded: superseded.filter((one) => one !== id) };
  return decidedLine(others, `stands behind note ${restored.join(", ")} now`);
}

function besides(superseded: readonly number[], evicted: readonly number[]): string[] {
  return [
    ...when(superseded.length > 0, `${notes(superseded)} superseded`),
    ...when(evicted.length > 0, `${notes(evicted)} expired, to keep to the cap`),
  ];
}

function forgottenLine(forgotten: ForgottenNote): string {
  const [id, ...twins] = forgotten.notes;
  const verb = twins.length === 1 ? "is" : "are";
  return [
    `note ${id} is forgotten`,
    ...when(twins.length > 0, `so ${verb} ${twins.join(", ")}, which said the same`),
    `${plural(forgotten.claimsWithdrawn, "claim")} withdrawn`,
    `${plural(forgotten.summariesRewritten, "summary")} rewritten`,
  ].join("; ");
}

function notes(ids: readonly number[]): string {
  return ids.length === 1 ? `note ${ids.join("")} is` : `notes ${ids.join(", ")} are`;
}
