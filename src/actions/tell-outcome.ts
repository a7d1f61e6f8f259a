import type { ActionName } from "../platform/config/names.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Execution } from "./execute.ts";

/**
 * Tells the streamer that an action was not done, or may not have been; until it is done again. A wish about one's own
 * memory that came to nothing is no trouble of the streamer's.
 */
export function tellOutcome(
  notices: Pick<NoticeBoard, "raise" | "clear">,
  name: ActionName,
  { outcome, error }: Execution,
): void {
  const kind = `action_${name}`;
  const { class: actionClass, token } = CATALOGUE[name];
  if (outcome === "done") notices.clear(kind);
  if (outcome === "done" || (outcome === "failed" && actionClass === "memory")) return;
  const code = error ?? "unknown";
  const what = outcome === "unknown" ? "may or may not have happened" : "was not done";
  const mend = MENDS[token][code] ?? "see `forgetmenot actions`";
  notices.raise(kind, "warning", `action ${name} ${what} (${code}); ${mend}`);
}

/** By whose log-in it goes out with. */
const MENDS: Readonly<Record<"bot" | "streamer", Readonly<Record<string, string>>>> = {
  bot: {
    unauthorised: "set a fresh TWITCH_ACCESS_TOKEN",
    missing_scope: "set a TWITCH_ACCESS_TOKEN with the scope that the action needs",
    forbidden: "make the bot a moderator of the channel",
    rate_limited: "Twitch asks to wait",
  },
  streamer: {
    unauthorised: "set a fresh TWITCH_STREAMER_ACCESS_TOKEN",
    missing_scope: "set a TWITCH_STREAMER_ACCESS_TOKEN with the scope that the action needs",
    forbidden: "Twitch does not let this channel do it",
    rate_limited: "Twitch asks to wait",
  },
};
