import { z } from "zod";
import { callBounded } from "./bounded-call.ts";

/** Scopes to read and to write chat by IRC. */
export const READ_SCOPE = "chat:read";
export const WRITE_SCOPE = "chat:edit";
/** To write by Helix, which says whether a message arrived. */
export const SEND_SCOPE = "user:write:chat";

export interface ApplicationTokens {
  readonly accessToken: string;
  /** A null means that the access token cannot be renewed. */
  readonly refreshToken: string | null;
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
type Validation =
  | { readonly kind: "valid"; readonly identity: TokenIdentity }
  | { readonly kind: "invalid" | "not_a_user" | "unreachable" };

/** `refused`: Twitch will never accept this refresh token again. */
type Refresh =
  | {
      readonly kind: "refreshed";
      /** `refreshToken` is null if the old one stays valid. */
      readonly tokens: Pick<ApplicationTokens, "accessToken" | "refreshToken">;
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

/** Asks Twitch about a token. Never rejects; an answer that cannot be read counts as unreachable. */
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
