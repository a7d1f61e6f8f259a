import { countMemoryChanges } from "../telemetry/report-store.ts";
import { drawReplies, drawUsedNote } from "./answers-view.tsx";
import { showReply } from "./bot-routes.ts";
import { type ListedStream, type ReplyEnd, readNotes } from "./browse-store.ts";
import { getLastReviewed } from "./memory-routes.ts";
import { drawNotes } from "./memory-view.tsx";
import { act, empty, list, more, part, Time } from "./parts.tsx";
import type { PageData, Views } from "./route.ts";

const NO_STREAM =
  "After a stream, approve notes and rate answers here. Until then, this is the last day.";
/** Without a stream, the last day is shown. */
const DAY_MS = 86_400_000;
const NOTES_SHOWN = 50;
/** The tally of waiting notes ends here. */
const COUNTED_MAX = 100;

/** The notes and answers to check after a stream. */
export const REVIEW: Views = {
  "/review": (data, { query }) => {
    const session = Number(query["session"] ?? Number.NaN);
    const after = Number.isSafeInteger(session) ? session + 1 : undefined;
    const [stream] = data.browse.streams({ after, limit: 1 }).items;
    const shown = drawReview(data, stream);
    const rest = {
      title: "Review",
      hasKeys: true,
      live: ["notes", "replies", "episodes"],
    } as const;
    if (stream === undefined) return { ...rest, lead: NO_STREAM, shown };
    const state = stream.endedAtMs === null ? ", still on" : "";
    const lead = [`#${stream.channel}, `, <Time ms={stream.startedAtMs} />, state];
    return { ...rest, heading: `After stream ${stream.id}`, lead, shown };
  },
};

function drawReview(data: PageData, stream: ListedStream | undefined) {
  const { db, browse, nowMs, config } = data;
  const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
  const toMs = stream?.endedAtMs ?? nowMs;
  const channels = stream === undefined ? config.channels : [stream.channel];
  const replies = browse.repliesBetween(fromMs, toMs);
  const { waiting, newSince, newestNoteId } = readNotes(data);
  const fresh = newSince(getLastReviewed(data), fromMs, NOTES_SHOWN);
  const { toReview } = browse.tallies();
  const memory = countMemoryChanges(db, { channels, fromMs, toMs });
  const figures = {
    answers: replies.filter(({ state }) => state === "sent").length,
    learned: memory.notesMade,
    confirmed: memory.notesConfirmed,
    corrected: memory.notesSuperseded,
    forgot: memory.notesEvicted,
    "wait for you": toReview < COUNTED_MAX ? toReview : `${COUNTED_MAX} or more`,
  };
  const seen = { fields: { noteId: String(newestNoteId()) }, look: "quiet" } as const;
  const toCheck = selectRepliesToReview(replies, browse.corrected());
  return (
    <>
      {stream?.recap != null && <p class="note-card quote">{stream.recap}</p>}
      <ul class="figures">
        {Object.entries(figures).map(([label, value]) => (
          <li>
            <b>{value}</b>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      {part(
        "Notes that wait for you",
        drawNotes(
          waiting(NOTES_SHOWN),
          "None. Notes that the bot is not sure about wait here for your yes or no.",
        ),
        toReview > NOTES_SHOWN && (
          <p class="more soft">
            These are the oldest {NOTES_SHOWN}; the next come as you judge them.
          </p>
        ),
      )}
      {part(
        "Answers to check",
        toCheck.length === 0 &&
          empty("No answers to check. Answers that were removed, disliked or corrected show here."),
        toCheck.map(({ reply: { id }, why }) => [
          <h3>{why}</h3>,
          drawReplies(
            [browse.reply(id)].filter((one) => one !== null),
            "",
          ),
          drawNotesBehind(data, id),
        ]),
      )}
      <section>
        <div class="row between">
          <h2>New in memory</h2>
          {fresh.length > 0 && act("post /api/notes/reviewed", "All seen", seen)}
        </div>
        {drawNotes(fresh, "Nothing that you have not seen.")}
        {more(
          fresh.length < NOTES_SHOWN ? null : "/memory/notes",
          `These are the newest ${NOTES_SHOWN}; all notes`,
        )}
      </section>
    </>
  );
}

/** Draws the notes of an answer's prompt, each with a button that rejects it. */
function drawNotesBehind(data: PageData, replyId: number) {
  const notes = showReply(data, replyId).facts.filter(({ isKept }) => isKept);
  if (notes.length === 0) return null;
  const label = notes.length === 1 ? "The note it saw" : `The ${notes.length} notes it saw`;
  return (
    <details id={`behind-${replyId}`} class="behind">
      <summary class="small soft">{label}</summary>
      {list(notes, "", (note) => (
        <li>{drawUsedNote(note)}</li>
      ))}
    </details>
  );
}

const UNWELCOME: Readonly<Record<string, string>> = {
  deleted: "A moderator removed it",
  timed_out: "The viewer was timed out",
  bad: "It got a thumb down",
};
const SHOWN_MAX = 12;
const FIRST = "First of its kind";

/**
 * Returns the replies of a period to check: removed, disliked, corrected in the next turn, stopped by the guard, and the
 * first of each way of ending. `corrected` are replies in whose turn the viewer corrected a note.
 */
export function selectRepliesToReview(
  replies: readonly ReplyEnd[],
  corrected: ReadonlySet<number>,
) {
  const kinds = new Set<string>();
  const nextOf = new Map<number, number>();
  const newest = new Map<string, number>();
  for (const { id, userId } of replies.toReversed()) {
    nextOf.set(id, newest.get(userId) ?? 0);
    newest.set(userId, id);
  }
  const whyOf = (reply: ReplyEnd): readonly [rank: number, why: string] | null => {
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
  const found = new Map<string, { rank: number; reply: ReplyEnd; why: string }>();
  for (const reply of replies) {
    const [rank, why] = whyOf(reply) ?? [];
    if (rank === undefined || why === undefined) continue;
    const key = `${why} ${why === FIRST ? reply.id : reply.userId}`;
    if (!found.has(key)) found.set(key, { rank, reply, why });
  }
  return [...found.values()].toSorted((one, other) => one.rank - other.rank).slice(0, SHOWN_MAX);
}
