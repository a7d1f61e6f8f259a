import { z } from "zod";
import { ActionReview } from "../actions/ledger-store.ts";
import { type ListedStream, listStreams } from "../chat/channel-store.ts";
import type { EpisodeView } from "../memory/episode-texts-store.ts";
import { listFreeKinds } from "../memory/note-settings.ts";
import type { ReplyView } from "../reply/reply-view-store.ts";
import { count } from "../telemetry/figures.ts";
import { countMemoryChanges, readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
  periodText,
  type ReportPart,
} from "../telemetry/report-table.ts";
import { drawReplies, drawUsedNote } from "./answers-view.ts";
import { defineView, ordinal, type PageData, type View } from "./api.ts";
import { drawBulkBar, drawNotes, UNPROVEN_HINT } from "./memory-view.ts";
import {
  act,
  bar,
  choose,
  empty,
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

/** The notes and answers to check after a stream. */
export const REVIEW: readonly View[] = [
  defineView("/review", { query: reviewQuery }, (data, { query: { session } }) => {
    const after = session === undefined ? undefined : session + 1;
    const [stream] = listStreams(data.db, { after, limit: 1 }).items;
    const rest = { hasKeys: true, shown: drawReview(data, stream) };
    const live = ["notes", "replies", "episodes"] as const;
    if (stream === undefined) return { title: "Review", live, ...rest, lead: NO_STREAM };
    const { id, channel, startedAtMs, endedAtMs } = stream;
    const lead = [`#${channel}, `, time(startedAtMs), endedAtMs === null && ", still on"];
    return { title: "Review", heading: `After stream ${id}`, live, ...rest, lead };
  }),
];

function drawReview(data: PageData, stream: ListedStream | undefined) {
  const { db, notes, now, nowMs, config } = data;
  const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
  const toMs = stream?.endedAtMs ?? nowMs;
  const channels = stream === undefined ? config.channels : [stream.channel];
  const replies = data.replies.between(fromMs, toMs);
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
    "wait for you": toReview < COUNTED_MAX ? toReview : `${COUNTED_MAX} or more`,
  }).map(([label, value]) => html`<li><b>${value}</b><span>${label}</span></li>`);
  const toCheck = selectRepliesToReview(replies, new ActionReview(db, now).correctedReplies());
  const newest = { noteId: `${notes.newestId()}` };
  const allSeen = act("post /api/notes/reviewed", "All seen", { fields: newest, look: "quiet" });
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
          `${count(regulars)} waiting for regulars: chat uses a note once viewers who come often say the same, or once you approve.`,
        ),
    ),
    part(
      "Answers to check",
      toCheck.length === 0 && empty(NO_REPLIES),
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

/** Draws the sentences of a summary that only unknown viewers support, each with a button that stores it as a note. */
function drawUnproven({ id, topic, endedAtMs, unproven }: EpisodeView) {
  const sentences = unproven.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence !== "");
  const drawn = sentences.map((fact) => {
    const keep = act("post /api/notes", "Keep it", { fields: { fact } });
    return html`<div class="row between"><p class="fact">${fact}</p>${keep}</div>`;
  });
  const about = meta(link(`/memory/episodes/${id}`, topic || "chat"), time(endedAtMs));
  return html`<li id="unproven-${id}">${about}${drawn}</li>`;
}

/** Draws the notes of an answer's prompt, each with a button that rejects it; null if it had none. */
function drawNotesBehind(data: PageData, replyId: number) {
  const notes = showReply(data, replyId).facts.filter(({ isKept }) => isKept);
  if (notes.length === 0) return null;
  const label = notes.length === 1 ? "The note it saw" : `The ${notes.length} notes it saw`;
  return html`<details id="behind-${replyId}" class="behind">
    <summary class="small soft">${label}</summary>
    ${list(notes, "", (note) => html`<li>${drawUsedNote(note)}</li>`)}</details>`;
}

const UNWELCOME: Readonly<Record<string, string>> = {
  deleted: "A moderator removed it",
  timed_out: "The viewer was timed out",
  bad: "It got a thumb down",
};
const SHOWN_MAX = 12;
const FIRST = "First of its kind";

/**
 * Returns at most 12 replies of a period to check, each with the reason: removed, disliked, corrected in the next turn,
 * or stopped by the guard. After them, the first of each way of ending, but no refusal. Replies to one viewer with the
 * same reason count once. `corrected` are replies in whose turn the viewer corrected a note.
 */
export function selectRepliesToReview(
  replies: readonly ReplyView[],
  corrected: ReadonlySet<number>,
) {
  const kinds = new Set<string>();
  const nextOf = new Map<number, number>();
  const newest = new Map<string, number>();
  for (const { id, userId } of replies.toReversed()) {
    nextOf.set(id, newest.get(userId) ?? 0);
    newest.set(userId, id);
  }
  const whyOf = (reply: ReplyView): readonly [rank: number, why: string] | null => {
    const kind = `${reply.state} ${reply.reason ?? reply.trigger}`;
    const isFirst = !kinds.has(kind);
    kinds.add(kind);
    const disliked = Object.keys(UNWELCOME).find((one) => reply.outcomes.includes(one));
    if (disliked !== undefined) return [0, UNWELCOME[disliked] ?? ""];
    if (corrected.has(nextOf.get(reply.id) ?? 0)) return [1, "They corrected it"];
    if (reply.reason?.startsWith("guard_") === true) return [2, "Its words were stopped"];
    return isFirst && reply.state !== "refused" ? [3, FIRST] : null;
  };
  // Five of one viewer that ended alike are one thing to check.
  const found = new Map<string, { rank: number; reply: ReplyView; why: string }>();
  for (const reply of replies) {
    const [rank, why] = whyOf(reply) ?? [];
    if (rank === undefined || why === undefined) continue;
    const key = `${why} ${why === FIRST ? reply.id : reply.userId}`;
    if (!found.has(key)) found.set(key, { rank, reply, why });
  }
  return [...found.values()].toSorted((one, other) => one.rank - other.rank).slice(0, SHOWN_MAX);
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
        choose("Stream", "session", asked.session, [["", "the last one"], ...sessions]),
        choose("Or a time until now", "since", asked.since, SPANS),
      ),
      streams.length === 0 && empty(NO_REPORT),
      html`<div id="figures"><div class="columns">${summary.map(drawReportPart)}</div>
        ${foldAway("numbers", "Numbers for engineers", numbers)}</div>`,
    ];
    const lead = periodText(report.period);
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
