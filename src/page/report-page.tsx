import { createHash } from "node:crypto";
import { raw } from "hono/html";
import type { Report } from "../telemetry/report-store.ts";
import { numberParts, summaryParts, titleOf, whenOf } from "../telemetry/report-table.ts";
import { ReportParts } from "./report-view.tsx";
import { STYLE } from "./style.ts";

/** As on the page, without the rail. */
const LOOK = `${STYLE}body { display: block; } main { margin: 0 auto; } .lead { margin-bottom: 1.1rem; }`;
/** Nothing may be loaded and nothing may run; the one style is named by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(LOOK).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** Returns a report as one HTML file. It needs no network, names nobody, and escapes everything from the database. */
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
          <p class="lead">{whenOf(report.period)}</p>
          <ReportParts summary={summaryParts(report, null)} numbers={numberParts(report)} />
          <footer class="soft small">
            Made by ForgetMeNot on this machine. Only numbers, ids and codes: no line of chat, no
            note and no summary is in this file.
          </footer>
        </main>
      </body>
    </html>
  );
}
