import { calculateBackoffMs } from "../clock.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { NoticeKey, Notices } from "../database/notices-store.ts";
import { describeBug, Fault, getMessage, toSentence } from "../errors.ts";
import type { Log } from "../log.ts";
import { wait as realWait, type Wait, waitAtMost } from "./bounded-call.ts";
import { HelixCaller } from "./helix.ts";
import {
  type ApplicationTokens,
  refreshTokens,
  type TokenIdentity,
  validateToken,
} from "./tokens.ts";

export type TokenRefusal =
  | "token_invalid"
  | "refresh_refused"
  | "client_id_missing"
  | "not_a_user_token";

/** `refused` lasts until the operator acts; `unreachable` passes by itself. */
export type AuthOutcome = { readonly kind: "ok"; readonly identity: TokenIdentity } | AuthFailure;
export type AuthFailure =
  | { readonly kind: "refused"; readonly reason: TokenRefusal }
  | { readonly kind: "unreachable" };

/** The token of a call to Twitch, with its application and account. */
export interface Credentials {
  readonly kind: "ok";
  readonly accessToken: string;
  readonly clientId: string;
  readonly userId: string;
}

/** An account in whose name Helix is called. */
export interface TwitchAccount {
  /**
   * Returns what a call needs. Asks Twitch first if it has not answered yet, or if the token has expired. Never
   * rejects.
   */
  credentials(): Promise<Credentials | AuthFailure>;
  /**
   * Asks Twitch about the token now, unless it refused the log-in before. Renews a token that has expired or soon will.
   * Never rejects.
   */
  check(): Promise<AuthOutcome>;
  /** Returns the account and scopes of the token, as Twitch last stated them; null before its first answer. */
  identity(): TokenIdentity | null;
}

export const REFUSAL_FIXES: Readonly<Record<TokenRefusal, string>> = {
  token_invalid:
    "Twitch refused the access token. Log the bot in again with `forgetmenot setup`, or set a fresh TWITCH_ACCESS_TOKEN, and start again",
  refresh_refused:
    "Twitch refused the refresh token. Log the bot in again with `forgetmenot setup`, and start again",
  client_id_missing:
    "The access token ran out and cannot be renewed. Set twitch.clientId, log the bot in again with `forgetmenot setup`, and start again",
  not_a_user_token:
    "TWITCH_ACCESS_TOKEN belongs to an application. Log the bot in with `forgetmenot setup`, and start again",
};

/** Twitch asks for a check at start and every hour: https://dev.twitch.tv/docs/authentication/validate-tokens */
const CHECK_EVERY_MS = 3_600_000;
const CHECK_AGAIN_MS_MIN = 30_000;
const UNREACHABLE_BACKOFF = { baseMs: 30_000, capMs: 600_000 };
const UNREACHABLE = { kind: "unreachable" } as const;
const TIMEOUT_MS = 10_000;
const CLOSE_MS_MAX = 1_000;
/** Time before expiry at which a token is renewed, and at which the streamer is notified if it cannot be. */
const RENEW_BEFORE_MS = 600_000;
const NOTIFY_BEFORE_MS = 86_400_000;

export interface AuthOptions {
  readonly tokens: ApplicationTokens;
  /** Stores renewed tokens. It is awaited before the new access token is used, and may throw. */
  readonly saveTokens: (tokens: ApplicationTokens) => void | Promise<void>;
  readonly notices: Notices;
  readonly now: () => number;
  readonly log: Log;
  /** Limit for one answer of Twitch, ms. */
  readonly timeoutMs?: number;
  readonly wait?: Wait;
}

/**
 * A log-in at Twitch. It validates its token hourly and renews it in time. No token reaches a log or a notice.
 *
 * Why not Twurple's `RefreshingAuthProvider`: a network failure makes its user unusable until `addUser`. A refused token
 * looks like one. It has no time limit.
 */
export class TwitchAuth implements TwitchAccount {
  readonly #options: AuthOptions;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #tokens: ApplicationTokens;
  #identity: TokenIdentity | null = null;
  #refusal: TokenRefusal | null = null;
  /** Twitch said that the access token has expired or was revoked. */
  #isAccessSpent = false;
  /** There is no refresh token, or Twitch refused it. */
  #cannotRenew: boolean;
  #isUnsaved = false;
  #checking: Promise<AuthOutcome> | null = null;
  #renewing: Promise<AuthOutcome> | null = null;

  /** Asks Twitch about `options.tokens` at once. */
  constructor(options: AuthOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#tokens = options.tokens;
    this.#cannotRenew = options.tokens.refreshToken === null;
    this.#checkRegularly().catch((error) =>
      options.log.error({ ...describeBug(error) }, "twitch: token check ended"),
    );
  }

  identity(): TokenIdentity | null {
    return this.#identity;
  }

  /** Returns why Twitch refuses this log-in, for the rest of this run; null if it does not, or has not answered. */
  refusal(): TokenRefusal | null {
    return this.#refusal;
  }

  check(): Promise<AuthOutcome> {
    this.#checking ??= this.#examine().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async credentials(): Promise<Credentials | AuthFailure> {
    const outcome = await this.#knownOrChecked();
    if (outcome.kind !== "ok") return outcome;
    const { clientId, userId } = outcome.identity;
    return { kind: "ok", accessToken: this.#tokens.accessToken, clientId, userId };
  }

  /**
   * Returns `oauth:` and the access token, for chat; "" if Twitch refuses the log-in or cannot be asked. Before the
   * first answer it returns the token as it is. Asks Twitch only if the token is known to have expired. Never rejects.
   */
  async password(): Promise<string> {
    const isUntested = this.#identity === null && this.#refusal === null && !this.#isAccessSpent;
    const isKnown = isUntested || (await this.#knownOrChecked()).kind === "ok";
    return isKnown ? `oauth:${this.#tokens.accessToken}` : "";
  }

  /** Ends the hourly check. Waits up to 1 s for a renewal in progress, and then tries to save unsaved tokens. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#renewing !== null) await waitAtMost(this.#renewing, CLOSE_MS_MAX, undefined);
    await this.#saveIfUnsaved();
  }

  async #checkRegularly(): Promise<void> {
    const { now, wait = realWait } = this.#options;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const outcome = await this.check();
      if (outcome.kind === "refused" || signal.aborted) return;
      failures = outcome.kind === "ok" ? 0 : failures + 1;
      const expiresAtMs = this.#identity?.expiresAtMs ?? Number.POSITIVE_INFINITY;
      const dueMs = expiresAtMs - now() - (this.#cannotRenew ? 0 : RENEW_BEFORE_MS);
      const pauseMs =
        failures === 0
          ? Math.max(CHECK_AGAIN_MS_MIN, Math.min(CHECK_EVERY_MS, dueMs))
          : calculateBackoffMs(failures - 1, Math.random(), UNREACHABLE_BACKOFF);
      await wait(pauseMs, signal);
    }
  }

  /** Returns the last outcome if it is `ok` and the token has not expired; else checks the token. */
  async #knownOrChecked(): Promise<AuthOutcome> {
    const known = this.#outcome();
    return known.kind === "ok" && !this.#expiresWithin(0) ? known : this.check();
  }

  #outcome(): AuthOutcome {
    if (this.#refusal !== null) return { kind: "refused", reason: this.#refusal };
    if (this.#identity === null || this.#isAccessSpent) return UNREACHABLE;
    return { kind: "ok", identity: this.#identity };
  }

  #expiresWithin(ms: number): boolean {
    const expiresAtMs = this.#identity?.expiresAtMs ?? Number.POSITIVE_INFINITY;
    return expiresAtMs - this.#options.now() <= ms;
  }

  async #examine(): Promise<AuthOutcome> {
    await this.#saveIfUnsaved();
    if (this.#refusal !== null) return this.#outcome();
    if (this.#isAccessSpent) return this.#renew();
    const { accessToken } = this.#tokens;
    const asked = validateToken(accessToken, this.#options.now);
    const answer = await waitAtMost(asked, this.#timeoutMs, UNREACHABLE);
    // If a renewal ended while Twitch answered, the answer is about the old token.
    if (accessToken !== this.#tokens.accessToken) return this.#outcome();
    switch (answer.kind) {
      case "valid":
        return this.#accept(answer.identity);
      case "invalid":
        this.#isAccessSpent = true;
        return this.#renew();
      case "not_a_user":
        return this.#refuse("not_a_user_token");
      case "unreachable":
        return UNREACHABLE;
    }
  }

  /**
   * Stores the identity of a valid token, clears notices, and renews a token that expires within 10 minutes. Raises a
   * notice if it expires within a day and cannot be renewed.
   */
  async #accept(identity: TokenIdentity): Promise<AuthOutcome> {
    const { notices } = this.#options;
    this.#identity = identity;
    notices.clear("twitch_login");
    // An earlier run may have raised it.
    if (!this.#isUnsaved) notices.clear("twitch_login:unsaved");
    if (!this.#expiresWithin(NOTIFY_BEFORE_MS)) notices.clear("twitch_login:expiry");
    if (!this.#cannotRenew && this.#expiresWithin(RENEW_BEFORE_MS)) await this.#renew();
    if (this.#cannotRenew && this.#expiresWithin(NOTIFY_BEFORE_MS)) {
      const at = formatLocalTime(identity.expiresAtMs ?? 0);
      const message = `The Twitch access token runs out at ${at} and cannot be renewed. Log the bot in again with \`forgetmenot setup\` before.`;
      notices.raise("twitch_login:expiry", "warning", message);
    }
    return this.#outcome();
  }

  /** Records that Twitch refuses this log-in, for the rest of this run, and raises a notice. */
  #refuse(reason: TokenRefusal): AuthOutcome {
    const { notices } = this.#options;
    this.#refusal = reason;
    notices.clear("twitch_login:expiry");
    notices.raise("twitch_login", "error", toSentence(REFUSAL_FIXES[reason]));
    return { kind: "refused", reason };
  }

  /**
   * Renews the tokens, or joins a renewal in progress: Twitch accepts each refresh token once. Returns `unreachable`
   * after the time limit; the renewal continues.
   */
  #renew(): Promise<AuthOutcome> {
    this.#renewing ??= this.#exchange().finally(() => {
      this.#renewing = null;
    });
    // A late answer still counts: by then the old refresh token is spent.
    return waitAtMost(this.#renewing, this.#timeoutMs, UNREACHABLE);
  }

  /**
   * Exchanges the refresh token, and saves the new tokens before their use. If Twitch refuses it, the access token
   * stays in use until Twitch refuses that too.
   */
  async #exchange(): Promise<AuthOutcome> {
    const { now, notices, log } = this.#options;
    const { refreshToken } = this.#tokens;
    if (refreshToken === null) return this.#refuse("token_invalid");
    if (this.#cannotRenew) return this.#refuse("refresh_refused");
    const clientId = this.#identity?.clientId ?? this.#tokens.clientId;
    if (clientId === "") return this.#refuse("client_id_missing");
    const renewal = await refreshTokens(clientId, refreshToken, now);
    if (renewal.kind === "unreachable") return UNREACHABLE;
    if (renewal.kind === "refused") {
      this.#cannotRenew = true;
      return this.#isAccessSpent ? this.#refuse("refresh_refused") : this.#outcome();
    }
    const { accessToken } = renewal.tokens;
    const tokens = {
      accessToken,
      refreshToken: renewal.tokens.refreshToken ?? refreshToken,
      clientId,
    };
    await this.#save(tokens);
    this.#tokens = tokens;
    this.#isAccessSpent = false;
    notices.clear("twitch_login:expiry");
    log.info({}, "twitch: renewed the access token");
    if (this.#identity !== null) {
      const { scopes, expiresAtMs } = renewal;
      this.#identity = { ...this.#identity, scopes, expiresAtMs };
      return this.#outcome();
    }
    const answer = await validateToken(accessToken, now);
    if (answer.kind === "invalid") return this.#refuse("token_invalid");
    if (answer.kind === "valid") this.#identity = answer.identity;
    return this.#outcome();
  }

  async #saveIfUnsaved(): Promise<void> {
    if (this.#isUnsaved) await this.#save(this.#tokens);
  }

  /** Saves tokens. A failure raises a notice; the bot then uses them unsaved, and `#saveIfUnsaved` tries again. */
  async #save(tokens: ApplicationTokens): Promise<void> {
    const { notices, saveTokens } = this.#options;
    try {
      await saveTokens(tokens);
      this.#isUnsaved = false;
      notices.clear("twitch_login:unsaved");
    } catch (thrown) {
      this.#isUnsaved = true;
      const why = thrown instanceof Fault ? `${thrown.message}: ${thrown.fix}` : getMessage(thrown);
      const message = `The renewed Twitch tokens could not be saved: ${why}. The bot tries again every hour and at its end; then log in again with \`forgetmenot setup\`.`;
      notices.raise("twitch_login:unsaved", "error", message);
    }
  }
}

/** A token that Twitch accepted a moment ago. */
export interface VouchedToken {
  readonly accessToken: string;
  readonly identity: TokenIdentity;
}

/** Makes an account of a token that Twitch just accepted. The token is neither checked again nor renewed. */
export function makeAccount({ accessToken, identity }: VouchedToken): TwitchAccount {
  const { clientId, userId } = identity;
  return {
    identity: () => identity,
    check: () => Promise.resolve({ kind: "ok", identity }),
    credentials: () => Promise.resolve({ kind: "ok", accessToken, clientId, userId }),
  };
}

const KIND = "streamer_login";
/** All notices about the streamer's own log-in. */
export const STREAMER_NOTICES = [
  KIND,
  `${KIND}:account`,
  `${KIND}:expiry`,
  `${KIND}:unsaved`,
] as const satisfies readonly NoticeKey[];
/** Texts about this log-in, by the notice that `TwitchAuth` raises. */
const MESSAGES: Readonly<Record<string, string>> = {
  twitch_login:
    "Twitch refuses your own log-in, so there are no polls and markers. Log in again with `forgetmenot setup`, or set a fresh TWITCH_STREAMER_ACCESS_TOKEN, and start again.",
  "twitch_login:expiry":
    "Your own Twitch log-in runs out within a day and cannot be renewed. Log in again with `forgetmenot setup` before, or set a fresh TWITCH_STREAMER_ACCESS_TOKEN.",
};

/**
 * The streamer's own log-in, next to the bot's. Raises a notice if Twitch refuses it, or if it owns none of the
 * channels.
 */
export class StreamerLogin {
  readonly caller: HelixCaller;
  readonly #auth: TwitchAuth;

  constructor(options: AuthOptions & { readonly channels: readonly string[] }) {
    const { channels, notices } = options;
    const ownKey = (key: NoticeKey) => key.replace("twitch_login", KIND) as NoticeKey;
    const auth = new TwitchAuth({
      ...options,
      notices: {
        raise: (key, _severity, words) => {
          const message = MESSAGES[key] ?? `Your own Twitch log-in: ${words}`;
          notices.raise(ownKey(key), "warning", message);
        },
        clear: (key) => notices.clear(ownKey(key)),
      },
    });
    this.#auth = auth;
    this.caller = new HelixCaller(auth, options.timeoutMs);
    void auth.check().then((outcome) => {
      if (outcome.kind !== "ok") return;
      const { login } = outcome.identity;
      if (channels.includes(login)) return notices.clear(`${KIND}:account`);
      const message = `TWITCH_STREAMER_ACCESS_TOKEN belongs to ${login}, which is not one of the channels, so it is not used. Log the owner of a channel in with \`forgetmenot setup\`.`;
      notices.raise(`${KIND}:account`, "warning", message);
    });
  }

  /** Returns the account and its scopes; null until Twitch has answered. */
  identity(): TokenIdentity | null {
    return this.#auth.identity();
  }

  async close(): Promise<void> {
    this.caller.close();
    await this.#auth.close();
  }
}
