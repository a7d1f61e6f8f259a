import type { Spoken } from "../chat/normalise.ts";
import { parseAction } from "../language/action-syntax.ts";
import { type Decision, decide, type Facts } from "./action-policy.ts";
import type { Command, CommandReader } from "./command.ts";
import { execute } from "./execute.ts";
import type { ActionTurn, Asked, GatherParts } from "./gather.ts";
import { factsNow, tellsOfOthers, tried, whoIsMeant, whoMayBeNamed } from "./gather.ts";
import { type Held, waitingActions } from "./held.ts";
import type { ActionReason } from "./ledger-store.ts";
import { type ActionOutcome, actionRecord, type RecordParts } from "./record.ts";
import { notDone, questionFor } from "./wording.ts";

export interface ActionParts extends GatherParts, RecordParts {
  readonly ledger: RecordParts["ledger"];
  /** Reads commands and answers, by the configuration as it is now; null where the bot has no login. */
  readonly reader: () => CommandReader | null;
  /** Whether the bot wrote a message. */
  readonly isOwnMessage: (messageId: string) => boolean;
  /** Says a line of code's own, in answer to a message. */
  readonly say: (channel: string, text: string, replyTo: string | null) => void;
  /** Does work that writes, as soon as writing is possible. */
  /** What somebody asked for came to its end, whatever that was. */
  readonly onEnded: (requesterId: string) => void;
}

export type ActionRoom = ReturnType<typeof actionRoom>;
type Core = ReturnType<typeof coreOf>;

/** Entries of the ledger for one reply, also where a model writes hundreds of brackets. */
const SPANS_LOGGED_MAX = 10;
const REFUSED = { kind: "refuse", reason: "unknown" } as const;
const LOST = { action: "unknown", decision: "refuse", reason: "unknown", outcome: null } as const;

/** Where proposals, commands and answers are judged and done. */
export function actionRoom(given: ActionParts) {
  const core = coreOf({ ...given, waits: new Map() });
  const { parts, record, waiting } = core;
  const onEnded = (requesterId: string) => void tried(() => parts.onEnded(requesterId));
  record.started();
  return {
    /**
     * Judges what the model proposed in one reply, before that is sent, and does what may be done, in the reply's order.
     * `spans` are the proposals as the guard took them out. The outcomes come once all is done. Never rejects.
     */
    handle: async (turn: ActionTurn, spans: readonly string[]) => {
      const judged: Awaited<ReturnType<typeof judge> | null>[] = [];
      for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
        const asked = { ...turn, parsed: parseAction(span), index, span, command: null };
        judged.push(await record.guarded(() => judge(core, asked)));
      }
      const outcomes = Promise.all(judged.map(async (one) => (await one?.ended) ?? LOST));
      void outcomes.then(() => onEnded(turn.requesterId));
      const question = judged.find((one) => one?.question != null)?.question ?? null;
      return { question, outcomes };
    },
    /** Whether a line was a command, or an answer to a question: then it is done with, and nothing else hears it. */
    hear: (spoken: Spoken): boolean => {
      const reader = spoken.memorable ? parts.reader() : null;
      const work = reader && (answered(core, spoken, reader) ?? ordered(core, spoken, reader));
      if (work === null) return false;
      const ended = record.guarded(work);
      void ended.then(() => onEnded(spoken.person.userId));
      return true;
    },
    /**
     * Looks after what is held: runs what the streamer approved, if it may still run, and drops what was refused or ran
     * out. To be called when another process wrote to the database, and every second. Never rejects.
     */
    settleHeld: async (): Promise<ActionOutcome[]> => {
      const settle = async (item: Held) => {
        const why = waiting.whyOver(item);
        return why === "approved" ? rejudge(core, item) : why && waiting.end(item, why);
      };
      // All at once: what hangs holds up no other.
      const settled = waiting.all().map((item) => record.guarded(() => settle(item)));
      return (await Promise.all(settled)).filter((ended) => ended !== null);
    },
    withdraw: waiting.withdraw,
  };
}

function coreOf(parts: ActionParts) {
  const record = actionRecord(parts);
  const waiting = waitingActions(parts, record);
  return { parts, record, waiting, tellRefused: refusalVoice(parts) };
}

/** The one path of whatever is asked for: judged, written down, done, written down. */
async function judge(core: Core, asked: Asked) {
  const { parts, record, waiting } = core;
  const early = decide(asked, factsNow(parts, asked, null));
  // Twitch is not asked whom something means that is refused whoever it is.
  const isRefused = early.kind === "refuse" && early.reason !== "unknown";
  const target = isRefused ? null : await whoIsMeant(parts, asked).catch(() => null);
  // From here on nothing is awaited until the decision is written down.
  const facts = factsNow(parts, asked, target);
  const { decision, text } = withQuestion(parts, decide(asked, facts), asked, facts);
  const id = record.decided(asked, decision, facts);
  if (id !== null && decision.kind === "run")
    return { question: null, ended: perform(core, asked, id, decision) };
  // What could not be written down is refused.
  const ended = record.ended(asked, id === null && decision.kind !== "refuse" ? REFUSED : decision);
  const isHeld = id !== null && decision.kind === "hold";
  return { question: isHeld ? waiting.add(asked, { ...decision, id, text }, facts) : null, ended };
}

/** Somebody said yes to what they saw, not to what changed since. Whom, which message and how long are fixed. */
async function rejudge(core: Core, item: Held): Promise<ActionOutcome> {
  const { parts, record, waiting } = core;
  waiting.take(item);
  const decision = decide(item, factsNow(parts, item, null, item));
  const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
  if (decision.kind === "run" && parts.ledger.release(item.id, "run", reason, "yes"))
    return perform(core, item, item.id, { ...decision, reason });
  const refused = decision.kind === "refuse" ? decision : REFUSED;
  parts.ledger.release(item.id, "refuse", refused.reason, "yes");
  return record.ended(item, refused);
}

type Run = Omit<Extract<Decision, { kind: "run" }>, "reason"> & { reason: ActionReason };

async function perform({ parts, record }: Core, asked: Asked, id: number, run: Run) {
  const ended = await execute(parts, run.settled, asked);
  record.executed(id, run.settled.call.name, ended);
  return record.ended(asked, run, ended.outcome);
}

/** What comes of a line that answers a question; null for any other. */
function answered(core: Core, spoken: Spoken, reader: CommandReader) {
  const { parts, waiting, tellRefused } = core;
  const item = waiting.openTo(spoken);
  const given = item && reader.answer(spoken.text, spoken.parent !== null);
  if (item === null || given === null) return null;
  const isLate = parts.now() >= item.expiresAtMs;
  waiting.take(item);
  return async () => {
    if (given === "no" || isLate) return void waiting.end(item, isLate ? "unanswered" : "declined");
    const ended = await rejudge(core, { ...item, roles: spoken.person.roles });
    tellRefused(spoken, ended, item.person?.login);
  };
}

/** What comes of a line that is a command, and a turn of its own; null for any other. */
function ordered(core: Core, spoken: Spoken, reader: CommandReader) {
  const command = commandIn(core.parts, spoken, reader);
  if (command === null) return null;
  const { name, args } = command;
  const { channel, person, text, messageId, parent: repliesTo } = spoken;
  const { userId: requesterId, roles } = person;
  const line = { channel, requesterId, roles, words: [text], messageId, repliesTo };
  const turn = { ...line, replyId: null, isAsked: true, eventId: null, others: [], shown: [] };
  const parsed = { kind: "action", name, args } as const;
  return async () => {
    const { ended } = await judge(core, { ...turn, parsed, index: 0, span: "", command });
    core.tellRefused(spoken, await ended, args["user"]);
  };
}

/** The command that a line is; null for any other, and where the database cannot tell whom it means. */
function commandIn(parts: ActionParts, spoken: Spoken, reader: CommandReader): Command | null {
  const { channel, parent, text } = spoken;
  const writerId = parent?.userId ?? null;
  const botId = parts.logins.bot.identity()?.userId;
  try {
    const isBot = parent !== null && (writerId === botId || parts.isOwnMessage(parent.messageId));
    const person = isBot || writerId === null ? null : parts.people.byId(channel, writerId);
    const likely = () => whoMayBeNamed(parts, channel, [text]);
    const command = reader.command({ text, repliesTo: parent && { isBot, person } }, likely);
    // Who reports somebody is not meant for it.
    if (parent === null || command?.isByReply !== true || command.name === "delete") return command;
    return tellsOfOthers(parts, channel, parent, text) ? null : command;
  } catch {
    return null;
  }
}

const NOT_DONE_EVERY_MS = 60_000;

/** Says in one line that something ordered or confirmed was not done, at most once a minute in a channel. */
function refusalVoice({ says, say, now }: ActionParts) {
  const saidAtMs = new Map<string, number>();
  return ({ channel, messageId }: Spoken, ended: ActionOutcome, login = ""): void => {
    const refused = ended.decision === "refuse" ? ended.reason : null;
    const why = ended.outcome === "failed" ? "missing_scope" : refused;
    const text = why && notDone(why, login, says(channel));
    const lastMs = saidAtMs.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (text === null || now() - lastMs < NOT_DONE_EVERY_MS) return;
    saidAtMs.set(channel, now());
    say(channel, text, messageId);
  };
}

/** What needs the requester's yes needs a question that says all of it, and that may be said. */
function withQuestion(parts: ActionParts, decision: Decision, asked: Asked, { target }: Facts) {
  if (decision.kind !== "hold" || decision.waitsFor === "streamer") return { decision, text: null };
  const text = questionFor(parts, decision.settled, asked, target?.person?.login);
  if (text !== null && parts.guard(text).ok) return { decision, text };
  const reason = text === null ? "needs_command" : "guard";
  return { decision: { kind: "refuse", reason } as const, text: null };
}
