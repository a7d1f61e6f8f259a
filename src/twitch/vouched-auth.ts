import type { TwitchAuth } from "./auth.ts";
import type { TokenIdentity } from "./token-calls.ts";

/** A token, and what Twitch said of it a moment ago. */
export interface VouchedToken {
  readonly accessToken: string;
  readonly identity: TokenIdentity;
}

/** To ask Twitch's API a few questions with such a token. It is never checked again, and never renewed. */
export function vouchedAuth({
  accessToken,
  identity,
}: VouchedToken): Pick<TwitchAuth, "credentials" | "check" | "identity"> {
  const { clientId, userId } = identity;
  return {
    identity: () => identity,
    check: () => Promise.resolve({ kind: "ok", identity }),
    credentials: () => Promise.resolve({ kind: "ok", accessToken, clientId, userId }),
  };
}
