import { memoryReportStore } from "../telemetry/report-store.ts";
import { UsedNote } from "./anatomy-view.tsx";
import { notesIn } from "./browse-notes-store.ts";
import type { ListedStream, ReplyRow } from "./browse-store.ts";
import { NoteList } from "./memory-view.tsx";
import { lastReviewed } from "./notes-routes.ts";
import { Act, Empty, More, Part, When } from "./parts.tsx";
import { showReply } from "./record-routes.ts";
import { ReplyItem, Thumbs } from "./replies-view.tsx";
import type { PageData } from "./route.ts";
import type { Views } from "./views.tsx";

/** After a stream, in five minutes. */
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
    const aside = (
      <p class="small soft only-wide">
        <kbd>j</kbd> <kbd>k</kbd> choose, letters press
      </p>
    );
    return {
      title: "Review",
      heading: stream === undefined ? "Review" : `After stream ${stream.id}`,
      ...(lead === undefined ? {} : { lead }),
      aside,
      live: ["notes", "replies", "episodes"],
      shown: <ReviewView data={data} stream={stream} />,
    };
  },
};

/** Without a stream the last day is looked through. */
const DAY_MS = 86_400_000;
const NOTES_SHOWN = 50;
/** More are not counted. */
const COUNTED_MAX = 100;

function ReviewView({ data, stream }: { data: PageData; stream: ListedStream | undefined }) {
  const { browse, nowMs, config } = data;
  const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
  const toMs = stream?.endedAtMs ?? nowMs;
  const channels = stream === undefined ? config.channels : [stream.channel];
  const replies = browse.repliesBetween(fromMs, toMs);
  const { waiting, newSince, newestNoteId } = notesIn(data);
  const fresh = newSince(lastReviewed(data), fromMs, NOTES_SHOWN);
  const { toReview } = browse.tallies();
  const seen = { noteId: String(newestNoteId()) };
  return (
    <>
      {stream?.recap == null ? null : <p class="note-card quote">{stream.recap}</p>}
      <Figures data={data} stretch={{ channels, fromMs, toMs }} replies={replies} />
      <Part title="Notes that wait for you">
        <NoteList notes={waiting(NOTES_SHOWN)} none="None. Memory needs nothing from you." />
        {toReview <= NOTES_SHOWN ? null : (
          <p class="more soft">
            These are the oldest {NOTES_SHOWN}; the next come as you judge them.
          </p>
        )}
      </Part>
      <Worth data={data} replies={replies} />
      <section>
        <div class="row between">
          <h2>New in memory</h2>
          {fresh.length === 0 ? null : (
            <Act to="post /api/notes/reviewed" fields={seen} look="quiet">
              All seen
            </Act>
          )}
        </div>
        <NoteList notes={fresh} none="Nothing that you have not seen." />
        <More href={fresh.length < NOTES_SHOWN ? null : "/memory"}>
          {`These are the newest ${NOTES_SHOWN}; all notes`}
        </More>
      </section>
    </>
  );
}

function Figures({
  data: { db, browse },
  stretch,
  replies,
}: {
  data: PageData;
  stretch: { readonly channels: readonly string[]; readonly fromMs: number; readonly toMs: number };
  replies: readonly ReplyRow[];
}) {
  const memory = memoryReportStore(db).changes(stretch);
  const { toReview } = browse.tallies();
  const figures = {
    answers: replies.filter(({ state }) => state === "sent").length,
    learned: memory.notesMade,
    confirmed: memory.notesConfirmed,
    corrected: memory.notesSuperseded,
    forgot: memory.notesEvicted,
    "wait for you": toReview < COUNTED_MAX ? toReview : `${COUNTED_MAX} or more`,
  };
  return (
    <ul class="figures">
      {Object.entries(figures).map(([label, value]) => (
        <li>
          <b>{value}</b>
          <span>{label}</span>
        </li>
      ))}
    </ul>
  );
}

function Worth({ data, replies }: { data: PageData; replies: readonly ReplyRow[] }) {
  const worth = worthALook(replies, data.browse.corrected());
  return (
    <Part title="Answers worth a look">
      {worth.length === 0 ? <Empty>None stood out.</Empty> : null}
      {worth.map(({ reply, why }) => (
        <>
          <h3>{why}</h3>
          <ol class="list">
            <ReplyItem reply={reply}>
              <Thumbs reply={reply} />
            </ReplyItem>
          </ol>
          <NotesBehind data={data} replyId={reply.id} />
        </>
      ))}
    </Part>
  );
}

/** The notes that stood in an answer's prompt, each to be called wrong. */
function NotesBehind({ data, replyId }: { data: PageData; replyId: number }) {
  const notes = showReply(data, replyId).facts.filter(({ isKept }) => isKept);
  if (notes.length === 0) return null;
  return (
    <details id={`behind-${replyId}`} class="behind">
      <summary class="small soft">
        {notes.length === 1 ? "The note behind it" : `The ${notes.length} notes behind it`}
      </summary>
      <ul class="list">
        {notes.map((note) => (
          <li>
            <UsedNote note={note} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const UNWELCOME: Readonly<Record<string, string>> = {
  deleted: "A moderator removed it",
  timed_out: "The viewer was timed out",
  bad: "It was faulted",
  negative: "Somebody disliked it",
};
const WORTH_MAX = 12;
const FIRST = "First of its kind";

/**
 * Of a stretch of time the replies to look at: removed, disliked, corrected in the turn after, stopped by the guard; and
 * the first of each way of ending. `corrected` are replies in whose turn the viewer put a note right.
 */
export function worthALook(replies: readonly ReplyRow[], corrected: ReadonlySet<number>) {
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
  // Five of one person that ended alike are one thing to look at.
  const found = new Map<string, { rank: number; reply: ReplyRow; why: string }>();
  for (const reply of replies) {
    const [rank, why] = whyOf(reply) ?? [];
    if (rank === undefined || why === undefined) continue;
    const key = `${why} ${why === FIRST ? reply.id : reply.userId}`;
    if (!found.has(key)) found.set(key, { rank, reply, why });
  }
  return [...found.values()].toSorted((one, other) => one.rank - other.rank).slice(0, WORTH_MAX);
}
