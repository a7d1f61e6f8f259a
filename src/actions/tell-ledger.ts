import type { ActionName } from "../platform/config/names.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Execution } from "./execute.ts";

const DOWN = "action_ledger";
const UNWRITTEN = "action_unwritten";
const WHAT: Readonly<Record<Execution["outcome"], string>> = {
  done: "was done",
  failed: "was not done",
  unknown: "may or may not have happened",
};

/** Tells the streamer whether proposals can be written down. */
export function tellLedger(notices: Pick<NoticeBoard, "raise" | "clear">, isUp: boolean): void {
  const message = "the record of actions cannot be written; every action is refused until it can";
  if (isUp) notices.clear(DOWN);
  else notices.raise(DOWN, "error", message);
}

/** Tells the streamer that the record lacks what came of an action; null once a start has settled that. */
export function tellUnwritten(
  notices: Pick<NoticeBoard, "raise" | "clear">,
  ended: { readonly name: ActionName; readonly outcome: Execution["outcome"] } | null,
): void {
  if (ended === null) {
    notices.clear(UNWRITTEN);
    return;
  }
  const what = `action ${ended.name} ${WHAT[ended.outcome]}`;
  const rest = "but that could not be written down; it counts, and is not tried again";
  notices.raise(UNWRITTEN, "warning", `${what}, ${rest}`);
}
