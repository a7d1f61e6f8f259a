// Pure: values in, values out.

import { printable, wrapWords } from "../../language/clean.ts";
import { localTime } from "../../platform/config/local-time.ts";
import { plural } from "../../telemetry/figures.ts";

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

export const ok = untroubled("ok");
export const notChecked = untroubled("not_checked");
export const warning = troubled("warning");
export const problem = troubled("problem");

// Paths, logins, names of models and notices come from elsewhere, and some end in a terminal.
function untroubled(state: Finding["state"]) {
  return (check: Check, text: string): Finding => {
    return { check, state, found: printable(text), mend: null };
  };
}

function troubled(state: Finding["state"]) {
  return (check: Check, found: string, mend: string): Finding => {
    return { check, state, found: printable(found), mend: printable(mend) };
  };
}

const TIME_MS_END = Date.UTC(9999, 0);

/** A time (epoch ms) by this machine's clock. What Twitch, a file or a database says may be no time at all. */
export function timeText(atMs: number): string {
  return atMs >= 0 && atMs < TIME_MS_END ? localTime(atMs) : "an impossible time";
}

const SIGNS: Readonly<Record<Finding["state"], readonly [sign: string, colour: number]>> = {
  ok: ["✓", 32],
  warning: ["!", 33],
  problem: ["✗", 31],
  not_checked: ["–", 2],
};
const LABEL_COLUMNS = Math.max(...Object.values(CHECKS).map((label) => label.length));
const INDENT = " ".repeat("✓ ".length + LABEL_COLUMNS + 2);
const TEXT_COLUMNS_MIN = 30;

/**
 * Findings as a person reads them: neither the same label nor the same mend is said twice. `before`: the one above;
 * `columns`: where lines are broken, null: nowhere.
 */
export function findingLines(
  findings: readonly Finding[],
  before: Finding | undefined,
  { colour, columns }: { readonly colour: boolean; readonly columns: number | null },
): string[] {
  return findings.map((finding, at) => {
    const { check, mend, state, found } = finding;
    const above = findings[at - 1] ?? before;
    const below = findings[at + 1];
    const [sign, code] = SIGNS[state];
    const label = check === above?.check ? "" : CHECKS[check];
    const told = state === "not_checked" ? `not checked: ${found}` : found;
    const [first = "", ...more] = broken(told, columns);
    const isSaidBelow = check === below?.check && mend === below.mend;
    const mending = mend === null || isSaidBelow ? [] : broken(mend, columns, "→ ");
    return [
      `${colour ? `\u001b[${code}m${sign}\u001b[0m` : sign} ${label.padEnd(LABEL_COLUMNS)}  ${first}`,
      ...[...more, ...mending].map((line) => INDENT + line),
    ].join("\n");
  });
}

/** `2 problems, 1 warning`. */
export function summaryText(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  return `${plural(count("problem"), "problem")}, ${plural(count("warning"), "warning")}`;
}

/** Breaks between words, so that what follows stays in its column. */
function broken(text: string, columns: number | null, lead = ""): string[] {
  if (columns === null) return [lead + text];
  const room = Math.max(TEXT_COLUMNS_MIN, columns - INDENT.length) - lead.length;
  return wrapWords(text, room).map(
    (line, at) => (at === 0 ? lead : " ".repeat(lead.length)) + line,
  );
}
