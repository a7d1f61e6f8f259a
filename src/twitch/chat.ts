import tmi from "tmi.js";
import type { Log } from "../log.ts";
import { bugGuard } from "./bug-report.ts";
import { type TmiClient, type TmiInternals, TRIM_STOP } from "./connection.ts";
import { type JoinState, type JoinTimings, keepJoined } from "./joins.ts";
import { type OutgoingMessage, privmsgLine } from "./privmsg.ts";
import { keepConnected, type ReconnectState, type ReconnectTimings } from "./reconnect.ts";
import { toWire } from "./wire.ts";

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

export interface Chat {
  /**
   * Writes a message into a joined channel. `sent` means handed to the socket: Twitch may still drop it. Text that
   * could be anything but one plain message is refused, and so is an odd id in `replyTo`.
   */
  send(message: OutgoingMessage): SendOutcome;
  /** Logins of the channels joined on the connection of now. */
  joined(): readonly string[];
  /** Ends it for good, within 1 s; nothing is called back after that began. */
  close(): Promise<void>;
}

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
export function openChat(options: ChatOptions): Chat {
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
    send(message) {
      const channel = channelLogin(message.channel);
      const line = privmsgLine({ ...message, channel });
      if (line === null) return { sent: false, reason: "unsafe_text" };
      if (login === null) return { sent: false, reason: "anonymous" };
      const sent = joins.joined().has(channel) && link.send(line);
      return sent ? { sent } : { sent, reason: "not_connected" };
    },
    joined: () => [...joins.joined()],
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
