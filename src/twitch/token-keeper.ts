import { z } from "zod";
import { localTime } from "../config/local-time.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import { Fault, messageOf, toSentence } from "../errors.ts";
import type { Log } from "../log.ts";
import { boundedCall, within } from "./bounded-call.ts";

export interface ApplicationTokens {
  readonly accessToken: string;
  /** Null: the access token serves until it runs out. */
  readonly refreshToken: string | null;
  /** Empty: Twitch says whose application the token is of. */
  readonly clientId: string;
}

export type TokenRefusal =
  | "token_invalid"
  | "refresh_refused"
  | "client_id_missing"
  | "not_a_user_token";

/** `refused` stays so until the operator acts; `unreachable` passes by itself. */
export type AuthOutcome = { readonly kind: "ok"; readonly identity: TokenIdentity } | AuthFailure;
export type AuthFailure =
  | { readonly kind: "refused"; readonly reason: TokenRefusal }
  | { readonly kind: "unreachable" };

export interface KeeperOptions {
  readonly tokens: ApplicationTokens;
  /** Keeps rotated tokens. Called, and awaited, before the new access token is used anywhere. */
  readonly saveTokens: (tokens: ApplicationTokens) => void | Promise<void>;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly now: () => number;
  readonly log: Log;
  /** How long to wait for one answer of Twitch, ms. */
  readonly timeoutMs: number;
}

/** Tokens, and what is known about them. */
export type TokenKeeper = ReturnType<typeof tokenKeeper>;

export const REFUSAL_MENDS: Readonly<Record<TokenRefusal, string>> = {
  token_invalid:
    "Twitch refused the access token. Log the bot in again with `forgetmenot setup`, or set a fresh TWITCH_ACCESS_TOKEN, and start again",
  refresh_refused:
    "Twitch refused the refresh token. Log the bot in again with `forgetmenot setup`, and start again",
  client_id_missing:
    "The access token ran out and cannot be renewed. Set twitch.clientId, log the bot in again with `forgetmenot setup`, and start again",
  not_a_user_token:
    "TWITCH_ACCESS_TOKEN belongs to an application. Log the bot in with `forgetmenot setup`, and start again",
};

/** A token is renewed this long before it runs out. */
export const RENEW_BEFORE_MS = 600_000;
const EXPIRY_TOLD_BEFORE_MS = 86_400_000;
/** What is to be mended is named: a file that is broken, or that others can read, is not written over either. */
function unsaved(thrown: unknown): string {
  const why = thrown instanceof Fault ? `${thrown.message}: ${thrown.mend}` : messageOf(thrown);
  return `The renewed Twitch tokens could not be saved: ${why}. The bot tries again until it ends; then log in again with \`forgetmenot setup\`.`;
}

const UNREACHABLE = { kind: "unreachable" } as const;

interface Keeper {
  readonly options: KeeperOptions;
  tokens: ApplicationTokens;
  identity: TokenIdentity | null;
  refusal: TokenRefusal | null;
  /** Twitch said that the access token is no longer good. */
  accessSpent: boolean;
  /** There is no refresh token, or Twitch will not take it again. */
  refreshSpent: boolean;
  unsaved: boolean;
  /** The access token about whose end the operator was told. */
  expiryToldOf: string | null;
  readonly renew: () => Promise<AuthOutcome>;
}

/**
 * Keeps `options.tokens`. Nothing here rejects, and no token reaches a log or a notice. Twurple's `RefreshingAuthProvider`
 * cannot do this: a network failure poisons its user until `addUser`, a refused token looks like one, it has no time
 * limit, and it uses a rotated token although it was not saved.
 */
export function tokenKeeper(options: KeeperOptions) {
  const keeper: Keeper = {
    options,
    tokens: options.tokens,
    identity: null,
    refusal: null,
    accessSpent: false,
    refreshSpent: options.tokens.refreshToken === null,
    unsaved: false,
    expiryToldOf: null,
    // A late answer is still taken: by then the old refresh token is spent, and the new one is in it.
    renew: () => within(renewals.run(), options.timeoutMs, UNREACHABLE),
  };
  const renewals = oneAtATime(() => renewNow(keeper));
  const examinations = oneAtATime(() => examineNow(keeper));
  return {
    accessToken: () => keeper.tokens.accessToken,
    identity: () => keeper.identity,
    refusal: () => keeper.refusal,
    /** What is known without asking; `unreachable` before Twitch said anything. */
    outcome: () => outcomeOf(keeper),
    /** Whether Twitch has not said anything yet, good or bad. */
    isUntested: () => keeper.identity === null && keeper.refusal === null && !keeper.accessSpent,
    canRenew: () => !keeper.refreshSpent,
    /** Asks Twitch about the token, or joins the question under way; renews a token that ran out or soon will. */
    examine: examinations.run,
    /** Tries again to keep renewed tokens that could not be saved, where there are such. */
    saveAgain: async (): Promise<void> => {
      if (keeper.unsaved) await save(keeper, keeper.tokens);
    },
    /** Resolves when no renewal is under way. */
    settled: renewals.settled,
  };
}

async function examineNow(keeper: Keeper): Promise<AuthOutcome> {
  const { now, timeoutMs } = keeper.options;
  if (keeper.unsaved) await save(keeper, keeper.tokens);
  if (keeper.refusal !== null) return { kind: "refused", reason: keeper.refusal };
  if (keeper.accessSpent) return keeper.renew();
  const asked = keeper.tokens.accessToken;
  const answer = await within(validateToken(asked, now), timeoutMs, UNREACHABLE);
  // A renewal came in meanwhile: the answer is about the old token.
  if (asked !== keeper.tokens.accessToken) return outcomeOf(keeper);
  switch (answer.kind) {
    case "valid":
      return accept(keeper, answer.identity);
    case "invalid":
      keeper.accessSpent = true;
      return keeper.renew();
    case "not_a_user":
      return refuse(keeper, "not_a_user_token");
    case "unreachable":
      return UNREACHABLE;
  }
}

async function accept(keeper: Keeper, identity: TokenIdentity): Promise<AuthOutcome> {
  keeper.identity = identity;
  const { notices } = keeper.options;
  notices.clear("twitch_login");
  // What was told before this start may be mended since.
  if (!keeper.unsaved) notices.clear("twitch_login:unsaved");
  if (!runsOutWithin(keeper, EXPIRY_TOLD_BEFORE_MS)) notices.clear("twitch_login:expiry");
  if (!keeper.refreshSpent && runsOutWithin(keeper, RENEW_BEFORE_MS)) await keeper.renew();
  if (keeper.refreshSpent) tellExpiry(keeper);
  return outcomeOf(keeper);
}

/** One exchange of the refresh token. Never two at a time: Twitch takes each refresh token once. */
async function renewNow(keeper: Keeper): Promise<AuthOutcome> {
  const { refreshToken } = keeper.tokens;
  if (refreshToken === null) return refuse(keeper, "token_invalid");
  if (keeper.refreshSpent) return refuse(keeper, "refresh_refused");
  const clientId = keeper.identity?.clientId ?? keeper.tokens.clientId;
  if (clientId === "") return refuse(keeper, "client_id_missing");
  const fresh = await refreshTokens(clientId, refreshToken, keeper.options.now);
  if (fresh.kind === "unreachable") return UNREACHABLE;
  if (fresh.kind === "refused") {
    keeper.refreshSpent = true;
    return keeper.accessSpent ? refuse(keeper, "refresh_refused") : outcomeOf(keeper);
  }
  const tokens = {
    ...fresh.tokens,
    refreshToken: fresh.tokens.refreshToken ?? refreshToken,
    clientId,
  };
  await save(keeper, tokens);
  keeper.tokens = tokens;
  keeper.accessSpent = false;
  keeper.options.notices.clear("twitch_login:expiry");
  keeper.options.log.info({}, "twitch: renewed the access token");
  return identify(keeper, fresh);
}

/** Who the renewed token is of: as before, or, where nobody knew yet, as Twitch says. */
async function identify(keeper: Keeper, fresh: Refreshed): Promise<AuthOutcome> {
  if (keeper.identity !== null) {
    keeper.identity = { ...keeper.identity, scopes: fresh.scopes, expiresAtMs: fresh.expiresAtMs };
    return outcomeOf(keeper);
  }
  const answer = await validateToken(keeper.tokens.accessToken, keeper.options.now);
  if (answer.kind === "valid") keeper.identity = answer.identity;
  if (answer.kind === "invalid") return refuse(keeper, "token_invalid");
  return outcomeOf(keeper);
}

/** A failed save does not stop the bot: it goes on with what it has, says so, and tries again at the next check. */
async function save(keeper: Keeper, tokens: ApplicationTokens): Promise<void> {
  const { notices, saveTokens } = keeper.options;
  try {
    await saveTokens(tokens);
    keeper.unsaved = false;
    notices.clear("twitch_login:unsaved");
  } catch (thrown) {
    keeper.unsaved = true;
    notices.raise("twitch_login:unsaved", "error", unsaved(thrown));
  }
}

function refuse(keeper: Keeper, reason: TokenRefusal): AuthOutcome {
  keeper.refusal = reason;
  // That it ends soon is no news once it has ended.
  keeper.options.notices.clear("twitch_login:expiry");
  keeper.options.notices.raise("twitch_login", "error", toSentence(REFUSAL_MENDS[reason]));
  return { kind: "refused", reason };
}

function outcomeOf({ refusal, identity, accessSpent }: Keeper): AuthOutcome {
  if (refusal !== null) return { kind: "refused", reason: refusal };
  return identity === null || accessSpent ? UNREACHABLE : { kind: "ok", identity };
}

function tellExpiry(keeper: Keeper): void {
  const { expiresAtMs } = keeper.identity ?? { expiresAtMs: null };
  const { accessToken } = keeper.tokens;
  if (expiresAtMs === null || keeper.expiryToldOf === accessToken) return;
  if (!runsOutWithin(keeper, EXPIRY_TOLD_BEFORE_MS)) return;
  keeper.expiryToldOf = accessToken;
  const message = `The Twitch access token runs out at ${localTime(expiresAtMs)} and cannot be renewed. Log the bot in again with \`forgetmenot setup\` before.`;
  keeper.options.notices.raise("twitch_login:expiry", "warning", message);
}

function runsOutWithin({ identity, options }: Keeper, ms: number): boolean {
  const expiresAtMs = identity?.expiresAtMs ?? null;
  return expiresAtMs !== null && expiresAtMs - options.now() <= ms;
}

function oneAtATime<T>(work: () => Promise<T>) {
  let current: Promise<T> | null = null;
  return {
    /** Starts the work, or joins the one under way. */
    run: (): Promise<T> => {
      current ??= work().finally(() => {
        current = null;
      });
      return current;
    },
    settled: async (): Promise<void> => {
      await current;
    },
  };
}

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
/** An application's own token has no user. */
const application = z.object({ client_id: z.string().regex(ID), login: z.literal("").nullish() });
/** How Twitch itself refuses: what stands before it may answer with a page of its own. */
const refusal = z.object({ message: z.string() });
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

interface Refreshed {
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
    const answer: unknown = JSON.parse(text);
    if (status === 401 && refusal.safeParse(answer).success) return { kind: "invalid" };
    if (status !== 200) return { kind: "unreachable" };
    if (application.safeParse(answer).success) return { kind: "not_a_user" };
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
    const answer: unknown = JSON.parse(text);
    const isRefusal = FINAL_STATUSES.has(status) && refusal.safeParse(answer).success;
    if (isRefusal) return { kind: "refused" };
    if (status !== 200) return { kind: "unreachable" };
    const { access_token, refresh_token, scope, expires_in } = renewed.parse(answer);
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
