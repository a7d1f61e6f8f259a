import type { Child } from "hono/jsx";
import { NOTE_KIND_LIST } from "../catalogue/note-kinds.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import { count, percent, plural } from "../telemetry/figures.ts";
import { type ListedNote, notesIn } from "./browse-store.ts";
import type { ViewTabs } from "./layout.tsx";
import { listNotes, notesQuery, showNote } from "./notes-routes.ts";
import {
  act,
  badge,
  Card,
  Choose,
  Confirm,
  Empty,
  Fill,
  Form,
  facts,
  input,
  lines,
  list,
  more,
  nextPage,
  Part,
  personHref,
  plain,
  Search,
  TryForm,
  When,
  withQuery,
} from "./parts.tsx";
import { listViewers, showViewer, viewersQuery } from "./people-routes.ts";
import { idIn, type Views } from "./route.ts";

const CHANNEL_NOTES = "/memory/notes?scope=channel";
const JOKES = "/memory/notes?scope=bit";
export const MEMORY_TABS: ViewTabs = {
  label: "Parts of memory",
  of: [
    ["/memory", "People"],
    [CHANNEL_NOTES, "Channel"],
    [JOKES, "Jokes"],
    ["/memory/waiting", "Waiting"],
    ["/memory/notes", "All notes"],
    ["/memory/streams", "Streams"],
    ["/memory/forgotten", "Forgotten"],
  ],
};
const codes = (all: readonly string[]) => all.map((one) => [one, plain(one)] as const);
const CHANNEL_SCOPES = [
  ["channel", "the channel"],
  ["bit", "running jokes"],
] as const;
const SCOPES = [["", "anything"], ["viewer", "viewers"], ...CHANNEL_SCOPES] as const;
const STATUSES = [["", "active or waiting"], ...codes(NOTE_STATUSES), ["all", "all"]] as const;
const KINDS = [
  ["", "any"],
  ...NOTE_KIND_LIST.map(([name, { label }]) => [name, label] as const),
] as const;
const SORTS = [
  ["seen", "seen last"],
  ["notes", "most notes"],
] as const;
const PEOPLE = [
  ["notes", "with notes"],
  ["all", "everyone"],
] as const;
const NO_NOTES = {
  "": "No notes yet. They come from chat, or from you, above.",
  viewer: "No notes about viewers yet. They come from chat.",
  channel: "Nothing yet. Write down your gear, schedule and rules above, so that viewers can ask.",
  bit: "None yet. A joke that several people repeat shows here.",
} as const;
const FACTS_LIKE =
  "the stream starts at seven on weekdays\nthe microphone is a Blue Lark\n@nell likes tea";
const USES_SHOWN = 8;
const WAITING_SHOWN = 50;
const UNPROVEN_SHOWN = 20;
const FORGET_DAYS = 60;
const EPISODES_OPEN = 20;

/** People and what is known about each, the channel, what waits, all notes, streams, and forgets. */
export const MEMORY: Views = {
  "/memory": (data, { query }) => {
    const asked = viewersQuery.parse({ only: "notes", sort: "seen", ...query });
    const { q, sort, only } = asked;
    const { items, next } = listViewers(data, asked);
    const search = { type: "search", class: "wide", value: q, maxlength: 60 };
    const nobody =
      only === "notes"
        ? "No notes about viewers yet. They come from chat, a few minutes after viewers talk. To see all viewers, choose everyone."
        : "No viewers yet. They appear when they write in chat.";
    const shown = (
      <>
        <Search action="/memory">
          {input("Name begins with", "q", search)}
          <Choose name="only" label="Show" value={only} options={PEOPLE} />
          <Choose name="sort" label="Sort by" value={sort} options={SORTS} />
        </Search>
        {list(items, q === "" ? nobody : "No name begins with that.", (one) => {
          const meta = (
            <>
              {one.role !== "viewer" && badge("", one.role)}
              {one.optedOut && badge("pending", "opted out")}
              <span>{plural(one.notes, "note")}</span>
              <span>{plural(one.messages, "message")}</span>
              <span>{plural(one.streams, "stream")}</span>
              <span>
                seen <When ms={one.lastSeenAtMs} />
              </span>
            </>
          );
          return (
            <Card id={`person-${one.userId}`} meta={meta}>
              <a class="fact" href={personHref(one.userId)}>
                {one.displayName}
              </a>
            </Card>
          );
        })}
        {more(nextPage("/memory", { q, sort, only }, next), "More people")}
      </>
    );
    return { title: "Memory", tabs: MEMORY_TABS, live: ["notes"], shown };
  },
  "/memory/waiting": (data) => {
    const regulars = data.browse.waitingForRegulars();
    const unproven = data.browse.unproven(UNPROVEN_SHOWN);
    const shown = (
      <>
        {regulars === 0 ? null : (
          <p class="lead">
            {count(regulars)} waiting for regulars: chat uses {regulars === 1 ? "it" : "them"} once
            people who come often say the same, or once you approve.
          </p>
        )}
        <Part title="Notes to approve">
          {noteList(
            notesIn(data).waiting(WAITING_SHOWN),
            "None. What the bot is not sure about waits here for you.",
          )}
        </Part>
        <Part title="Said by newcomers">
          <p class="small soft">Only you see these sentences. They go after 30 days.</p>
          {list(
            unproven,
            "None. Sentences that only newcomers said show here.",
            ({ id, topic, unproven: text, endedAtMs }) => (
              <li id={`unproven-${id}`}>
                <div class="meta">
                  <a href={`/memory/episodes/${id}`}>{topic || "chat"}</a>
                  <When ms={endedAtMs} />
                </div>
                {sentencesIn(text).map((sentence) => (
                  <div class="row between">
                    <p class="fact">{sentence}</p>
                    {act("post /api/notes", "Keep it", { fields: { fact: sentence } })}
                  </div>
                ))}
              </li>
            ),
          )}
        </Part>
        <BulkBar />
      </>
    );
    return { title: "Waiting", tabs: MEMORY_TABS, live: ["notes", "episodes"], shown };
  },
  "/memory/notes": (data, { query }) => {
    const asked = notesQuery.parse(query);
    const { items, next } = listNotes(data, asked);
    const { after: _, limit: __, ...filters } = asked;
    const { q, scope, status, kind, viewer } = filters;
    const isAll = Object.values(filters).every((one) => one === "" || one === scope);
    const none = isAll ? NO_NOTES[scope] : "No note matches.";
    const search = { type: "search", class: "wide", value: q, maxlength: 200 };
    const facts = { required: true, rows: 4, placeholder: FACTS_LIKE };
    const shown = (
      <>
        <details class="fold" id="add-facts" open={scope === "channel"}>
          <summary>Write facts yourself</summary>
          <Fill to="post /api/notes/facts" yes="Store them" look="first">
            {lines(
              "One fact a line, up to 200. They stay until you remove them.",
              "text",
              "",
              facts,
            )}
          </Fill>
        </details>
        <Search action="/memory/notes">
          {input("Search", "q", { ...search, placeholder: "words, a name, a number" })}
          <Choose name="scope" label="About" value={scope} options={SCOPES} />
          <Choose name="status" label="Status" value={status} options={STATUSES} />
          <Choose name="kind" label="Kind" value={kind} options={KINDS} />
          {viewer !== "" &&
            input("About one person", "viewer", { type: "search", value: viewer, maxlength: 60 })}
        </Search>
        {noteList(items, next === null ? none : "None among the notes searched so far.")}
        {more(nextPage("/memory/notes", filters, next), q ? "Search further back" : "Older notes")}
        <BulkBar />
      </>
    );
    const tabs = { ...MEMORY_TABS, at: withQuery("/memory/notes", { scope }) };
    return { title: "Notes", tabs, live: ["notes"], shown };
  },
  "/memory/forgotten": ({ browse }) => {
    const login = { required: true, maxlength: 60, autocomplete: "off" };
    const shown = (
      <div class="pair">
        <Part title="Forgotten on request">
          {list(
            browse.forgets(FORGET_DAYS),
            "Nobody asked to be forgotten. A viewer does so with !forgetme.",
            ({ day, viewers, lastAtMs }) => (
              <li>
                <b>{day}</b> {plural(viewers, "viewer")}{" "}
                <span class="soft small">
                  the last <When ms={lastAtMs} />
                </span>
              </li>
            ),
            "list small",
          )}
        </Part>
        <Part title="Is a name still there?">
          <p class="small soft">
            A forget removes names with @. A bare word that is like the login may stay in sentences
            about other things. Type the login to find them. It is not stored.
          </p>
          <TryForm to="/api/bare-words">
            {input("Login", "login", login)}
            <div>
              <button type="submit">Find it</button>
            </div>
          </TryForm>
        </Part>
      </div>
    );
    return { title: "Forgotten", tabs: MEMORY_TABS, live: ["people"], shown };
  },
  "/memory/notes/:id": (data, { params }) => {
    const note = showNote(data, idIn(params));
    const [listed] = notesIn(data).notesOf([note.id]);
    const lead = (
      <>
        {listed === undefined ? null : noteSubject(listed, "About ")} · note {note.id} ·{" "}
        {badge(note.status)}
      </>
    );
    const shown = (
      <div class="cols">
        <div>
          <Part title="Where it comes from">
            <Chain note={note} />
          </Part>
          <Part title="What it was used for">
            {list(
              data.browse.repliesWith(note.id, USES_SHOWN),
              "No recent answer used it.",
              ({ id, viewer, text, createdAtMs }) => (
                <li>
                  <a href={`/replies/${id}`}>An answer to {viewer ?? "someone"}</a>{" "}
                  <span class="soft small">
                    <When ms={createdAtMs} />
                  </span>
                  {text !== null && <p data-mortal="">{text}</p>}
                </li>
              ),
              "list small",
            )}
          </Part>
        </div>
        <NotePanel note={note} />
      </div>
    );
    return { title: `Note ${note.id}`, heading: note.fact, lead, live: ["notes"], shown };
  },
  "/memory/people/:id": (data, { params }) => {
    const userId = params["id"] ?? "";
    const record = showViewer(data, userId, false);
    const { accounts, episodes } = record;
    const own = accounts.find((one) => one.userId === userId) ?? accounts[0];
    const name = own?.displayName ?? "someone";
    const all = { viewer: `id:${userId}`, status: "all" };
    const { items, next } = listNotes(data, notesQuery.parse(all));
    const current = items.filter(({ status }) => status !== "superseded" && status !== "expired");
    const hasMore = next !== null || current.length < items.length;
    const address = `/api/viewers/${encodeURIComponent(userId)}`;
    const shown = (
      <div class="cols">
        <div>
          <Part title="What is known">
            {record.optedOut && (
              <p class="notice">They opted out: the bot stores nothing that they write.</p>
            )}
            {noteList(current, "Nothing yet.")}
            {more(
              hasMore ? withQuery("/memory/notes", all) : null,
              "All notes, replaced and expired too",
            )}
          </Part>
          <Part title="Took part in">
            {episodeLinks(episodes.slice(-EPISODES_OPEN))}
            {folded(
              "earlier",
              episodes.slice(0, -EPISODES_OPEN),
              "earlier summaries",
              episodeLinks,
            )}
          </Part>
        </div>
        <PersonPanel record={record} address={address} />
        <BulkBar />
      </div>
    );
    const aside = (
      <div class="acts">
        <a class="button" href={`${address}/export`} download={`viewer-${userId}.json`}>
          Export
        </a>
        <Confirm
          id="forget-person"
          label="Forget everything …"
          to={`delete ${address}`}
          yes={`Forget ${name}`}
        >
          Deletes all their notes, claims, lines and names, in every table and in the backups that
          the program made. This cannot be undone.
        </Confirm>
      </div>
    );
    const lead = accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", ");
    return { title: "A person", heading: name, lead, aside, live: ["notes"], shown };
  },
};

/** Notes, each with where it comes from, what it was used for, and its buttons. */
export function noteList(notes: readonly ListedNote[], none: string) {
  return list(notes, none, (note) => {
    const { id, kind, pinned, status, expiresAtMs } = note;
    const meta = (
      <>
        {noteSubject(note)}
        {note.scope !== "bit" && <span>{plain(kind)}</span>}
        {status !== "active" && badge(status)}
        {pinned && badge("blue", "pinned")}
        <Origin note={note} />
        <Used note={note} />
        {expiresAtMs !== null && (
          <span>
            expires <When ms={expiresAtMs} />
          </span>
        )}
      </>
    );
    return (
      <Card id={`note-${id}`} meta={meta} acts={noteActs(note, `fact-${id}`)}>
        <div class="ticked">
          <input
            type="checkbox"
            form="bulk"
            name="ids"
            value={id}
            aria-label={`Select note ${id}`}
            data-key="x"
          />
          <p class="fact" id={`fact-${id}`}>
            <a href={`/memory/notes/${id}`}>{note.fact}</a>
          </p>
        </div>
      </Card>
    );
  });
}

const ORIGINS: Readonly<Record<string, string>> = {
  viewer_request: "they asked for it",
  operator: "you wrote it",
  import: "imported",
};

function Origin({ note: { origin, evidence } }: { note: ListedNote }) {
  if (origin === null) return <span>its source is gone</span>;
  const { method, episodeId, topic, atMs } = origin;
  const often = evidence > 1 ? `, said ${evidence} times` : "";
  return (
    <span>
      {ORIGINS[method] ?? (
        <>
          from <a href={`/memory/episodes/${episodeId}`}>{topic || "chat"}</a>
        </>
      )}{" "}
      <When ms={atMs} />
      {often}
    </span>
  );
}

function Used({ note: { useCount, lastUsedAtMs } }: { note: ListedNote }) {
  if (useCount === 0 || lastUsedAtMs === null) return <span>not used yet</span>;
  return (
    <span>
      used in {plural(useCount, "answer")}, last <When ms={lastUsedAtMs} />
    </span>
  );
}

/** Buttons for all notes that are ticked. Shown while one is. */
function BulkBar() {
  const button = (what: string, label: string, look?: string) => (
    <button type="submit" name="what" value={what} class={look}>
      {label}
    </button>
  );
  return (
    <Form to="post /api/notes/bulk" id="bulk" look="bulk">
      <label>
        <input type="checkbox" data-all="" /> all shown
      </label>
      {button("approve", "Approve", "first")}
      {button("reject", "Reject")}
      {button("pin", "Pin")}
      {button("forget", "Forget for good", "grave")}
    </Form>
  );
}

/** Whom a note is about. */
export function noteSubject({ about, subjectId, scope }: ListedNote, before = "") {
  if (subjectId === null)
    return (
      <span>{scope === "bit" ? `${before && "A "}running joke` : `${before}the channel`}</span>
    );
  return (
    <>
      {before}
      <a href={personHref(subjectId)}>{about}</a>
    </>
  );
}

function sentencesIn(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence !== "");
}

function noteActs(
  { id, status, pinned }: Pick<ShownNote, "id" | "status" | "pinned">,
  about?: string,
) {
  const change = `patch /api/notes/${id}`;
  const waits = status === "shadow" || status === "pending";
  const isActive = status === "active";
  const isOver = status === "rejected" || status === "superseded";
  const approve = { fields: { status: "active" }, look: "first", key: "a", about } as const;
  const reject = { fields: { status: "rejected" }, key: "r", about };
  const pin = { fields: { pinned: String(!pinned) }, key: "p", about };
  return (
    <>
      {waits && act(change, "Approve", approve)}
      {(waits || isActive) && act(change, "Reject", reject)}
      {isActive && act(change, pinned ? "Unpin" : "Pin", pin)}
      {isOver && act(`post /api/notes/${id}/undo`, "Undo", { about })}
      <Confirm
        id={`forget-${id}`}
        label="Forget …"
        to={`delete /api/notes/${id}`}
        yes="Forget it"
        about={about}
      >
        Deletes the note and everything that it was made from. This cannot be undone.
      </Confirm>
    </>
  );
}

type ShownNote = ReturnType<typeof showNote>;

function NotePanel({ note }: { note: ShownNote }) {
  const change = `patch /api/notes/${note.id}`;
  const fact = { required: true, maxlength: 200, rows: 2 };
  const expires = note.expiresAtMs !== null && (
    <>
      expires <When ms={note.expiresAtMs} />, unless it is said again
    </>
  );
  return (
    <div>
      <section data-item="" tabindex={-1} id={`note-${note.id}`}>
        <h2>Correct it</h2>
        <div class="acts">{noteActs(note)}</div>
        <Fill to={change} yes="Replace it">
          {lines("What is true instead", "fact", note.fact, fact)}
        </Fill>
      </section>
      <Part title="About this note">
        {facts([
          ["Kind", plain(note.kind)],
          ["Topics", note.topics || "none"],
          ["How sure", percent(note.confidence)],
          ["Importance", ["little", "some", "much"][Math.round(note.importance * 10)] ?? "some"],
          ["First known", <When ms={note.createdAtMs} />],
          ["Last confirmed", <When ms={note.lastConfirmedAtMs} />],
          ["Used", plural(note.useCount, "time")],
          ["Lifetime", expires || "for good"],
        ])}
      </Part>
    </div>
  );
}

/** The episodes that a note rests on, and the notes before and after it. */
function Chain({ note }: { note: ShownNote }) {
  const other = (id: number, label: string) => <a href={`/memory/notes/${id}`}>{label}</a>;
  return (
    <>
      {note.evidenceRows.length === 0 && <Empty>Its sources were deleted.</Empty>}
      <ol class="chain">
        {note.evidenceRows.map(({ episodeId, episodeKind, topic, claim, method, createdAtMs }) => (
          <li>
            <div class="meta">
              <When ms={createdAtMs} />
              <span>{plain(method)}</span>
              <a href={`/memory/episodes/${episodeId}`}>
                {topic || `${plain(episodeKind)} ${episodeId}`}
              </a>
            </div>
            <p class={claim === null ? "gone" : "fact"}>{claim ?? "The claim was removed."}</p>
          </li>
        ))}
        {note.superseded.map((id) => (
          <li>It took the place of {other(id, `note ${id}`)}.</li>
        ))}
        {note.successors.map((id) => (
          <li>{other(id, `Note ${id}`)} took its place.</li>
        ))}
      </ol>
    </>
  );
}

type ViewerRecord = ReturnType<typeof showViewer>;

function PersonPanel({ record, address }: { record: ViewerRecord; address: string }) {
  const { linesWithText, suppressedTopics: topics } = record;
  const inChannels = record.channels.map((one): [string, Child] => [
    `#${one.channel}`,
    <>
      {`${plural(one.messages, "message")} in ${plural(one.streams, "stream")}, since `}
      <When ms={one.firstSeenAtMs} />
    </>,
  ]);
  return (
    <div>
      <Part title="In chat">
        {facts([
          ...inChannels,
          ["Messages stored", `${count(record.lines)}, ${count(linesWithText)} with their text`],
          ["Asked the bot", `${plural(record.asked, "time")}, answered ${count(record.answered)}`],
          ["Never to be learned", topics === 0 ? "nothing" : plural(topics, "topic")],
        ])}
      </Part>
      {folded("claimed", record.claims, "claims of theirs", (claims) =>
        list(
          claims,
          "",
          ({ episodeId, statement, withdrawnAtMs }) => (
            <li>
              <a href={`/memory/episodes/${episodeId}`}>{statement}</a>
              {withdrawnAtMs !== null && ", withdrawn"}
            </li>
          ),
          "list small",
        ),
      )}
      <Part title="Two accounts of one person?">
        <Form to={`post ${address}/merge`} look="row">
          <label>
            <span class="unseen">Login of the main account</span>
            <input name="into" required maxlength={60} placeholder="login of the main account" />
          </label>
          <button type="submit">Merge</button>
        </Form>
        {record.accounts.length > 1 && (
          <p class="more">
            {act(`post ${address}/separate`, "Separate this account again", { look: "quiet" })}
          </p>
        )}
      </Part>
    </div>
  );
}

/** A folded list under its length; nothing if it is empty. */
function folded<T>(id: string, of: readonly T[], what: string, draw: (all: readonly T[]) => Child) {
  return of.length === 0 ? null : (
    <details class="fold" id={id}>
      <summary>{`${count(of.length)} ${what}`}</summary>
      {draw(of)}
    </details>
  );
}

function episodeLinks(episodes: Readonly<ViewerRecord["episodes"]>) {
  return list(episodes.toReversed(), "No summary names them.", ({ id, topic, endedAtMs }) => (
    <li>
      <a href={`/memory/episodes/${id}`}>{topic || `Episode ${id}`}</a>{" "}
      <span class="soft small">
        <When ms={endedAtMs} />
      </span>
    </li>
  ));
}
