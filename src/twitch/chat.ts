import tmi from "tmi.js";
import { type BackoffLimits, backoffMs } from "../clock.ts";
import type { Log } from "../log.ts";
import { within } from "./bounded-call.ts";
import {
  bugGuard,
  type Connection,
  type ConnectionEnd,
  type ConnectionTimings,
  type HandlerGuard,
  openConnection,
  type TmiClient,
  type TmiInternals,
  TRIM_STOP,
  toWire,
} from "./connection.ts";
import { type JoinState, type JoinTimings, keepJoined } from "./joins.ts";

/** One line from Twitch. Tag values are unescaped; "" is an empty value, and "" the prefix of a line without one. */
export interface WireMessage {
  readonly command: string;
  readonly prefix: string;
  readonly params: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

/** What becomes of the connection and of each channel (a login, without `#`). Reasons are short codes. */
export type ChatState =
  | ReconnectState
  | { readonly kind: "connected"; readonly anonymous: boolean }
  | JoinState;

export type SendOutcome =
  | { readonly sent: true }
  | { readonly sent: false; readonly reason: "not_connected" | "unsafe_text" | "anonymous" };

export type Chat = ReturnType<typeof openChat>;

interface ChatTimings extends ReconnectTimings, JoinTimings {}

export interface ChatOptions {
  /** `wss://…`, or `ws://` on loopback. */
  readonly url: string;
  /** Null joins anonymously: it reads, and cannot send. */
  readonly login: string | null;
  /** The access token of now; asked before each attempt, and not at all when anonymous. */
  readonly password: () => Promise<string>;
  /** Whether a token that chat refused may be good all the same: then it is tried again. Absent: it is not. */
  readonly mayBeGood?: () => Promise<boolean>;
  readonly channels: readonly string[];
  /** Every line from Twitch in order of arrival, protocol lines included. */
  readonly onMessage: (message: WireMessage) => void;
  readonly onState: (state: ChatState) => void;
  readonly log: Log;
  readonly now: () => number;
  /** In [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly timings?: Partial<ChatTimings>;
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

/**
 * Stays in the channels until closed: every lost connection is replaced by a fresh one. Never throws and never rejects
 * for what the network, Twitch or a handler does; a handler that throws is reported as a bug and called again.
 */
export function openChat(options: ChatOptions) {
  const timings = { ...TIMINGS, ...options.timings };
  const guard = bugGuard(options.log);
  const onState = (state: ChatState) => guard("onState", () => options.onState(state));
  const login = options.login === null ? null : options.login.toLowerCase();
  const joins = keepJoined({
    channels: options.channels.map(channelLogin),
    timings,
    anonymous: login === null,
    random: options.random,
    send: (line) => link.send(line),
    onState,
  });
  const link = keepConnected({
    ...options,
    password: login === null ? null : options.password,
    newClient: (token) => freshClient(login, token),
    timings,
    guard,
    onState,
    onReady(nick) {
      onState({ kind: "connected", anonymous: login === null });
      joins.start(nick);
    },
    onMessage(message) {
      joins.receive(message);
      options.onMessage(message);
    },
    onLost: () => joins.stop(),
  });
  return {
    /**
     * Writes a message into a joined channel. `sent` means handed to the socket: Twitch may still drop it. Text that
     * could be anything but one plain message is refused, and so is an odd id in `replyTo`.
     */
    send(message: OutgoingMessage): SendOutcome {
      const channel = channelLogin(message.channel);
      const line = privmsgLine({ ...message, channel });
      if (line === null) return { sent: false, reason: "unsafe_text" };
      if (login === null) return { sent: false, reason: "anonymous" };
      const sent = joins.joined().has(channel) && link.send(line);
      return sent ? { sent } : { sent, reason: "not_connected" };
    },
    /** Logins of the channels joined on the connection of now. */
    joined: () => [...joins.joined()],
    leave: joins.leave,
    enter: joins.enter,
    /** Ends it for good, within 1 s; nothing is called back after that began. */
    async close() {
      joins.close();
      await link.close();
    },
  };
}

/** One raw line as `onMessage` would get it; null for a line that is none. */
export function parseWireLine(line: string): WireMessage | null {
  const prototype: TmiInternals = tmi.Client.prototype;
  let found: WireMessage | null = null;
  prototype._onMessage.call(
    {
      handleMessage(message) {
        found = toWire(message);
      },
    },
    { data: `${line}${TRIM_STOP}` },
  );
  return found;
}

/** tmi.js as a log-in and a parser: it neither joins, nor reconnects, nor calls home, nor writes to the console. */
function freshClient(login: string | null, token: string | null): TmiClient {
  return new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true },
    connection: { reconnect: false },
    ...(login === null || token === null
      ? {}
      : { identity: { username: login, password: () => token } }),
    logger: SILENT,
  }) as TmiClient;
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

function channelLogin(channel: string): string {
  return channel.replace(/^#/, "").toLowerCase();
}

interface ReconnectTimings extends ConnectionTimings {
  readonly backoff: BackoffLimits;
  /** A connection that lived this long makes earlier failures forgotten. */
  readonly stableMs: number;
}

type ReconnectState =
  | { readonly kind: "connecting" }
  /** Chat did not take the token, which says nothing about it. The next attempt comes with the next one, or once it is known to be good. */
  | { readonly kind: "refused"; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: "disconnected"; readonly reason: string; readonly retryInMs: number };

interface ReconnectOptions {
  readonly url: string;
  /** The access token of now; null for an anonymous log-in. */
  readonly password: (() => Promise<string>) | null;
  /** Whether a token that chat refused may be good all the same. Asked before it is tried again; absent: it is not. */
  readonly mayBeGood?: (() => Promise<boolean>) | undefined;
  readonly newClient: (token: string | null) => TmiClient;
  readonly timings: ReconnectTimings;
  readonly guard: HandlerGuard;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  readonly onReady: (nick: string) => void;
  readonly onMessage: (message: WireMessage) => void;
  readonly onLost: () => void;
  readonly onState: (state: ReconnectState) => void;
}

/** Replaces every lost connection by a fresh one until closed; a refused token is tried again only where it may be good. */
function keepConnected(options: ReconnectOptions): Connection {
  const { timings } = options;
  let closed = false;
  let connection: Connection | null = null;
  let readyAtMs: number | null = null;
  let failures = 0;
  let refusedToken: string | undefined;
  let retry: NodeJS.Timeout | undefined;

  const { mayBeGood = () => Promise.resolve(false), password } = options;
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
    const retryInMs = nextWaitMs();
    tryIn(retryInMs);
    options.onState({ kind: "refused", reason: end.reason, retryInMs });
  };
  const attempt = async () => {
    const token = password && (await inTime(password, timings.connectMs, ""));
    if (closed) return;
    if (token === "") return disconnected("no_token");
    const isSpent = token === refusedToken && !(await inTime(mayBeGood, timings.connectMs, false));
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

/** What `ask` gives; `late` where it gives nothing in time, or rejects. */
async function inTime<T>(ask: () => Promise<T>, waitMs: number, late: T): Promise<T> {
  try {
    return await within(ask(), waitMs, late);
  } catch {
    return late;
  }
}

/** One message that the bot wants to say. `channel` is a login; `replyTo` the id of a message or null. */
export interface OutgoingMessage {
  readonly channel: string;
  readonly text: string;
  readonly replyTo: string | null;
}

/** Twitch's limit on a chat message, in characters. */
const TEXT_CHARACTERS_MAX = 500;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const COMMAND_START = /^[/.\\]/;
const CHANNEL = /^[a-z0-9_]{1,25}$/;
/** Twitch's ids are UUIDs; nothing of this shape can end a tag or a line. */
const MESSAGE_ID = /^[A-Za-z0-9-]{1,64}$/;

/**
 * The IRC line for `message`, or null when it is unsafe to send: a second line or command hidden in it, a text that
 * Twitch would run as a command, empty, or over the limit. The last line of defence, whatever was checked before.
 */
export function privmsgLine(message: OutgoingMessage): string | null {
  const { channel, text, replyTo } = message;
  if (!CHANNEL.test(channel) || !isSafeText(text)) return null;
  if (replyTo !== null && !MESSAGE_ID.test(replyTo)) return null;
  const tag = replyTo === null ? "" : `@reply-parent-msg-id=${replyTo} `;
  return `${tag}PRIVMSG #${channel} :${text}`;
}

function isSafeText(text: string): boolean {
  const shown = text.trim();
  if (shown === "" || COMMAND_START.test(shown) || CONTROL.test(text)) return false;
  return text.length <= TEXT_CHARACTERS_MAX || [...text].length <= TEXT_CHARACTERS_MAX;
}
