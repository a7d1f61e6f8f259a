import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import type { TwitchApiCallOptions } from "@twurple/api-call";
import { getHelixStandInPort } from "../config/environment.ts";
import { makeAgents, request } from "../models/http.ts";

/** Twitch's answer, of any status. */
export interface TwitchAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Twitch's largest answers have some hundred kilobytes. */
const BODY_BYTES_MAX = 2_000_000;

/**
 * An idle connection is closed before a server does that: if a connection ends during a request, Twitch may or may not
 * have the message.
 */
const AGENTS = makeAgents(10_000);

/** The answer had more than 2 MB. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/**
 * Sends one request to Twitch, described as twurple does. Resolves with an answer of any status. Rejects with an error
 * of Node's client, with the reason of the abort ("timeout" after `timeoutMs`), or with `TooLarge`.
 */
export async function callBounded(
  options: TwitchApiCallOptions,
  credentials: TwitchCredentials,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<TwitchAnswer> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort("timeout"), timeoutMs);
  const follow = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  if (signal?.aborted === true) follow();
  try {
    const { method = "GET", jsonBody } = options;
    if (options.type === "helix") {
      // Lets Node notice a kept connection that the server has closed: after two rounds all news is read.
      await nextRound();
      await nextRound();
    }
    const headers = makeHeaders(options, credentials);
    const body = jsonBody === undefined ? "" : JSON.stringify(jsonBody);
    const asked = { method, headers, body, signal: stop.signal, agents: AGENTS };
    const { text, ...answer } = await request(getAddress(options), asked, BODY_BYTES_MAX);
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

function getAddress({ type = "helix", url, query = {} }: TwitchApiCallOptions): URL {
  const port = getHelixStandInPort();
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

function makeHeaders(
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

/** Longest delay of a Node timer: a longer one fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Waits on a real timer, or until `signal` aborts. If `ms` is 0 or less, it only lets Node handle input that has
 * arrived. Waits over 24 days end early, so callers check the clock again.
 */
export const wait: Wait = async (ms, signal) => {
  try {
    if (ms <= 0) await nextRound(undefined, { signal });
    else await delay(Math.min(ms, TIMER_MS_MAX), undefined, { signal });
  } catch {
    // Aborted: the caller checks its signal.
  }
};

/**
 * Returns the result of `work`, or `late` after `ms`. Rejects if `work` rejects before that. The work continues after
 * it; a later rejection is ignored.
 */
export async function waitAtMost<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, wait(ms, stop.signal).then(() => late)]);
  } finally {
    stop.abort();
    work.catch(() => undefined);
  }
}
