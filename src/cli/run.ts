import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import { Fault } from "../errors.ts";
import { offlineModel } from "../lab/offline/offline-model.ts";
import { refuseRehearsalFolder } from "../lab/rehearsal/data-folder.ts";
import { openLog, toStandardError } from "../log.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { beforeStart } from "../platform/database/first-start.ts";
import { openLogFile } from "../platform/log-file.ts";
import { openBrowser } from "./browser.ts";
import { liveView } from "./live-view.ts";
import { aborted } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the bot until the operator stops it. Rejects with a Fault for what has to be mended first. */
export async function run(configFile: string, terminal: Terminal): Promise<void> {
  const config = loadConfig(configFile);
  refuseRehearsalFolder(config.dataDir);
  const undoStart = beforeStart(config.dataDir, config.databaseFile);
  const view = terminal.isTerminal ? liveView(terminal) : null;
  const logFile = openLogFile(config.dataDir, Date.now);
  const toTerminal = view?.log ?? toStandardError();
  const log = openLog(config.log.level, (line) => {
    toTerminal(line);
    logFile.write(line);
  });
  const daemon = await startDaemon({
    config,
    configFile,
    onConfig: ({ log: { level } }) => log.setLevel(level),
    environment: readEnvironment(),
    offlineModel: offlineModel(),
    now: Date.now,
    monotonicNow: () => performance.now(),
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
    await Promise.race([daemon.ready, aborted(terminal.stop), broken]);
  } catch (refusal) {
    await daemon.close();
    if (!(refusal instanceof Fault && refusal.code === "broken")) undoStart();
    throw refusal;
  }
  if (!terminal.stop.aborted) welcome(config, daemon, terminal);
  if (!terminal.stop.aborted) view?.start(daemon.status, config);
  let reason: unknown = null;
  await Promise.race([aborted(terminal.stop), broken]).catch((fault: unknown) => {
    reason = fault;
  });
  view?.end();
  const { linesLost } = await daemon.close();
  if (reason !== null) throw reason;
  if (linesLost > 0) throw lostFault(linesLost, config);
}

function lostFault(lines: number, { dataDir }: Config): Fault {
  return new Fault(`${lines} lines of chat could not be written before the end`, {
    code: "broken",
    mend: `\`forgetmenot doctor\` says what keeps ${dataDir} from being written; what people asked for was kept, the next start takes it in`,
  });
}

function welcome(config: Config, daemon: Daemon, terminal: Terminal): void {
  const { channels, notices } = daemon.status();
  const joined = channels.filter((one) => one.joined).map(({ channel }) => channel);
  const link = daemon.pageLink();
  terminal.print(greeting(config, joined, link));
  if (link !== null && terminal.isTerminal) openBrowser(link);
  for (const { severity, message } of notices) {
    if (severity === "error") terminal.complain(`${severity}: ${message}`);
  }
}

function greeting(config: Config, joined: readonly string[], pageLink: string | null): string {
  const channels = (joined.length === 0 ? config.channels : joined)
    .map((channel) => `#${channel}`)
    .join(", ");
  const who = config.bot.login ?? "an anonymous listener";
  const page = pageLink === null ? "" : `\nThe page, by a link that works once: ${pageLink}`;
  return `Joined ${channels} as ${who}, mode ${config.mode}. Ctrl-C ends it.${page}`;
}
