import { isSameJson, leavesOf } from "../config/json-tree.ts";
import { type Config, parseConfig, readConfigText, refuseMute } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import { attempt } from "../errors.ts";
import { getPolicy } from "../memory/memory-policy.ts";
import { openPolicyHistory } from "../memory/memory-policy-store.ts";
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
 * Records the memory policy of the start, then watches the configuration file, if there is one. Keys that need no restart
 * are applied; a notice names the others. A wrong file changes nothing and raises a notice. It compares the text of the
 * file: file times are too coarse on some disks, and not every system reports changes.
 */
export function watchConfig(
  options: DaemonOptions,
  live: LiveConfig,
  secrets: Secrets,
  { db, notices }: Stores,
  life: Lifetime,
): void {
  const { configFile, configLookMs = LOOK_EVERY_MS, now, log } = options;
  const history = openPolicyHistory(db, now);
  history.record(getPolicy(live.config), "start");
  notifyRemovedKeys(notices, live.config);
  if (configFile === undefined) return;
  /** True until the database has the policy of the configuration that was applied last. */
  let isUnrecorded = false;
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
    isUnrecorded = true;
    notifyRemovedKeys(notices, live.config);
    log.info({}, "configuration applied");
  };
  const isDue = detectChange();
  life.repeat(configLookMs, () => {
    const file = attempt(() => readConfigText(configFile));
    const { value } = file;
    if (isDue(value ?? UNREADABLE)) {
      const { fault } = value === null ? file : attempt(() => reload(value));
      if (fault !== null) {
        const wrong = fault.message.replaceAll("\n", "; ");
        const message = `config.json has an error, so the bot keeps its last configuration: ${wrong}. Correct \`config.json\`; the bot reads it again by itself.`;
        notices.raise(NOTICE, "error", message);
      }
    }
    if (isUnrecorded) history.record(getPolicy(live.config), "reload");
    isUnrecorded = false;
  });
}

/** Names removed keys once. In shadow mode the bot sends no message that Twitch could refuse. */
function notifyRemovedKeys(notices: NoticeBoard, { removedKeys, mode }: Config): void {
  if (mode === "shadow") notices.clear("chat:refused");
  if (removedKeys.length === 0) {
    notices.clear(RETIRED_NOTICE);
    return;
  }
  const message = `config.json has keys that this edition ignores: ${removedKeys.join(", ")}. Nothing to do; you may delete them there.`;
  notices.raise(RETIRED_NOTICE, "info", message);
}

/** Names keys of the file that differ from the applied configuration, as config.json spells them. */
function notifyRestart(notices: NoticeBoard, file: Config, applied: Config): void {
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

export interface LiveConfig {
  /** The active configuration. It is always this object; a reload replaces its parts, so read them at each use. */
  readonly config: Config;
  /** Returns what would be active with another file: keys that need a restart stay as they are. */
  with(next: Config): Config;
  take(next: Config): void;
}

/** Opens the configuration of a running daemon. */
export function openLiveConfig(start: Config): LiveConfig {
  const config: Config = { ...start };
  const withFixed = (next: Config): Config => {
    // A reload never moves the data, and never changes the bot's account or its servers.
    const { channels, dataDir, databaseFile, twitch, dashboard } = start;
    const { provider, baseUrl, allowInsecureHost, model, models } = start.llm;
    const isSameEndpoint =
      next.llm.provider === provider &&
      next.llm.baseUrl === baseUrl &&
      next.llm.allowInsecureHost === allowInsecureHost;
    // A model of another provider means nothing to this one.
    const endpoint = isSameEndpoint ? {} : { provider, baseUrl, allowInsecureHost, model, models };
    return {
      ...next,
      ...{ channels, dataDir, databaseFile, twitch, dashboard },
      bot: { ...next.bot, login: start.bot.login },
      llm: { ...next.llm, ...endpoint },
    };
  };
  return {
    config,
    with: withFixed,
    take: (next) => void Object.assign(config, withFixed(next)),
  };
}

/**
 * Makes a function that says whether a text of the file is new. Editors write a file in several steps, so a text counts,
 * once, when two looks in a row find it.
 */
export function detectChange(): (found: string) => boolean {
  let seen: string | null = null;
  let taken: string | null = null;
  return (found) => {
    const isSteady = found === seen;
    seen = found;
    if (!isSteady || found === taken) return false;
    taken = found;
    return true;
  };
}
