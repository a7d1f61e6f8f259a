import { createHash } from "node:crypto";
import { raw } from "hono/html";
import { count, percent, tallyText } from "../telemetry/figures.ts";
import { WELCOME_MEANS } from "../telemetry/outcome-scores.ts";
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
import { BarChart, Columns, Histogram, Intervals } from "./charts.tsx";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1b22; --page: #fbfaf7; --card: #fff; --line: #ddd8cf; --soft: #6b6672;
  --one: #5b3fd1; --two: #b4551d; --good: #1f7a4d; font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece9f2; --page: #16151b; --card: #201f27; --line: #39363f;
  --soft: #a39dac; --one: #a994ff; --two: #f0a06a; --good: #6fd3a0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); }
main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.35rem; margin: 0.5rem 0 0; }
h2 { font-size: 1.05rem; margin: 0 0 0.5rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: 0.5rem 2rem; }
figure { margin: 0.5rem 0; max-width: 30rem; }
figcaption { font-size: 0.85rem; font-weight: 600; color: var(--soft); margin: 0 0 0.25rem; }
p { margin: 0 0 1rem; color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: 0.15rem 1rem; margin: 0.5rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; list-style: none; padding: 0; }
li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.6rem 0.8rem; }
li b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
li span { color: var(--soft); font-size: 0.85rem; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .soft { fill: var(--soft); }
svg .one { fill: var(--one); } svg .two { fill: var(--two); } svg .good { fill: var(--good); }
svg .axis { stroke: var(--line); } svg .reach { stroke: var(--one); stroke-width: 2; }
footer { color: var(--soft); font-size: 0.85rem; margin: 1rem 0 2rem; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.5rem; } main { padding: 0.6rem; } }
`;
/** Nothing may be loaded and nothing may run; the one style is named by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** A report as one file: it needs no network, and everything that comes from the database is escaped. */
export function reportPage(report: Report): string {
  return `<!doctype html>${String(<ReportPage report={report} />)}`;
}

function ReportPage({ report }: { report: Report }) {
  const { title, when } = titleOf(report);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{`ForgetMeNot: ${title}`}</title>
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>{when}</p>
          <Headline report={report} />
          <Part name="Drift" lines={driftLines(report)} />
          <Part name="Replies" lines={replyLines(report)}>
            <TimeCharts report={report} />
          </Part>
          <Part name="Cost" lines={costLines(report)} />
          <Part name="Prompt" lines={promptLines(report)}>
            <PromptCharts report={report} />
          </Part>
          <Part name="Estimate against the provider's count" lines={estimateLines(report)}>
            <EstimateCharts report={report} />
          </Part>
          <Part name="Memory" lines={memoryLines(report)} />
          <Part name="Outcomes" lines={outcomeLines(report)}>
            <OutcomeCharts report={report} />
          </Part>
          <footer>
            Made by ForgetMeNot on this machine. Only numbers, ids and codes: no line of chat, no
            note and no summary is in this file.
          </footer>
        </main>
      </body>
    </html>
  );
}

function Headline({ report: { replies, prompts, spend, outcomes } }: { report: Report }) {
  const cells = [
    [count(replies.sent), `of ${count(replies.total)} answered`],
    [spend.dollars === null ? "—" : `$${spend.dollars.toFixed(2)}`, "cost, as far as known"],
    [percent(prompts.prefix.share), "of tokens in the prefix"],
    [outcomes.known === 0 ? "—" : percent(outcomes.welcome.share), "of replies welcome"],
  ] as const;
  return (
    <ul>
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
      <div class="charts">{children}</div>
      <dl>
        {lines.map(({ label, text }) => (
          <>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function TimeCharts({ report: { timeLine, period } }: { report: Report }) {
  const replies = timeLine.map(({ sent, notSent }) => [sent, notSent] as const);
  return (
    <>
      <Columns
        title="Replies over time: sent, and not sent on top"
        values={replies}
        period={period}
      />
      <Columns
        title="Tokens over time"
        values={timeLine.map(({ tokens }) => [tokens, 0] as const)}
        period={period}
      />
    </>
  );
}

function PromptCharts({ report: { prompts } }: { report: Report }) {
  const sections = Object.entries(prompts.sections).map(([name, tokens]) => ({
    name: plainName(name),
    value: tokens,
    label: `${count(tokens)} tokens`,
  }));
  const ladder = prompts.ladder.map((step) => ({
    name: `${plainName(step.section)} · ${step.messageKind}`,
    value: step.fired,
    label: `${count(step.fired)}×, ${count(step.droppedLines)} lines, ${count(step.savedTokens)} tokens`,
  }));
  return (
    <>
      <BarChart title="Mean tokens of each section" rows={sections} />
      {ladder.length === 0 ? (
        <p>The ladder never had to cut anything.</p>
      ) : (
        <BarChart title={LADDER_TITLE} rows={ladder} />
      )}
    </>
  );
}

const LADDER_TITLE = "Steps of the ladder, by kind of message: times, lines out, tokens saved";

function EstimateCharts({ report: { prompts } }: { report: Report }) {
  return (
    <>
      {prompts.estimates.map(({ model, histogram }) => (
        <>
          <Histogram title={`${model}: prompts by error, in steps of 1 %`} bins={histogram} />
        </>
      ))}
    </>
  );
}

function OutcomeCharts({ report: { outcomes } }: { report: Report }) {
  const kinds = Object.entries(outcomes.byKind).map(([name, value]) => ({
    name: plainName(name),
    value,
    label: count(value),
  }));
  const scores = [
    { name: "all", share: outcomes.welcome },
    ...outcomes.sections.flatMap((one) => [
      { name: `with ${plainName(one.section)}`, share: one.with },
      { name: `without ${plainName(one.section)}`, share: one.without },
    ]),
    ...outcomes.noteDepths.map((one) => ({ name: `${one.notes} notes`, share: one.score })),
    ...outcomes.episodeDepths.map((one) => ({
      name: `${one.episodes} episodes`,
      share: one.score,
    })),
  ];
  if (outcomes.known === 0) return <p>{`Known of none yet (${tallyText(outcomes.byKind)}).`}</p>;
  return (
    <>
      <BarChart title="What came of replies" rows={kinds} />
      <Intervals
        title={`Share that was welcome, with the range it may lie in (95 %). Welcome: ${WELCOME_MEANS}.`}
        rows={scores}
      />
    </>
  );
}
