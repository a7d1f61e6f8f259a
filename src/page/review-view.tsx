import { memoryChanges } from "../telemetry/report-store.ts";
import { replyList, usedNote } from "./answers-view.tsx";
import { type ListedStream, notesIn, type ReplyRow } from "./browse-store.ts";
import { noteList } from "./memory-view.tsx";
import { lastReviewed } from "./notes-routes.ts";
import { act, Empty, list, more, Part, When } from "./parts.tsx";
import { showReply } from "./record-routes.ts";
import type { PageData, Views } from "./route.ts";

/** Without a stream the last day is shown. */
const DAY_MS = 86_400_000;
const NOTES_SHOWN = 50;
/** More are not counted. */
const COUNTED_MAX = 100;

/** What to check after a stream, in five minutes. */
export const REVIEW: Views = {
  "/review": (data, { query }) => {
    const session = Number(query["session"] ?? Number.NaN);
    const after = Number.isSafeInteger(session) ? session + 1 : undefined;
    const [stream] = data.browse.streams({ after, limit: 1 }).items;
    const lead = stream && (
      <>
        #{stream.channel}, <When ms={stream.startedAtMs} />
        {stream.endedAtMs === null ? ", still on" : ""}
      </>
    );
    return {
      title: "Review",
      heading: stream === undefined ? "Review" : `After stream ${stream.id}`,
      ...(lead === undefined ? {} : { lead }),
      hasKeys: true,
      live: ["notes", "replies", "episodes"],
      shown: <ReviewView data={data} stream={stream} />,
    };
  },
};

function ReviewView({ data, stream }: { data: PageData; stream: ListedStream | undefined }) {
  const { db, browse, nowMs, config } = data;
  const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
  const toMs = stream?.endedAtMs ?? nowMs;
  const channels = stream === undefined ? config.channels : [stream.channel];
  const replies = browse.repliesBetween(fromMs, toMs);
  const { waiting, newSince, newestNoteId } = notesIn(data);
  const fresh = newSince(lastReviewed(data), fromMs, NOTES_SHOWN);
  const { toReview } = browse.tallies();
  const memory = memoryChanges(db, { channels, fromMs, toMs }, nowMs);
  const figures = {
    answers: replies.filter(({ state }) => state === "sent").length,
    learned: memory.notesMade,
    confirmed: memory.notesConfirmed,
    corrected: memory.notesSuperseded,
    forgot: memory.notesEvicted,
    "wait for you": toReview < COUNTED_MAX ? toReview : `${COUNTED_MAX} or more`,
  };
  const seen = { fields: { noteId: String(newestNoteId()) }, look: "quiet" } as const;
  const worth = repliesToReview(replies, browse.corrected());
  return (
    <>
      {stream?.recap == null ? null : <p class="note-card quote">{stream.recap}</p>}
      <ul class="figures">
        {Object.entries(figures).map(([label, value]) => (
          <li>
            <b>{value}</b>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      <Part title="Notes that wait for you">
        {noteList(waiting(NOTES_SHOWN), "None. What the bot is not sure about waits here.")}
        {toReview <= NOTES_SHOWN ? null : (
          <p class="more soft">
            These are the oldest {NOTES_SHOWN}; the next come as you judge them.
          </p>
        )}
      </Part>
      <Part title="Answers to check">
        {worth.length === 0 ? (
          <Empty>
            No answers to check. Answers that were removed, disliked or corrected show here.
          </Empty>
        ) : null}
        {worth.map(({ reply, why }) => (
          <>
            <h3>{why}</h3>
            {replyList([reply], "")}
            {notesBehind(data, reply.id)}
          </>
        ))}
      </Part>
      <section>
        <div class="row between">
          <h2>New in memory</h2>
          {fresh.length === 0 ? null : act("post /api/notes/reviewed", "All seen", seen)}
        </div>
        {noteList(fresh, "Nothing that you have not seen.")}
        {more(
          fresh.length < NOTES_SHOWN ? null : "/memory/notes",
          `These are the newest ${NOTES_SHOWN}; all notes`,
        )}
      </section>
    </>
  );
}

/** The notes in an answer's prompt, each with a button to reject it. */
function notesBehind(data: PageData, replyId: number) {
  const notes = showReply(data, replyId).facts.filter(({ isKept }) => isKept);
  const label = notes.length === 1 ? "The note it saw" : `The ${notes.length} notes it saw`;
  return notes.length === 0 ? null : (
    <details id={`behind-${replyId}`} class="behind">
      <summary class="small soft">{label}</summary>
      {list(notes, "", (note) => (
        <li>{usedNote(note)}</li>
      ))}
    </details>
  );
}

const UNWELCOME: Readonly<Record<string, string>> = {
  deleted: "A moderator removed it",
  timed_out: "The viewer was timed out",
  bad: "It got a thumb down",
};
const WORTH_MAX = 12;
const FIRST = "First of its kind";

/**
 * The replies of a period to check: removed, disliked, corrected in the next turn, stopped by the guard, and the first
 * of each way of ending. `corrected` are replies in whose turn the viewer corrected a note.
 */
export function repliesToReview(replies: readonly ReplyRow[], corrected: ReadonlySet<number>) {
  const kinds = new Set<string>();
  const nextOf = new Map<number, number>();
  const newest = new Map<string, number>();
  for (const { id, userId } of replies.toReversed()) {
    nextOf.set(id, newest.get(userId) ?? 0);
    newest.set(userId, id);
  }
  const whyOf = (reply: ReplyRow): readonly [rank: number, why: string] | null => {
    const kind = `${reply.state} ${reply.reason ?? reply.trigger}`;
    const isFirst = !kinds.has(kind);
    kinds.add(kind);
    const disliked = Object.keys(UNWELCOME).find((one) => reply.outcomes.includes(one));
    if (disliked !== undefined) return [0, UNWELCOME[disliked] ?? ""];
    if (corrected.has(nextOf.get(reply.id) ?? 0)) return [1, "They corrected it"];
    if (reply.reason?.startsWith("guard_") === true) return [2, "Its words were stopped"];
    return isFirst && reply.state !== "refused" ? [3, FIRST] : null;
  };
  // Five of one person that ended alike are one thing to check.
  const found = new Map<string, { rank: number; reply: ReplyRow; why: string }>();
  for (const reply of replies) {
    const [rank, why] = whyOf(reply) ?? [];
    if (rank === undefined || why === undefined) continue;
    const key = `${why} ${why === FIRST ? reply.id : reply.userId}`;
    if (!found.has(key)) found.set(key, { rank, reply, why });
  }
  return [...found.values()].toSorted((one, other) => one.rank - other.rank).slice(0, WORTH_MAX);
}
