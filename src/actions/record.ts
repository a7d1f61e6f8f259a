import type { ActionName } from "../config/names.ts";
import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import type { Counters } from "../database/runtime-store.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import { copiesRun } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import { actionIn, type Decision, type Facts, waitMs } from "./action-policy.ts";
import { CATALOGUE, rawArgs } from "./catalogue.ts";
import type { Execution } from "./execute.ts";
import { type Asked, type Fixed, tried } from "./gather.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";

type Outcome = Execution["outcome"];
type Severity = Parameters<NoticeBoard["raise"]>[1];
type Decided = Readonly<{ kind: Decision["kind"]; reason: ActionReason }>;

export type ActionRecord = ReturnType<typeof actionRecord>;
/** What became of one proposal, for the trail: names and codes only, no outcome where nothing was executed. */
export type ActionOutcome = ReturnType<ActionRecord["ended"]>;

export interface RecordParts {
  readonly ledger: Ledger;
  readonly counters: Pick<Counters, "bump">;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly log: Log;
}

/** What is written down of actions, in the ledger before anything is done, and what the streamer is told of them. */
export function actionRecord({ ledger, counters, notices, log }: RecordParts) {
  /** `message` null: the trouble is over. */
  const told = (key: NoticeKey, message: string | null, severity: Severity = "warning"): void =>
    message === null ? notices.clear(key) : notices.raise(key, severity, message);
  const written = (isWritten: boolean): void =>
    told("database:actions", isWritten ? null : LEDGER_DOWN, "error");
  return {
    /** What fails stops no turn and no line and becomes null; then the record is told to be out of order. */
    guarded: <T>(work: () => Promise<T>): Promise<T | null> =>
      work().catch(() => {
        written(false);
        return null;
      }),
    /** Null where that failed or it stands there already: then it must not run. */
    decided: (asked: Asked, decision: Decision, facts: Facts): number | null => {
      const row = tried(() => ({ id: ledger.record(entryFor(asked, decision, facts)) }));
      written(row !== null);
      return row?.id ?? null;
    },
    ended: (asked: Asked, { kind, reason }: Decided, outcome: Outcome | null = null) => {
      tried(() => counters.bump(`action.${kind}.${reason}`));
      const who = log.person(asked.requesterId);
      const named = actionIn(asked)?.name ?? "other";
      log.info({ who, action: named, decision: kind, reason, outcome }, "action judged");
      return { action: nameIn(asked), decision: kind, reason, outcome };
    },
    /** It is told until it is done again; a wish about one's own memory is no trouble of the streamer's. */
    executed: (id: number, name: ActionName, ended: Execution): void => {
      const what = `The action ${name} ${WHAT[ended.outcome]}`;
      // What could not be noted stays open: it counts as run, and is found at the next start as unknown.
      if (tried(() => ledger.finish(id, ended)) === null)
        told("action:unwritten", `${what}, ${UNWRITTEN}`);
      const { class: actionClass, token } = CATALOGUE[name];
      const code = ended.error ?? "unknown";
      if (ended.outcome === "done") told(`action:${name}`, null);
      else if (ended.outcome === "unknown" || actionClass !== "memory")
        told(`action:${name}`, `${what} (${code}). ${mendFor(token, code)}.`);
    },
    /** A start has settled what was not written down, and what waited. */
    started: () => {
      for (const key of ["action:unwritten", "action:held"] as const) told(key, null);
    },
    /** What waits, as far as it waits for the streamer's answer. */
    waiting: (all: readonly Fixed[]) => {
      const ids = all.flatMap(({ id, waitsFor }) => (waitsFor === "streamer" ? [id] : []));
      told("action:held", ids.length === 0 ? null : held(ids), "info");
    },
  };
}

const LEDGER_DOWN =
  "The record of actions cannot be written, and every action is refused until it can. Type `forgetmenot doctor`: it says what is wrong with the database.";
const UNWRITTEN =
  "but that could not be written down. Nothing to do: chat shows whether it happened, and the bot does not try again.";
const WHAT: Readonly<Record<Outcome, string>> = {
  done: "was done",
  failed: "was not done",
  unknown: "may or may not have happened",
};

function held(ids: readonly number[]): string {
  const which = `${ids.length === 1 ? "Action" : "Actions"} ${ids.join(", ")} ${ids.length === 1 ? "waits" : "wait"}`;
  const mend = `Type \`forgetmenot actions list\`, then \`forgetmenot actions approve ${ids[0]}\``;
  return `${which} for your answer, and not for long. ${mend} or \`refuse\`.`;
}

/** What helps, by whose token and by the code of what failed. */
function mendFor(token: "bot" | "streamer", code: string): string {
  const isBot = token === "bot";
  const variable = isBot ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
  const mends: Readonly<Record<string, string>> = {
    unauthorised: `Log in again with \`forgetmenot setup\`, or set a fresh ${variable}`,
    missing_scope: `Log in again with \`forgetmenot setup\`, or set a ${variable} with the scope that the action needs`,
    forbidden: isBot
      ? "Make the bot a moderator: type `/mod` and its login in your chat"
      : "Nothing to do: Twitch does not let this channel do it",
    rate_limited: "Nothing to do: Twitch asks to wait",
  };
  return mends[code] ?? "Type `forgetmenot actions list`";
}

function entryFor(asked: Asked, decision: Decision, { nowMs, policy, target }: Facts) {
  const { replyId, channel, requesterId: requestedBy, parsed, messageId, command, index } = asked;
  const settled = decision.kind === "refuse" ? null : decision.settled;
  const action = actionIn(asked);
  const waitsFor = decision.kind === "hold" ? decision.waitsFor : null;
  const unnumbered = `${requestedBy}@${nowMs}`;
  const source = command === null ? (replyId ?? unnumbered) : `line:${messageId ?? unnumbered}`;
  const args = parsed.kind === "action" ? parsed.args : { written: asked.span };
  return {
    ...{ replyId, channel, requestedBy, waitsFor, decision: decision.kind },
    reason: decision.reason,
    action: nameIn(asked),
    class: action === null ? "never" : CATALOGUE[action.name].class,
    targetId: target?.person?.userId ?? null,
    argsJson: argsToKeep(asked, settled === null ? args : rawArgs(settled.call)),
    messageId: settled?.messageId ?? null,
    expiresAtMs: waitsFor && nowMs + waitMs(waitsFor, policy),
    key: `${channel}:${source}:${index}`,
  };
}

/** Without quotes, and without what copies older chat: that runs out before this entry does, unlike the requester's words. */
function argsToKeep({ shown, words }: Asked, { quote: _, ...kept }: RawArgs): string {
  const copies = copiesRun(shown.filter((text) => !words.includes(text)));
  const plain = Object.entries(kept).map(([key, text]) => [key, copies(text) ? "…" : text]);
  return JSON.stringify(Object.fromEntries(plain));
}

function nameIn({ parsed }: Asked): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}
