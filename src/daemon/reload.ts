import { isSameJson, leavesOf } from "../config/json-tree.ts";
import { type Config, parseConfig, readConfigText, refuseMute } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import type { Notices } from "../database/notices-store.ts";
import { attempt } from "../errors.ts";
import { getPolicy, PolicyHistory } from "../memory/memory-policy-store.ts";
import { LlmCallStore } from "../models/call-store.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import { CHECK_EVERY_MS, type DaemonOptions, type Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

const NOTICE = "configuration";
const RESTART_NOTICE = "configuration:restart";
const RETIRED_NOTICE = "configuration:retired";

/**
 * Records the memory policy. Then watches the configuration file, if there is one, until the end. A changed file changes
 * `options.config`, except for keys that need a restart, which a notice names. A wrong file only raises a notice.
 */
export function followConfig(
  options: DaemonOptions,
  secrets: Secrets,
  { db, notices, retries }: Stores,
  life: Lifetime,
): void {
  const { config, configFile, now, log } = options;
  const start = { ...config };
  const history = new PolicyHistory(db, now);
  const adopt = (source: "start" | "reload"): void => {
    retries.add(() => history.record(getPolicy(config), source));
    notifyRemovedKeys(notices, config);
    // A silent bot cannot learn that Twitch shows its messages again.
    if (config.mode === "shadow") notices.clear("chat:refused");
  };
  adopt("start");
  if (configFile === undefined) return;
  const reload = (text: string): void => {
    const inFile = parseConfig(text, configFile);
    const next = keepRestartKeys(start, inFile);
    const model = next.llm.models.reply ?? next.llm.model;
    refuseTightBudget(next, new LlmCallStore(db).correction(model));
    refuseMute(next, secrets);
    notices.clear(NOTICE);
    notifyRestart(notices, inFile, next);
    if (isSameJson(next, config)) return;
    Object.assign(config, next);
    adopt("reload");
    log.info({}, "configuration applied");
  };
  /** The last text; null if the file could not be read; undefined before the first check. */
  let seen: string | null | undefined;
  life.repeat(CHECK_EVERY_MS, () => {
    // File times are too coarse on some disks, and not every system reports changes.
    const { value: text, fault: unread } = attempt(() => readConfigText(configFile));
    if (text === seen) return;
    seen = text;
    const fault = text === null ? unread : attempt(() => reload(text)).fault;
    if (fault === null) return;
    const wrong = fault.message.replaceAll("\n", "; ");
    const message = `config.json has an error, so the bot keeps its last configuration: ${wrong}. Correct \`config.json\`; the bot reads it again by itself.`;
    notices.raise(NOTICE, "error", message);
  });
}

/** Raises a notice that names keys in the file that this edition ignores; clears it if there are none. */
function notifyRemovedKeys(notices: Notices, { removedKeys }: Config): void {
  if (removedKeys.length === 0) {
    notices.clear(RETIRED_NOTICE);
    return;
  }
  const message = `config.json has keys that this edition ignores: ${removedKeys.join(", ")}. Nothing to do; you may delete them there.`;
  notices.raise(RETIRED_NOTICE, "info", message);
}

/** Raises a notice that names the keys of the file that need a restart; clears it if there are none. */
function notifyRestart(notices: Notices, file: Config, applied: Config): void {
  const active = leavesOf(applied);
  const keys = [...leavesOf(file)]
    .filter(([key, value]) => key !== "databaseFile" && !isSameJson(value, active.get(key)))
    .map(([key]) => (key === "channels" ? "channel" : key));
  if (keys.length === 0) {
    notices.clear(RESTART_NOTICE);
    return;
  }
  const message = `Changed keys need a restart: ${keys.join(", ")}. End the bot, then type \`forgetmenot run\`.`;
  notices.raise(RESTART_NOTICE, "warning", message);
}

/** Returns the configuration of a new file, with the keys that need a restart as at the start. */
function keepRestartKeys(start: Config, file: Config): Config {
  // A reload never moves the data, and never changes the bot's account or its servers.
  const { channels, dataDir, databaseFile, twitch, dashboard, bot } = start;
  const { provider, baseUrl, allowInsecureHost, model, models } = start.llm;
  const isSameEndpoint =
    file.llm.provider === provider &&
    file.llm.baseUrl === baseUrl &&
    file.llm.allowInsecureHost === allowInsecureHost;
  // A model of another provider means nothing to this one.
  const endpoint = isSameEndpoint ? {} : { provider, baseUrl, allowInsecureHost, model, models };
  return {
    ...file,
    ...{ channels, dataDir, databaseFile, twitch, dashboard },
    bot: { ...file.bot, login: bot.login },
    llm: { ...file.llm, ...endpoint },
  };
}
