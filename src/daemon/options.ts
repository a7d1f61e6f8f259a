import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import type { Log } from "../log.ts";
import type { Wait } from "../twitch/wait.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly now: () => number;
  /** Waits in the time that `now` tells; a rehearsal's runs faster than the wall's. */
  readonly wait?: Wait;
  readonly random: () => number;
  readonly log: Log;
}
