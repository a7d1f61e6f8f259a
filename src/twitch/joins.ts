import { calculateBackoffMs } from "../clock.ts";
import type { Fault } from "../errors.ts";
import type { Timings } from "./connection.ts";
import { getChannel, getNick, type WireMessage } from "./wire.ts";

export type JoinState =
  | { readonly kind: "joined"; readonly channel: string }
  | {
      readonly kind: "join_failed";
      readonly channel: string;
      /** `no_answer`, `parted`, or the id of Twitch's notice. */
      readonly reason: string;
      readonly retryInMs: number;
    };

/** Notices that refuse a JOIN. */
const REFUSALS: ReadonlySet<string> = new Set([
  "msg_banned",
  "msg_channel_suspended",
  "msg_room_not_found",
  "tos_ban",
]);

interface Channel {
  readonly name: string;
  /** `verifying`: the bot is in the channel, and joins again to make sure. */
  presence: "out" | "joined" | "verifying";
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

interface JoinOptions {
  readonly channels: readonly string[];
  readonly timings: Timings;
  readonly isAnonymous: boolean;
  readonly random: () => number;
  readonly send: (line: string) => void;
  readonly onState: (state: JoinState) => void;
}

/**
 * Keeps every channel joined through any number of connections, within Twitch's limit. Sends nothing before `start`.
 */
export class ChannelJoins {
  readonly #options: JoinOptions;
  readonly #channels = new Map<string, Channel>();
  /** Channels to join, in order. */
  #waiting: Channel[] = [];
  /** Runs until the next JOIN is allowed. */
  #spacing: NodeJS.Timeout | null = null;
  /** The bot's name on this connection; "" without one. */
  #nick = "";

  constructor(options: JoinOptions) {
    this.#options = options;
    for (const name of options.channels) this.#add(name);
  }

  joined(): string[] {
    return [...this.#channels.keys()].filter((name) => this.isJoined(name));
  }

  isJoined(name: string): boolean {
    return (this.#channels.get(name)?.presence ?? "out") !== "out";
  }

  /** Joins every channel on a new connection, which is logged in under this name. */
  start(nick: string): void {
    this.#nick = nick;
    this.#waiting = [...this.#channels.values()];
    this.#joinNext();
  }

  receive(message: WireMessage): void {
    const channel = this.#channels.get(getChannel(message));
    if (channel === undefined) return;
    const isOwn = () => getNick(message.prefix) === this.#nick;
    if (channel.presence === "joined") {
      // Any message shows that the bot is still in the channel.
      channel.timer?.refresh();
      if (message.command === "PART" && isOwn()) this.#failAndRetry(channel, "parted");
      return;
    }
    switch (message.command) {
      case "ROOMSTATE":
      case "USERSTATE":
        this.#markJoined(channel);
        return;
      case "JOIN":
        // Without a log-in Twitch sends no USERSTATE.
        if (this.#options.isAnonymous && isOwn()) this.#markJoined(channel);
        return;
      case "NOTICE": {
        const reason = message.tags["msg-id"] ?? "";
        if (REFUSALS.has(reason)) this.#failAndRetry(channel, reason);
      }
    }
  }

  /** Leaves a channel, and does not join it again until `enter`. */
  leave(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    clearTimeout(channel.timer);
    this.#channels.delete(name);
    this.#waiting = this.#waiting.filter((other) => other !== channel);
    if (this.#nick !== "") this.#options.send(`PART #${name}`);
  }

  /** Joins a channel as soon as Twitch's limit allows, or after the next `start`, and keeps it joined. */
  enter(name: string): void {
    const channel = this.#add(name);
    if (this.#nick !== "") this.#enqueue(channel);
  }

  /** Counts every channel as left, and drops waiting JOINs: the connection is lost. Sends and reports nothing. */
  stop(): void {
    for (const channel of this.#channels.values()) {
      clearTimeout(channel.timer);
      channel.presence = "out";
    }
    this.#waiting = [];
    this.#nick = "";
  }

  close(): void {
    this.stop();
    if (this.#spacing !== null) clearTimeout(this.#spacing);
  }

  #add(name: string): Channel {
    const unjoined = { name, presence: "out", failures: 0, timer: undefined } as const;
    const channel: Channel = this.#channels.get(name) ?? { ...unjoined };
    this.#channels.set(name, channel);
    return channel;
  }

  #enqueue(channel: Channel): void {
    this.#waiting.push(channel);
    this.#joinNext();
  }

  #joinNext(): void {
    const channel = this.#spacing === null ? this.#waiting.shift() : undefined;
    if (channel === undefined) return;
    const { send, timings } = this.#options;
    // Twitch states a room's state only after a join, so the bot leaves first.
    if (channel.presence !== "out") {
      channel.presence = "verifying";
      send(`PART #${channel.name}`);
    }
    send(`JOIN #${channel.name}`);
    setTimer(channel, timings.joinAckMs, () => this.#failAndRetry(channel, "no_answer"));
    this.#spacing = setTimeout(() => {
      this.#spacing = null;
      this.#joinNext();
    }, timings.joinSpacingMs);
  }

  /** Counts a channel as left, reports `join_failed`, and plans another JOIN. */
  #failAndRetry(channel: Channel, reason: string): void {
    const { timings, random, onState } = this.#options;
    const retryInMs = calculateBackoffMs(channel.failures, random(), timings.joinBackoff);
    channel.failures += 1;
    channel.presence = "out";
    setTimer(channel, retryInMs, () => this.#enqueue(channel));
    onState({ kind: "join_failed", channel: channel.name, reason, retryInMs });
  }

  /**
   * Counts a channel as joined, and plans another JOIN if it falls silent. Reports `joined` unless it only was
   * verified.
   */
  #markJoined(channel: Channel): void {
    this.#waiting = this.#waiting.filter((other) => other !== channel);
    channel.failures = 0;
    setTimer(channel, this.#options.timings.channelIdleMs, () => this.#enqueue(channel));
    const wasOut = channel.presence === "out";
    channel.presence = "joined";
    if (wasOut) this.#options.onState({ kind: "joined", channel: channel.name });
  }
}

/** Replaces the channel's timer. */
function setTimer(channel: Channel, waitMs: number, work: () => void): void {
  clearTimeout(channel.timer);
  channel.timer = setTimeout(work, waitMs);
}

/** Waits for the first joins. One channel that is misspelt or bans the bot must not delay the others for ever. */
export class FirstJoins {
  /** Resolves when one channel is joined and every other was tried. Rejects with the Fault that `fail` gets. */
  readonly joined: Promise<void>;
  readonly #channels: number;
  readonly #settled = new Set<string>();
  #hasJoined = false;
  #resolve: () => void = () => undefined;
  #reject: (fault: Fault) => void = () => undefined;

  constructor(channels: number) {
    this.#channels = channels;
    this.joined = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Records that joining a channel succeeded or failed. */
  settle({ kind, channel }: { readonly kind: JoinState["kind"]; readonly channel: string }): void {
    this.#settled.add(channel);
    this.#hasJoined ||= kind === "joined";
    if (this.#hasJoined && this.#settled.size >= this.#channels) this.#resolve();
  }

  fail(fault: Fault): void {
    this.#reject(fault);
  }
}
