import { type BackoffLimits, calculateBackoffMs } from "../clock.ts";
import type { Fault } from "../errors.ts";
import { getChannel, getNick, type WireMessage } from "./wire.ts";

export interface JoinTimings {
  /** Time between two JOINs. Twitch allows 20 in any 10 s. */
  readonly joinSpacingMs: number;
  /** Twitch must acknowledge a JOIN within this time. */
  readonly joinAckMs: number;
  /** After this silence a channel is joined again: Twitch may have removed the bot without a notice. */
  readonly channelIdleMs: number;
  readonly joinBackoff: BackoffLimits;
}

export type JoinState =
  | { readonly kind: "joined"; readonly channel: string }
  | {
      readonly kind: "join_failed";
      readonly channel: string;
      /** `no_answer`, `no_state`, `parted`, or the id of Twitch's notice. */
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

/** Presence of the bot in a channel. `verifying`: it is joined, and joins again to make sure. */
type Presence = "joined" | "verifying";

/** Keeps every channel joined through any number of connections, within Twitch's limit. Sends nothing before `start`. */
export function keepJoined(options: {
  readonly channels: readonly string[];
  readonly timings: JoinTimings;
  readonly anonymous: boolean;
  readonly random: () => number;
  readonly send: (line: string) => void;
  readonly onState: (state: JoinState) => void;
}) {
  const { timings, send } = options;
  const wanted = new Set(options.channels);
  const presences = new Map<string, Presence>();
  const failures = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Channels whose JOIN Twitch repeated without stating their state. */
  const echoed = new Set<string>();
  let nick = "";

  const queue = openSpacedQueue(timings.joinSpacingMs, (channel) => {
    // Twitch states a room's state only after a join, so the bot leaves first.
    if (presences.has(channel)) {
      presences.set(channel, "verifying");
      send(`PART #${channel}`);
    }
    send(`JOIN #${channel}`);
    echoed.delete(channel);
    setTimer(timers, channel, timings.joinAckMs, () =>
      fail(channel, echoed.has(channel) ? "no_state" : "no_answer"),
    );
  });
  const fail = (channel: string, reason: string): void => {
    const before = failures.get(channel) ?? 0;
    failures.set(channel, before + 1);
    presences.delete(channel);
    const retryInMs = calculateBackoffMs(before, options.random(), timings.joinBackoff);
    setTimer(timers, channel, retryInMs, () => queue.add([channel]));
    options.onState({ kind: "join_failed", channel, reason, retryInMs });
  };
  const markJoined = (channel: string): void => {
    queue.drop(channel);
    failures.delete(channel);
    setTimer(timers, channel, timings.channelIdleMs, () => queue.add([channel]));
    const wasJoined = presences.has(channel);
    presences.set(channel, "joined");
    if (!wasJoined) options.onState({ kind: "joined", channel });
  };
  const stop = (): void => {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    presences.clear();
    queue.clear();
    nick = "";
  };
  return {
    joined: (): string[] => [...presences.keys()],
    isJoined: (channel: string): boolean => presences.has(channel),
    /** Joins every channel on a connection that is logged in under this name. */
    start: (as: string): void => {
      nick = as;
      queue.clear();
      queue.add([...wanted]);
    },
    receive: (message: WireMessage): void => {
      const channel = getChannel(message);
      if (!wanted.has(channel)) return;
      const isIn = presences.get(channel) === "joined";
      // Any message shows that the bot is still in the channel.
      if (isIn) timers.get(channel)?.refresh();
      const news = readNews(message, nick);
      // In a channel only leaving is news, and elsewhere leaving is not.
      if (isIn !== (news === "out")) return;
      switch (news) {
        case "echo":
          echoed.add(channel);
          // Without a log-in Twitch sends no USERSTATE.
          if (options.anonymous) markJoined(channel);
          return;
        case "in":
          markJoined(channel);
          return;
        case "out":
          fail(channel, "parted");
          return;
        case "refused":
          fail(channel, message.tags["msg-id"] ?? "");
          return;
        case null:
          return;
      }
    },
    /** Leaves a channel for good. */
    leave: (channel: string): void => {
      wanted.delete(channel);
      queue.drop(channel);
      clearTimeout(timers.get(channel));
      presences.delete(channel);
      if (nick !== "") send(`PART #${channel}`);
    },
    /** Joins a channel, and keeps it joined. */
    enter: (channel: string): void => {
      wanted.add(channel);
      if (nick !== "") queue.add([channel]);
    },
    /** Forgets every channel: the connection is lost. */
    stop,
    close: (): void => {
      stop();
      queue.close();
    },
  };
}

function setTimer(
  timers: Map<string, NodeJS.Timeout>,
  channel: string,
  waitMs: number,
  work: () => void,
): void {
  clearTimeout(timers.get(channel));
  timers.set(channel, setTimeout(work, waitMs));
}

/** Calls `work` for each channel in order, `spacingMs` apart. */
function openSpacedQueue(spacingMs: number, work: (channel: string) => void) {
  let waiting: string[] = [];
  let spacing: NodeJS.Timeout | null = null;
  const next = (): void => {
    const channel = spacing === null ? waiting.shift() : undefined;
    if (channel === undefined) return;
    work(channel);
    spacing = setTimeout(() => {
      spacing = null;
      next();
    }, spacingMs);
  };
  return {
    add: (channels: readonly string[]): void => {
      waiting.push(...channels);
      next();
    },
    drop: (channel: string): void => {
      waiting = waiting.filter((other) => other !== channel);
    },
    clear: (): void => {
      waiting = [];
    },
    close: (): void => {
      if (spacing !== null) clearTimeout(spacing);
    },
  };
}

/** Returns what a message says about our own presence in its channel; null if nothing. */
function readNews(message: WireMessage, nick: string): "in" | "echo" | "out" | "refused" | null {
  switch (message.command) {
    case "ROOMSTATE":
    case "USERSTATE":
      return "in";
    case "JOIN":
      return getNick(message.prefix) === nick ? "echo" : null;
    case "PART":
      return getNick(message.prefix) === nick ? "out" : null;
    case "NOTICE":
      return REFUSALS.has(message.tags["msg-id"] ?? "") ? "refused" : null;
    default:
      return null;
  }
}

/** Waits for the first joins. One channel that is misspelt or bans the bot must not delay the others for ever. */
export function awaitJoins(channels: number) {
  const settled = new Set<string>();
  let hasJoined = false;
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const joined = new Promise<void>((onJoined, onFault) => {
    resolve = onJoined;
    reject = onFault;
  });
  return {
    /** Resolves when one channel is joined and every other was tried. Rejects with the Fault that `fail` gets. */
    joined,
    settle: ({ kind, channel }: { readonly kind: JoinState["kind"]; readonly channel: string }) => {
      settled.add(channel);
      hasJoined ||= kind === "joined";
      if (hasJoined && settled.size >= channels) resolve();
    },
    fail: (fault: Fault): void => reject(fault),
  };
}
