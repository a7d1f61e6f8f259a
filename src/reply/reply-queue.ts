import { BoundedMap } from "../bounded-map.ts";
import type { Exchange } from "./reply-store.ts";
import type { TriggerKind } from "./trigger.ts";

/** A message to the bot that waits for its turn. */
export interface Ticket {
  readonly channel: string;
  readonly userId: string;
  readonly trigger: TriggerKind;
  /** The question without the bot's name. */
  readonly question: string;
  /** The viewer's own messages that the question was made from. */
  readonly words: readonly string[];
  /** null while the message is not stored. */
  readonly eventId: number | null;
  readonly messageId: string | null;
  /** Events of earlier messages whose words the question includes. */
  readonly pieceIds: readonly number[];
  /** The turn waits until then for the viewer's next message, epoch ms; 0 if the thought is complete. */
  readonly holdUntilMs: number;
  /** The waiting ticket whose thought this one continues. */
  readonly joins?: Ticket;
  /** The message that this one replies to, and who wrote it. */
  readonly repliesTo: { readonly messageId: string; readonly userId: string | null } | null;
  /** When it was written. */
  readonly atMs: number;
  readonly rank: TicketRank;
}

export type TicketRank = "streamer" | "moderator" | "viewer";

/** The streamer is first, then moderators. */
const TURN_ORDER: Readonly<Record<TicketRank, number>> = { streamer: 0, moderator: 1, viewer: 2 };

/** True for the streamer and moderators: some of the model's calls and of Twitch's messages are reserved for them. */
export function mayUseReservedCalls(rank: TicketRank): boolean {
  return rank !== "viewer";
}

/** Sends of Twitch's twenty in 30 s that are reserved for the streamer and moderators. */
const SENDS_RESERVED = 4;

/** Returns how many messages of Twitch's limit an answer must leave to the streamer and moderators; 0 for theirs. */
export function countSendsToLeave(rank: TicketRank): number {
  return mayUseReservedCalls(rank) ? 0 : SENDS_RESERVED;
}

/** Why no answer begins now, for any viewer. */
export type Obstacle = "paused" | "not_let_through" | "offline";

export type RefusedBecause =
  | "viewer_cooldown"
  | "superseded"
  | "queue_full"
  | "stale"
  | "loop"
  | "removed"
  | "closing";

type Refusal = RefusedBecause | Obstacle;

/** Returns why a signal ended a turn: `removed`, or `closing` for every other reason. */
export function abortReason(signal: AbortSignal): RefusedBecause {
  return signal.reason === "removed" ? "removed" : "closing";
}

export interface QueueOptions {
  readonly now: () => number;
  /** Resolves after `ms`, or earlier once the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * Takes one turn, from reading to recording. Resolves with true if the viewer was answered. `signal` aborts when its
   * message was removed or the program ends.
   */
  readonly take: (ticket: Ticket, signal: AbortSignal) => Promise<boolean>;
  readonly refuse: (ticket: Ticket, reason: Refusal) => void;
  /** Returns why the bot answers no viewer of a channel now; null if there is no reason. */
  readonly obstacle: (channel: string) => Obstacle | null;
  /** Returns how long an answer would wait for Twitch's limits, ms. The turn begins after that. */
  readonly slotDelayMs: (ticket: Ticket) => number;
  /** Gets an error of `take` or `refuse`. The queue continues. */
  readonly onError: (thrown: unknown) => void;
  readonly viewerCooldownMs: number;
  readonly channelCooldownMs: number;
  /** Answers before this process started: cooldowns survive a restart. */
  readonly earlier: readonly Exchange[];
}

const WAITING_MAX = 5;
/** Viewers do not expect an answer after this time. */
export const STALE_AFTER_MS = 25_000;
/** A conversation needs a shorter pause than a new question. */
const CONVERSATION_COOLDOWN_MS = 3_000;
const CONVERSATION_TRIGGERS: ReadonlySet<TriggerKind> = new Set(["reply", "continuation"]);
/** An account that answers this fast, this often in a row, is taken for another bot. */
const FAST_ANSWER_MS = 2_000;
const FAST_EXCHANGES_MAX = 3;
/** The most exchanges in memory, for cooldowns and continuations of up to five minutes; the oldest are dropped. */
const EXCHANGES_MAX = 5_000;

interface ChannelQueue {
  waiting: Ticket[];
  current: { readonly ticket: Ticket; readonly abort: AbortController } | null;
  /** Resolves when the queue is empty; null if idle. */
  draining: Promise<void> | null;
  freeAtMs: number;
  /** Ends the wait before the next turn, because the waiting tickets changed. */
  wake: () => void;
}

interface LastExchange {
  isAnswered: boolean;
  startedAtMs: number;
  endedAtMs: number;
  fastInARow: number;
}

/**
 * Orders and paces turns, one at a time in a channel. At most five tickets wait there, one of each viewer: a newer one
 * replaces it. A ticket whose message is older than 25 s is refused.
 */
export class ReplyQueue {
  readonly #options: QueueOptions;
  readonly #queues = new Map<string, ChannelQueue>();
  /** The last exchange with each viewer of a channel. */
  readonly #exchanges = new BoundedMap<string, LastExchange>(EXCHANGES_MAX);
  #isClosing = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    for (const exchange of options.earlier) {
      const { atMs } = exchange;
      const ended = { isAnswered: true, startedAtMs: atMs, endedAtMs: atMs, fastInARow: 1 };
      this.#exchanges.set(makeKey(exchange), ended);
    }
  }

  /** Queues a ticket or refuses it at once. Each ticket is later taken once, refused once, or joined by a newer one. */
  offer(ticket: Ticket): void {
    const reason = this.#findRefusal(ticket);
    if (reason !== null) {
      this.#refuse(ticket, reason);
      return;
    }
    const queue: ChannelQueue = this.#queues.get(ticket.channel) ?? {
      waiting: [],
      current: null,
      draining: null,
      freeAtMs: 0,
      wake: () => undefined,
    };
    this.#queues.set(ticket.channel, queue);
    const dropped = addTicket(queue, ticket);
    queue.wake();
    for (const one of dropped) this.#refuse(one.ticket, one.reason);
    queue.draining ??= this.#drain(queue);
  }

  /**
   * Returns a viewer's waiting ticket whose thought may go on, also if `holdUntilMs` is past; null if there is none.
   */
  findHeld(channel: string, userId: string): Ticket | null {
    const waiting = this.#queues.get(channel)?.waiting ?? [];
    return waiting.find((one) => one.userId === userId && one.holdUntilMs > 0) ?? null;
  }

  /** Refuses the waiting tickets that match, and aborts the running turns that do, for the reason `removed`. */
  discard(matches: (ticket: Ticket) => boolean): void {
    for (const queue of this.#queues.values()) {
      const removed = queue.waiting.filter(matches);
      queue.waiting = queue.waiting.filter((ticket) => !removed.includes(ticket));
      for (const ticket of removed) this.#refuse(ticket, "removed");
      if (queue.current !== null && matches(queue.current.ticket))
        queue.current.abort.abort("removed");
    }
  }

  /**
   * Returns when the turn that last answered a viewer ended, epoch ms. Null if there is none, or if the viewer's last
   * turn was silent or still runs.
   */
  lastExchange(channel: string, userId: string): { readonly atMs: number } | null {
    const last = this.#exchanges.get(makeKey({ channel, userId }));
    return last?.isAnswered === true ? { atMs: last.endedAtMs } : null;
  }

  /** Refuses what waits, aborts what runs, and resolves when that ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const queue of this.#queues.values()) {
      for (const ticket of queue.waiting.splice(0)) this.#refuse(ticket, "closing");
      queue.wake();
      queue.current?.abort.abort("closing");
    }
    await Promise.all([...this.#queues.values()].map(({ draining }) => draining));
  }

  async #drain(queue: ChannelQueue): Promise<void> {
    while (queue.waiting.length > 0) {
      const ticket = await this.#waitForNext(queue);
      if (ticket === null) continue;
      const reason = this.#findRefusal(ticket);
      if (reason === null) await this.#take(queue, ticket);
      else this.#refuse(ticket, reason);
    }
    queue.draining = null;
  }

  /** Waits until a ticket is due and takes it out of the queue. Null if the queue changed before, or none is due. */
  async #waitForNext(queue: ChannelQueue): Promise<Ticket | null> {
    const woken = new AbortController();
    const wakes = new Promise<void>((resolve) => {
      queue.wake = () => {
        // A crowd wakes the queue many times a second: each wait is cancelled, not left to run out.
        woken.abort("woken");
        resolve();
      };
    });
    const soonestMs = Math.min(...queue.waiting.map((ticket) => this.#delayMs(queue, ticket)));
    await Promise.race([this.#options.wait(soonestMs, woken.signal), wakes]);
    if (woken.signal.aborted) return null;
    const due = queue.waiting.find((ticket) => this.#delayMs(queue, ticket) === 0);
    queue.waiting = queue.waiting.filter((ticket) => ticket !== due);
    return due ?? null;
  }

  async #take(queue: ChannelQueue, ticket: Ticket): Promise<void> {
    const { now, take, onError } = this.#options;
    const fastInARow = countFastAnswers(this.#exchanges.get(makeKey(ticket)), ticket);
    const exchange = { isAnswered: false, startedAtMs: now(), endedAtMs: now(), fastInARow };
    this.#exchanges.set(makeKey(ticket), exchange);
    const abort = new AbortController();
    queue.current = { ticket, abort };
    try {
      exchange.isAnswered = await take(ticket, abort.signal);
    } catch (thrown) {
      onError(thrown);
    }
    queue.current = null;
    exchange.endedAtMs = now();
    queue.freeAtMs = now() + this.#options.channelCooldownMs;
  }

  #refuse(ticket: Ticket, reason: Refusal): void {
    try {
      this.#options.refuse(ticket, reason);
    } catch (thrown) {
      this.#options.onError(thrown);
    }
  }

  /** Returns how long a ticket has to wait, ms; 0 also if it must be refused now. */
  #delayMs(queue: ChannelQueue, ticket: Ticket): number {
    // A full queue drops the longest wait, so no ticket is held there for the rest of a thought.
    const heldUntilMs = queue.waiting.length < WAITING_MAX ? ticket.holdUntilMs : 0;
    const freeAtMs = Math.max(queue.freeAtMs, this.#getCooldownEnd(ticket), heldUntilMs);
    const slotDelayMs = this.#options.slotDelayMs(ticket);
    const delayMs = Math.max(0, freeAtMs - this.#options.now(), slotDelayMs);
    return delayMs > 0 && this.#findRefusal(ticket) === null ? delayMs : 0;
  }

  /**
   * Returns why a ticket must be refused now; null if not. A reason for the whole channel comes first. A cooldown is a
   * reason only if it lasts until the ticket is stale. The streamer is never refused for a cooldown or a loop.
   */
  #findRefusal(ticket: Ticket): Refusal | null {
    if (this.#isClosing) return "closing";
    const nowMs = this.#options.now();
    const obstacle = this.#options.obstacle(ticket.channel);
    if (obstacle !== null) return obstacle;
    if (nowMs - ticket.atMs > STALE_AFTER_MS) return "stale";
    if (ticket.rank === "streamer") return null;
    if (this.#getCooldownEnd(ticket) > ticket.atMs + STALE_AFTER_MS) return "viewer_cooldown";
    const fastInARow = countFastAnswers(this.#exchanges.get(makeKey(ticket)), ticket);
    return fastInARow > FAST_EXCHANGES_MAX ? "loop" : null;
  }

  /**
   * Returns when the viewer's cooldown ends, epoch ms; 0 without an exchange, and for the streamer. It runs from the
   * start of their last turn; in a conversation, 3 s at most.
   */
  #getCooldownEnd(ticket: Ticket): number {
    const { viewerCooldownMs } = this.#options;
    const last = this.#exchanges.get(makeKey(ticket));
    if (last === undefined || ticket.rank === "streamer") return 0;
    const conversationMs = Math.min(CONVERSATION_COOLDOWN_MS, viewerCooldownMs);
    const isConversation = CONVERSATION_TRIGGERS.has(ticket.trigger);
    return last.startedAtMs + (isConversation ? conversationMs : viewerCooldownMs);
  }
}

/**
 * Adds a ticket in turn order, in place of the viewer's older one. Returns the tickets that it drops: the older one,
 * unless the new one joins it; and one if the queue is full. That is the first of the lowest rank, maybe the new one.
 */
function addTicket(
  queue: ChannelQueue,
  ticket: Ticket,
): { ticket: Ticket; reason: "superseded" | "queue_full" }[] {
  const older = queue.waiting.filter((one) => one.userId === ticket.userId && one !== ticket.joins);
  const waiting = [...queue.waiting.filter(({ userId }) => userId !== ticket.userId), ticket];
  const lowest = Math.max(...waiting.map(({ rank }) => TURN_ORDER[rank]));
  const overflow = waiting
    .filter(({ rank }) => TURN_ORDER[rank] === lowest)
    .slice(0, waiting.length > WAITING_MAX ? 1 : 0);
  queue.waiting = waiting
    .filter((one) => !overflow.includes(one))
    .sort((one, other) => TURN_ORDER[one.rank] - TURN_ORDER[other.rank]);
  return [
    ...older.map((out) => ({ ticket: out, reason: "superseded" as const })),
    ...overflow.map((out) => ({ ticket: out, reason: "queue_full" as const })),
  ];
}

/** Returns how often in a row the viewer wrote within 2 s of an answer, this ticket included; at least 1. */
function countFastAnswers(last: LastExchange | undefined, ticket: Ticket): number {
  if (last === undefined) return 1;
  // A message written before the answer arrived is impatience, not a bot's fast answer.
  const tookMs = ticket.atMs - last.endedAtMs;
  return tookMs > 0 && tookMs <= FAST_ANSWER_MS ? last.fastInARow + 1 : 1;
}

function makeKey(who: { readonly channel: string; readonly userId: string }): string {
  return `${who.channel} ${who.userId}`;
}
