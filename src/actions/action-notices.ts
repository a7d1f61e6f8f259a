import type { Sayings } from "../language/languages.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { ALL_VAIN_MAX } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Execution } from "./execute.ts";
import { notDone } from "./question.ts";
import type { ActionOutcome } from "./record.ts";

type Ended = Pick<Execution, "outcome" | "error">;

export type ActionNotices = ReturnType<typeof actionNotices>;

const WHAT: Readonly<Record<Ended["outcome"], string>> = {
  done: "was done",
  failed: "was not done",
  unknown: "may or may not have happened",
};

/** What the streamer is told of actions, each kind once until it changes. */
export function actionNotices(notices: Pick<NoticeBoard, "raise" | "clear">) {
  return {
    /** What waits for the streamer's answer, by its numbers in the ledger; nothing once nothing does. */
    held: (ids: readonly number[]) => {
      const [first] = ids;
      if (first === undefined) return notices.clear("action_held");
      const which = ids.length === 1 ? `action ${first} waits` : `actions ${ids.join(", ")} wait`;
      const mend = `see \`forgetmenot actions\`, then \`forgetmenot actions approve ${first}\``;
      const message = `${which} for your answer, and not for long; ${mend} or \`refuse\``;
      notices.raise("action_held", "info", message);
    },
    /** Whether decisions can be written down. */
    ledger: (isUp: boolean) => {
      if (isUp) return notices.clear("action_ledger");
      const why = "the record of actions cannot be written; every action is refused until it can";
      notices.raise("action_ledger", "error", why);
    },
    /** The record lacks what came of an action; null once a start has settled that. */
    unwritten: (ended: ({ readonly name: ActionName } & Pick<Ended, "outcome">) | null) => {
      if (ended === null) return notices.clear("action_unwritten");
      const what = `action ${ended.name} ${WHAT[ended.outcome]}`;
      const rest = "but that could not be written down; it counts, and is not tried again";
      notices.raise("action_unwritten", "warning", `${what}, ${rest}`);
    },
    /** An action was not done, until it is done again; a wish about one's own memory is no trouble of the streamer's. */
    outcome: (name: ActionName, { outcome, error }: Ended) => {
      const kind = `action_${name}`;
      if (outcome === "done") return notices.clear(kind);
      if (outcome === "failed" && CATALOGUE[name].class === "memory") return;
      const mend = mendFor(CATALOGUE[name].token, error);
      const what = `action ${name} ${WHAT[outcome]} (${error ?? "unknown"})`;
      notices.raise(kind, "warning", `${what}; ${mend}`);
    },
    /** Whether the bot stopped asking in a channel, since so many questions came to nothing. */
    asking: (vain: number) => {
      if (vain < ALL_VAIN_MAX) return notices.clear("action_questions");
      const why = `${vain} questions of this stream were declined or not answered`;
      const mend = "moderators give commands (`@bot timeout name 60`) until the next stream";
      notices.raise("action_questions", "warning", `${why}: I ask no more; ${mend}`);
    },
  };
}

function mendFor(token: "bot" | "streamer", code: Ended["error"]): string {
  const variable = token === "bot" ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
  switch (code) {
    case "unauthorised":
      return `set a fresh ${variable}`;
    case "missing_scope":
      return `set a ${variable} with the scope that the action needs`;
    case "forbidden":
      return token === "bot"
        ? "make the bot a moderator of the channel"
        : "Twitch does not let this channel do it";
    case "rate_limited":
      return "Twitch asks to wait";
    default:
      return "see `forgetmenot actions`";
  }
}

const NOT_DONE_EVERY_MS = 60_000;

/** Says in one line that something ordered or confirmed was not done, at most once a minute in a channel. */
export function refusalVoice(
  says: (channel: string) => Sayings,
  say: (channel: string, text: string, replyTo: string | null) => void,
  steadyNow: () => number,
) {
  const saidAtMs = new Map<string, number>();
  return (
    { channel, messageId }: { readonly channel: string; readonly messageId: string | null },
    { decision, reason, outcome }: ActionOutcome,
    login: string,
  ) => {
    const refused = decision === "refuse" ? reason : null;
    const why = outcome === "failed" ? "missing_scope" : refused;
    const text = why === null ? null : notDone(why, login, says(channel));
    const lastMs = saidAtMs.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (text === null || steadyNow() - lastMs < NOT_DONE_EVERY_MS) return;
    saidAtMs.set(channel, steadyNow());
    say(channel, text, messageId);
  };
}
