import { plural } from "../telemetry/figures.ts";
import { notesIn } from "./browse-notes-store.ts";
import type { EpisodeRow } from "./browse-store.ts";
import { MEMORY_TABS, NoteList } from "./memory-view.tsx";
import { Act, Badge, Empty, List, More, Names, nextPage, Part, plain, When } from "./parts.tsx";
import { showEpisode } from "./record-routes.ts";
import { idIn, listQuery, type PageData } from "./route.ts";
import type { Views } from "./views.tsx";

const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;

/** Streams as a line of time, and what was said in each. */
export const STREAMS: Views = {
  "/memory/streams": (data, { query }) => ({
    title: "Streams",
    tabs: MEMORY_TABS,
    live: ["episodes"],
    shown: <StreamsFound data={data} after={listQuery.parse(query).after} />,
  }),
  "/memory/episodes/:id": (data, { params }) => {
    const episode = showEpisode(data, idIn(params));
    const { id, topic, kind, eventCount, endedAtMs, status } = episode;
    const lead = (
      <>
        {`${plain(kind)} of ${plural(eventCount, "line")}, `}
        <When ms={endedAtMs} /> · <Badge code={status} />
      </>
    );
    return {
      title: `Episode ${id}`,
      heading: topic || `Episode ${id}`,
      lead,
      aside: <Retry of={episode} />,
      live: ["episodes", "notes"],
      shown: <EpisodeView data={data} episode={episode} />,
    };
  },
};

/** What was talked of, by whom, and what came of it; what failed, first. */
function StreamsFound({ data, after }: { data: PageData; after: number | undefined }) {
  const { browse } = data;
  const { items, next } = browse.streams({ after, limit: STREAMS_SHOWN });
  const failed = browse.episodes({ status: "failed", limit: STREAM_EPISODES }).items;
  return (
    <>
      {failed.length === 0 ? null : (
        <Part title="Could not be summarised">
          <Episodes episodes={failed} />
        </Part>
      )}
      {items.length === 0 ? <Empty>No stream was seen yet.</Empty> : null}
      {items.map((stream) => (
        <section id={`stream-${stream.id}`}>
          <h2>
            Stream {stream.id}{" "}
            <span class="soft small">
              #{stream.channel}, <When ms={stream.startedAtMs} />
              {stream.endedAtMs === null ? ", still on" : ""}
            </span>
          </h2>
          {stream.recap === null ? null : <p class="note-card quote">{stream.recap}</p>}
          <Episodes episodes={browse.episodesOf(stream.id, STREAM_EPISODES)} />
          <p class="small">
            <a href={`/telemetry?session=${stream.id}`}>Its figures</a> ·{" "}
            <a href={`/review?session=${stream.id}`}>Review it</a>
          </p>
        </section>
      ))}
      <More href={nextPage("/memory/streams", {}, next)}>Earlier streams</More>
    </>
  );
}

function Retry({ of: { id, status } }: { of: { id: number; status: string } }) {
  return status === "failed" ? <Act to={`post /api/episodes/${id}/retry`}>Try again</Act> : null;
}

function Episodes({ episodes }: { episodes: readonly EpisodeRow[] }) {
  return (
    <List of={episodes} none="Nothing of it was summarised." look="chain">
      {(one) => (
        <li id={`episode-${one.id}`}>
          <p class="fact">
            <a href={`/memory/episodes/${one.id}`}>{one.topic || `${plain(one.kind)} ${one.id}`}</a>
          </p>
          <div class="meta">
            <When ms={one.endedAtMs} />
            <span>{plural(one.eventCount, "line")}</span>
            <span>
              <Names of={one.people.slice(0, 8)} />
              {one.people.length > 8 ? " and others" : ""}
            </span>
            <span>{plural(one.notes, "note")}</span>
            {one.status === "done" ? null : <Badge code={one.status} />}
            <Retry of={one} />
          </div>
        </li>
      )}
    </List>
  );
}

/** One summary with its claims and what came of them. */
function EpisodeView({
  data,
  episode,
}: {
  data: PageData;
  episode: ReturnType<typeof showEpisode>;
}) {
  const { id, summary, claims, participants } = episode;
  return (
    <>
      <section>
        {summary === "" ? (
          <Empty>It has no summary.</Empty>
        ) : (
          <p class="note-card quote">{summary}</p>
        )}
      </section>
      <div class="pair">
        <Part title="What was claimed">
          <List of={claims} none="Nothing.">
            {({ subject, statement, support, withdrawn }) => (
              <li>
                <p class="fact">{statement}</p>
                <div class="meta">
                  <span>{subject ?? "the channel"}</span>
                  <span>{`${plural(support, "line")} behind it`}</span>
                  {withdrawn ? <Badge code="rejected">taken back</Badge> : null}
                </div>
              </li>
            )}
          </List>
        </Part>
        <div>
          <Part title="What came of it">
            <NoteList notes={notesIn(data).notesOfEpisode(id)} none="No note rests on it." />
          </Part>
          <Part title="Who was there">
            <p>
              {participants.length === 0 ? "nobody that is known" : <Names of={participants} />}
            </p>
          </Part>
        </div>
      </div>
    </>
  );
}
