import type { TwitchApiCallOptions } from "@twurple/api-call";
import { readBounded } from "../platform/http.ts";

declare module "@twurple/api-call" {
  interface TwitchApiCallFetchOptions {
    signal?: AbortSignal;
  }
}

/** An answer of Twitch's, whatever its status. */
export interface TwitchAnswer {
  readonly status: number;
  readonly headers: Headers;
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
 * One request to Twitch, by twurple's own transport, which has neither a time limit nor a size limit of its own. Rejects
 * with what `fetch` throws, with the reason of the abort ("timeout" for ours), or with `TooLarge`.
 */
export async function boundedCall(
  options: TwitchApiCallOptions,
  { clientId, accessToken }: { readonly clientId?: string; readonly accessToken?: string },
  { timeoutMs, signal }: CallLimits,
): Promise<TwitchAnswer> {
  const { callTwitchApiRaw } = await import("@twurple/api-call");
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort("timeout"), timeoutMs);
  const follow = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  if (signal?.aborted === true) follow();
  try {
    const fetchOptions = { signal: stop.signal };
    const response = await callTwitchApiRaw(
      options,
      clientId,
      accessToken,
      undefined,
      fetchOptions,
    );
    const text = await readBounded(response, BODY_BYTES_MAX);
    if (text === null) throw new TooLarge();
    return { status: response.status, headers: response.headers, text };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
    // What is still coming in is not read.
    stop.abort("over");
  }
}
