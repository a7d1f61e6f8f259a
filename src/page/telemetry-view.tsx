import type { z } from "zod";
import type { Report } from "../telemetry/report.ts";
import { type Figure, headline, titleOf, type Words, whenOf } from "../telemetry/report-figures.ts";
import { type ReportPart, reportParts } from "../telemetry/report-parts.ts";
import { type ListedNote, notesIn } from "./browse-store.ts";
import { ReportChart, shows } from "./charts.tsx";
import { Choose, Search, withQuery } from "./parts.tsx";
import { periodOf, readStats, statsQuery } from "./record-routes.ts";
import type { PageData, Views } from "./route.ts";

export const TELEMETRY: Views = {
  "/telemetry": (data, { query }) => {
    const asked = statsQuery.parse(query);
    const heading = titleOf(periodOf(data, asked));
    return { title: "Telemetry", heading, shown: <Chooser data={data} asked={asked} /> };
  },
  "/telemetry/figures": async (data, { query }) => {
    const report = await readStats(data, statsQuery.parse(query));
    const { bestNotes, worstNotes } = report.outcomes;
    const notes = notesIn(data).notesOf([...bestNotes, ...worstNotes].map(({ noteId }) => noteId));
    const shown = <TelemetryFigures report={report} notes={notes} />;
    return { title: "Telemetry", heading: null, shown };
  },
};

const STREAMS_SHOWN = 50;
const SPANS = [
  ["", "—"],
  ["1h", "an hour"],
  ["24h", "a day"],
  ["7d", "a week"],
  ["30d", "a month"],
] as const;

/** Chooses what is told. The figures come behind it by a request of their own: they may take a second to count. */
function Chooser({ data, asked }: { data: PageData; asked: z.output<typeof statsQuery> }) {
  const streams = data.browse.streams({ limit: STREAMS_SHOWN }).items;
  const named = streams.map(({ id, channel }) => [String(id), `${id}, #${channel}`] as const);
  const figures = withQuery("/telemetry/figures", asked);
  return (
    <>
      <Search action="/telemetry">
        <Choose
          name="session"
          label="Stream"
          value={asked.session}
          options={[["", "the last one"], ...named]}
        />
        <Choose name="since" label="Or a time until now" value={asked.since} options={SPANS} />
      </Search>
      <div data-load={figures} id="figures">
        <p class="empty">
          <a href={figures}>Counting …</a>
        </p>
      </div>
    </>
  );
}

/** Every figure here is one of `report --json`, and says which. `notes` are those that the outcomes name. */
function TelemetryFigures({ report, notes }: { report: Report; notes: readonly ListedNote[] }) {
  return (
    <>
      <p class="lead">
        <Sentence words={whenOf(report)} />
      </p>
      <Headline report={report} />
      <ReportParts parts={reportParts(report)} isLinked />
      {notes.length === 0 ? null : (
        <section class="named">
          <h2>Notes named above</h2>
          <ul class="small">
            {notes.map(({ id, fact }) => (
              <li>
                <a href={`/memory/notes/${id}`}>note {id}</a>: {fact}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function Headline({ report }: { report: Report }) {
  return (
    <ul class="figures">
      {headline(report).map(([figure, ...label]) => (
        <li>
          <b>
            <Sentence words={figure === undefined ? [] : [figure]} />
          </b>
          <span>
            <Sentence words={label} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export function ReportParts({
  parts,
  isLinked = false,
}: {
  parts: readonly ReportPart[];
  /** Whether ids lead to what they name. */
  isLinked?: boolean;
}) {
  const isOneLine = ({ charts, lines }: ReportPart) => charts.length === 0 && lines.length === 1;
  return (
    <>
      {parts.filter(isOneLine).map(({ name, lines: [line] }) => (
        <p class="drift soft">
          <b>{name}</b>: <Sentence words={line?.words ?? []} isLinked={isLinked} />
        </p>
      ))}
      <div class="columns">
        {parts
          .filter((part) => !isOneLine(part))
          .map(({ name, charts, lines }) => (
            <section>
              <h2>{name}</h2>
              {charts.map((chart) => (
                <ReportChart chart={chart} />
              ))}
              <dl class="facts">
                {lines.map(({ label, words }) => (
                  <>
                    <dt>{label}</dt>
                    <dd>
                      <Sentence words={words} isLinked={isLinked} />
                    </dd>
                  </>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </>
  );
}

function Sentence({ words, isLinked = false }: { words: Words; isLinked?: boolean }) {
  return (
    <>
      {words.map((one) => {
        if (typeof one === "string") return one;
        const shown = <span {...shows(one)}>{one.text}</span>;
        return isLinked && one.of !== null ? <a href={hrefOf(one)}>{shown}</a> : shown;
      })}
    </>
  );
}

const PLACES = {
  reply: "/replies/",
  note: "/memory/notes/",
  episode: "/memory/episodes/",
} as const;

function hrefOf({ of, value }: Figure): string {
  return of === null ? "" : `${PLACES[of]}${String(value)}`;
}
