import { z } from "zod";
import { actionReview } from "../actions/action-review-store.ts";
import { reviewStore } from "../memory/memory-review-store.ts";
import { noteReviewStore } from "../memory/note-review-store.ts";
import { dollarsOf, priceOf } from "../platform/models/prices.ts";
import { replyAnatomy } from "../reply/anatomy-store.ts";
import { choosePeriod } from "../telemetry/period-store.ts";
import { outcomeStore } from "../telemetry/replies-store.ts";
import { readReport } from "../telemetry/report.ts";
import { absent, type Desk, idIn, listOf, listQuery, type Route, route, timeMs } from "./desk.ts";
import { scenarioOf } from "./scenario-file.ts";

const reply = z.looseObject({
  id: z.int(),
  channel: z.string(),
  viewer: z.string().nullable(),
  trigger: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  createdAtMs: timeMs,
  latencyMs: z.int().nullable(),
  text: z.string().nullable().describe("Lives 24 hours."),
  question: z.string().nullable().describe("As long as that line of chat is kept."),
  outcomes: z.array(z.string()),
});

/** A reply with what its prompt was made of, what it cost and what the notes in it say now. */
export function showReply({ db, browse, config }: Desk, id: number) {
  const row = browse.reply(id);
  const anatomy = replyAnatomy(db)(id);
  if (row === null || anatomy === null) throw absent("reply");
  const trail = anatomy.trail.kind === "read" ? anatomy.trail.trail : null;
  const price = trail?.model == null ? null : priceOf(trail.model, config.llm.prices);
  const notes = noteReviewStore(db);
  const facts = (trail?.notes.candidates ?? []).map(({ id: noteId }) => {
    const note = notes.note(noteId);
    return { id: noteId, fact: note?.fact ?? null, status: note?.status ?? null };
  });
  return {
    ...row,
    ...anatomy,
    dollars:
      price === null || trail === null ? null : dollarsOf(price, trail, trail.estimatedTokens),
    facts,
  };
}

const REPLY_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/replies",
    summary: "What was answered, what was not and why, newest first",
    query: listQuery.extend({ state: z.string().max(20).default("") }),
    answer: listOf(reply),
    handle: ({ browse }, { query }) =>
      browse.replies(query.state === "" ? null : query.state, query.after ?? null, query.limit),
  }),
  route({
    method: "get",
    path: "/replies/:id",
    summary: "A reply with its anatomy: sections, ladder, candidates, cost, actions",
    answer: reply,
    handle: (desk, { params }) => showReply(desk, idIn(params)),
  }),
  route({
    method: "post",
    path: "/replies/:id/verdict",
    summary: "Praise a reply or fault it, as !good and !bad do in chat",
    body: z.strictObject({ verdict: z.enum(["good", "bad"]) }),
    answer: z.strictObject({ verdict: z.string() }),
    handle: (desk, { params, body }) => {
      const replyId = idIn(params);
      if (desk.browse.reply(replyId) === null) throw absent("reply");
      desk.change(({ db, now }) => outcomeStore(db).add([{ replyId, kind: body.verdict }], now()));
      return body;
    },
    told: ({ verdict }) => `Noted: that one was ${verdict}.`,
  }),
  route({
    method: "get",
    path: "/replies/:id/scenario",
    summary:
      "A scenario for `eval` made of the notes that stood in a reply, without a word of chat",
    answer: z.looseObject({ name: z.string() }),
    handle: (desk, { params }) => scenarioOf(showReply(desk, idIn(params)), desk),
  }),
];

const episode = z.looseObject({
  id: z.int(),
  channel: z.string(),
  kind: z.string(),
  startedAtMs: timeMs,
  endedAtMs: timeMs,
  topic: z.string(),
  summary: z.string(),
  status: z.string(),
});

/** An episode with its claims. */
export function showEpisode({ db }: Desk, id: number) {
  const found = reviewStore(db).episode(id);
  if (found === null) throw absent("episode");
  return found;
}

const EPISODE_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/episodes",
    summary: "Summaries of chat, newest first",
    query: listQuery.extend({ status: z.enum(["", "pending", "done", "failed"]).default("") }),
    answer: listOf(episode),
    handle: ({ browse }, { query: { after, status, limit } }) =>
      browse.episodes(after ?? null, status === "" ? null : status, limit),
  }),
  route({
    method: "get",
    path: "/episodes/:id",
    summary: "An episode with its people and claims",
    answer: episode,
    handle: (desk, { params }) => showEpisode(desk, idIn(params)),
  }),
  route({
    method: "post",
    path: "/episodes/:id/retry",
    summary: "Have an episode that failed, or waits, done at once",
    answer: z.strictObject({ isDue: z.boolean() }),
    handle: (desk, { params }) => ({
      isDue: desk.change(({ db }) => reviewStore(db).retry(idIn(params))),
    }),
    told: ({ isDue }) =>
      isDue ? "It is tried again at once." : "There is nothing left to summarise.",
  }),
  route({
    method: "get",
    path: "/events",
    summary: "What happened in chat: counts, and the newest, with texts while they live",
    query: listQuery,
    answer: z.object({
      kinds: z.array(z.strictObject({ kind: z.string(), count: z.int(), withText: z.int() })),
      items: z.array(z.looseObject({ id: z.int(), kind: z.string(), text: z.string().nullable() })),
      next: z.string().nullable(),
    }),
    handle: ({ browse }, { query }) => ({
      kinds: browse.eventKinds(),
      ...browse.events(query.after ?? null, query.limit),
    }),
  }),
];

export const actionsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  decision: z.enum(["", "run", "refuse", "hold", "dry_run"]).default(""),
  reason: z.string().max(60).default(""),
  requester: z.string().max(60).default("").describe("A login."),
});
const DAY_MS = 86_400_000;
const COUNTED_DAYS = 7;

/** The ledger's latest lines, and what was decided in the last week. */
export function listActions({ db, nowMs }: Desk, query: z.output<typeof actionsQuery>) {
  const { decision, reason, requester, limit } = query;
  const review = actionReview(db, () => nowMs);
  const sinceMs = nowMs - COUNTED_DAYS * DAY_MS;
  return {
    items: review.list({
      ...(decision === "" ? {} : { decision }),
      ...(reason === "" ? {} : { reason }),
      ...(requester === "" ? {} : { requester }),
      limit,
    }),
    byReason: review.countsByReason(sinceMs),
    refusedByRequester: review.refusedByRequester(sinceMs),
  };
}

const ACTION_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/actions",
    summary: "What was proposed and what was decided about it, newest first",
    query: actionsQuery,
    answer: z.object({
      items: z.array(z.looseObject({ id: z.int(), action: z.string(), decision: z.string() })),
      byReason: z.array(z.looseObject({})),
      refusedByRequester: z.array(z.looseObject({})),
    }),
    handle: (desk, { query }) => listActions(desk, query),
  }),
  route({
    method: "post",
    path: "/actions/:id/answer",
    summary: "Answer a proposal that waits for the streamer; the bot judges it once more",
    body: z.strictObject({ answer: z.enum(["approve", "refuse"]) }),
    answer: z.strictObject({ answer: z.string() }),
    handle: (desk, { params, body }) => {
      const isTaken = desk.change(({ db, now }) =>
        actionReview(db, now).answer(idIn(params), body.answer),
      );
      if (!isTaken) throw absent("proposal that waits");
      return body;
    },
    told: ({ answer }) => (answer === "approve" ? "Approved." : "Refused."),
  }),
];

export const statsQuery = z.object({
  session: z.string().max(20).default("").describe("A stream's number, or `last`."),
  since: z.string().max(40).default("").describe("24h, 7d, or a day."),
  channel: z.string().max(60).default(""),
});

/** The figures of `report --json`. */
export function readStats({ db, nowMs }: Desk, query: z.output<typeof statsQuery>) {
  const orNull = (text: string) => (text === "" ? null : text);
  const asked = {
    session: orNull(query.session),
    since: orNull(query.since),
    channel: orNull(query.channel),
  };
  return readReport(db, choosePeriod(db, asked, nowMs), nowMs);
}

const STATS_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/stats",
    summary: "The figures of a stream, or of a time until now: the same as `report --json`",
    query: statsQuery,
    answer: z.looseObject({ version: z.int(), period: z.looseObject({}) }),
    handle: (desk, { query }) => readStats(desk, query),
  }),
];

export const RECORD_ROUTES: readonly Route[] = [
  ...REPLY_ROUTES,
  ...EPISODE_ROUTES,
  ...ACTION_ROUTES,
  ...STATS_ROUTES,
];
