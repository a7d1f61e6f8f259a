import { z } from "zod";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { runtimeStore } from "../database/runtime-store.ts";
import { wrongUse } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import type { NoteOperator } from "../memory/note-operator.ts";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { noteReviewStore } from "../memory/note-reads-store.ts";
import { addFact, addFacts } from "../memory/typed-facts.ts";
import { openNoteOperator } from "../privacy/operator.ts";
import { bareWords } from "../privacy/unname-store.ts";
import { plural } from "../telemetry/figures.ts";
import { NOTE, notesIn } from "./browse-store.ts";
import {
  absent,
  channelIn,
  flag,
  idIn,
  listQuery,
  oneOf,
  ordinal,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";

export const notesQuery = listQuery.extend({
  q: z.string().max(200).default("").describe("Words of the fact, a name, or a number."),
  scope: oneOf(NOTE_SCOPES),
  status: oneOf(["all", ...NOTE_STATUSES]).describe("Nothing: active, shadow and pending."),
  kind: oneOf(NOTE_KIND_NAMES),
  viewer: shortText.describe(
    "A login, or `id:` and a Twitch user id; with the other accounts of that person.",
  ),
  channel: shortText,
});

/** A page of notes. Throws a Fault for a login that nobody has. */
export function listNotes(data: PageData, query: z.output<typeof notesQuery>) {
  const { viewer } = query;
  const accounts = identityStore(data.db, () => data.nowMs);
  const subjects =
    viewer === "" ? "" : JSON.stringify(accounts.accountsOf(subjectOf(data, viewer)));
  return notesIn(data).notes({ ...query, subjects });
}

/** A note with its evidence. */
export function showNote({ db, nowMs }: PageData, id: number) {
  const found = noteReviewStore(db, nowMs).note(id);
  if (found === null) throw absent("note");
  return found;
}

const REVIEWED = "page_reviewed";
const reviewedSchema = z.strictObject({ noteId: z.int() });

/** The newest note that the streamer has marked as seen; 0 for none. */
export function lastReviewed({ db, nowMs }: PageData): number {
  return runtimeStore(db, () => nowMs).read(REVIEWED, reviewedSchema)?.value.noteId ?? 0;
}

const newNote = z.strictObject({
  fact: z.string().trim().min(1).max(400),
  viewer: shortText.describe("Whom it is about; nothing: the channel."),
  scope: z.enum(["channel", "bit"]).default("channel"),
  kind: oneOf(NOTE_KIND_NAMES).describe("Nothing: read from its words."),
  channel: z.string().default("").describe("Nothing: the first channel."),
});
const noteChange = z.strictObject({
  fact: z.string().trim().min(1).max(400).optional().describe("What replaces it."),
  pinned: flag.optional(),
  status: z
    .enum(["active", "rejected"])
    .optional()
    .describe("active approves it, rejected rejects it for good."),
  supersededBy: ordinal.optional().describe("The note that replaces it."),
  importance: oneOf(IMPORTANCES).describe("How much it counts."),
  lifetime: oneOf(LIFETIMES).describe("How long it lives from now on."),
});
type NoteChange = z.output<typeof noteChange>;

export const NOTE_ROUTES: readonly Route[] = [
  route("get /notes", "Notes, newest first", {
    query: notesQuery,
    items: NOTE.schema,
    handle: (data, { query }) => listNotes(data, query),
  }),
  route("get /notes/:id", "A note with the chain of what it rests on", {
    handle: (data, { params }) => showNote(data, idIn(params)),
  }),
  route("post /notes", "Keep a fact by the streamer's word", {
    body: newNote,
    handle: (data, { body: { fact, viewer, scope, kind, channel: name } }) => {
      const place = { viewer: viewer || undefined, scope, kind: kind || null };
      const channel = channelIn(data, name);
      return withNotes(data, (notes, db) => addFact(notes, db, fact, { ...place, channel }));
    },
    flash: ({ id, isNew }) =>
      isNew ? `Stored as note ${id}.` : `Note ${id} said so already. It is confirmed.`,
  }),
  route("post /notes/facts", "Keep one fact a line by the streamer's word, each pinned", {
    body: z.strictObject({ text: z.string(), channel: shortText }),
    handle: (data, { body: { text, channel } }) =>
      withNotes(data, (notes, db) =>
        addFacts(notes, db, text, { channel: channelIn(data, channel) }),
      ),
    flash: ({ ids, refused }) => ({
      text: [
        `${plural(ids.length, "fact")} stored.`,
        ...refused.map(({ line, why }) => `Line ${line}: ${why}.`),
      ].join(" "),
      isWrong: refused.length > 0,
    }),
  }),
  route("post /notes/bulk", "Approve, reject, pin or forget several notes: all of them or none", {
    body: z.strictObject({
      ids: z.preprocess(
        (ids) => [ids ?? []].flat(),
        z.array(z.coerce.number().int().min(1)).min(1),
      ),
      what: z.enum(["approve", "reject", "pin", "forget"]),
    }),
    handle: (data, { body: { ids, what } }) => {
      withNotes(data, (notes) => (what === "pin" ? notes.pin(ids, true) : notes[what](ids)));
      return { count: ids.length };
    },
    flash: ({ count }, { body: { what } }) => `${plural(count, "note")} ${DONE[what]}.`,
  }),
  route("post /bare-words", "Sentences that hold a word, whole; to check what a forget left", {
    body: z.strictObject({
      login: z
        .string()
        .trim()
        .regex(/^@?[\p{L}\p{N}_]{1,60}$/u),
    }),
    handle: ({ db, browse }, { body: { login } }) => {
      const word = login.replace(/^@/, "");
      const found = bareWords(db)(word).map(({ of, id, text }) => ({
        of,
        id,
        text: fillNames(text, browse.nameOf),
      }));
      const lines = found.map(({ of, id, text }) => `${of} ${id}: ${text}`);
      const none = "No note and no summary has this word.";
      return { found, text: lines.length === 0 ? none : lines.join("\n") };
    },
    flash: ({ text }) => text,
  }),
  route("patch /notes/:id", "Edit, weigh, pin, approve, reject or replace a note", {
    body: noteChange,
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => changeNote(notes, idIn(params), body)),
    flash: (done, { params, body }) => changeText(Number(params["id"]), done.id, body),
  }),
  route("post /notes/:id/undo", "Undo the last decision about a note", {
    body: z.strictObject({ keep: flag.default(false) }),
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => notes.undo(idIn(params), body.keep)),
    flash: ({ id, status }) => `Taken back: note ${id} is ${status}.`,
  }),
  route("delete /notes/:id", "Forget a note and every trace of what it says", {
    handle: (data, { params }) => withNotes(data, (notes) => notes.forget([idIn(params)])),
    flash: (_, { params }) => `Note ${params["id"]} is forgotten.`,
  }),
  route("post /notes/reviewed", "Mark every note up to this one as seen", {
    body: z.strictObject({ noteId: z.coerce.number().int().min(0) }),
    handle: (data, { body }) => {
      data.change(({ db, now }) => runtimeStore(db, now).write(REVIEWED, body));
      return body;
    },
    flash: () => "Done: only later notes count as new.",
  }),
];

const DONE = {
  approve: "approved",
  reject: "rejected",
  pin: "pinned",
  forget: "forgotten",
} as const;

function withNotes<T>(data: PageData, work: (notes: NoteOperator, db: Db) => T): T {
  return data.change((opened) => work(openNoteOperator(opened), opened.db));
}

function changeNote(notes: NoteOperator, id: number, change: NoteChange): { readonly id: number } {
  const { fact, pinned, status, supersededBy } = change;
  const importance = change.importance || undefined;
  const lifetime = change.lifetime || undefined;
  const weighed = importance ?? lifetime;
  const asked = [fact, pinned, status, supersededBy, weighed].filter((one) => one !== undefined);
  if (asked.length !== 1)
    throw wrongUse(
      "a change is one of fact, pinned, status, supersededBy, and importance with lifetime",
      "send them one after the other",
    );
  if (weighed !== undefined) {
    notes.adjust(id, { importance, lifetime });
    return { id };
  }
  if (fact !== undefined) return notes.edit(id, fact);
  if (supersededBy !== undefined) return notes.supersede(id, supersededBy);
  if (pinned !== undefined) return notes.pin([id], pinned)[0] ?? { id };
  return (status === "active" ? notes.approve([id]) : notes.reject([id]))[0] ?? { id };
}

function changeText(id: number, doneId: number, change: NoteChange) {
  const { fact, pinned, status } = change;
  if (change.importance !== "" || change.lifetime !== "")
    return `Note ${id} has a new importance or lifetime.`;
  if (pinned !== undefined) {
    const undo = { to: `patch /api/notes/${id}`, fields: { pinned: String(!pinned) } };
    return { text: `Note ${id} is ${pinned ? "pinned" : "no longer pinned"}.`, undo };
  }
  const undo = { to: `post /api/notes/${id}/undo` };
  if (fact !== undefined) return { text: `Note ${doneId} replaces note ${id}.`, undo };
  if (status === undefined) return { text: `Note ${id} is replaced.`, undo };
  const done = status === "active" ? "approved" : "rejected, and is not learned again";
  return { text: `Note ${id} is ${done}.`, undo };
}

function subjectOf({ db }: PageData, viewer: string): string {
  return accountStore(db).named(viewer).userId;
}
