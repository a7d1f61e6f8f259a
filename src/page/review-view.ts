import { z } from "zod";
import { ActionReview } from "../actions/ledger-store.ts";
import { type ListedStream, listStreams } from "../chat/channel-store.ts";
import type { EpisodeView } from "../memory/episode-texts-store.ts";
import { listFreeKinds } from "../memory/note-settings.ts";
import type { ReplyView } from "../reply/reply-view-store.ts";
import { formatCount } from "../telemetry/figures.ts";
import { countMemoryChanges, readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatPeriod,
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
  type ReportPart,
} from "../telemetry/report-table.ts";
import { drawReplies, drawUsedNote } from "./answers-view.ts";
import { defineView, ordinal, type PageData, type View } from "./api.ts";
import { drawBulkBar, drawNotes, drawStream, UNPROVEN_HINT } from "./memory-view.ts";
import {
  act,
  bar,
  emptyText,
  facts,
  foldAway,
  hint,
  html,
  link,
  list,
  meta,
  more,
  part,
  search,
  selectField,
  time,
} from "./parts.ts";
import { findPeriod, getLastReviewedNoteId, showReply, statsQuery } from "./routes.ts";

const NO_STREAM =
  "After a stream, approve notes and rate answers here. Until then, this is the last day.";
const NOTHING_WAITS = "None. Notes that the bot is not sure about wait here for your yes or no.";
const NO_REPLIES =
  "No answers to check. Answers that were removed, disliked or corrected show here.";
/** The time until now that is shown without a stream. */
const DAY_MS = 86_400_000;
const NOTES_SHOWN = 50;
const UNPROVEN_SHOWN = 20;
/** The tally of waiting notes ends here. */
const COUNTED_MAX = 100;

const reviewQuery = z.object({ session: ordinal.optional() });

/** The notes and answers to check after a stream; default: the last one. */
export const REVIEW: readonly View[] = [
  defineView("/review", { query: reviewQuery }, (data, { query: { session } }) => {
    const after = session && session + 1;
    const [stream] = listStreams(data.db, { after, limit: 1 }).items;
    return {
      title: "Review",
      heading: stream ? `After stream ${stream.id}` : "Review",
      lead: stream ? drawStream(stream) : NO_STREAM,
      live: ["notes", "replies", "episodes"],
      hasKeys: true,
      shown: drawReview(data, stream),
    };
  }),
];

/** Draws what to check after a stream; undefined: the last day. New notes that were marked as seen are left out. */
function drawReview(data: PageData, stream: ListedStream | undefined) {
  const { db, notes, now, nowMs, config } = data;
  const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
  const toMs = stream?.endedAtMs ?? nowMs;
  const channels = stream === undefined ? config.channels : [stream.channel];
  const replies = data.replies.between(channels, fromMs, toMs);
  const unseen = notes.since(getLastReviewedNoteId(data), fromMs, NOTES_SHOWN);
  const toReview = notes.countToReview();
  const regulars = notes.countWaitingForRegulars(listFreeKinds(config.memory));
  const memory = countMemoryChanges(db, { channels, fromMs, toMs });
  const figures = Object.entries({
    answers: replies.filter(({ state }) => state === "sent").length,
    learned: memory.notesMade,
    confirmed: memory.notesConfirmed,
    corrected: memory.notesSuperseded,
    forgot: memory.notesEvicted,
    "wait for you": toReview === COUNTED_MAX ? `${COUNTED_MAX} or more` : toReview,
  }).map(([label, value]) => html`<li><b>${value}</b><span>${label}</span></li>`);
  const toCheck = selectRepliesToReview(replies, new ActionReview(db, now).listCorrectedReplies());
  const newest = { noteId: `${notes.newestId()}` };
  const allSeen = act("post /api/notes/reviewed", "All seen", {
    fields: newest,
    cssClass: "quiet",
  });
  const theNext = `These are the oldest ${NOTES_SHOWN}; the next come as you judge them.`;
  return [
    stream?.recap != null && html`<p class="note-card quote">${stream.recap}</p>`,
    html`<ul class="figures">${figures}</ul>`,
    part(
      "Notes that wait for you",
      drawNotes(notes.waiting(NOTES_SHOWN), NOTHING_WAITS),
      toReview > NOTES_SHOWN && html`<p class="more soft">${theNext}</p>`,
      regulars > 0 &&
        hint(
          `${formatCount(regulars)} waiting for regulars: chat uses a note once viewers who come often say the same, or once you approve.`,
        ),
    ),
    part(
      "Answers to check",
      toCheck.length === 0 && emptyText(NO_REPLIES),
      toCheck.map(({ reply: { id }, why }) => {
        const reply = data.replies.reply(id);
        return [
          html`<h3>${why}</h3>`,
          drawReplies(reply === null ? [] : [reply], ""),
          drawNotesBehind(data, id),
        ];
      }),
    ),
    html`<section>
      <div class="row between"><h2>New in memory</h2>${unseen.length > 0 && allSeen}</div>
      ${drawNotes(unseen, "Nothing that you have not seen.")}
      ${
        unseen.length === NOTES_SHOWN &&
        more("/memory/notes", `These are the newest ${NOTES_SHOWN}; all notes`)
      }</section>`,
    part(
      "Said by newcomers",
      UNPROVEN_HINT,
      list(
        data.episodes.unproven(UNPROVEN_SHOWN),
        "None. If only newcomers say something, it shows here, and you can keep it.",
        drawUnproven,
      ),
    ),
    drawBulkBar(),
  ];
}

/** Draws the sentences of a summary that only newcomers support. A button stores one as a note about the channel. */
function drawUnproven({ id, topic, endedAtMs, unproven }: EpisodeView) {
  const sentences = unproven.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence !== "");
  const drawn = sentences.map((fact) => {
    const keep = act("post /api/notes", "Keep it", { fields: { fact } });
    return html`<div class="row between"><p class="fact">${fact}</p>${keep}</div>`;
  });
  const about = meta(link(`/memory/episodes/${id}`, topic || "chat"), time(endedAtMs));
  return html`<li id="unproven-${id}">${about}${drawn}</li>`;
}

/** Draws the notes that an answer's prompt had, each with a button that rejects it if it is active; null for none. */
function drawNotesBehind(data: PageData, replyId: number) {
  const notes = showReply(data, replyId).facts.filter(({ isKept }) => isKept);
  if (notes.length === 0) return null;
  const label = notes.length === 1 ? "The note it saw" : `The ${notes.length} notes it saw`;
  return html`<details id="behind-${replyId}" class="behind">
    <summary class="small soft">${label}</summary>
    ${list(notes, "", (note) => html`<li>${drawUsedNote(note)}</li>`)}</details>`;
}

/** Outcomes that call for a check, worst first. */
const UNWELCOME = [
  ["deleted", "A moderator removed it"],
  ["timed_out", "The viewer was timed out"],
  ["bad", "It got a thumb down"],
] as const;
const SHOWN_MAX = 12;

/**
 * Returns at most 12 replies to check, each with the reason: removed, followed by a timeout, disliked, corrected in the
 * viewer's next turn, or stopped by the guard. Returns one for each reason and viewer, then the first reply of each kind
 * that is not there yet, sent or not, but none that was refused. `replies` begins with the oldest. `corrections` are the
 * ids of replies in whose turn the viewer corrected a note.
 */
export function selectRepliesToReview(
  replies: readonly ReplyView[],
  corrections: ReadonlySet<number>,
) {
  const lastOf = new Map<string, number>();
  const corrected = new Set<number | undefined>();
  for (const { id, userId } of replies) {
    if (corrections.has(id)) corrected.add(lastOf.get(userId));
    lastOf.set(userId, id);
  }
  const findProblem = ({ id, outcomes, reason }: ReplyView) => {
    const [, unwelcome] = UNWELCOME.find(([outcome]) => outcomes.includes(outcome)) ?? [];
    if (unwelcome !== undefined) return { rank: 0, why: unwelcome };
    if (corrected.has(id)) return { rank: 1, why: "They corrected it" };
    return reason?.startsWith("guard_") ? { rank: 2, why: "Its words were stopped" } : null;
  };
  const found: { rank: number; why: string; reply: ReplyView }[] = [];
  const seen = new Set<string>();
  for (const reply of replies) {
    const { state, reason, trigger, userId } = reply;
    const kind = `${state} ${reason ?? trigger}`;
    const problem = findProblem(reply);
    const key = problem === null ? kind : `${problem.why} ${userId}`;
    const isKnown = seen.has(key);
    seen.add(kind).add(key);
    if (isKnown) continue;
    if (problem !== null) found.push({ ...problem, reply });
    else if (state !== "refused") found.push({ rank: 3, why: "First of its kind", reply });
  }
  return found.toSorted((one, other) => one.rank - other.rank).slice(0, SHOWN_MAX);
}

const STREAMS_SHOWN = 50;
const SPANS = [
  ["", "—"],
  ["1h", "an hour"],
  ["24h", "a day"],
  ["7d", "a week"],
  ["30d", "a month"],
] as const;
const NO_REPORT =
  "No stream was seen yet. Go live on Twitch: its report shows here. Until then, this is the last day.";

/** The report of a stream, or of a time until now. */
export const REPORT: readonly View[] = [
  defineView("/report", { query: statsQuery }, (data, { query: asked }) => {
    const period = findPeriod(data, asked);
    const report = readReport(data.db, period, data.nowMs);
    const story = readStory(data.db, period, data.nowMs);
    const streams = listStreams(data.db, { limit: STREAMS_SHOWN }).items;
    const sessions = streams.map(({ id, channel }) => [`${id}`, `${id}, #${channel}`] as const);
    const summary = makeSummaryParts(report, story);
    const figures = makeNumberParts(report).map(drawReportPart);
    const numbers = html`<div class="columns">${figures}</div>`;
    const shown = [
      search(
        "/report",
        selectField("Stream", "session", asked.session, [["", "the last one"], ...sessions]),
        selectField("Or a time until now", "since", asked.since, SPANS),
      ),
      streams.length === 0 && emptyText(NO_REPORT),
      html`<div id="figures"><div class="columns">${summary.map(drawReportPart)}</div>
        ${foldAway("numbers", "Numbers for engineers", numbers)}</div>`,
    ];
    const lead = formatPeriod(report.period);
    return { title: "Report", heading: formatTitle(period), lead, shown };
  }),
];

const PLACES = { reply: "/replies/", note: "/memory/notes/" } as const;

/** Draws a part of a report, with links to its notes and replies. */
function drawReportPart({ name, rows }: ReportPart) {
  const longest = Math.max(...rows.map((row) => row.bar ?? 0), 1e-9);
  const drawn = rows.map(({ label, text, bar: value, link: to }) => {
    // A terminal has no links: there the label is the number alone.
    const shown = label.startsWith("[") && to ? `${to.of} ${to.id}` : label;
    const linked = to ? link(`${PLACES[to.of]}${to.id}`, shown) : shown;
    return [linked, [text, value !== undefined && bar(value / longest)]] as const;
  });
  return part(name, facts(drawn));
}
