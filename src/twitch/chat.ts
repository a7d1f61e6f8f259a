import { calculateBackoffMs } from "../clock.ts";
import type { Log } from "../log.ts";
import { waitAtMost } from "./bounded-call.ts";
import {
  Connection,
  type ConnectionEnd,
  type HandlerGuard,
  makeBugGuard,
  TIMINGS,
  type Timings,
} from "./connection.ts";
import type { SendResult } from "./delivery.ts";
import { ChannelJoins, type JoinState } from "./joins.ts";
import { makePrivmsg, makeTmiClient, type OutgoingMessage, type WireMessage } from "./wire.ts";

/** State of the connection or of a channel. Reasons are short codes. */
export type ChatState =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  /** Chat refused the token. It tries again with another token, or once this one is known to be good. */
  | { readonly kind: "refused"; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: "disconnected"; readonly reason: string; readonly retryInMs: number }
  | JoinState;

export interface ChatOptions {
  /** `wss://…`, or `ws://` on loopback. */
  readonly url: string;
  /** A login in lower case. Null: the bot joins anonymously, so it cannot send. */
  readonly login: string | null;
  /**
   * Returns the access token for the next attempt, also with `oauth:` in front; "" if there is none now. Not called if
   * the bot is anonymous.
   */
  readonly password: () => Promise<string>;
  /** Says whether a token that chat refused may be good; then it is tried again. */
  readonly mayBeGood: () => Promise<boolean>;
  /** Logins, in lower case. */
  readonly channels: readonly string[];
  /** Called with every message from Twitch in order of arrival, protocol messages included. */
  readonly onMessage: (message: WireMessage) => void;
  readonly onState: (state: ChatState) => void;
  readonly log: Log;
  readonly now: () => number;
  /** In [0, 1), for the jitter of waits. */
  readonly random: () => number;
  readonly timings?: Partial<Timings>;
}

/**
 * Stays in the channels until closed, and replaces every lost connection. Never throws and never rejects for a failure
 * of the network, Twitch or a handler.
 */
export class Chat {
  readonly joins: ChannelJoins;
  readonly #options: ChatOptions;
  readonly #timings: Timings;
  readonly #guard: HandlerGuard;
  #connection: Connection | null = null;
  /** Failed attempts in a row. */
  #failures = 0;
  #refusedToken: string | null = null;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    this.#guard = makeBugGuard(options.log);
    this.joins = new ChannelJoins({
      channels: options.channels,
      timings: this.#timings,
      isAnonymous: options.login === null,
      random: options.random,
      send: (line) => this.#connection?.send(line),
      onState: (state) => this.#report(state),
    });
  }

  /** Connects, and stays connected until `close`. */
  start(): void {
    void this.#attempt();
  }

  /**
   * Writes a message into a joined channel. `sent` means that the socket took it: Twitch may still drop it. `failed`:
   * the message is unsafe, the bot is anonymous, or the channel is not joined.
   */
  send(message: OutgoingMessage): SendResult {
    const line = makePrivmsg(message);
    if (line === null) return { kind: "failed", reason: "unsafe_text" };
    if (this.#options.login === null) return { kind: "failed", reason: "anonymous" };
    if (!this.joins.isJoined(message.channel) || this.#connection?.send(line) !== true)
      return { kind: "failed", reason: "not_connected" };
    return { kind: "sent", messageId: null };
  }

  /** Returns the logins of the channels joined now. */
  joined(): string[] {
    return this.joins.joined();
  }

  /** Closes the connection for good, within 1 s. Calls no handler from then on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.joins.close();
    clearTimeout(this.#retry);
    await this.#connection?.close();
  }

  #report(state: ChatState): void {
    this.#guard("onState", () => this.#options.onState(state));
  }

  /**
   * Gets the token and opens a connection. Tries again later if there is no token, or if chat refused this one and it
   * is not known to be good. Does nothing after `close`.
   */
  async #attempt(): Promise<void> {
    const { login, password, mayBeGood } = this.#options;
    const { connectMs } = this.#timings;
    const token = login && (await answerOf(password, connectMs, ""));
    if (this.#isClosed) return;
    if (token === "") return this.#handleLoss("no_token");
    const isRefused = token !== null && token === this.#refusedToken;
    const mayTry = !isRefused || (await answerOf(mayBeGood, connectMs, false));
    if (this.#isClosed) return;
    if (mayTry) this.#open(token);
    else this.#retryIn(this.#backoffMs());
  }

  #open(token: string | null): void {
    const { url, login, now, onMessage } = this.#options;
    this.#report({ kind: "connecting" });
    // The handler may have closed it.
    if (this.#isClosed) return;
    const openedAtMs = now();
    this.#connection = new Connection({
      url,
      client: makeTmiClient(login, token),
      timings: this.#timings,
      guard: this.#guard,
      onReady: (nick) => {
        this.#report({ kind: "connected" });
        this.joins.start(nick);
      },
      onMessage: (message) => {
        this.joins.receive(message);
        onMessage(message);
      },
      onEnd: (end) => this.#handleEnd(end, token, now() - openedAtMs),
    });
  }

  #handleEnd({ kind, reason }: ConnectionEnd, token: string | null, livedMs: number) {
    this.joins.stop();
    this.#connection = null;
    if (livedMs >= this.#timings.stableMs) this.#failures = 0;
    const failures = this.#failures;
    this.#options.log.info({ kind, reason, failures }, "chat: connection ended");
    if (kind === "lost" || token === null) return this.#handleLoss(reason);
    this.#refusedToken = token;
    const retryInMs = this.#backoffMs();
    this.#retryIn(retryInMs);
    this.#report({ kind: "refused", reason, retryInMs });
  }

  /** Reports a lost or impossible connection, and plans the next attempt. */
  #handleLoss(reason: string): void {
    const retryInMs = reason === "reconnect" && this.#failures === 0 ? 0 : this.#backoffMs();
    this.#retryIn(retryInMs);
    this.#report({ kind: "disconnected", reason, retryInMs });
  }

  /** Plans the next attempt, and counts one more failure in a row. */
  #retryIn(waitMs: number): void {
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#attempt(), waitMs);
  }

  #backoffMs(): number {
    return calculateBackoffMs(this.#failures, this.#options.random(), this.#timings.backoff);
  }
}

/** Returns the answer of `ask`, or `otherwise` if it takes longer than `limitMs` or rejects. */
async function answerOf<T>(ask: () => Promise<T>, limitMs: number, otherwise: T): Promise<T> {
  try {
    return await waitAtMost(ask(), limitMs, otherwise);
  } catch {
    return otherwise; // the caller tries again later
  }
}
