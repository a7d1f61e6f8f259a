import { type BoundedMap, createBoundedMap } from "../bounded-map.ts";
import { wait as realWait, type Wait } from "./bounded-call.ts";
import { type DeliveryOutcome, deliver, type Offer, type SendRoutes } from "./delivery.ts";
import { makePrivmsg } from "./wire.ts";

/** Takes messages to send. */
export interface Sender {
  readonly offer: Outbox["offer"];
}

/**
 * Twitch's limits: 20 messages in 30 s, 100 as moderator or broadcaster, one a second in a channel, no text twice in
 * 30 s (https://dev.twitch.tv/docs/chat/#rate-limits). Above them Twitch ignores the account for 30 minutes. The margins
 * are for messages that bunch up on their way.
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
  /** Aborted when the job no longer waits: it is being sent, or settled. */
  readonly waiting: AbortController;
}

interface ChannelQueue {
  readonly jobs: Job[];
  /** The bot is moderator or broadcaster in the channel. */
  isElevated: boolean;
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
  readonly #window: ReturnType<typeof openSendWindow>;
  readonly #queues = new Map<string, ChannelQueue>();
  readonly #now: () => number;
  readonly #wait: Wait;
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#window = openSendWindow(this.#limits.windowMs);
    this.#now = options.now;
    this.#wait = options.wait ?? realWait;
  }

  /** Sends a message at most once, as soon as Twitch's limits allow. Never rejects. */
  async offer(offer: Offer): Promise<DeliveryOutcome> {
    const outcome = await this.#enqueue(offer);
    this.#options.onOutcome?.(offer.channel, outcome);
    return outcome;
  }

  /** Returns the wait, ms, until the window has room for one more message that leaves `leaves` sends to others. */
  delayMs(channel: string, leaves: number): number {
    return this.#windowDelayMs(this.#queueOf(channel), leaves);
  }

  /** Records whether the bot is moderator or broadcaster in a channel. At first it is not. */
  setRole(channel: string, isElevated: boolean): void {
    const queue = this.#queueOf(channel);
    queue.isElevated = isElevated;
    queue.wake.abort(OVER);
  }

  /** Expires waiting messages. Resolves when the last send has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) {
      const waiting = queue.jobs.filter((job) => !job.waiting.signal.aborted);
      for (const job of waiting) settle(queue, job, { kind: "expired" });
    }
    await Promise.all([...this.#queues.values()].map((queue) => queue.running));
  }

  #queueOf(channel: string): ChannelQueue {
    const queue = this.#queues.get(channel) ?? {
      jobs: [],
      isElevated: false,
      lastAtMs: Number.NEGATIVE_INFINITY,
      sentTexts: createBoundedMap(SENT_TEXTS_MAX, this.#limits.sameTextMs),
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
    if (queue.jobs.length >= this.#limits.waitingMax)
      return { kind: "failed", reason: "queue_full" };
    return new Promise((resolve) => {
      const job: Job = { offer, resolve, waiting: new AbortController() };
      queue.jobs.push(job);
      // `#work` watches the expiry of the first job.
      if (queue.running !== null) void this.#expireInTime(queue, job);
      queue.running ??= this.#work(queue);
    });
  }

  async #expireInTime(queue: ChannelQueue, job: Job): Promise<void> {
    const { signal } = job.waiting;
    const { expiresAtMs } = job.offer;
    while (!signal.aborted && this.#now() < expiresAtMs)
      await this.#wait(expiresAtMs - this.#now(), signal);
    if (!signal.aborted) settle(queue, job, { kind: "expired" });
  }

  async #work(queue: ChannelQueue): Promise<void> {
    // Yields first, so that `running` is set before the work can end.
    await null;
    for (let job = queue.jobs[0]; job !== undefined; job = queue.jobs[0])
      await this.#sendWhenFree(queue, job);
    queue.running = null;
  }

  /** Waits for the job's slot and sends it, unless it is settled before. */
  async #sendWhenFree(queue: ChannelQueue, job: Job): Promise<void> {
    const { offer, waiting } = job;
    while (!waiting.signal.aborted) {
      const nowMs = this.#now();
      if (nowMs >= offer.expiresAtMs) return settle(queue, job, { kind: "expired" });
      if (queue.sentTexts.get(toSameText(offer.text), nowMs))
        return settle(queue, job, { kind: "duplicate" });
      const gapMs = queue.lastAtMs + this.#limits.channelGapMs - nowMs;
      const delayMs = Math.max(0, gapMs, this.#windowDelayMs(queue, offer.leaves ?? 0));
      if (delayMs === 0) {
        waiting.abort(OVER);
        return settle(queue, job, await this.#send(queue, offer));
      }
      queue.wake = new AbortController();
      await this.#wait(Math.min(delayMs, offer.expiresAtMs - this.#now()), queue.wake.signal);
    }
  }

  /** Takes the slot before anything is awaited, so that no other channel can take it too. */
  async #send(queue: ChannelQueue, offer: Offer): Promise<DeliveryOutcome> {
    const slot = this.#window.begin(this.#maxIn(queue));
    const outcome = await deliver(this.#options, offer);
    if (outcome.kind === "withdrawn") slot.release();
    else {
      // The end of the attempt counts: Twitch may have counted it then.
      queue.lastAtMs = this.#now();
      slot.settle(queue.lastAtMs);
    }
    if (outcome.kind === "sent" || outcome.kind === "unknown")
      queue.sentTexts.set(toSameText(offer.text), true, queue.lastAtMs);
    for (const other of this.#queues.values()) other.wake.abort(OVER);
    return outcome;
  }

  #windowDelayMs(queue: ChannelQueue, leaves: number): number {
    return this.#window.delayMs(Math.max(1, this.#maxIn(queue) - leaves), this.#now());
  }

  #maxIn({ isElevated }: ChannelQueue): number {
    return isElevated ? this.#limits.elevatedMax : this.#limits.ordinaryMax;
  }
}

function settle(queue: ChannelQueue, job: Job, outcome: DeliveryOutcome): void {
  const at = queue.jobs.indexOf(job);
  if (at >= 0) queue.jobs.splice(at, 1);
  job.waiting.abort(OVER);
  queue.wake.abort(OVER);
  job.resolve(outcome);
}

function toSameText(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** Counts the account's sends of the last `windowMs`, over all channels. */
function openSendWindow(windowMs: number) {
  /** Limits of the sends in progress, by slot. */
  const pending = new Map<object, number>();
  /** Ascending. */
  let settledAtMs: number[] = [];
  return {
    /** Returns the wait, ms, until one more send makes at most `max` in the window. 0: now. */
    delayMs: (max: number, nowMs: number): number => {
      settledAtMs = settledAtMs.filter((atMs) => nowMs - atMs < windowMs);
      // A send in progress may count later, so its limit also holds for sends that overtake it.
      const lowestMax = Math.min(max, ...pending.values());
      const surplus = settledAtMs.length + pending.size - lowestMax;
      return surplus < 0 ? 0 : (settledAtMs[surplus] ?? nowMs) + windowMs - nowMs;
    },
    /** Begins a send that may be the `max`th in the window. It counts as now until it is settled. */
    begin: (max: number) => {
      const slot = {
        settle: (atMs: number): void => {
          if (pending.delete(slot)) settledAtMs.push(atMs);
        },
        /** Frees the slot: the message was withdrawn. */
        release: (): void => void pending.delete(slot),
      };
      pending.set(slot, max);
      return slot;
    },
  };
}
