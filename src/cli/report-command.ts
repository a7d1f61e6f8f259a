import { closeSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { readEnvironment } from "../config/environment.ts";
import { refuseExisting } from "../database/backup.ts";
import { writeOrFault } from "../errors.ts";
import { choosePeriod, readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatParts,
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
  periodText,
} from "../telemetry/report-table.ts";
import { type Options, readChannelName, withFolder } from "./open-folder.ts";
import { linesIf, type Terminal } from "./terminal.ts";

interface ReportOptions extends Options {
  readonly session?: string;
  readonly since?: string;
  readonly channel?: string;
  readonly details?: true;
  readonly html?: string;
}

const FILE_MODE = 0o600;
/** A report has its title well within. */
const HEAD_BYTES = 2_000;

/**
 * Prints a stream without statistics, people first; with --details its numbers; or writes both to a file without names.
 * Reads the database alone, in short statements, next to a running bot.
 */
export async function report(options: ReportOptions, terminal: Terminal): Promise<void> {
  const { session = null, since = null, channel, details, html, json } = options;
  const { found, story } = withFolder(options.config, "read", ({ db, now }) => {
    const nowMs = now();
    const named = channel === undefined ? null : readChannelName(channel);
    const period = choosePeriod(db, { session, since, channel: named }, nowMs);
    return { found: readReport(db, period, nowMs), story: readStory(db, period, nowMs) };
  });
  if (html !== undefined) {
    if (isForeignFile(html)) refuseExisting(html);
    const { reportPage } = await import("../page/report-view.tsx");
    const fix = "name a file in an existing folder that you can write to";
    writeOrFault(`--html ${html}: it`, { code: "usage", fix }, () =>
      writeFileSync(html, reportPage(found), { mode: FILE_MODE }),
    );
  }
  if (json === true) terminal.print(JSON.stringify(found, null, 2));
  else if (html !== undefined) terminal.print(`The report is in ${html}`);
  else {
    const colour = terminal.isTerminal && readEnvironment().wantsColour;
    const columns = terminal.isTerminal ? terminal.columns() : 100;
    const parts = details === true ? makeNumberParts(found) : makeSummaryParts(found, story);
    const more =
      "`forgetmenot report --details` has the numbers, `forgetmenot replies` what it said.";
    terminal.print(
      [
        formatTitle(found.period),
        periodText(found.period),
        formatParts(parts, { colour, columns }),
        ...linesIf(details !== true, "", more),
      ].join("\n"),
    );
  }
}

/** True if the file exists and is no report. Only a report is overwritten. */
function isForeignFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    const length = readSync(file, head);
    return length > 0 && !head.includes("<title>ForgetMeNot: ");
  } finally {
    closeSync(file);
  }
}
