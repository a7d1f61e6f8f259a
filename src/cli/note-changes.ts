import { accountStore } from "../chat/account-store.ts";
import { Fault } from "../errors.ts";
import type { Decided } from "../memory/note-decisions-store.ts";
import type { ForgottenNote } from "../memory/note-forget-store.ts";
import type { Kept, NoteOperator } from "../memory/note-operator-store.ts";
import type { Importance, Lifetime } from "../memory/note-prompt.ts";
import { noteReviewStore } from "../memory/note-review-store.ts";
import type { Config } from "../platform/config/load.ts";
import type { NoteKind } from "../platform/config/names.ts";
import { type ChangeOptions, type Desk, withOperator } from "./operator-service.ts";
import type { Terminal } from "./terminal.ts";

export interface AddOptions extends ChangeOptions {
  readonly viewer?: string;
  readonly channel?: string;
  readonly scope?: "channel" | "bit";
  readonly kind?: NoteKind;
}

export interface EditOptions extends ChangeOptions {
  readonly importance?: Importance;
  readonly lifetime?: Lifetime;
}

export interface UndoOptions extends ChangeOptions {
  readonly keep?: true;
}

/** Has a fact remembered, by the streamer's own word. */
export function addNote(text: string, options: AddOptions, terminal: Terminal): void {
  const { viewer, scope, kind = null } = options;
  if (viewer !== undefined && scope !== undefined) {
    throw new Fault("--viewer and --scope do not go together", {
      code: "usage",
      mend: "a note is about one person, or about the channel",
    });
  }
  withOperator(options, (desk) => {
    const subjectId = viewer === undefined ? null : accountStore(desk.db).named(viewer).userId;
    const kept = desk.operator.add({
      channel: channelOf(desk.config, options.channel),
      subjectId,
      scope: subjectId === null ? (scope ?? "channel") : "viewer",
      kind,
      text,
    });
    tell(terminal, options, kept, [keptLine(desk, kept)]);
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
    throw new Fault("nothing to change", {
      code: "usage",
      mend: "give what is right, or --importance or --lifetime",
    });
  }
  withOperator(options, (desk) => {
    const kept = fact === undefined ? null : desk.operator.edit(id, fact);
    const noteId = kept?.id ?? id;
    if (isAdjusted) desk.operator.adjust(noteId, { importance, lifetime });
    const said = [importance && `importance ${importance}`, lifetime && `lifetime ${lifetime}`];
    const adjusted = isAdjusted
      ? [`note ${noteId} has ${said.filter(Boolean).join(" and ")} now`]
      : [];
    const lines = [...(kept === null ? [] : [keptLine(desk, kept)]), ...adjusted];
    tell(terminal, options, kept ?? { id: noteId, importance, lifetime }, lines);
  });
}

type Decision = "pin" | "unpin" | "approve" | "reject" | "forget";

/** Decides about several notes alike: all of them, or none where one cannot be. */
export function decide(
  decision: Decision,
  { ids, options }: { readonly ids: readonly number[]; readonly options: ChangeOptions },
  terminal: Terminal,
): void {
  withOperator(options, ({ operator }) => {
    if (decision === "forget") {
      const gone = operator.forget(ids);
      return tell(terminal, options, gone, gone.map(forgottenLine));
    }
    const decided = decideBy(operator, decision, ids);
    tell(
      terminal,
      options,
      decided,
      decided.map((one) => decidedLine(one, TOLD[decision])),
    );
  });
}

/** Lets one note take the place of another. */
export function supersedeNote(
  { oldId, newId }: { readonly oldId: number; readonly newId: number },
  options: ChangeOptions,
  terminal: Terminal,
): void {
  withOperator(options, ({ operator }) => {
    const decided = operator.supersede(oldId, newId);
    tell(terminal, options, decided, [
      decidedLine(
        decided,
        `stands behind note ${newId} now; \`memory undo ${oldId}\` brings it back`,
      ),
    ]);
  });
}

/** Takes the last decision about a note back. */
export function undoDecision(id: number, options: UndoOptions, terminal: Terminal): void {
  withOperator(options, ({ operator }) => {
    const decided = operator.undo(id, options.keep === true);
    tell(terminal, options, decided, [undoneLine(decided)]);
  });
}

function channelOf({ channels }: Config, asked: string | undefined): string {
  const named = asked?.toLowerCase().replace(/^#/, "");
  const channel =
    channels.find((one) => one === named) ?? (named === undefined ? channels[0] : undefined);
  if (channel !== undefined && (named !== undefined || channels.length === 1)) return channel;
  throw new Fault(named === undefined ? "which channel?" : `the bot is not in #${named}`, {
    code: "usage",
    mend: `say --channel with one of: ${channels.join(", ")}`,
  });
}

function decideBy(
  operator: NoteOperator,
  decision: Exclude<Decision, "forget">,
  ids: readonly number[],
): Decided[] {
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

const TOLD: Readonly<Record<Exclude<Decision, "forget">, string>> = {
  pin: "is pinned: it stays until it is unpinned",
  unpin: "is no longer pinned",
  approve: "is approved and in force",
  reject: "is rejected, and is not learned again",
};

function tell(
  terminal: Terminal,
  { json }: ChangeOptions,
  value: unknown,
  lines: readonly string[],
): void {
  terminal.print(json === true ? JSON.stringify(value, null, 2) : lines.join("\n"));
}

function keptLine({ db }: Desk, { id, isNew, superseded, evicted }: Kept): string {
  const fact = noteReviewStore(db).note(id)?.fact ?? "";
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
    `${counted(claimsWithdrawn, "claim", "claims")} withdrawn`,
    `${counted(summariesRewritten, "summary", "summaries")} rewritten`,
  ].join("; ");
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function notes(ids: readonly number[]): string {
  return ids.length === 1 ? `note ${ids.join("")} is` : `notes ${ids.join(", ")} are`;
}
