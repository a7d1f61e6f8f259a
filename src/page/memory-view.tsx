import { NOTE_KINDS, NOTE_STATUSES } from "../platform/config/names.ts";
import { percent, plural } from "../telemetry/figures.ts";
import { type ListedNote, notesIn } from "./browse-notes-store.ts";
import type { ListPage } from "./browse-store.ts";
import type { ViewTabs } from "./layout.tsx";
import { listNotes, type NotesQuery, notesQuery, showNote } from "./notes-routes.ts";
import {
  Act,
  Badge,
  Choose,
  Confirm,
  Empty,
  FactList,
  Fill,
  Input,
  Item,
  Lines,
  List,
  More,
  nextPage,
  Part,
  personHref,
  plain,
  Search,
  When,
} from "./parts.tsx";
import { idIn } from "./route.ts";
import type { Views } from "./views.tsx";

export const MEMORY_TABS: ViewTabs = {
  label: "Parts of memory",
  of: [
    ["/memory", "Notes"],
    ["/memory/people", "People"],
    ["/memory/streams", "Streams"],
  ],
};

/** What is known: found as you type, put right in place; and one note with what it rests on and how long it lives. */
export const NOTES: Views = {
  "/memory": async (data, { query }) => {
    const asked = notesQuery.parse(query);
    const shown = (
      <>
        <NotesFound asked={asked} found={await listNotes(data, asked)} />
        <details class="fold" id="add-note">
          <summary>Write a note yourself</summary>
          <NewNote />
        </details>
      </>
    );
    return { title: "Memory", tabs: MEMORY_TABS, live: ["notes"], shown };
  },
  "/memory/notes/:id": (data, { params }) => {
    const note = showNote(data, idIn(params));
    const [listed] = notesIn(data).notesOf([note.id]);
    const lead = (
      <>
        {listed === undefined ? null : <Subject note={listed} before="About " />} · note {note.id} ·{" "}
        <Badge code={note.status} />
      </>
    );
    const shown = (
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
    );
    return { title: `Note ${note.id}`, heading: note.fact, lead, live: ["notes"], shown };
  },
};

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
  const { after: _, limit: __, ...filters } = asked;
  const { q, scope, status, kind, viewer } = filters;
  const isAll = Object.values(filters).every((one) => one === "");
  const nothing = isAll ? "Nothing is known yet." : "No note is like that.";
  const none = next === null ? nothing : "None among those looked through so far.";
  return (
    <>
      <Search action="/memory">
        <Input
          label="Search"
          look="wide"
          type="search"
          name="q"
          value={q}
          maxlength={200}
          placeholder="words, a name, a number"
        />
        <Choose name="scope" label="About" value={scope} options={SCOPES} />
        <Choose name="status" label="Status" value={status} options={STATUSES} />
        <Choose name="kind" label="Kind" value={kind} options={KINDS} />
        {viewer === "" ? null : (
          <Input label="Of one person" type="search" name="viewer" value={viewer} maxlength={60} />
        )}
      </Search>
      <NoteList notes={items} none={none} />
      <More href={nextPage("/memory", filters, next)}>
        {q === "" ? "Older notes" : "Search further back"}
      </More>
    </>
  );
}

/** Notes, each with its buttons; `none` in the place of no note. */
export function NoteList({ notes, none }: { notes: readonly ListedNote[]; none: string }) {
  return (
    <List of={notes} none={none}>
      {(note) => (
        <Item id={`note-${note.id}`}>
          <div class="noted">
            <div>
              <NoteLines note={note} />
            </div>
            <NoteActs note={note} about={`fact-${note.id}`} />
          </div>
        </Item>
      )}
    </List>
  );
}

function NoteLines({ note }: { note: ListedNote }) {
  const { id, scope, kind, fact, status, pinned, evidence, expiresAtMs, lastConfirmedAtMs } = note;
  return (
    <>
      <p class="fact" id={`fact-${id}`}>
        <a href={`/memory/notes/${id}`}>{fact}</a>
      </p>
      <div class="meta">
        <Subject note={note} />
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

function Subject({
  note: { about, subjectId, scope },
  before = "",
}: {
  note: ListedNote;
  before?: string;
}) {
  if (subjectId === null)
    return <span>{scope === "bit" ? `${before && "A "}running bit` : `${before}the channel`}</span>;
  return (
    <>
      {before}
      <a href={personHref(subjectId)}>{about}</a>
    </>
  );
}

function NoteActs({
  note: { id, status, pinned },
  about,
}: {
  note: Pick<ShownNote, "id" | "status" | "pinned">;
  about?: string;
}) {
  const change = `patch /api/notes/${id}`;
  const waits = status === "shadow" || status === "pending";
  const isActive = status === "active";
  const isOver = status === "rejected" || status === "superseded";
  return (
    <div class="acts">
      {waits ? (
        <Act to={change} fields={{ status: "active" }} look="first" keyName="a" about={about}>
          Approve
        </Act>
      ) : null}
      {waits || isActive ? (
        <Act to={change} fields={{ status: "rejected" }} keyName="r" about={about}>
          Reject
        </Act>
      ) : null}
      {isActive ? (
        <Act to={change} fields={{ pinned: String(!pinned) }} keyName="p" about={about}>
          {pinned ? "Unpin" : "Pin"}
        </Act>
      ) : null}
      {isOver ? (
        <Act to={`post /api/notes/${id}/undo`} about={about}>
          Undo
        </Act>
      ) : null}
      <Confirm
        id={`forget-${id}`}
        label="Forget …"
        to={`delete /api/notes/${id}`}
        yes="Forget it"
        about={about}
      >
        The note goes, with every trace of what it says. This cannot be undone.
      </Confirm>
    </div>
  );
}

function NewNote() {
  return (
    <Fill to="post /api/notes" yes="Keep it" look="first">
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

function PutRight({ note }: { note: ShownNote }) {
  const change = `patch /api/notes/${note.id}`;
  return (
    <section data-item="" tabindex={-1} id={`note-${note.id}`}>
      <h2>Put it right</h2>
      <NoteActs note={note} />
      <Fill to={change} yes="Write this in its place">
        <Lines
          label="What is true instead"
          name="fact"
          value={note.fact}
          required
          maxlength={200}
          rows={2}
        />
      </Fill>
      <details class="behind" id="weigh-note">
        <summary class="small soft">Weight and lifetime …</summary>
        <p class="small soft">They hold from now on; what they were is not kept.</p>
        <Fill to={change} yes="Change them">
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
        ["Lives", note.expiresAtMs === null ? "for good" : <Fades ms={note.expiresAtMs} />],
      ]}
    />
  );
}

function Fades({ ms }: { ms: number }) {
  return (
    <>
      fades <When ms={ms} />, unless somebody says it again
    </>
  );
}
