import WebSocket from "ws";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { type TmiClient, TRIM_STOP, toWire, type WireMessage } from "./wire.ts";

export interface Connection {
  /** Writes one IRC line. False if the socket is not open. */
  send(line: string): boolean;
  /** Delivers the last messages and closes. Resolves within `closeMs`, even if the server hangs. */
  close(): Promise<void>;
}

/** Why a connection ended. `refused` is final for its password. `reason` is a short code, such as `no_pong`. */
export interface ConnectionEnd {
  readonly kind: "lost" | "refused";
  readonly reason: string;
}

export interface ConnectionTimings {
  /** Limit from opening to the end of the log-in. */
  readonly connectMs: number;
  /** After this silence the server gets a PING; it must answer within `pongMs`. */
  readonly idleMs: number;
  readonly pongMs: number;
  readonly closeMs: number;
}

const FRAME_BYTES_MAX = 16 * 1024 * 1024;

/** tmi.js gets only what its log-in and its PONG need: for chat it would spend time, and it throws on odd messages. */
const TMI_COMMANDS: ReadonlySet<string> = new Set(["001", "376", "PING", "PONG"]);

/** Twitch's refusals of a log-in, and our codes. */
const REFUSALS: readonly (readonly [text: string, reason: string])[] = [
  ["Login authentication failed", "login_failed"],
  ["Login unsuccessful", "login_failed"],
  ["Error logging in", "login_failed"],
  ["Improperly formatted auth", "token_malformed"],
  ["Invalid NICK", "login_invalid"],
];

/**
 * Opens one connection to Twitch's chat; it never reconnects. It ends when the server closes, refuses, asks for a
 * reconnect, does not finish the log-in in time or stops answering. Then nothing of it is left.
 *
 * The socket is `ws` on every Node: the WebSocket of Node 22 and later, which tmi.js would use, cannot be terminated.
 */
export function openConnection(options: {
  readonly url: string;
  /** A client that never connected. */
  readonly client: TmiClient;
  readonly timings: ConnectionTimings;
  readonly guard: HandlerGuard;
  /** Called once logged in, with the name that the server gave. */
  readonly onReady: (nick: string) => void;
  readonly onMessage: (message: WireMessage) => void;
  /** Called at most once, and never after `close`. */
  readonly onEnd: (end: ConnectionEnd) => void;
}): Connection {
  const { client, guard, timings } = options;
  const socket = new WebSocket(options.url, "irc", {
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    // One odd message must not end the connection: text that is not UTF-8 reads as U+FFFD.
    skipUTF8Validation: true,
  });
  let isOver = false;
  let isReady = false;
  const finish = (): void => {
    isOver = true;
    clearTimeout(deadline);
    watchdog.stop();
    disarm(client);
    socket.removeAllListeners();
    // To terminate a socket that is not open yet emits one more error.
    socket.on("error", () => undefined);
  };
  const end = (kind: ConnectionEnd["kind"], reason: string) => {
    if (isOver) return;
    finish();
    socket.terminate();
    options.onEnd({ kind, reason });
  };
  const deadline = setTimeout(() => end("lost", "connect_timeout"), timings.connectMs);
  const watchdog = watchSilence(
    timings,
    () => socket.send("PING"),
    () => end("lost", "no_pong"),
  );
  const receive = (message: WireMessage) => {
    const text = message.command === "NOTICE" && !isReady ? (message.params[1] ?? "") : "";
    const refusal = REFUSALS.find(([words]) => text.includes(words));
    if (refusal !== undefined) return end("refused", refusal[1]);
    if (message.command === "RECONNECT") return end("lost", "reconnect");
    if (message.command === "376" && !isReady) {
      isReady = true;
      clearTimeout(deadline);
      watchdog.start();
      guard("onReady", () => options.onReady(message.params[0] ?? ""));
    }
    guard("onMessage", () => options.onMessage(message));
  };
  const handleMessage = client.handleMessage.bind(client);
  client._openConnection = () => {
    client.ws = socket;
  };
  client.handleMessage = (message) => {
    // A client that is over has no socket.
    if (client.ws === null) return;
    const wire = toWire(message);
    if (TMI_COMMANDS.has(message.command)) guard("tmi.js", () => handleMessage(message));
    receive(wire);
  };
  client.connect().catch(() => undefined);
  socket.on("message", (data) => {
    watchdog.heard();
    guard("frame", () => client._onMessage({ data: `${String(data)}${TRIM_STOP}` }));
  });
  socket.on("open", () => guard("open", () => client._onOpen()));
  socket.on("error", (error: NodeJS.ErrnoException) =>
    end("lost", error.code?.toLowerCase() ?? "socket_error"),
  );
  socket.on("close", () => end("lost", "closed"));
  return {
    send: (line) => {
      if (isOver || !isReady || socket.readyState !== WebSocket.OPEN) return false;
      client.raw(line).catch(() => undefined);
      return true;
    },
    close: async () => {
      if (isOver) return;
      finish();
      await new Promise<void>((resolve) => {
        const giveUp = setTimeout(() => {
          socket.terminate();
          resolve();
        }, timings.closeMs);
        socket.once("close", () => {
          clearTimeout(giveUp);
          resolve();
        });
        socket.close(1000);
      });
    },
  };
}

/** Takes from a client its listeners, timers and socket, and every way to open another one. */
function disarm(client: TmiClient): void {
  client.connect = () => Promise.reject(new Error("this client is used up"));
  client.removeAllListeners();
  if (client.pingLoop !== null) clearInterval(client.pingLoop);
  if (client.pingTimeout !== null) clearTimeout(client.pingTimeout);
  client.ws = null;
}

/** Calls `ping` after `idleMs` of silence, and `onDead` after `pongMs` without an answer. */
function watchSilence(timings: ConnectionTimings, ping: () => void, onDead: () => void) {
  let idle: NodeJS.Timeout | undefined;
  let dying: NodeJS.Timeout | undefined;
  return {
    start: (): void => {
      idle = setTimeout(() => {
        dying = setTimeout(onDead, timings.pongMs);
        ping();
      }, timings.idleMs);
    },
    heard: (): void => {
      clearTimeout(dying);
      idle?.refresh();
    },
    stop: (): void => {
      clearTimeout(dying);
      clearTimeout(idle);
    },
  };
}

/** Runs a handler. If it throws, the bug is reported, and the connection lives on. */
export type HandlerGuard = (where: string, work: () => void) => void;

/**
 * Makes a guard that logs where a bug is, but not the error's message, which may quote chat. Of a bug that repeats with
 * every message, the 1st, 2nd, 4th, 8th … is logged.
 */
export function makeBugGuard(log: Log): HandlerGuard {
  let count = 0;
  return (where, work) => {
    try {
      work();
    } catch (thrown) {
      count += 1;
      if (!Number.isInteger(Math.log2(count))) return;
      log.error({ where, ...describeBug(thrown), count }, "bug: a handler of chat threw");
    }
  };
}
