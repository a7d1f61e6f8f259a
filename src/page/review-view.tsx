import type { MemoryChanges } from "../telemetry/report-store.ts";
import type { NoteRow } from "./browse-notes-store.ts";
import type { ReplyRow, StreamRow } from "./browse-store.ts";
import { NoteList } from "./memory-view.tsx";
import { Act, Empty, When } from "./parts.tsx";
import { ReplyList } from "./replies-view.tsx";

/** A reply that is worth a look, and why. */
export interface WorthALook {
  readonly reply: ReplyRow;
  readonly why: string;
}

export interface ReviewGiven {
  readonly stream: StreamRow | null;
  readonly memory: MemoryChanges;
  readonly sent: number;
  readonly worth: readonly WorthALook[];
  readonly waiting: readonly NoteRow[];
  readonly fresh: readonly NoteRow[];
  readonly newestNoteId: number;
}

const UNWELCOME: Readonly<Record<string, string>> = {
  deleted: "A moderator removed it",
  timed_out: "The viewer was timed out",
  bad: "It was faulted",
  negative: "Somebody disliked it",
};
const WORTH_MAX = 12;

/**
 * Of a stretch of time the replies to look at: removed, disliked, corrected in the turn after, stopped by the guard; and
 * the first of each way of ending. `corrected` are replies in whose turn the viewer put a note right.
 */
export function worthALook(
  replies: readonly ReplyRow[],
  corrected: ReadonlySet<number>,
): WorthALook[] {
  const kinds = new Set<string>();
  const found = replies.flatMap((reply, n): { rank: number; look: WorthALook }[] => {
    const kind = `${reply.state} ${reply.reason ?? reply.trigger}`;
    const isFirst = !kinds.has(kind);
    kinds.add(kind);
    const disliked = Object.keys(UNWELCOME).find((one) => reply.outcomes.includes(one));
    if (disliked !== undefined)
      return [{ rank: 0, look: { reply, why: UNWELCOME[disliked] ?? "" } }];
    const next = replies.slice(n + 1).find(({ userId }) => userId === reply.userId);
    if (next !== undefined && corrected.has(next.id))
      return [{ rank: 1, look: { reply, why: "They corrected it" } }];
    if (reply.reason?.startsWith("guard_") === true)
      return [{ rank: 2, look: { reply, why: "Its words were stopped" } }];
    return isFirst && reply.state !== "refused"
      ? [{ rank: 3, look: { reply, why: "First of its kind" } }]
      : [];
  });
  // Five of one person that ended alike are one thing to look at.
  const seen = new Set<string>();
  const each = found.filter(({ look: { reply, why } }) => {
    const key = `${why} ${why === "First of its kind" ? reply.id : reply.userId}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return each
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, WORTH_MAX)
    .map(({ look }) => look);
}

/** After a stream, in five minutes. */
export function ReviewView({
  stream,
  memory,
  sent,
  worth,
  waiting,
  fresh,
  newestNoteId,
}: ReviewGiven) {
  return (
    <>
      <div class="head">
        <div>
          <h1>{stream === null ? "Review" : `After stream ${stream.id}`}</h1>
          {stream === null ? null : (
            <p class="lead">
              #{stream.channel}, <When ms={stream.startedAtMs} />
              {stream.endedAtMs === null ? ", still on" : ""}
            </p>
          )}
        </div>
        <p class="small soft only-wide">
          <kbd>j</kbd> <kbd>k</kbd> choose, letters press
        </p>
      </div>
      {stream?.recap == null ? null : <p class="note-card quote">{stream.recap}</p>}
      <ul class="figures">
        <Figure value={sent} label="answers" />
        <Figure value={memory.notesMade} label="learned" />
        <Figure value={memory.notesConfirmed} label="confirmed" />
        <Figure value={memory.notesSuperseded} label="corrected" />
        <Figure value={memory.notesEvicted} label="forgot" />
        <Figure value={waiting.length} label="wait for you" />
      </ul>
      <section>
        <h2>Notes that wait for you</h2>
        {waiting.length === 0 ? (
          <Empty>None. Memory needs nothing from you.</Empty>
        ) : (
          <NoteList notes={waiting} />
        )}
      </section>
      <section>
        <h2>Answers worth a look</h2>
        {worth.length === 0 ? <Empty>None stood out.</Empty> : null}
        {worth.map(({ reply, why }) => (
          <>
            <h3>{why}</h3>
            <ReplyList replies={[reply]} isJudged />
          </>
        ))}
      </section>
      <section>
        <div class="row between">
          <h2>New in memory</h2>
          {fresh.length === 0 ? null : (
            <Act
              action="/api/notes/reviewed"
              fields={{ noteId: String(newestNoteId) }}
              look="quiet"
            >
              All seen
            </Act>
          )}
        </div>
        {fresh.length === 0 ? (
          <Empty>Nothing that you have not seen.</Empty>
        ) : (
          <NoteList notes={fresh} />
        )}
      </section>
    </>
  );
}

function Figure({ value, label }: { value: number; label: string }) {
  return (
    <li>
      <b>{value}</b>
      <span>{label}</span>
    </li>
  );
}
