import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import type { TwitchApiCallOptions } from "@twurple/api-call";
import { helixTestPort } from "../config/environment.ts";
import { request } from "../models/http.ts";

/** An answer of Twitch's, whatever its status. */
export interface TwitchAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface CallLimits {
  /** Answer included, ms. */
  readonly timeoutMs: number;
  /** Ends it before; its reason tells why. */
  readonly signal?: AbortSignal;
}

/** Twitch's largest answers to what is asked here are some hundred kilobytes. */
const BODY_BYTES_MAX = 2_000_000;

/** Twitch answered, and went on and on. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/**
 * One request to Twitch as twurple's endpoints word it. Rejects with what Node's client throws, with the reason of the
 * abort ("timeout" for ours), or with `TooLarge`.
 */
export async function boundedCall(
  options: TwitchApiCallOptions,
  credentials: TwitchCredentials,
  { timeoutMs, signal }: CallLimits,
): Promise<TwitchAnswer> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort("timeout"), timeoutMs);
  const follow = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  if (signal?.aborted === true) follow();
  try {
    const { method = "GET", jsonBody } = options;
    const headers = headersOf(options, credentials);
    const body = jsonBody === undefined ? "" : JSON.stringify(jsonBody);
    // On a connection of its own: of one that was kept and is closed meanwhile, nobody knows what became of a message.
    const asked = { method, headers, body, signal: stop.signal, agent: false } as const;
    const { text, ...answer } = await request(addressOf(options), asked, BODY_BYTES_MAX);
    if (text === null) throw new TooLarge();
    return { ...answer, text };
  } catch (thrown) {
    throw stop.signal.aborted ? stop.signal.reason : thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
  }
}

interface TwitchCredentials {
  readonly clientId?: string;
  readonly accessToken?: string;
}

function addressOf({ type = "helix", url, query = {} }: TwitchApiCallOptions): URL {
  const port = helixTestPort();
  const [helix, auth] =
    port === null
      ? ["https://api.twitch.tv/helix", "https://id.twitch.tv/oauth2"]
      : [`http://localhost:${port}/mock`, `http://localhost:${port}/auth`];
  const address = new URL(`${type === "auth" ? auth : helix}/${url.replace(/^\//, "")}`);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) address.searchParams.append(name, one);
  }
  return address;
}

function headersOf(
  { type = "helix", jsonBody }: TwitchApiCallOptions,
  { clientId, accessToken }: TwitchCredentials,
): Record<string, string> {
  const kind = type === "helix" ? "Bearer" : "OAuth";
  return {
    accept: "application/json",
    ...(jsonBody === undefined ? {} : { "content-type": "application/json" }),
    ...(clientId === undefined || type === "auth" ? {} : { "client-id": clientId }),
    ...(accessToken === undefined ? {} : { authorization: `${kind} ${accessToken}` }),
  };
}

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Longest delay a Node timer keeps; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Waits on a real timer; where there is nothing to wait for, until what has come in was looked at (a timer takes 1 ms at
 * the least). Whoever waits has to look at the clock again: the longest waits come back early.
 */
export const wait: Wait = async (ms, signal) => {
  try {
    if (ms <= 0) await nextRound(undefined, { signal });
    else await delay(Math.min(ms, TIMER_MS_MAX), undefined, { signal });
  } catch {
    // aborted: the caller looks at its signal
  }
};

/** What `work` gives, or `late` after `ms`. The work goes on all the same; a late rejection is swallowed. */
export async function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, wait(ms, stop.signal).then(() => late)]);
  } finally {
    stop.abort();
    work.catch(() => undefined);
  }
}
