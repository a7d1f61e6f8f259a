import { ACTIONS } from "../catalogue/actions.ts";
import type { RemovedText, Spoken } from "../chat/normalise.ts";
import { memoizeOn } from "../config/load.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Counters } from "../database/runtime-store.ts";
import { parseAction } from "../language/action-syntax.ts";
import { copyFinder } from "../language/distinctive.ts";
import type { Log } from "../log.ts";
import type { DeliveryOutcome } from "../twitch/delivery.ts";
import {
  checkArgs,
  type Decision,
  decide,
  type Facts,
  needsModerator,
  type Plan,
  readAction,
  settle,
} from "./action-policy.ts";
import { CommandReader } from "./direct-command.ts";
import { type Execution, execute, listOffered, mayCall } from "./execute.ts";
import {
  type ActionRequest,
  type ActionTurn,
  channelSayings,
  findTarget,
  type GatherParts,
  gatherFacts,
  type Hold,
  readActionPolicy,
  readOrNull,
} from "./gather.ts";
import { type ActionReason, LEDGER_DOWN, type Ledger } from "./ledger-store.ts";
import {
  describeCut,
  describeFailure,
  writeExample,
  writeQuestion,
  writeRefusal,
} from "./wording.ts";

export interface ActionParts extends GatherParts {
  readonly ledger: Ledger;
  readonly counters: Counters;
  readonly notices: NoticeBoard;
  readonly log: Log;
  /** Returns true if the bot wrote a message. */
  readonly isOwnMessage: (messageId: string) => boolean;
  /** Sends a line of code in answer to a message; with a `question`, as that question. */
  readonly say: (
    to: { readonly channel: string; readonly messageId: string | null },
    text: string,
    question?: Question,
  ) => void;
  /** Called when a viewer's request has ended, with any outcome. */
  readonly onEnded: (requesterId: string) => void;
}

/** A question that is sent in place of the model's reply. */
export interface Question {
  readonly text: string;
  /** It is not sent from this moment on, epoch ms. */
  readonly expiresAtMs: number;
  /** Call it right before each attempt to send. False withdraws the question. */
  readonly onSending: () => boolean;
  /**
   * Call it with how the sending ended. If Twitch took the question, or may have, an answer is awaited; else the action
   * is refused as `unsent`.
   */
  readonly onSent: (outcome: DeliveryOutcome) => void;
}

/** The message that replaces the model's reply: a question, a line, or silence if the same question is open. */
export type Instead =
  | Readonly<{ kind: "question"; question: Question }>
  | Readonly<{ kind: "line"; text: string }>
  | Readonly<{ kind: "silence" }>;

/** The end of one proposal, or its wait, for the reply's trail: names and codes. `outcome`: null if not executed. */
export interface ActionOutcome {
  readonly action: string;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  readonly outcome: Execution["outcome"] | null;
}

type Judgement = Readonly<{
  instead: Instead | null;
  ended: ActionOutcome | Promise<ActionOutcome>;
}>;

/** An action that waits for an answer. */
type Held = ActionRequest &
  Hold & {
    /** The question; null if the streamer is asked. */
    readonly text: string | null;
    /** True once the question may be in chat. */
    isOut: boolean;
    /**
     * When Twitch took the question, epoch ms, and its message id. Both are null before; the id also if Twitch gave
     * none.
     */
    askedAtMs: number | null;
    askedAs: string | null;
    expiresAtMs: number;
  };

/** The longest wait for an answer. The requester's has 5 s to send the question and 60 s to answer. */
const WAIT_MS = { requester: 65_000, streamer: 120_000 };
/** The most rows of the ledger for one reply: a model may write hundreds of brackets. */
const SPANS_LOGGED_MAX = 10;
/** Viewers of a channel get at most one refusal line in this time; moderators get each one. */
const NOT_DONE_EVERY_MS = 60_000;
/** An answer within this time after the question cannot be to it. */
const ANSWER_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 60_000;
const SEND_WITHIN_MS = WAIT_MS.requester - ANSWER_WITHIN_MS;

const refuse = <R extends ActionReason>(reason: R) => ({ kind: "refuse", reason }) as const;

/** Judges commands and proposals, asks for consent, and carries actions out. Wait for `settled` at the end. */
export class ActionRoom {
  readonly #parts: ActionParts;
  /** Actions that wait for an answer, by id. In memory only: a restart ends them. */
  readonly #held = new Map<number, Held>();
  /** When each channel last got a line that something was not done, epoch ms. */
  readonly #refusalSentAtMs = new Map<string, number>();
  /** Returns the reader for the configuration as it is now; null or empty if the bot has no login. */
  readonly #readerNow: () => CommandReader | null | "";
  #settled: Promise<unknown> = Promise.resolve();

  constructor(parts: ActionParts) {
    this.#parts = parts;
    this.#readerNow = memoizeOn(
      () => [parts.config.bot, parts.config.actions],
      () => {
        const { bot, actions } = parts.config;
        const names = [...bot.aliases, "!bot"];
        return (
          bot.login && new CommandReader({ names: [bot.login, ...names], words: actions.words })
        );
      },
    );
    this.#write(() => parts.ledger.settleUnfinished());
    // It may be left from an earlier start.
    parts.notices.clear("action:held");
  }

  /**
   * Judges up to ten proposals of one reply before the reply is sent, and starts each that may run. `instead` replaces
   * the reply: the first question, else the first line or silence; null if the reply may be sent. `outcomes` resolves
   * once all runs have ended; a waiting action's outcome is `hold`.
   */
  async handle(turn: ActionTurn, spans: readonly string[]) {
    const judged: Judgement[] = [];
    for (const [index, span] of spans.slice(0, SPANS_LOGGED_MAX).entries()) {
      const asked = { ...turn, parsed: parseAction(span), index, span, command: null };
      judged.push(await this.#judge(asked));
    }
    const outcomes = Promise.all(judged.map(({ ended }) => ended));
    void outcomes.then(() => this.#notifyEnded(turn.requesterId));
    const others = judged.flatMap(({ instead }) => instead ?? []);
    const instead = others.find(({ kind }) => kind === "question") ?? others[0] ?? null;
    return { instead, outcomes };
  }

  /**
   * Starts the work of a command, of an answer to a question, or of a moderator's message that begins like a command.
   * Returns true then: nothing else may read the message. Returns false for any other message.
   */
  hear(spoken: Spoken): boolean {
    const reader = spoken.kind === "message" && spoken.memorable ? this.#readerNow() : null;
    const work = reader && (this.#readAnswer(spoken, reader) ?? this.#readCommand(spoken, reader));
    if (!work) return false;
    void work().then(() => this.#notifyEnded(spoken.person.userId));
    return true;
  }

  /** Returns the prompt's line of each action that the configuration allows and that a token can do in a channel. */
  listOffered(channel: string): string[] {
    const policy = readActionPolicy(this.#parts.config);
    return listOffered(policy, (name) => mayCall(name, this.#parts, channel) === true);
  }

  /** Ends the question to a viewer if it is or may be in chat. Call it before the bot sends them another message. */
  endQuestionTo(channel: string, requesterId: string): void {
    const isTo = (item: Held) => item.isOut && hasRequester(item, { channel, requesterId });
    this.#endEach("overtaken", isTo);
  }

  /**
   * Ends waiting actions that a removal concerns. Removes the arguments of everything stored about the message's
   * writer; if the chat was cleared, about the channel.
   */
  endRemoved(removed: RemovedText): void {
    const { removal, userId } = removed;
    const { ledger } = this.#parts;
    if (removal.by === "channel") this.#write(() => ledger.dropArgsIn(removal.channel));
    else if (userId !== null) this.#write(() => ledger.dropArgs(userId));
    this.#endEach("withdrawn", (item) => isAffected(item, removed));
  }

  /** Ends the questions of a channel with exactly this text. Call it when a message of the bot was deleted. */
  endDeleted(channel: string, text: string): void {
    this.#endEach("withdrawn", (item) => item.channel === channel && item.text === text);
  }

  /**
   * Starts `settleHeld`, also while an earlier one runs. Call it each second, and when another process wrote to the
   * database.
   */
  settle(): void {
    this.#settled = Promise.all([this.#settled, this.settleHeld()]);
  }

  /** Resolves when the calls of `settle` so far are done. */
  settled(): Promise<unknown> {
    return this.#settled;
  }

  /**
   * Executes actions that the streamer approved and that may still run. Ends those that were refused or not answered
   * in time, and questions if actions are paused or off. Returns the outcomes of both. Never rejects.
   */
  async settleHeld(): Promise<ActionOutcome[]> {
    const settleOne = (item: Held) => {
      const why = this.#whyOver(item);
      return why === "approved" ? this.#rejudge(item) : why && this.#end(item, why);
    };
    // All at once: one that hangs delays no other.
    const outcomes = await Promise.all([...this.#held.values()].map(settleOne));
    return outcomes.filter((ended) => ended !== null);
  }

  #notifyEnded(requesterId: string): void {
    readOrNull(() => this.#parts.onEnded(requesterId));
  }

  /**
   * Judges a request and writes the decision down; one that cannot be written is refused. Starts an action that may
   * run. `ended`: a promise of a started action's outcome, else the outcome. `instead`: the question, refusal or
   * silence in place of the reply; null if the reply may be sent.
   */
  async #judge(asked: ActionRequest): Promise<Judgement> {
    const parts = this.#parts;
    const early = decide(asked, gatherFacts(parts, asked, null));
    // Twitch is not asked about a name if the request is refused for any target.
    const isRefused = early.kind === "refuse" && early.reason !== "unknown";
    const target = isRefused ? null : await findTarget(parts, asked).catch(() => null);
    // No await from here until the decision is written down.
    const facts = gatherFacts(parts, asked, target);
    const { decision, text } = this.#decideNow(asked, facts);
    // Null if that failed, or the row exists: then the action must not run.
    const id = this.#write(() => parts.ledger.record(makeEntry(asked, decision, facts)));
    if (id !== null && decision.kind === "run")
      return { instead: null, ended: this.#perform(asked, id, decision) };
    // What could not be written down is refused.
    const isLost = id === null && decision.kind !== "refuse";
    const ended = this.#recordEnd(asked, isLost ? refuse("unknown") : decision);
    if (ended.reason === "question_open") return { instead: { kind: "silence" }, ended };
    if (id !== null && decision.kind === "hold") {
      const fixed = { ...decision, id, person: target?.person ?? null };
      const question = this.#hold(asked, fixed, text);
      if (question !== null) return { instead: { kind: "question", question }, ended };
    }
    // A moderator gets the reason if the model understood them and code refused.
    const name = readAction(asked)?.name;
    const isReported = facts.requester !== "viewer" && name !== undefined && needsModerator(name);
    const line = isReported ? this.#formatRefusal(asked, ended) : null;
    return { instead: line === null ? null : { kind: "line", text: line }, ended };
  }

  /**
   * Decides about a request. `text`: the question to the requester, null if none is needed. Refuses if the same
   * question is open, cannot be written, or does not pass the guard.
   */
  #decideNow(asked: ActionRequest, facts: Facts): { decision: Decision; text: string | null } {
    const parts = this.#parts;
    // A command needs no question.
    const isCommand = asked.command?.isExact === true;
    if (!isCommand && this.#isQuestionOpen(asked, settle(asked, facts)))
      return { decision: refuse("question_open"), text: null };
    const decision = decide(asked, facts);
    if (decision.kind !== "hold" || decision.waitsFor === "streamer")
      return { decision, text: null };
    const text = writeQuestion(parts, decision.settled, asked, facts.target?.person?.login);
    if (text === null) return { decision: refuse("needs_command"), text };
    return parts.guard(text).ok ? { decision, text } : { decision: refuse("guard"), text: null };
  }

  #isQuestionOpen(asked: ActionRequest, settled: Plan | null): boolean {
    const wanted = JSON.stringify(settled);
    return [...this.#held.values()].some(
      (item) =>
        item.waitsFor === "requester" &&
        hasRequester(item, asked) &&
        JSON.stringify(item.settled) === wanted,
    );
  }

  /**
   * Judges a held action again after a yes, then executes or refuses it. Target, message and length are fixed;
   * everything else may have changed. Null if its row no longer waits or cannot be written.
   */
  async #rejudge(item: Held): Promise<ActionOutcome | null> {
    const { ledger } = this.#parts;
    this.#take(item);
    const decision = decide(item, gatherFacts(this.#parts, item, null, item));
    const reason = item.waitsFor === "streamer" ? "approved" : "confirmed";
    const release = (kind: "run" | "refuse", why: ActionReason) =>
      this.#write(() => ledger.release(item.id, kind, why, "yes"));
    if (decision.kind === "run" && release("run", reason))
      return this.#perform(item, item.id, { ...decision, reason });
    const refused = decision.kind === "refuse" ? decision : refuse("unknown");
    return release("refuse", refused.reason) ? this.#recordEnd(item, refused) : null;
  }

  /** Executes an action, writes and logs the outcome, and sets or clears its notice. May send that it was shortened. */
  async #perform(
    asked: ActionRequest,
    id: number,
    { settled, reason }: Readonly<{ settled: Plan; reason: ActionReason }>,
  ): Promise<ActionOutcome> {
    const { ledger, notices } = this.#parts;
    const ended = await execute(this.#parts, settled, asked);
    const { name } = settled.call;
    // An outcome that could not be written stays open: it counts as run, and the next start finds it as unknown.
    this.#write(() => ledger.finish(id, ended));
    // Memory may refuse a viewer's request: that is no notice.
    const isRefused = ended.outcome === "failed" && ACTIONS[name].class === "memory";
    if (ended.outcome === "done") notices.clear(`action:${name}`);
    else if (!isRefused) notices.raise(`action:${name}`, "warning", describeFailure(name, ended));
    if (ended.outcome === "done" && asked.command?.isExact === true) {
      const cut = describeCut(asked, settled, channelSayings(asked.channel, this.#parts));
      if (cut !== null) this.#sendLine(asked, cut);
    }
    return this.#recordEnd(asked, { kind: "run", reason }, ended.outcome);
  }

  /**
   * Ends the wait if a message answers a question, and returns the work of that answer. Null for any other message,
   * and within a second of the question.
   */
  #readAnswer(spoken: Spoken, reader: CommandReader) {
    const { now, api } = this.#parts;
    const { messageId, parent, person, text } = spoken;
    const botId = api()?.identity()?.userId ?? null;
    const latestMs = now() - ANSWER_AFTER_MS;
    const item = [...this.#held.values()].findLast(
      (one) => (one.askedAtMs ?? Infinity) <= latestMs && isQuestionTo(one, spoken, botId),
    );
    if (item === undefined) return null;
    const given = reader.readAnswer(text, parent !== null);
    if (given === null) return null;
    const isLate = now() >= item.expiresAtMs;
    this.#take(item);
    return async () => {
      if (isLate) this.#end(item, "unanswered");
      else if (given === "no") this.#end(item, "declined");
      else {
        const { roles } = person;
        const ended = await this.#rejudge({ ...item, roles });
        this.#sendRefusal({ ...item, messageId, roles }, ended);
      }
    };
  }

  /**
   * Returns the work of a message that is a command or, in a class on `live`, a moderator's message that begins like
   * one. Null for any other message.
   */
  #readCommand(spoken: Spoken, reader: CommandReader) {
    const parts = this.#parts;
    const { channel, person, text, messageId, parent: repliesTo } = spoken;
    const { userId: requesterId, roles } = person;
    const find = (names: readonly string[]) => parts.people.candidates(channel, names);
    // Also null if the database fails.
    const command = readOrNull(() => {
      const writerId = repliesTo?.userId ?? null;
      const isOwnId = writerId !== null && writerId === parts.api()?.identity()?.userId;
      const isBot = repliesTo !== null && (isOwnId || parts.isOwnMessage(repliesTo.messageId));
      const writer = isBot || writerId === null ? null : parts.people.findById(channel, writerId);
      return reader.readCommand({ text, repliesTo: repliesTo && { isBot, person: writer } }, find);
    });
    if (command === null) return null;
    const { name, args, isExact } = command;
    const isLive = readActionPolicy(parts.config).classes[ACTIONS[name].class] === "live";
    if (!isExact && !(isLive && (roles.broadcaster || roles.moderator))) return null;
    const asked: ActionRequest = {
      ...{ channel, requesterId, roles, words: [text], messageId, repliesTo, command, span: "" },
      ...{ replyId: null, isAsked: true, eventId: null, others: [], shown: [], index: 0 },
      parsed: { kind: "action", name, args },
    };
    return async () => {
      if (!isExact && checkArgs(name, args) === null) {
        this.#sendLine(asked, writeExample(command, channel, parts));
        return;
      }
      const { instead, ended } = await this.#judge(asked);
      if (instead?.kind === "silence") return;
      if (instead?.kind === "question") parts.say(asked, instead.question.text, instead.question);
      this.#sendRefusal(asked, await ended);
    };
  }

  /**
   * Sends a line that something was not done; nothing if `ended` is null, no refusal, or has a silent reason. The
   * viewers of a channel together get at most one a minute; moderators get each.
   */
  #sendRefusal(asked: ActionRequest, ended: ActionOutcome | null): void {
    const { now } = this.#parts;
    const { channel, roles } = asked;
    const text = ended === null ? null : this.#formatRefusal(asked, ended);
    if (text === null) return;
    const isRecent = now() - (this.#refusalSentAtMs.get(channel) ?? -Infinity) < NOT_DONE_EVERY_MS;
    if (isRecent && roles?.broadcaster !== true && roles?.moderator !== true) return;
    this.#refusalSentAtMs.set(channel, now());
    this.#sendLine(asked, text);
  }

  /** Ends the open question to the requester, and sends them a line unless the guard refuses it. */
  #sendLine(asked: ActionRequest, text: string): void {
    this.endQuestionTo(asked.channel, asked.requesterId);
    // It may repeat words of the message.
    if (this.#parts.guard(text).ok) this.#parts.say(asked, text);
  }

  /**
   * Returns the line that says why code, Twitch or memory refused an action. Null if it was or may have been done,
   * waits, or has a silent reason. Null also if memory had no notes on a topic: it suppressed the topic all the same.
   */
  #formatRefusal(asked: ActionRequest, { decision, reason, outcome }: ActionOutcome) {
    const action = readAction(asked);
    if (action === null) return null;
    const write = (why: ActionReason) => writeRefusal(why, action, asked.channel, this.#parts);
    if (decision === "refuse") return write(reason);
    if (outcome !== "failed") return null;
    if (ACTIONS[action.name].to === "helix") return write("missing_scope");
    return action.args["topic"] === undefined ? write("unknown") : null;
  }

  /**
   * Holds an action until its answer. Returns the question to send; null if the streamer is asked. A new question ends
   * open ones to the same viewer. If its action needs a moderator, it ends all such questions in the channel.
   */
  #hold(asked: ActionRequest, fixed: Hold, text: string | null): Question | null {
    const { now, ledger } = this.#parts;
    const item: Held = {
      // What others wrote is not stored.
      ...{ ...asked, parsed: { kind: "action", ...fixed.settled.call }, others: [], shown: [] },
      ...{ ...fixed, text, index: 0, isOut: false, askedAtMs: null, askedAs: null },
      expiresAtMs: now() + WAIT_MS[fixed.waitsFor],
    };
    // A yes to the new question could count for such an older one.
    this.#endEach("replaced", (older) => {
      const areAsked = [item, older].every(({ waitsFor }) => waitsFor === "requester");
      const areAboutOthers = [item, older].every(({ settled }) =>
        needsModerator(settled.call.name),
      );
      const isRelated = hasRequester(item, older) || areAboutOthers;
      return item.channel === older.channel && areAsked && isRelated;
    });
    this.#held.set(item.id, item);
    this.#notifyHeld();
    if (text === null) return null;
    // A viewer may read the question, and answer, before Twitch has said that it took it.
    const onSending = (): boolean => {
      if (!this.#held.has(item.id)) return false;
      item.isOut = true;
      item.expiresAtMs = now() + ANSWER_WITHIN_MS;
      return true;
    };
    const onSent = (outcome: DeliveryOutcome): void => {
      if (outcome.kind !== "sent" && outcome.kind !== "unknown") {
        if (this.#held.has(item.id)) this.#end(item, "unsent");
      } else if (onSending()) {
        item.askedAtMs = now();
        item.askedAs = outcome.kind === "sent" ? outcome.messageId : null;
        readOrNull(() => ledger.setAnswerLimit(item.id, item.expiresAtMs));
      }
    };
    return { text, expiresAtMs: now() + SEND_WITHIN_MS, onSending, onSent };
  }

  /** Raises a notice with the numbers of actions that wait for the streamer; clears it if none waits. */
  #notifyHeld(): void {
    const { notices } = this.#parts;
    const held = [...this.#held.values()].filter(({ waitsFor }) => waitsFor === "streamer");
    const ids = held.map(({ id }) => id);
    const message = `Actions wait two minutes for your answer: ${ids.join(", ")}. Type \`forgetmenot actions approve ${ids[0]}\` or \`refuse\`.`;
    if (ids.length === 0) notices.clear("action:held");
    else notices.raise("action:held", "info", message);
  }

  /**
   * Runs a write to the ledger and returns its result. If it throws, returns null and raises a notice: no turn and no
   * message may stop because of it.
   */
  #write<T>(work: () => T): T | null {
    const { notices } = this.#parts;
    const written = readOrNull(() => ({ value: work() }));
    if (written !== null) notices.clear("database:actions");
    else notices.raise("database:actions", "error", LEDGER_DOWN);
    return written?.value ?? null;
  }

  /** Counts and logs the end of a request, and returns it. */
  #recordEnd(
    asked: ActionRequest,
    { kind: decision, reason }: Readonly<{ kind: Decision["kind"]; reason: ActionReason }>,
    outcome: Execution["outcome"] | null = null,
  ): ActionOutcome {
    const { counters, log } = this.#parts;
    readOrNull(() => counters.bump(`action.${decision}.${reason}`));
    const action = readAction(asked)?.name ?? "other";
    log.info(
      { who: log.person(asked.requesterId), action, decision, reason, outcome },
      "action judged",
    );
    return { action: readName(asked), decision, reason, outcome };
  }

  /** Ends the wait in memory: from here on no answer counts. The row of the ledger still waits. */
  #take({ id }: Held): void {
    this.#held.delete(id);
    this.#notifyHeld();
  }

  /** Ends a wait as refused. Null if its row no longer waits or cannot be written. */
  #end(item: Held, reason: ActionReason): ActionOutcome | null {
    const { ledger } = this.#parts;
    this.#take(item);
    const isReleased = this.#write(() => ledger.release(item.id, "refuse", reason));
    return isReleased ? this.#recordEnd(item, { kind: "refuse", reason }) : null;
  }

  #endEach(reason: ActionReason, isMeant: (item: Held) => boolean): void {
    for (const item of this.#held.values()) if (isMeant(item)) this.#end(item, reason);
  }

  /** Returns why a wait is over, `approved` included; null as long as it lasts, or if that cannot be found out. */
  #whyOver(item: Held): ActionReason | null {
    const { ledger, now, switches, config } = this.#parts;
    const isOver = now() >= item.expiresAtMs;
    if (item.waitsFor === "streamer") {
      if (isOver) return "expired";
      const answer = readOrNull(() => ledger.readAnswer(item.id));
      return answer && (answer === "approve" ? "approved" : "refused_by_streamer");
    }
    return readOrNull(() => {
      const { paused, safeMode } = switches();
      const { classes, safeMode: isConfiguredSafe } = readActionPolicy(config);
      if (paused) return "paused";
      if (safeMode || isConfiguredSafe) return "safe_mode";
      if (classes[ACTIONS[item.settled.call.name].class] !== "live") return "class_off";
      if (!isOver) return null;
      return item.isOut ? "unanswered" : "unsent";
    });
  }
}

type Requester = Readonly<Record<"channel" | "requesterId", string>>;

function hasRequester(item: Held, { channel, requesterId }: Requester): boolean {
  return item.channel === channel && item.requesterId === requesterId;
}

/** Returns true if a message is by the viewer who was asked, and replies to the question or to no message. */
function isQuestionTo(
  item: Held,
  { channel, person, parent }: Spoken,
  botId: string | null,
): boolean {
  if (!hasRequester(item, { channel, requesterId: person.userId })) return false;
  if (parent === null) return true;
  if (item.askedAs !== null) return item.askedAs === parent.messageId;
  // A question sent by IRC has no known id: only its text identifies it.
  const isOurs = parent.userId !== null && parent.userId === botId;
  return isOurs && item.text !== null && parent.text?.endsWith(item.text) === true;
}

/** Returns true if a removal concerns the request, the question, the target's message, the requester or the target. */
function isAffected(item: Held, { removal, userId, messageIds }: RemovedText): boolean {
  const own = [item.messageId, item.askedAs, item.settled.messageId];
  if (own.some((id) => id !== null && messageIds.includes(id))) return true;
  if (removal.by === "message" || removal.channel !== item.channel) return false;
  const removedId = removal.by === "person" ? (removal.userId ?? userId) : null;
  const people = [item.requesterId, item.settled.targetId];
  return removal.by === "channel" || (removedId !== null && people.includes(removedId));
}

/** Returns the row of a decision, without the quote. An argument that copies other shown chat becomes `…`. */
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
