import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import type { Secrets } from "../config/secrets.ts";
import { toPrintable } from "../language/clean.ts";
import type { TwitchLogins } from "./twitch-checks.ts";

/** The result of a check, in one line. It holds no secret, no chat and no viewer. */
export interface Seen {
  /** `not_checked`: something that the check needs is missing or broken. */
  readonly state: "ok" | "warning" | "problem" | "not_checked";
  readonly found: string;
  /** The fix in one line; null if the fix of the check applies, or there is nothing to do. */
  readonly fix: string | null;
}

export function ok(found: string): Seen {
  return makeSeen("ok", found);
}

export function notChecked(found: string): Seen {
  return makeSeen("not_checked", found);
}

/** Makes a warning. Without a fix, the fix of the check applies. */
export function warning(found: string, fix?: string): Seen {
  return makeSeen("warning", found, fix);
}

/** Makes a problem. Without a fix, the fix of the check applies. */
export function problem(found: string, fix?: string): Seen {
  return makeSeen("problem", found, fix);
}

function makeSeen(state: Seen["state"], found: string, fix?: string): Seen {
  // Paths, logins and notices come from elsewhere, and end in a terminal.
  return { state, found: toPrintable(found), fix: fix === undefined ? null : toPrintable(fix) };
}

export const NETWORK_FIX =
  "check whether this machine is online, and whether a firewall or proxy blocks the connection";
/** The fix if only the daemon has a variable. */
export const ELSEWHERE = "run this where the bot was started";
export const UNREAD = notChecked("the secrets cannot be read");
export const NOT_TWITCH = notChecked("chat is on this machine, so the bot does not ask Twitch");

export interface ExaminedBot {
  readonly config: Config;
  readonly environment: Environment;
  /** Is null if the secrets file cannot be read. */
  readonly secrets: Secrets | null;
  /** True if a daemon runs on the data folder: it renews tokens, and may have variables that are not set here. */
  readonly running: boolean;
  /** True if the bot asks Twitch. With a chat server on this machine, it does not. */
  readonly asksTwitch: boolean;
  /** Asks Twitch about the log-ins at the first call; later calls get the same answer. Needs `secrets`. */
  readonly logins: () => Promise<TwitchLogins>;
  readonly now: () => number;
  readonly stop: AbortSignal;
}

const MB = 1_000_000;

/** Formats a size, such as `12 MB` or `3.4 GB`; below 1 MB, `less than 1 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < MB) return "less than 1 MB";
  const isLarge = bytes >= 1_000 * MB;
  return isLarge ? `${(bytes / 1_000 / MB).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`;
}
