import { backoffMs, setSharedInterval } from "../clock.ts";
import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import { describeBug, Fault } from "../errors.ts";
import type { Log } from "../log.ts";
import { wait as realWait, type Wait, within } from "./bounded-call.ts";
import { helixCaller } from "./helix.ts";
import {
  type ApplicationTokens,
  type AuthFailure,
  type AuthOutcome,
  type KeeperOptions,
  REFUSAL_MENDS,
  RENEW_BEFORE_MS,
  type TokenIdentity,
  type TokenKeeper,
  tokenKeeper,
} from "./token-keeper.ts";

/** What a call to Twitch needs. */
export interface Credentials {
  readonly kind: "ok";
  readonly accessToken: string;
  readonly clientId: string;
  readonly userId: string;
}

export interface AuthOptions extends Omit<KeeperOptions, "timeoutMs"> {
  /** How long to wait for one answer of Twitch, ms. */
  readonly timeoutMs?: number;
  readonly wait?: Wait;
}

/** The bot's log-in at Twitch: tokens that are checked hourly, renewed in time, and never shown. */
export type TwitchAuth = ReturnType<typeof openAuth>;

/** Twitch asks for it at start and every hour: https://dev.twitch.tv/docs/authentication/validate-tokens */
const CHECK_EVERY_MS = 3_600_000;
const CHECK_AGAIN_MS_MIN = 30_000;
const UNREACHABLE_BACKOFF = { baseMs: 30_000, capMs: 600_000 };
const TIMEOUT_MS = 10_000;
const CLOSE_MS_MAX = 1_000;
/** How often it is tried to keep renewed tokens that could not be saved. */
const SAVE_AGAIN_EVERY_MS = 5_000;

/** Opens the log-in that `options.tokens` are for, and asks Twitch about them at once. */
export function openAuth(options: AuthOptions) {
  const { now, wait = realWait, timeoutMs = TIMEOUT_MS } = options;
  const keeper = tokenKeeper({ ...options, timeoutMs });
  const closing = new AbortController();
  const endSaving = setSharedInterval(SAVE_AGAIN_EVERY_MS, () => void keeper.saveAgain());
  watch().catch((error) =>
    options.log.error({ ...describeBug(error) }, "twitch: token check ended"),
  );

  async function watch(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      const outcome = await keeper.examine();
      if (outcome.kind === "refused" || closing.signal.aborted) return;
      failures = outcome.kind === "ok" ? 0 : failures + 1;
      await wait(pauseMs(failures), closing.signal);
    }
  }

  function pauseMs(failures: number): number {
    return failures === 0
      ? untilNextCheckMs(keeper, now())
      : backoffMs(failures - 1, Math.random(), UNREACHABLE_BACKOFF);
  }

  /** The last answer where it still holds, otherwise a new one. */
  async function standing(): Promise<AuthOutcome> {
    const known = keeper.outcome();
    return known.kind === "ok" && !hasRunOut(known.identity, now()) ? known : keeper.examine();
  }

  return {
    /** Asks Twitch now, or joins the question under way; renews a token that ran out. Never rejects. */
    check: keeper.examine,
    /** What a call needs; asks Twitch first where it has not answered yet. Never rejects. */
    credentials: async (): Promise<Credentials | AuthFailure> => {
      const outcome = await standing();
      if (outcome.kind !== "ok") return outcome;
      const { clientId, userId } = outcome.identity;
      return { kind: "ok", accessToken: keeper.accessToken(), clientId, userId };
    },
    /** `oauth:…` for chat: at once, unless the token ran out. Rejects with a Fault when there is none to give. */
    password: async (): Promise<string> => {
      const outcome = keeper.isUntested() ? null : await standing();
      if (outcome !== null && outcome.kind !== "ok") throw faultOf(outcome);
      return `oauth:${keeper.accessToken()}`;
    },
    /** What Twitch said last; null before it said anything. */
    identity: keeper.identity,
    /** Why Twitch takes this log-in no more; null while it does, or while nobody knows. */
    refusal: keeper.refusal,
    /** Ends the hourly check. Waits up to a second for a renewal under way, whose tokens would otherwise be lost, and saves what could not be saved. */
    close: async (): Promise<void> => {
      closing.abort();
      endSaving();
      await within(keeper.settled(), CLOSE_MS_MAX, undefined);
      await keeper.saveAgain();
    },
  };
}

function untilNextCheckMs(keeper: TokenKeeper, nowMs: number): number {
  const expiresAtMs = keeper.identity()?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  const dueAtMs = keeper.canRenew() ? expiresAtMs - RENEW_BEFORE_MS : expiresAtMs;
  return Math.max(CHECK_AGAIN_MS_MIN, Math.min(CHECK_EVERY_MS, dueAtMs - nowMs));
}

function hasRunOut({ expiresAtMs }: TokenIdentity, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

function faultOf(failure: AuthFailure): Fault {
  return failure.kind === "refused"
    ? new Fault(`twitch: log-in refused (${failure.reason})`, {
        code: "secret",
        mend: REFUSAL_MENDS[failure.reason],
      })
    : new Fault("twitch: the log-in server does not answer", {
        code: "network",
        mend: "nothing to do: the bot tries again by itself",
      });
}

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

/** The streamer's own log-in, beside the bot's. */
export type StreamerLogin = ReturnType<typeof openStreamerLogin>;

export interface StreamerLoginOptions {
  readonly tokens: ApplicationTokens;
  readonly saveTokens: (tokens: ApplicationTokens) => void;
  readonly channels: readonly string[];
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly now: () => number;
  readonly log: Log;
  /** How long one request may take, ms. */
  readonly timeoutMs?: number;
}

const KIND = "streamer_login";
/** All notices about it. */
export const STREAMER_NOTICES = [
  KIND,
  `${KIND}:account`,
  `${KIND}:expiry`,
  `${KIND}:unsaved`,
] as const satisfies readonly NoticeKey[];
/** Texts for this log-in, by the notice that the token keeper raises. */
const TOLD: Readonly<Record<string, string>> = {
  twitch_login:
    "Twitch refuses your own log-in, so there are no polls and markers. Log in again with `forgetmenot setup`, or set a fresh TWITCH_STREAMER_ACCESS_TOKEN, and start again.",
  "twitch_login:expiry":
    "Your own Twitch log-in runs out within a day and cannot be renewed. Log in again with `forgetmenot setup` before, or set a fresh TWITCH_STREAMER_ACCESS_TOKEN.",
};

/** Opens it. Where Twitch refuses it, or it is of no channel's owner, the streamer is told, and the bot goes on without. */
export function openStreamerLogin(options: StreamerLoginOptions) {
  const { tokens, saveTokens, channels, notices, now, log } = options;
  const ownKey = (key: NoticeKey) => key.replace("twitch_login", KIND) as NoticeKey;
  const auth = openAuth({
    tokens,
    saveTokens,
    notices: {
      raise: (key, _severity, message) =>
        notices.raise(ownKey(key), "warning", TOLD[key] ?? `Your own Twitch log-in: ${message}`),
      clear: (key) => notices.clear(ownKey(key)),
    },
    now,
    log,
  });
  const caller = helixCaller({ ...options, auth });
  void auth.check().then((outcome) => {
    if (outcome.kind !== "ok") return;
    const { login } = outcome.identity;
    const wrong = `${KIND}:account` as const;
    if (channels.includes(login)) notices.clear(wrong);
    else
      notices.raise(
        wrong,
        "warning",
        `TWITCH_STREAMER_ACCESS_TOKEN belongs to ${login}, which is not one of the channels, so it is not used. Log the owner of a channel in with \`forgetmenot setup\`.`,
      );
  });
  return {
    caller,
    /** Whose token it is and what it may do; null as long as Twitch has not said. */
    identity: auth.identity,
    close: async (): Promise<void> => {
      caller.close();
      await auth.close();
    },
  };
}
