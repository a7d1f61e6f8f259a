import type { BaseApiClient } from "@twurple/api";
import type { TwitchApiCallOptions } from "@twurple/api-call";
import { z } from "zod";
import type { Credentials, TwitchAccount } from "./auth.ts";
import { callBounded, TooLarge } from "./bounded-call.ts";
import type { SendResult } from "./delivery.ts";
import { SEND_SCOPE } from "./tokens.ts";

const TIMEOUT_MS = 8_000;

/** Helix wraps every answer in `data`. */
function listOf<T>(item: z.ZodType<T>) {
  return z.object({ data: z.array(item) });
}

const user = listOf(
  z
    .object({ id: z.string().min(1), login: z.string().min(1), display_name: z.string() })
    .transform(({ id, login, display_name }) => ({ userId: id, login, displayName: display_name })),
);
const channel = listOf(
  z
    .object({
      broadcaster_id: z.string().min(1),
      title: z.string(),
      game_name: z.string(),
      broadcaster_language: z.string().catch(""),
    })
    .transform(({ broadcaster_id, title, game_name, broadcaster_language }) => ({
      twitchId: broadcaster_id,
      title,
      category: game_name,
      language: broadcaster_language || null,
    })),
);
const stream = listOf(
  z.object({ started_at: z.iso.datetime({ offset: true }).transform((day) => Date.parse(day)) }),
);
const sentMessage = listOf(
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
  /** Start of the running stream, epoch ms; null if the channel is offline. */
  readonly startedAtMs: number | null;
  /** Code of the stream's language; null if Twitch names none. */
  readonly language: string | null;
}

/**
 * Reason of a failed call. `unauthorised` and `missing_scope` need the operator. `forbidden`, `not_found`, `conflict`
 * and `request` concern this one request. The others may pass by themselves.
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

interface HelixFailure {
  readonly ok: false;
  readonly reason: HelixReason;
  /** True if Twitch may have done it nevertheless. */
  readonly mayHaveActed: boolean;
}

export type HelixResult<T> = { readonly ok: true; readonly value: T } | HelixFailure;

function makeFailure(reason: HelixReason, mayHaveActed = false): HelixFailure {
  return { ok: false, reason, mayHaveActed };
}

/** Carries a failure through twurple's client. */
class Stop extends Error {
  readonly failure: HelixFailure;

  constructor(failure: HelixFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/**
 * Sends requests to Helix. Twurple's client retries each request up to three times, chat messages too, has no time
 * limit, and lets one hung request delay all others. So actions use its client, but not its transport.
 */
export class HelixCaller {
  readonly #auth: TwitchAccount;
  readonly #timeoutMs: number;
  readonly #pending = new Set<AbortController>();

  /** `timeoutMs`: the limit for one request with its answer. */
  constructor(auth: TwitchAccount, timeoutMs = TIMEOUT_MS) {
    this.#auth = auth;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends the request that `describe` returns for the account's user id. Returns the JSON of the answer; null if it is
   * empty. Sends nothing if the token has none of the wanted scopes. Sends it again only if Twitch refused the token
   * (401), with a renewed token. Never rejects for a failure of Helix.
   */
  ask(describe: (userId: string) => TwitchApiCallOptions): Promise<HelixResult<unknown>> {
    return this.#callAsUser((credentials) =>
      this.#request<unknown>(describe(credentials.userId), credentials),
    );
  }

  /**
   * Runs `work` with twurple's client, whose requests are sent like those of `ask`. A failed request ends `work`, and
   * its failure is the result. Rejects if `work` itself throws.
   */
  call<T>(work: (api: BaseApiClient, userId: string) => Promise<T>): Promise<HelixResult<T>> {
    return this.#callAsUser(async (credentials) => {
      const { clientId, accessToken, userId } = credentials;
      // Loaded at the first action: the two packages would slow every start.
      const { ApiClient } = await import("@twurple/api");
      const { StaticAuthProvider } = await import("@twurple/auth");
      const authProvider = new StaticAuthProvider(clientId, accessToken);
      return await new ApiClient({ authProvider }).asUser(userId, (api) => {
        api.callApi = (options) => this.#request(options, credentials);
        return work(api, userId);
      });
    });
  }

  /** Aborts the requests in progress: they end as `closed`. Does not stop later ones. */
  close(): void {
    for (const stop of this.#pending) stop.abort("closed");
  }

  async #callAsUser<T>(work: (credentials: Credentials) => Promise<T>): Promise<HelixResult<T>> {
    const credentials = await this.#auth.credentials();
    if (credentials.kind === "refused") return makeFailure("unauthorised");
    if (credentials.kind !== "ok") return makeFailure("network");
    try {
      return { ok: true, value: await work(credentials) };
    } catch (error) {
      if (error instanceof Stop) return error.failure;
      throw error;
    }
  }

  async #request<T>(options: TwitchApiCallOptions, credentials: Credentials): Promise<T> {
    const auth = this.#auth;
    const { scopes: wanted = [] } = options;
    // Until Twitch has said which scopes the token has, it may have any.
    const granted = auth.identity()?.scopes ?? wanted;
    if (wanted.length > 0 && !wanted.some((scope) => granted.includes(scope)))
      throw new Stop(makeFailure("missing_scope"));
    try {
      return await this.#requestOnce<T>(options, credentials);
    } catch (error) {
      if (!(error instanceof Stop) || error.failure.reason !== "unauthorised") throw error;
      await auth.check();
      const renewed = await auth.credentials();
      if (renewed.kind !== "ok" || renewed.accessToken === credentials.accessToken) throw error;
      return await this.#requestOnce<T>(options, renewed);
    }
  }

  async #requestOnce<T>(options: TwitchApiCallOptions, credentials: Credentials): Promise<T> {
    const stop = new AbortController();
    const limits = { timeoutMs: this.#timeoutMs, signal: stop.signal };
    this.#pending.add(stop);
    try {
      const { status, text } = await callBounded(options, credentials, limits);
      if (status === 401) {
        const lacksScope = /missing scope/i.test(text);
        throw new Stop(makeFailure(lacksScope ? "missing_scope" : "unauthorised"));
      }
      if (status >= 500) throw new Stop(makeFailure("server", true));
      if (status < 200 || status > 299) throw new Stop(makeFailure(REASONS[status] ?? "request"));
      const body: T = JSON.parse(text === "" ? "null" : text);
      return body;
    } catch (error) {
      throw error instanceof Stop ? error : new Stop(classifyThrown(error, stop.signal));
    } finally {
      this.#pending.delete(stop);
    }
  }
}

/**
 * Calls Helix in the name of an account. Sends nothing before the first call. No call rejects for a failure of Helix.
 * A message in progress at `close` is `unknown`. An empty answer is `not_found`; an answer of another shape is a
 * `server` failure.
 */
export class Helix extends HelixCaller {
  userByLogin(login: string) {
    return this.#first("users", { login }, user);
  }

  userById(id: string) {
    return this.#first("users", { id }, user);
  }

  async channelInfo(login: string): Promise<HelixResult<ChannelInfo>> {
    const owner = await this.userByLogin(login);
    if (!owner.ok) return owner;
    const { userId } = owner.value;
    const [found, running] = await Promise.all([
      this.#first("channels", { broadcaster_id: userId }, channel),
      this.#first("streams", { user_id: userId }, stream),
    ]);
    if (!found.ok) return found;
    if (!running.ok && running.reason !== "not_found") return running;
    const startedAtMs = running.ok ? running.value.started_at : null;
    return { ok: true, value: { ...found.value, isLive: running.ok, startedAtMs } };
  }

  /** Sends a message once, as the account of the token. Returns `unknown` if Twitch may have sent it. */
  async sendMessage(message: {
    readonly broadcasterId: string;
    readonly text: string;
    readonly replyTo: string | null;
  }): Promise<SendResult> {
    const { broadcasterId, text, replyTo } = message;
    const result = await this.ask((userId) => {
      const ids = { broadcaster_id: broadcasterId, sender_id: userId };
      const parent = replyTo === null ? {} : { reply_parent_message_id: replyTo };
      return {
        type: "helix",
        url: "chat/messages",
        method: "POST",
        scopes: [SEND_SCOPE],
        // Twitch's reference wants the ids in the body, its error messages want them in the query.
        query: ids,
        jsonBody: { ...ids, message: text, ...parent },
      };
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

  async #first<T>(
    url: string,
    query: Readonly<Record<string, string>>,
    shape: z.ZodType<{ data: T[] }>,
  ): Promise<HelixResult<T>> {
    const result = await this.ask(() => ({ type: "helix", url, query }));
    if (!result.ok) return result;
    const parsed = shape.safeParse(result.value);
    if (!parsed.success) return makeFailure("server");
    const [value] = parsed.data.data;
    return value === undefined ? makeFailure("not_found") : { ok: true, value };
  }
}

/** Reasons by Twitch's status; another one below 500 is `request`. */
const REASONS: Readonly<Record<number, HelixReason>> = {
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
};

/** Errors before a connection was made: the request was not sent. */
const UNCONNECTED_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
]);

function classifyThrown(error: unknown, signal: AbortSignal): HelixFailure {
  if (signal.aborted) return makeFailure("closed", true);
  if (error === "timeout") return makeFailure("timeout", true);
  // The answer is not JSON, or too long.
  if (error instanceof SyntaxError || error instanceof TooLarge) return makeFailure("server", true);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return makeFailure("network", !UNCONNECTED_CODES.has(code));
}
