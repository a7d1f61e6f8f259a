import { formatPlural } from "../telemetry/figures.ts";
import { type EpisodeRow, readNotes } from "./browse-store.ts";
import { showEpisode } from "./memory-routes.ts";
import { drawNotes, MEMORY_TABS, UNPROVEN_HINT } from "./memory-view.tsx";
import {
  act,
  badge,
  card,
  empty,
  hint,
  link,
  list,
  meta,
  more,
  names,
  nextPage,
  part,
  Time,
  toPlainWord,
} from "./parts.tsx";
import { listQuery, readId, type Views } from "./route.ts";

const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;
const PEOPLE_SHOWN = 8;

/** Streams with their summaries. */
export const STREAMS: Views = {
  "/memory/streams": ({ browse }, { query }) => {
    const { after } = listQuery.parse(query);
    const { items, next } = browse.streams({ after, limit: STREAMS_SHOWN });
    const failed = browse.failedEpisodes({ limit: STREAM_EPISODES });
    const shown = (
      <>
        {failed.length > 0 && part("Could not be summarised", drawEpisodes(failed))}
        {items.length === 0 && empty("No stream was seen yet. Each shows here with its summary.")}
        {items.map(({ id, channel, startedAtMs, endedAtMs, recap }) => (
          <section id={`stream-${id}`}>
            <h2>
              Stream {id}{" "}
              <span class="soft small">
                #{channel}, <Time ms={startedAtMs} />
                {endedAtMs === null && ", still on"}
              </span>
            </h2>
            {recap !== null && <p class="note-card quote">{recap}</p>}
            {drawEpisodes(browse.episodesOf({ sessionId: id, limit: STREAM_EPISODES }))}
            <p class="small">
              {link(`/report?session=${id}`, "Its report")} ·{" "}
              {link(`/review?session=${id}`, "Review it")}
            </p>
          </section>
        ))}
        {more(nextPage("/memory/streams", {}, next), "Earlier streams")}
      </>
    );
    return { title: "Streams", tabs: MEMORY_TABS, live: ["episodes"], shown };
  },
  "/memory/episodes/:id": (data, { params }) => {
    const episode = showEpisode(data, readId(params));
    const { id, topic, kind, summary, unproven, participants, claims } = episode;
    const shown = (
      <>
        {summary === "" ? empty("It has no summary.") : <p class="note-card quote">{summary}</p>}
        {unproven !== "" &&
          part("Said by newcomers", <p class="quote">{unproven}</p>, hint(UNPROVEN_HINT))}
        <div class="pair">
          {part(
            "Claims",
            list(claims, "None.", ({ subject, statement, support, withdrawn }) => (
              <li>
                <p class="fact">{statement}</p>
                {meta(
                  subject ?? "the channel",
                  formatPlural(support, "message"),
                  withdrawn && badge("rejected", "withdrawn"),
                )}
              </li>
            )),
          )}
          <div>
            {part(
              "Notes from it",
              drawNotes(readNotes(data).notesOfEpisode(id), "No note uses it."),
            )}
            {part(
              "People",
              <p>{names(participants)}</p>,
              participants.length === 0 && empty("Nobody known."),
            )}
          </div>
        </div>
      </>
    );
    return {
      title: `Episode ${id}`,
      heading: topic || `Episode ${id}`,
      lead: [
        `${toPlainWord(kind)} of ${formatPlural(episode.eventCount, "message")}, `,
        <Time ms={episode.endedAtMs} />,
        " · ",
        badge(episode.status),
      ],
      aside: drawRetry(episode),
      live: ["episodes", "notes"],
      shown,
    };
  },
};

function drawRetry({ id, status }: { id: number; status: string }) {
  return status === "failed" ? act(`post /api/episodes/${id}/retry`, "Try again") : null;
}

function drawEpisodes(episodes: readonly EpisodeRow[]) {
  return list(episodes, "No part of it was summarised.", (one) => {
    const { id, topic, kind, people } = one;
    const body = (
      <p class="fact">{link(`/memory/episodes/${id}`, topic || `${toPlainWord(kind)} ${id}`)}</p>
    );
    const about = [
      <Time ms={one.endedAtMs} />,
      formatPlural(one.eventCount, "message"),
      [names(people.slice(0, PEOPLE_SHOWN)), people.length > PEOPLE_SHOWN && " and others"],
      formatPlural(one.notes, "note"),
      one.status !== "done" && badge(one.status),
    ];
    return card(`episode-${id}`, body, about, drawRetry(one));
  });
}
