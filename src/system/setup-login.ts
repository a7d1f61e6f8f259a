import { saveTokens, type TwitchTokens } from "../config/secrets.ts";
import { makeAccount, type VouchedToken } from "../twitch/auth.ts";
import type { Wait } from "../twitch/bounded-call.ts";
import { Helix } from "../twitch/helix.ts";
import {
  type DeviceFailure,
  refreshTokens,
  startDeviceLogin,
  validateToken,
} from "../twitch/tokens.ts";
import type { Ground, Login } from "./setup-answers.ts";

const REQUEST_MS_MAX = 4_000;
const NOT_RENEWABLE =
  "Twitch does not renew this log-in, because the application's Client Type is Confidential: make an application of the type Public, and paste its Client ID.";

/** Why a log-in at Twitch failed, with the fix. */
const LOGIN_PROBLEMS: Readonly<Record<DeviceFailure, string>> = {
  client_refused: "Twitch knows no application with this Client ID: copy it once more.",
  refused: "Twitch refused the request: most often the Client ID is wrong.",
  denied: "The log-in was refused on Twitch's page: get a new code and try again.",
  expired: "The code expired before it was used: get a new one.",
  unreachable: "Twitch does not answer: check whether this machine is online, then get a new code.",
  aborted: "The log-in was stopped: get a new code.",
};

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

/** Logs accounts in by codes on Twitch's page, one at a time. */
export class DeviceLogins {
  readonly #world: { now: () => number; wait: Wait };
  readonly #onLogin: (whose: TokenOwner, login: Login) => void;
  #progress: LoginProgress = { kind: "idle" };
  #current = new AbortController();

  /** `onLogin` gets each log-in that Twitch vouched for. */
  constructor(
    world: { now: () => number; wait: Wait },
    onLogin: (whose: TokenOwner, login: Login) => void,
  ) {
    this.#world = world;
    this.#onLogin = onLogin;
  }

  /** Returns `idle` before a log-in, after its success, and after `cancel`. */
  progress(): LoginProgress {
    return this.#progress;
  }

  cancel(): void {
    this.#current.abort();
    this.#current = new AbortController();
    this.#progress = { kind: "idle" };
  }

  /**
   * Cancels the log-in before, and begins one. Resolves once `progress` has a code, or says why Twitch gave none. When
   * the user has used the code, or it expired, calls `onLogin` or sets `progress` to `failed`.
   */
  async start(whose: TokenOwner, clientId: string, scopes: readonly string[]): Promise<void> {
    this.cancel();
    const { signal } = this.#current;
    const { now, wait } = this.#world;
    const started = await startDeviceLogin({ clientId, scopes, now, wait, signal });
    if (signal.aborted) return;
    if (started.kind !== "started") {
      this.#progress = { kind: "failed", whose, why: LOGIN_PROBLEMS[started.kind] };
      return;
    }
    const { address, userCode } = started;
    this.#progress = { kind: "waiting", whose, address, userCode };
    void started.outcome.then(async (end) => {
      const login =
        end.kind === "approved"
          ? await examineTokens(clientId, end.tokens, now)
          : LOGIN_PROBLEMS[end.kind];
      if (signal.aborted) return;
      if (typeof login === "string") this.#progress = { kind: "failed", whose, why: login };
      else {
        this.#progress = { kind: "idle" };
        this.#onLogin(whose, login);
      }
    });
  }
}

/**
 * Returns the log-in of new tokens, or a text that says what failed. Renews the tokens once, to see that Twitch does: it
 * refuses for confidential applications. The log-in has the renewed tokens.
 */
async function examineTokens(
  clientId: string,
  { refreshToken }: TwitchTokens,
  now: () => number,
): Promise<Login | string> {
  if (refreshToken === null) return NOT_RENEWABLE;
  const renewal = await refreshTokens(clientId, refreshToken, now);
  if (renewal.kind === "unreachable") return LOGIN_PROBLEMS.unreachable;
  if (renewal.kind === "refused") return NOT_RENEWABLE;
  const tokens = { ...renewal.tokens, refreshToken: renewal.tokens.refreshToken ?? refreshToken };
  const found = await validateToken(tokens.accessToken, now);
  if (found.kind !== "valid") return LOGIN_PROBLEMS.unreachable;
  return await describeLogin({ accessToken: tokens.accessToken, identity: found.identity }, tokens);
}

/** Makes a log-in. Asks Twitch for the display name, and takes the login if Twitch does not answer. */
async function describeLogin(vouched: VouchedToken, tokens: TwitchTokens | null): Promise<Login> {
  const { login, clientId, scopes } = vouched.identity;
  const [user] = await lookUpUsers(vouched, [login]);
  const displayName = user?.ok ? user.value.displayName : login;
  return { login, displayName, clientId, scopes, tokens, vouched };
}

/**
 * Returns the stored log-in; null if there is none, if it ends and cannot be renewed, or if Twitch does not answer.
 * Renews an expired one, and stores the new tokens at once: Twitch refuses the old ones from then on.
 */
export async function findStoredLogin(
  { base, environment, secrets }: Ground,
  whose: TokenOwner,
  clientId: string,
  now: () => number,
): Promise<Login | null> {
  const tokens = secrets[whose === "bot" ? "twitch" : "streamer"];
  if (tokens === null) return null;
  const { refreshToken } = tokens;
  let { accessToken } = tokens;
  let found = await validateToken(accessToken, now);
  if (found.kind === "invalid" && refreshToken !== null) {
    const renewal = await refreshTokens(clientId, refreshToken, now);
    if (renewal.kind !== "refreshed") return null;
    const renewed = {
      ...renewal.tokens,
      refreshToken: renewal.tokens.refreshToken ?? refreshToken,
    };
    saveTokens(base.dataDir, environment, renewed, whose);
    ({ accessToken } = renewed);
    found = await validateToken(accessToken, now);
  }
  if (found.kind !== "valid") return null;
  const lasts = refreshToken !== null || found.identity.expiresAtMs === null;
  return lasts ? await describeLogin({ accessToken, identity: found.identity }, null) : null;
}

/** Returns the first channel that Twitch does not know; undefined if there is none, or Twitch cannot be asked. */
export async function findMissingChannel(
  { login, vouched }: Login,
  channels: readonly string[],
): Promise<string | undefined> {
  const others = channels.filter((channel) => channel !== login);
  const found = await lookUpUsers(vouched, others);
  return others.find((_, at) => {
    const user = found[at];
    return user?.ok === false && user.reason === "not_found";
  });
}

/** Asks Twitch about each login. Resolves with the answers in the same order. */
async function lookUpUsers(vouched: VouchedToken, logins: readonly string[]) {
  if (logins.length === 0) return [];
  const helix = new Helix(makeAccount(vouched), REQUEST_MS_MAX);
  try {
    return await Promise.all(logins.map((login) => helix.userByLogin(login)));
  } finally {
    helix.close();
  }
}
