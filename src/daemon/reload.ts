import { isSameJson, leavesOf } from "../config/json-tree.ts";
import { type Config, parseConfig, readConfigText, refuseMute } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import { type Attempt, attempt, Fault } from "../errors.ts";
import { policyOf } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { llmCallStore, modelCorrections } from "../models/call-store.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import type { DaemonOptions, Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface ReloadParts {
  readonly options: Pick<DaemonOptions, "configFile" | "configLookMs" | "onConfig" | "now" | "log">;
  readonly live: LiveConfig;
  readonly secrets: Secrets;
  readonly stores: Pick<Stores, "db" | "notices">;
  readonly life: Lifetime;
}

const LOOK_EVERY_MS = 1_000;
/** No text of a file. */
const UNREADABLE = "\0";
const NOTICE = "configuration";
const RESTART_NOTICE = "configuration:restart";
const RETIRED_NOTICE = "configuration:retired";

/**
 * Writes down the policy that the daemon starts with, then watches the configuration's file, if there is one: what
 * can change without a restart does, what cannot is told, and a file that is wrong changes nothing and is told.
 * Looks at the text itself: times of files are too coarse on some disks, and not every system tells of changes.
 */
export function watchConfig(parts: ReloadParts): void {
  const { live, life, options } = parts;
  const file = options.configFile;
  const history = policyHistory(parts.stores.db, options.now);
  history.record(policyOf(live.config), "start");
  notifyRemovedKeys(parts, live.config);
  if (file === undefined) return;
  const isDue = steady();
  /** What the database did not take yet of a configuration that holds. */
  let unwritten: Config | null = null;
  const look = (): void => {
    const read = attempt(() => readConfigText(file));
    if (isDue(read.value ?? UNREADABLE) && reload(parts, file, read)) unwritten = live.config;
    if (unwritten !== null) history.record(policyOf(unwritten), "reload");
    unwritten = null;
  };
  life.repeat(options.configLookMs ?? LOOK_EVERY_MS, look);
}

/** True where another configuration was taken over. */
function reload(parts: ReloadParts, file: string, read: Attempt<string>): boolean {
  const { live, secrets, options } = parts;
  const { notices, db } = parts.stores;
  try {
    if (read.fault !== null) throw read.fault;
    const inFile = parseConfig(read.value, file);
    const next = live.with(inFile);
    const model = next.llm.models.reply ?? next.llm.model;
    refuseTightBudget(next, modelCorrections(llmCallStore(db)).factor(model));
    refuseMute(next, secrets);
    notices.clear(NOTICE);
    notifyRestart(parts, waitingForRestart(inFile, next));
    if (isSameJson(next, live.config)) return false;
    live.take(inFile);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const wrong = fault.message.replaceAll("\n", "; ");
    notices.raise(
      NOTICE,
      "error",
      `config.json has an error, so the bot keeps its last configuration: ${wrong}. Correct \`config.json\`; the bot reads it again by itself.`,
    );
    return false;
  }
  notifyRemovedKeys(parts, live.config);
  options.onConfig?.(live.config);
  options.log.info({}, "configuration applied");
  return true;
}

/** Names removed keys once. In mode shadow nothing is sent, so nothing is refused. */
function notifyRemovedKeys(
  { stores: { notices } }: ReloadParts,
  { removedKeys, mode }: Config,
): void {
  if (mode === "shadow") notices.clear("chat:refused");
  if (removedKeys.length === 0) notices.clear(RETIRED_NOTICE);
  else {
    notices.raise(
      RETIRED_NOTICE,
      "info",
      `config.json has keys that this edition ignores: ${removedKeys.join(", ")}. Nothing to do; you may delete them there.`,
    );
  }
}

function notifyRestart({ stores: { notices } }: ReloadParts, keys: readonly string[]): void {
  const message = `Changed keys need a restart: ${keys.join(", ")}. End the bot, then type \`forgetmenot run\`.`;
  if (keys.length === 0) notices.clear(RESTART_NOTICE);
  else notices.raise(RESTART_NOTICE, "warning", message);
}

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
function waitingForRestart(file: Config, holds: Config): readonly string[] {
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

/**
 * Whether what was found is new and may be taken: editors write a file in several steps, so only what two looks in a
 * row find is, and that once.
 */
export function steady(): (found: string) => boolean {
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
