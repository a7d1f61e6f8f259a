// Pure: values in, values out.
import { localTime } from "../../platform/config/local-time.ts";
import { printable } from "../printable.ts";

/** What is looked at, in order, and what a person reads it as. The names are codes: scripts rely on them. */
export const CHECKS = {
  node: "Node",
  config: "configuration",
  folder: "data folder",
  disk: "disk space",
  daemon: "the bot",
  secrets: "secrets",
  clock: "clock",
  bot_token: "bot's log-in",
  streamer_token: "your log-in",
  channel: "channel",
  chat_server: "chat server",
  model: "model",
  database: "database",
  kept_chat: "kept chat",
  removed_chat: "removed chat",
  switches: "switches",
  notice: "it told you",
  page: "status page",
} as const;

export type Check = keyof typeof CHECKS;

/** One thing that was looked at. `not_checked`: what it depends on is not in order, or it was stopped. */
export interface Finding {
  readonly check: Check;
  readonly state: "ok" | "warning" | "problem" | "not_checked";
  /** One line: no secret, no chat, no viewer. */
  readonly found: string;
  /** One line: what to do about it; null where there is nothing to do. */
  readonly mend: string | null;
}

export function ok(check: Check, found: string): Finding {
  return tell({ check, state: "ok", found, mend: null });
}

export function warning(check: Check, found: string, mend: string): Finding {
  return tell({ check, state: "warning", found, mend });
}

export function problem(check: Check, found: string, mend: string): Finding {
  return tell({ check, state: "problem", found, mend });
}

export function notChecked(check: Check, why: string): Finding {
  return tell({ check, state: "not_checked", found: why, mend: null });
}

/** Paths, logins, names of models and notices come from elsewhere, and some end in a terminal. */
function tell(finding: Finding): Finding {
  const { found, mend } = finding;
  return { ...finding, found: printable(found), mend: mend === null ? null : printable(mend) };
}

const TIME_MS_END = Date.UTC(9999, 0);

/** A time (epoch ms) by this machine's clock. What Twitch, a file or a database says may be no time at all. */
export function timeText(atMs: number): string {
  return atMs >= 0 && atMs < TIME_MS_END ? localTime(atMs) : "an impossible time";
}

/** A path as a shell takes it. */
export function shellPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** `1 warning`, `2 warnings`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
