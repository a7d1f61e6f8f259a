import type { NoticeBoard } from "../platform/database/notices-store.ts";

const KIND = "action_held";

/** Tells the streamer what waits for an answer, by its numbers in the ledger; nothing once nothing does. */
export function tellHeld(
  notices: Pick<NoticeBoard, "raise" | "clear">,
  ids: readonly number[],
): void {
  const [first] = ids;
  if (first === undefined) {
    notices.clear(KIND);
    return;
  }
  const which = ids.length === 1 ? `action ${first} waits` : `actions ${ids.join(", ")} wait`;
  const mend = `see \`forgetmenot actions\`, then \`forgetmenot actions approve ${first}\``;
  notices.raise(KIND, "info", `${which} for your answer, and not for long; ${mend} or \`refuse\``);
}
