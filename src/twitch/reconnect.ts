import type { Log } from "../log.ts";
import { steadyClock } from "../platform/steady-clock.ts";
import { type BackoffLimits, backoffMs } from "./backoff.ts";
import type { Guard } from "./bug-report.ts";
import type { WireMessage } from "./chat.ts";
import {
  type Connection,
  type ConnectionEnd,
  type ConnectionTimings,
  openConnection,
  type TmiClient,
} from "./connection.ts";
import { within } from "./wait.ts";

export interface ReconnectTimings extends ConnectionTimings {
  readonly backoff: BackoffLimits;
  /** A connection that lived this long makes earlier failures forgotten. */
  readonly stableMs: number;
}

export type ReconnectState =
  | { readonly kind: "connecting" }
  /** Chat did not take the token, which says nothing about it. The next attempt comes with the next one, or once it is known to be good. */
  | { readonly kind: "refused"; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: "disconnected"; readonly reason: string; readonly retryInMs: number };

export interface ReconnectOptions {
  readonly url: string;
  /** The access token of now; null for an anonymous log-in. */
  readonly password: (() => Promise<string>) | null;
  /** Whether a token that chat refused may be good all the same. Asked before it is tried again; absent: it is not. */
  readonly mayBeGood?: (() => Promise<boolean>) | undefined;
  readonly newClient: (token: string | null) => TmiClient;
  readonly timings: ReconnectTimings;
  readonly guard: Guard;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  readonly onReady: (nick: string) => void;
  readonly onMessage: (message: WireMessage) => void;
  readonly onLost: () => void;
  readonly onState: (state: ReconnectState) => void;
}

/** Replaces every lost connection by a fresh one until closed; a refused token is tried again only where it may be good. */
export function keepConnected(options: ReconnectOptions): Connection {
  const { timings } = options;
  const steadyNow = steadyClock(options.now);
  let closed = false;
  let connection: Connection | null = null;
  let readyAtMs: number | null = null;
  let failures = 0;
  let refusedToken: string | undefined;
  let retry: NodeJS.Timeout | undefined;

  const mayBeGood = () => answeredWithin(options.mayBeGood, timings.connectMs);
  const tryIn = (waitMs: number) => {
    failures++;
    retry = setTimeout(() => void attempt(), waitMs);
  };
  const nextWaitMs = () => backoffMs(failures, options.random(), timings.backoff);
  const disconnected = (reason: string) => {
    const retryInMs = reason === "reconnect" && failures === 0 ? 0 : nextWaitMs();
    tryIn(retryInMs);
    options.onState({ kind: "disconnected", reason, retryInMs });
  };
  const ended = (end: ConnectionEnd, token: string | null) => {
    connection = null;
    options.onLost();
    if (readyAtMs !== null && steadyNow() - readyAtMs >= timings.stableMs) failures = 0;
    readyAtMs = null;
    options.log.info({ kind: end.kind, reason: end.reason, failures }, "chat: connection ended");
    if (end.kind === "lost" || token === null) return disconnected(end.reason);
    refusedToken = token;
    const retryInMs = nextWaitMs();
    tryIn(retryInMs);
    options.onState({ kind: "refused", reason: end.reason, retryInMs });
  };
  const attempt = async () => {
    const token = await tokenWithin(options.password, timings.connectMs);
    if (closed) return;
    if (token === "") return disconnected("no_token");
    const isSpent = token === refusedToken && !(await mayBeGood());
    if (!closed) call(token, isSpent);
  };
  const call = (token: string | null, isSpent: boolean) => {
    if (isSpent) return tryIn(nextWaitMs());
    options.onState({ kind: "connecting" });
    // What was told may have closed it.
    if (closed) return;
    try {
      connection = connect(token);
    } catch {
      disconnected("url_invalid");
    }
  };
  const connect = (token: string | null) =>
    openConnection({
      ...options,
      client: options.newClient(token),
      onReady(nick) {
        readyAtMs = steadyNow();
        options.onReady(nick);
      },
      onEnd: (end) => ended(end, token),
    });
  void attempt();

  return {
    send: (line) => connection?.send(line) === true,
    async close() {
      closed = true;
      clearTimeout(retry);
      await connection?.close();
    },
  };
}

/** The token of now; "" when there is none in time, null for a log-in without one. */
function tokenWithin(
  password: ReconnectOptions["password"],
  waitMs: number,
): Promise<string | null> {
  return password === null ? Promise.resolve(null) : inTime(password, waitMs, "");
}

function answeredWithin(ask: ReconnectOptions["mayBeGood"], waitMs: number): Promise<boolean> {
  return ask === undefined ? Promise.resolve(false) : inTime(ask, waitMs, false);
}

/** What `ask` gives; `late` where it gives nothing in time, or rejects. */
async function inTime<T>(ask: () => Promise<T>, waitMs: number, late: T): Promise<T> {
  try {
    return await within(ask(), waitMs, late);
  } catch {
    return late;
  }
}
