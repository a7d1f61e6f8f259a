import { readReport, readStory } from "../telemetry/report-store.ts";
import {
  numberParts,
  type ReportPart,
  summaryParts,
  titleOf,
  whenOf,
} from "../telemetry/report-table.ts";
import { bar } from "./charts.tsx";
import { Choose, Empty, Search } from "./parts.tsx";
import { periodOf, statsQuery } from "./record-routes.ts";
import type { Views } from "./route.ts";

const STREAMS_SHOWN = 50;
const SPANS = [
  ["", "—"],
  ["1h", "an hour"],
  ["24h", "a day"],
  ["7d", "a week"],
  ["30d", "a month"],
] as const;

/** The report of a stream, or of a time until now. */
export const REPORT: Views = {
  "/report": (data, { query }) => {
    const asked = statsQuery.parse(query);
    const period = periodOf(data, asked);
    const report = readReport(data.db, period, data.nowMs);
    const story = readStory(data.db, period, data.nowMs);
    const streams = data.browse.streams({ limit: STREAMS_SHOWN }).items;
    const named = streams.map(({ id, channel }) => [String(id), `${id}, #${channel}`] as const);
    const sessions = [["", "the last one"] as const, ...named];
    const shown = (
      <>
        <Search action="/report">
          <Choose name="session" label="Stream" value={asked.session} options={sessions} />
          <Choose name="since" label="Or a time until now" value={asked.since} options={SPANS} />
        </Search>
        {streams.length === 0 && (
          <Empty>No stream was seen yet. The report of each one shows here.</Empty>
        )}
        <ReportParts summary={summaryParts(report, story)} numbers={numberParts(report)} isLinked />
      </>
    );
    const lead = whenOf(report.period);
    return { title: "Report", heading: titleOf(period), lead, shown };
  },
};

const PLACES = { reply: "/replies/", note: "/memory/notes/" } as const;

/** The report in parts, side by side if there is room; numbers are folded. Links lead to pages of this server. */
export function ReportParts(given: {
  summary: readonly ReportPart[];
  numbers: readonly ReportPart[];
  isLinked?: boolean;
}) {
  const { summary, numbers, isLinked = false } = given;
  const draw = ({ rows }: ReportPart) => {
    const longest = Math.max(...rows.map((row) => row.bar ?? 0), 1e-9);
    return rows.map(({ label, text, bar: value, link }) => (
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
          {value !== undefined && bar(value / longest)}
        </dd>
      </>
    ));
  };
  const columns = (parts: readonly ReportPart[]) => (
    <div class="columns">
      {parts.map((part) => (
        <section>
          <h2>{part.name}</h2>
          <dl class="facts">{draw(part)}</dl>
        </section>
      ))}
    </div>
  );
  return (
    <div id="figures">
      {columns(summary)}
      <details class="fold" id="numbers">
        <summary>Numbers for engineers</summary>
        {columns(numbers)}
      </details>
    </div>
  );
}
