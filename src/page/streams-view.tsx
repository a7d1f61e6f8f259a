import { plural } from "../telemetry/figures.ts";
import { type EpisodeRow, notesIn } from "./browse-store.ts";
import { MEMORY_TABS, noteList } from "./memory-view.tsx";
import {
  act,
  badge,
  Card,
  Empty,
  list,
  more,
  names,
  nextPage,
  Part,
  plain,
  When,
} from "./parts.tsx";
import { showEpisode } from "./record-routes.ts";
import { idIn, listQuery, type Views } from "./route.ts";

const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;
const PEOPLE_SHOWN = 8;

/** Streams with their summaries. */
export const STREAMS: Views = {
  "/memory/streams": ({ browse }, { query }) => {
    const { after } = listQuery.parse(query);
    const { items, next } = browse.streams({ after, limit: STREAMS_SHOWN });
    const failed = browse.episodes({ status: "failed", limit: STREAM_EPISODES }).items;
    const shown = (
      <>
        {failed.length === 0 ? null : (
          <Part title="Could not be summarised">{episodeList(failed)}</Part>
        )}
        {items.length === 0 ? (
          <Empty>No stream was seen yet. Each one shows here with its summary.</Empty>
        ) : null}
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
              <a href={`/report?session=${id}`}>Its report</a> ·{" "}
              <a href={`/review?session=${id}`}>Review it</a>
            </p>
          </section>
        ))}
        {more(nextPage("/memory/streams", {}, next), "Earlier streams")}
      </>
    );
    return { title: "Streams", tabs: MEMORY_TABS, live: ["episodes"], shown };
  },
  "/memory/episodes/:id": (data, { params }) => {
    const episode = showEpisode(data, idIn(params));
    const { id, topic, kind, summary, unproven, participants } = episode;
    const shown = (
      <>
        {summary === "" ? <Empty>It has no summary.</Empty> : null}
        {summary === "" ? null : <p class="note-card quote">{summary}</p>}
        {unproven === "" ? null : (
          <Part title="Said by newcomers">
            <p class="quote">{unproven}</p>
            <p class="small soft">Only you see these sentences. They go after 30 days.</p>
          </Part>
        )}
        <div class="pair">
          <Part title="Claims">
            {list(episode.claims, "None.", ({ subject: about, statement, support, withdrawn }) => (
              <li>
                <p class="fact">{statement}</p>
                <div class="meta">
                  <span>{about ?? "the channel"}</span>
                  <span>{plural(support, "message")}</span>
                  {withdrawn && badge("rejected", "withdrawn")}
                </div>
              </li>
            ))}
          </Part>
          <div>
            <Part title="Notes from it">
              {noteList(notesIn(data).notesOfEpisode(id), "No note uses it.")}
            </Part>
            <Part title="People">
              <p>{participants.length === 0 ? "nobody known" : names(participants)}</p>
            </Part>
          </div>
        </div>
      </>
    );
    const lead = (
      <>
        {`${plain(kind)} of ${plural(episode.eventCount, "message")}, `}
        <When ms={episode.endedAtMs} /> · {badge(episode.status)}
      </>
    );
    return {
      title: `Episode ${id}`,
      heading: topic || `Episode ${id}`,
      lead,
      aside: retry(episode),
      live: ["episodes", "notes"],
      shown,
    };
  },
};

function retry({ id, status }: { id: number; status: string }) {
  return status === "failed" ? act(`post /api/episodes/${id}/retry`, "Try again") : null;
}

function episodeList(episodes: readonly EpisodeRow[]) {
  return list(episodes, "No part of it was summarised.", (one) => {
    const { id, topic, kind, people } = one;
    const meta = (
      <>
        <When ms={one.endedAtMs} />
        <span>{plural(one.eventCount, "message")}</span>
        <span>
          {names(people.slice(0, PEOPLE_SHOWN))}
          {people.length > PEOPLE_SHOWN && " and others"}
        </span>
        <span>{plural(one.notes, "note")}</span>
        {one.status !== "done" && badge(one.status)}
      </>
    );
    return (
      <Card id={`episode-${id}`} meta={meta} acts={retry(one)}>
        <p class="fact">
          <a href={`/memory/episodes/${id}`}>{topic || `${plain(kind)} ${id}`}</a>
        </p>
      </Card>
    );
  });
}
