import { BoundedMap } from "../bounded-map.ts";
import { wait as realWait, type Wait } from "./bounded-call.ts";
import { type DeliveryOutcome, deliver, type Offer, type SendRoutes } from "./delivery.ts";
import { makePrivmsg } from "./wire.ts";

/** Takes messages to send. */
export interface Sender {
  readonly offer: Outbox["offer"];
}

/**
 * Twitch's limits (https://dev.twitch.tv/docs/chat/#rate-limits): 20 messages in 30 s, 100 as moderator, VIP or
 * streamer, one a second in a channel, no text twice in 30 s. Above them Twitch ignores the account for up to an hour.
 * The margins are for messages that bunch up on their way.
 */
const LIMITS = {
  windowMs: 30_500,
  ordinaryMax: 20,
  elevatedMax: 100,
  channelGapMs: 1_100,
  sameTextMs: 30_500,
  /** Messages waiting for one channel. */
  waitingMax: 20,
};

export interface OutboxOptions extends SendRoutes {
  readonly wait?: Wait;
  readonly limits?: Partial<typeof LIMITS>;
  /** Called with the outcome of each message. */
  readonly onOutcome?: (channel: string, outcome: DeliveryOutcome) => void;
}

interface Job {
  readonly offer: Offer;
  readonly resolve: (outcome: DeliveryOutcome) => void;
}

interface ChannelQueue {
  /** Messages that wait, without the one that is being sent. */
  readonly waiting: Job[];
  /** The bot is moderator, VIP or streamer in the channel. */
  isModVipOrStreamer: boolean;
  lastAtMs: number;
  readonly sentTexts: BoundedMap<string, true>;
  /** Ends the wait for a slot early. */
  wake: AbortController;
  /** The work on the jobs; null if there is none. */
  running: Promise<void> | null;
}

/** More texts than Twitch accepts in half a minute. */
const SENT_TEXTS_MAX = 100;
/** An abort without a reason makes an error with a stack. */
const OVER = "over";

/** Queues messages per channel, over one window for the account. A slow channel does not delay another. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #limits: typeof LIMITS;
  readonly #queues = new Map<string, ChannelQueue>();
  /** The sends in progress, by channel, each with its channel's limit in the window. */
  readonly #sending = new Map<ChannelQueue, number>();
  /** When the sends of the last `windowMs` ended, ascending. */
  #sentAtMs: number[] = [];
  readonly #now: () => number;
  readonly #wait: Wait;
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#now = options.now;
    this.#wait = options.wait ?? realWait;
  }

  /**
   * Sends a message as soon as Twitch's limits allow, and returns the outcome. Does not send one that expires first,
   * repeats a text, or is withdrawn. Fails at once if its text is unsafe, or if 20 wait in its channel. Never rejects.
   */
  async offer(offer: Offer): Promise<DeliveryOutcome> {
    const outcome = await this.#enqueue(offer);
    this.#options.onOutcome?.(offer.channel, outcome);
    return outcome;
  }

  /**
   * Returns the wait, ms, until the window has room for a message and `leaves` more; 0 if it has. Ignores waiting
   * messages, and the gap between two.
   */
  delayMs(channel: string, leaves: number): number {
    return this.#windowDelayMs(this.#queueOf(channel), leaves);
  }

  /** Records whether the bot is moderator, VIP or streamer in a channel, which raises its limit. At first it is not. */
  setRole(channel: string, isModVipOrStreamer: boolean): void {
    const queue = this.#queueOf(channel);
    queue.isModVipOrStreamer = isModVipOrStreamer;
    queue.wake.abort(OVER);
  }

  /** Expires waiting and later messages. Resolves when the last send has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) {
      for (const { resolve } of queue.waiting.splice(0)) resolve({ kind: "expired" });
      queue.wake.abort(OVER);
    }
    await Promise.all([...this.#queues.values()].map((queue) => queue.running));
  }

  #queueOf(channel: string): ChannelQueue {
    const queue = this.#queues.get(channel) ?? {
      waiting: [],
      isModVipOrStreamer: false,
      lastAtMs: Number.NEGATIVE_INFINITY,
      sentTexts: new BoundedMap(SENT_TEXTS_MAX, this.#limits.sameTextMs),
      wake: new AbortController(),
      running: null,
    };
    this.#queues.set(channel, queue);
    return queue;
  }

  async #enqueue(offer: Offer): Promise<DeliveryOutcome> {
    if (makePrivmsg(offer) === null) return { kind: "failed", reason: "unsafe_text" };
    if (this.#isClosed) return { kind: "expired" };
    const queue = this.#queueOf(offer.channel);
    if (queue.waiting.length >= this.#limits.waitingMax)
      return { kind: "failed", reason: "queue_full" };
    return new Promise((resolve) => {
      queue.waiting.push({ offer, resolve });
      queue.wake.abort(OVER);
      queue.running ??= this.#work(queue);
    });
  }

  /**
   * Sends a channel's messages one after the other, each as soon as Twitch's limits allow. Settles messages that expire
   * or repeat a text. Ends when no message is left.
   */
  async #work(queue: ChannelQueue): Promise<void> {
    const { waiting } = queue;
    // Yields first, so that `running` is set before the work can end.
    await null;
    while (waiting.length > 0 || this.#sending.has(queue)) {
      const nowMs = this.#now();
      for (const job of waiting.filter(({ offer }) => nowMs >= offer.expiresAtMs))
        settle(waiting, job, { kind: "expired" });
      const [first] = waiting;
      let delayMs = Number.POSITIVE_INFINITY;
      if (first !== undefined && !this.#sending.has(queue)) {
        if (queue.sentTexts.get(collapseSpaces(first.offer.text), nowMs)) {
          settle(waiting, first, { kind: "duplicate" });
          continue;
        }
        const gapMs = queue.lastAtMs + this.#limits.channelGapMs - nowMs;
        delayMs = Math.max(gapMs, this.#windowDelayMs(queue, first.offer.leaves ?? 0));
        if (delayMs <= 0) {
          void this.#send(queue, first);
          continue;
        }
      }
      queue.wake = new AbortController();
      const expiresInMs = waiting.map(({ offer }) => offer.expiresAtMs - nowMs);
      await this.#wait(Math.min(delayMs, ...expiresInMs), queue.wake.signal);
    }
    queue.running = null;
  }

  /**
   * Sends `job`, the first waiting message, and resolves its offer. An attempt counts in the window unless the message
   * was withdrawn. Reserves its place there before it awaits anything, so that no other channel can use it too.
   */
  async #send(queue: ChannelQueue, job: Job): Promise<void> {
    const { offer } = job;
    this.#sending.set(queue, this.#maxIn(queue));
    queue.waiting.shift();
    const outcome = await deliver(this.#options, offer);
    this.#sending.delete(queue);
    if (outcome.kind !== "withdrawn") {
      // The end of the attempt counts: Twitch may have counted it then.
      queue.lastAtMs = this.#now();
      this.#sentAtMs.push(queue.lastAtMs);
    }
    if (outcome.kind === "sent" || outcome.kind === "unknown")
      queue.sentTexts.set(collapseSpaces(offer.text), true, queue.lastAtMs);
    for (const other of this.#queues.values()) other.wake.abort(OVER);
    job.resolve(outcome);
  }

  /**
   * Returns the wait, ms, until a send in this channel keeps its limit and leaves `leaves` sends to others; 0 if it
   * does now. An empty window always has room for one. All channels share one window.
   */
  #windowDelayMs(queue: ChannelQueue, leaves: number): number {
    const { windowMs } = this.#limits;
    const nowMs = this.#now();
    this.#sentAtMs = this.#sentAtMs.filter((atMs) => nowMs - atMs < windowMs);
    // #sending holds the limit of each send in progress. Twitch may count that send after this one, so its limit binds
    // this one too.
    const max = Math.min(Math.max(1, this.#maxIn(queue) - leaves), ...this.#sending.values());
    const surplus = this.#sentAtMs.length + this.#sending.size - max;
    return surplus < 0 ? 0 : (this.#sentAtMs[surplus] ?? nowMs) + windowMs - nowMs;
  }

  /** The most sends of the bot in one window, all channels together, before it may send in this channel. */
  #maxIn({ isModVipOrStreamer }: ChannelQueue): number {
    return isModVipOrStreamer ? this.#limits.elevatedMax : this.#limits.ordinaryMax;
  }
}

/** Removes a job that is not sent from `waiting`, and resolves its offer. */
function settle(waiting: Job[], job: Job, outcome: DeliveryOutcome): void {
  waiting.splice(waiting.indexOf(job), 1);
  job.resolve(outcome);
}

function collapseSpaces(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
