import { z } from "zod";

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
const identified = z.object({
  userId: z.string().regex(ID),
  login: z.string().regex(/^\w{1,25}$/),
  clientId: z.string().regex(ID),
  scopes: z.array(z.string()).catch([]),
});

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
    const { getTokenInfo } = await import("@twurple/auth");
    const info = await getTokenInfo(accessToken);
    if (!info.userId || !info.userName) return { kind: "not_a_user" };
    const { userId, userName, clientId, expiryDate } = info;
    const identity = identified.parse({ userId, login: userName, clientId, scopes: info.scopes });
    // twurple dates the expiry by the system's clock; only the distance is Twitch's.
    const expiresInMs = expiryDate === null ? 0 : expiryDate.getTime() - Date.now();
    const expiresAtMs = expiresInMs > 0 ? now() + expiresInMs : null;
    return { kind: "valid", identity: { ...identity, expiresAtMs } };
  } catch (error) {
    // InvalidTokenError is what getTokenInfo makes of a 401.
    return { kind: nameOf(error) === "InvalidTokenError" ? "invalid" : "unreachable" };
  }
}

/**
 * Trades a refresh token for new tokens, without a client secret. Never rejects.
 * Twitch answers 400 or 401 for a token that is spent, revoked or 30 days unused; all else may pass.
 */
export async function refreshTokens(
  clientId: string,
  refreshToken: string,
  now: () => number,
): Promise<Refresh> {
  try {
    const { refreshUserToken } = await import("@twurple/auth");
    const fresh = await refreshUserToken(clientId, undefined, refreshToken);
    if (!fresh.accessToken) return { kind: "unreachable" };
    return {
      kind: "refreshed",
      tokens: { accessToken: fresh.accessToken, refreshToken: fresh.refreshToken },
      scopes: fresh.scope,
      expiresAtMs: fresh.expiresIn === null ? null : now() + fresh.expiresIn * 1_000,
    };
  } catch (error) {
    return { kind: FINAL_STATUSES.has(statusOf(error)) ? "refused" : "unreachable" };
  }
}

const FINAL_STATUSES = new Set([400, 401, 403]);

/** twurple's message quotes the address with the refresh token in it: nothing but the status may leave here. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !("statusCode" in error)) return 0;
  return typeof error.statusCode === "number" ? error.statusCode : 0;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
