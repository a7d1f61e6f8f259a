import { listOffered } from "../actions/execute.ts";
import { addressFinder, type BotAddress } from "../chat/addressed.ts";
import type { StoredLine } from "../chat/event-reads-store.ts";
import type { EventStore } from "../chat/event-store.ts";
import type { RemovedText, Roles, Spoken } from "../chat/normalise.ts";
import { createLatenessMeter } from "../clock.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { findPersona, listBotNames } from "../config/personas.ts";
import { describeBug } from "../errors.ts";
import { cleanLine } from "../language/clean.ts";
import type { Fence } from "../language/fence.ts";
import { fold } from "../language/fold.ts";
import { isReaction } from "../language/going-on.ts";
import { readStems } from "../language/stems.ts";
import { hasQuestionMark, splitWords } from "../language/words.ts";
import type { Outbox, Sender } from "../twitch/outbox.ts";
import { refuseTightBudget } from "./assemble.ts";
import { type Guard, prepareGuard } from "./guard.ts";
import { formatRules } from "./prompt/rules.ts";
import { closedReason, isOffline } from "./read.ts";
import {
  countSendsToLeave,
  type Obstacle,
  type QueueOptions,
  ReplyQueue,
  STALE_AFTER_MS,
  type Ticket,
  type TicketRank,
} from "./reply-queue.ts";
import { decideTrigger, hasWords, MENTION, type Trigger, type TriggerState } from "./trigger.ts";
import { getReplyModel, type TurnParts, TurnTaker } from "./turn.ts";

export interface ReplyParts extends TurnParts {
  readonly events: EventStore;
  readonly outbox: Sender & { readonly delayMs: Outbox["delayMs"] };
  readonly botUserId: () => string | null;
  readonly wait: QueueOptions["wait"];
  readonly random: () => number;
  /** Gets what a turn threw. Returns true for an error of the database, after it raised a notice. */
  readonly handleError: (thrown: unknown) => boolean;
  /** See `createLatenessMeter`. */
  readonly sinceBootMs?: (() => number) | undefined;
}

/** A message, checked before it is stored. */
interface Heard {
  readonly spoken: Spoken;
  /** The bot's name in the message, with the question around it; null if there is no name. */
  readonly addressed: BotAddress | null;
  /** The bot's answer to this viewer, if it was the message before; else null. */
  readonly answerBefore: string | null;
  /** When it was written, epoch ms. */
  readonly saidAtMs: number;
  /** True if it was written too long ago: Twitch sends old messages after the machine slept. */
  readonly isStale: boolean;
}

/** The stored event of a message. Its id is null until it is written. */
interface StoredEvent {
  readonly id: number | null;
}

/** How far back earlier answers are read for cooldowns: the longest cooldown. */
const EARLIER_MS = 3_600_000;
const OWN_LINES_BACK = 4;
/** Whether a message is for another viewer: the writers of this many last messages are checked. */
const NAMES_BACK = 200;
/** Words that address all viewers. */
const CROWD_WORDS = ["chat", "everyone", "everybody", "anyone", "anybody", "guys", "mods"];
const findCrowd = addressFinder(CROWD_WORDS);

/** Turns messages into answers. It reads the configuration at each use: a reload replaces its parts. */
export class ReplyService {
  readonly #parts: ReplyParts;
  readonly #queue: ReplyQueue;
  /** Prompts of the turns in progress. */
  readonly #prompts = new Map<Ticket, string>();
  /** By channel, the bot's answer and its viewer, if it is the last message. */
  readonly #lastAnswers = new Map<string, { readonly userId: string; readonly text: string }>();
  readonly #finders: () => Map<string, (text: string) => BotAddress | null>;
  readonly #measureLateness: (sentAtMs: number | null) => number;

  /** Throws a Fault if the prompt's floor exceeds its budget. */
  constructor(parts: ReplyParts) {
    const { config } = parts;
    refuseTightBudget(config, parts.calls.correction(getReplyModel(config)));
    this.#parts = parts;
    this.#measureLateness = createLatenessMeter(parts.sinceBootMs);
    this.#finders = memoizeOn(
      () => [config.bot, config.persona, config.personas],
      () =>
        new Map(
          config.channels.map((channel) => [channel, addressFinder(listBotNames(config, channel))]),
        ),
    );
    const onSaid: ReplyParts["onSaid"] = (ticket, said) => {
      this.#lastAnswers.set(ticket.channel, { userId: ticket.userId, text: said.text });
      parts.onSaid(ticket, said);
    };
    const turns = new TurnTaker({ ...parts, onSaid }, (ticket, { prefix, tail }) => {
      this.#prompts.set(ticket, `${prefix}${tail}`);
    });
    this.#queue = openQueue(parts, (ticket, signal) =>
      turns.take(ticket, signal).finally(() => this.#prompts.delete(ticket)),
    );
  }

  /**
   * Checks, before a message is stored, if it addresses the bot and when it was written. Returns the bot's answer right
   * before it, if it was to this viewer. Forgets that answer, unless the bot wrote the message.
   */
  hear(spoken: Spoken): Heard {
    const { channel, person, text } = spoken;
    const lateMs = this.#measureLateness(spoken.sentAtMs);
    const last = this.#lastAnswers.get(channel);
    if (!spoken.isBotItself) this.#lastAnswers.delete(channel);
    return {
      spoken,
      addressed: this.#finders().get(channel)?.(text) ?? null,
      answerBefore: last?.userId === person.userId ? last.text : null,
      saidAtMs: this.#parts.now() - lateMs,
      isStale: lateMs > STALE_AFTER_MS,
    };
  }

  /**
   * Queues an answer to a message, if the bot should answer it. Returns true if so, even if the queue refuses it. Also
   * queues an answer by chance, but returns false then. Call it after the message was buffered for storing.
   */
  answer(heard: Heard, event: StoredEvent): boolean {
    const ticket = this.#findTicket(heard, event);
    if (ticket !== null) this.#queue.offer(ticket);
    return ticket !== null && ticket.trigger !== "chance";
  }

  /** Forgets the last answer, since the bot sent something else. A later line is no continuation of it. */
  interrupt(channel: string): void {
    this.#lastAnswers.delete(channel);
  }

  /** Drops turns whose message, or whose viewer's messages, were removed. */
  discard(removed: RemovedText): void {
    this.#queue.discard((ticket) => isRemoved(ticket, removed));
  }

  /** Drops the turns of these viewers. Returns the ids of the viewers who had one. */
  discardOf(isMeant: (userId: string) => boolean): readonly string[] {
    const met = new Set<string>();
    this.#queue.discard(({ userId }) => {
      if (isMeant(userId)) met.add(userId);
      return isMeant(userId);
    });
    return [...met];
  }

  /** Drops the turns whose question or prompt matches: `isNamed` finds a forgotten name, which an answer may repeat. */
  discardNaming(isNamed: (text: string) => boolean): void {
    this.#queue.discard(
      (ticket) => isNamed(ticket.question) || isNamed(this.#prompts.get(ticket) ?? ""),
    );
  }

  /** Refuses waiting turns, aborts the running ones, and resolves when they ended. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  /** Makes the ticket of a message, maybe joined to the viewer's waiting one; null if the bot does not answer it. */
  #findTicket(heard: Heard, event: StoredEvent): Ticket | null {
    const { spoken, addressed, answerBefore } = heard;
    const { channel, person, text } = spoken;
    const { events } = this.#parts;
    const held = this.#queue.findHeld(channel, person.userId);
    if (addressed !== null || held !== null) events.flushLines();
    const mayGoOn = addressed === null && (answerBefore !== null || held !== null);
    const recent = mayGoOn ? events.latestOfViewers(channel, NAMES_BACK) : [];
    const others = recent.filter(({ userId }) => userId !== person.userId);
    const isForBot = mayGoOn && !this.#isForAnother(spoken, others);
    const own = this.#readBeforeBareCall(heard, event);
    const isConversation = addressed !== null || answerBefore !== null;
    const trigger = this.#decide(spoken, {
      addressed,
      ownRecentLines: own.map(({ text, createdAtMs }) => ({ text, atMs: createdAtMs })),
      lastExchange: isConversation ? this.#queue.lastExchange(channel, person.userId) : null,
      answerBefore: isForBot ? answerBefore : null,
      othersLines: others.map((line) => line.text),
    });
    // During the wait every message joins. After it, the ticket may still wait for its turn.
    const isWaiting = held !== null && held.holdUntilMs > this.#parts.now();
    const joined = isWaiting || (isForBot && !isReaction(text)) ? held : null;
    return (
      joinThought(joined, heard, trigger, event) ??
      (trigger && createTicket(heard, trigger, own, event))
    );
  }

  /**
   * If a message only calls the bot (`@bot`), returns the viewer's last messages before it, oldest first; else none.
   */
  #readBeforeBareCall({ spoken, addressed }: Heard, { id }: StoredEvent): StoredLine[] {
    if (addressed === null || hasWords(addressed.rest)) return [];
    const { channel, person } = spoken;
    const { events } = this.#parts;
    return events.latestOf(channel, person.userId, OWN_LINES_BACK, id);
  }

  /** Decides whether and why to answer. Draws one random number. Stores the id of a replied-to message of the bot. */
  #decide(
    spoken: Spoken,
    found: Omit<
      TriggerState,
      "mode" | "commandName" | "pace" | "roll" | "nowMs" | "continuationMs"
    >,
  ): Trigger | null {
    const { config, now, paceOf, random } = this.#parts;
    const { text, isBotItself, isKnownBot } = spoken;
    // Runs for every message, so no object is spread.
    return decideTrigger(
      { text, isBotItself, isKnownBot, parent: this.#readParent(spoken) },
      {
        mode: config.mode,
        addressed: found.addressed,
        commandName: config.replies.command,
        lastExchange: found.lastExchange,
        answerBefore: found.answerBefore,
        othersLines: found.othersLines,
        ownRecentLines: found.ownRecentLines,
        pace: paceOf(spoken.channel),
        roll: random(),
        nowMs: now(),
        continuationMs: config.replies.continuationSeconds * 1_000,
      },
    );
  }

  /**
   * True if a message without the bot's name is for someone else. It has an @-mention, names the streamer, a known bot
   * or a writer of `lines`, or calls the whole chat: "are you there, chat?". `lines`: the latest of other viewers.
   */
  #isForAnother({ channel, person, text }: Spoken, lines: readonly StoredLine[]): boolean {
    const others = lines.flatMap(({ login, displayName }) => [login ?? "", displayName ?? ""]);
    const streamer = person.roles.broadcaster ? [] : [channel];
    const { knownBots } = this.#parts.config.bot;
    const findName = addressFinder([...streamer, ...knownBots, ...others]);
    const [first] = splitWords(fold(text));
    const callsAll =
      CROWD_WORDS.includes(first?.word ?? "") || (findCrowd(text)?.rest ?? text) !== text;
    return MENTION.test(text) || findName(text) !== null || callsAll;
  }

  /**
   * Returns who wrote the message that a line replies to; null if it is no reply. If the bot did, stores the message's
   * id, which chat alone does not give the bot. Stores none if the database refuses.
   */
  #readParent({ channel, parent }: Spoken): "bot" | "other" | null {
    if (parent === null) return null;
    const { botUserId, replies } = this.#parts;
    const { userId, messageId, text = null } = parent;
    if (replies.byMessage(messageId) !== null) return "bot";
    if (userId === null || userId !== botUserId()) return "other";
    try {
      if (text !== null) replies.storeMessageId({ channel, text: cleanLine(text), messageId });
    } catch {
      // The database is busy: then the thread lacks one line.
    }
    return "bot";
  }
}

function openQueue(parts: ReplyParts, take: QueueOptions["take"]): ReplyQueue {
  const { config, now } = parts;
  return new ReplyQueue({
    now,
    wait: parts.wait,
    take,
    refuse: (ticket, reason) => parts.replies.refuse(ticket, reason),
    obstacle: (channel) => findObstacle(parts, channel),
    slotDelayMs: ({ channel, rank }) => parts.outbox.delayMs(channel, countSendsToLeave(rank)),
    onError: (thrown) => {
      if (!parts.handleError(thrown)) parts.log.error({ ...describeBug(thrown) }, "a turn failed");
    },
    get viewerCooldownMs() {
      return config.replies.viewerCooldownSeconds * 1_000;
    },
    get channelCooldownMs() {
      return config.replies.channelCooldownSeconds * 1_000;
    },
    earlier: parts.replies.exchangesSince(now() - EARLIER_MS),
  });
}

/** Returns why the bot does not answer in a channel now; null if it answers, or if that cannot be read. */
function findObstacle(parts: ReplyParts, channel: string): Obstacle | null {
  try {
    const closed = closedReason(parts, channel);
    if (closed !== null || parts.config.replies.whenOffline) return closed;
    return isOffline(parts.config, parts.recall.state(channel).isLive) ? "offline" : null;
  } catch {
    // The turn finds out, and records why.
    return null;
  }
}

/** Makes the ticket of a message. Its `eventId` stays null until the event is written. */
function createTicket(
  { spoken, saidAtMs }: Heard,
  { kind, question }: Trigger,
  own: readonly StoredLine[],
  event: StoredEvent,
): Ticket {
  const { channel, person, messageId, parent } = spoken;
  const pieces = kind === "bare" ? own.filter(({ text }) => question.includes(text)) : [];
  return {
    channel,
    userId: person.userId,
    trigger: kind,
    question,
    words: kind === "bare" ? pieces.map(({ text }) => text) : [question],
    // Not known while the database takes nothing.
    get eventId() {
      return event.id;
    },
    messageId,
    pieceIds: pieces.map(({ id }) => id),
    repliesTo: parent,
    rank: rankOf(person.roles),
    atMs: saidAtMs,
    holdUntilMs: holdUntil(kind, question, saidAtMs),
  };
}

/** The longest wait for the rest of a thought. */
const HOLD_MS = 2_000;
const FINISHED_WORDS_MIN = 4;
const COMMAND = /^[!/]/u;

/**
 * Returns a ticket that joins a message to the thought of the `held` ticket. Returns null if `held` is null or has no
 * event id, or if the message is a reply or a command.
 */
function joinThought(
  held: Ticket | null,
  { spoken, saidAtMs }: Heard,
  trigger: Trigger | null,
  event: StoredEvent,
): Ticket | null {
  const { text, parent, messageId } = spoken;
  // Without its event's id, a removal of the first message would not find the ticket.
  if (held === null || held.eventId === null || parent !== null || COMMAND.test(text)) return null;
  const added = trigger?.question ?? text;
  const question = `${held.question} ${added}`.trim();
  return {
    ...held,
    joins: held,
    question,
    words: [...held.words, added],
    pieceIds: [...held.pieceIds, held.eventId],
    messageId,
    get eventId() {
      return event.id;
    },
    holdUntilMs: holdUntil(held.trigger, question, saidAtMs),
  };
}

/**
 * Returns until when to wait for the viewer's next message, epoch ms: 2 s after this one if the thought has no question
 * mark and fewer than four content words. Else returns 0; also for a command or a chance.
 */
function holdUntil(trigger: Trigger["kind"], question: string, saidAtMs: number): number {
  const isFinished =
    trigger === "command" ||
    trigger === "chance" ||
    hasQuestionMark(question) ||
    readStems(question).length >= FINISHED_WORDS_MIN;
  return isFinished ? 0 : saidAtMs + HOLD_MS;
}

function rankOf({ broadcaster, moderator }: Roles): TicketRank {
  if (broadcaster) return "streamer";
  return moderator ? "moderator" : "viewer";
}

/** True if a removal concerns a ticket: its viewer or channel, or a message in its question. */
function isRemoved(ticket: Ticket, removed: RemovedText): boolean {
  const { removal, userId, messageIds, eventIds } = removed;
  if (ticket.messageId !== null && messageIds.includes(ticket.messageId)) return true;
  const ids = [ticket.eventId, ...ticket.pieceIds];
  if (ids.some((id) => id !== null && eventIds.includes(id))) return true;
  if (removal.by === "message" || ticket.channel !== removal.channel) return false;
  return removal.by === "channel" || ticket.userId === (removal.userId ?? userId);
}

/** Makes a guard with the configuration's rules. It follows changes of the configuration. */
export function openConfiguredGuard(config: Config, fence: Fence): Guard {
  const current = memoizeOn(
    () => [config.replies, config.actions, config.persona, config.personas, config.bot],
    () =>
      prepareGuard({
        allowedHosts: config.replies.allowedHosts,
        bannedWords: config.replies.bannedWords,
        secretTexts: promptSecrets(config, fence),
        voiceTexts: [config.persona, ...config.personas].map(({ voice }) => voice),
        markers: [fence.marker.slice(1, -1)],
        ownNames: listBotNames(config),
      }),
  );
  return (raw, answer) => current()(raw, answer);
}

/** Returns persona and rules as in each channel's prompt, with and without actions. The guard refuses to send them. */
export function promptSecrets(config: Config, fence: Fence): string[] {
  const offered = listOffered(config.actions);
  return config.channels.flatMap((channel) =>
    [[], offered].map((lines) => formatRules(findPersona(config, channel), channel, fence, lines)),
  );
}
