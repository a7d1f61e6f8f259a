import { ACTIONS } from "../catalogue/actions.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Counters } from "../database/runtime-store.ts";
import { copyFinder } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import { type Decision, type Facts, type Plan, readAction } from "./action-policy.ts";
import type { Execution } from "./execute.ts";
import { type ActionRequest, type Hold, readOrNull } from "./gather.ts";
import type { ActionReason, Ledger } from "./ledger-store.ts";

/** The longest wait for an answer. The requester's begins before the question is sent, within 5 s. */
export const WAIT_MS = { requester: 65_000, streamer: 120_000 };

/** The end of one proposal, for the trail: names and codes. `outcome` is null if the action was not executed. */
export interface ActionOutcome {
  readonly action: string;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  readonly outcome: Execution["outcome"] | null;
}

export interface RecordParts {
  readonly ledger: Ledger;
  readonly counters: { readonly bump: Counters["bump"] };
  readonly notices: { readonly raise: NoticeBoard["raise"]; readonly clear: NoticeBoard["clear"] };
  readonly log: Log;
}

/** Writes actions into the ledger, the log and the notices. */
export class ActionRecord {
  readonly #parts: RecordParts;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** Returns null if the ledger fails, and raises a notice: no turn and no message may stop because of it. */
  write<T>(work: () => T): T | null {
    const { notices } = this.#parts;
    const written = readOrNull(() => ({ value: work() }));
    if (written !== null) notices.clear("database:actions");
    else notices.raise("database:actions", "error", LEDGER_DOWN);
    return written?.value ?? null;
  }

  /** Adds a row. Null if that failed, or the row exists: then the action must not run. */
  decided(asked: ActionRequest, decision: Decision, facts: Facts): number | null {
    return this.write(() => this.#parts.ledger.record(makeEntry(asked, decision, facts)));
  }

  ended(
    asked: ActionRequest,
    { kind, reason }: Readonly<{ kind: Decision["kind"]; reason: ActionReason }>,
    outcome: Execution["outcome"] | null = null,
  ): ActionOutcome {
    const { counters, log } = this.#parts;
    readOrNull(() => counters.bump(`action.${kind}.${reason}`));
    const action = readAction(asked)?.name ?? "other";
    const who = log.person(asked.requesterId);
    log.info({ who, action, decision: kind, reason, outcome }, "action judged");
    return { action: readName(asked), decision: kind, reason, outcome };
  }

  /** The notice stays until the action succeeds. A viewer's request to memory that fails is no notice. */
  executed(id: number, { call: { name } }: Plan, ended: Execution): void {
    const { ledger, notices } = this.#parts;
    const { class: actionClass, token } = ACTIONS[name];
    const sentence = `The action ${name} ${WHAT[ended.outcome]}`;
    const code = ended.error ?? "unknown";
    // An outcome that could not be written stays open: it counts as run, and the next start finds it as unknown.
    if (readOrNull(() => ledger.finish(id, ended)) === null)
      notices.raise("action:unwritten", "warning", `${sentence}, ${UNWRITTEN}`);
    if (ended.outcome === "done") notices.clear(`action:${name}`);
    else if (ended.outcome === "unknown" || actionClass !== "memory")
      notices.raise(`action:${name}`, "warning", `${sentence} (${code}). ${fixFor(token, code)}.`);
  }

  /** Raises a notice about what waits for the streamer's answer. */
  waiting(all: readonly Hold[]): void {
    const { notices } = this.#parts;
    const ids = all.flatMap(({ id, waitsFor }) => (waitsFor === "streamer" ? [id] : []));
    const message = `Actions wait two minutes for your answer: ${ids.join(", ")}. Type \`forgetmenot actions approve ${ids[0]}\` or \`refuse\`.`;
    if (ids.length === 0) notices.clear("action:held");
    else notices.raise("action:held", "info", message);
  }
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

function makeEntry(asked: ActionRequest, decision: Decision, { nowMs, target }: Facts) {
  const { replyId, channel, requesterId: requestedBy, parsed, messageId, command, index } = asked;
  const settled = decision.kind === "refuse" ? null : decision.settled;
  const waitsFor = decision.kind === "hold" ? decision.waitsFor : null;
  const action = readAction(asked);
  const unnumbered = `${requestedBy}@${nowMs}`;
  const source = command === null ? (replyId ?? unnumbered) : `line:${messageId ?? unnumbered}`;
  const written = parsed.kind === "action" ? parsed.args : { written: asked.span };
  const { quote: _, ...args } = settled?.call.args ?? written;
  // Unlike the requester's words, older chat expires before this row does.
  const copies = copyFinder(asked.shown.filter((text) => !asked.words.includes(text)));
  const stored = Object.entries(args).map(([key, text]) => [key, copies(text) ? "…" : text]);
  return {
    ...{ replyId, channel, requestedBy, waitsFor, decision: decision.kind },
    reason: decision.reason,
    action: readName(asked),
    class: action === null ? "never" : ACTIONS[action.name].class,
    targetId: target?.person?.userId ?? null,
    argsJson: JSON.stringify(Object.fromEntries(stored)),
    messageId: settled?.messageId ?? null,
    expiresAtMs: waitsFor && nowMs + WAIT_MS[waitsFor],
    key: `${channel}:${source}:${index}`,
  };
}

function readName({ parsed }: ActionRequest): string {
  return parsed.kind === "action" ? parsed.name : "malformed";
}
