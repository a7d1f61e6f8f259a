import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import type { Counters } from "../database/runtime-store.ts";
import { copiesRun } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import { actionIn, type Decision, type Facts } from "./action-policy.ts";
import { rawArgs } from "./calls.ts";
import type { Execution } from "./execute.ts";
import { type ActionRequest, type Fixed, readOrNull } from "./gather.ts";
import { waitMs } from "./held.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";

export type ActionRecord = ReturnType<typeof actionRecord>;
/** What became of one proposal, for the trail: names and codes. `outcome` is null if nothing was executed. */
export type ActionOutcome = ReturnType<ActionRecord["ended"]>;

export interface RecordParts {
  readonly ledger: Ledger;
  readonly counters: Pick<Counters, "bump">;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly log: Log;
}

/** Writes actions into the ledger, the log and the notices. */
export function actionRecord({ ledger, counters, notices, log }: RecordParts) {
  /** Clears the notice if `message` is null. */
  const notify = (key: NoticeKey, message: string | null, level?: "error" | "info"): void =>
    message === null ? notices.clear(key) : notices.raise(key, level ?? "warning", message);
  const noteLedger = (isWritten: boolean): void =>
    notify("database:actions", isWritten ? null : LEDGER_DOWN, "error");
  return {
    /** Returns null if `work` fails, and raises a notice: no turn and no message may stop because of it. */
    guarded: <T>(work: () => Promise<T>): Promise<T | null> =>
      work().catch(() => {
        noteLedger(false);
        return null;
      }),
    /** Adds a row. Null if that failed, or the row exists: then the action must not run. */
    decided: (asked: ActionRequest, decision: Decision, facts: Facts): number | null => {
      const row = readOrNull(() => ({ id: ledger.record(entryFor(asked, decision, facts)) }));
      noteLedger(row !== null);
      return row?.id ?? null;
    },
    ended: (
      asked: ActionRequest,
      { kind, reason }: Readonly<{ kind: Decision["kind"]; reason: ActionReason }>,
      outcome: Execution["outcome"] | null = null,
    ) => {
      readOrNull(() => counters.bump(`action.${kind}.${reason}`));
      const who = log.person(asked.requesterId);
      const named = actionIn(asked)?.name ?? "other";
      log.info({ who, action: named, decision: kind, reason, outcome }, "action judged");
      return { action: nameIn(asked), decision: kind, reason, outcome };
    },
    /** The notice stays until the action succeeds. A viewer's request to memory that fails is no notice. */
    executed: (id: number, name: ActionName, ended: Execution): void => {
      const what = `The action ${name} ${WHAT[ended.outcome]}`;
      // An outcome that could not be written stays open: it counts as run, and the next start finds it as unknown.
      if (readOrNull(() => ledger.finish(id, ended)) === null)
        notify("action:unwritten", `${what}, ${UNWRITTEN}`);
      const { class: actionClass, token } = ACTIONS[name];
      const code = ended.error ?? "unknown";
      if (ended.outcome === "done") notify(`action:${name}`, null);
      else if (ended.outcome === "unknown" || actionClass !== "memory")
        notify(`action:${name}`, `${what} (${code}). ${fixFor(token, code)}.`);
    },
    /** Clears notices of an earlier run: the start has settled what they were about. */
    started: () => {
      for (const key of ["action:unwritten", "action:held"] as const) notify(key, null);
    },
    /** Raises a notice about what waits for the streamer's answer. */
    waiting: (all: readonly Fixed[]) => {
      const ids = all.flatMap(({ id, waitsFor }) => (waitsFor === "streamer" ? [id] : []));
      const message = `Actions wait two minutes for your answer: ${ids.join(", ")}. Type \`forgetmenot actions approve ${ids[0]}\` or \`refuse\`.`;
      notify("action:held", ids.length === 0 ? null : message, "info");
    },
  };
}

export const LEDGER_DOWN =
  "The record of actions cannot be written, and every action is refused until it can. Type `forgetmenot doctor`: it says what is wrong with the database.";
const UNWRITTEN =
  "but that could not be written down. Nothing to do: chat shows whether it happened, and the bot does not try again.";
const WHAT: Readonly<Record<Execution["outcome"], string>> = {
  done: "was done",
  failed: "was not done",
  unknown: "may or may not have happened",
};

/** Returns the fix, by whose token failed and the code of the failure. */
function fixFor(token: "bot" | "streamer", code: string): string {
  const isBot = token === "bot";
  const variable = isBot ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
  const fixes: Readonly<Record<string, string>> = {
    unauthorised: `Log in again with \`forgetmenot setup\`, or set a fresh ${variable}`,
    missing_scope: `Log in again with \`forgetmenot setup\`, or set a ${variable} with the scope that the action needs`,
    forbidden: isBot
      ? "Make the bot a moderator: type `/mod` and its login in your chat"
      : "Nothing to do: Twitch does not let this channel do it",
    rate_limited: "Nothing to do: Twitch asks to wait",
  };
  return fixes[code] ?? "Type `forgetmenot actions list`";
}

function entryFor(asked: ActionRequest, decision: Decision, { nowMs, target }: Facts) {
  const { replyId, channel, requesterId: requestedBy, parsed, messageId, command, index } = asked;
  const { shown, words } = asked;
  const settled = decision.kind === "refuse" ? null : decision.settled;
  const action = actionIn(asked);
  const waitsFor = decision.kind === "hold" ? decision.waitsFor : null;
  const unnumbered = `${requestedBy}@${nowMs}`;
  const source = command === null ? (replyId ?? unnumbered) : `line:${messageId ?? unnumbered}`;
  const written = parsed.kind === "action" ? parsed.args : { written: asked.span };
  const { quote: _, ...args } = settled === null ? written : rawArgs(settled.call);
  // Unlike the requester's words, older chat expires before this row does.
  const copies = copiesRun(shown.filter((text) => !words.includes(text)));
  const stored = Object.entries(args).map(([key, text]) => [key, copies(text) ? "…" : text]);
  return {
    ...{ replyId, channel, requestedBy, waitsFor, decision: decision.kind },
    reason: decision.reason,
    action: nameIn(asked),
    class: action === null ? "never" : ACTIONS[action.name].class,
    targetId: target?.person?.userId ?? null,
    argsJson: JSON.stringify(Object.fromEntries(stored)),
    messageId: settled?.messageId ?? null,
    expiresAtMs: waitsFor && nowMs + waitMs(waitsFor),
    key: `${channel}:${source}:${index}`,
  };
}

function nameIn({ parsed }: ActionRequest): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}
