import { openAccountStore } from "../chat/viewer-store.ts";
import { toPrintable } from "../language/clean.ts";
import { ReplyReview, type ReplyView } from "../reply/reply-view-store.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { explainSilence, getPlainName } from "../telemetry/plain-names.ts";
import type { CommandOutput, OpenFolder } from "./open-folder.ts";
import { linesIf } from "./terminal.ts";

/** Prints answers and would-be answers: the viewer, the reason and the reaction. */
export function printReplies(
  { config, db }: OpenFolder,
  { shadow = false, last, viewer }: { shadow?: boolean; last: number; viewer?: string },
): CommandOutput {
  const userId = viewer === undefined ? null : openAccountStore(db).named(viewer).userId;
  const found = new ReplyReview(db).finished({ limit: last, shadow, userId }).map(toSeenReply);
  const nothing = shadow ? "Shadow mode has no replies yet." : "The bot has sent nothing yet.";
  const bot = config.bot.login ?? "the bot";
  const lines = [
    ...found.flatMap((reply) => formatReply(reply, bot)),
    `${formatPlural(found.length, "reply")}; \`forgetmenot explain ID\` says what stood in its prompt.`,
  ];
  return { value: { replies: found }, text: found.length === 0 ? nothing : lines };
}

/** A reply as this command prints it. */
type SeenReply = ReturnType<typeof toSeenReply>;

function toSeenReply(reply: ReplyView) {
  const { id, channel, createdAtMs: atMs, question: asked, text, state, reason } = reply;
  const { latencyMs, outcomes, viewer } = reply;
  return {
    ...{ id, channel, atMs, viewer: viewer ?? "somebody", asked, text, state, reason, latencyMs },
    outcomes,
  };
}

const GONE = "(its text is gone: texts live for 24 hours)";

/** Formats an answer as lines: requester, text or reason, and outcome. */
function formatReply(reply: SeenReply, botName: string): string[] {
  const { id, atMs, viewer, asked, latencyMs, outcomes } = reply;
  const took = latencyMs === null ? "" : `  ${(latencyMs / 1_000).toFixed(1)} s`;
  return [
    `${new Date(atMs).toTimeString().slice(0, 5)}  ${toPrintable(viewer)}: ${asked === null ? GONE : toPrintable(asked)}`,
    `       ${formatSaid(reply, botName)}  [${id}]${took}`,
    ...linesIf(outcomes.length > 0, `         ${outcomes.map(getPlainName).join(", ")}`),
  ];
}

/** Formats what the bot said, what it would have said in shadow mode, or why it was silent. */
function formatSaid({ text, state, reason }: SeenReply, botName: string): string {
  const words = text === null ? GONE : toPrintable(text);
  if (state === "sent") return `▸ ${botName}: ${words}`;
  if (state === "shadow") return `▸ ${botName} would say: ${words}`;
  return `· silent: ${explainSilence(reason ?? state)}`;
}
