import { type KeyName, PROVIDERS, type ProviderName } from "../../catalogue/providers.ts";
import type { Environment } from "../../config/environment.ts";
import type { Config } from "../../config/load.ts";
import type { Secrets } from "../../config/secrets.ts";
import type { Wait } from "../../twitch/bounded-call.ts";
import type { Ask } from "./ask.ts";

/** The questions, in the order in which they are asked. */
export const STEPS = [
  "channel",
  "account",
  "application",
  "classes",
  "login",
  "name",
  "model",
  "voice",
  "mode",
] as const;
export type Step = (typeof STEPS)[number];

/** Under which name the key for a provider's models is stored. */
export function keyName(provider: ProviderName): KeyName {
  return PROVIDERS[provider].key.secret;
}

/** The clock and how to wait by it, the browser, and the application that the project has registered. */
export interface SetupWorld {
  readonly now: () => number;
  readonly wait: Wait;
  /** Opens an address, if there is a browser. */
  readonly open: (url: string) => void;
  /** Empty as long as the project has none. */
  readonly defaultClientId: string;
}

/** What setup finds before the first question. */
export interface Ground {
  /** The configuration file, as it was named. */
  readonly file: string;
  readonly isNew: boolean;
  /** What the file says, defaults included; the defaults for a new one. */
  readonly base: Config;
  readonly environment: Environment;
  readonly secrets: Secrets;
}

/** What every question needs. */
export interface SetupState extends Ground, SetupWorld {
  readonly ask: Ask;
  /** Set once a stored log-in was renewed: Twitch refuses the old one then, so the new one is stored at once. */
  renewed: boolean;
  /** Set once writing failed. */
  failed: boolean;
}
