import { BoundedMap } from "../bounded-map.ts";
import type { Exchange } from "./reply-store.ts";
import type { TriggerKind } from "./trigger.ts";

/** A message to the bot that waits for its turn. */
export interface Ticket {
  readonly channel: string;
  readonly userId: string;
  readonly trigger: TriggerKind;
  /** The question. It lives in memory until the turn ended. */
  readonly question: string;
  readonly eventId: number | null;
  readonly messageId: string | null;
  /** Events of earlier messages whose words the question includes. */
  readonly pieceIds?: readonly number[];
  /** The messages that the question was put together from, if it was. */
  readonly pieces?: readonly string[];
  /** The turn waits until then for the viewer's next message, epoch ms; 0 if the thought is complete. */
  readonly holdUntilMs?: number;
  /** The waiting ticket whose thought this one continues. */
  readonly joins?: Ticket;
  /** The message that this one replies to, and who wrote it. */
  readonly repliesTo?: { readonly messageId: string; readonly userId: string | null } | null;
  /** When it was written. */
  readonly atMs: number;
  /** True if it is their first message in the channel ever. */
  readonly isFirstHere?: boolean;
  /** Default: viewer. */
  readonly rank?: TicketRank;
}

export type TicketRank = "streamer" | "moderator" | "viewer";

/** The streamer is first, then moderators. */
const TURN_ORDER: Readonly<Record<TicketRank, number>> = { streamer: 0, moderator: 1, viewer: 2 };

interface Ranked {
  readonly rank?: TicketRank;
}

/** True if the asker may use the model's calls and Twitch's messages that are reserved for streamer and moderators. */
export function mayUseReservedCalls({ rank = "viewer" }: Ranked): boolean {
  return rank !== "viewer";
}

/** Sends of Twitch's twenty in 30 s that are reserved for the streamer and moderators. */
const SENDS_KEPT = 4;

/** Returns how many messages of Twitch's limit an answer to a ticket leaves to others. */
export function countSendsLeft(ticket: Ranked): number {
  return mayUseReservedCalls(ticket) ? 0 : SENDS_KEPT;
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

/** Returns the reason for which a signal ended a turn. */
export function abortReason(signal: AbortSignal): RefusedBecause {
  return signal.reason === "removed" ? "removed" : "closing";
}

export interface QueueOptions {
  readonly now: () => number;
  /** Resolves after `ms`; may resolve early once the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * One turn, from reading to recording: whether it was answered. `signal` aborts when its message was removed or the
   * program ends.
   */
  readonly take: (ticket: Ticket, signal: AbortSignal) => Promise<boolean>;
  readonly refuse: (ticket: Ticket, reason: Refusal) => void;
  /** The reason why the bot answers no viewer of a channel now; null if there is none. It comes before other reasons. */
  readonly obstacle?: (channel: string) => Obstacle | null;
  /** Returns how long an answer would wait for Twitch's limits, ms. The turn begins after that. */
  readonly slotDelayMs?: (ticket: Ticket) => number;
  readonly onBug: (thrown: unknown) => void;
  readonly viewerCooldownMs: number;
  readonly channelCooldownMs: number;
  /** Answers before this process started: cooldowns survive a restart. */
  readonly earlier: readonly Exchange[];
  /** Returns the hash that stands for a forgotten viewer in `earlier`: a cooldown outlives forgetting. */
  readonly pseudonym?: (userId: string) => string;
}

export interface ReplyQueue {
  /** Queues a ticket or refuses it at once. Every ticket ends in one `take`, one `refuse`, or joined to a later one. */
  offer(ticket: Ticket): void;
  /** Returns a viewer's waiting ticket whose thought may go on; null if there is none. */
  held(channel: string, userId: string): Ticket | null;
  /** Drops waiting tickets and aborts the running one if `matches` returns true: their message was removed. */
  discard(matches: (ticket: Ticket) => boolean): void;
  /** Returns when the bot last answered a viewer, epoch ms; null if never, or if their last turn was silent. */
  lastExchange(channel: string, userId: string): { readonly atMs: number } | null;
  /** Refuses what waits, aborts what runs, and resolves when that ended. */
  close(): Promise<void>;
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
  /** Ends the wait before the next turn: who came in may go before who waits. */
  wake: () => void;
}

type Exchanges = BoundedMap<string, LastExchange>;

interface LastExchange {
  isAnswered: boolean;
  startedAtMs: number;
  endedAtMs: number;
  fastInARow: number;
}

/** Order and pace of turns: one at a time in a channel, the newest of a viewer, none older than 25 s. */
export function createReplyQueue(options: QueueOptions): ReplyQueue {
  const queues = new Map<string, ChannelQueue>();
  const exchanges = startExchanges(options.earlier);
  let closing = false;

  const refusal = (ticket: Ticket): Refusal | null =>
    closing ? "closing" : findRefusal(options, exchanges, ticket);
  /** Refuses a ticket. A failed write stops neither the queue nor the caller. */
  const refuse = (ticket: Ticket, reason: Refusal): void => {
    try {
      options.refuse(ticket, reason);
    } catch (thrown) {
      options.onBug(thrown);
    }
  };
  const take = async (queue: ChannelQueue, ticket: Ticket): Promise<void> => {
    const exchange = beginExchange(exchanges, ticket, options.now());
    const abort = new AbortController();
    queue.current = { ticket, abort };
    try {
      exchange.isAnswered = await options.take(ticket, abort.signal);
    } catch (thrown) {
      options.onBug(thrown);
    }
    queue.current = null;
    exchange.endedAtMs = options.now();
    queue.freeAtMs = options.now() + options.channelCooldownMs;
  };
  /** Returns how long a ticket has to wait. One that is refused by now does not wait. */
  const delayOf = (queue: ChannelQueue, ticket: Ticket): number => {
    const cooldownEndMs = getCooldownEnd(options, exchanges, ticket);
    // A full queue drops the longest wait, so no ticket is held there for the rest of a thought.
    const heldUntilMs = queue.waiting.length < WAITING_MAX ? (ticket.holdUntilMs ?? 0) : 0;
    const freeAtMs = Math.max(queue.freeAtMs, cooldownEndMs, heldUntilMs);
    const delayMs = Math.max(0, freeAtMs - options.now(), options.slotDelayMs?.(ticket) ?? 0);
    return delayMs > 0 && refusal(ticket) === null ? delayMs : 0;
  };
  const drain = async (queue: ChannelQueue): Promise<void> => {
    while (queue.waiting.length > 0) {
      const ticket = await nextTurn(queue, (one) => delayOf(queue, one), options.wait);
      const reason = ticket === null ? null : refusal(ticket);
      if (ticket !== null && reason !== null) refuse(ticket, reason);
      else if (ticket !== null) await take(queue, ticket);
    }
    queue.draining = null;
  };

  return {
    offer: (ticket) => {
      const reason = refusal(ticket);
      if (reason !== null) return refuse(ticket, reason);
      const queue = getQueue(queues, ticket.channel);
      const outs = makeRoom(queue, ticket);
      queue.wake();
      for (const out of outs) refuse(out.ticket, out.reason);
      queue.draining ??= drain(queue);
    },
    held: (channel, userId) =>
      queues
        .get(channel)
        ?.waiting.find((ticket) => ticket.userId === userId && (ticket.holdUntilMs ?? 0) > 0) ??
      null,
    discard: (matches) => {
      for (const queue of queues.values()) {
        const removed = queue.waiting.filter(matches);
        queue.waiting = queue.waiting.filter((ticket) => !removed.includes(ticket));
        for (const ticket of removed) refuse(ticket, "removed");
        if (queue.current !== null && matches(queue.current.ticket))
          queue.current.abort.abort("removed");
      }
    },
    lastExchange: (channel, userId) => {
      const last = exchanges.get(makeKey({ channel, userId }));
      return last?.isAnswered === true ? { atMs: last.endedAtMs } : null;
    },
    close: async () => {
      closing = true;
      for (const queue of queues.values()) {
        for (const ticket of queue.waiting.splice(0)) refuse(ticket, "closing");
        queue.wake();
        queue.current?.abort.abort("closing");
      }
      await Promise.all([...queues.values()].map(({ draining }) => draining));
    },
  };
}

/** Waits until the first ticket is due and takes it out; null if the queue changed before. */
async function nextTurn(
  queue: ChannelQueue,
  delayOf: (ticket: Ticket) => number,
  wait: QueueOptions["wait"],
): Promise<Ticket | null> {
  const woken = new AbortController();
  const wakes = new Promise<void>((resolve) => {
    queue.wake = () => {
      // A crowd wakes the queue many times a second: each wait is cancelled, not left to run out.
      woken.abort("woken");
      resolve();
    };
  });
  const soonestMs = Math.min(...queue.waiting.map(delayOf));
  await Promise.race([wait(soonestMs, woken.signal), wakes]);
  if (woken.signal.aborted) return null;
  const due = queue.waiting.find((ticket) => delayOf(ticket) === 0);
  queue.waiting = queue.waiting.filter((ticket) => ticket !== due);
  return due ?? null;
}

/** Returns why a ticket gets no turn; what concerns the whole channel first. */
function findRefusal(options: QueueOptions, exchanges: Exchanges, ticket: Ticket): Refusal | null {
  const nowMs = options.now();
  const obstacle = options.obstacle?.(ticket.channel) ?? null;
  if (obstacle !== null) return obstacle;
  if (nowMs - ticket.atMs > STALE_AFTER_MS) return "stale";
  if (ticket.rank === "streamer") return null;
  if (getCooldownEnd(options, exchanges, ticket) > ticket.atMs + STALE_AFTER_MS)
    return "viewer_cooldown";
  const last = findExchange(exchanges, ticket, options.pseudonym);
  return countFastAnswers(last, ticket) > FAST_EXCHANGES_MAX ? "loop" : null;
}

/** Returns when the viewer's cooldown ends, epoch ms. The streamer has none. */
function getCooldownEnd(
  { viewerCooldownMs, pseudonym }: QueueOptions,
  exchanges: Exchanges,
  ticket: Ticket,
): number {
  const last = findExchange(exchanges, ticket, pseudonym);
  if (last === undefined || ticket.rank === "streamer") return 0;
  const isConversation = CONVERSATION_TRIGGERS.has(ticket.trigger);
  const cooldownMs = isConversation
    ? Math.min(CONVERSATION_COOLDOWN_MS, viewerCooldownMs)
    : viewerCooldownMs;
  return last.startedAtMs + cooldownMs;
}

/** Adds a ticket in turn order, keeps only the newest of each viewer, and returns the dropped tickets. */
function makeRoom(
  queue: ChannelQueue,
  ticket: Ticket,
): { ticket: Ticket; reason: "superseded" | "queue_full" }[] {
  const older = queue.waiting.filter((one) => one.userId === ticket.userId && one !== ticket.joins);
  const waiting = [...queue.waiting.filter(({ userId }) => userId !== ticket.userId), ticket];
  const last = Math.max(...waiting.map(orderOf));
  // Of the lowest rank, the ticket that waited longest is dropped.
  const overflow =
    waiting.length > WAITING_MAX ? waiting.filter((one) => orderOf(one) === last).slice(0, 1) : [];
  queue.waiting = waiting
    .filter((one) => !overflow.includes(one))
    .sort((one, other) => orderOf(one) - orderOf(other));
  return [
    ...older.map((out) => ({ ticket: out, reason: "superseded" as const })),
    ...overflow.map((out) => ({ ticket: out, reason: "queue_full" as const })),
  ];
}

function orderOf({ rank = "viewer" }: Ticket): number {
  return TURN_ORDER[rank];
}

function beginExchange(exchanges: Exchanges, ticket: Ticket, nowMs: number): LastExchange {
  const fast = countFastAnswers(exchanges.get(makeKey(ticket)), ticket);
  const exchange = { isAnswered: false, startedAtMs: nowMs, endedAtMs: nowMs, fastInARow: fast };
  exchanges.set(makeKey(ticket), exchange);
  return exchange;
}

/** The last one, also where the viewer was forgotten since. */
function findExchange(
  exchanges: Exchanges,
  { channel, userId }: Ticket,
  pseudonym: QueueOptions["pseudonym"],
): LastExchange | undefined {
  const known = exchanges.get(makeKey({ channel, userId }));
  if (known !== undefined || pseudonym === undefined) return known;
  return exchanges.get(makeKey({ channel, userId: pseudonym(userId) }));
}

function countFastAnswers(last: LastExchange | undefined, ticket: Ticket): number {
  if (last === undefined) return 1;
  // A message written before the answer arrived is impatience, not a bot's fast answer.
  const tookMs = ticket.atMs - last.endedAtMs;
  return tookMs > 0 && tookMs <= FAST_ANSWER_MS ? last.fastInARow + 1 : 1;
}

function getQueue(queues: Map<string, ChannelQueue>, channel: string): ChannelQueue {
  const queue = queues.get(channel) ?? {
    waiting: [],
    current: null,
    draining: null,
    freeAtMs: 0,
    wake: () => undefined,
  };
  queues.set(channel, queue);
  return queue;
}

function startExchanges(earlier: readonly Exchange[]): Exchanges {
  const exchanges: Exchanges = new BoundedMap(EXCHANGES_MAX);
  for (const { atMs, ...who } of earlier) {
    const ended = { isAnswered: true, startedAtMs: atMs, endedAtMs: atMs, fastInARow: 1 };
    exchanges.set(makeKey(who), ended);
  }
  return exchanges;
}

function makeKey(who: { readonly channel: string; readonly userId: string }): string {
  return `${who.channel} ${who.userId}`;
}
