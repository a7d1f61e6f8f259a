import type { Child } from "hono/jsx";
import { NOTE_KINDS, NOTE_STATUSES } from "../platform/config/names.ts";
import { count, percent, plural } from "../telemetry/figures.ts";
import { type EpisodeRow, type ListedNote, notesIn } from "./browse-store.ts";
import type { ViewTabs } from "./layout.tsx";
import { listNotes, notesQuery, showNote } from "./notes-routes.ts";
import {
  act,
  badge,
  Choose,
  Confirm,
  Empty,
  Fill,
  Form,
  facts,
  Item,
  input,
  lines,
  list,
  more,
  names,
  nextPage,
  Part,
  personHref,
  plain,
  Search,
  Table,
  When,
  withQuery,
} from "./parts.tsx";
import { listViewers, showViewer, viewersQuery } from "./people-routes.ts";
import { showEpisode } from "./record-routes.ts";
import { idIn, listQuery, type Views } from "./route.ts";

const TABS: ViewTabs = {
  label: "Parts of memory",
  of: [
    ["/memory", "Notes"],
    ["/memory/people", "People"],
    ["/memory/streams", "Streams"],
  ],
};
const ANY = ["", "any"] as const;
const AS_IT_IS = ["", "as before"] as const;
const CHANNEL_SCOPES = [
  ["channel", "the channel"],
  ["bit", "running bits"],
] as const;
const SCOPES = [["", "anything"], ["viewer", "viewers"], ...CHANNEL_SCOPES] as const;
const STATUSES = [
  ["", "in use or waiting"],
  ...NOTE_STATUSES.map((one) => [one, plain(one)] as const),
  ["all", "all"],
] as const;
const KINDS = [ANY, ...NOTE_KINDS.map((one) => [one, plain(one)] as const)] as const;
const WEIGHTS = [AS_IT_IS, ["low", "little"], ["medium", "some"], ["high", "much"]] as const;
const LIVES = [
  AS_IT_IS,
  ["1d", "one day"],
  ["3d", "three days"],
  ["7d", "a week"],
  ["30d", "a month"],
  ["permanent", "for good"],
] as const;
const PEOPLE_COLUMNS = [
  ["Who", ""],
  ["Notes", "n"],
  ["Messages", "n only-wide"],
  ["Streams", "n only-wide"],
  ["Last seen", ""],
] as const;
const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;
const EPISODES_OPEN = 20;

/** Notes, people with everything stored about them, and streams with what was said in each. */
export const MEMORY: Views = {
  "/memory": async (data, { query }) => {
    const asked = notesQuery.parse(query);
    const { items, next } = listNotes(data, asked);
    const { after: _, limit: __, ...filters } = asked;
    const { q, scope, status, kind, viewer } = filters;
    const isAll = Object.values(filters).every((one) => one === "");
    const nothing = isAll ? "Nothing is known yet." : "No note is like that.";
    const search = { type: "search", class: "wide", value: q, maxlength: 200 };
    const shown = (
      <>
        <Search action="/memory">
          {input("Search", "q", { ...search, placeholder: "words, a name, a number" })}
          <Choose name="scope" label="About" value={scope} options={SCOPES} />
          <Choose name="status" label="Status" value={status} options={STATUSES} />
          <Choose name="kind" label="Kind" value={kind} options={KINDS} />
          {viewer === ""
            ? null
            : input("Of one person", "viewer", { type: "search", value: viewer, maxlength: 60 })}
        </Search>
        {noteList(items, next === null ? nothing : "None among those looked through so far.")}
        {more(nextPage("/memory", filters, next), q ? "Search further back" : "Older notes")}
        <details class="fold" id="add-note">
          <summary>Write a note yourself</summary>
          <Fill to="post /api/notes" yes="Keep it" look="first">
            {input("What is to be known, as a sentence", "fact", {
              required: true,
              maxlength: 200,
              placeholder: "plays the cello",
            })}
            <div class="filters">
              {input("About whom: a login, or nobody for the channel", "viewer", { maxlength: 60 })}
              <Choose
                name="scope"
                label="If about nobody"
                value="channel"
                options={CHANNEL_SCOPES}
              />
            </div>
          </Fill>
        </details>
      </>
    );
    return { title: "Memory", tabs: TABS, live: ["notes"], shown };
  },
  "/memory/notes/:id": (data, { params }) => {
    const note = showNote(data, idIn(params));
    const [listed] = notesIn(data).notesOf([note.id]);
    const lead = (
      <>
        {listed === undefined ? null : subject(listed, "About ")} · note {note.id} ·{" "}
        {badge(note.status)}
      </>
    );
    const shown = (
      <div class="cols">
        <Part title="Where it comes from">
          <Chain note={note} />
        </Part>
        <NotePanel note={note} />
      </div>
    );
    return { title: `Note ${note.id}`, heading: note.fact, lead, live: ["notes"], shown };
  },
  "/memory/people": (data, { query }) => {
    const asked = viewersQuery.parse(query);
    const { q } = asked;
    const { items, next } = listViewers(data, asked);
    const search = { type: "search", class: "wide", value: q, maxlength: 60 };
    const shown = (
      <>
        <Search action="/memory/people">{input("Whose login begins with", "q", search)}</Search>
        {items.length === 0 ? (
          <Empty>{q === "" ? "Nobody was seen yet." : "Nobody is called that."}</Empty>
        ) : (
          <Table label="People" columns={PEOPLE_COLUMNS}>
            {items.map((one) => (
              <tr id={`person-${one.userId}`}>
                <td>
                  <a href={personHref(one.userId)}>{one.displayName}</a>{" "}
                  {one.role === "viewer" ? null : badge("", one.role)}{" "}
                  {one.optedOut ? badge("pending", "opted out") : null}
                </td>
                <td class="n">{count(one.notes)}</td>
                <td class="n only-wide">{count(one.messages)}</td>
                <td class="n only-wide">{count(one.streams)}</td>
                <td>
                  <When ms={one.lastSeenAtMs} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        {more(nextPage("/memory/people", { q }, next), q ? "More of that name" : "Seen earlier")}
      </>
    );
    return { title: "People", tabs: TABS, shown };
  },
  "/memory/people/:id": (data, { params, query }) => {
    const userId = params["id"] ?? "";
    const record = showViewer(data, userId, query["named"] !== undefined);
    const { accounts } = record;
    const named = (accounts.find((one) => one.userId === userId) ?? accounts[0])?.displayName;
    const name = named ?? "someone";
    const all = { viewer: `id:${userId}`, status: "all" };
    const { items, next } = listNotes(data, notesQuery.parse(all));
    const kept = items.filter(({ status }) => status !== "superseded" && status !== "expired");
    const hasMore = next !== null || kept.length < items.length;
    const rest = "ith what was replaced or ran out";
    const address = `/api/viewers/${encodeURIComponent(userId)}`;
    const shown = (
      <div class="cols">
        <div>
          <Part title="What is known">
            {record.optedOut ? (
              <p class="notice">They opted out: nothing of what they write is kept.</p>
            ) : null}
            {noteList(kept, "Nothing.")}
            {more(
              hasMore ? withQuery("/memory", all) : null,
              next === null ? `W${rest}` : `All notes, w${rest}`,
            )}
          </Part>
          <Part title="Took part in">
            {episodeLinks(record.episodes.slice(-EPISODES_OPEN))}
            {folded(
              "earlier",
              record.episodes.slice(0, -EPISODES_OPEN),
              "earlier summaries",
              (all) => episodeLinks(all),
            )}
          </Part>
        </div>
        <PersonPanel record={record} address={address} named={query["named"] !== undefined} />
      </div>
    );
    return {
      title: "A person",
      heading: name,
      lead: accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", "),
      aside: (
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
            Every note, claim, line and name of theirs goes, from every table and from the backups
            that the program made. This cannot be undone.
          </Confirm>
        </div>
      ),
      live: ["notes"],
      shown,
    };
  },
  "/memory/streams": ({ browse }, { query }) => {
    const { after } = listQuery.parse(query);
    const { items, next } = browse.streams({ after, limit: STREAMS_SHOWN });
    const failed = browse.episodes({ status: "failed", limit: STREAM_EPISODES }).items;
    const shown = (
      <>
        {failed.length === 0 ? null : (
          <Part title="Could not be summarised">{episodeList(failed)}</Part>
        )}
        {items.length === 0 ? <Empty>No stream was seen yet.</Empty> : null}
        {items.map(({ id, channel, startedAtMs, endedAtMs, recap }) => (
          <section id={`stream-${id}`}>
            <h2>
              Stream {id}{" "}
              <span class="soft small">
                #{channel}, <When ms={startedAtMs} />
                {endedAtMs === null ? ", still on" : ""}
              </span>
            </h2>
            {recap === null ? null : <p class="note-card quote">{recap}</p>}
            {episodeList(browse.episodesOf(id, STREAM_EPISODES))}
            <p class="small">
              <a href={`/telemetry?session=${id}`}>Its figures</a> ·{" "}
              <a href={`/review?session=${id}`}>Review it</a>
            </p>
          </section>
        ))}
        {more(nextPage("/memory/streams", {}, next), "Earlier streams")}
      </>
    );
    return { title: "Streams", tabs: TABS, live: ["episodes"], shown };
  },
  "/memory/episodes/:id": (data, { params }) => {
    const episode = showEpisode(data, idIn(params));
    const { id, topic, kind, eventCount, endedAtMs, status } = episode;
    return {
      title: `Episode ${id}`,
      heading: topic || `Episode ${id}`,
      lead: (
        <>
          {`${plain(kind)} of ${plural(eventCount, "line")}, `}
          <When ms={endedAtMs} /> · {badge(status)}
        </>
      ),
      aside: retry(episode),
      live: ["episodes", "notes"],
      shown: <EpisodeView episode={episode} notes={notesIn(data).notesOfEpisode(id)} />,
    };
  },
};

/** Notes, each with its buttons. */
export function noteList(notes: readonly ListedNote[], none: string) {
  return list(notes, none, (note) => {
    const { id, kind, pinned, status, evidence, expiresAtMs } = note;
    return (
      <Item id={`note-${id}`}>
        <div class="noted">
          <div>
            <p class="fact" id={`fact-${id}`}>
              <a href={`/memory/notes/${id}`}>{note.fact}</a>
            </p>
            <div class="meta">
              {subject(note)}
              {note.scope === "bit" ? null : <span>{plain(kind)}</span>}
              {status === "active" ? null : badge(status)}
              {pinned ? badge("blue", "pinned") : null}
              <span>{evidence === 1 ? "said once" : `said ${evidence} times`}</span>
              <When ms={note.lastConfirmedAtMs} />
              {expiresAtMs === null ? null : (
                <span>
                  fades <When ms={expiresAtMs} />
                </span>
              )}
            </div>
          </div>
          {noteActs(note, `fact-${id}`)}
        </div>
      </Item>
    );
  });
}

/** Whom a note is about. */
function subject({ about, subjectId, scope }: ListedNote, before = "") {
  if (subjectId === null)
    return <span>{scope === "bit" ? `${before && "A "}running bit` : `${before}the channel`}</span>;
  return (
    <>
      {before}
      <a href={personHref(subjectId)}>{about}</a>
    </>
  );
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
    <div class="acts">
      {waits ? act(change, "Approve", approve) : null}
      {waits || isActive ? act(change, "Reject", reject) : null}
      {isActive ? act(change, pinned ? "Unpin" : "Pin", pin) : null}
      {isOver ? act(`post /api/notes/${id}/undo`, "Undo", { about }) : null}
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

type ShownNote = ReturnType<typeof showNote>;

function NotePanel({ note }: { note: ShownNote }) {
  const change = `patch /api/notes/${note.id}`;
  const fact = { required: true, maxlength: 200, rows: 2 };
  const fades = note.expiresAtMs !== null && (
    <>
      fades <When ms={note.expiresAtMs} />, unless somebody says it again
    </>
  );
  return (
    <div>
      <section data-item="" tabindex={-1} id={`note-${note.id}`}>
        <h2>Put it right</h2>
        {noteActs(note)}
        <Fill to={change} yes="Write this in its place">
          {lines("What is true instead", "fact", note.fact, fact)}
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
      <Part title="Figures">
        {facts([
          ["Kind", plain(note.kind)],
          ["Topics", note.topics || "none"],
          ["Confidence", percent(note.confidence)],
          ["Weight", WEIGHTS[1 + Math.round(note.importance * 10)]?.[1] ?? "some"],
          ["First known", <When ms={note.createdAtMs} />],
          ["Last confirmed", <When ms={note.lastConfirmedAtMs} />],
          ["In prompts", plural(note.useCount, "time")],
          ["Lives", fades || "for good"],
        ])}
      </Part>
    </div>
  );
}

function Chain({ note }: { note: ShownNote }) {
  const other = (id: number, label: string) => <a href={`/memory/notes/${id}`}>{label}</a>;
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
                {topic || `${plain(episodeKind)} ${episodeId}`}
              </a>
            </div>
            {claim === null ? <p class="gone">What was claimed was taken back.</p> : null}
            {claim === null ? null : <p class="fact">{claim}</p>}
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

function PersonPanel({
  record,
  address,
  named,
}: {
  record: ViewerRecord;
  address: string;
  named: boolean;
}) {
  const { channels, lines: stored, linesWithText, asked, answered, suppressedTopics } = record;
  const { claims, namedIn } = record;
  const inChannels = channels.map((one): [string, Child] => [
    `#${one.channel}`,
    <>
      {`${plural(one.messages, "message")} in ${plural(one.streams, "stream")}, since `}
      <When ms={one.firstSeenAtMs} />
    </>,
  ]);
  return (
    <div>
      <Part title="Figures">
        {facts([
          ...inChannels,
          ["Lines still here", `${count(stored)}, ${count(linesWithText)} with their words`],
          ["Asked the bot", `${plural(asked, "time")}, answered ${count(answered)}`],
          [
            "Never to be learned",
            suppressedTopics === 0 ? "nothing" : plural(suppressedTopics, "topic"),
          ],
        ])}
      </Part>
      {folded("claimed", claims, "sentences that they said", (all) =>
        list(
          all,
          "",
          ({ episodeId, statement, withdrawnAtMs }) => (
            <li>
              <a href={`/memory/episodes/${episodeId}`}>{statement}</a>
              {withdrawnAtMs === null ? "" : ", taken back"}
            </li>
          ),
          "list small",
        ),
      )}
      <Part title="One person, two accounts?">
        <Form to={`post ${address}/merge`} look="row">
          <label>
            <span class="unseen">Login of the account that leads</span>
            <input name="into" required maxlength={60} placeholder="the login that leads" />
          </label>
          <button type="submit">Make them one</button>
        </Form>
        {record.accounts.length > 1 ? (
          <p class="more">
            {act(`post ${address}/separate`, "Take this account out again", { look: "quiet" })}
          </p>
        ) : null}
      </Part>
      {named ? null : (
        <p class="small">
          <a href="?named=">Where others name them</a>: every sentence is looked through for it.
        </p>
      )}
      {folded("named-in", namedIn, "sentences that name them", (all) =>
        list(all, "", (text) => <li>{text}</li>, "list small"),
      )}
    </div>
  );
}

/** All of a list, behind how many there are. */
function folded<T>(id: string, of: readonly T[], what: string, draw: (all: readonly T[]) => Child) {
  return of.length === 0 ? null : (
    <details class="fold" id={id}>
      <summary>{`${count(of.length)} ${what}`}</summary>
      {draw(of)}
    </details>
  );
}

function episodeLinks(episodes: ViewerRecord["episodes"]) {
  return list(episodes.toReversed(), "No summary names them.", ({ id, topic, endedAtMs }) => (
    <li>
      <a href={`/memory/episodes/${id}`}>{topic || `Episode ${id}`}</a>{" "}
      <span class="soft small">
        <When ms={endedAtMs} />
      </span>
    </li>
  ));
}

function retry({ id, status }: { id: number; status: string }) {
  return status === "failed" ? act(`post /api/episodes/${id}/retry`, "Try again") : null;
}

const PEOPLE_SHOWN = 8;

function episodeList(episodes: readonly EpisodeRow[]) {
  const draw = (one: EpisodeRow) => (
    <li id={`episode-${one.id}`}>
      <p class="fact">
        <a href={`/memory/episodes/${one.id}`}>{one.topic || `${plain(one.kind)} ${one.id}`}</a>
      </p>
      <div class="meta">
        <When ms={one.endedAtMs} />
        <span>{plural(one.eventCount, "line")}</span>
        <span>
          {names(one.people.slice(0, PEOPLE_SHOWN))}
          {one.people.length > PEOPLE_SHOWN ? " and others" : ""}
        </span>
        <span>{plural(one.notes, "note")}</span>
        {one.status === "done" ? null : badge(one.status)}
        {retry(one)}
      </div>
    </li>
  );
  return list(episodes, "Nothing of it was summarised.", draw, "chain");
}

/** One summary with its claims and the notes that rest on them. */
function EpisodeView(given: {
  episode: ReturnType<typeof showEpisode>;
  notes: readonly ListedNote[];
}) {
  const { summary, claims, participants } = given.episode;
  return (
    <>
      <section>
        {summary === "" ? <Empty>It has no summary.</Empty> : null}
        {summary === "" ? null : <p class="note-card quote">{summary}</p>}
      </section>
      <div class="pair">
        <Part title="What was claimed">
          {list(claims, "Nothing.", ({ subject: about, statement, support, withdrawn }) => (
            <li>
              <p class="fact">{statement}</p>
              <div class="meta">
                <span>{about ?? "the channel"}</span>
                <span>{`${plural(support, "line")} behind it`}</span>
                {withdrawn ? badge("rejected", "taken back") : null}
              </div>
            </li>
          ))}
        </Part>
        <div>
          <Part title="What came of it">{noteList(given.notes, "No note rests on it.")}</Part>
          <Part title="Who was there">
            <p>{participants.length === 0 ? "nobody that is known" : names(participants)}</p>
          </Part>
        </div>
      </div>
    </>
  );
}
