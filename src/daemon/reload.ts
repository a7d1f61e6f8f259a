import { isSameJson, leavesOf } from "../config/json-tree.ts";
import { type Config, parseConfig, readConfigText, refuseMute } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import type { Notices } from "../database/notices-store.ts";
import { attempt } from "../errors.ts";
import { getPolicy, PolicyHistory } from "../memory/memory-policy-store.ts";
import { LlmCallStore } from "../models/call-store.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

const LOOK_EVERY_MS = 1_000;
/** Marks a file that cannot be read: no text equals it. */
const UNREADABLE = "\0";
const NOTICE = "configuration";
const RESTART_NOTICE = "configuration:restart";
const RETIRED_NOTICE = "configuration:retired";

/**
 * Records the memory policy of the start, then watches the configuration file, if there is one. Keys that need no
 * restart are applied; a notice names the others. A wrong file changes nothing and raises a notice. It compares the
 * text of the file: file times are too coarse on some disks, and not every system reports changes.
 */
export function watchConfig(
  options: DaemonOptions,
  live: LiveConfig,
  secrets: Secrets,
  { db, notices, retries }: Stores,
  life: Lifetime,
): void {
  const { configFile, configLookMs = LOOK_EVERY_MS, now, log } = options;
  const history = new PolicyHistory(db, now);
  history.record(getPolicy(live.config), "start");
  notifyRemovedKeys(notices, live.config);
  if (configFile === undefined) return;
  const reload = (text: string): void => {
    const inFile = parseConfig(text, configFile);
    const next = live.with(inFile);
    const model = next.llm.models.reply ?? next.llm.model;
    refuseTightBudget(next, new LlmCallStore(db).correction(model));
    refuseMute(next, secrets);
    notices.clear(NOTICE);
    notifyRestart(notices, inFile, next);
    if (isSameJson(next, live.config)) return;
    live.take(inFile);
    retries.add(() => history.record(getPolicy(live.config), "reload"));
    notifyRemovedKeys(notices, live.config);
    log.info({}, "configuration applied");
  };
  let seen: string | null = null;
  life.repeat(configLookMs, () => {
    const file = attempt(() => readConfigText(configFile));
    const text = file.value ?? UNREADABLE;
    if (text === seen) return;
    seen = text;
    const { fault } = file.value === null ? file : attempt(() => reload(text));
    if (fault === null) return;
    const wrong = fault.message.replaceAll("\n", "; ");
    const message = `config.json has an error, so the bot keeps its last configuration: ${wrong}. Correct \`config.json\`; the bot reads it again by itself.`;
    notices.raise(NOTICE, "error", message);
  });
}

/**
 * Raises a notice that names the removed keys in the file; clears it if there are none. In shadow mode it also clears
 * the notice about refused messages, because the bot sends none.
 */
function notifyRemovedKeys(notices: Notices, { removedKeys, mode }: Config): void {
  if (mode === "shadow") notices.clear("chat:refused");
  if (removedKeys.length === 0) {
    notices.clear(RETIRED_NOTICE);
    return;
  }
  const message = `config.json has keys that this edition ignores: ${removedKeys.join(", ")}. Nothing to do; you may delete them there.`;
  notices.raise(RETIRED_NOTICE, "info", message);
}

/**
 * Raises a notice that names the keys of the file that need a restart; clears it if there are none. Those are the keys
 * that differ from the applied configuration.
 */
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

/** The configuration of a running daemon. */
export class LiveConfig {
  /** The active configuration. It is always this object; a reload replaces its parts, so read them at each use. */
  readonly config: Config;
  readonly #start: Config;

  constructor(start: Config) {
    this.#start = start;
    this.config = { ...start };
  }

  /** Returns the configuration that a new file would make active. Keys that need a restart stay as at the start. */
  with(next: Config): Config {
    // A reload never moves the data, and never changes the bot's account or its servers.
    const { channels, dataDir, databaseFile, twitch, dashboard, bot } = this.#start;
    const { provider, baseUrl, allowInsecureHost, model, models } = this.#start.llm;
    const isSameEndpoint =
      next.llm.provider === provider &&
      next.llm.baseUrl === baseUrl &&
      next.llm.allowInsecureHost === allowInsecureHost;
    // A model of another provider means nothing to this one.
    const endpoint = isSameEndpoint ? {} : { provider, baseUrl, allowInsecureHost, model, models };
    return {
      ...next,
      ...{ channels, dataDir, databaseFile, twitch, dashboard },
      bot: { ...next.bot, login: bot.login },
      llm: { ...next.llm, ...endpoint },
    };
  }

  /** Makes a new file's configuration active, except for keys that need a restart. */
  take(next: Config): void {
    Object.assign(this.config, this.with(next));
  }
}
