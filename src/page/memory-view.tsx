import { NOTE_KINDS, NOTE_STATUSES } from "../platform/config/names.ts";
import { percent, plural } from "../telemetry/figures.ts";
import { type ListedNote, notesIn } from "./browse-notes-store.ts";
import type { ListPage } from "./browse-store.ts";
import { listNotes, type NotesQuery, notesQuery, showNote } from "./notes-routes.ts";
import {
  Act,
  Badge,
  Choose,
  Confirm,
  Empty,
  FactList,
  Fill,
  Head,
  Input,
  More,
  Part,
  personHref,
  plain,
  Search,
  Tabs,
  When,
  withQuery,
} from "./parts.tsx";
import { idIn } from "./route.ts";
import type { Views } from "./views.tsx";

/** What is known: found as you type, put right in place; and one note with what it rests on and how long it lives. */
export const NOTES: Views = {
  "/memory": async (data, { query }) => {
    const asked = notesQuery.parse(query);
    const found = await listNotes(data, asked);
    const shown = (
      <>
        <Head title="Memory" />
        <MemoryTabs at="/memory" />
        <NotesFound asked={asked} found={found} />
        <details class="fold" id="add-note">
          <summary>Write a note yourself</summary>
          <NewNote />
        </details>
      </>
    );
    return { title: "Memory", live: ["notes"], shown };
  },
  "/memory/notes/:id": (data, { params }) => {
    const note = showNote(data, idIn(params));
    const subjectId = notesIn(data).notesOf([note.id])[0]?.subjectId ?? null;
    const about =
      subjectId === null ? (
        aboutNobody(note.scope)
      ) : (
        <>
          About <a href={personHref(subjectId)}>{note.about}</a>
        </>
      );
    const shown = (
      <>
        <Head
          title={note.fact}
          lead={
            <>
              {about} · note {note.id} · <Badge code={note.status} />
            </>
          }
        />
        <div class="cols">
          <Part title="Where it comes from">
            <Chain note={note} />
          </Part>
          <div>
            <PutRight note={note} />
            <Part title="Figures">
              <NoteFigures note={note} />
            </Part>
          </div>
        </div>
      </>
    );
    return { title: `Note ${note.id}`, live: ["notes"], shown };
  },
};

export function MemoryTabs({ at }: { at: string }) {
  const tabs = [
    ["/memory", "Notes"],
    ["/memory/people", "People"],
    ["/memory/streams", "Streams"],
  ] as const;
  return <Tabs label="Parts of memory" at={at} tabs={tabs} />;
}

const SCOPES = [
  ["", "anything"],
  ["viewer", "viewers"],
  ["channel", "the channel"],
  ["bit", "running bits"],
] as const;
const STATUSES = [
  ["", "in use or waiting"],
  ...NOTE_STATUSES.map((one) => [one, plain(one)] as const),
  ["all", "all"],
] as const;
const KINDS = [["", "any"], ...NOTE_KINDS.map((one) => [one, plain(one)] as const)] as const;

function NotesFound({ asked, found }: { asked: NotesQuery; found: ListPage<ListedNote> }) {
  const { items, next } = found;
  const { q, scope, status, kind, viewer, channel } = asked;
  const further = withQuery("/memory", {
    q,
    scope,
    status,
    kind,
    viewer,
    channel,
    after: next ?? "",
  });
  return (
    <>
      <Search action="/memory">
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
        <Choose name="scope" label="About" value={scope} options={SCOPES} />
        <Choose name="status" label="Status" value={status} options={STATUSES} />
        <Choose name="kind" label="Kind" value={kind} options={KINDS} />
        {viewer === "" ? null : (
          <Input label="Of one person" type="search" name="viewer" value={viewer} maxlength={60} />
        )}
      </Search>
      {items.length > 0 ? (
        <NoteList notes={items} />
      ) : (
        <Empty>
          {next === null ? "No note is like that." : "None among those looked through so far."}
        </Empty>
      )}
      {next === null ? null : (
        <More href={further}>{q === "" ? "Older notes" : "Search further back"}</More>
      )}
    </>
  );
}

/** Notes, each with its buttons. */
export function NoteList({ notes }: { notes: readonly ListedNote[] }) {
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

function NoteLines({ note }: { note: ListedNote }) {
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
  note: Pick<ListedNote, "id" | "status" | "pinned">;
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
    <Fill action="/api/notes" yes="Keep it" look="first">
      <Input
        label="What is to be known, as a sentence"
        name="fact"
        required
        maxlength={200}
        placeholder="plays the cello"
      />
      <div class="filters">
        <Input
          label="About whom: a login, or nobody for the channel"
          name="viewer"
          maxlength={60}
        />
        <Choose name="scope" label="If about nobody" value="channel" options={SCOPES.slice(2)} />
      </div>
    </Fill>
  );
}

type ShownNote = ReturnType<typeof showNote>;

/** What can be done with one note, and what is true instead. */
function PutRight({ note }: { note: ShownNote }) {
  return (
    <section data-item="" tabindex={-1} id={`note-${note.id}`}>
      <h2>Put it right</h2>
      <NoteActs note={note} />
      <Fill
        action={`/api/notes/${note.id}`}
        fields={{ _method: "patch" }}
        yes="Write this in its place"
      >
        <label>
          <span>What is true instead</span>
          <textarea name="fact" required maxlength={200} rows={2}>
            {note.fact}
          </textarea>
        </label>
      </Fill>
      <details class="behind" id="weigh-note">
        <summary class="small soft">Weight and lifetime …</summary>
        <p class="small soft">They hold from now on; what they were is not kept.</p>
        <Fill action={`/api/notes/${note.id}`} fields={{ _method: "patch" }} yes="Change them">
          <Choose name="importance" label="It counts" value="" options={WEIGHTS} />
          <Choose name="lifetime" label="It lives" value="" options={LIVES} />
        </Fill>
      </details>
    </section>
  );
}

const AS_IT_IS = ["", "as before"] as const;
const WEIGHTS = [AS_IT_IS, ["low", "little"], ["medium", "some"], ["high", "much"]] as const;
const LIVES = [
  AS_IT_IS,
  ["1d", "one day"],
  ["3d", "three days"],
  ["7d", "a week"],
  ["30d", "a month"],
  ["permanent", "for good"],
] as const;

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
    <FactList
      rows={[
        ["Kind", plain(note.kind)],
        ["Topics", note.topics || "none"],
        ["Confidence", percent(note.confidence)],
        ["Weight", WEIGHTS[1 + Math.round(note.importance * 10)]?.[1] ?? "some"],
        ["First known", <When ms={note.createdAtMs} />],
        ["Last confirmed", <When ms={note.lastConfirmedAtMs} />],
        ["In prompts", plural(note.useCount, "time")],
        [
          "Lives",
          note.expiresAtMs === null ? (
            "for good"
          ) : (
            <>
              fades <When ms={note.expiresAtMs} />, unless somebody says it again
            </>
          ),
        ],
      ]}
    />
  );
}
