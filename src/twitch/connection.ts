import WebSocket from "ws";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { type TmiClient, type TmiMessage, TRIM_STOP, toWire, type WireMessage } from "./wire.ts";

/** Why a connection ended. `refused`: Twitch refused the log-in. `reason` is a short code, such as `no_pong`. */
export interface ConnectionEnd {
  readonly kind: "lost" | "refused";
  readonly reason: string;
}

export const TIMINGS = {
  /** Limit from opening to the end of the log-in. */
  connectMs: 10_000,
  /** After this silence the server gets a PING; it must answer within `pongMs`. */
  idleMs: 20_000,
  pongMs: 5_000,
  closeMs: 500,
  backoff: { baseMs: 1_000, capMs: 30_000 },
  /** A connection that lived this long resets the back-off. */
  stableMs: 30_000,
  /** Time between two JOINs. Twitch allows 20 in any 10 s. */
  joinSpacingMs: 510,
  /** Twitch must acknowledge a JOIN within this time. */
  joinAckMs: 10_000,
  joinBackoff: { baseMs: 10_000, capMs: 300_000 },
  /** After this silence a channel is joined again: Twitch may have removed the bot without a notice. */
  channelIdleMs: 600_000,
};
export type Timings = typeof TIMINGS;

interface ConnectionOptions {
  readonly url: string;
  /** A client that never connected. */
  readonly client: TmiClient;
  readonly timings: Timings;
  readonly guard: HandlerGuard;
  /** Called once logged in, with the name that the server gave. */
  readonly onReady: (nick: string) => void;
  readonly onMessage: (message: WireMessage) => void;
  /** Called at most once, and never after `close`. */
  readonly onEnd: (end: ConnectionEnd) => void;
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
 * One connection to Twitch's chat; it never reconnects. It ends when the server closes, refuses, asks for a reconnect,
 * does not finish the log-in in time or stops answering. Then it drops its socket and timers, and calls `onEnd`.
 *
 * The socket is `ws` on every Node: the WebSocket of Node 22 and later, which tmi.js would use, cannot be terminated.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: WebSocket;
  readonly #deadline: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  #dying: NodeJS.Timeout | undefined;
  #isOver = false;
  #isReady = false;

  /** Opens the connection. */
  constructor(options: ConnectionOptions) {
    const { client, guard, timings, url } = options;
    this.#options = options;
    const socket = new WebSocket(url, "irc", {
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES_MAX,
      // One odd message must not end the connection: text that is not UTF-8 reads as U+FFFD.
      skipUTF8Validation: true,
    });
    this.#socket = socket;
    this.#deadline = setTimeout(() => this.#end("lost", "connect_timeout"), timings.connectMs);
    const handleMessage = client.handleMessage.bind(client);
    client._openConnection = () => {
      client.ws = socket;
    };
    client.handleMessage = (message) => this.#receive(message, handleMessage);
    client.connect().catch(() => undefined);
    socket.on("message", (data) => {
      clearTimeout(this.#dying);
      this.#idle?.refresh();
      guard("frame", () => client._onMessage({ data: `${String(data)}${TRIM_STOP}` }));
    });
    socket.on("open", () => guard("open", () => client._onOpen()));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      this.#end("lost", error.code?.toLowerCase() ?? "socket_error"),
    );
    socket.on("close", () => this.#end("lost", "closed"));
  }

  /** Writes one IRC line. Writes nothing, and returns false, before the log-in is done or if the socket is not open. */
  send(line: string): boolean {
    if (this.#isOver || !this.#isReady || this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#options.client.raw(line).catch(() => undefined);
    return true;
  }

  /**
   * Flushes the sent messages, and closes. Receives nothing more, and does not call `onEnd`. Resolves within `closeMs`,
   * even if the server hangs.
   */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#detach();
    const socket = this.#socket;
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(() => {
        socket.terminate();
        resolve();
      }, this.#options.timings.closeMs);
      socket.once("close", () => {
        clearTimeout(giveUp);
        resolve();
      });
      socket.close(1000);
    });
  }

  #receive(received: TmiMessage, handleMessage: (message: TmiMessage) => void) {
    const { client, guard, onReady, onMessage } = this.#options;
    // A client that is over has no socket.
    if (client.ws === null) return;
    const message = toWire(received);
    const { command, params } = message;
    if (TMI_COMMANDS.has(command)) guard("tmi.js", () => handleMessage(received));
    const text = command === "NOTICE" && !this.#isReady ? (params[1] ?? "") : "";
    const refusal = REFUSALS.find(([words]) => text.includes(words));
    if (refusal !== undefined) return this.#end("refused", refusal[1]);
    if (command === "RECONNECT") return this.#end("lost", "reconnect");
    if (command === "376" && !this.#isReady) {
      this.#isReady = true;
      clearTimeout(this.#deadline);
      this.#watchSilence();
      guard("onReady", () => onReady(params[0] ?? ""));
    }
    guard("onMessage", () => onMessage(message));
  }

  /**
   * Starts to watch for silence; call it once. After `idleMs` without a frame it pings. If no frame follows within
   * `pongMs`, it ends the connection.
   */
  #watchSilence(): void {
    const { idleMs, pongMs } = this.#options.timings;
    this.#idle = setTimeout(() => {
      this.#dying = setTimeout(() => this.#end("lost", "no_pong"), pongMs);
      this.#socket.send("PING");
    }, idleMs);
  }

  #end(kind: ConnectionEnd["kind"], reason: string): void {
    if (this.#isOver) return;
    this.#detach();
    this.#socket.terminate();
    this.#options.onEnd({ kind, reason });
  }

  /** Removes every listener and timer of the client and the socket. The client cannot connect again. */
  #detach(): void {
    const { client } = this.#options;
    this.#isOver = true;
    for (const timer of [this.#deadline, this.#idle, this.#dying]) clearTimeout(timer);
    client.connect = () => Promise.reject(new Error("this client is used up"));
    client.removeAllListeners();
    if (client.pingLoop !== null) clearInterval(client.pingLoop);
    if (client.pingTimeout !== null) clearTimeout(client.pingTimeout);
    client.ws = null;
    this.#socket.removeAllListeners();
    // To terminate a socket that is not open yet emits one more error.
    this.#socket.on("error", () => undefined);
  }
}

/**
 * Runs a handler. If it throws, reports the bug, and the connection continues. `where` names the handler in the log.
 */
export type HandlerGuard = (where: string, work: () => void) => void;

/**
 * Makes a guard that logs where a bug is, but not the error's message, which may quote chat. It counts all bugs
 * together and logs the 1st, 2nd, 4th, 8th …, since one may repeat with every message.
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

/** `status`: another server answered, such as a proxy. `detail` is an error code or an HTTP status. */
export type ReachResult =
  | { readonly kind: "answered"; readonly tookMs: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "status" | "error"; readonly detail: string };

/**
 * Opens a WebSocket to a chat server without logging in, and closes it. Resolves with `timeout` after `timeoutMs`, and
 * with `error` if `signal` aborts. Rejects only if `chatUrl` is no URL.
 */
export function reachChat(
  chatUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ReachResult> {
  const startedAtMs = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const socket = new WebSocket(chatUrl, "irc", { signal: AbortSignal.any([signal, late]) });
    socket.on("open", () => {
      resolve({ kind: "answered", tookMs: performance.now() - startedAtMs });
      socket.terminate();
    });
    socket.on("unexpected-response", (_request, { statusCode }) => {
      resolve({ kind: "status", detail: String(statusCode) });
      socket.terminate();
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve(
        late.aborted ? { kind: "timeout" } : { kind: "error", detail: error.code ?? error.name },
      ),
    );
  });
}
