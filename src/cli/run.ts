import { openActionReview } from "../actions/ledger-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { createUptimeClock, setSharedInterval } from "../clock.ts";
import { withShellCommands } from "../config/command-line.ts";
import { readEnvironment } from "../config/environment.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import { beforeStart } from "../database/inspect-file.ts";
import { type Db, openDatabase } from "../database/open-database.ts";
import { refuseRehearsalFolder } from "../demo/data-folder.ts";
import { attempt, Fault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { openLog, toStandardError } from "../log.ts";
import { openLogFile } from "../log-file.ts";
import { createFactReader, prepareNewestNote } from "../memory/note-reads-store.ts";
import type { Llm } from "../models/model-port.ts";
import type { Dashboard } from "../page/server.ts";
import { prepareSeenReplies, readFinishedReplies } from "../reply/reply-view-store.ts";
import { type Autostart, openAutostart } from "../system/autostart.ts";
import { formatPlural } from "../telemetry/figures.ts";
import type { StatusNow } from "../telemetry/status.ts";
import type { Options } from "./open-folder.ts";
import { openPainter, type Painter } from "./paint.ts";
import { formatHold, formatNote, formatReply } from "./replies.ts";
import { linesIf, openBrowser, type Terminal, waitForAbort } from "./terminal.ts";

/** A page that is open already, with its browser, as after setup. */
interface OpenedBefore {
  /** Null if the configuration has none. */
  readonly page: Dashboard | null;
  readonly onJoined: () => void;
}

/**
 * Runs the bot until the operator stops it. Rejects with a Fault for a problem that must be fixed first, or if chat
 * could not be written before the end.
 */
export async function run(
  { config: configFile }: Options,
  terminal: Terminal,
  before?: OpenedBefore,
): Promise<void> {
  const config = loadConfig(configFile);
  refuseRehearsalFolder(config.dataDir);
  const quit = new AbortController();
  const stop = AbortSignal.any([terminal.stop, quit.signal]);
  const undoStart = beforeStart(config.dataDir, config.databaseFile);
  const paint = terminal.isTerminal ? openPainter(terminal, readEnvironment().wantsColour) : null;
  const logFile = openLogFile(config.dataDir, Date.now);
  const toTerminal = paint === null ? toStandardError() : printSentences(paint);
  const log = openLog("info", (logged) => {
    const line = withShellCommands(logged);
    toTerminal(line);
    logFile.write(line);
  });
  const daemon = await startDaemon({
    config,
    configFile,
    ...(before?.page ? { page: before.page } : {}),
    control: { quit: () => quit.abort(), ...findAutostart(configFile) },
    environment: readEnvironment(),
    offlineModel: demoModel,
    now: Date.now,
    monotonicNow: () => performance.now(),
    sinceBootMs: createUptimeClock(),
    random: Math.random,
    log,
  });
  terminal.onCrash?.(async (thrown) => {
    daemon.crashed(thrown);
    await daemon.close();
  });
  const broken = daemon.broken.then((fault) => {
    throw fault;
  });
  broken.catch(() => undefined);
  try {
    await Promise.race([daemon.ready, waitForAbort(stop), broken]);
  } catch (refusal) {
    await daemon.close();
    if (!(refusal instanceof Fault && refusal.code === "broken")) undoStart();
    throw refusal;
  }
  before?.onJoined();
  if (!stop.aborted)
    await printWelcome(config, daemon, { ...terminal, stop }, before === undefined);
  const isShown = paint !== null && !stop.aborted;
  const endView = isShown ? showNews(paint, daemon.statusNow, config) : null;
  let reason: unknown = null;
  await Promise.race([waitForAbort(stop), broken]).catch((fault: unknown) => {
    reason = fault;
  });
  endView?.();
  const { linesLost } = await daemon.close();
  if (reason !== null) throw reason;
  if (linesLost === 0) return;
  throw new Fault(
    `${formatPlural(linesLost, "line")} of chat could not be written before the end`,
    {
      code: "broken",
      fix: `\`forgetmenot doctor\` says what keeps ${config.dataDir} from being written`,
    },
  );
}

/** The model of the demo, loaded with its first question: a usual start never asks it. */
const demoModel: Llm = {
  ask: async (request) => {
    const [{ openRecordedModel }, { recordEvenings }] = await Promise.all([
      import("../demo/recorded-model.ts"),
      import("../demo/script.ts"),
    ]);
    return await openRecordedModel(recordEvenings()).ask(request);
  },
};

/** Returns the start at log-in; nothing on a system that has none. */
function findAutostart(configFile: string): { autostart?: Autostart } {
  const { value } = attempt(() => openAutostart(configFile));
  return value === null ? {} : { autostart: value };
}

async function printWelcome(
  config: Config,
  daemon: Daemon,
  terminal: Terminal,
  opensPage: boolean,
): Promise<void> {
  const { channels, notices } = daemon.statusNow();
  const joined = channels.filter((one) => one.joined).map(({ channel }) => channel);
  const named = joined.length === 0 ? config.channels : joined;
  const botName = config.bot.login ?? "an anonymous listener";
  terminal.print(
    `Joined ${named.map((channel) => `#${channel}`).join(", ")} as ${botName}, mode ${config.mode}. Ctrl-C ends it.`,
  );
  const link = await Promise.race([daemon.pageLink(), waitForAbort(terminal.stop)]);
  if (link) terminal.print(`The page, by a link that works once: ${link}`);
  if (link && terminal.isTerminal && opensPage) openBrowser(link);
  for (const { severity, message } of notices) {
    if (severity === "error") terminal.complain(`${severity}: ${message}`);
  }
}

const LOOK_EVERY_MS = 1_000;
/** Upper limit of lines for one look: a raid must not scroll everything away. */
const SHOWN_MAX = 20;
/** More replies than any stream has. */
const REPLIES_MAX = 100_000;

/**
 * Shows on a terminal what the bot does, until the returned function is called: who asked, what it said or why not, what
 * it learned, what waits. Names and messages reach the screen only.
 */
function showNews(paint: Painter, status: () => StatusNow, config: Config): () => void {
  const db = openDatabase(config.databaseFile, { readOnly: true });
  const news = openNewsReader(db, config.bot.login ?? "the bot");
  const printed = new Set<string>();
  const look = (): void => {
    try {
      const now = status();
      const notices = now.notices.filter((one) => !printed.has(`${one.kind}:${one.cause}`));
      paint.above(...news(), ...notices.map(formatNotice));
      for (const { kind, cause } of notices) printed.add(`${kind}:${cause}`);
      paint.below(formatStatus(now));
    } catch {
      // The daemon has its own notice for a database that fails. The next look tries again.
    }
  };
  const endLooks = setSharedInterval(LOOK_EVERY_MS, look);
  look();
  return () => {
    endLooks();
    look();
    paint.end(["", withShellCommands("`forgetmenot report` sums the stream up.")]);
    db.close();
  };
}

/** Returns a function that gives the news since its last call, as lines. The first call gives those since now. */
export function openNewsReader(db: Db, botName: string): () => string[] {
  const seen = prepareSeenReplies(db);
  const actions = openActionReview(db, Date.now);
  const factsAfter = createFactReader(db);
  const nameOf = prepareNameRead(db);
  let noteId = prepareNewestNote(db)();
  let actionId = actions.newestId();
  const ended = readFinishedReplies(db, seen.newestId(), (afterId) =>
    seen.list({ afterId, limit: REPLIES_MAX, shadow: false, userId: null }),
  );
  return () => {
    const replies = ended().slice(-SHOWN_MAX);
    const notes = factsAfter(noteId);
    const holds = actions.heldAfter(actionId);
    noteId = notes.at(-1)?.id ?? noteId;
    actionId = holds.at(-1)?.id ?? actionId;
    return [
      ...replies.flatMap((reply) => formatReply(reply, botName)),
      ...notes
        .slice(-SHOWN_MAX)
        .map((note) => formatNote({ ...note, fact: fillNames(note.fact, nameOf) })),
      ...holds.map(({ targetId, ...held }) =>
        formatHold({ ...held, target: targetId === null ? null : nameOf(targetId) }),
      ),
    ];
  };
}

function formatNotice({ severity, message }: StatusNow["notices"][number]): string {
  return `${severity === "error" ? "!" : "·"} ${withShellCommands(message)}`;
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

const WARN = 40;

/** Prints warnings and errors of the log as sentences. */
function printSentences(paint: Painter): (line: string) => void {
  return (line) => {
    try {
      const { level, msg, code } = JSON.parse(line);
      if (level >= WARN) paint.above(`! ${msg}${code === undefined ? "" : ` (${code})`}`);
    } catch {
      // Half a line says nothing to a person.
    }
  };
}
