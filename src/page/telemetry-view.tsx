import type { z } from "zod";
import { readReport } from "../telemetry/report.ts";
import {
  numberParts,
  type ReportPart,
  summaryParts,
  titleOf,
  whenOf,
} from "../telemetry/report-table.ts";
import { readStory } from "../telemetry/story-store.ts";
import { bar } from "./charts.tsx";
import { Choose, Search, withQuery } from "./parts.tsx";
import { periodOf, statsQuery } from "./record-routes.ts";
import type { PageData, Views } from "./route.ts";

export const TELEMETRY: Views = {
  "/telemetry": (data, { query }) => {
    const asked = statsQuery.parse(query);
    const heading = titleOf(periodOf(data, asked));
    return { title: "Telemetry", heading, shown: <Chooser data={data} asked={asked} /> };
  },
  "/telemetry/figures": (data, { query }) => {
    const asked = statsQuery.parse(query);
    const period = periodOf(data, asked);
    const report = readReport(data.db, period, data.nowMs);
    const story = readStory(data.db, period, data.nowMs);
    const parts = [...summaryParts(report, story), ...numberParts(report)];
    const shown = (
      <>
        <p class="lead">{whenOf(report.period)}</p>
        <ReportParts parts={parts} isLinked />
      </>
    );
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

/** Chooses the period. The figures load by a request of their own: they may take a second to count. */
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

/** The report in parts, side by side where there is room. Links lead to pages of this server. */
export function ReportParts({
  parts,
  isLinked = false,
}: {
  parts: readonly ReportPart[];
  isLinked?: boolean;
}) {
  return (
    <div class="columns">
      {parts.map(({ name, rows }) => (
        <section>
          <h2>{name}</h2>
          <dl class="facts">
            {rows.map(({ label, text, bar: value, link }) => (
              <>
                <dt>
                  {isLinked && link !== undefined ? (
                    <a href={`${PLACES[link.of]}${link.id}`}>{label}</a>
                  ) : (
                    label
                  )}
                </dt>
                <dd>
                  {text}
                  {value === undefined
                    ? null
                    : bar(value / Math.max(...rows.map((one) => one.bar ?? 0), 1e-9))}
                </dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

const PLACES = { reply: "/replies/", note: "/memory/notes/" } as const;
