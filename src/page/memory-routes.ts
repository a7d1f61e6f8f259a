import { z } from "zod";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { listStreams } from "../chat/channel-store.ts";
import { openAccountStore, openIdentityStore } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import { RuntimeStore } from "../database/runtime-store.ts";
import { makeUsageFault } from "../errors.ts";
import { EpisodeReview } from "../memory/episode-texts-store.ts";
import type { NoteOperator } from "../memory/note-operator.ts";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { countRemoved } from "../privacy/command-answers.ts";
import {
  exportText,
  forgetPerson,
  importText,
  makeViewerFile,
  openNoteOperator,
  recordOf,
} from "../privacy/operator.ts";
import { formatPlural } from "../telemetry/figures.ts";
import {
  defineRoute,
  findChannel,
  flag,
  listQuery,
  makeAbsent,
  makeChoice,
  ordinal,
  type PageData,
  type Route,
  rowId,
  shortText,
  viewerId,
} from "./api.ts";

export const notesQuery = listQuery.extend({
  q: z.string().max(200).default("").describe("Words of the fact, a name, or a number."),
  scope: makeChoice(NOTE_SCOPES),
  status: makeChoice(["all", ...NOTE_STATUSES]).describe("Default: active, shadow and pending."),
  kind: makeChoice(NOTE_KIND_NAMES),
  viewer: shortText.describe("A login, or `id:` and a Twitch user id, with that person's aliases."),
  channel: shortText,
});

/** Returns a page of notes. Throws a Fault if no viewer has the login. */
export function listNotes(data: PageData, query: z.output<typeof notesQuery>) {
  const { viewer } = query;
  const accounts = viewer === "" ? null : findAccounts(data, viewer);
  return data.notes.list({ ...query, accounts }, query);
}

/** Returns a note with its evidence. Throws a 404 for an unknown id. */
export function showNote({ notes }: PageData, id: number) {
  const found = notes.note(id);
  if (found === null) throw makeAbsent("note");
  return found;
}

/** The end of a page of viewers: the sort key, user id and login of its last row. */
const VIEWER_PLACE = /^(\d{1,15})\.([^.]{1,40})\.(.{0,60})$/u;

export const viewersQuery = listQuery.extend({
  q: shortText.describe("The first letters of the login."),
  channel: shortText.describe("Default: the first channel."),
  sort: makeChoice(["seen", "notes"]).describe("seen: last seen first; notes: most notes first."),
  only: makeChoice(["all", "notes"]).describe("notes: only viewers with notes."),
  after: z.string().regex(VIEWER_PLACE).optional().describe("`next` of the page before."),
});

/** Returns a page of viewers: last seen or most notes first; in a search, by login. */
export function listViewers(data: PageData, query: z.output<typeof viewersQuery>) {
  const { after = "", limit } = query;
  const channel = query.channel || (data.config.channels[0] ?? "");
  const [, place = Number.MAX_SAFE_INTEGER, userId = "", login = ""] =
    VIEWER_PLACE.exec(after) ?? [];
  const found = findViewers(
    data,
    { ...query, channel, limit: limit + 1 },
    { key: Number(place), userId, login },
  );
  const shown = found.slice(0, limit);
  const counts = data.notes.countsAbout(shown.map((one) => one.userId));
  const items = shown.flatMap(({ viewer }) =>
    viewer === undefined ? [] : [{ ...viewer, notes: counts.get(viewer.userId) ?? 0 }],
  );
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    items,
    next: last ? `${last.key}.${last.userId}.${last.viewer?.login ?? ""}` : null,
  };
}

/** Reads viewers with their sort keys. `viewer`: undefined for one with notes who was never seen in the channel. */
function findViewers(
  { viewers, notes }: PageData,
  { channel, q, sort, only, limit }: z.output<typeof viewersQuery>,
  after: { readonly key: number; readonly userId: string; readonly login: string },
) {
  const start = q.trim().replace(/^@/, "").toLowerCase();
  if (start !== "") {
    const found = viewers.byLogin(channel, start, after, limit);
    return found.map((viewer) => ({ key: 0, userId: viewer.userId, viewer }));
  }
  if (sort === "notes") {
    const most = notes.mostAbout(channel, { count: after.key, userId: after.userId }, limit);
    const seen = viewers.withIds(
      channel,
      most.map(({ userId }) => userId),
    );
    return most.map(({ userId, count }) => {
      return { key: count, userId, viewer: seen.find((one) => one.userId === userId) };
    });
  }
  const ids = only === "notes" ? notes.noted(channel) : null;
  const found = viewers.lastSeen(channel, { atMs: after.key, userId: after.userId }, limit, ids);
  return found.map((viewer) => ({ key: viewer.lastSeenAtMs, userId: viewer.userId, viewer }));
}

/** Returns everything stored about a person. Throws a 404 for an unknown user id. */
export function showViewer(data: PageData, userId: string, isNamingWanted = true) {
  const record = recordOf(data, userId, isNamingWanted);
  if (record.accounts.every(({ login }) => login === null)) throw makeAbsent("viewer");
  return record;
}

/** Returns an episode with its claims. Throws a 404 for an unknown id. */
export function showEpisode({ episodes }: PageData, id: number) {
  const found = episodes.episode(id);
  if (found === null) throw makeAbsent("episode");
  return found;
}

const REVIEWED = "page_reviewed";
const reviewedSchema = z.strictObject({ noteId: z.int() });

/** Returns the newest note that the streamer has marked as seen; 0 if there is none. */
export function getLastReviewedNoteId({ db, now }: PageData): number {
  return new RuntimeStore(db, now).read(REVIEWED, reviewedSchema)?.value.noteId ?? 0;
}

const fact = z.string().trim().min(1).max(400);
const newNote = z.strictObject({
  fact,
  viewer: shortText.describe("The viewer that it is about; default: the channel."),
  scope: z.enum(["channel", "bit"]).default("channel"),
  kind: makeChoice(NOTE_KIND_NAMES).describe("Default: read from its words."),
  channel: z.string().default("").describe("Default: the first channel."),
});
const noteChange = z.strictObject({
  fact: fact.optional().describe("The fact that replaces it."),
  pinned: flag.optional(),
  status: z
    .enum(["active", "rejected"])
    .optional()
    .describe("active approves it; rejected rejects it for good."),
  supersededBy: ordinal.optional().describe("The note that replaces it."),
  importance: makeChoice(IMPORTANCES),
  lifetime: makeChoice(LIFETIMES).describe("Its lifetime from now on."),
});
type NoteChange = z.output<typeof noteChange>;

const NOTE_ROUTES: readonly Route[] = [
  defineRoute("get /notes", "Notes, newest first", {
    input: { query: notesQuery },
    handle: (data, { query }) => listNotes(data, query),
  }),
  defineRoute("get /notes/:id", "A note with its evidence", {
    input: { params: rowId },
    handle: (data, { params }) => showNote(data, params.id),
  }),
  defineRoute("post /notes", "Store a fact of the streamer", {
    input: { body: newNote },
    handle: (data, { body: { fact: words, viewer, scope, kind, channel: name } }) => {
      const channel = findChannel(data, name);
      const place = { viewer: viewer || undefined, scope, kind: kind || null, channel };
      return withNotes(data, (notes) => notes.addTyped(words, place));
    },
    flash: ({ id, isNew }) =>
      isNew ? `Stored as note ${id}.` : `Note ${id} says so already. It is confirmed.`,
  }),
  defineRoute("post /notes/facts", "Store one fact a line, each pinned", {
    input: { body: z.strictObject({ text: z.string(), channel: shortText }) },
    handle: (data, { body: { text, channel: name } }) => {
      const channel = findChannel(data, name);
      return withNotes(data, (notes) => notes.addLines(text, { channel }));
    },
    flash: ({ ids, refused }) => {
      const stored = `${formatPlural(ids.length, "fact")} stored.`;
      const lines = refused.map(({ line, why }) => `Line ${line}: ${why}.`);
      return { text: [stored, ...lines].join(" "), isWrong: lines.length > 0 };
    },
  }),
  defineRoute("post /notes/bulk", "Approve, reject, pin or forget several notes: all or none", {
    input: {
      body: z.strictObject({
        ids: z.preprocess((ids) => [ids ?? []].flat(), z.array(ordinal).min(1)),
        what: z.enum(["approve", "reject", "pin", "forget"]),
      }),
    },
    handle: (data, { body: { ids, what } }) => {
      withNotes(data, (notes) => (what === "pin" ? notes.pin(ids, true) : notes[what](ids)));
      return { count: ids.length };
    },
    flash: ({ count }, { body: { what } }) => `${formatPlural(count, "note")} ${DONE[what]}.`,
  }),
  defineRoute("patch /notes/:id", "Edit, weigh, pin, approve, reject or replace a note", {
    input: { params: rowId, body: noteChange },
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => changeNote(notes, params.id, body)),
    flash: (done, { params, body }) => describeChange(params.id, done.id, body),
  }),
  defineRoute("post /notes/:id/undo", "Undo the last decision about a note", {
    input: { params: rowId, body: z.strictObject({ keep: flag.default(false) }) },
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => notes.undo(params.id, body.keep)),
    flash: ({ id, status }) => `Taken back: note ${id} is ${status}.`,
  }),
  defineRoute("delete /notes/:id", "Forget a note and every trace of its fact", {
    input: { params: rowId },
    handle: (data, { params }) => withNotes(data, (notes) => notes.forget([params.id])),
    flash: (_, { params }) => `Note ${params.id} is forgotten.`,
  }),
  defineRoute("post /notes/reviewed", "Mark every note up to this one as seen", {
    input: { body: z.strictObject({ noteId: z.coerce.number().int().min(0) }) },
    handle: (data, { body }) => {
      data.change(({ db, now }) => new RuntimeStore(db, now).write(REVIEWED, body));
      return body;
    },
    flash: () => "Done: only later notes count as new.",
  }),
];

const VIEWER_ROUTES: readonly Route[] = [
  defineRoute("get /viewers", "Viewers, last seen first", {
    input: { query: viewersQuery },
    handle: (data, { query }) => listViewers(data, query),
  }),
  defineRoute("get /viewers/:id", "Everything stored about a person, by Twitch user id", {
    input: { params: viewerId },
    handle: (data, { params }) => showViewer(data, params.id),
  }),
  defineRoute("get /viewers/:id/export", "The same as a file for that person, without chat", {
    input: { params: viewerId },
    handle: (data, { params }) => makeViewerFile(data, params.id),
  }),
  defineRoute("delete /viewers/:id", "Forget everything about a person", {
    input: { params: viewerId },
    handle: (data, { params }) => {
      const { userIds: _, ...removed } = data.change((work) => forgetPerson(work, params.id));
      return removed;
    },
    flash: (removed) => {
      const text = `Everything about them is forgotten: ${countRemoved(removed)}.`;
      return { text, goTo: "/memory" };
    },
  }),
  defineRoute("post /viewers/:id/merge", "Join two accounts of one person; the second leads", {
    input: { params: viewerId, body: z.strictObject({ into: z.string().trim().min(1).max(60) }) },
    handle: (data, { params, body }) => {
      const from = params.id;
      const into = openAccountStore(data.db).named(body.into).userId;
      if ([from, into].some((id) => recordOf(data, id, false).optedOut))
        throw makeUsageFault(
          "one of them opted out: nothing about them is stored or merged",
          "only they can opt in again, with !optin",
        );
      return {
        isMerged: data.change(({ db, now }) => openIdentityStore(db, now).merge(from, into)),
      };
    },
    flash: ({ isMerged }, { params }) => {
      if (!isMerged) return "These accounts were merged already.";
      const undo = { to: `post /api/viewers/${encodeURIComponent(params.id)}/separate` };
      return { text: "Two accounts, one person from now on.", undo };
    },
  }),
  defineRoute("post /viewers/:id/separate", "Undo a merge of this account; default: the latest", {
    input: { params: viewerId, body: z.strictObject({ from: shortText }) },
    handle: (data, { params, body }) => {
      const userId = params.id;
      const named = body.from === "" ? null : openAccountStore(data.db).named(body.from).userId;
      const isSeparated = data.change(({ db, now }) => {
        const identities = openIdentityStore(db, now);
        const from = named ?? identities.mergedInto(userId)[0];
        return from !== undefined && identities.separate(userId, from);
      });
      return { isSeparated };
    },
    flash: ({ isSeparated }) => (isSeparated ? "Separated again." : "This account was not merged."),
  }),
];

export const MEMORY_ROUTES: readonly Route[] = [
  ...NOTE_ROUTES,
  ...VIEWER_ROUTES,
  defineRoute("get /episodes", "Summaries of chat, newest first", {
    input: { query: listQuery.extend({ status: makeChoice(["pending", "done", "failed"]) }) },
    handle: ({ episodes }, { query }) => episodes.list(query),
  }),
  defineRoute("get /episodes/:id", "An episode with its people and claims", {
    input: { params: rowId },
    handle: (data, { params }) => showEpisode(data, params.id),
  }),
  defineRoute("post /episodes/:id/retry", "Try a failed or waiting episode again at once", {
    input: { params: rowId },
    handle: (data, { params }) => {
      return { isDue: data.change(({ db }) => new EpisodeReview(db).retry(params.id)) };
    },
    flash: ({ isDue }) =>
      isDue ? "It is tried again at once." : "There is nothing left to summarise.",
  }),
  defineRoute("get /streams", "Streams with their recaps, newest first", {
    input: { query: listQuery },
    handle: ({ db }, { query }) => listStreams(db, query),
  }),
  defineRoute("get /export", "All notes as an export file, or those about one person", {
    input: { query: z.object({ viewer: shortText.describe("A login, or `id:` and an id.") }) },
    handle: (data, { query: { viewer } }) => {
      const text = exportText(data, viewer === "" ? null : findAccounts(data, viewer));
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  }),
  defineRoute("post /import", "Import notes from an export file; dryRun only shows the result", {
    input: {
      query: z.object({ dryRun: flag.default(false) }),
      body: z.looseObject({ content: z.looseObject({}) }),
    },
    handle: (data, { query: { dryRun }, body }) => {
      const file = JSON.stringify(body);
      return { isDryRun: dryRun, ...data.change((work) => importText(work, file, dryRun)) };
    },
  }),
];

const DONE = { approve: "approved", reject: "rejected", pin: "pinned", forget: "forgotten" };

function withNotes<T>(data: PageData, work: (notes: NoteOperator) => T): T {
  return data.change((opened) => work(openNoteOperator(opened)));
}

function findAccounts({ db, now }: PageData, viewer: string) {
  return openIdentityStore(db, now).accountsOf(openAccountStore(db).named(viewer).userId);
}

function changeNote(notes: NoteOperator, id: number, change: NoteChange): { readonly id: number } {
  const { fact: text, pinned, status, supersededBy } = change;
  const importance = change.importance || undefined;
  const lifetime = change.lifetime || undefined;
  const given = [text, pinned, status, supersededBy, importance ?? lifetime];
  if (given.filter((one) => one !== undefined).length !== 1)
    throw makeUsageFault(
      "a change is one of fact, pinned, status, supersededBy, and importance with lifetime",
      "send them one after the other",
    );
  if (text !== undefined) return notes.edit(id, text);
  if (supersededBy !== undefined) return notes.supersede(id, supersededBy);
  if (pinned !== undefined) return notes.pin([id], pinned)[0] ?? { id };
  if (status === "active") return notes.approve([id])[0] ?? { id };
  if (status === "rejected") return notes.reject([id])[0] ?? { id };
  notes.adjust(id, { importance, lifetime });
  return { id };
}

function describeChange(id: number, doneId: number, { fact: text, pinned, status }: NoteChange) {
  if (pinned !== undefined) {
    const undo = { to: `patch /api/notes/${id}`, fields: { pinned: String(!pinned) } };
    return { text: `Note ${id} is ${pinned ? "pinned" : "no longer pinned"}.`, undo };
  }
  const undo = { to: `post /api/notes/${id}/undo` };
  if (text !== undefined) return { text: `Note ${doneId} replaces note ${id}.`, undo };
  if (status === "active") return { text: `Note ${id} is approved.`, undo };
  if (status === "rejected")
    return { text: `Note ${id} is rejected, and is not learned again.`, undo };
  return `Note ${id} is changed.`;
}
