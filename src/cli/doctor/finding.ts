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
  return { check, state: "ok", found, mend: null };
}

export function warning(check: Check, found: string, mend: string): Finding {
  return { check, state: "warning", found, mend };
}

export function problem(check: Check, found: string, mend: string): Finding {
  return { check, state: "problem", found, mend };
}

export function notChecked(check: Check, why: string): Finding {
  return { check, state: "not_checked", found: why, mend: null };
}

/** `1 warning`, `2 warnings`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
