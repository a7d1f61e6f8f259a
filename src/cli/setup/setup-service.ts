import type { Environment } from "../../platform/config/environment.ts";
import type { Config } from "../../platform/config/load.ts";
import type { SecretKeeper, Secrets } from "../../platform/config/secrets.ts";
import type { Wait } from "../../twitch/wait.ts";
import type { Ask } from "./ask.ts";
import type { Answers, Login } from "./setup-answers.ts";
import type { Step } from "./setup-draft.ts";

/** The clock and how to wait by it, the browser, and the application that the project has registered. */
export interface SetupWorld {
  readonly now: () => number;
  readonly wait: Wait;
  /** Opens an address; false where there is no browser. */
  readonly open: (url: string) => boolean;
  /** Empty as long as the project has none. */
  readonly defaultClientId: string;
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
export interface Desk extends Ground, SetupWorld {
  readonly ask: Ask;
  /** Set once a stored log-in was renewed: Twitch takes the old one no more, so the new one is kept at once. */
  renewed: boolean;
  /** Set once the person said that nothing shall be written. */
  declined: boolean;
  /** Set once writing failed. */
  failed: boolean;
  /** What was answered so far. */
  answers: Answers | null;
  /** To which questions. */
  readonly done: Set<Step>;
  /** Log-ins that Twitch gave in this conversation, to be kept where it is interrupted. */
  readonly fresh: { bot: Login | null; streamer: Login | null };
  /** What an interrupted setup put into the secrets file: taken again without a question, once. */
  kept: readonly SecretKeeper[];
  /** Log-ins among them that were taken already. */
  readonly taken: Set<"bot" | "streamer">;
}
