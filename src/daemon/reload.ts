import { Fault } from "../errors.ts";
import { policyOf } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { trialStore } from "../memory/trial-store.ts";
import { type Config, parseConfig, readConfigText } from "../platform/config/load.ts";
import { refuseMute } from "../platform/config/refuse-mute.ts";
import type { Secrets } from "../platform/config/secrets.ts";
import { llmCallStore } from "../platform/models/call-store.ts";
import { modelCorrections } from "../reply/corrections.ts";
import { refuseTightBudget } from "../reply/refuse-tight-budget.ts";
import { steady } from "./debounce.ts";
import { every, type Lifetime } from "./lifetime.ts";
import { type LiveConfig, waitingForRestart } from "./live-config.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

export interface ReloadParts {
  readonly options: Pick<DaemonOptions, "configFile" | "configLookMs" | "onConfig" | "now" | "log">;
  readonly live: LiveConfig;
  readonly secrets: Secrets;
  readonly stores: Pick<Stores, "db" | "notices" | "gate">;
  readonly life: Lifetime;
}

const LOOK_EVERY_MS = 500;
const NOTICE = "config_reload";
const RESTART_NOTICE = "config_restart";
const RETIRED_NOTICE = "config_retired";

/**
 * Writes down the policy that the daemon starts with, then watches the configuration's file, if there is one: what
 * can change without a restart does, what cannot is told, and a file that is wrong changes nothing and is told.
 * Looks at the text itself: times of files are too coarse on some disks, and not every system tells of changes.
 */
export function watchConfig(parts: ReloadParts): void {
  const { live, life, options, stores } = parts;
  const file = options.configFile;
  const accepted = policyKeeper(parts);
  accepted(live.config, "start");
  tellRetired(parts, live.config);
  if (file === undefined) return;
  const isDue = steady();
  const look = (): void => {
    const found = textOf(file);
    if (isDue(found.key)) reload(parts, found.text, (config) => accepted(config, "reload"));
  };
  every(options.configLookMs ?? LOOK_EVERY_MS, () => stores.gate.opened().then(look), {
    life,
    log: options.log,
  });
}

interface Found {
  /** Tells two findings apart. */
  readonly key: string;
  /** Throws a Fault where the file cannot be read. */
  readonly text: () => { readonly file: string; readonly text: string };
}

function textOf(file: string): Found {
  try {
    const text = readConfigText(file);
    return { key: `text ${text}`, text: () => ({ file, text }) };
  } catch (fault) {
    return {
      key: "unreadable",
      text: () => {
        throw fault;
      },
    };
  }
}

function reload(parts: ReloadParts, read: Found["text"], accepted: (config: Config) => void): void {
  const { live, secrets, options } = parts;
  const { notices, db } = parts.stores;
  try {
    const { file, text } = read();
    const inFile = parseConfig(text, file);
    const next = live.with(inFile);
    const model = next.llm.models.reply ?? next.llm.model;
    refuseTightBudget(next, modelCorrections(llmCallStore(db)).factor(model));
    refuseMute(next, secrets);
    live.take(inFile);
    notices.clear(NOTICE);
    tellRestart(parts, waitingForRestart(inFile, next));
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const wrong = fault.message.replaceAll("\n", "; ");
    notices.raise(
      NOTICE,
      "error",
      `the configuration was not taken over, the last one holds: ${wrong}`,
    );
    return;
  }
  accepted(live.config);
  tellRetired(parts, live.config);
  options.onConfig?.(live.config);
  options.log.info({}, "the configuration was taken over");
}

/** Keys of an earlier edition do nothing: that is told once. */
function tellRetired({ stores: { notices } }: ReloadParts, { retiredKeys }: Config): void {
  if (retiredKeys.length === 0) notices.clear(RETIRED_NOTICE);
  else {
    notices.raise(
      RETIRED_NOTICE,
      "info",
      `these keys of the configuration do nothing any more and can go: ${retiredKeys.join(", ")}`,
    );
  }
}

function tellRestart({ stores: { notices } }: ReloadParts, keys: readonly string[]): void {
  const message = `changed in the configuration, and needs a restart: ${keys.join(", ")}`;
  if (keys.length === 0) notices.clear(RESTART_NOTICE);
  else notices.raise(RESTART_NOTICE, "warning", message);
}

/** Keeps what was accepted of memory's policy, and since when another one is on trial. */
function policyKeeper({ options, stores }: ReloadParts) {
  const history = policyHistory(stores.db, options.now);
  const trials = trialStore(stores.db, options.now);
  return (config: Config, source: "start" | "reload"): void => {
    history.record(policyOf(config), source);
    trials.begin(config.memory.trial);
  };
}
