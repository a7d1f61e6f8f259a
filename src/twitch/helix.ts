import type { BaseApiClient, HelixUser } from "@twurple/api";
import { z } from "zod";
import type { Credentials, TwitchAuth } from "./auth.ts";
import { boundedCall, TooLarge, type TwitchAnswer } from "./bounded-call.ts";
import type { OutgoingMessage } from "./chat.ts";
import type { SendResult } from "./delivery.ts";
import { SEND_SCOPE } from "./scopes.ts";

type HelixMessage = Pick<OutgoingMessage, "text" | "replyTo"> & { readonly broadcasterId: string };

const TIMEOUT_MS = 8_000;

const user = z.object({
  userId: z.string().min(1),
  login: z.string().min(1),
  displayName: z.string(),
});
const channelInfo = z.object({
  twitchId: z.string().min(1),
  title: z.string(),
  category: z.string(),
  isLive: z.boolean(),
  /** When the running stream began, epoch ms; null while there is none. */
  startedAtMs: z.number().nullable(),
  /** The code of the language that its streamer chose; null where none is told. */
  language: z.string().nullable(),
});
export type ChannelInfo = Readonly<z.output<typeof channelInfo>>;
const sentMessage = z.object({
  data: z.tuple([
    z.object({
      message_id: z.string(),
      is_sent: z.boolean(),
      drop_reason: z.object({ code: z.string(), message: z.string().catch("") }).nullish(),
    }),
  ]),
});

/** What the bot asks of Twitch's API. */
export type Helix = ReturnType<typeof openHelix>;

/**
 * Helix as the account that `auth` is logged in to. Nothing is loaded or asked before the first call, and none of them
 * rejects. A message being sent when it closes is `unknown`.
 */
export function openHelix(options: HelixCallerOptions) {
  const caller = helixCaller(options);
  return {
    ...caller,
    userByLogin: (login: string) =>
      read(user, () => findUser(caller, (users) => users.getUserByName(login))),
    userById: (userId: string) =>
      read(user, () => findUser(caller, (users) => users.getUserById(userId))),
    channelInfo: (login: string) => read(channelInfo, () => describeChannel(caller, login)),
    /** Sends once, as the account of the token. */
    sendMessage: (message: HelixMessage) => send(caller, message),
  };
}

function findUser(
  caller: HelixCaller,
  find: (users: BaseApiClient["users"]) => Promise<HelixUser | null>,
): Promise<HelixResult<unknown>> {
  return caller.call(async ({ users }) => {
    const found = await find(users);
    return found && { userId: found.id, login: found.name, displayName: found.displayName };
  });
}

function describeChannel(caller: HelixCaller, login: string): Promise<HelixResult<unknown>> {
  return caller.call(async ({ users, channels, streams }) => {
    const owner = await users.getUserByName(login);
    if (owner === null) return null;
    const [channel, stream] = await Promise.all([
      channels.getChannelInfoById(owner.id),
      streams.getStreamByUserId(owner.id),
    ]);
    return (
      channel && {
        twitchId: channel.id,
        title: channel.title,
        category: channel.gameName,
        language: channel.language || null,
        isLive: stream !== null,
        startedAtMs: stream === null ? null : stream.startDate.getTime(),
      }
    );
  });
}

/** Nothing found is `not_found`; what does not have the documented shape is Twitch's fault: `server`. */
async function read<T>(
  shape: z.ZodType<T>,
  ask: () => Promise<HelixResult<unknown>>,
): Promise<HelixResult<T>> {
  const result = await ask().catch(() => failed("server"));
  if (!result.ok) return result;
  if (result.value === null) return failed("not_found");
  const parsed = shape.safeParse(result.value);
  return parsed.success ? { ok: true, value: parsed.data } : failed("server");
}

async function send(caller: HelixCaller, message: HelixMessage): Promise<SendResult> {
  const { broadcasterId, text, replyTo } = message;
  const result = await caller.call((api, userId) => {
    const ids = { broadcaster_id: broadcasterId, sender_id: userId };
    return api.callApi({
      type: "helix",
      url: "chat/messages",
      method: "POST",
      scopes: [SEND_SCOPE],
      // Twitch's reference has the ids in the body, its error texts in the query.
      query: ids,
      jsonBody: {
        ...ids,
        message: text,
        ...(replyTo === null ? {} : { reply_parent_message_id: replyTo }),
      },
    });
  });
  if (!result.ok) {
    return result.mayHaveActed ? { kind: "unknown" } : { kind: "failed", reason: result.reason };
  }
  const sent = sentMessage.safeParse(result.value).data?.data[0];
  if (sent === undefined) return { kind: "unknown" };
  if (sent.is_sent) return { kind: "sent", messageId: sent.message_id };
  const { code: reason = "dropped", message: words = "" } = sent.drop_reason ?? {};
  return { kind: "refused", reason, words };
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

export type HelixCaller = ReturnType<typeof helixCaller>;

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

  return {
    /**
     * Runs `work` on twurple's endpoints, as the bot's account, whose id it gets. Each request goes out once, at once,
     * with its own time limit, beside all others; only one that Twitch refused for its token (401) goes out again,
     * with a renewed token.
     * Rejects with what `work` throws by itself, never for a failure of Helix.
     */
    call: async <T>(
      work: (api: BaseApiClient, userId: string) => Promise<T>,
    ): Promise<HelixResult<T>> => {
      const credentials = await auth.credentials();
      if (credentials.kind === "refused") return failed("unauthorised");
      if (credentials.kind !== "ok") return failed("network");
      const { clientId, accessToken, userId } = credentials;
      twurple ??= loadTwurple();
      const [{ ApiClient }, { StaticAuthProvider }] = await twurple;
      const client = new ApiClient({ authProvider: new StaticAuthProvider(clientId, accessToken) });
      try {
        const value = await client.asUser(userId, (api) => {
          api.callApi = (options) => request(options, credentials);
          return work(api, userId);
        });
        return { ok: true, value };
      } catch (error) {
        if (error instanceof Stop) return error.failure;
        throw error;
      }
    },
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
