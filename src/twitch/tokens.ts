import { z } from "zod";
import { callBounded, type Wait } from "./bounded-call.ts";

/** Scopes to read and to write chat by IRC. */
export const READ_SCOPE = "chat:read";
export const WRITE_SCOPE = "chat:edit";
/** Scope to write by Helix, which says whether a message arrived. */
export const SEND_SCOPE = "user:write:chat";

interface TokenPair {
  readonly accessToken: string;
  /** A null means that the access token cannot be renewed. */
  readonly refreshToken: string | null;
}

export interface ApplicationTokens extends TokenPair {
  /** Empty if only Twitch knows which application the token is for. */
  readonly clientId: string;
}

/** The account and the scopes of a token, as Twitch states them. */
export interface TokenIdentity {
  readonly userId: string;
  readonly login: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Epoch ms; null for the few tokens that never expire. */
  readonly expiresAtMs: number | null;
}

/** `not_a_user`: the token belongs to an application, not to an account. */
export type Validation =
  | { readonly kind: "valid"; readonly identity: TokenIdentity }
  | { readonly kind: "invalid" | "not_a_user" | "unreachable" };

/** `refused`: Twitch will never accept this refresh token again. */
type Refresh =
  | {
      readonly kind: "refreshed";
      /** `refreshToken` is null if the old one stays valid. */
      readonly tokens: TokenPair;
      readonly scopes: readonly string[];
      readonly expiresAtMs: number | null;
    }
  | { readonly kind: "refused" }
  | { readonly kind: "unreachable" };

/** Twitch's ids. Anything else would be shown, stored and compared with ids. */
const ID = /^[\w-]{1,100}$/;
/** A token of an application has no user. */
const application = z.object({ client_id: z.string().regex(ID), login: z.literal("").nullish() });
/** Shape of Twitch's refusals. A proxy answers with another page. */
const refusal = z.object({ message: z.string() });
const seconds = z.number().nullish().catch(null);
const identified = z.object({
  user_id: z.string().regex(ID),
  login: z.string().regex(/^\w{1,25}$/),
  client_id: z.string().regex(ID),
  scopes: z.array(z.string()).catch([]),
  expires_in: seconds,
});
const renewed = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish().catch(null),
  scope: z.array(z.string()).catch([]),
  expires_in: seconds,
});

const VALIDATION_MS_MAX = 10_000;
/** Longer: a renewal that is given up loses the tokens that Twitch may have sent. */
const RENEWAL_MS_MAX = 15_000;
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403]);

/** Asks Twitch about an access token, for 10 s at most. Never rejects. An unclear answer counts as unreachable. */
export async function validateToken(accessToken: string, now: () => number): Promise<Validation> {
  try {
    const question = { type: "auth", url: "validate" } as const;
    const limits = { timeoutMs: VALIDATION_MS_MAX };
    const { status, text } = await callBounded(question, { accessToken }, limits);
    const answer: unknown = JSON.parse(text);
    if (status === 401 && refusal.safeParse(answer).success) return { kind: "invalid" };
    if (status !== 200) return { kind: "unreachable" };
    if (application.safeParse(answer).success) return { kind: "not_a_user" };
    const { user_id, login, client_id, scopes, expires_in } = identified.parse(answer);
    const expiresAtMs = toExpiry(expires_in, now);
    const identity = { userId: user_id, login, clientId: client_id, scopes, expiresAtMs };
    return { kind: "valid", identity };
  } catch {
    return { kind: "unreachable" };
  }
}

/**
 * Exchanges a refresh token for new tokens, without a client secret. Never rejects, and ends within 15 s.
 * Twitch answers 400, 401 or 403 for a token that is spent, revoked or 30 days unused. Other failures may pass.
 */
export async function refreshTokens(
  clientId: string,
  refreshToken: string,
  now: () => number,
): Promise<Refresh> {
  try {
    const query = {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refreshToken,
    };
    const question = { type: "auth", url: "token", method: "POST", query } as const;
    const { status, text } = await callBounded(question, {}, { timeoutMs: RENEWAL_MS_MAX });
    const answer: unknown = JSON.parse(text);
    if (FINAL_STATUSES.has(status) && refusal.safeParse(answer).success) return { kind: "refused" };
    if (status !== 200) return { kind: "unreachable" };
    const { access_token, refresh_token, scope, expires_in } = renewed.parse(answer);
    return {
      kind: "refreshed",
      tokens: { accessToken: access_token, refreshToken: refresh_token ?? null },
      scopes: scope,
      expiresAtMs: toExpiry(expires_in, now),
    };
  } catch {
    return { kind: "unreachable" };
  }
}

function toExpiry(expiresInSeconds: number | null | undefined, now: () => number): number | null {
  return expiresInSeconds ? now() + expiresInSeconds * 1_000 : null;
}

/**
 * Why a log-in failed. `client_refused`: Twitch knows no such application. `refused`: Twitch rejected the request for
 * another reason. `denied`: the user said no. `expired`: the code is too old, or was used before.
 */
export type DeviceFailure =
  | "client_refused"
  | "refused"
  | "denied"
  | "expired"
  | "unreachable"
  | "aborted";

type DeviceOutcome =
  | { readonly kind: "approved"; readonly tokens: TokenPair }
  | { readonly kind: DeviceFailure };

const REQUEST_MS_MAX = 10_000;
const INTERVAL_SECONDS_DEFAULT = 5;
const INTERVAL_SECONDS_MAX = 60;
const CODE_SECONDS_MAX = 86_400;
/** RFC 8628: added to the interval if the client polled too fast. */
const SLOWER_MS = 5_000;
/** Twitch sometimes rejects a good code (twitchdev/issues 971), and networks fail for moments. */
const FAILURES_IN_A_ROW_MAX = 3;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const FINAL: ReadonlySet<string> = new Set(["denied", "client_refused", "aborted"]);

const code = z.string().regex(/^[\x21-\x7e]{1,1000}$/);
/** The user reads the code and opens the address: no control characters, and only https. */
const startedSchema = z.object({
  device_code: code,
  user_code: z.string().regex(/^[\w-]{1,40}$/),
  verification_uri: code.startsWith("https://"),
  expires_in: z.number().positive().max(CODE_SECONDS_MAX),
  interval: z
    .number()
    .positive()
    .catch(INTERVAL_SECONDS_DEFAULT)
    .transform((seconds) => Math.min(seconds, INTERVAL_SECONDS_MAX)),
});
const tokensSchema = z.object({ access_token: code, refresh_token: code.nullish() });

interface DeviceLoginOptions {
  /** Client id of an application that is registered with Twitch, client type Public. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: () => number;
  readonly wait: Wait;
  /** Ends the polling as `aborted`. */
  readonly signal: AbortSignal;
}

/**
 * Starts a log-in on a page of Twitch, without a client secret. Returns the code, the page's address and `outcome`,
 * which polls until the log-in ends; or why Twitch gave no code. Neither promise rejects. No failure holds a token or
 * a code.
 */
export async function startDeviceLogin(options: DeviceLoginOptions) {
  const { clientId, now, signal } = options;
  const request = { client_id: clientId, scopes: options.scopes.join(" ") };
  const started = await ask(startedSchema, "device", request, signal);
  if (started.kind === "pending") return { kind: "unreachable" } as const;
  if (started.kind !== "ok") return started;
  const { device_code, user_code, verification_uri, expires_in, interval } = started.value;
  const expiresAtMs = now() + expires_in * 1_000;
  const exchange = { ...request, grant_type: GRANT_TYPE, device_code };
  return {
    kind: "started",
    userCode: user_code,
    /** Address of the page that asks for the code; it has the code filled in. */
    address: verification_uri,
    outcome: poll(options, exchange, interval * 1_000, expiresAtMs),
  } as const;
}

/**
 * Asks for the tokens, with `query`, until the user has entered the code. Ends earlier if Twitch or the user refuses,
 * the code expires, three answers in a row fail, or `signal` aborts. Never rejects.
 */
async function poll(
  { now, wait, signal }: DeviceLoginOptions,
  query: Readonly<Record<string, string>>,
  everyMs: number,
  expiresAtMs: number,
): Promise<DeviceOutcome> {
  let pauseMs = everyMs;
  let failures = 0;
  for (;;) {
    await wait(pauseMs, signal);
    if (signal.aborted) return { kind: "aborted" };
    const answer = await ask(tokensSchema, "token", query, signal);
    if (answer.kind === "ok") {
      const { access_token, refresh_token } = answer.value;
      const tokens = { accessToken: access_token, refreshToken: refresh_token ?? null };
      return { kind: "approved", tokens };
    }
    failures = answer.kind === "pending" ? 0 : failures + 1;
    if (answer.kind === "pending") pauseMs += answer.slowerMs;
    else if (FINAL.has(answer.kind) || failures === FAILURES_IN_A_ROW_MAX) return answer;
    if (now() >= expiresAtMs) return { kind: "expired" };
  }
}

type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "pending"; readonly slowerMs: number }
  | { readonly kind: DeviceFailure };

/**
 * Sends one request to Twitch's log-in server. `pending`: ask again later, `slowerMs` slower. An unreadable answer
 * counts as unreachable. Never rejects.
 */
async function ask<T>(
  shape: z.ZodType<T>,
  url: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer<T>> {
  try {
    const question = { type: "auth", method: "POST", url, query } as const;
    const { status, text } = await callBounded(question, {}, { timeoutMs: REQUEST_MS_MAX, signal });
    if (status === 200) return { kind: "ok", value: shape.parse(JSON.parse(text)) };
    // These cases differ only in the words of Twitch's message.
    if (status === 429 || /slow_down/i.test(text)) return { kind: "pending", slowerMs: SLOWER_MS };
    if (status < 400 || status >= 500) return { kind: "unreachable" };
    if (/authorization_pending/i.test(text)) return { kind: "pending", slowerMs: 0 };
    if (/denied|declined/i.test(text)) return { kind: "denied" };
    if (/expired|invalid device code/i.test(text)) return { kind: "expired" };
    return { kind: /client/i.test(text) ? "client_refused" : "refused" };
  } catch {
    return { kind: signal.aborted ? "aborted" : "unreachable" };
  }
}
