import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import { type Secrets, saveTokens, type TwitchTokens } from "../config/secrets.ts";
import { type VouchedToken, vouchFor } from "../twitch/auth.ts";
import { type Wait, waitAtMost } from "../twitch/bounded-call.ts";
import { startDeviceLogin } from "../twitch/device-login.ts";
import { openHelix } from "../twitch/helix.ts";
import { refreshTokens, validateToken } from "../twitch/tokens.ts";
import type { Login } from "./setup-answers.ts";
import { LOGIN_PROBLEMS } from "./setup-input.ts";

const REQUEST_MS_MAX = 4_000;
const TOKEN_MS_MAX = 10_000;
const UNREACHABLE = { kind: "unreachable" } as const;
const NOT_RENEWABLE =
  "Twitch does not renew this log-in, because the application's Client Type is Confidential: make an application of the type Public, and paste its Client ID.";

export type TokenOwner = "bot" | "streamer";

/** The state of a log-in on Twitch's page. */
type LoginProgress =
  | { readonly kind: "idle" }
  | {
      readonly kind: "waiting";
      readonly whose: TokenOwner;
      readonly address: string;
      readonly userCode: string;
    }
  | { readonly kind: "failed"; readonly whose: TokenOwner; readonly why: string };

export type DeviceLogins = ReturnType<typeof openDeviceLogins>;

/** Logs accounts in by codes on Twitch's page, one at a time. `onLogin` gets each log-in that Twitch vouched for. */
export function openDeviceLogins(
  { now, wait }: { now: () => number; wait: Wait },
  onLogin: (whose: TokenOwner, login: Login) => void,
) {
  let progress: LoginProgress = { kind: "idle" };
  let current = new AbortController();
  const cancel = (): void => {
    current.abort();
    current = new AbortController();
    progress = { kind: "idle" };
  };
  return {
    progress: () => progress,
    cancel,
    /** Resolves once there is a code, or Twitch gave none. */
    start: async (whose: TokenOwner, asked: { clientId: string; scopes: readonly string[] }) => {
      cancel();
      const { signal } = current;
      const fail = (why: string): void => {
        if (!signal.aborted) progress = { kind: "failed", whose, why };
      };
      const started = await startDeviceLogin({ ...asked, now, wait, signal });
      if (started.kind !== "started") return fail(LOGIN_PROBLEMS[started.kind]);
      if (signal.aborted) return undefined;
      const { address, userCode } = started;
      progress = { kind: "waiting", whose, address, userCode };
      void started.outcome.then(async (end) => {
        if (end.kind !== "approved") return fail(LOGIN_PROBLEMS[end.kind]);
        const login = await examineTokens(asked.clientId, end.tokens, now);
        if (typeof login === "string") return fail(login);
        if (signal.aborted) return undefined;
        progress = { kind: "idle" };
        return onLogin(whose, login);
      });
      return undefined;
    },
  };
}

/** Renews the tokens once, which Twitch does for public applications only, and asks whose they are. A text says what failed. */
async function examineTokens(
  clientId: string,
  { refreshToken }: TwitchTokens,
  now: () => number,
): Promise<Login | string> {
  if (refreshToken === null) return NOT_RENEWABLE;
  const renewal = await requestNewTokens(clientId, refreshToken, now);
  if (renewal.kind !== "renewed")
    return renewal.kind === "unreachable" ? LOGIN_PROBLEMS.unreachable : NOT_RENEWABLE;
  const login = await lookUpLogin(renewal.tokens, renewal.tokens, now);
  return login ?? LOGIN_PROBLEMS.unreachable;
}

/** Returns whose token it is, as Twitch says within 10 s; null if it is invalid, or Twitch does not answer. */
async function lookUpLogin(
  { accessToken }: TwitchTokens,
  tokens: TwitchTokens | null,
  now: () => number,
): Promise<Login | null> {
  const found = await readTokenOwner(accessToken, now);
  if (found.kind !== "valid") return null;
  const vouched = { accessToken, identity: found.identity };
  const { login, clientId, scopes } = found.identity;
  const [user] = await lookUp(vouched, [login]);
  const displayName = user?.ok ? user.value.displayName : login;
  return { login, displayName, clientId, scopes, tokens, vouched };
}

/**
 * Returns the log-in that is stored; null if there is none that lasts. Renews one that expired, and then stores it at
 * once: Twitch refuses the old one from then on.
 */
export async function findStoredLogin(
  { base, environment, secrets }: { base: Config; environment: Environment; secrets: Secrets },
  whose: TokenOwner,
  clientId: string,
  now: () => number,
): Promise<Login | null> {
  const tokens = secrets[whose === "bot" ? "twitch" : "streamer"];
  if (tokens === null) return null;
  const { refreshToken } = tokens;
  const found = await readTokenOwner(tokens.accessToken, now);
  if (found.kind === "valid") {
    const lasts = refreshToken !== null || found.identity.expiresAtMs === null;
    return lasts ? await lookUpLogin(tokens, null, now) : null;
  }
  if (found.kind !== "invalid" || refreshToken === null) return null;
  const fresh = await requestNewTokens(clientId, refreshToken, now, (renewed) =>
    saveTokens(base.dataDir, environment, renewed, whose),
  );
  return fresh.kind === "renewed" ? await lookUpLogin(fresh.tokens, null, now) : null;
}

/** Returns the channels that Twitch does not know; none if it cannot be asked. */
export async function findMissingChannels(
  { login, vouched }: Login,
  channels: readonly string[],
): Promise<readonly string[]> {
  const others = channels.filter((channel) => channel !== login);
  const found = await lookUp(vouched, others);
  return others.filter((_, at) => {
    const user = found[at];
    return user !== undefined && !user.ok && user.reason === "not_found";
  });
}

async function lookUp(vouched: VouchedToken, logins: readonly string[]) {
  if (logins.length === 0) return [];
  const helix = openHelix({ auth: vouchFor(vouched), timeoutMs: REQUEST_MS_MAX });
  try {
    return await Promise.all(logins.map((login) => helix.userByLogin(login)));
  } finally {
    helix.close();
  }
}

type Renewal =
  | { readonly kind: "renewed"; readonly tokens: TwitchTokens }
  | { readonly kind: "refused" | "unreachable" };

/** Never rejects. */
function readTokenOwner(accessToken: string, now: () => number) {
  return waitAtMost(validateToken(accessToken, now), TOKEN_MS_MAX, UNREACHABLE);
}

/**
 * Returns new tokens for a refresh token if Twitch gives them within 10 s. `onRenewed` gets them even if they come too
 * late for the answer. Rejects only with what it throws.
 */
function requestNewTokens(
  clientId: string,
  refreshToken: string,
  now: () => number,
  onRenewed: (tokens: TwitchTokens) => void = () => undefined,
) {
  const renew = async (): Promise<Renewal> => {
    const fresh = await refreshTokens(clientId, refreshToken, now);
    if (fresh.kind !== "refreshed") return { kind: fresh.kind } as const;
    const tokens = { ...fresh.tokens, refreshToken: fresh.tokens.refreshToken ?? refreshToken };
    onRenewed(tokens);
    return { kind: "renewed" as const, tokens };
  };
  return waitAtMost(renew(), TOKEN_MS_MAX, UNREACHABLE);
}
