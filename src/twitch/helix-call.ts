import type { BaseApiClient } from "@twurple/api";
import type { Credentials, TwitchAuth } from "./auth.ts";
import { boundedCall, TooLarge, type TwitchAnswer } from "./bounded-call.ts";

/**
 * Why Helix did not do as asked. `unauthorised` and `missing_scope` need the operator; `forbidden`, `not_found`,
 * `conflict` and `request` are about what was asked; the others may pass by themselves.
 */
export type HelixReason =
  | "unauthorised"
  | "missing_scope"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "request"
  | "rate_limited"
  | "server"
  | "timeout"
  | "network"
  | "closed";

export interface HelixFailure {
  readonly ok: false;
  readonly reason: HelixReason;
  /** When Twitch will listen again, epoch ms; null where it did not say. */
  readonly retryAtMs: number | null;
  /** Whether Twitch may have done it all the same. */
  readonly mayHaveActed: boolean;
}

export type HelixResult<T> = { readonly ok: true; readonly value: T } | HelixFailure;

/** Twurple's typed endpoints, as the bot's account. */
type HelixApi = BaseApiClient;

export interface HelixCaller {
  /**
   * Runs `work` on twurple's endpoints, as the bot's account, whose id it gets. Each request goes out once, at once,
   * with its own time limit, beside all others; only one that Twitch refused for its token (401) goes out again,
   * with a renewed token.
   * Rejects with what `work` throws by itself, never for a failure of Helix.
   */
  call<T>(work: (api: HelixApi, userId: string) => Promise<T>): Promise<HelixResult<T>>;
  /** Cuts the requests under way: they end as `closed`. */
  close(): void;
}

export interface HelixCallerOptions {
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity">;
  /** How long one request may take, answer included, ms. */
  readonly timeoutMs: number;
}

type CallOptions = Parameters<HelixApi["callApi"]>[0];

/**
 * Twurple's ApiClient retries each request up to three times, chat messages too, has no time limit, and lets one
 * hung request hold up all others. So its endpoints are used, and its transport is not.
 */
export function helixCaller({ auth, timeoutMs }: HelixCallerOptions): HelixCaller {
  const underWay = new Set<AbortController>();

  async function request<T>(options: CallOptions, credentials: Credentials): Promise<T> {
    if (!mayCall(options, auth.identity()?.scopes)) throw new Stop("missing_scope");
    try {
      return await requestOnce<T>(options, credentials);
    } catch (error) {
      if (!(error instanceof Stop) || error.reason !== "unauthorised") throw error;
      await auth.check();
      const renewed = await auth.credentials();
      if (renewed.kind !== "ok" || renewed.accessToken === credentials.accessToken) throw error;
      return await requestOnce<T>(options, renewed);
    }
  }

  async function requestOnce<T>(options: CallOptions, credentials: Credentials): Promise<T> {
    const stop = new AbortController();
    underWay.add(stop);
    try {
      const answer = await boundedCall(options, credentials, { timeoutMs, signal: stop.signal });
      if (answer.status < 200 || answer.status > 299) throw stopOf(answer);
      const body: T = JSON.parse(answer.text === "" ? "null" : answer.text);
      return body;
    } catch (error) {
      throw error instanceof Stop ? error : stopOfThrown(error, stop.signal);
    } finally {
      underWay.delete(stop);
    }
  }

  return {
    call: async (work) => {
      const credentials = await auth.credentials();
      if (credentials.kind !== "ok") {
        const reason = credentials.kind === "refused" ? "unauthorised" : "network";
        return failureOf(new Stop(reason));
      }
      const { clientId, accessToken, userId } = credentials;
      const [{ ApiClient }, { StaticAuthProvider }] = await Promise.all([
        import("@twurple/api"),
        import("@twurple/auth"),
      ]);
      const client = new ApiClient({ authProvider: new StaticAuthProvider(clientId, accessToken) });
      try {
        const value = await client.asUser(userId, (api) => {
          api.callApi = (options) => request(options, credentials);
          return work(api, userId);
        });
        return { ok: true, value };
      } catch (error) {
        if (error instanceof Stop) return failureOf(error);
        throw error;
      }
    },
    close: () => {
      for (const stop of underWay) stop.abort("closed");
    },
  };
}

/** Carries a failure through twurple's endpoints, which know no other way out. */
class Stop extends Error {
  readonly reason: HelixReason;
  readonly retryAtMs: number | null;
  readonly mayHaveActed: boolean;

  constructor(
    reason: HelixReason,
    details: { retryAtMs?: number | null; mayHaveActed?: boolean } = {},
  ) {
    super(reason);
    this.reason = reason;
    this.retryAtMs = details.retryAtMs ?? null;
    this.mayHaveActed = details.mayHaveActed ?? false;
  }
}

function failureOf({ reason, retryAtMs, mayHaveActed }: Stop): HelixFailure {
  return { ok: false, reason, retryAtMs, mayHaveActed };
}

/** `scopes` of a call are alternatives; undefined what the token has, where Twitch has not said. */
function mayCall(options: CallOptions, granted: readonly string[] | undefined): boolean {
  if (options.forceType === "app") return false;
  const wanted = options.scopes ?? [];
  return wanted.length === 0 || granted === undefined || wanted.some((s) => granted.includes(s));
}

function stopOf({ status, headers, text }: TwitchAnswer): Stop {
  if (status === 401)
    return new Stop(/missing scope/i.test(text) ? "missing_scope" : "unauthorised");
  if (status === 403) return new Stop("forbidden");
  if (status === 404) return new Stop("not_found");
  if (status === 409) return new Stop("conflict");
  if (status === 429) return new Stop("rate_limited", { retryAtMs: resetAtMs(headers) });
  return status >= 500 ? new Stop("server", { mayHaveActed: true }) : new Stop("request");
}

function resetAtMs(headers: Headers): number | null {
  const seconds = Number(headers.get("ratelimit-reset"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}

/** Errors before anything was written: no connection came about. */
const UNCONNECTED_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function stopOfThrown(error: unknown, signal: AbortSignal): Stop {
  if (signal.aborted) return new Stop("closed", { mayHaveActed: true });
  if (error === "timeout") return new Stop("timeout", { mayHaveActed: true });
  // Twitch answered 200 with something that is no JSON, or without an end.
  if (error instanceof SyntaxError || error instanceof TooLarge) {
    return new Stop("server", { mayHaveActed: true });
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new Stop("network", { mayHaveActed: !UNCONNECTED_CODES.has(code) });
}
