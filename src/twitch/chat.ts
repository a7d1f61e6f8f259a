import { type BackoffLimits, calculateBackoffMs } from "../clock.ts";
import type { Log } from "../log.ts";
import { waitAtMost } from "./bounded-call.ts";
import {
  type Connection,
  type ConnectionEnd,
  type ConnectionTimings,
  makeBugGuard,
  openConnection,
} from "./connection.ts";
import type { SendResult } from "./delivery.ts";
import { type JoinState, type JoinTimings, keepJoined } from "./joins.ts";
import { makePrivmsg, makeTmiClient, type OutgoingMessage, type WireMessage } from "./wire.ts";

/** State of the connection or of a channel (a login, without `#`). Reasons are short codes. */
export type ChatState =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  /** Chat refused the token. It tries again with another token, or once this one is known to be good. */
  | { readonly kind: "refused"; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: "disconnected"; readonly reason: string; readonly retryInMs: number }
  | JoinState;

export type Chat = ReturnType<typeof openChat>;

interface ChatTimings extends ConnectionTimings, JoinTimings {
  readonly backoff: BackoffLimits;
  /** A connection that lived this long resets the back-off. */
  readonly stableMs: number;
}

const TIMINGS: ChatTimings = {
  connectMs: 10_000,
  idleMs: 20_000,
  pongMs: 5_000,
  closeMs: 500,
  stableMs: 30_000,
  joinSpacingMs: 510,
  joinAckMs: 10_000,
  channelIdleMs: 600_000,
  joinBackoff: { baseMs: 10_000, capMs: 300_000 },
  backoff: { baseMs: 1_000, capMs: 30_000 },
};

export interface ChatOptions {
  /** `wss://…`, or `ws://` on loopback. */
  readonly url: string;
  /** Null: the bot joins anonymously. It reads, and cannot send. */
  readonly login: string | null;
  /** Returns the access token for the next attempt. Not called if the bot is anonymous. */
  readonly password: () => Promise<string>;
  /** Says whether a token that chat refused may be good; then it is tried again. Default: it is not. */
  readonly mayBeGood?: () => Promise<boolean>;
  readonly channels: readonly string[];
  /** Called with every message from Twitch in order of arrival, protocol messages included. */
  readonly onMessage: (message: WireMessage) => void;
  readonly onState: (state: ChatState) => void;
  readonly log: Log;
  readonly now: () => number;
  /** In [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly timings?: Partial<ChatTimings>;
}

/**
 * Stays in the channels until closed, and replaces every lost connection. Never throws and never rejects for a failure of
 * the network, Twitch or a handler.
 */
export function openChat(options: ChatOptions) {
  const timings = { ...TIMINGS, ...options.timings };
  const guard = makeBugGuard(options.log);
  const onState = (state: ChatState): void => guard("onState", () => options.onState(state));
  const login = options.login?.toLowerCase() ?? null;
  const joins = keepJoined({
    channels: options.channels.map(toLogin),
    timings,
    anonymous: login === null,
    random: options.random,
    send: (line) => link.send(line),
    onState,
  });
  const link = keepConnected(options, timings, onState, (token, onEnd) =>
    openConnection({
      url: options.url,
      client: makeTmiClient(login, token),
      timings,
      guard,
      onReady: (nick) => {
        onState({ kind: "connected" });
        joins.start(nick);
      },
      onMessage: (message) => {
        joins.receive(message);
        options.onMessage(message);
      },
      onEnd: (end) => {
        joins.stop();
        onEnd(end);
      },
    }),
  );
  return {
    /** Writes a message into a joined channel. `sent` means that the socket took it: Twitch may still drop it. */
    send: (message: OutgoingMessage): SendResult => {
      const channel = toLogin(message.channel);
      const line = makePrivmsg({ ...message, channel });
      if (line === null) return { kind: "failed", reason: "unsafe_text" };
      if (login === null) return { kind: "failed", reason: "anonymous" };
      if (!joins.isJoined(channel) || !link.send(line))
        return { kind: "failed", reason: "not_connected" };
      return { kind: "sent", messageId: null };
    },
    /** Returns the logins of the channels joined now. */
    joined: joins.joined,
    leave: joins.leave,
    enter: joins.enter,
    /** Ends it within 1 s. Nothing is called back after that began. */
    close: async (): Promise<void> => {
      joins.close();
      await link.close();
    },
  };
}

function toLogin(channel: string): string {
  return channel.replace(/^#/, "").toLowerCase();
}

/** Replaces every lost connection until closed. Tries a refused token again only if it may be good. */
function keepConnected(
  options: ChatOptions,
  timings: ChatTimings,
  onState: (state: ChatState) => void,
  connect: (token: string | null, onEnd: (end: ConnectionEnd) => void) => Connection,
): Connection {
  const { now, random, log, mayBeGood = async () => false } = options;
  let isClosed = false;
  let connection: Connection | null = null;
  let failures = 0;
  let refusedToken: string | null = null;
  let retry: NodeJS.Timeout | undefined;

  const tryIn = (waitMs: number): void => {
    failures += 1;
    retry = setTimeout(() => void attempt(), waitMs);
  };
  const waitMs = (): number => calculateBackoffMs(failures, random(), timings.backoff);
  const reportLoss = (reason: string): void => {
    const retryInMs = reason === "reconnect" && failures === 0 ? 0 : waitMs();
    tryIn(retryInMs);
    onState({ kind: "disconnected", reason, retryInMs });
  };
  const attempt = async (): Promise<void> => {
    const token = options.login && (await answerOf(options.password, timings.connectMs, ""));
    if (isClosed) return;
    if (token === "") return reportLoss("no_token");
    const isRefused = token !== null && token === refusedToken;
    const mayTry = !isRefused || (await answerOf(mayBeGood, timings.connectMs, false));
    if (isClosed) return;
    if (mayTry) open(token);
    else tryIn(waitMs());
  };
  const open = (token: string | null): void => {
    onState({ kind: "connecting" });
    // The handler may have closed it.
    if (isClosed) return;
    const openedAtMs = now();
    try {
      connection = connect(token, ({ kind, reason }) => {
        connection = null;
        if (now() - openedAtMs >= timings.stableMs) failures = 0;
        log.info({ kind, reason, failures }, "chat: connection ended");
        if (kind === "lost" || token === null) return reportLoss(reason);
        refusedToken = token;
        const retryInMs = waitMs();
        tryIn(retryInMs);
        onState({ kind: "refused", reason, retryInMs });
      });
    } catch {
      // An address that is no URL. Nothing was opened.
      reportLoss("url_invalid");
    }
  };
  void attempt();
  return {
    send: (line) => connection?.send(line) === true,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await connection?.close();
    },
  };
}

/** Returns what `ask` answers, or `otherwise` if it is late or rejects. */
async function answerOf<T>(ask: () => Promise<T>, limitMs: number, otherwise: T): Promise<T> {
  try {
    return await waitAtMost(ask(), limitMs, otherwise);
  } catch {
    return otherwise; // the caller tries again later
  }
}
