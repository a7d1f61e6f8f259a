import { z } from "zod";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import type { NoteOperator } from "../memory/note-operator-store.ts";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { noteReviewStore } from "../memory/review-store.ts";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_STATUSES } from "../platform/config/names.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { NOTE, notesIn, wordSearch } from "./browse-notes-store.ts";
import {
  absent,
  channelIn,
  flag,
  idIn,
  listOf,
  listQuery,
  oneOf,
  operator,
  ordinal,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";

const noteDetail = z.looseObject({
  id: z.int(),
  fact: z.string(),
  status: z.enum(NOTE_STATUSES),
  evidenceRows: z.array(
    z.looseObject({ episodeId: z.int(), topic: z.string(), claim: z.string().nullable() }),
  ),
  superseded: z.array(z.int()),
  successors: z.array(z.int()),
});
const changed = z.looseObject({ id: z.int() });

export const notesQuery = listQuery.extend({
  q: z.string().max(200).default("").describe("Words of the fact, a name, or a number."),
  scope: oneOf(NOTE_SCOPES),
  status: oneOf(["all", ...NOTE_STATUSES]).describe("Nothing: active, shadow and pending."),
  kind: oneOf(NOTE_KINDS),
  viewer: shortText.describe(
    "A login, or `id:` and a Twitch user id; with the other accounts of that person.",
  ),
  channel: shortText,
});

export type NotesQuery = z.output<typeof notesQuery>;

/** A page of notes. A login that nobody has gives none. */
export async function listNotes(data: PageData, query: NotesQuery) {
  const { q, viewer } = query;
  const accounts = identityStore(data.db, () => data.nowMs);
  const subjects =
    viewer === "" ? "" : JSON.stringify(accounts.accountsOf(subjectOf(data, viewer)));
  return notesIn(data).notes({ ...query, subjects }, q.trim() === "" ? null : await wordSearch(q));
}

/** A note with what it rests on. */
export function showNote({ db, nowMs }: PageData, id: number) {
  const found = noteReviewStore(db, nowMs).note(id);
  if (found === null) throw absent("note");
  return found;
}

const UNDO = (id: number) => ({ to: `post /api/notes/${id}/undo` });

const REVIEWED = "page_reviewed";
const reviewedSchema = z.strictObject({ noteId: z.int() });

/** The newest note that the streamer said to have seen; 0 for none. */
export function lastReviewed({ db, nowMs }: PageData): number {
  return runtimeStore(db, () => nowMs).read(REVIEWED, reviewedSchema)?.value.noteId ?? 0;
}

const newNote = z.strictObject({
  fact: z.string().trim().min(1).max(400),
  viewer: shortText.describe("Whom it is about; nothing: the channel."),
  scope: z.enum(["channel", "bit"]).default("channel"),
  kind: oneOf(NOTE_KINDS).describe("Nothing: read from its words."),
  channel: z.string().default("").describe("Nothing: the first channel."),
});
const noteChange = z.strictObject({
  fact: z.string().trim().min(1).max(400).optional().describe("What is to stand in its place."),
  pinned: flag.optional(),
  status: z
    .enum(["active", "rejected"])
    .optional()
    .describe("active approves it, rejected rejects it for good."),
  supersededBy: ordinal.optional().describe("The note that takes its place."),
  importance: oneOf(IMPORTANCES).describe("How much it counts."),
  lifetime: oneOf(LIFETIMES).describe("How long it lives from now on."),
});

export const NOTE_ROUTES: readonly Route[] = [
  route("get /notes", "Notes, newest first", {
    query: notesQuery,
    answer: listOf(NOTE.schema),
    handle: (data, { query }) => listNotes(data, query),
  }),
  route("get /notes/:id", "A note with the chain of what it rests on", {
    answer: noteDetail,
    handle: (data, { params }) => showNote(data, idIn(params)),
  }),
  route("post /notes", "Keep a fact by the streamer's word", {
    body: newNote,
    answer: changed,
    handle: async (data, { body }) => {
      const subjectId = body.viewer === "" ? null : subjectOf(data, body.viewer);
      const channel = channelIn(data, body.channel);
      return withNotes(data, (notes) =>
        notes.add({
          channel,
          subjectId,
          scope: subjectId === null ? body.scope : "viewer",
          kind: body.kind || null,
          text: body.fact,
        }),
      );
    },
    told: ({ id, isNew }) =>
      isNew ? `Kept, as note ${id}.` : `Note ${id} said so already, and is confirmed.`,
  }),
  route(
    "patch /notes/:id",
    "Edit, weigh, pin, approve or reject a note, or put another in its place",
    {
      body: noteChange,
      answer: changed,
      handle: (data, { params, body }) =>
        withNotes(data, (notes) => changeNote(notes, idIn(params), body)),
      told: (done, { params, body }) => toldOf(Number(params["id"]), done.id, body),
    },
  ),
  route("post /notes/:id/undo", "Take the last decision about a note back", {
    body: z.strictObject({ keep: flag.default(false) }),
    answer: changed,
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => notes.undo(idIn(params), body.keep)),
    told: ({ id, status }) => `Taken back: note ${id} is ${status}.`,
  }),
  route("delete /notes/:id", "Forget a note and every trace of what it says", {
    answer: z.array(changed),
    handle: (data, { params }) => withNotes(data, (notes) => notes.forget([idIn(params)])),
    told: (_, { params }) => `Note ${params["id"]} is forgotten.`,
  }),
  route("post /notes/reviewed", "Say that every note so far was looked at", {
    body: z.strictObject({ noteId: z.coerce.number().int().min(0) }),
    answer: z.strictObject({ noteId: z.int() }),
    handle: (data, { body }) => {
      data.change(({ db, now }) => runtimeStore(db, now).write(REVIEWED, body));
      return body;
    },
    told: () => "Done: only what comes from now on is new.",
  }),
];

type NoteChange = z.output<typeof noteChange>;

/** Works on the notes as a command beside the daemon does. */
async function withNotes<T>(data: PageData, work: (notes: NoteOperator) => T): Promise<T> {
  const { openNoteOperator } = await operator();
  return data.change((opened) => work(openNoteOperator(opened)));
}

function changeNote(
  notes: NoteOperator,
  id: number,
  { fact, pinned, status, supersededBy, ...rest }: NoteChange,
): { readonly id: number } {
  const importance = rest.importance || undefined;
  const lifetime = rest.lifetime || undefined;
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

function toldOf(id: number, doneId: number, { fact, pinned, status, ...rest }: NoteChange) {
  if (rest.importance !== "" || rest.lifetime !== "")
    return { text: `Note ${id} counts and lives as you say.` };
  if (fact !== undefined)
    return { text: `Note ${doneId} stands in the place of note ${id}.`, undo: UNDO(id) };
  if (pinned !== undefined) {
    const undo = { to: `patch /api/notes/${id}`, fields: { pinned: String(!pinned) } };
    return { text: `Note ${id} is ${pinned ? "pinned" : "no longer pinned"}.`, undo };
  }
  if (status === undefined)
    return { text: `Note ${id} stands behind another now.`, undo: UNDO(id) };
  const what = status === "active" ? "approved" : "rejected, and is not learned again";
  return { text: `Note ${id} is ${what}.`, undo: UNDO(id) };
}

function subjectOf({ db }: PageData, viewer: string): string {
  return accountStore(db).named(viewer).userId;
}
