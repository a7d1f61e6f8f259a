import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Fault, messageOf } from "../errors.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { choosePeriod } from "../telemetry/period-store.ts";
import { type Report, readReport } from "../telemetry/report.ts";
import { reportText } from "../telemetry/report-text.ts";
import { readStory, type Story, storyText } from "../telemetry/story-store.ts";
import { channelName, type Options, reading } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

export interface ReportOptions extends Options {
  readonly session?: string;
  readonly since?: string;
  readonly channel?: string;
  readonly details?: true;
  readonly html?: string;
}

const FILE_MODE = 0o600;

/** Prints a stream on one page, people first; with --details in numbers. Or writes it as a page. Reads the database alone, in short statements, beside a running bot. */
export async function report(options: ReportOptions, terminal: Terminal): Promise<void> {
  const { report: found, story } = read(options, Date.now());
  if (options.html !== undefined) {
    const { reportPage } = await import("../page/report-page.tsx");
    write(options.html, reportPage(found));
  }
  if (options.json === true) terminal.print(JSON.stringify(found, null, 2));
  else if (options.html === undefined) {
    terminal.print(options.details === true ? asText(found, terminal) : storyText(story, found));
  } else terminal.print(`The report is in ${resolve(options.html)}`);
}

function read(
  { config, session, since, channel }: ReportOptions,
  nowMs: number,
): { report: Report; story: Story } {
  return reading(config, ({ db }) => {
    const asked = {
      session: session ?? null,
      since: since ?? null,
      channel: channel === undefined ? null : channelName(channel),
    };
    const period = choosePeriod(db, asked, nowMs);
    return { report: readReport(db, period, nowMs), story: readStory(db, period, nowMs) };
  });
}

function asText(found: Report, terminal: Terminal): string {
  const colour = terminal.isTerminal && readEnvironment().wantsColour;
  return reportText(found, { colour, columns: terminal.isTerminal ? terminal.columns() : 100 });
}

function write(file: string, page: string): void {
  try {
    writeFileSync(file, page, { mode: FILE_MODE });
  } catch (cause) {
    throw new Fault(`--html ${file}: it cannot be written (${messageOf(cause)})`, {
      code: "usage",
      mend: "name a file in a folder that is there and yours",
      cause,
    });
  }
}
