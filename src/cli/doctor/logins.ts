import { CATALOGUE } from "../../actions/catalogue.ts";
import { configuredActions } from "../../actions/execute.ts";
import type { Config } from "../../platform/config/load.ts";
import type { ActionName } from "../../platform/config/names.ts";
import { secretsSavedAtMs, type TwitchTokens } from "../../platform/config/secrets.ts";
import { type TwitchAuth, vouchedAuth } from "../../twitch/auth.ts";
import { within } from "../../twitch/bounded-call.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../../twitch/scopes.ts";
import { type TokenIdentity, validateToken } from "../../twitch/token-keeper.ts";
import type { SecretsSeen } from "./config.ts";
import { type Finding, notChecked, ok, problem, timeText, warning } from "./finding.ts";
import { NETWORK_MEND, TWITCH_MS_MAX } from "./network.ts";

export interface LoginsSeen {
  readonly findings: readonly Finding[];
  /** A log-in that Twitch takes, to ask its API with; it never renews anything. */
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity"> | null;
}

interface LoginsGiven extends SecretsSeen {
  readonly secrets: NonNullable<SecretsSeen["secrets"]>;
  readonly config: Config;
  /** Whether a daemon runs, which renews the tokens by itself. */
  readonly running: boolean;
  readonly now: () => number;
}

/** A bot does not start without a token: whoever looks from another window, or at a service, has not got its variables. */
const ELSEWHERE =
  "the running bot has a token that is not set here; look from where it was started";

interface OneSeen {
  readonly findings: readonly Finding[];
  readonly identity: TokenIdentity | null;
}

/** The bot's log-in, and the streamer's own. Twitch is only asked about them: a renewal would log a running bot out. */
export async function checkLogins(given: LoginsGiven): Promise<LoginsSeen> {
  const { twitch, streamer } = given.secrets;
  const [bot, own] = await Promise.all([checkBot(given, twitch), checkStreamer(given, streamer)]);
  return {
    findings: [...bot.findings, ...own.findings],
    auth: authOf(twitch, bot.identity) ?? authOf(streamer, own.identity),
  };
}

async function checkBot(given: LoginsGiven, tokens: TwitchTokens | null): Promise<OneSeen> {
  const { login } = given.config.bot;
  if (login === null) {
    const rest = tokens === null ? "" : "; the token that is there is not used";
    const found = `none needed: the bot listens without an account${rest}`;
    return { findings: [ok("bot_token", found)], identity: null };
  }
  if (tokens === null && given.running) {
    return { findings: [notChecked("bot_token", ELSEWHERE)], identity: null };
  }
  if (tokens === null) {
    const mend = `log ${login} in with \`forgetmenot setup\`, or set TWITCH_ACCESS_TOKEN`;
    return {
      findings: [problem("bot_token", `there is no token of ${login}`, mend)],
      identity: null,
    };
  }
  return ask(given, "bot", tokens);
}

function checkStreamer(given: LoginsGiven, tokens: TwitchTokens | null): Promise<OneSeen> {
  if (tokens !== null) return ask(given, "streamer", tokens);
  return Promise.resolve({ findings: [streamerMissing(given.config)], identity: null });
}

async function ask(
  { config, inFile, running, now }: LoginsGiven,
  whose: "bot" | "streamer",
  tokens: TwitchTokens,
): Promise<OneSeen> {
  const late = { kind: "unreachable" } as const;
  const answer = await within(validateToken(tokens.accessToken, now), TWITCH_MS_MAX, late);
  const unusedSinceMs = running || !inFile[whose] ? null : secretsSavedAtMs(config.dataDir);
  const nowMs = now();
  return {
    findings: judgeToken({ whose, tokens, answer, config, unusedSinceMs, nowMs }),
    identity: answer.kind === "valid" ? answer.identity : null,
  };
}

function authOf(tokens: TwitchTokens | null, identity: TokenIdentity | null): LoginsSeen["auth"] {
  if (tokens === null || identity === null) return null;
  return vouchedAuth({ accessToken: tokens.accessToken, identity });
}

interface TokenCase {
  readonly whose: "bot" | "streamer";
  readonly tokens: TwitchTokens;
  /** What Twitch said of the access token. */
  readonly answer: Awaited<ReturnType<typeof validateToken>>;
  readonly config: Config;
  /** Since when nobody used the refresh token, epoch ms; null where that is not known. */
  readonly unusedSinceMs: number | null;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
const EXPIRY_TOLD_BEFORE_MS = DAY_MS;
/** Twitch lets the refresh token of a public application die after so long. */
const REFRESH_MS_MAX = 30 * DAY_MS;
const REFRESH_MS_WARNED = 25 * DAY_MS;
/** Nothing else can be sent to Twitch at all. */
const TOKEN_LIKE = /^[\x21-\x7e]+$/;
/** What Twitch's answer about a token means for the bot. The bot goes on without the streamer's: that only warns. */
function judgeToken(given: TokenCase): Finding[] {
  const { answer } = given;
  switch (answer.kind) {
    case "unreachable":
      if (!TOKEN_LIKE.test(given.tokens.accessToken)) {
        const found = `${variable(given)} is no token: it has a character in it that none has`;
        return [severe(given, found, logIn(given))];
      }
      return [problem(checkOf(given), "Twitch's log-in server does not answer", NETWORK_MEND)];
    case "not_a_user":
      return [
        severe(
          given,
          `${variable(given)} belongs to an application, not to an account`,
          logIn(given),
        ),
      ];
    case "invalid":
      return [judgeInvalid(given), ...judgeUnused(given)];
    case "valid":
      return judgeValid(given, answer.identity);
  }
}

/** Without any token of the streamer's own. */
function streamerMissing(config: Config): Finding {
  const words = wantedActions(config, "streamer").map((name) => CATALOGUE[name].plural);
  if (words.length === 0) return ok("streamer_token", "none, and nothing needs it");
  if (isOwnAccount(config)) return ok("streamer_token", "none: the bot runs on your own account");
  return warning(
    "streamer_token",
    `none: there are no ${words.join(" and no ")}, which Twitch lets only you make`,
    "log in as yourself with `forgetmenot setup`, or set actions.classes.stream to off if you want none",
  );
}

function judgeInvalid(given: TokenCase): Finding {
  const { tokens, config } = given;
  if (tokens.refreshToken === null) {
    const found = `Twitch does not take ${variable(given)} any more: it ran out or was withdrawn, and cannot be renewed`;
    return severe(given, found, logIn(given));
  }
  if (config.twitch.clientId === "") {
    const found = `${variable(given)} has run out, and without twitch.clientId it cannot be renewed`;
    const mend = `set twitch.clientId to the id of the application that the token is of, or ${logIn(given)}`;
    return severe(given, found, mend);
  }
  return ok(checkOf(given), "the access token has run out; the bot renews it at its next start");
}

function judgeValid(given: TokenCase, identity: TokenIdentity): Finding[] {
  const wrong = judgeAccount(given, identity);
  if (wrong !== null) return [wrong];
  const expiry = judgeExpiry(given, identity);
  const until = expiry.length > 0 ? "" : `, and ${expiryText(given.tokens, identity)}`;
  return [
    ok(checkOf(given), `Twitch takes the token: it is ${identity.login}'s${until}`),
    ...expiry,
    ...judgeUnused(given),
    ...judgeChatScopes(given, identity.scopes),
    ...judgeActionScopes(given, identity.scopes),
  ];
}

function judgeAccount(given: TokenCase, { login }: TokenIdentity): Finding | null {
  const { bot, channels } = given.config;
  if (given.whose === "bot") {
    return login === bot.login
      ? null
      : problem(
          "bot_token",
          `${variable(given)} belongs to ${login}, bot.login is ${bot.login}`,
          `set bot.login to ${login}, or ${logIn(given)}`,
        );
  }
  const found = `${variable(given)} belongs to ${login}, which is none of the channels: it is not used`;
  return channels.includes(login) ? null : warning("streamer_token", found, logIn(given));
}

function judgeExpiry(given: TokenCase, identity: TokenIdentity): Finding[] {
  const { tokens, config, nowMs } = given;
  const { expiresAtMs, clientId } = identity;
  if (expiresAtMs === null) return [];
  if (tokens.refreshToken !== null) {
    if (config.twitch.clientId !== "") return [];
    const found = `it ${expiryText(tokens, identity)} while it runs, but not at a start after that: twitch.clientId is not set`;
    return [warning(checkOf(given), found, `set twitch.clientId to ${clientId}`)];
  }
  if (expiresAtMs - nowMs > EXPIRY_TOLD_BEFORE_MS) return [];
  return [warning(checkOf(given), `it ${expiryText(tokens, identity)}`, logIn(given))];
}

function expiryText({ refreshToken }: TwitchTokens, { expiresAtMs }: TokenIdentity): string {
  if (expiresAtMs === null) return "never runs out";
  const when = `runs out at ${timeText(expiresAtMs)}`;
  return refreshToken === null ? `${when} and cannot be renewed` : `${when}; the bot renews it`;
}

function judgeUnused(given: TokenCase): Finding[] {
  const { tokens, unusedSinceMs, nowMs } = given;
  if (tokens.refreshToken === null || unusedSinceMs === null) return [];
  if (nowMs - unusedSinceMs < REFRESH_MS_WARNED) return [];
  const endsAtMs = unusedSinceMs + REFRESH_MS_MAX;
  const since = `the refresh token was not used since ${timeText(unusedSinceMs)}, and Twitch lets it die after 30 days`;
  return nowMs >= endsAtMs
    ? [
        warning(
          checkOf(given),
          `${since}: it may be dead`,
          `start the bot once to see; if it is, ${logIn(given)}`,
        ),
      ]
    : [
        warning(
          checkOf(given),
          since,
          `start the bot before ${timeText(endsAtMs)}, or you have to log in again`,
        ),
      ];
}

function judgeChatScopes(given: TokenCase, scopes: readonly string[]): Finding[] {
  if (given.whose === "streamer") return [];
  const lacks = (scope: string) => !scopes.includes(scope);
  const say = (found: string, severe: typeof problem) =>
    severe("bot_token", `it ${found}`, withScopes(given));
  const reads = lacks(READ_SCOPE)
    ? [say(`lacks ${READ_SCOPE}: the bot cannot read chat`, problem)]
    : [];
  if (given.config.mode === "shadow") return reads;
  if (lacks(WRITE_SCOPE) && lacks(SEND_SCOPE))
    return [
      ...reads,
      say(`lacks ${WRITE_SCOPE} and ${SEND_SCOPE}: the bot cannot write in chat`, problem),
    ];
  if (lacks(SEND_SCOPE))
    return [
      ...reads,
      say(`lacks ${SEND_SCOPE}: the bot cannot see when Twitch drops what it writes`, warning),
    ];
  return lacks(WRITE_SCOPE)
    ? [...reads, say(`lacks ${WRITE_SCOPE}: the bot can write by Twitch's API only`, warning)]
    : reads;
}

function judgeActionScopes(given: TokenCase, scopes: readonly string[]): Finding[] {
  const { config, whose } = given;
  const roles = whose === "bot" && isOwnAccount(config) ? (["bot", "streamer"] as const) : [whose];
  const lacking = roles.flatMap((role) => lackingScopes(config, role, scopes));
  if (lacking.length === 0) return [];
  const found = `it lacks ${lacking.join(", ")}: the bot does not offer these`;
  return [
    warning(checkOf(given), found, `${withScopes(given)}; or set their actions.classes to off`),
  ];
}

/** `clips:edit (clips)`. */
function lackingScopes(
  config: Config,
  whose: "bot" | "streamer",
  scopes: readonly string[],
): string[] {
  const wanted = wantedActions(config, whose);
  const needed = new Set(wanted.map((name) => CATALOGUE[name].scope));
  return [...needed].flatMap((scope) => {
    if (scope === null || scopes.includes(scope)) return [];
    const names = wanted.filter((name) => CATALOGUE[name].scope === scope);
    return [`${scope} (${names.map((name) => CATALOGUE[name].plural).join(", ")})`];
  });
}

/** The actions that need a scope of this log-in, and that the configuration allows. */
function wantedActions({ actions }: Config, whose: "bot" | "streamer"): ActionName[] {
  return configuredActions(actions).filter((name) => {
    const { scope, token } = CATALOGUE[name];
    return scope !== null && token === whose;
  });
}

function isOwnAccount({ bot, channels }: Config): boolean {
  return bot.login !== null && channels.includes(bot.login);
}

function checkOf({ whose }: TokenCase) {
  return whose === "bot" ? "bot_token" : "streamer_token";
}

function severe(given: TokenCase, found: string, mend: string): Finding {
  return given.whose === "bot"
    ? problem("bot_token", found, mend)
    : warning("streamer_token", found, mend);
}

function variable({ whose }: TokenCase): string {
  return whose === "bot" ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
}

function withScopes(given: TokenCase): string {
  return logIn(given).replace("a fresh", "one that has them as");
}

function logIn(given: TokenCase): string {
  const who = given.whose === "bot" ? "the bot" : "yourself";
  return `log ${who} in again with \`forgetmenot setup\`, or set a fresh ${variable(given)}`;
}
