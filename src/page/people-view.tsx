import type { ViewerRecord } from "../privacy/viewer-record-store.ts";
import { count } from "../telemetry/figures.ts";
import type { Listed, NoteRow } from "./browse-notes-store.ts";
import type { EpisodeRow, StreamRow, ViewerRow } from "./browse-store.ts";
import { MEMORY_TABS, NoteList } from "./memory-view.tsx";
import {
  Act,
  Badge,
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
import type { showEpisode } from "./record-routes.ts";

/** The people of the channel, those seen last first. */
export function PeopleView({ people, q }: { people: Listed<ViewerRow>; q: string }) {
  return (
    <>
      <div class="head">
        <h1>People</h1>
      </div>
      <Tabs label="Parts of memory" at="/memory/people" tabs={MEMORY_TABS} />
      <form class="filters" data-search="" action="/memory/people" method="get">
        <label class="wide">
          <span>Whose login begins with</span>
          <input type="search" name="q" value={q} maxlength={60} />
        </label>
        <button type="submit" class="unseen">
          Search
        </button>
      </form>
      {people.items.length === 0 ? (
        <Empty>Nobody is called that.</Empty>
      ) : (
        <section class="scroll" tabindex={0} aria-label="People">
          <table>
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col" class="n">
                  Notes
                </th>
                <th scope="col" class="n only-wide">
                  Messages
                </th>
                <th scope="col" class="n only-wide">
                  Streams
                </th>
                <th scope="col">Last seen</th>
              </tr>
            </thead>
            <tbody>
              {people.items.map((one) => (
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
      {people.next === null ? null : (
        <More href={withQuery("/memory/people", { q, after: people.next })}>
          {q === "" ? "Seen earlier" : "More of that name"}
        </More>
      )}
    </>
  );
}

/** All that is kept about one person. */
export function PersonView({
  userId,
  record,
  notes,
}: {
  userId: string;
  record: ViewerRecord;
  notes: readonly NoteRow[];
}) {
  const [first] = record.accounts;
  const name =
    record.accounts.find((one) => one.userId === userId)?.displayName ??
    first?.displayName ??
    "someone";
  const waiting = notes.filter(({ status }) => status !== "superseded" && status !== "expired");
  return (
    <>
      <div class="head">
        <div>
          <h1>{name}</h1>
          <p class="lead">
            {record.accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", ")}
          </p>
        </div>
        <div class="acts">
          <a
            class="button"
            href={`/api/viewers/${encodeURIComponent(userId)}/export`}
            download={`viewer-${userId}.json`}
          >
            Export
          </a>
          <Confirm
            id="forget-person"
            label="Forget everything …"
            text="Every note, claim, line and name of theirs goes, from every table and from the backups that the program made. This cannot be undone."
            action={`/api/viewers/${encodeURIComponent(userId)}`}
            fields={{ _method: "delete" }}
            yes={`Forget ${name}`}
          />
        </div>
      </div>
      <div class="cols">
        <div>
          <section>
            <h2>What is known</h2>
            {record.optedOut ? (
              <p class="notice">They opted out: nothing of what they write is kept.</p>
            ) : null}
            {waiting.length === 0 ? <Empty>Nothing.</Empty> : <NoteList notes={waiting} />}
          </section>
          <section>
            <h2>Took part in</h2>
            {record.episodes.length === 0 ? <Empty>No summary names them.</Empty> : null}
            <ul class="list">
              {record.episodes
                .slice(-20)
                .reverse()
                .map(({ id, topic, endedAtMs }) => (
                  <li>
                    <a href={`/memory/episodes/${id}`}>{topic || `Episode ${id}`}</a>{" "}
                    <span class="soft small">
                      <When ms={endedAtMs} />
                    </span>
                  </li>
                ))}
            </ul>
          </section>
        </div>
        <div>
          <section>
            <h2>Figures</h2>
            <PersonFigures record={record} />
          </section>
          <section>
            <h2>One person, two accounts?</h2>
            <Accounts userId={userId} record={record} />
          </section>
          <p class="small">
            <a href={`${personHref(userId)}?named=`}>Where others name them</a>: every sentence is
            looked through for it.
          </p>
          {record.namedIn.length === 0 ? null : (
            <section>
              <details class="fold" id="named-in">
                <summary>{`Named in ${count(record.namedIn.length)} sentences`}</summary>
                <ul class="small">
                  {record.namedIn.slice(0, 20).map((text) => (
                    <li>{text}</li>
                  ))}
                </ul>
              </details>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function PersonFigures({ record }: { record: ViewerRecord }) {
  return (
    <dl class="facts">
      {record.channels.map((one) => (
        <>
          <dt>{`#${one.channel}`}</dt>
          <dd>
            {`${count(one.messages)} messages in ${count(one.streams)} streams, since `}
            <When ms={one.firstSeenAtMs} />
          </dd>
        </>
      ))}
      <dt>Lines still here</dt>
      <dd>{`${count(record.lines)}, ${count(record.linesWithText)} with their words`}</dd>
      <dt>Asked the bot</dt>
      <dd>{`${count(record.asked)} times, answered ${count(record.answered)}`}</dd>
      <dt>Claims</dt>
      <dd>{count(record.claims.length)}</dd>
      <dt>Never to be learned</dt>
      <dd>{record.suppressedTopics === 0 ? "nothing" : `${record.suppressedTopics} topics`}</dd>
    </dl>
  );
}

function Accounts({ userId, record }: { userId: string; record: ViewerRecord }) {
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

/** Streams as a line of time: what was talked of, by whom, and what came of it. */
export function StreamsView({
  streams,
  failed,
}: {
  streams: Listed<StreamRow & { readonly episodes: readonly EpisodeRow[] }>;
  failed: readonly EpisodeRow[];
}) {
  return (
    <>
      <div class="head">
        <h1>Streams</h1>
      </div>
      <Tabs label="Parts of memory" at="/memory/streams" tabs={MEMORY_TABS} />
      {failed.length === 0 ? null : (
        <section>
          <h2>Could not be summarised</h2>
          <Episodes episodes={failed} />
        </section>
      )}
      {streams.items.length === 0 ? <Empty>No stream was seen yet.</Empty> : null}
      {streams.items.map((stream) => (
        <section id={`stream-${stream.id}`}>
          <h2>
            Stream {stream.id}{" "}
            <span class="soft small">
              #{stream.channel}, <When ms={stream.startedAtMs} />
              {stream.endedAtMs === null ? ", still on" : ""}
            </span>
          </h2>
          {stream.recap === null ? null : <p class="note-card quote">{stream.recap}</p>}
          {stream.episodes.length === 0 ? (
            <Empty>Nothing of it was summarised.</Empty>
          ) : (
            <Episodes episodes={stream.episodes} />
          )}
          <p class="small">
            <a href={`/telemetry?session=${stream.id}`}>Its figures</a> ·{" "}
            <a href={`/review?session=${stream.id}`}>Review it</a>
          </p>
        </section>
      ))}
      {streams.next === null ? null : (
        <More href={withQuery("/memory/streams", { after: streams.next })}>Earlier streams</More>
      )}
    </>
  );
}

function Episodes({ episodes }: { episodes: readonly EpisodeRow[] }) {
  return (
    <ol class="chain">
      {episodes.map((one) => (
        <li id={`episode-${one.id}`}>
          <p class="fact">
            <a href={`/memory/episodes/${one.id}`}>{one.topic || `${plain(one.kind)} ${one.id}`}</a>
          </p>
          <div class="meta">
            <When ms={one.endedAtMs} />
            <span>{`${count(one.eventCount)} lines`}</span>
            <span>
              {one.people.slice(0, 8).join(", ")}
              {one.people.length > 8 ? " and others" : ""}
            </span>
            <span>{one.notes === 1 ? "1 note" : `${one.notes} notes`}</span>
            {one.status === "done" ? null : <Badge code={one.status} />}
            {one.status === "failed" ? (
              <Act action={`/api/episodes/${one.id}/retry`}>Try again</Act>
            ) : null}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** One summary with its claims and what came of them. */
export function EpisodeView({
  episode,
  notes,
}: {
  episode: ReturnType<typeof showEpisode>;
  notes: readonly NoteRow[];
}) {
  return (
    <>
      <div class="head">
        <div>
          <h1>{episode.topic || `Episode ${episode.id}`}</h1>
          <p class="lead">
            {`${plain(episode.kind)} of ${count(episode.eventCount)} lines, `}
            <When ms={episode.endedAtMs} /> · <Badge code={episode.status} />
          </p>
        </div>
        {episode.status === "failed" ? (
          <Act action={`/api/episodes/${episode.id}/retry`}>Try again</Act>
        ) : null}
      </div>
      <section>
        {episode.summary === "" ? (
          <Empty>It has no summary.</Empty>
        ) : (
          <p class="note-card quote">{episode.summary}</p>
        )}
      </section>
      <div class="pair">
        <section>
          <h2>What was claimed</h2>
          {episode.claims.length === 0 ? <Empty>Nothing.</Empty> : null}
          <ul class="list">
            {episode.claims.map(({ subject, statement, support, withdrawn }) => (
              <li>
                <p class="fact">{statement}</p>
                <div class="meta">
                  <span>{subject ?? "the channel"}</span>
                  <span>{`${support} lines behind it`}</span>
                  {withdrawn ? <Badge code="rejected">taken back</Badge> : null}
                </div>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>What came of it</h2>
          {notes.length === 0 ? <Empty>No note rests on it.</Empty> : <NoteList notes={notes} />}
          <h3>Who was there</h3>
          <p>{episode.participants.join(", ") || "nobody that is known"}</p>
        </section>
      </div>
    </>
  );
}
