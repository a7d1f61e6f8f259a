import { createHash } from "node:crypto";
import { raw } from "hono/html";
import type { Report } from "../telemetry/report.ts";
import { textOf, titleOf, whenOf } from "../telemetry/report-figures.ts";
import { reportParts } from "../telemetry/report-parts.ts";
import { STYLE } from "./style.ts";
import { Headline, ReportParts } from "./telemetry-view.tsx";

/** As on the page, without the rail. */
const LOOK = `${STYLE}body { display: block; } main { margin: 0 auto; } .lead { margin-bottom: 1.1rem; }`;
/** Nothing may be loaded and nothing may run; the one style is named by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(LOOK).digest("base64")}'; base-uri 'none'; form-action 'none'`;

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
        <style>{raw(LOOK)}</style>
      </head>
      <body>
        <main>
          <h1>{titleOf(report.period)}</h1>
          <p class="lead">{textOf(whenOf(report))}</p>
          <Headline report={report} />
          <ReportParts parts={reportParts(report)} />
          <footer class="soft small">
            Made by ForgetMeNot on this machine. Only numbers, ids and codes: no line of chat, no
            note and no summary is in this file.
          </footer>
        </main>
      </body>
    </html>
  );
}
