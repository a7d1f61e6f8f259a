import { createHash } from "node:crypto";
import { raw } from "hono/html";
import type { Report } from "../telemetry/report.ts";
import { textOf, titleOf, whenOf } from "../telemetry/report-figures.ts";
import { reportParts } from "../telemetry/report-parts.ts";
import { Headline, ReportParts } from "./telemetry-view.tsx";

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
table { border-collapse: collapse; font-size: 0.85rem; } th, td { padding: 0.2rem 0.6rem; text-align: right; } .scroll { border: 0; padding: 0; overflow-x: auto; }
.heat .h1 { background: color-mix(in srgb, var(--one) 15%, transparent); } .heat .h2 { background: color-mix(in srgb, var(--one) 30%, transparent); }
.heat .h3 { background: color-mix(in srgb, var(--one) 45%, transparent); } .heat .h4 { background: color-mix(in srgb, var(--one) 60%, transparent); }
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
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{`ForgetMeNot: ${titleOf(report.period)}`}</title>
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>{titleOf(report.period)}</h1>
          <p>{textOf(whenOf(report))}</p>
          <Headline report={report} />
          <ReportParts parts={reportParts(report)} />
          <footer>
            Made by ForgetMeNot on this machine. Only numbers, ids and codes: no line of chat, no
            note and no summary is in this file.
          </footer>
        </main>
      </body>
    </html>
  );
}
