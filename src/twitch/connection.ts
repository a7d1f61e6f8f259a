import type { Client } from "tmi.js";
import WebSocket from "ws";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import type { WireMessage } from "./chat.ts";

/** What of tmi.js's client is used beside its public methods, as it is in 1.8.5. */
export interface TmiInternals {
  ws: WebSocket | null;
  readonly pingLoop: NodeJS.Timeout | null;
  readonly pingTimeout: NodeJS.Timeout | null;
  handleMessage(message: TmiMessage): void;
  _openConnection(): void;
  _onOpen(): void;
  _onMessage(this: Pick<TmiInternals, "handleMessage">, event: { readonly data: string }): void;
}

export type TmiClient = Client & TmiInternals;

/** Why a connection is over. `refused` is final for the password it was opened with. */
export interface ConnectionEnd {
  readonly kind: "lost" | "refused";
  /** A short code, such as `no_pong` or `econnrefused`. */
  readonly reason: string;
}

export interface ConnectionTimings {
  /** From opening to the end of the log-in. */
  readonly connectMs: number;
  /** Silence after which the server is asked for a sign of life, and how long it has to give one. */
  readonly idleMs: number;
  readonly pongMs: number;
  /** How long a farewell may take. */
  readonly closeMs: number;
}

export interface ConnectionOptions {
  readonly url: string;
  /** A client that never connected. It is used up. */
  readonly client: TmiClient;
  readonly timings: ConnectionTimings;
  readonly guard: HandlerGuard;
  /** Logged in, under the name that the server gave. */
  readonly onReady: (nick: string) => void;
  readonly onMessage: (message: WireMessage) => void;
  /** Called at most once, and never after `close`. */
  readonly onEnd: (end: ConnectionEnd) => void;
}

export interface Connection {
  /** Writes one IRC line; false when the socket is not open. */
  send(line: string): boolean;
  /** Says farewell, so that what was sent is delivered. Resolves within `closeMs` whatever the server does. */
  close(): Promise<void>;
}

/** Follows what tmi.js is to parse: it trims a frame, and this line, which is none, keeps the text before it whole. */
export const TRIM_STOP = "\r\n:";

const FRAME_BYTES_MAX = 16 * 1024 * 1024;

/** tmi.js reads only what its own log-in and PONG need: on chat it would spend time, and throw on odd lines. */
const TMI_COMMANDS: ReadonlySet<string> = new Set(["001", "376", "PING", "PONG"]);

const REFUSALS: readonly (readonly [text: string, reason: string])[] = [
  ["Login authentication failed", "login_failed"],
  ["Login unsuccessful", "login_failed"],
  ["Error logging in", "login_failed"],
  ["Improperly formatted auth", "token_malformed"],
  ["Invalid NICK", "login_invalid"],
];

/**
 * One connection to Twitch's chat, from its opening to its end; it never reconnects. It ends when the server closes,
 * refuses, asks for a reconnect, does not finish the log-in in time or stops answering; then nothing of it is left.
 *
 * The socket is `ws` on every Node: the WebSocket of Node 22 and later, which tmi.js would take, cannot be terminated.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const { client, guard, timings } = options;
  const socket = new WebSocket(options.url, "irc", {
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    // One odd message must not end the connection: what is not UTF-8 reads as U+FFFD.
    skipUTF8Validation: true,
  });
  let over = false;
  let ready = false;
  const finish = () => {
    over = true;
    clearTimeout(deadline);
    watchdog.stop();
    detach(client);
    socket.removeAllListeners();
    // Terminating a socket that is not open yet emits one more error.
    socket.on("error", () => undefined);
  };
  const end = (kind: ConnectionEnd["kind"], reason: string) => {
    if (over) return;
    finish();
    socket.terminate();
    options.onEnd({ kind, reason });
  };
  const lose = (reason: string) => end("lost", reason);
  const deadline = setTimeout(() => lose("connect_timeout"), timings.connectMs);
  const watchdog = watch(timings, { ping: () => socket.send("PING"), dead: () => lose("no_pong") });

  const receive = (message: WireMessage) => {
    const refusal = ready ? null : refusalOf(message);
    if (refusal !== null) return end("refused", refusal);
    if (message.command === "RECONNECT") return lose("reconnect");
    if (message.command === "376" && !ready) {
      ready = true;
      clearTimeout(deadline);
      watchdog.start();
      guard("onReady", () => options.onReady(message.params[0] ?? ""));
    }
    guard("onMessage", () => options.onMessage(message));
  };
  attach(client, socket, guard, receive);
  socket.on("message", (data) => {
    watchdog.heard();
    guard("frame", () => client._onMessage({ data: `${String(data)}${TRIM_STOP}` }));
  });
  socket.on("open", () => guard("open", () => client._onOpen()));
  socket.on("error", (error) => lose(codeOf(error)));
  socket.on("close", () => lose("closed"));
  return {
    send(line) {
      if (over || !ready || socket.readyState !== WebSocket.OPEN) return false;
      client.raw(line).catch(() => undefined);
      return true;
    },
    close() {
      if (over) return Promise.resolve();
      finish();
      return farewell(socket, timings.closeMs);
    },
  };
}

/** Puts `client` on our socket, and us between its parser and what it does with a line, which `receive` gets. */
function attach(
  client: TmiClient,
  socket: WebSocket,
  guard: HandlerGuard,
  receive: (message: WireMessage) => void,
): void {
  const handleMessage = client.handleMessage.bind(client);
  client._openConnection = () => {
    client.ws = socket;
  };
  client.handleMessage = (message) => {
    // Its socket is taken from it when the connection is over.
    if (client.ws === null) return;
    const wire = toWire(message);
    if (TMI_COMMANDS.has(message.command)) guard("tmi.js", () => handleMessage(message));
    receive(wire);
  };
  client.connect().catch(() => undefined);
}

/** Leaves `client` nothing to act with: no listener, no timer, no socket, no way to open another. */
function detach(client: TmiClient): void {
  client.connect = () => Promise.reject(new Error("this client is used up"));
  client.removeAllListeners();
  if (client.pingLoop !== null) clearInterval(client.pingLoop);
  if (client.pingTimeout !== null) clearTimeout(client.pingTimeout);
  client.ws = null;
}

function watch(
  timings: ConnectionTimings,
  acts: { readonly ping: () => void; readonly dead: () => void },
) {
  let idle: NodeJS.Timeout | null = null;
  let dying: NodeJS.Timeout | null = null;
  const calm = () => {
    if (dying !== null) clearTimeout(dying);
    dying = null;
  };
  return {
    start() {
      idle = setTimeout(() => {
        dying = setTimeout(acts.dead, timings.pongMs);
        acts.ping();
      }, timings.idleMs);
    },
    heard() {
      calm();
      idle?.refresh();
    },
    stop() {
      calm();
      if (idle !== null) clearTimeout(idle);
      idle = null;
    },
  };
}

/** What Twitch's NOTICE says of a log-in, as a code; null where the line is about something else. */
function refusalOf(message: WireMessage): string | null {
  if (message.command !== "NOTICE") return null;
  const text = message.params[1] ?? "";
  return REFUSALS.find(([refusal]) => text.includes(refusal))?.[1] ?? null;
}

function codeOf(error: Error): string {
  const code = "code" in error ? error.code : null;
  return typeof code === "string" ? code.toLowerCase() : "socket_error";
}

function farewell(socket: WebSocket, closeMs: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => {
      socket.terminate();
      resolve();
    }, closeMs);
    socket.once("close", () => {
      clearTimeout(giveUp);
      resolve();
    });
    socket.close(1000);
  });
}

/** A line as tmi.js parses it: `true` stands for an empty tag value, and values are still escaped. */
export interface TmiMessage {
  readonly tags: Record<string, string | true>;
  readonly prefix: string | null;
  readonly command: string;
  readonly params: string[];
}

const UNESCAPES: Readonly<Record<string, string>> = { ":": ";", s: " ", r: "\r", n: "\n" };

/** The same line with every tag value a plain string, unescaped as IRCv3's message-tags say. */
export function toWire(message: TmiMessage): WireMessage {
  const tags: Record<string, string> = {};
  for (const key in message.tags) {
    const value = message.tags[key];
    tags[key] =
      value === undefined || value === true
        ? ""
        : value.replace(/\\(.?)/gs, (_, char: string) => UNESCAPES[char] ?? char);
  }
  return { command: message.command, prefix: message.prefix ?? "", params: message.params, tags };
}

/** The nick in a prefix `nick!user@host`, or the whole prefix of a server. */
export function nickOf(prefix: string): string {
  const end = prefix.indexOf("!");
  return end === -1 ? prefix : prefix.slice(0, end);
}

/** The channel a line is about, without `#`; "" for a line about none. */
export function channelOf(message: WireMessage): string {
  const target = message.params[0] ?? "";
  return target.startsWith("#") ? target.slice(1) : "";
}

/** Runs `work`; a throw of it is reported as a bug and goes no further. */
export type HandlerGuard = (where: string, work: () => void) => void;

/**
 * A guard that reports to `log` where the bug is, and nothing that was thrown: an error's message may quote chat.
 * Of a bug that repeats with every message, the 1st, 2nd, 4th, 8th … is reported.
 */
export function bugGuard(log: Log): HandlerGuard {
  let count = 0;
  return (where, work) => {
    try {
      work();
    } catch (thrown) {
      count++;
      if (!Number.isInteger(Math.log2(count))) return;
      log.error({ where, ...describeBug(thrown), count }, "bug: a handler of chat threw");
    }
  };
}
