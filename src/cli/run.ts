import { readEnvironment } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { startDaemon } from "../daemon.ts";
import { openLog } from "../log.ts";
import { aborted } from "./stop.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the bot until the operator stops it. Rejects with a Fault for what has to be mended first. */
export async function run(configFile: string, terminal: Terminal): Promise<void> {
  const config = loadConfig(configFile);
  const daemon = await startDaemon({
    config,
    environment: readEnvironment(),
    now: Date.now,
    random: Math.random,
    log: openLog(config.log.level),
  });
  try {
    await Promise.race([daemon.ready, aborted(terminal.stop)]);
    if (!terminal.stop.aborted) terminal.print(greeting(config, daemon.pageUrl));
    await aborted(terminal.stop);
  } finally {
    await daemon.close();
  }
}

function greeting(config: ReturnType<typeof loadConfig>, pageUrl: string | null): string {
  const channels = config.channels.map((channel) => `#${channel}`).join(", ");
  const who = config.bot.login ?? "an anonymous listener";
  const page = pageUrl === null ? "" : ` Status page: ${pageUrl}.`;
  return `Joined ${channels} as ${who}, mode ${config.mode}.${page} Ctrl-C ends it.`;
}
