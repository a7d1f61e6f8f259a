import { readEnvironment } from "../config/environment.ts";
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
}

/**
 * Prints a stream without statistics, people first; with --details its numbers.
 * Reads the database alone, in short statements, next to a running bot.
 */
export async function report(options: ReportOptions, terminal: Terminal): Promise<void> {
  const { session = null, since = null, channel, details, json } = options;
  const { found, story } = withFolder(options.config, "read", ({ db, now }) => {
    const nowMs = now();
    const named = channel === undefined ? null : readChannelName(channel);
    const period = choosePeriod(db, { session, since, channel: named }, nowMs);
    return { found: readReport(db, period, nowMs), story: readStory(db, period, nowMs) };
  });
  if (json === true) terminal.print(JSON.stringify(found, null, 2));
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
