import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { SeenHold, SeenNote, SeenReply } from "../telemetry/seen-store.ts";
import { typed } from "./plain-text.ts";
import { printable } from "./printable.ts";

const GONE = "(its text is gone: texts live for 24 hours)";

/** An answer as lines: who asked, what was said or why not, and how it was taken. */
export function replyText(reply: SeenReply, botName: string): string[] {
  const { id, atMs, viewer, asked, text, state, reason, latencyMs, outcomes } = reply;
  const took = latencyMs === null ? "" : `  ${(latencyMs / 1_000).toFixed(1)} s`;
  return [
    `${clockOf(atMs)}  ${printable(viewer)}: ${asked === null ? GONE : printable(asked)}`,
    `       ${saidLine({ text, state, reason }, botName)}  [${id}]${took}`,
    ...(outcomes.length === 0 ? [] : [`         ${outcomes.map(plainName).join(", ")}`]),
  ];
}

/** In the words of a bystander: said, would have said, or silent for the one true reason. */
function saidLine(
  { text, state, reason }: Pick<SeenReply, "text" | "state" | "reason">,
  botName: string,
): string {
  const words = text === null ? GONE : printable(text);
  if (state === "sent") return `▸ ${botName}: ${words}`;
  if (state === "shadow") return `▸ ${botName} would say: ${words}`;
  return `· silent: ${whySilent(reason ?? state)}`;
}

export function noteText({ id, fact, status }: SeenNote): string {
  const waits: Readonly<Record<string, string>> = {
    pending: `, waits for you: ${typed(`memory approve ${id}`)}`,
    shadow: ", in the shadow: not told yet",
  };
  return `       + learned [${id}] ${printable(fact)}${waits[status] ?? ""}`;
}

export function holdText({ id, action, target }: SeenHold): string {
  const whom = target === null ? "" : ` ${printable(target)}`;
  return `       ? ${action}${whom} waits [${id}]: ${typed(`actions approve ${id}`)}`;
}

function clockOf(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 5);
}
