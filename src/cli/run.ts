import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import { offlineModel } from "../lab/offline/offline-model.ts";
import { refuseRehearsalFolder } from "../lab/rehearsal/data-folder.ts";
import { openLog } from "../log.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import { beforeStart } from "../platform/database/first-start.ts";
import { aborted } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the bot until the operator stops it. Rejects with a Fault for what has to be mended first. */
export async function run(configFile: string, terminal: Terminal): Promise<void> {
  const config = loadConfig(configFile);
  refuseRehearsalFolder(config.dataDir);
  const undoStart = beforeStart(config.dataDir, config.databaseFile);
  const log = openLog(config.log.level);
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
  try {
    await Promise.race([daemon.ready, aborted(terminal.stop)]);
  } catch (refusal) {
    await daemon.close();
    undoStart();
    throw refusal;
  }
  if (!terminal.stop.aborted) welcome(config, daemon, terminal);
  await aborted(terminal.stop);
  await daemon.close();
}

function welcome(config: Config, daemon: Daemon, terminal: Terminal): void {
  const { channels, notices } = daemon.status();
  const joined = channels.filter((one) => one.joined).map(({ channel }) => channel);
  terminal.print(greeting(config, joined, daemon.pageUrl));
  for (const { severity, message } of notices) {
    if (severity === "error") terminal.complain(`${severity}: ${message}`);
  }
}

function greeting(config: Config, joined: readonly string[], pageUrl: string | null): string {
  const channels = (joined.length === 0 ? config.channels : joined)
    .map((channel) => `#${channel}`)
    .join(", ");
  const who = config.bot.login ?? "an anonymous listener";
  const page = pageUrl === null ? "" : ` Status page: ${pageUrl}.`;
  return `Joined ${channels} as ${who}, mode ${config.mode}.${page} Ctrl-C ends it.`;
}
