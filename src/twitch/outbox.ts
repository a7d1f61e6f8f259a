import { steadyClock } from "../platform/steady-clock.ts";
import { type Carriers, deliver, type Offer, type Outcome } from "./delivery.ts";
import { privmsgLine } from "./privmsg.ts";
import { type SendWindow, sendWindow } from "./send-window.ts";
import { wait as realWait, type Wait } from "./wait.ts";

export type { Outcome };

export interface OutboxOptions extends Carriers {
  readonly wait?: Wait;
  readonly limits?: Partial<OutboxLimits>;
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

export interface Outbox {
  /** Sends `offer` once, or not at all, as soon as Twitch's limits allow. Never rejects. */
  offer(offer: Offer): Promise<Outcome>;
  /** How long until Twitch's window has room for one more message to a channel that leaves so many to others, ms. */
  delayMs(channel: string, leaves: number): number;
  /** Whether the bot is moderator or broadcaster in a channel; at first it is not. */
  setRole(channel: string, elevated: boolean): void;
  /** Lets what waits expire. Resolves when nothing is being sent any more. */
  close(): Promise<void>;
}

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
  /** When its time is over, by the steady clock: a clock that is set back or forth keeps nothing alive. */
  readonly endsAtMs: number;
  readonly resolve: (outcome: Outcome) => void;
  /** Aborted once it no longer waits: it is being sent, or settled. */
  readonly waiting: AbortController;
}

interface Lane {
  readonly jobs: Job[];
  elevated: boolean;
  lastAtMs: number;
  /** When each text was last said. */
  readonly saidAtMs: Map<string, number>;
  /** Ends the wait for a slot early, to look again. */
  wake: AbortController;
  /** The work on its jobs, while there is any. */
  running: Promise<void> | null;
}

interface Post {
  readonly options: OutboxOptions;
  readonly limits: OutboxLimits;
  readonly window: SendWindow;
  readonly lanes: Map<string, Lane>;
  readonly wait: Wait;
  /** For the limits, and for how long a message is worth sending. */
  readonly steadyNow: () => number;
}

/** A queue a channel, over one window for the account: a slow channel does not delay another. */
export function openOutbox(options: OutboxOptions): Outbox {
  const limits = { ...LIMITS, ...options.limits };
  const post: Post = {
    options,
    limits,
    window: sendWindow(limits.windowMs),
    lanes: new Map(),
    wait: options.wait ?? realWait,
    steadyNow: steadyClock(options.now),
  };
  const { lanes } = post;
  let closed = false;

  function laneOf(channel: string): Lane {
    const lane = lanes.get(channel) ?? newLane();
    lanes.set(channel, lane);
    return lane;
  }

  return {
    offer: async (offer) => {
      if (privmsgLine(offer) === null) return { kind: "failed", reason: "unsafe_text" };
      if (closed) return { kind: "expired" };
      const lane = laneOf(offer.channel);
      if (lane.jobs.length >= limits.waitingMax) return { kind: "failed", reason: "queue_full" };
      return await enqueue(post, lane, offer);
    },
    delayMs: (channel, leaves) => windowDelayMs(post, laneOf(channel), leaves, post.steadyNow()),
    setRole: (channel, elevated) => {
      const lane = laneOf(channel);
      lane.elevated = elevated;
      lane.wake.abort();
    },
    close: async () => {
      closed = true;
      for (const lane of lanes.values()) {
        const waiting = lane.jobs.filter((job) => !job.waiting.signal.aborted);
        for (const job of waiting) settle(lane, job, { kind: "expired" });
      }
      await Promise.all([...lanes.values()].map((lane) => lane.running));
    },
  };
}

function newLane(): Lane {
  return {
    jobs: [],
    elevated: false,
    lastAtMs: Number.NEGATIVE_INFINITY,
    saidAtMs: new Map(),
    wake: new AbortController(),
    running: null,
  };
}

function enqueue(post: Post, lane: Lane, offer: Offer): Promise<Outcome> {
  return new Promise((resolve) => {
    const lifeMs = offer.expiresAtMs - post.options.now();
    const endsAtMs = post.steadyNow() + lifeMs;
    const job: Job = { offer, endsAtMs, resolve, waiting: new AbortController() };
    lane.jobs.push(job);
    void expireInTime(post, lane, job);
    lane.running ??= work(post, lane);
  });
}

async function expireInTime({ steadyNow, wait }: Post, lane: Lane, job: Job): Promise<void> {
  const { signal } = job.waiting;
  while (!signal.aborted && steadyNow() < job.endsAtMs) {
    await wait(job.endsAtMs - steadyNow(), signal);
  }
  if (!signal.aborted) settle(lane, job, { kind: "expired" });
}

async function work(post: Post, lane: Lane): Promise<void> {
  // Yields first, so that `running` is set before the work can end.
  await null;
  for (let job = lane.jobs[0]; job !== undefined; job = lane.jobs[0]) await attend(post, lane, job);
  lane.running = null;
}

/** Waits for the job's slot and sends it, unless it is settled meanwhile. */
async function attend(post: Post, lane: Lane, job: Job): Promise<void> {
  while (!job.waiting.signal.aborted) {
    if (post.steadyNow() >= job.endsAtMs) return settle(lane, job, { kind: "expired" });
    if (wasSaid(post, lane, job.offer.text)) return settle(lane, job, { kind: "duplicate" });
    const delayMs = slotDelayMs(post, lane, job.offer.leaves);
    if (delayMs === 0) {
      job.waiting.abort();
      return settle(lane, job, await sendInSlot(post, lane, job.offer));
    }
    lane.wake = new AbortController();
    await post.wait(delayMs, lane.wake.signal);
  }
}

function settle(lane: Lane, job: Job, outcome: Outcome): void {
  const at = lane.jobs.indexOf(job);
  if (at >= 0) lane.jobs.splice(at, 1);
  job.waiting.abort();
  lane.wake.abort();
  job.resolve(outcome);
}

function wasSaid({ limits, steadyNow }: Post, lane: Lane, text: string): boolean {
  const nowMs = steadyNow();
  for (const [said, atMs] of lane.saidAtMs) {
    if (nowMs - atMs >= limits.sameTextMs) lane.saidAtMs.delete(said);
  }
  return lane.saidAtMs.has(sameText(text));
}

function sameText(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

function slotDelayMs(post: Post, lane: Lane, leaves = 0): number {
  const { limits, steadyNow } = post;
  const nowMs = steadyNow();
  const byWindow = windowDelayMs(post, lane, leaves, nowMs);
  return Math.max(0, lane.lastAtMs + limits.channelGapMs - nowMs, byWindow);
}

function windowDelayMs(
  { limits, window }: Post,
  lane: Lane,
  leaves: number,
  nowMs: number,
): number {
  return window.delayMs(Math.max(1, maxIn(limits, lane) - leaves), nowMs);
}

function maxIn(limits: OutboxLimits, lane: Lane): number {
  return lane.elevated ? limits.elevatedMax : limits.ordinaryMax;
}

/** Takes the slot at once, before anything is awaited, so that no other channel can take it too. */
async function sendInSlot(post: Post, lane: Lane, offer: Offer): Promise<Outcome> {
  const slot = post.window.begin(maxIn(post.limits, lane));
  const outcome = await deliver(post.options, offer);
  if (outcome.kind === "withdrawn") {
    slot.release();
  } else {
    // By the end of the attempt, since nobody knows when in between Twitch counted it.
    lane.lastAtMs = post.steadyNow();
    slot.settle(lane.lastAtMs);
  }
  if (outcome.kind === "sent" || outcome.kind === "unknown") {
    lane.saidAtMs.set(sameText(offer.text), lane.lastAtMs);
  }
  for (const other of post.lanes.values()) other.wake.abort();
  return outcome;
}
