import type { Log } from "../log.ts";
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

export interface ReconnectTimings extends ConnectionTimings {
  readonly backoff: BackoffLimits;
  /** A connection that lived this long makes earlier failures forgotten. */
  readonly stableMs: number;
}

export type ReconnectState =
  | { readonly kind: "connecting" }
  /** Twitch takes this token no more. The next attempt comes with the next token. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "disconnected"; readonly reason: string; readonly retryInMs: number };

export interface ReconnectOptions {
  readonly url: string;
  /** The access token of now; null for an anonymous log-in. */
  readonly password: (() => Promise<string>) | null;
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

/** Replaces every lost connection by a fresh one until closed; a refused token is not tried twice. */
export function keepConnected(options: ReconnectOptions): Connection {
  const { timings } = options;
  let closed = false;
  let connection: Connection | null = null;
  let readyAtMs: number | null = null;
  let failures = 0;
  let refusedToken: string | undefined;
  let retry: NodeJS.Timeout | undefined;

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
    if (readyAtMs !== null && options.now() - readyAtMs >= timings.stableMs) failures = 0;
    readyAtMs = null;
    options.log.info({ kind: end.kind, reason: end.reason, failures }, "chat: connection ended");
    if (end.kind === "lost" || token === null) return disconnected(end.reason);
    refusedToken = token;
    tryIn(nextWaitMs());
    options.onState({ kind: "refused", reason: end.reason });
  };
  const attempt = async () => {
    const token = await tokenWithin(options.password, timings.connectMs);
    if (closed) return;
    if (token === "") return disconnected("no_token");
    if (token === refusedToken) return tryIn(nextWaitMs());
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
        readyAtMs = options.now();
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
async function tokenWithin(
  password: ReconnectOptions["password"],
  waitMs: number,
): Promise<string | null> {
  if (password === null) return null;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, waitMs, "");
  });
  try {
    return await Promise.race([password(), late]);
  } catch {
    return "";
  } finally {
    clearTimeout(timer);
  }
}
