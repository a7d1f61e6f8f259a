import { isSameJson, leavesOf } from "../platform/config/json-tree.ts";
import type { Config } from "../platform/config/load.ts";

export interface LiveConfig {
  /**
   * The configuration as it is now: always this object, whose parts a reload replaces. Who holds it reads from it at
   * each use; who makes something of its parts makes that again when they changed.
   */
  readonly config: Config;
  /** What would hold with another file: its own keys, but for those that only a restart takes over. */
  with(next: Config): Config;
  take(next: Config): void;
}

/** The configuration of a running daemon. */
export function liveConfig(start: Config): LiveConfig {
  const config: Config = { ...start };
  const kept = (next: Config): Config => withFixed(start, next);
  return {
    config,
    with: kept,
    take: (next) => {
      Object.assign(config, kept(next));
    },
  };
}

/** Keys, as config.json names them, in which a file differs from what holds: they need a restart. */
export function waitingForRestart(file: Config, holds: Config): readonly string[] {
  const held = leavesOf(holds);
  return [...leavesOf(file)]
    .filter(([key, value]) => key !== "databaseFile" && !isSameJson(value, held.get(key)))
    .map(([key]) => (key === "channels" ? "channel" : key));
}

/** Where data lies, who the bot is and whom it talks to stays: neither a reload nor a page moves that. */
function withFixed(start: Config, next: Config): Config {
  const { channels, dataDir, databaseFile, twitch, dashboard } = start;
  return {
    ...next,
    ...{ channels, dataDir, databaseFile, twitch, dashboard },
    bot: { ...next.bot, login: start.bot.login },
    llm: withEndpoint(start.llm, next.llm),
  };
}

/** A model of another provider means nothing to this one. */
function withEndpoint(start: Config["llm"], next: Config["llm"]): Config["llm"] {
  const { provider, baseUrl, allowInsecureHost, model, models } = start;
  const isSame =
    next.provider === provider &&
    next.baseUrl === baseUrl &&
    next.allowInsecureHost === allowInsecureHost;
  return isSame ? next : { ...next, provider, baseUrl, allowInsecureHost, model, models };
}
