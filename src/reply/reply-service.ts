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
import { isHash, type KeyedHash } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import { hasQuestionMark, splitWords } from "../language/words.ts";
import type { Outbox, Sender } from "../twitch/outbox.ts";
import { refuseTightBudget } from "./assemble.ts";
import { type Guard, prepareGuard } from "./guard.ts";
import { formatRules } from "./prompt/rules.ts";
import { closedReason, isOffline } from "./read.ts";
import {
  countSendsLeft,
  type Obstacle,
  type QueueOptions,
  ReplyQueue,
  STALE_AFTER_MS,
  type Ticket,
  type TicketRank,
} from "./reply-queue.ts";
import { decideTrigger, hasWords, MENTION, type Trigger, type TriggerState } from "./trigger.ts";
import { createTurnTaker, getReplyModel, type TurnParts } from "./turn.ts";

export interface ReplyParts extends TurnParts {
  readonly events: EventStore;
  readonly outbox: Sender & { readonly delayMs?: Outbox["delayMs"] };
  readonly botUserId: () => string | null;
  /** Hashes the ids of forgotten viewers. */
  readonly hash: { readonly person: KeyedHash["person"] };
  readonly wait: QueueOptions["wait"];
  readonly random: () => number;
  /** Gets an error of a turn. Returns false if it is not one of the database. */
  readonly heard?: (thrown: unknown) => boolean;
  /** See `createLatenessMeter`. */
  readonly sinceBootMs?: (() => number) | undefined;
}

/** A heard message: whether it addresses the bot, and its question. */
interface Heard {
  readonly addressed: BotAddress | null;
  /** True if it was written too long ago, before the machine slept. */
  readonly isStale: boolean;
  /**
   * Returns the ticket of the message; null if the bot does not answer it. Call it after the event was added: it may
   * read the database.
   */
  ticket(event: { readonly id: number | null }): Ticket | null;
}

/** The longest cooldown. */
const EARLIER_MS = 3_600_000;
const OWN_LINES_BACK = 4;
/** Writers of this many last messages count as being here. */
const NAMES_BACK = 200;

/** Turns messages into answers. It reads the configuration at each use: a reload replaces its parts. */
export class ReplyService {
  readonly #parts: ReplyParts;
  readonly #queue: ReplyQueue;
  /** Prompts of the turns in progress. */
  readonly #prompts = new Map<Ticket, string>();
  /** By channel, the bot's answer and its viewer, if it is the last message. */
  readonly #lastAnswers = new Map<string, { readonly userId: string; readonly text: string }>();
  readonly #findAddress: (channel: string, text: string) => BotAddress | null;
  readonly #measureLateness: ReturnType<typeof createLatenessMeter>;

  /** Throws a Fault if the prompt's floor exceeds its budget. */
  constructor(parts: ReplyParts) {
    const { config } = parts;
    refuseTightBudget(config, parts.calls.correction(getReplyModel(config)));
    this.#parts = parts;
    this.#measureLateness = createLatenessMeter(parts.sinceBootMs);
    const finders = memoizeOn(
      () => [config.bot, config.persona, config.personas],
      () =>
        new Map(
          config.channels.map((channel) => [channel, addressFinder(listBotNames(config, channel))]),
        ),
    );
    this.#findAddress = (channel, text) => finders().get(channel)?.(text) ?? null;
    const onSaid: ReplyParts["onSaid"] = (ticket, said) => {
      this.#lastAnswers.set(ticket.channel, { userId: ticket.userId, text: said.text });
      parts.onSaid(ticket, said);
    };
    const take = createTurnTaker({ ...parts, onSaid }, (ticket, { prefix, tail }) => {
      this.#prompts.set(ticket, `${prefix}${tail}`);
    });
    this.#queue = openQueue(parts, (ticket, signal) =>
      take(ticket, signal).finally(() => this.#prompts.delete(ticket)),
    );
  }

  /**
   * Checks, before a message is stored, if it addresses the bot and when it was written. The result makes its ticket
   * later. Forgets the bot's last answer in the channel, unless the bot wrote the message.
   */
  hear(spoken: Spoken): Heard {
    const { channel, person, text } = spoken;
    const lateMs = this.#measureLateness(spoken.sentAtMs);
    const saidAtMs = this.#parts.now() - lateMs;
    const found = this.#findAddress(channel, text);
    const last = this.#lastAnswers.get(channel);
    const answer = last?.userId === person.userId ? last.text : null;
    if (!spoken.isBotItself) this.#lastAnswers.delete(channel);
    return {
      addressed: found,
      isStale: lateMs > STALE_AFTER_MS,
      ticket: (event) =>
        makeTicket(this.#parts, this.#queue, { spoken, found, answer }, { event, saidAtMs }),
    };
  }

  /**
   * Offers the queue a message that was stored, if it has a ticket. Returns true if it has, and not by chance, even if
   * the queue refuses it.
   */
  answer(heard: Heard, event: { readonly id: number | null }): boolean {
    const ticket = heard.ticket(event);
    if (ticket !== null) this.#queue.offer(ticket);
    return ticket !== null && ticket.trigger !== "chance";
  }

  /** Forgets the last answer, since the bot sent something else. A later line is no continuation of it. */
  interrupt(channel: string): void {
    this.#lastAnswers.delete(channel);
  }

  /** Drops turns whose message, or whose viewer's messages, were removed. */
  discard(removed: RemovedText): void {
    this.#queue.discard(isTakenBy(removed));
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

  /** Drops the turns whose question or prompt has a name that was forgotten: the answer may repeat it. */
  discardNaming(isNamed: (text: string) => boolean): void {
    this.#queue.discard(
      (ticket) => isNamed(ticket.question) || isNamed(this.#prompts.get(ticket) ?? ""),
    );
  }

  /** Refuses waiting turns, aborts the running ones, and resolves when they ended. */
  close(): Promise<void> {
    return this.#queue.close();
  }
}

function openQueue(parts: ReplyParts, take: QueueOptions["take"]): ReplyQueue {
  const { config, now } = parts;
  const earlier = parts.replies.exchangesSince(now() - EARLIER_MS);
  return new ReplyQueue({
    now,
    wait: parts.wait,
    take,
    refuse: (ticket, reason) => parts.replies.refuse(ticket, reason),
    obstacle: (channel) => findObstacle(parts, channel),
    slotDelayMs: (ticket) => parts.outbox.delayMs?.(ticket.channel, countSendsLeft(ticket)) ?? 0,
    onBug: (thrown) => {
      parts.heard?.(thrown);
      parts.log.error({ ...describeBug(thrown) }, "a turn failed");
    },
    get viewerCooldownMs() {
      return config.replies.viewerCooldownSeconds * 1_000;
    },
    get channelCooldownMs() {
      return config.replies.channelCooldownSeconds * 1_000;
    },
    // Only if `earlier` has a forgotten viewer: a hash takes as long as all other checks of a ticket.
    ...(earlier.some(({ userId }) => isHash(userId)) && { pseudonym: parts.hash.person }),
    earlier,
  });
}

/** Returns why the bot answers nobody in a channel now; null if it answers, or if that cannot be read. */
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

interface Arrival {
  readonly event: { readonly id: number | null };
  readonly saidAtMs: number;
}

/** Makes the ticket of a line, or joins the line to the viewer's waiting one; null if the bot does not answer it. */
function makeTicket(
  parts: ReplyParts,
  queue: ReplyQueue,
  {
    spoken,
    found,
    answer,
  }: {
    readonly spoken: Spoken;
    readonly found: BotAddress | null;
    /** The bot's answer to this viewer just before. */
    readonly answer: string | null;
  },
  arrival: Arrival,
): Ticket | null {
  const { channel, person, text } = spoken;
  const held = queue.held(channel, person.userId);
  if (found !== null || held !== null) parts.events.flushLines();
  const own = readOwnLinesBefore(parts, spoken, found, arrival.event.id);
  const lastExchange =
    found !== null || answer !== null ? queue.lastExchange(channel, person.userId) : null;
  const mayGoOn = found === null && (answer !== null || held !== null);
  const recent = mayGoOn ? parts.events.latestOfViewers(channel, NAMES_BACK) : [];
  const others = recent.filter(({ userId }) => userId !== person.userId);
  const isForBot = mayGoOn && !isForAnother(parts, spoken, others);
  const trigger = getTrigger(parts, spoken, {
    addressed: found,
    ownRecentLines: own,
    lastExchange,
    answerBefore: isForBot ? answer : null,
    othersLines: others.map((line) => line.text),
  });
  const isHeld = (held?.holdUntilMs ?? 0) > parts.now();
  const joins = isHeld || (isForBot && !isReaction(text)) ? held : null;
  return (
    joinThought(joins, spoken, trigger, arrival) ??
    (trigger && createTicket(spoken, trigger, own, arrival))
  );
}

type OwnLine = TriggerState["ownRecentLines"][number] & { readonly id: number };

/**
 * If a line only calls the bot (`@bot`), returns the viewer's last lines before it, oldest first; else none. `eventId`:
 * that line's id; null reads up to now.
 */
function readOwnLinesBefore(
  { events }: ReplyParts,
  { channel, person }: Spoken,
  found: BotAddress | null,
  eventId: number | null,
): OwnLine[] {
  if (found === null || hasWords(found.rest)) return [];
  return events
    .latestOf(channel, person.userId, OWN_LINES_BACK, eventId)
    .map(({ id, text, createdAtMs }) => ({ id, text, atMs: createdAtMs }));
}

/**
 * Returns the trigger of a line, or null. Draws one random number, and stores the id of the bot's message that the line
 * replies to.
 */
function getTrigger(
  parts: ReplyParts,
  spoken: Spoken,
  heard: Omit<TriggerState, "mode" | "commandName" | "pace" | "roll" | "nowMs" | "continuationMs">,
): Trigger | null {
  // Runs for every line: spreading objects here took longer than all else.
  const { mode, replies } = parts.config;
  const { text, isBotItself, isKnownBot } = spoken;
  const { addressed: found, ownRecentLines, lastExchange, answerBefore, othersLines } = heard;
  return decideTrigger(
    { text, isBotItself, isKnownBot, parent: learnParent(parts, spoken) },
    {
      mode,
      addressed: found,
      commandName: replies.command,
      lastExchange,
      answerBefore,
      othersLines,
      ownRecentLines,
      pace: parts.paceOf(spoken.channel),
      roll: parts.random(),
      nowMs: parts.now(),
      continuationMs: replies.continuationSeconds * 1_000,
    },
  );
}

/** Words that address all viewers. */
const CROWD_WORDS = ["chat", "everyone", "everybody", "anyone", "anybody", "guys", "mods"];
const CROWD = addressFinder(CROWD_WORDS);

/**
 * True if a line without the bot's name is for someone else. It has an @-mention, names another viewer who is here, or
 * calls the whole chat: "chat are you there", "are you there, chat?". `lines`: the latest lines of others.
 */
function isForAnother(
  { config }: ReplyParts,
  { channel, person: { roles }, text }: Spoken,
  lines: readonly StoredLine[],
): boolean {
  const others = lines.flatMap(({ login, displayName }) => [login ?? "", displayName ?? ""]);
  const streamer = roles.broadcaster ? [] : [channel];
  const names = addressFinder([...streamer, ...config.bot.knownBots, ...others]);
  const [first] = splitWords(fold(text));
  const callsAll = CROWD_WORDS.includes(first?.word ?? "") || (CROWD(text)?.rest ?? text) !== text;
  return MENTION.test(text) || names(text) !== null || callsAll;
}

/**
 * Returns who wrote the message that a line replies to; null if it is no reply. Stores the id of the bot's own message:
 * chat alone does not give the bot its ids.
 */
function learnParent(parts: ReplyParts, { channel, parent }: Spoken): "bot" | "other" | null {
  if (parent === null) return null;
  const { replies } = parts;
  const { userId, messageId, text = null } = parent;
  if (userId === null || userId !== parts.botUserId())
    return replies.byMessage(messageId) === null ? "other" : "bot";
  if (text === null || replies.byMessage(messageId) !== null) return "bot";
  try {
    replies.learnId({ channel, text: cleanLine(text), messageId });
  } catch {
    // The database is busy: then the thread lacks one line.
  }
  return "bot";
}

function createTicket(
  { channel, person, messageId, parent, isFirstHere = false }: Spoken,
  { kind, question }: Trigger,
  own: readonly OwnLine[],
  { event, saidAtMs }: Arrival,
): Ticket {
  const pieces = kind === "bare" ? own.filter(({ text }) => question.includes(text)) : [];
  return {
    channel,
    userId: person.userId,
    trigger: kind,
    question,
    // Not known while the database takes nothing.
    get eventId() {
      return event.id;
    },
    messageId,
    pieceIds: pieces.map(({ id }) => id),
    pieces: pieces.map(({ text }) => text),
    repliesTo: parent,
    isFirstHere,
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
 * Returns a ticket that joins a message to the viewer's unfinished thought. Returns null if no ticket is held, if that has
 * no event id, or if the message is a reply or a command.
 */
function joinThought(
  held: Ticket | null,
  { text, parent, messageId }: Spoken,
  trigger: Trigger | null,
  { event, saidAtMs }: Arrival,
): Ticket | null {
  // Without its event's id, a removal of the first message would not find the ticket.
  if (held === null || held.eventId === null || parent !== null || COMMAND.test(text)) return null;
  const added = trigger?.question ?? text;
  const { pieces = [], pieceIds = [] } = held;
  const question = `${held.question} ${added}`.trim();
  return {
    ...held,
    joins: held,
    question,
    pieces: [...(pieces.length > 0 ? pieces : [held.question]), added],
    pieceIds: [...pieceIds, held.eventId],
    messageId,
    get eventId() {
      return event.id;
    },
    holdUntilMs: holdUntil(held.trigger, question, saidAtMs),
  };
}

/**
 * Returns until when to wait for the viewer's next message, epoch ms: 2 s if the thought has no question and fewer than
 * four content words, else 0. A command or a chance does not wait.
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

/**
 * Returns a test for tickets that a removal concerns: of its viewer or channel, or with a removed message in the
 * question.
 */
function isTakenBy({
  removal,
  userId,
  messageIds,
  eventIds,
}: RemovedText): (ticket: Ticket) => boolean {
  const messages = new Set(messageIds);
  const events = new Set(eventIds);
  const isConcerned = (ticket: Ticket): boolean => {
    if (removal.by === "message" || ticket.channel !== removal.channel) return false;
    return removal.by === "channel" || ticket.userId === (removal.userId ?? userId);
  };
  return (ticket) =>
    isConcerned(ticket) ||
    (ticket.messageId !== null && messages.has(ticket.messageId)) ||
    [ticket.eventId, ...(ticket.pieceIds ?? [])].some((id) => id !== null && events.has(id));
}

/** Makes the guard on everything that is said or done in the bot's name. It follows changes of the configuration. */
export function openConfiguredGuard(config: Config, fence: Fence): Guard {
  const current = memoizeOn(
    () => [config.replies, config.actions, config.persona, config.personas, config.bot],
    () =>
      prepareGuard({
        allowedHosts: config.replies.allowedHosts,
        forbidden: config.replies,
        secretTexts: promptSecrets(config, fence),
        voiceTexts: [config.persona, ...config.personas].map(({ voice }) => voice),
        markers: [fence.marker.slice(1, -1)],
        ownNames: listBotNames(config),
      }),
  );
  return (raw, answer) => current()(raw, answer);
}

/**
 * Returns persona and rules as in each channel's prompt, with and without actions: the guard keeps them out of chat.
 */
export function promptSecrets(config: Config, fence: Fence): string[] {
  const offered = listOffered(config.actions);
  return config.channels.flatMap((channel) =>
    [[], offered].map((lines) => formatRules(findPersona(config, channel), channel, fence, lines)),
  );
}
