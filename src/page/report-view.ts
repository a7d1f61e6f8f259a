import { listStreams } from "../chat/channel-store.ts";
import { readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
  periodText,
  type ReportPart,
} from "../telemetry/report-table.ts";
import { defineView, type View } from "./api.ts";
import { findPeriod, statsQuery } from "./bot-routes.ts";
import { bar, choose, empty, facts, foldAway, html, link, part, search } from "./parts.ts";

const STREAMS_SHOWN = 50;
const SPANS = [
  ["", "—"],
  ["1h", "an hour"],
  ["24h", "a day"],
  ["7d", "a week"],
  ["30d", "a month"],
] as const;
const NO_STREAM =
  "No stream was seen yet. Go live on Twitch: its report shows here. Until then, this is the last day.";

/** The report of a stream, or of a time until now. */
export const REPORT: readonly View[] = [
  defineView("/report", { query: statsQuery }, (data, { query: asked }) => {
    const period = findPeriod(data, asked);
    const report = readReport(data.db, period, data.nowMs);
    const story = readStory(data.db, period, data.nowMs);
    const streams = listStreams(data.db, { limit: STREAMS_SHOWN }).items;
    const sessions = streams.map(({ id, channel }) => [`${id}`, `${id}, #${channel}`] as const);
    const shown = [
      search(
        "/report",
        choose("Stream", "session", asked.session, [["", "the last one"], ...sessions]),
        choose("Or a time until now", "since", asked.since, SPANS),
      ),
      streams.length === 0 && empty(NO_STREAM),
      drawReport(makeSummaryParts(report, story), makeNumberParts(report)),
    ];
    const lead = periodText(report.period);
    return { title: "Report", heading: formatTitle(period), lead, shown };
  }),
];

const PLACES = { reply: "/replies/", note: "/memory/notes/" } as const;

/** Draws a report in columns; numbers are folded. */
function drawReport(summary: readonly ReportPart[], numbers: readonly ReportPart[]) {
  const drawPart = ({ name, rows }: ReportPart) => {
    const longest = Math.max(...rows.map((row) => row.bar ?? 0), 1e-9);
    const drawn = rows.map(({ label, text, bar: value, link: to }) => {
      // A terminal has no links: there the label is the number alone.
      const name = label.startsWith("[") && to ? `${to.of} ${to.id}` : label;
      const shown = to ? link(`${PLACES[to.of]}${to.id}`, name) : name;
      return [shown, [text, value !== undefined && bar(value / longest)]] as const;
    });
    return part(name, facts(drawn));
  };
  const figures = html`<div class="columns">${numbers.map(drawPart)}</div>`;
  return html`<div id="figures"><div class="columns">${summary.map(drawPart)}</div>
    ${foldAway("numbers", "Numbers for engineers", figures)}</div>`;
}
