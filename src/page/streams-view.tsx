import { plural } from "../telemetry/figures.ts";
import { notesIn } from "./browse-notes-store.ts";
import type { EpisodeRow } from "./browse-store.ts";
import { MemoryTabs, NoteList } from "./memory-view.tsx";
import { Act, Badge, Empty, Head, More, Part, plain, When, withQuery } from "./parts.tsx";
import { showEpisode } from "./record-routes.ts";
import { idIn, listQuery, type PageData } from "./route.ts";
import type { Views } from "./views.tsx";

const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;

/** Streams as a line of time, and what was said in each. */
export const STREAMS: Views = {
  "/memory/streams": (data, { query }) => ({
    title: "Streams",
    live: ["episodes"],
    shown: (
      <>
        <Head title="Streams" />
        <MemoryTabs at="/memory/streams" />
        <StreamsFound data={data} after={listQuery.parse(query).after ?? null} />
      </>
    ),
  }),
  "/memory/episodes/:id": (data, { params }) => {
    const episode = showEpisode(data, idIn(params));
    const shown = <EpisodeView data={data} episode={episode} />;
    return { title: `Episode ${episode.id}`, live: ["episodes", "notes"], shown };
  },
};

/** What was talked of, by whom, and what came of it; what failed, first. */
function StreamsFound({ data, after }: { data: PageData; after: number | null }) {
  const { browse } = data;
  const { items, next } = browse.streams(after, STREAMS_SHOWN);
  const failed = browse.episodes(null, "failed", STREAM_EPISODES).items;
  return (
    <>
      {failed.length === 0 ? null : (
        <Part title="Could not be summarised">
          <Episodes episodes={failed} />
        </Part>
      )}
      {items.length === 0 ? <Empty>No stream was seen yet.</Empty> : null}
      {items.map((stream) => {
        const episodes = browse.episodesOf(stream.id, STREAM_EPISODES);
        return (
          <section id={`stream-${stream.id}`}>
            <h2>
              Stream {stream.id}{" "}
              <span class="soft small">
                #{stream.channel}, <When ms={stream.startedAtMs} />
                {stream.endedAtMs === null ? ", still on" : ""}
              </span>
            </h2>
            {stream.recap === null ? null : <p class="note-card quote">{stream.recap}</p>}
            {episodes.length === 0 ? (
              <Empty>Nothing of it was summarised.</Empty>
            ) : (
              <Episodes episodes={episodes} />
            )}
            <p class="small">
              <a href={`/telemetry?session=${stream.id}`}>Its figures</a> ·{" "}
              <a href={`/review?session=${stream.id}`}>Review it</a>
            </p>
          </section>
        );
      })}
      {next === null ? null : (
        <More href={withQuery("/memory/streams", { after: next })}>Earlier streams</More>
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
            <span>{plural(one.eventCount, "line")}</span>
            <span>
              {one.people.slice(0, 8).join(", ")}
              {one.people.length > 8 ? " and others" : ""}
            </span>
            <span>{plural(one.notes, "note")}</span>
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
function EpisodeView({
  data,
  episode,
}: {
  data: PageData;
  episode: ReturnType<typeof showEpisode>;
}) {
  const { id, topic, kind, eventCount, endedAtMs, status, summary, claims } = episode;
  const notes = notesIn(data).notesOfEpisode(id);
  return (
    <>
      <Head
        title={topic || `Episode ${id}`}
        lead={
          <>
            {`${plain(kind)} of ${plural(eventCount, "line")}, `}
            <When ms={endedAtMs} /> · <Badge code={status} />
          </>
        }
      >
        {status === "failed" ? <Act action={`/api/episodes/${id}/retry`}>Try again</Act> : null}
      </Head>
      <section>
        {summary === "" ? (
          <Empty>It has no summary.</Empty>
        ) : (
          <p class="note-card quote">{summary}</p>
        )}
      </section>
      <div class="pair">
        <Part title="What was claimed" isEmpty={claims.length === 0} none="Nothing.">
          <ul class="list">
            {claims.map(({ subject, statement, support, withdrawn }) => (
              <li>
                <p class="fact">{statement}</p>
                <div class="meta">
                  <span>{subject ?? "the channel"}</span>
                  <span>{`${plural(support, "line")} behind it`}</span>
                  {withdrawn ? <Badge code="rejected">taken back</Badge> : null}
                </div>
              </li>
            ))}
          </ul>
        </Part>
        <div>
          <Part title="What came of it" isEmpty={notes.length === 0} none="No note rests on it.">
            <NoteList notes={notes} />
          </Part>
          <Part title="Who was there">
            <p>{episode.participants.join(", ") || "nobody that is known"}</p>
          </Part>
        </div>
      </div>
    </>
  );
}
