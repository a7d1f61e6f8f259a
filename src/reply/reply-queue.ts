import type { Exchange } from "./reply-store.ts";
import type { TriggerKind } from "./trigger.ts";

/** Somebody spoke to the bot: what waits for a turn. */
export interface Ticket {
  readonly channel: string;
  readonly userId: string;
  readonly trigger: TriggerKind;
  /** What is asked. Lives in memory until the turn ended. */
  readonly question: string;
  readonly eventId: number | null;
  readonly messageId: string | null;
  /** Events of earlier lines whose words stand in the question too. */
  readonly pieceIds?: readonly number[];
  /** The lines that the question was put together from, where it was. */
  readonly pieces?: readonly string[];
  /** The message that this one replies to, and who wrote it. */
  readonly repliesTo?: { readonly messageId: string; readonly userId: string | null } | null;
  /** When it was said. */
  readonly atMs: number;
}

export type RefusedBecause =
  | "viewer_cooldown"
  | "superseded"
  | "queue_full"
  | "stale"
  | "loop"
  | "removed"
  | "closing";

/** What a turn's signal says that ended it. */
export function endedBy(signal: AbortSignal): RefusedBecause {
  return signal.reason === "removed" ? "removed" : "closing";
}

export interface LaneOptions {
  readonly now: () => number;
  /** Resolves after `ms`; may resolve early when the program ends. */
  readonly wait: (ms: number) => Promise<void>;
  /**
   * One turn, from reading to recording: whether it was answered. `signal` aborts when its message was removed or the
   * program ends.
   */
  readonly take: (ticket: Ticket, signal: AbortSignal) => Promise<boolean>;
  readonly refuse: (ticket: Ticket, reason: RefusedBecause) => void;
  readonly onBug: (thrown: unknown) => void;
  readonly viewerCooldownMs: number;
  readonly channelCooldownMs: number;
  /** Answers before this process started: cooldowns survive a restart. */
  readonly earlier: readonly Exchange[];
  /** What a viewer is called in `earlier` who was forgotten since: a cooldown outlives that. */
  readonly pseudonym?: (userId: string) => string;
}

export interface Lane {
  /** Queues a ticket or refuses it at once. Every ticket ends in exactly one `take` or one `refuse`. */
  offer(ticket: Ticket): void;
  /** Drops what waits and aborts what runs where `matches` says so: its message is gone. */
  discard(matches: (ticket: Ticket) => boolean): void;
  /** When the bot last answered a viewer; null where it did not, or where its last turn with them stayed silent. */
  lastExchange(channel: string, userId: string): number | null;
  /** Refuses what waits, aborts what runs, and resolves when that ended. */
  close(): Promise<void>;
}

const WAITING_MAX = 5;
const STALE_AFTER_MS = 25_000;
/** An account that answers this fast, this often in a row, is taken for another bot. */
const FAST_ANSWER_MS = 2_000;
const FAST_EXCHANGES_MAX = 3;
/** Exchanges kept in memory for cooldowns; the oldest go first. */
const EXCHANGES_MAX = 5_000;

interface ChannelLane {
  waiting: Ticket[];
  current: { readonly ticket: Ticket; readonly abort: AbortController } | null;
  /** Resolves when nothing waits any more; null while idle. */
  draining: Promise<void> | null;
  freeAtMs: number;
}

interface LastExchange {
  isAnswered: boolean;
  startedAtMs: number;
  endedAtMs: number;
  fastInARow: number;
}

/** Order and pace of turns: one at a time in a channel, the newest of a viewer, none older than 25 s. */
export function replyLane(options: LaneOptions): Lane {
  const lanes = new Map<string, ChannelLane>();
  const exchanges = startExchanges(options.earlier);
  let closing = false;

  const lastOf = (ticket: Ticket) => knownExchange(exchanges, ticket, options.pseudonym);
  const cooling = (ticket: Ticket): boolean => {
    const last = lastOf(ticket);
    return last !== undefined && options.now() - last.startedAtMs < options.viewerCooldownMs;
  };
  const refusal = (ticket: Ticket): RefusedBecause | null => {
    if (closing) return "closing";
    if (options.now() - ticket.atMs > STALE_AFTER_MS) return "stale";
    if (cooling(ticket)) return "viewer_cooldown";
    return fastInARow(lastOf(ticket), ticket) > FAST_EXCHANGES_MAX ? "loop" : null;
  };
  /** What fails in here (a full disk) must neither stop the lane nor reach whoever offered. */
  const refuse = (ticket: Ticket, reason: RefusedBecause): void => {
    try {
      options.refuse(ticket, reason);
    } catch (thrown) {
      options.onBug(thrown);
    }
  };
  const takeOrRefuse = async (lane: ChannelLane, ticket: Ticket): Promise<void> => {
    const reason = refusal(ticket);
    if (reason !== null) return refuse(ticket, reason);
    const exchange = beginExchange(exchanges, ticket, options.now());
    const abort = new AbortController();
    lane.current = { ticket, abort };
    try {
      exchange.isAnswered = await options.take(ticket, abort.signal);
    } catch (thrown) {
      options.onBug(thrown);
    }
    lane.current = null;
    exchange.endedAtMs = options.now();
    lane.freeAtMs = options.now() + options.channelCooldownMs;
  };
  const drain = async (lane: ChannelLane): Promise<void> => {
    while (lane.waiting.length > 0) {
      await options.wait(Math.max(0, lane.freeAtMs - options.now()));
      const ticket = lane.waiting.shift();
      if (ticket !== undefined) await takeOrRefuse(lane, ticket);
    }
    lane.draining = null;
  };

  return {
    offer: (ticket) => {
      const reason = refusal(ticket);
      if (reason !== null) return refuse(ticket, reason);
      const lane = laneOf(lanes, ticket.channel);
      const outs = makeRoom(lane, ticket);
      lane.waiting.push(ticket);
      for (const out of outs) refuse(out.ticket, out.reason);
      lane.draining ??= drain(lane);
    },
    discard: (matches) => {
      for (const lane of lanes.values()) {
        const removed = lane.waiting.filter(matches);
        lane.waiting = lane.waiting.filter((ticket) => !removed.includes(ticket));
        for (const ticket of removed) refuse(ticket, "removed");
        if (lane.current !== null && matches(lane.current.ticket))
          lane.current.abort.abort("removed");
      }
    },
    lastExchange: (channel, userId) => {
      const last = exchanges.get(key({ channel, userId }));
      return last?.isAnswered === true ? last.endedAtMs : null;
    },
    close: async () => {
      closing = true;
      for (const lane of lanes.values()) {
        for (const ticket of lane.waiting.splice(0)) refuse(ticket, "closing");
        lane.current?.abort.abort("closing");
      }
      await Promise.all([...lanes.values()].map(({ draining }) => draining));
    },
  };
}

function makeRoom(
  lane: ChannelLane,
  ticket: Ticket,
): { ticket: Ticket; reason: "superseded" | "queue_full" }[] {
  const older = lane.waiting.filter(({ userId }) => userId === ticket.userId);
  lane.waiting = lane.waiting.filter(({ userId }) => userId !== ticket.userId);
  const overflow = lane.waiting.splice(0, Math.max(0, lane.waiting.length + 1 - WAITING_MAX));
  return [
    ...older.map((out) => ({ ticket: out, reason: "superseded" as const })),
    ...overflow.map((out) => ({ ticket: out, reason: "queue_full" as const })),
  ];
}

function beginExchange(
  exchanges: Map<string, LastExchange>,
  ticket: Ticket,
  nowMs: number,
): LastExchange {
  const fast = fastInARow(exchanges.get(key(ticket)), ticket);
  const exchange = { isAnswered: false, startedAtMs: nowMs, endedAtMs: nowMs, fastInARow: fast };
  remember(exchanges, key(ticket), exchange);
  return exchange;
}

/** The last one, also where the viewer was forgotten since. */
function knownExchange(
  exchanges: ReadonlyMap<string, LastExchange>,
  { channel, userId }: Ticket,
  pseudonym: LaneOptions["pseudonym"],
): LastExchange | undefined {
  const known = exchanges.get(key({ channel, userId }));
  if (known !== undefined || pseudonym === undefined) return known;
  return exchanges.get(key({ channel, userId: pseudonym(userId) }));
}

function fastInARow(last: LastExchange | undefined, ticket: Ticket): number {
  if (last === undefined) return 1;
  // What was said before the answer came does not answer it: somebody is impatient, not a bot.
  const tookMs = ticket.atMs - last.endedAtMs;
  return tookMs > 0 && tookMs <= FAST_ANSWER_MS ? last.fastInARow + 1 : 1;
}

function laneOf(lanes: Map<string, ChannelLane>, channel: string): ChannelLane {
  const lane = lanes.get(channel) ?? { waiting: [], current: null, draining: null, freeAtMs: 0 };
  lanes.set(channel, lane);
  return lane;
}

function startExchanges(earlier: readonly Exchange[]): Map<string, LastExchange> {
  const exchanges = new Map<string, LastExchange>();
  for (const { channel, userId, atMs } of earlier) {
    remember(exchanges, key({ channel, userId }), {
      isAnswered: true,
      startedAtMs: atMs,
      endedAtMs: atMs,
      fastInARow: 1,
    });
  }
  return exchanges;
}

function remember(exchanges: Map<string, LastExchange>, at: string, exchange: LastExchange): void {
  exchanges.delete(at);
  exchanges.set(at, exchange);
  const oldest = exchanges.keys().next();
  if (exchanges.size > EXCHANGES_MAX && oldest.done === false) exchanges.delete(oldest.value);
}

function key(who: { readonly channel: string; readonly userId: string }): string {
  return `${who.channel} ${who.userId}`;
}
