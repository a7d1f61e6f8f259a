import { type BackoffLimits, backoffMs } from "../clock.ts";
import type { Fault } from "../errors.ts";
import type { WireMessage } from "./chat.ts";
import { channelOf, nickOf } from "./connection.ts";

export interface JoinTimings {
  /** Least time between two JOINs. Twitch allows 20 in any 10 s. */
  readonly joinSpacingMs: number;
  /** How long Twitch may take to acknowledge a JOIN before it is said to have failed. */
  readonly joinAckMs: number;
  /** Silence in a channel after which it is joined anew: Twitch may have dropped us from it without a word. */
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

export interface JoinOptions {
  readonly channels: readonly string[];
  readonly timings: JoinTimings;
  /** Without a log-in Twitch sends no USERSTATE. */
  readonly anonymous: boolean;
  readonly random: () => number;
  readonly send: (line: string) => void;
  readonly onState: (state: JoinState) => void;
}

/** Notices that answer a JOIN. */
const REFUSALS: ReadonlySet<string> = new Set([
  "msg_banned",
  "msg_channel_suspended",
  "msg_room_not_found",
  "tos_ban",
]);

/**
 * Keeps every channel joined, through any number of connections, and within Twitch's limit over all of them. Nothing is
 * sent before `start`.
 */
export function keepJoined(options: JoinOptions) {
  const { timings } = options;
  const joined = new Set<string>();
  const wanted = new Set(options.channels);
  const failures = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Twitch repeated our JOIN and has not told the state of the channel yet: it may send nothing else either. */
  const echoed = new Set<string>();
  /** Joined, as far as we know, and being joined anew since nothing was heard there. */
  const verifying = new Set<string>();
  let nick = "";

  const missing = (channel: string) => (echoed.has(channel) ? "no_state" : "no_answer");
  const queue = inTurn(timings.joinSpacingMs, (channel) => {
    // Of a channel that we are in, Twitch tells the state only to who comes in.
    if (joined.has(channel)) verifying.add(channel);
    if (joined.has(channel)) options.send(`PART #${channel}`);
    options.send(`JOIN #${channel}`);
    echoed.delete(channel);
    setTimer(timers, channel, timings.joinAckMs, () => fail(channel, missing(channel)));
  });
  const fail = (channel: string, reason: string) => {
    const before = failures.get(channel) ?? 0;
    failures.set(channel, before + 1);
    joined.delete(channel);
    verifying.delete(channel);
    const retryInMs = backoffMs(before, options.random(), timings.joinBackoff);
    setTimer(timers, channel, retryInMs, () => queue.add([channel]));
    options.onState({ kind: "join_failed", channel, reason, retryInMs });
  };
  const succeed = (channel: string) => {
    queue.drop(channel);
    failures.delete(channel);
    setTimer(timers, channel, timings.channelIdleMs, () => queue.add([channel]));
    if (verifying.delete(channel)) return;
    joined.add(channel);
    options.onState({ kind: "joined", channel });
  };
  const take = (channel: string, news: News, refusal: string) => {
    if (news === "echo") echoed.add(channel);
    if (news === "in" || (news === "echo" && options.anonymous)) succeed(channel);
    if (news === "out" || news === "refused") fail(channel, news === "out" ? "parted" : refusal);
  };
  const stop = () => {
    clearAll(timers);
    joined.clear();
    verifying.clear();
    queue.clear();
    nick = "";
  };
  return {
    joined: (): ReadonlySet<string> => joined,
    /** A connection is logged in under that name. */
    start(as: string) {
      nick = as;
      queue.clear();
      queue.add([...wanted]);
    },
    receive(message: WireMessage) {
      const news = newsOf(message, nick);
      const channel = channelOf(message);
      if (!wanted.has(channel)) return;
      const isVerifying = verifying.has(channel);
      // Whatever is heard there shows that we are in it.
      if (joined.has(channel) && !isVerifying) timers.get(channel)?.refresh();
      if (news === null) return;
      // Only leaving is news of a channel that we are in, and only leaving is none of another.
      const isIn = joined.has(channel) && !isVerifying;
      if (isIn !== (news === "out")) return;
      take(channel, news, message.tags["msg-id"] ?? "");
    },
    /** From now on a channel is not to be joined. */
    leave(channel: string) {
      wanted.delete(channel);
      queue.drop(channel);
      clearTimeout(timers.get(channel));
      joined.delete(channel);
      verifying.delete(channel);
      if (nick !== "") options.send(`PART #${channel}`);
    },
    /** From now on it is to be joined again. */
    enter(channel: string) {
      wanted.add(channel);
      if (nick !== "") queue.add([channel]);
    },
    /** The connection is gone, and every channel with it. */
    stop,
    close() {
      stop();
      queue.close();
    },
  };
}

/** Does `act` for each of what is added, one after the other, and `spacingMs` apart. */
function inTurn(spacingMs: number, act: (channel: string) => void) {
  let waiting: string[] = [];
  let spacing: NodeJS.Timeout | null = null;
  const next = (): void => {
    const channel = spacing === null ? waiting.shift() : undefined;
    if (channel === undefined) return;
    act(channel);
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

function setTimer(
  timers: Map<string, NodeJS.Timeout>,
  channel: string,
  waitMs: number,
  then: () => void,
): void {
  clearTimeout(timers.get(channel));
  timers.set(channel, setTimeout(then, waitMs));
}

function clearAll(timers: Map<string, NodeJS.Timeout>): void {
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
}

type News = "in" | "echo" | "out" | "refused";

/** What a line says of our own presence in its channel. */
function newsOf(message: WireMessage, nick: string): News | null {
  switch (message.command) {
    case "ROOMSTATE":
    case "USERSTATE":
      return "in";
    case "JOIN":
      return nickOf(message.prefix) === nick ? "echo" : null;
    case "PART":
      return nickOf(message.prefix) === nick ? "out" : null;
    case "NOTICE":
      return REFUSALS.has(message.tags["msg-id"] ?? "") ? "refused" : null;
    default:
      return null;
  }
}

/** One channel that is misspelt or bans the bot must not keep the others waiting for ever. */
export function readiness(channels: number) {
  const heardOf = new Set<string>();
  let hasJoined = false;
  let resolve: () => void = () => undefined;
  let reject: (fault: Fault) => void = () => undefined;
  const joined = new Promise<void>((onReady, onFault) => {
    resolve = onReady;
    reject = onFault;
  });
  return {
    /** Resolves when every channel was joined or could not be, and one is joined; rejects with what `fail` is given. */
    joined,
    settle({ kind, channel }: { readonly kind: JoinState["kind"]; readonly channel: string }) {
      heardOf.add(channel);
      hasJoined ||= kind === "joined";
      if (hasJoined && heardOf.size >= channels) resolve();
    },
    /** Something makes it pointless to wait. */
    fail: (fault: Fault) => reject(fault),
  };
}
