import type { TwitchTokens } from "../../platform/config/secrets.ts";
import { refreshTokens, validateToken } from "../../twitch/token-calls.ts";
import { within } from "../../twitch/wait.ts";

const REQUEST_MS_MAX = 10_000;
const UNREACHABLE = { kind: "unreachable" } as const;

type Renewal =
  | { readonly kind: "renewed"; readonly tokens: TwitchTokens }
  | { readonly kind: "refused" | "unreachable" };

export interface RenewalOptions {
  readonly clientId: string;
  readonly refreshToken: string;
  readonly now: () => number;
  /** Gets the new tokens even when they come too late for the answer: Twitch takes the old ones no more by then. */
  readonly onRenewed?: (tokens: TwitchTokens) => void;
}

/** Whose token it is, as Twitch says within 10 s. Never rejects. */
export function whoseToken(accessToken: string, now: () => number) {
  return within(validateToken(accessToken, now), REQUEST_MS_MAX, UNREACHABLE);
}

/** New tokens for a refresh token, where Twitch gives them within 10 s. Rejects only with what `onRenewed` throws. */
export function renewTokens(options: RenewalOptions): Promise<Renewal> {
  return within(renew(options), REQUEST_MS_MAX, UNREACHABLE);
}

async function renew({ clientId, refreshToken, now, onRenewed }: RenewalOptions): Promise<Renewal> {
  const fresh = await refreshTokens(clientId, refreshToken, now);
  if (fresh.kind !== "refreshed") return { kind: fresh.kind };
  const tokens = { ...fresh.tokens, refreshToken: fresh.tokens.refreshToken ?? refreshToken };
  onRenewed?.(tokens);
  return { kind: "renewed", tokens };
}
