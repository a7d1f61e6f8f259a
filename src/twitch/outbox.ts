import { type BoundedMap, boundedMap } from "../bounded-map.ts";
import { wait as realWait, type Wait } from "./bounded-call.ts";
import { privmsgLine } from "./chat.ts";
import { type Carriers, type DeliveryOutcome, deliver, type Offer } from "./delivery.ts";

export type { DeliveryOutcome };

export interface OutboxOptions extends Carriers {
  readonly wait?: Wait;
  readonly limits?: Partial<OutboxLimits>;
  /** When the account sent something before this process, oldest first: Twitch's window knows no restart. */
  readonly earlierSendsAtMs?: readonly number[] | undefined;
}

interface OutboxLimits {
  readonly windowMs: number;
  /** Messages of the account in any window, before one to a channel where it is an ordinary user. */
  readonly ordinaryMax: number;
  /** The same, before one to a channel where it is moderator or broadcaster. */
  readonly elevatedMax: number;
  readonly channelGapMs: number;
  readonly sameTextMs: number;
  /** Messages waiting for one channel. */
  readonly waitingMax: number;
}

export type Outbox = ReturnType<typeof openOutbox>;

/**
 * Twitch's limits: 20 messages in 30 s, 100 as moderator or broadcaster, one a second in a channel, no text twice in
 * 30 s (https://dev.twitch.tv/docs/chat/#rate-limits). The margins are for messages that bunch up on their way:
 * above the limit Twitch ignores the account for 30 minutes.
 */
const LIMITS: OutboxLimits = {
  windowMs: 30_500,
  ordinaryMax: 20,
  elevatedMax: 100,
  channelGapMs: 1_100,
  sameTextMs: 30_500,
  waitingMax: 20,
};

interface Job {
  readonly offer: Offer;
  readonly resolve: (outcome: DeliveryOutcome) => void;
  /** Aborted once it no longer waits: it is being sent, or settled. */
  readonly waiting: AbortController;
}

interface ChannelQueue {
  readonly jobs: Job[];
  elevated: boolean;
  lastAtMs: number;
  /** The texts said last. */
  readonly said: BoundedMap<string, true>;
  /** Ends the wait for a slot early, to look again. */
  wake: AbortController;
  /** The work on its jobs, while there is any. */
  running: Promise<void> | null;
}

/** More than Twitch lets through in half a minute. */
const SAID_MAX = 100;

interface Post {
  readonly options: OutboxOptions;
  readonly limits: OutboxLimits;
  readonly window: ReturnType<typeof sendWindow>;
  readonly queues: Map<string, ChannelQueue>;
  readonly wait: Wait;
}

/** An abort without a reason makes an error of its own, with a stack. */
const OVER = "over";

/** A queue a channel, over one window for the account: a slow channel does not delay another. */
export function openOutbox(options: OutboxOptions) {
  const limits = { ...LIMITS, ...options.limits };
  const post: Post = {
    options,
    limits,
    window: sendWindow(limits.windowMs, options.earlierSendsAtMs ?? []),
    queues: new Map(),
    wait: options.wait ?? realWait,
  };
  const { queues } = post;
  let closed = false;

  function queueOf(channel: string): ChannelQueue {
    const queue = queues.get(channel) ?? newQueue(limits.sameTextMs);
    queues.set(channel, queue);
    return queue;
  }

  return {
    /** Sends `offer` once, or not at all, as soon as Twitch's limits allow. Never rejects. */
    offer: async (offer: Offer): Promise<DeliveryOutcome> => {
      if (privmsgLine(offer) === null) return { kind: "failed", reason: "unsafe_text" };
      if (closed) return { kind: "expired" };
      const queue = queueOf(offer.channel);
      if (queue.jobs.length >= limits.waitingMax) return { kind: "failed", reason: "queue_full" };
      return await enqueue(post, queue, offer);
    },
    /** How long until Twitch's window has room for one more message to a channel that leaves so many to others, ms. */
    delayMs: (channel: string, leaves: number): number =>
      windowDelayMs(post, queueOf(channel), leaves, post.options.now()),
    /** Whether the bot is moderator or broadcaster in a channel; at first it is not. */
    setRole: (channel: string, elevated: boolean): void => {
      const queue = queueOf(channel);
      queue.elevated = elevated;
      queue.wake.abort(OVER);
    },
    /** Lets what waits expire. Resolves when nothing is being sent any more. */
    close: async (): Promise<void> => {
      closed = true;
      for (const queue of queues.values()) {
        const waiting = queue.jobs.filter((job) => !job.waiting.signal.aborted);
        for (const job of waiting) settle(queue, job, { kind: "expired" });
      }
      await Promise.all([...queues.values()].map((queue) => queue.running));
    },
  };
}

function newQueue(sameTextMs: number): ChannelQueue {
  return {
    jobs: [],
    elevated: false,
    lastAtMs: Number.NEGATIVE_INFINITY,
    said: boundedMap(SAID_MAX, sameTextMs),
    wake: new AbortController(),
    running: null,
  };
}

function enqueue(post: Post, queue: ChannelQueue, offer: Offer): Promise<DeliveryOutcome> {
  return new Promise((resolve) => {
    const job: Job = { offer, resolve, waiting: new AbortController() };
    queue.jobs.push(job);
    // The first one looks at the clock by itself.
    if (queue.running !== null) void expireInTime(post, queue, job);
    queue.running ??= work(post, queue);
  });
}

async function expireInTime({ options, wait }: Post, queue: ChannelQueue, job: Job): Promise<void> {
  const { signal } = job.waiting;
  const { expiresAtMs } = job.offer;
  while (!signal.aborted && options.now() < expiresAtMs) {
    await wait(expiresAtMs - options.now(), signal);
  }
  if (!signal.aborted) settle(queue, job, { kind: "expired" });
}

async function work(post: Post, queue: ChannelQueue): Promise<void> {
  // Yields first, so that `running` is set before the work can end.
  await null;
  for (let job = queue.jobs[0]; job !== undefined; job = queue.jobs[0])
    await attend(post, queue, job);
  queue.running = null;
}

/** Waits for the job's slot and sends it, unless it is settled meanwhile. */
async function attend(post: Post, queue: ChannelQueue, job: Job): Promise<void> {
  while (!job.waiting.signal.aborted) {
    if (post.options.now() >= job.offer.expiresAtMs) return settle(queue, job, { kind: "expired" });
    if (queue.said.get(sameText(job.offer.text), post.options.now()))
      return settle(queue, job, { kind: "duplicate" });
    const delayMs = slotDelayMs(post, queue, job.offer.leaves);
    if (delayMs === 0) {
      job.waiting.abort(OVER);
      return settle(queue, job, await sendInSlot(post, queue, job.offer));
    }
    queue.wake = new AbortController();
    const leftMs = job.offer.expiresAtMs - post.options.now();
    await post.wait(Math.min(delayMs, leftMs), queue.wake.signal);
  }
}

function settle(queue: ChannelQueue, job: Job, outcome: DeliveryOutcome): void {
  const at = queue.jobs.indexOf(job);
  if (at >= 0) queue.jobs.splice(at, 1);
  job.waiting.abort(OVER);
  queue.wake.abort(OVER);
  job.resolve(outcome);
}

function sameText(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

function slotDelayMs(post: Post, queue: ChannelQueue, leaves = 0): number {
  const { limits, options } = post;
  const nowMs = options.now();
  const byWindow = windowDelayMs(post, queue, leaves, nowMs);
  return Math.max(0, queue.lastAtMs + limits.channelGapMs - nowMs, byWindow);
}

function windowDelayMs(
  { limits, window }: Post,
  queue: ChannelQueue,
  leaves: number,
  nowMs: number,
): number {
  return window.delayMs(Math.max(1, maxIn(limits, queue) - leaves), nowMs);
}

function maxIn(limits: OutboxLimits, queue: ChannelQueue): number {
  return queue.elevated ? limits.elevatedMax : limits.ordinaryMax;
}

/** Takes the slot at once, before anything is awaited, so that no other channel can take it too. */
async function sendInSlot(post: Post, queue: ChannelQueue, offer: Offer): Promise<DeliveryOutcome> {
  const slot = post.window.begin(maxIn(post.limits, queue));
  const outcome = await deliver(post.options, offer);
  if (outcome.kind === "withdrawn") {
    slot.release();
  } else {
    // By the end of the attempt, since nobody knows when in between Twitch counted it.
    queue.lastAtMs = post.options.now();
    slot.settle(queue.lastAtMs);
  }
  if (outcome.kind === "sent" || outcome.kind === "unknown") {
    queue.said.set(sameText(offer.text), true, queue.lastAtMs);
  }
  for (const other of post.queues.values()) other.wake.abort(OVER);
  return outcome;
}

/** A send that began; it counts as now until `settle` says when it was through. */
interface SendSlot {
  settle(atMs: number): void;
  /** Nothing was sent after all. */
  release(): void;
}

/** The account's sends of the last `windowMs`, over all channels. */
function sendWindow(windowMs: number, earlierSendsAtMs: readonly number[]) {
  const maxOfUnderWay = new Map<SendSlot, number>();
  /** Ascending. */
  let settledAtMs = [...earlierSendsAtMs];
  return {
    /** How long until one more send makes at most `max` in the window, ms; 0: now. */
    delayMs: (max: number, nowMs: number): number => {
      settledAtMs = settledAtMs.filter((atMs) => nowMs - atMs < windowMs);
      // Nobody knows when one under way will count: what overtakes it must leave it room.
      const lowestMax = Math.min(max, ...maxOfUnderWay.values());
      const surplus = settledAtMs.length + maxOfUnderWay.size - lowestMax;
      return surplus < 0 ? 0 : (settledAtMs[surplus] ?? nowMs) + windowMs - nowMs;
    },
    /** Begins a send that may be the `max`th in the window. */
    begin: (max: number): SendSlot => {
      const slot: SendSlot = {
        settle: (atMs) => {
          if (maxOfUnderWay.delete(slot)) settledAtMs.push(atMs);
        },
        release: () => {
          maxOfUnderWay.delete(slot);
        },
      };
      maxOfUnderWay.set(slot, max);
      return slot;
    },
  };
}
