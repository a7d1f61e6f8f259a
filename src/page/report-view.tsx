import { createHash } from "node:crypto";
import { raw } from "hono/html";
import { type Report, readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
  periodText,
  type ReportPart,
} from "../telemetry/report-table.ts";
import { findPeriod, statsQuery } from "./bot-routes.ts";
import { bar, choose, empty, facts, foldAway, html, link, part, search } from "./parts.tsx";
import type { Views } from "./route.ts";
import { STYLE } from "./style.ts";

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
export const REPORT: Views = {
  "/report": (data, { query }) => {
    const asked = statsQuery.parse(query);
    const period = findPeriod(data, asked);
    const report = readReport(data.db, period, data.nowMs);
    const story = readStory(data.db, period, data.nowMs);
    const streams = data.browse.streams({ limit: STREAMS_SHOWN }).items;
    const sessions = streams.map(({ id, channel }) => [`${id}`, `${id}, #${channel}`] as const);
    const shown = [
      search(
        "/report",
        choose("Stream", "session", asked.session, [["", "the last one"], ...sessions]),
        choose("Or a time until now", "since", asked.since, SPANS),
      ),
      streams.length === 0 && empty(NO_STREAM),
      drawReport(makeSummaryParts(report, story), makeNumberParts(report), true),
    ];
    const lead = periodText(report.period);
    return { title: "Report", heading: formatTitle(period), lead, shown };
  },
};

const PLACES = { reply: "/replies/", note: "/memory/notes/" } as const;

/** Draws a report in columns; numbers are folded. Links lead to pages of this server. */
function drawReport(
  summary: readonly ReportPart[],
  numbers: readonly ReportPart[],
  isLinked: boolean,
) {
  const drawPart = ({ name, rows }: ReportPart) => {
    const longest = Math.max(...rows.map((row) => row.bar ?? 0), 1e-9);
    const drawn = rows.map(({ label, text, bar: value, link: to }) => {
      // A terminal has no links: there the label is the number alone.
      const name = label.startsWith("[") && to ? `${to.of} ${to.id}` : label;
      const shown = isLinked && to ? link(`${PLACES[to.of]}${to.id}`, name) : name;
      return [shown, [text, value !== undefined && bar(value / longest)]] as const;
    });
    return part(name, facts(drawn));
  };
  const figures = html`<div class="columns">${numbers.map(drawPart)}</div>`;
  return html`<div id="figures"><div class="columns">${summary.map(drawPart)}</div>
    ${foldAway("numbers", "Numbers for engineers", figures)}</div>`;
}

/** The style of the page, without the rail. */
const LOOK = `${STYLE}body { display: block; } main { margin: 0 auto; } .lead { margin-bottom: 1.1rem; }`;
/** Nothing may load and nothing may run; the hash allows the one style. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(LOOK).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** Returns a report as one HTML file. It needs no network, has no names, and escapes everything from the database. */
export function reportPage(report: Report): string {
  const title = formatTitle(report.period);
  const page = html`<!doctype html><html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="content-security-policy" content="${POLICY}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="referrer" content="no-referrer">
  <title>ForgetMeNot: ${title}</title>
  <style>${raw(LOOK)}</style>
</head>
<body><main>
  <h1>${title}</h1>
  <p class="lead">${periodText(report.period)}</p>
  ${drawReport(makeSummaryParts(report, null), makeNumberParts(report), false)}
  <footer class="soft small">Made by ForgetMeNot on this machine. This file has only numbers, ids and codes: no
    chat, no note and no summary.</footer>
</main></body>
</html>`;
  return String(page);
}
