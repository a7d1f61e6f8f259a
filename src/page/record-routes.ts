import { z } from "zod";
import { NOTE_KIND_LIST, NOTE_KINDS } from "../catalogue/note-kinds.ts";
import { candidateReview } from "../memory/candidate-store.ts";
import { reviewStore } from "../memory/episode-store.ts";
import { noteReviewStore } from "../memory/note-reads-store.ts";
import { outcomeWriter, readAnatomy } from "../reply/reply-view-store.ts";
import type { Trail } from "../reply/trail.ts";
import { choosePeriod, readReport } from "../telemetry/report-store.ts";
import { CALL, EPISODE, EVENT, REPLY, STREAM } from "./browse-store.ts";
import {
  absent,
  idIn,
  listQuery,
  oneOf,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";

/** A reply with what its prompt was made of, what it cost and what the notes in it say now. */
export function showReply({ db, browse, config, nowMs }: PageData, id: number) {
  const row = browse.reply(id);
  const anatomy = readAnatomy(db, { replyId: id, nowMs }, config.llm.prices);
  if (row === null || anatomy === null) throw absent("reply");
  return { ...row, ...anatomy };
}

export const repliesQuery = listQuery.extend({ state: shortText });

export const statsQuery = z.object({
  session: shortText.describe("A stream's number, or `last`."),
  since: shortText.describe("24h, 7d, or a day."),
  channel: shortText,
});

export const RECORD_ROUTES: readonly Route[] = [
  route("get /replies", "Replies and why others were not sent, newest first", {
    query: repliesQuery,
    items: REPLY.schema,
    handle: ({ browse }, { query }) => browse.replies(query),
  }),
  route("get /replies/:id", "A reply with its sections, ladder, candidates, cost and actions", {
    handle: (data, { params }) => showReply(data, idIn(params)),
  }),
  route("post /replies/:id/verdict", "Praise or fault a reply, as !good and !bad do in chat", {
    body: z.strictObject({ verdict: z.enum(["good", "bad"]) }),
    handle: (data, { params, body }) => {
      const replyId = idIn(params);
      if (data.browse.reply(replyId) === null) throw absent("reply");
      data.change(({ db, now }) => outcomeWriter(db)([{ replyId, kind: body.verdict }], now()));
      return body;
    },
    flash: ({ verdict }) => `Noted: that one was ${verdict}.`,
  }),
  route(
    "get /replies/:id/scenario",
    "A scenario for `eval` from the notes in a reply, without chat",
    {
      handle: (data, { params }) => scenarioOf(showReply(data, idIn(params)), data),
    },
  ),
  route("get /episodes", "Summaries of chat, newest first", {
    query: listQuery.extend({ status: oneOf(["pending", "done", "failed"]) }),
    items: EPISODE.schema,
    handle: ({ browse }, { query }) => browse.episodes(query),
  }),
  route("get /episodes/:id", "An episode with its people and claims", {
    handle: (data, { params }) => showEpisode(data, idIn(params)),
  }),
  route("post /episodes/:id/retry", "Try a failed or waiting episode again at once", {
    handle: (data, { params }) => ({
      isDue: data.change(({ db }) => reviewStore(db).retry(idIn(params))),
    }),
    flash: ({ isDue }) =>
      isDue ? "It is tried again at once." : "There is nothing left to summarise.",
  }),
  route("get /events", "Counts of chat events, and the newest, with texts while they live", {
    query: listQuery,
    items: EVENT.schema,
    handle: ({ browse }, { query }) => ({ kinds: browse.eventKinds(), ...browse.events(query) }),
  }),
  route("get /streams", "Streams with their recaps, newest first", {
    query: listQuery,
    items: STREAM.schema,
    handle: ({ browse }, { query }) => browse.streams(query),
  }),
  route("get /candidates", "What extraction offered in the last 30 days, newest first", {
    query: listQuery.pick({ limit: true }).extend({ reason: shortText }),
    handle: ({ db }, { query: { reason, limit } }) => ({
      items: candidateReview(db).list({ reason: reason || null, limit }),
    }),
  }),
  route("get /calls", "Calls to language models, newest first: tokens, time, money, outcome", {
    query: listQuery,
    items: CALL.schema,
    handle: ({ browse }, { query }) => browse.calls(query),
  }),
  route("get /stats", "The figures of `report --json`, of a stream or a time until now", {
    query: statsQuery,
    handle: (data, { query }) => readReport(data.db, periodOf(data, query), data.nowMs),
  }),
];

/** An episode with its claims. */
export function showEpisode({ db }: PageData, id: number) {
  const found = reviewStore(db).episode(id);
  if (found === null) throw absent("episode");
  return found;
}

/** The stream, or the time until now, that is asked for. */
export function periodOf({ db, nowMs }: PageData, query: z.output<typeof statsQuery>) {
  const { session, since, channel } = query;
  const asked = { session: session || null, since: since || null, channel: channel || null };
  return choosePeriod(db, asked, nowMs);
}

const ASKER = "asker";
const FACTS_MAX = 40;

/**
 * A scenario that asks again what a reply was asked: the notes that were weighed for it are given, and the question is
 * of the kind of the note that stood first. It is made of notes and codes alone: of what was said in chat, and by whom,
 * nothing is in it.
 */
function scenarioOf(
  { id, viewer, trail: read }: ReturnType<typeof showReply>,
  { db, nowMs }: PageData,
) {
  const trail: Trail | null = read.kind === "read" ? read.trail : null;
  const notes = noteReviewStore(db, nowMs);
  const facts = (trail?.notes.candidates ?? []).slice(0, FACTS_MAX).flatMap(({ id: noteId }) => {
    const note = notes.note(noteId);
    if (note === null || note.about === null) return [];
    return [{ noteId, kind: note.kind, fact: withoutName(note.fact, [note.about, viewer ?? ""]) }];
  });
  return {
    name: `reply-${id}`,
    about: `The notes that were weighed for reply ${id}, and a question of their kind.`,
    channel: "achannel",
    notes: "given",
    people: [{ login: ASKER, name: "Asker" }],
    sessions: [{ day: 0 }, { day: 1 }],
    facts: facts.map(({ noteId, kind, fact }) => ({
      id: `note-${noteId}`,
      about: ASKER,
      session: 0,
      fact,
      note: { kind },
    })),
    questions: facts.slice(0, 1).map(({ noteId, kind }) => ({
      by: ASKER,
      text: questionFor(kind),
      needs: [`note-${noteId}`],
      sessions: [1],
    })),
  };
}

function questionFor(kind: string): string {
  return (NOTE_KIND_LIST.find(([name]) => name === kind)?.[1] ?? NOTE_KINDS.profile).question;
}

/** A fact of a scenario is a sentence without its subject. */
function withoutName(fact: string, names: readonly string[]): string {
  return names
    .filter((name) => name !== "")
    .reduce((text, name) => text.replaceAll(name, "").trim(), fact)
    .replace(/\s+/g, " ");
}
