import type { BaseApiClient } from "@twurple/api";
import { z } from "zod";
import type { Credentials, TwitchAuth } from "./auth.ts";
import { boundedCall, TooLarge, type TwitchAnswer } from "./bounded-call.ts";
import type { OutgoingMessage } from "./chat.ts";
import type { SendResult } from "./delivery.ts";
import { SEND_SCOPE } from "./scopes.ts";

type HelixMessage = Pick<OutgoingMessage, "text" | "replyTo"> & { readonly broadcasterId: string };

const TIMEOUT_MS = 8_000;

/** Helix wraps what it has in `data`. */
function dataOf<T>(item: z.ZodType<T>) {
  return z.object({ data: z.array(item) });
}

const user = dataOf(
  z
    .object({ id: z.string().min(1), login: z.string().min(1), display_name: z.string() })
    .transform(({ id, login, display_name }) => ({ userId: id, login, displayName: display_name })),
);
const channel = dataOf(
  z.object({
    broadcaster_id: z.string().min(1),
    title: z.string(),
    game_name: z.string(),
    broadcaster_language: z.string().catch(""),
  }),
);
const stream = dataOf(
  z.object({ started_at: z.iso.datetime({ offset: true }).transform((day) => Date.parse(day)) }),
);
const sentMessage = dataOf(
  z.object({
    message_id: z.string(),
    is_sent: z.boolean(),
    drop_reason: z.object({ code: z.string(), message: z.string().catch("") }).nullish(),
  }),
);

export interface ChannelInfo {
  readonly twitchId: string;
  readonly title: string;
  readonly category: string;
  readonly isLive: boolean;
  /** When the running stream began, epoch ms; null while there is none. */
  readonly startedAtMs: number | null;
  /** The code of the language that its streamer chose; null if Twitch names none. */
  readonly language: string | null;
}

/** What the bot asks of Twitch's API. */
export type Helix = ReturnType<typeof openHelix>;

/**
 * Helix as the account that `auth` is logged in to. Asks nothing before the first call; no call rejects. A message being
 * sent when it closes is `unknown`. Nothing found is `not_found`; an answer of another shape is Twitch's fault: `server`.
 */
export function openHelix(options: HelixCallerOptions) {
  const caller = helixCaller(options);
  const findUser = (query: { login: string } | { id: string }) => first("users", query, user);
  return {
    ...caller,
    userByLogin: (login: string) => findUser({ login }),
    userById: (userId: string) => findUser({ id: userId }),
    async channelInfo(login: string): Promise<HelixResult<ChannelInfo>> {
      const owner = await findUser({ login });
      if (!owner.ok) return owner;
      const { userId } = owner.value;
      const [found, running] = await Promise.all([
        first("channels", { broadcaster_id: userId }, channel),
        first("streams", { user_id: userId }, stream),
      ]);
      if (!found.ok) return found;
      if (!running.ok && running.reason !== "not_found") return running;
      const { broadcaster_id, title, game_name, broadcaster_language } = found.value;
      return {
        ok: true,
        value: {
          twitchId: broadcaster_id,
          title,
          category: game_name,
          language: broadcaster_language || null,
          isLive: running.ok,
          startedAtMs: running.ok ? running.value.started_at : null,
        },
      };
    },
    /** Sends once, as the account of the token. */
    async sendMessage({ broadcasterId, text, replyTo }: HelixMessage): Promise<SendResult> {
      const result = await caller.ask((userId) => {
        const ids = { broadcaster_id: broadcasterId, sender_id: userId };
        const parent = replyTo === null ? {} : { reply_parent_message_id: replyTo };
        return {
          type: "helix",
          url: "chat/messages",
          method: "POST",
          scopes: [SEND_SCOPE],
          // Twitch's reference has the ids in the body, its error texts in the query.
          query: ids,
          jsonBody: { ...ids, message: text, ...parent },
        };
      });
      if (!result.ok) {
        return result.mayHaveActed
          ? { kind: "unknown" }
          : { kind: "failed", reason: result.reason };
      }
      const sent = sentMessage.safeParse(result.value).data?.data[0];
      if (sent === undefined) return { kind: "unknown" };
      if (sent.is_sent) return { kind: "sent", messageId: sent.message_id };
      const { code: reason = "dropped", message: words = "" } = sent.drop_reason ?? {};
      return { kind: "refused", reason, words };
    },
  };

  async function first<T>(
    url: string,
    query: Readonly<Record<string, string>>,
    shape: z.ZodType<{ data: T[] }>,
  ): Promise<HelixResult<T>> {
    const result = await caller.ask(() => ({ type: "helix", url, query }));
    if (!result.ok) return result;
    const parsed = shape.safeParse(result.value);
    if (!parsed.success) return failed("server");
    const [value] = parsed.data.data;
    return value === undefined ? failed("not_found") : { ok: true, value };
  }
}

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

function failed(
  reason: HelixReason,
  known: Partial<Pick<HelixFailure, "retryAtMs" | "mayHaveActed">> = {},
): HelixFailure {
  return { ok: false, reason, retryAtMs: null, mayHaveActed: false, ...known };
}

/** Carries a failure through twurple's endpoints, which know no other way out. */
class Stop extends Error {
  readonly failure: HelixFailure;

  constructor(failure: HelixFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

export interface HelixCallerOptions {
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity">;
  /** How long one request may take, answer included, ms; by default eight seconds. */
  readonly timeoutMs?: number;
}

function loadTwurple() {
  return Promise.all([import("@twurple/api"), import("@twurple/auth")]);
}

type CallOptions = Parameters<BaseApiClient["callApi"]>[0];

/**
 * Twurple's ApiClient retries each request up to three times, chat messages too, has no time limit, and lets one
 * hung request hold up all others. So its endpoints are used, and its transport is not.
 */
export function helixCaller({ auth, timeoutMs = TIMEOUT_MS }: HelixCallerOptions) {
  const underWay = new Set<AbortController>();
  let twurple: ReturnType<typeof loadTwurple> | null = null;

  async function request<T>(options: CallOptions, credentials: Credentials): Promise<T> {
    if (!mayCall(options, auth.identity()?.scopes)) throw new Stop(failed("missing_scope"));
    try {
      return await requestOnce<T>(options, credentials);
    } catch (error) {
      if (!(error instanceof Stop) || error.failure.reason !== "unauthorised") throw error;
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
      if (answer.status < 200 || answer.status > 299) throw new Stop(failureOf(answer));
      const body: T = JSON.parse(answer.text === "" ? "null" : answer.text);
      return body;
    } catch (error) {
      throw error instanceof Stop ? error : new Stop(failureOfThrown(error, stop.signal));
    } finally {
      underWay.delete(stop);
    }
  }

  async function asUser<T>(
    work: (credentials: Credentials) => Promise<T>,
  ): Promise<HelixResult<T>> {
    const credentials = await auth.credentials();
    if (credentials.kind === "refused") return failed("unauthorised");
    if (credentials.kind !== "ok") return failed("network");
    try {
      return { ok: true, value: await work(credentials) };
    } catch (error) {
      if (error instanceof Stop) return error.failure;
      throw error;
    }
  }

  return {
    /**
     * Sends one request as the bot's account, whose id `describe` gets, and returns the answer's JSON. It goes out once,
     * at once, with its own time limit; only one that Twitch refused for its token (401) goes out again, with a renewed
     * token. Never rejects for a failure of Helix.
     */
    ask: (describe: (userId: string) => CallOptions): Promise<HelixResult<unknown>> =>
      asUser((credentials) => request<unknown>(describe(credentials.userId), credentials)),
    /** Runs `work` on twurple's endpoints, whose requests go out as those of `ask`. Rejects with what `work` throws by itself. */
    call: <T>(work: (api: BaseApiClient, userId: string) => Promise<T>): Promise<HelixResult<T>> =>
      asUser(async (credentials) => {
        const { clientId, accessToken, userId } = credentials;
        twurple ??= loadTwurple();
        const [{ ApiClient }, { StaticAuthProvider }] = await twurple;
        const authProvider = new StaticAuthProvider(clientId, accessToken);
        return await new ApiClient({ authProvider }).asUser(userId, (api) => {
          api.callApi = (options) => request(options, credentials);
          return work(api, userId);
        });
      }),
    /** Cuts the requests under way: they end as `closed`. */
    close: (): void => {
      for (const stop of underWay) stop.abort("closed");
    },
  };
}

/** `scopes` of a call are alternatives; undefined what the token has, where Twitch has not said. */
function mayCall(options: CallOptions, granted: readonly string[] | undefined): boolean {
  if (options.forceType === "app") return false;
  const wanted = options.scopes ?? [];
  return wanted.length === 0 || granted === undefined || wanted.some((s) => granted.includes(s));
}

const REASONS: Readonly<Record<number, HelixReason>> = {
  403: "forbidden",
  404: "not_found",
  409: "conflict",
};

function failureOf({ status, headers, text }: TwitchAnswer): HelixFailure {
  if (status === 401) return failed(/missing scope/i.test(text) ? "missing_scope" : "unauthorised");
  if (status === 429) return failed("rate_limited", { retryAtMs: resetAtMs(headers) });
  return status >= 500
    ? failed("server", { mayHaveActed: true })
    : failed(REASONS[status] ?? "request");
}

function resetAtMs(headers: TwitchAnswer["headers"]): number | null {
  const seconds = Number(headers["ratelimit-reset"]);
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
]);

function failureOfThrown(error: unknown, signal: AbortSignal): HelixFailure {
  if (signal.aborted) return failed("closed", { mayHaveActed: true });
  if (error === "timeout") return failed("timeout", { mayHaveActed: true });
  // Twitch answered 200 with something that is no JSON, or without an end.
  if (error instanceof SyntaxError || error instanceof TooLarge) {
    return failed("server", { mayHaveActed: true });
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return failed("network", { mayHaveActed: !UNCONNECTED_CODES.has(code) });
}
