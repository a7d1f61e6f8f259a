import { createUptimeClock, setSharedInterval } from "../clock.ts";
import { readEnvironment } from "../config/environment.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import { makeStartUndo } from "../database/open-database.ts";
import { refuseRehearsalFolder } from "../demo/data-folder.ts";
import { Fault } from "../errors.ts";
import { LogFile, openLog } from "../log.ts";
import type { Llm } from "../models/model-port.ts";
import type { Dashboard } from "../page/server.ts";
import { Autostart } from "../system/autostart.ts";
import { formatPlural } from "../telemetry/figures.ts";
import type { StatusNow } from "../telemetry/status.ts";
import type { Options } from "./open-folder.ts";
import { linesIf, openBrowser, Painter, type Terminal, waitForAbort } from "./terminal.ts";

/**
 * Runs the bot until the operator stops it. If it cannot start, it deletes the data folder or database that it made.
 * Rejects with a Fault for a problem that must be fixed, or if chat could not be written before the end.
 */
export async function run(
  { config: configFile }: Options,
  terminal: Terminal,
  before?: {
    /** A page that is open already, with its browser, as after setup; null if the configuration has none. */
    page: Dashboard | null;
    /** Called once, when the bot is in chat or was stopped before. */
    onJoined: () => void;
  },
): Promise<void> {
  const config = loadConfig(configFile);
  refuseRehearsalFolder(config.dataDir);
  const quit = new AbortController();
  const stop = AbortSignal.any([terminal.stop, quit.signal]);
  const undoStart = makeStartUndo(config.dataDir, config.databaseFile);
  const paint = new Painter(terminal);
  const logFile = new LogFile(config.dataDir, Date.now);
  const log = openLog("info", (line) => {
    if (terminal.isTerminal) paint.printLogged(line);
    logFile.write(line);
  });
  const autostart = new Autostart(configFile);
  const daemon = await startDaemon({
    config,
    configFile,
    ...(before?.page ? { page: before.page } : {}),
    control: { quit: () => quit.abort(), autostart },
    environment: readEnvironment(),
    offlineModel: demoModel,
    now: Date.now,
    monotonicNow: () => performance.now(),
    sinceBootMs: createUptimeClock(),
    random: Math.random,
    log,
  });
  // A log-in that starts an older copy is no reason to stop, nor is a system that refuses.
  autostart.renew().catch(() => undefined);
  terminal.onCrash(async (thrown) => {
    daemon.crashed(thrown);
    await daemon.close();
  });
  /** Resolves with the Fault if the bot cannot go on, or with undefined once it is stopped. */
  const ended = Promise.race([waitForAbort(stop), daemon.broken]);
  const endView = terminal.isTerminal ? showState(paint, daemon) : null;
  try {
    // The page is up before the bot is in chat.
    const link = daemon.pageLink();
    if (link !== null) paint.above(`The page, by a link that works once: ${link}`);
    if (link !== null && terminal.isTerminal && before === undefined) openBrowser(link);
    const fault = await Promise.race([daemon.ready, ended]);
    if (fault instanceof Fault) throw fault;
  } catch (refusal) {
    endView?.([]);
    await daemon.close();
    if (!(refusal instanceof Fault && refusal.code === "broken")) undoStart();
    throw refusal;
  }
  before?.onJoined();
  if (!stop.aborted) printJoined(paint, terminal, config, daemon.statusNow());
  const fault = await ended;
  endView?.(["", "`forgetmenot report` sums the stream up."]);
  const { linesLost } = await daemon.close();
  if (fault instanceof Fault) throw fault;
  if (linesLost === 0) return;
  const lost = `${formatPlural(linesLost, "line")} of chat could not be written before the end`;
  const fix = `\`forgetmenot doctor\` says what keeps ${config.dataDir} from being written`;
  throw new Fault(lost, { code: "broken", fix });
}

/** The model of the demo, loaded with its first question: a usual start never asks it. */
const demoModel: Llm = {
  ask: async (request) => {
    const { openRecordedModel } = await import("../demo/recorded-model.ts");
    const { makeRecording } = await import("../demo/script.ts");
    return await openRecordedModel(makeRecording()).ask(request);
  },
};

/** Prints the joined channels; without a terminal also the notices that are errors. */
function printJoined(
  paint: Painter,
  terminal: Terminal,
  { bot, channels, mode }: Config,
  status: StatusNow,
): void {
  const joined = status.channels.filter((one) => one.joined).map(({ channel }) => channel);
  // The heartbeat that names them may not be written yet.
  const names = (joined.length === 0 ? channels : joined).map((channel) => `#${channel}`);
  const botName = bot.login ?? "an anonymous listener";
  paint.above(`Joined ${names.join(", ")} as ${botName}, mode ${mode}. Ctrl-C ends it.`);
  // At a terminal, the view of the state prints each notice.
  if (terminal.isTerminal) return;
  for (const { severity, message } of status.notices)
    if (severity === "error") terminal.complain(`error: ${message}`);
}

const LOOK_EVERY_MS = 1_000;

/**
 * Shows each notice once, and the bot's state every second, on a terminal. The returned function ends that, and prints
 * the lines that it gets.
 */
function showState(paint: Painter, daemon: Daemon): (lines: readonly string[]) => void {
  const printed = new Set<string>();
  const look = (): void => {
    try {
      const now = daemon.statusNow();
      for (const { kind, cause, severity, message } of now.notices) {
        const notice = `${severity === "error" ? "!" : "·"} ${message}`;
        if (!printed.has(`${kind}:${cause}`)) paint.above(notice);
        printed.add(`${kind}:${cause}`);
      }
      paint.below(formatStatus(now));
    } catch {
      // The daemon has its own notice for a database that fails. The next look tries again.
    }
  };
  const endLooks = setSharedInterval(LOOK_EVERY_MS, look);
  look();
  return (lines) => {
    endLooks();
    look();
    paint.end(lines);
  };
}

function formatStatus({ channels, switches, spend }: StatusNow): string {
  const where = channels.map(({ channel, joined, isLive, pace }) => {
    const live = { true: "live", false: "offline", null: "live state unknown" }[`${isLive}`];
    return `#${channel} ${joined ? live : "not joined"}${pace === null ? "" : `, ${pace}`}`;
  });
  return [
    ...where,
    ...linesIf(switches.paused, "PAUSED"),
    ...linesIf(switches.safeMode, "safe mode"),
    ...linesIf(switches.readOnly, "memory read-only"),
    ...linesIf(spend.dollarsLastDay !== null, `$${spend.dollarsLastDay?.toFixed(2)} today`),
  ].join(" · ");
}
