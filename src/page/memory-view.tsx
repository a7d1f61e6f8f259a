import { NOTE_KINDS, NOTE_STATUSES } from "../platform/config/names.ts";
import { count, percent } from "../telemetry/figures.ts";
import type { Listed, NoteRow } from "./browse-notes-store.ts";
import type { NotesQuery, showNote } from "./notes-routes.ts";
import {
  Act,
  Badge,
  Choose,
  Confirm,
  Empty,
  Hidden,
  More,
  personHref,
  plain,
  Tabs,
  When,
  withQuery,
} from "./parts.tsx";

export const MEMORY_TABS = [
  ["/memory", "Notes"],
  ["/memory/people", "People"],
  ["/memory/streams", "Streams"],
] as const;

/** What is known: found as you type, put right in place. */
export function NotesView({ notes, query }: { notes: Listed<NoteRow>; query: NotesQuery }) {
  const { q, scope, status, kind, viewer, channel } = query;
  const asked = { q, scope, status, kind, viewer, channel };
  return (
    <>
      <div class="head">
        <h1>Memory</h1>
      </div>
      <Tabs label="Parts of memory" at="/memory" tabs={MEMORY_TABS} />
      <form class="filters" data-search="" action="/memory" method="get">
        <label class="wide">
          <span>Search</span>
          <input
            type="search"
            name="q"
            value={q}
            maxlength={200}
            placeholder="words, a name, a number"
          />
        </label>
        <Choose
          name="scope"
          label="About"
          value={scope}
          options={[
            ["", "anything"],
            ["viewer", "viewers"],
            ["channel", "the channel"],
            ["bit", "running bits"],
          ]}
        />
        <Choose
          name="status"
          label="Status"
          value={status}
          options={[
            ["", "in use or waiting"],
            ...NOTE_STATUSES.map((one) => [one, plain(one)] as const),
            ["all", "all"],
          ]}
        />
        <Choose
          name="kind"
          label="Kind"
          value={kind}
          options={[["", "any"], ...NOTE_KINDS.map((one) => [one, plain(one)] as const)]}
        />
        <button type="submit" class="unseen">
          Search
        </button>
      </form>
      {notes.items.length === 0 ? (
        <Empty>
          {notes.next === null
            ? "No note is like that."
            : "None among those looked through so far."}
        </Empty>
      ) : (
        <NoteList notes={notes.items} />
      )}
      {notes.next === null ? null : (
        <More href={withQuery("/memory", { ...asked, after: notes.next })}>
          {q === "" ? "Older notes" : "Search further back"}
        </More>
      )}
      <details class="fold" id="add-note">
        <summary>Write a note yourself</summary>
        <NewNote />
      </details>
    </>
  );
}

/** Notes, each with its buttons. */
export function NoteList({ notes }: { notes: readonly NoteRow[] }) {
  return (
    <ol class="list">
      {notes.map((note) => (
        <li id={`note-${note.id}`} data-item="" tabindex={-1}>
          <div class="noted">
            <div>
              <NoteLines note={note} />
            </div>
            <NoteActs note={note} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function NoteLines({ note }: { note: NoteRow }) {
  const {
    id,
    about,
    subjectId,
    scope,
    kind,
    fact,
    status,
    pinned,
    evidence,
    expiresAtMs,
    lastConfirmedAtMs,
  } = note;
  return (
    <>
      <p class="fact">
        <a href={`/memory/notes/${id}`}>{fact}</a>
      </p>
      <div class="meta">
        {subjectId === null ? (
          <span>{scope === "bit" ? "running bit" : "the channel"}</span>
        ) : (
          <a href={personHref(subjectId)}>{about}</a>
        )}
        {scope === "bit" ? null : <span>{plain(kind)}</span>}
        {status === "active" ? null : <Badge code={status} />}
        {pinned ? <Badge code="blue">pinned</Badge> : null}
        <span>{evidence === 1 ? "said once" : `said ${evidence} times`}</span>
        <When ms={lastConfirmedAtMs} />
        {expiresAtMs === null ? null : (
          <span>
            fades <When ms={expiresAtMs} />
          </span>
        )}
      </div>
    </>
  );
}

/** What can be done with a note in its state. */
function NoteActs({
  note: { id, status, pinned },
}: {
  note: Pick<NoteRow, "id" | "status" | "pinned">;
}) {
  const change = `/api/notes/${id}`;
  const waits = status === "shadow" || status === "pending";
  const isOver = status === "rejected" || status === "superseded";
  return (
    <div class="acts">
      {waits ? (
        <Act
          action={change}
          fields={{ _method: "patch", status: "active" }}
          look="first"
          keyName="a"
        >
          Approve
        </Act>
      ) : null}
      {waits || status === "active" ? (
        <Act action={change} fields={{ _method: "patch", status: "rejected" }} keyName="r">
          Reject
        </Act>
      ) : null}
      {status === "active" ? (
        <Act action={change} fields={{ _method: "patch", pinned: String(!pinned) }} keyName="p">
          {pinned ? "Unpin" : "Pin"}
        </Act>
      ) : null}
      {isOver ? <Act action={`${change}/undo`}>Undo</Act> : null}
      <Confirm
        id={`forget-${id}`}
        label="Forget …"
        text="The note goes, with every trace of what it says. This cannot be undone."
        action={change}
        fields={{ _method: "delete" }}
        yes="Forget it"
      />
    </div>
  );
}

function NewNote() {
  return (
    <form method="post" action="/api/notes" class="fields">
      <Hidden />
      <label>
        <span>What is to be known, as a sentence</span>
        <input name="fact" required maxlength={200} placeholder="plays the cello" />
      </label>
      <div class="filters">
        <label>
          <span>About whom: a login, or nobody for the channel</span>
          <input name="viewer" maxlength={60} />
        </label>
        <Choose
          name="scope"
          label="If about nobody"
          value="channel"
          options={[
            ["channel", "the channel"],
            ["bit", "a running bit"],
          ]}
        />
      </div>
      <div>
        <button type="submit" class="first">
          Keep it
        </button>
      </div>
    </form>
  );
}

type ShownNote = ReturnType<typeof showNote>;

/** One note: what it rests on, what it replaced, how long it lives. */
export function NoteView({ note, subjectId }: { note: ShownNote; subjectId: string | null }) {
  return (
    <>
      <div class="head">
        <div>
          <h1>{note.fact}</h1>
          <p class="lead">
            {subjectId === null ? (
              aboutNobody(note.scope)
            ) : (
              <>
                About <a href={personHref(subjectId)}>{note.about}</a>
              </>
            )}{" "}
            · note {note.id} · <Badge code={note.status} />
          </p>
        </div>
      </div>
      <div class="cols">
        <div>
          <section>
            <h2>Where it comes from</h2>
            <Chain note={note} />
          </section>
        </div>
        <div>
          <section data-item="" tabindex={-1} id={`note-${note.id}`}>
            <h2>Put it right</h2>
            <NoteActs note={note} />
            <form method="post" action={`/api/notes/${note.id}`} class="fields">
              <Hidden fields={{ _method: "patch" }} />
              <label>
                <span>What is true instead</span>
                <textarea name="fact" required maxlength={200} rows={2}>
                  {note.fact}
                </textarea>
              </label>
              <div>
                <button type="submit">Write this in its place</button>
              </div>
            </form>
          </section>
          <section>
            <h2>Figures</h2>
            <NoteFigures note={note} />
          </section>
        </div>
      </div>
    </>
  );
}

function aboutNobody(scope: string): string {
  return scope === "bit" ? "A running bit" : "About the channel";
}

function Chain({ note }: { note: ShownNote }) {
  return (
    <>
      {note.evidenceRows.length === 0 ? <Empty>Nothing that it rests on is left.</Empty> : null}
      <ol class="chain">
        {note.evidenceRows.map(({ episodeId, episodeKind, topic, claim, method, createdAtMs }) => (
          <li>
            <div class="meta">
              <When ms={createdAtMs} />
              <span>{plain(method)}</span>
              <a href={`/memory/episodes/${episodeId}`}>
                {topic === "" ? `${plain(episodeKind)} ${episodeId}` : topic}
              </a>
            </div>
            {claim === null ? (
              <p class="gone">What was claimed was taken back.</p>
            ) : (
              <p class="fact">{claim}</p>
            )}
          </li>
        ))}
        {note.superseded.map((id) => (
          <li>
            It took the place of <a href={`/memory/notes/${id}`}>note {id}</a>.
          </li>
        ))}
        {note.successors.map((id) => (
          <li>
            <a href={`/memory/notes/${id}`}>Note {id}</a> took its place.
          </li>
        ))}
      </ol>
    </>
  );
}

function NoteFigures({ note }: { note: ShownNote }) {
  return (
    <dl class="facts">
      <dt>Kind</dt>
      <dd>{plain(note.kind)}</dd>
      <dt>Topics</dt>
      <dd>{note.topics || "none"}</dd>
      <dt>Confidence</dt>
      <dd>{percent(note.confidence)}</dd>
      <dt>First known</dt>
      <dd>
        <When ms={note.createdAtMs} />
      </dd>
      <dt>Last confirmed</dt>
      <dd>
        <When ms={note.lastConfirmedAtMs} />
      </dd>
      <dt>In prompts</dt>
      <dd>{`${count(note.useCount)} times`}</dd>
      <dt>Lives</dt>
      <dd>
        {note.expiresAtMs === null ? (
          "for good"
        ) : (
          <>
            fades <When ms={note.expiresAtMs} />, unless somebody says it again
          </>
        )}
      </dd>
    </dl>
  );
}
