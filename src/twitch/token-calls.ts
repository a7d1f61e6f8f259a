import { z } from "zod";
import { boundedCall } from "./bounded-call.ts";

/** Whose token it is and what it may do, as Twitch says. */
export interface TokenIdentity {
  readonly userId: string;
  readonly login: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** When it runs out, epoch ms; null for the few that never do. */
  readonly expiresAtMs: number | null;
}

/** `not_a_user`: a valid token of an application, with nobody behind it. */
type Validation =
  | { readonly kind: "valid"; readonly identity: TokenIdentity }
  | { readonly kind: "invalid" }
  | { readonly kind: "not_a_user" }
  | { readonly kind: "unreachable" };

/** As Twitch writes them: what else came would be shown, stored, and held against other ids. */
const ID = /^[\w-]{1,100}$/;
const named = z.object({ login: z.string().min(1), user_id: z.string().min(1) });
const identified = z.object({
  user_id: z.string().regex(ID),
  login: z.string().regex(/^\w{1,25}$/),
  client_id: z.string().regex(ID),
  scopes: z.array(z.string()).catch([]),
  expires_in: z.number().nullish().catch(null),
});
const renewed = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish().catch(null),
  scope: z.array(z.string()).catch([]),
  expires_in: z.number().nullish().catch(null),
});
/** One request to the log-in server, answer included. */
const REQUEST_MS_MAX = 10_000;
/** Whoever gives up on a renewal loses the tokens that Twitch may have sent meanwhile: it gets more time. */
const RENEWAL_MS_MAX = 15_000;

export interface Refreshed {
  readonly kind: "refreshed";
  /** `refreshToken` is null where Twitch let the old one stand. */
  readonly tokens: { readonly accessToken: string; readonly refreshToken: string | null };
  readonly scopes: readonly string[];
  readonly expiresAtMs: number | null;
}

/** `refused`: Twitch will never take this refresh token again. */
type Refresh = Refreshed | { readonly kind: "refused" } | { readonly kind: "unreachable" };

/** Asks Twitch about a token. Never rejects; what it cannot read counts as unreachable. */
export async function validateToken(accessToken: string, now: () => number): Promise<Validation> {
  try {
    const question = { type: "auth", url: "validate" } as const;
    const { status, text } = await boundedCall(
      question,
      { accessToken },
      { timeoutMs: REQUEST_MS_MAX },
    );
    if (status === 401) return { kind: "invalid" };
    if (status !== 200) return { kind: "unreachable" };
    const answer: unknown = JSON.parse(text);
    if (!named.safeParse(answer).success) return { kind: "not_a_user" };
    const { user_id, login, client_id, scopes, expires_in } = identified.parse(answer);
    const expiresAtMs = expires_in ? now() + expires_in * 1_000 : null;
    const identity = { userId: user_id, login, clientId: client_id, scopes, expiresAtMs };
    return { kind: "valid", identity };
  } catch {
    return { kind: "unreachable" };
  }
}

/**
 * Trades a refresh token for new tokens, without a client secret. Never rejects, and ends within 15 s.
 * Twitch answers 400 or 401 for a token that is spent, revoked or 30 days unused; all else may pass.
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
    const { status, text } = await boundedCall(question, {}, { timeoutMs: RENEWAL_MS_MAX });
    if (FINAL_STATUSES.has(status)) return { kind: "refused" };
    if (status !== 200) return { kind: "unreachable" };
    const { access_token, refresh_token, scope, expires_in } = renewed.parse(JSON.parse(text));
    return {
      kind: "refreshed",
      tokens: { accessToken: access_token, refreshToken: refresh_token ?? null },
      scopes: scope,
      expiresAtMs: expires_in ? now() + expires_in * 1_000 : null,
    };
  } catch {
    return { kind: "unreachable" };
  }
}

const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403]);
