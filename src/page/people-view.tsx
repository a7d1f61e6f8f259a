import type { Child } from "hono/jsx";
import { count, plural } from "../telemetry/figures.ts";
import type { ListedNote } from "./browse-notes-store.ts";
import type { ListPage } from "./browse-store.ts";
import { MEMORY_TABS, NOTES, NoteList } from "./memory-view.tsx";
import { listNotes, notesQuery } from "./notes-routes.ts";
import {
  Act,
  Badge,
  Confirm,
  Empty,
  FactList,
  Form,
  Input,
  List,
  More,
  nextPage,
  Part,
  personHref,
  Search,
  Table,
  When,
  withQuery,
} from "./parts.tsx";
import { listViewers, showViewer, viewersQuery } from "./people-routes.ts";
import type { Given } from "./route.ts";
import { STREAMS } from "./streams-view.tsx";
import type { Views } from "./views.tsx";

/** Notes, people with all that is kept about them, and streams as a line of time. */
export const MEMORY: Views = {
  ...NOTES,
  "/memory/people": (data, { query }) => ({
    title: "People",
    tabs: MEMORY_TABS,
    shown: <PeopleFound data={data} query={query} />,
  }),
  "/memory/people/:id": async (data, { params, query }) => {
    const userId = params["id"] ?? "";
    const record = await showViewer(data, userId, query["named"] !== undefined);
    const { accounts } = record;
    const name = (accounts.find((one) => one.userId === userId) ?? accounts[0])?.displayName;
    const notes = await listNotes(data, notesQuery.parse(allOf(userId)));
    return {
      title: "A person",
      heading: name ?? "someone",
      lead: accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", "),
      aside: <PersonActs userId={userId} name={name ?? "someone"} />,
      live: ["notes"],
      shown: <PersonView userId={userId} record={record} notes={notes} />,
    };
  },
  ...STREAMS,
};

const COLUMNS = [
  ["Who", ""],
  ["Notes", "n"],
  ["Messages", "n only-wide"],
  ["Streams", "n only-wide"],
  ["Last seen", ""],
] as const;

function PeopleFound({ data, query }: Given) {
  const asked = viewersQuery.parse(query);
  const { q } = asked;
  const { items, next } = listViewers(data, asked);
  return (
    <>
      <Search action="/memory/people">
        <Input
          label="Whose login begins with"
          look="wide"
          type="search"
          name="q"
          value={q}
          maxlength={60}
        />
      </Search>
      {items.length === 0 ? (
        <Empty>{q === "" ? "Nobody was seen yet." : "Nobody is called that."}</Empty>
      ) : (
        <Table label="People" columns={COLUMNS}>
          {items.map((one) => (
            <tr id={`person-${one.userId}`}>
              <td>
                <a href={personHref(one.userId)}>{one.displayName}</a>{" "}
                {one.role === "viewer" ? null : <Badge code="">{one.role}</Badge>}{" "}
                {one.optedOut ? <Badge code="pending">opted out</Badge> : null}
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
      <More href={nextPage("/memory/people", { q }, next)}>
        {q === "" ? "Seen earlier" : "More of that name"}
      </More>
    </>
  );
}

type ViewerRecord = Awaited<ReturnType<typeof showViewer>>;

interface PersonGiven {
  readonly userId: string;
  readonly record: ViewerRecord;
}

const allOf = (userId: string) => ({ viewer: `id:${userId}`, status: "all" });

const actionOf = (userId: string) => `/api/viewers/${encodeURIComponent(userId)}`;

function PersonActs({ userId, name }: { userId: string; name: string }) {
  const action = actionOf(userId);
  return (
    <div class="acts">
      <a class="button" href={`${action}/export`} download={`viewer-${userId}.json`}>
        Export
      </a>
      <Confirm
        id="forget-person"
        label="Forget everything …"
        to={`delete ${action}`}
        yes={`Forget ${name}`}
      >
        Every note, claim, line and name of theirs goes, from every table and from the backups that
        the program made. This cannot be undone.
      </Confirm>
    </div>
  );
}

function PersonView({
  userId,
  record,
  notes: { items, next },
}: PersonGiven & { readonly notes: ListPage<ListedNote> }) {
  const { optedOut, episodes, claims, namedIn } = record;
  const kept = items.filter(({ status }) => status !== "superseded" && status !== "expired");
  const hasMore = next !== null || kept.length < items.length;
  return (
    <div class="cols">
      <div>
        <section>
          <h2>What is known</h2>
          {optedOut ? (
            <p class="notice">They opted out: nothing of what they write is kept.</p>
          ) : null}
          <NoteList notes={kept} none="Nothing." />
          <More href={hasMore ? withQuery("/memory", allOf(userId)) : null}>
            {next === null
              ? "With what was replaced or ran out"
              : "All notes, with what was replaced or ran out"}
          </More>
        </section>
        <Part title="Took part in">
          <EpisodeLinks episodes={episodes.slice(-EPISODES_OPEN)} />
          <Folded id="earlier" rows={episodes.slice(0, -EPISODES_OPEN)} what="earlier summaries">
            {(earlier) => <EpisodeLinks episodes={earlier} />}
          </Folded>
        </Part>
      </div>
      <div>
        <Part title="Figures">
          <PersonFigures record={record} />
        </Part>
        <Folded id="claimed" rows={claims} what="sentences that they said">
          {(said) => (
            <ul class="small">
              {said.map(({ episodeId, statement, withdrawnAtMs }) => (
                <li>
                  <a href={`/memory/episodes/${episodeId}`}>{statement}</a>
                  {withdrawnAtMs === null ? "" : ", taken back"}
                </li>
              ))}
            </ul>
          )}
        </Folded>
        <Part title="One person, two accounts?">
          <Accounts userId={userId} record={record} />
        </Part>
        <p class="small">
          <a href={`${personHref(userId)}?named=`}>Where others name them</a>: every sentence is
          looked through for it.
        </p>
        <Folded id="named-in" rows={namedIn} what="sentences that name them">
          {(sentences) => (
            <ul class="small">
              {sentences.map((text) => (
                <li>{text}</li>
              ))}
            </ul>
          )}
        </Folded>
      </div>
    </div>
  );
}

const EPISODES_OPEN = 20;

/** All of a list, behind how many there are. */
function Folded<T>({
  id,
  rows,
  what,
  children,
}: {
  id: string;
  rows: readonly T[];
  what: string;
  children: (rows: readonly T[]) => unknown;
}) {
  if (rows.length === 0) return null;
  return (
    <details class="fold" id={id}>
      <summary>{`${count(rows.length)} ${what}`}</summary>
      {children(rows)}
    </details>
  );
}

function EpisodeLinks({ episodes }: { episodes: ViewerRecord["episodes"] }) {
  return (
    <List of={episodes.toReversed()} none="No summary names them.">
      {({ id, topic, endedAtMs }) => (
        <li>
          <a href={`/memory/episodes/${id}`}>{topic || `Episode ${id}`}</a>{" "}
          <span class="soft small">
            <When ms={endedAtMs} />
          </span>
        </li>
      )}
    </List>
  );
}

function PersonFigures({ record }: { record: ViewerRecord }) {
  const { channels, lines, linesWithText, asked, answered, suppressedTopics } = record;
  const never = suppressedTopics === 0 ? "nothing" : plural(suppressedTopics, "topic");
  const inChannels = channels.map((one): [string, Child] => [
    `#${one.channel}`,
    <>
      {`${plural(one.messages, "message")} in ${plural(one.streams, "stream")}, since `}
      <When ms={one.firstSeenAtMs} />
    </>,
  ]);
  return (
    <FactList
      rows={[
        ...inChannels,
        ["Lines still here", `${count(lines)}, ${count(linesWithText)} with their words`],
        ["Asked the bot", `${plural(asked, "time")}, answered ${count(answered)}`],
        ["Never to be learned", never],
      ]}
    />
  );
}

function Accounts({ userId, record }: PersonGiven) {
  const action = actionOf(userId);
  return (
    <>
      <Form to={`post ${action}/merge`} look="row">
        <label>
          <span class="unseen">Login of the account that leads</span>
          <input name="into" required maxlength={60} placeholder="the login that leads" />
        </label>
        <button type="submit">Make them one</button>
      </Form>
      {record.accounts.length > 1 ? (
        <p class="more">
          <Act to={`post ${action}/separate`} look="quiet">
            Take this account out again
          </Act>
        </p>
      ) : null}
    </>
  );
}
