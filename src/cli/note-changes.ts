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
import { changing, channelName, type Opened, type Options, reading, tell } from "./open-folder.ts";
import { type ConfirmOptions, confirm, type Terminal } from "./terminal.ts";

export interface AddOptions extends Options {
  readonly viewer?: string;
  readonly channel?: string;
  readonly scope?: "channel" | "bit";
  readonly kind?: NoteKind;
}

export interface EditOptions extends Options {
  readonly importance?: Importance;
  readonly lifetime?: NoteLifetime;
}

export interface UndoOptions extends Options {
  readonly keep?: true;
}

/** Has a fact remembered, by the streamer's own word. */
export function addNote(text: string, options: AddOptions, terminal: Terminal): void {
  const { viewer, scope, kind = null } = options;
  if (viewer !== undefined && scope !== undefined) {
    throw wrongUse(
      "--viewer and --scope do not go together",
      "a note is about one person, or about the channel",
    );
  }
  working(options, (opened) => {
    const subjectId = viewer === undefined ? null : accountStore(opened.db).named(viewer).userId;
    const kept = opened.operator.add({
      channel: channelOf(opened.config, options.channel),
      subjectId,
      scope: subjectId === null ? (scope ?? "channel") : "viewer",
      kind,
      text,
    });
    tell(terminal, options, kept, () => keptLine(opened, kept));
  });
}

/** Writes a fact in the place of a note, or changes how much it counts and how long it lives; or both. */
export function editNote(
  { id, fact }: { readonly id: number; readonly fact: string | undefined },
  options: EditOptions,
  terminal: Terminal,
): void {
  const { importance, lifetime } = options;
  const isAdjusted = importance !== undefined || lifetime !== undefined;
  if (fact === undefined && !isAdjusted) {
    throw wrongUse("nothing to change", "give what is right, or --importance or --lifetime");
  }
  working(options, (opened) => {
    const kept = fact === undefined ? null : opened.operator.edit(id, fact);
    const noteId = kept?.id ?? id;
    if (isAdjusted) opened.operator.adjust(noteId, { importance, lifetime });
    const said = [importance && `importance ${importance}`, lifetime && `lifetime ${lifetime}`];
    const adjusted = isAdjusted
      ? [`note ${noteId} has ${said.filter(Boolean).join(" and ")} now`]
      : [];
    const lines = [...(kept === null ? [] : [keptLine(opened, kept)]), ...adjusted];
    tell(terminal, options, kept ?? { id: noteId, importance, lifetime }, () => lines);
  });
}

/** Forgets notes and every trace of what they say, after a yes. */
export async function forgetNotes(
  ids: readonly number[],
  options: Options & ConfirmOptions,
  terminal: Terminal,
): Promise<void> {
  const said = reading(options.config, ({ db, now }) => {
    const { note } = noteReviewStore(db, now());
    return ids.map((id) => `  [${id}] ${printable(note(id)?.fact ?? "there is no such note")}`);
  });
  await confirm(
    ["To be forgotten, with every trace of what they say:", ...said],
    options,
    terminal,
  );
  working(options, ({ operator }) => {
    const gone = operator.forget(ids);
    tell(terminal, options, gone, () => gone.map(forgottenLine));
  });
}

type Decision = keyof typeof TOLD;

/** Decides about several notes alike: all of them, or none where one cannot be. */
export function decideNotes(
  decision: Decision,
  { ids, options }: { readonly ids: readonly number[]; readonly options: Options },
  terminal: Terminal,
): void {
  working(options, ({ operator }) => {
    const decided = decideBy(operator, decision, ids);
    tell(terminal, options, decided, () => decided.map((one) => decidedLine(one, TOLD[decision])));
  });
}

/** Lets one note take the place of another. */
export function supersedeNote(
  { oldId, newId }: { readonly oldId: number; readonly newId: number },
  options: Options,
  terminal: Terminal,
): void {
  working(options, ({ operator }) => {
    const decided = operator.supersede(oldId, newId);
    tell(terminal, options, decided, () =>
      decidedLine(
        decided,
        `stands behind note ${newId} now; \`forgetmenot memory undo ${oldId}\` brings it back`,
      ),
    );
  });
}

/** Takes the last decision about a note back. */
export function undoDecision(id: number, options: UndoOptions, terminal: Terminal): void {
  working(options, ({ operator }) => {
    const decided = operator.undo(id, options.keep === true);
    tell(terminal, options, decided, () => undoneLine(decided));
  });
}

function channelOf({ channels }: Config, asked: string | undefined): string {
  const named = asked === undefined ? undefined : channelName(asked);
  const channel =
    channels.find((one) => one === named) ?? (named === undefined ? channels[0] : undefined);
  if (channel !== undefined && (named !== undefined || channels.length === 1)) return channel;
  throw wrongUse(
    named === undefined ? "which channel?" : `the bot is not in #${named}`,
    `say --channel with one of: ${channels.join(", ")}`,
  );
}

function decideBy(operator: NoteOperator, decision: Decision, ids: readonly number[]): Decided[] {
  switch (decision) {
    case "pin":
    case "unpin":
      return operator.pin(ids, decision === "pin");
    case "approve":
      return operator.approve(ids);
    case "reject":
      return operator.reject(ids);
  }
}

const TOLD = {
  pin: "is pinned: it stays until it is unpinned",
  unpin: "is no longer pinned",
  approve: "is approved and in force",
  reject: "is rejected, and is not learned again",
};

function working(
  { config }: Options,
  work: (opened: Opened & { readonly operator: NoteOperator }) => void,
): void {
  changing(config, (opened) => work({ ...opened, operator: openNoteOperator(opened) }));
}

function keptLine({ db, now }: Opened, { id, isNew, superseded, evicted }: Kept): string {
  const fact = noteReviewStore(db, now()).note(id)?.fact ?? "";
  const how = isNew
    ? `note ${id}: ${fact}`
    : `note ${id} said so already and is confirmed: ${fact}`;
  return [how, ...besides(superseded, evicted)].join("; ");
}

function decidedLine({ id, restored, superseded, evicted }: Decided, told: string): string {
  const back = restored.filter((one) => one !== id);
  return [
    `note ${id} ${told}`,
    ...(back.length === 0 ? [] : [`${notes(back)} in force again`]),
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
    ...(superseded.length === 0 ? [] : [`${notes(superseded)} superseded`]),
    ...(evicted.length === 0 ? [] : [`${notes(evicted)} expired, to keep to the cap`]),
  ];
}

function forgottenLine({
  notes: gone,
  claimsWithdrawn,
  summariesRewritten,
}: ForgottenNote): string {
  const [id, ...twins] = gone;
  return [
    `note ${id} is forgotten`,
    ...(twins.length === 0
      ? []
      : [`so ${twins.length === 1 ? "is" : "are"} ${twins.join(", ")}, which said the same`]),
    `${plural(claimsWithdrawn, "claim")} withdrawn`,
    `${plural(summariesRewritten, "summary")} rewritten`,
  ].join("; ");
}

function notes(ids: readonly number[]): string {
  return ids.length === 1 ? `note ${ids.join("")} is` : `notes ${ids.join(", ")} are`;
}
