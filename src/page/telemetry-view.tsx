import { count, dollars, milliseconds, percent } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";
import type { Report } from "../telemetry/report.ts";
import {
  costLines,
  driftLines,
  estimateLines,
  type Line,
  memoryLines,
  outcomeLines,
  promptLines,
  replyLines,
  titleOf,
} from "../telemetry/report-lines.ts";
import type { NoteRow } from "./browse-notes-store.ts";
import type { StreamRow } from "./browse-store.ts";
import { BarChart, Columns, Histogram, Intervals } from "./charts.tsx";
import { HeatMap } from "./drawings.tsx";
import { Choose, Empty } from "./parts.tsx";

export interface TelemetryGiven {
  readonly report: Report;
  readonly streams: readonly StreamRow[];
  readonly query: { readonly session: string; readonly since: string };
  /** Notes that the outcomes name. */
  readonly notes: readonly NoteRow[];
}

/** Every figure here is one of `report --json`. */
export function TelemetryView({ report, streams, query, notes }: TelemetryGiven) {
  const { title, when } = titleOf(report);
  return (
    <>
      <div class="head">
        <div>
          <h1>{title}</h1>
          <p class="lead">{when}</p>
        </div>
      </div>
      <form class="filters" data-search="" action="/telemetry" method="get">
        <Choose
          name="session"
          label="Stream"
          value={query.session}
          options={[
            ["", "the last one"],
            ...streams.map(({ id, channel }) => [String(id), `${id}, #${channel}`] as const),
          ]}
        />
        <Choose
          name="since"
          label="Or a time until now"
          value={query.since}
          options={[
            ["", "—"],
            ["1h", "an hour"],
            ["24h", "a day"],
            ["7d", "a week"],
            ["30d", "a month"],
          ]}
        />
        <button type="submit" class="unseen">
          Show
        </button>
      </form>
      <Headline report={report} />
      <div class="columns">
        <Part name="Answers" lines={replyLines(report)}>
          <Columns
            title="Answers over time; not sent on top"
            values={report.timeLine.map(({ sent, notSent }) => [sent, notSent] as const)}
            period={report.period}
          />
        </Part>
        <Part name="Cost" lines={costLines(report)}>
          <Columns
            title="Tokens over time"
            values={report.timeLine.map(({ tokens }) => [tokens, 0] as const)}
            period={report.period}
          />
        </Part>
        <Part name="Prompt" lines={promptLines(report)}>
          <BarChart title="Tokens of each section, on average" rows={sectionRows(report)} />
          <Columns
            title="Time in the model, ms"
            values={report.timeLine.map(({ latencyMs }) => [latencyMs, 0] as const)}
            period={report.period}
          />
        </Part>
        <Part name="Ladder" lines={[]}>
          <Pressure report={report} />
        </Part>
        <Part name="Estimate against the count" lines={estimateLines(report)}>
          {report.prompts.estimates.map(({ model, histogram }) => (
            <Histogram title={`${model}: prompts by error, in steps of 1 %`} bins={histogram} />
          ))}
        </Part>
        <Part name="Memory" lines={memoryLines(report)} />
        <Part name="What came of answers" lines={outcomeLines(report)}>
          <ByNote report={report} notes={notes} />
        </Part>
        {report.drift === null ? null : <Part name="Drift" lines={driftLines(report)} />}
      </div>
    </>
  );
}

function Headline({ report: { replies, prompts, spend, outcomes, memory } }: { report: Report }) {
  const cells = [
    [count(replies.sent), `of ${count(replies.total)} answered`],
    [
      spend.dollars === null ? "—" : dollars(spend.dollars),
      spend.dollars === null ? "no price known" : "spent",
    ],
    [count(spend.tokensIn + spend.tokensOut), "tokens"],
    [spend.tokensIn === 0 ? "—" : percent(spend.tokensCached / spend.tokensIn), "of them cached"],
    [percent(prompts.prefix.share), "in the stable prefix"],
    [prompts.turnLatency === null ? "—" : milliseconds(prompts.turnLatency.p50), "to answer"],
    [outcomes.known === 0 ? "—" : percent(outcomes.welcome.share), "welcome"],
    [count(memory.backlog.waitingEvents), "lines not yet read"],
  ] as const;
  return (
    <ul class="figures">
      {cells.map(([value, label]) => (
        <li>
          <b>{value}</b>
          <span>{label}</span>
        </li>
      ))}
    </ul>
  );
}

function Part({
  name,
  lines,
  children,
}: {
  name: string;
  lines: readonly Line[];
  children?: unknown;
}) {
  return (
    <section>
      <h2>{name}</h2>
      {children}
      {lines.length === 0 ? null : (
        <dl class="facts">
          {lines.map(({ label, text }) => (
            <>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

function sectionRows({ prompts }: Report) {
  return Object.entries(prompts.sections).map(([name, tokens]) => ({
    name: plainName(name),
    value: tokens,
    label: `${count(tokens)} tokens`,
  }));
}

function Pressure({ report: { prompts } }: { report: Report }) {
  if (prompts.ladder.length === 0)
    return <Empty>Every prompt fitted: nothing had to be left out.</Empty>;
  const cells = prompts.ladder.map(({ messageKind, section, fired }) => ({
    row: messageKind,
    column: section,
    value: fired,
  }));
  return <HeatMap title="How often something was left out, by kind of message" cells={cells} />;
}

function ByNote({ report: { outcomes }, notes }: { report: Report; notes: readonly NoteRow[] }) {
  const facts = new Map(notes.map(({ id, fact }) => [id, fact]));
  const scored = [...outcomes.bestNotes, ...outcomes.worstNotes];
  if (scored.length === 0) return null;
  return (
    <>
      <Intervals
        title="Answers that were welcome, by note that stood in the prompt"
        rows={scored.map(({ noteId, score }) => ({ name: `note ${noteId}`, share: score }))}
      />
      <ul class="small">
        {scored.map(({ noteId }) => (
          <li>
            <a href={`/memory/notes/${noteId}`}>note {noteId}</a>: {facts.get(noteId) ?? "gone"}
          </li>
        ))}
      </ul>
    </>
  );
}
