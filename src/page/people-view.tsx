import { count, plural } from "../telemetry/figures.ts";
import type { ListedNote } from "./browse-notes-store.ts";
import type { ListPage } from "./browse-store.ts";
import { MemoryTabs, NOTES, NoteList } from "./memory-view.tsx";
import { listNotes, notesQuery } from "./notes-routes.ts";
import {
  Act,
  Badge,
  Confirm,
  Empty,
  FactList,
  Head,
  Hidden,
  More,
  Part,
  personHref,
  Search,
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
    shown: (
      <>
        <Head title="People" />
        <MemoryTabs at="/memory/people" />
        <PeopleFound data={data} query={query} />
      </>
    ),
  }),
  "/memory/people/:id": async (data, { params, query }) => {
    const userId = params["id"] ?? "";
    const record = await showViewer(data, userId, query["named"] !== undefined);
    const notes = await listNotes(data, notesQuery.parse(allOf(userId)));
    const shown = <PersonView userId={userId} record={record} notes={notes} />;
    return { title: "A person", live: ["notes"], shown };
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

/** The people of the channel, those seen last first. */
function PeopleFound({ data, query }: Given) {
  const asked = viewersQuery.parse(query);
  const { q } = asked;
  const { items, next } = listViewers(data, asked);
  return (
    <>
      <Search action="/memory/people">
        <label class="wide">
          <span>Whose login begins with</span>
          <input type="search" name="q" value={q} maxlength={60} />
        </label>
      </Search>
      {items.length === 0 ? (
        <Empty>Nobody is called that.</Empty>
      ) : (
        <section class="scroll" tabindex={0} aria-label="People">
          <table>
            <thead>
              <tr>
                {COLUMNS.map(([title, look]) => (
                  <th scope="col" class={look}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </section>
      )}
      {next === null ? null : (
        <More href={withQuery("/memory/people", { q, after: next })}>
          {q === "" ? "Seen earlier" : "More of that name"}
        </More>
      )}
    </>
  );
}

type ViewerRecord = Awaited<ReturnType<typeof showViewer>>;

interface PersonGiven {
  readonly userId: string;
  readonly record: ViewerRecord;
}

const allOf = (userId: string) => ({ viewer: `id:${userId}`, status: "all" });

/** All that is kept about one person. */
function PersonView({
  userId,
  record,
  notes,
}: PersonGiven & { readonly notes: ListPage<ListedNote> }) {
  const { accounts, optedOut, episodes, claims, namedIn } = record;
  const own = accounts.find((one) => one.userId === userId) ?? accounts[0];
  const name = own?.displayName ?? "someone";
  const action = `/api/viewers/${encodeURIComponent(userId)}`;
  const { items, next } = notes;
  const kept = items.filter(({ status }) => status !== "superseded" && status !== "expired");
  return (
    <>
      <Head
        title={name}
        lead={accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", ")}
      >
        <div class="acts">
          <a class="button" href={`${action}/export`} download={`viewer-${userId}.json`}>
            Export
          </a>
          <Confirm
            id="forget-person"
            label="Forget everything …"
            text="Every note, claim, line and name of theirs goes, from every table and from the backups that the program made. This cannot be undone."
            action={action}
            fields={{ _method: "delete" }}
            yes={`Forget ${name}`}
          />
        </div>
      </Head>
      <div class="cols">
        <div>
          <section>
            <h2>What is known</h2>
            {optedOut ? (
              <p class="notice">They opted out: nothing of what they write is kept.</p>
            ) : null}
            {kept.length === 0 ? <Empty>Nothing.</Empty> : <NoteList notes={kept} />}
            {next === null && kept.length === items.length ? null : (
              <More href={withQuery("/memory", allOf(userId))}>
                {next === null
                  ? "With what was replaced or ran out"
                  : "All notes, with what was replaced or ran out"}
              </More>
            )}
          </section>
          <Part title="Took part in" isEmpty={episodes.length === 0} none="No summary names them.">
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
    </>
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
    <ul class="list">
      {episodes.toReversed().map(({ id, topic, endedAtMs }) => (
        <li>
          <a href={`/memory/episodes/${id}`}>{topic || `Episode ${id}`}</a>{" "}
          <span class="soft small">
            <When ms={endedAtMs} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function PersonFigures({ record }: { record: ViewerRecord }) {
  const { channels, lines, linesWithText, asked, answered, suppressedTopics } = record;
  return (
    <FactList
      rows={[
        ...channels.map(
          (one) =>
            [
              `#${one.channel}`,
              <>
                {`${plural(one.messages, "message")} in ${plural(one.streams, "stream")}, since `}
                <When ms={one.firstSeenAtMs} />
              </>,
            ] as const,
        ),
        ["Lines still here", `${count(lines)}, ${count(linesWithText)} with their words`],
        ["Asked the bot", `${plural(asked, "time")}, answered ${count(answered)}`],
        [
          "Never to be learned",
          suppressedTopics === 0 ? "nothing" : plural(suppressedTopics, "topic"),
        ],
      ]}
    />
  );
}

function Accounts({ userId, record }: PersonGiven) {
  const action = `/api/viewers/${encodeURIComponent(userId)}`;
  return (
    <>
      <form method="post" action={`${action}/merge`} class="row">
        <Hidden />
        <label>
          <span class="unseen">Login of the account that leads</span>
          <input name="into" required maxlength={60} placeholder="the login that leads" />
        </label>
        <button type="submit">Make them one</button>
      </form>
      {record.accounts.length > 1 ? (
        <p class="more">
          <Act action={`${action}/separate`} look="quiet">
            Take this account out again
          </Act>
        </p>
      ) : null}
    </>
  );
}
