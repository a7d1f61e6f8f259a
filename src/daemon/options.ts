import type { Log } from "../log.ts";
import type { Environment } from "../platform/config/environment.ts";
import type { Config } from "../platform/config/load.ts";
import type { Llm } from "../platform/models/model-port.ts";
import type { Wait } from "../twitch/wait.ts";

export interface DaemonOptions {
  readonly config: Config;
  /** Where it stands: watched from then on, so that what can change without a restart does. */
  readonly configFile?: string;
  /** How often it is looked at, in ms of real time; 500 where nothing is said. */
  readonly configLookMs?: number;
  /** Told of each configuration that was taken over. */
  readonly onConfig?: (config: Config) => void;
  readonly environment: Environment;
  /** Answers where the configuration names no other: the daemon has no model of its own. */
  readonly offlineModel: Llm;
  readonly now: () => number;
  /** Ms since any moment, by a clock that nobody sets. Without it `now` is taken for one that is never set back. */
  readonly monotonicNow?: () => number;
  /** Waits in the time that `now` tells; a rehearsal's runs faster than the wall's. */
  readonly wait?: Wait;
  readonly random: () => number;
  readonly log: Log;
}
