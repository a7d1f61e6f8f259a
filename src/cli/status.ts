import { wantsColour } from "../config/environment.ts";
import { isLocked } from "../database/lock.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { choosePeriod, readReport, readStory } from "../telemetry/report-store.ts";
import {
  formatParts,
  formatPeriod,
  formatTitle,
  makeNumberParts,
  makeSummaryParts,
} from "../telemetry/report-table.ts";
import { formatStatusText, readStatus } from "../telemetry/status.ts";
import { type CommandOutput, type OpenFolder, readChannelName } from "./open-folder.ts";
import { linesIf, type Terminal } from "./terminal.ts";

/** Returns the state of the daemon, from its database. Works next to a running one. */
export function describeStatus({ config, db, now }: OpenFolder): CommandOutput {
  const found = readStatus({ db, now, running: isLocked(config.dataDir) });
  return { value: found, text: formatStatusText(found, now()) };
}

export function pause(opened: OpenFolder): string {
  return setSwitch(opened, "paused", true, "paused: it says nothing until `forgetmenot resume`");
}

export function resume(opened: OpenFolder): string {
  return setSwitch(opened, "paused", false, "resumed");
}

export function setReadOnly(opened: OpenFolder, state: "on" | "off"): string {
  const isOn = state === "on";
  const text = isOn
    ? "memory is read-only: the bot learns nothing until `forgetmenot memory readonly off`. Waiting chat still expires, and forget requests still work"
    : "memory is writable again";
  return setSwitch(opened, "read_only", isOn, text);
}

export function setSafeMode(opened: OpenFolder, state: "on" | "off"): string {
  let text = "safe mode is off";
  if (opened.config.actions.safeMode)
    text += " here, but `actions.safeMode` in the configuration still refuses every action";
  if (state === "on")
    text = "safe mode is on: every action is refused until `forgetmenot safe off`";
  return setSwitch(opened, "safe_mode", state === "on", text);
}

/**
 * Sets a switch in the database; a running daemon sees it before its next decision or write. Returns `text`, with a
 * remark if no bot runs.
 */
function setSwitch(
  { config, db, now }: OpenFolder,
  name: "paused" | "read_only" | "safe_mode",
  isOn: boolean,
  text: string,
): string {
  new SwitchStore(db, now).set(name, isOn, "cli");
  const isRunning = isLocked(config.dataDir);
  return `${text}${isRunning ? "" : " (the bot is not running now; this holds when it starts)"}`;
}

/**
 * Reports on a stream or a time until now, by default the last stream: people first, without statistics; with
 * `details`, its numbers. The value for scripts has the numbers anyway. Throws a Fault for an impossible `session` or
 * `since`.
 */
export function describeReport(
  { db, now }: OpenFolder,
  options: { session?: string; since?: string; channel?: string; details?: true },
  terminal: Terminal,
): CommandOutput {
  const { session = null, since = null, details } = options;
  const nowMs = now();
  const channel = options.channel === undefined ? null : readChannelName(options.channel);
  const period = choosePeriod(db, { session, since, channel }, nowMs);
  const found = readReport(db, period, nowMs);
  const parts =
    details === true
      ? makeNumberParts(found)
      : makeSummaryParts(found, readStory(db, period, nowMs));
  const more =
    "`forgetmenot report --details` has the numbers, `forgetmenot replies` what it said.";
  const colour = wantsColour();
  const columns = terminal.isTerminal ? terminal.columns() : 100;
  return {
    value: found,
    text: [
      formatTitle(period),
      formatPeriod(period),
      formatParts(parts, { colour, columns }),
      ...linesIf(details !== true, "", more),
    ],
  };
}
