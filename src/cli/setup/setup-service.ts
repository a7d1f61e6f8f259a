import type { Environment } from "../../platform/config/environment.ts";
import type { Config } from "../../platform/config/load.ts";
import type { Secrets } from "../../platform/config/secrets.ts";
import type { Wait } from "../../twitch/wait.ts";
import type { Ask } from "./ask.ts";

/** The clock, and how to wait by it. */
export interface SetupTime {
  readonly now: () => number;
  readonly wait: Wait;
}

/** What setup finds before the first question. */
export interface Ground {
  /** The configuration file, as it was named. */
  readonly file: string;
  readonly isNew: boolean;
  /** What the file says, defaults included; of a new one the defaults. */
  readonly base: Config;
  readonly environment: Environment;
  readonly secrets: Secrets;
}

/** What every question needs. */
export interface Desk extends Ground, SetupTime {
  readonly ask: Ask;
  /** Set once a stored log-in was renewed: Twitch takes the old one no more, so the new one is kept at once. */
  renewed: boolean;
  /** Set once writing failed. */
  failed: boolean;
}
