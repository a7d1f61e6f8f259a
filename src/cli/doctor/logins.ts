import { CATALOGUE } from "../../actions/catalogue.ts";
import { configuredActions } from "../../actions/execute.ts";
import type { Config } from "../../platform/config/load.ts";
import type { ActionName } from "../../platform/config/names.ts";
import { secretsSavedAtMs, type TwitchTokens } from "../../platform/config/secrets.ts";
import { type TwitchAuth, vouchedAuth } from "../../twitch/auth.ts";
import { within } from "../../twitch/bounded-call.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "../../twitch/scopes.ts";
import { type TokenIdentity, validateToken } from "../../twitch/token-keeper.ts";
import { when } from "../terminal.ts";
import type { SecretsSeen } from "./config.ts";
import { type Finding, notChecked, ok, problem, timeText, warning } from "./finding.ts";
import { type Examined, NETWORK_MEND, TWITCH_MS_MAX } from "./network.ts";

interface LoginsSeen {
  readonly findings: readonly Finding[];
  /** A log-in that Twitch takes, to ask its API with; it never renews anything. */
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity"> | null;
}

interface LoginsGiven extends Examined {
  readonly inFile: SecretsSeen["inFile"];
}

/** A bot does not start without a token: whoever looks from another window, or at a service, has not got its variables. */
const ELSEWHERE =
  "the running bot has a token that is not set here; look from where it was started";

/** The bot's log-in, and the streamer's own. Twitch is only asked about them: a renewal would log a running bot out. */
export async function checkLogins(given: LoginsGiven): Promise<LoginsSeen> {
  const { twitch, streamer } = given.secrets;
  const [bot, own] = await Promise.all([
    checkBot(given, twitch),
    streamer === null ? unasked(streamerMissing(given.config)) : ask(given, "streamer", streamer),
  ]);
  return { findings: [...bot.findings, ...own.findings], auth: bot.auth ?? own.auth };
}

function unasked(finding: Finding): LoginsSeen {
  return { findings: [finding], auth: null };
}

async function checkBot(given: LoginsGiven, tokens: TwitchTokens | null): Promise<LoginsSeen> {
  const { login } = given.config.bot;
  if (login === null) {
    const rest = tokens === null ? "" : "; the token that is there is not used";
    return unasked(ok("bot_token", `none needed: the bot listens without an account${rest}`));
  }
  if (tokens !== null) return ask(given, "bot", tokens);
  if (given.running) return unasked(notChecked("bot_token", ELSEWHERE));
  const mend = `log ${login} in with \`forgetmenot setup\`, or set TWITCH_ACCESS_TOKEN`;
  return unasked(problem("bot_token", `there is no token of ${login}`, mend));
}

/** Whose log-in: without the streamer's own the bot goes on, so that only warns. */
const ROLES = {
  bot: ["bot_token", "TWITCH_ACCESS_TOKEN", problem, "the bot"],
  streamer: ["streamer_token", "TWITCH_STREAMER_ACCESS_TOKEN", warning, "yourself"],
} as const;

type Whose = keyof typeof ROLES;

async function ask(given: LoginsGiven, whose: Whose, tokens: TwitchTokens): Promise<LoginsSeen> {
  const { accessToken } = tokens;
  const late = { kind: "unreachable" } as const;
  const answer = await within(validateToken(accessToken, given.now), TWITCH_MS_MAX, late);
  return {
    findings: judgeToken(caseOf(given, whose, tokens), answer),
    auth: answer.kind === "valid" ? vouchedAuth({ accessToken, identity: answer.identity }) : null,
  };
}

type TokenCase = ReturnType<typeof caseOf>;

function caseOf({ config, inFile, running, now }: LoginsGiven, whose: Whose, tokens: TwitchTokens) {
  const [check, variable, severe, who] = ROLES[whose];
  return {
    ...{ whose, check, variable, tokens, config },
    nowMs: now(),
    /** Since when nobody used the refresh token, epoch ms; null where that is not known. */
    unusedSinceMs: running || !inFile[whose] ? null : secretsSavedAtMs(config.dataDir),
    logIn: (a = "a fresh") =>
      `log ${who} in again with \`forgetmenot setup\`, or set ${a} ${variable}`,
    /** What keeps the log-in from being used at all. */
    bad: (found: string, mend: string) => severe(check, found, mend),
    warn: (found: string, mend: string) => warning(check, found, mend),
  };
}

const WITH_SCOPES = "one that has them as";

const DAY_MS = 86_400_000;
const EXPIRY_TOLD_BEFORE_MS = DAY_MS;
/** Twitch lets the refresh token of a public application die after so long. */
const REFRESH_MS_MAX = 30 * DAY_MS;
const REFRESH_MS_WARNED = 25 * DAY_MS;
/** Nothing else can be sent to Twitch at all. */
const TOKEN_LIKE = /^[\x21-\x7e]+$/;

/** What Twitch's answer about a token means for the bot. */
function judgeToken(
  given: TokenCase,
  answer: Awaited<ReturnType<typeof validateToken>>,
): readonly Finding[] {
  const { bad, check, logIn, tokens, variable } = given;
  switch (answer.kind) {
    case "unreachable":
      return TOKEN_LIKE.test(tokens.accessToken)
        ? [problem(check, "Twitch's log-in server does not answer", NETWORK_MEND)]
        : [bad(`${variable} is no token: it has a character in it that none has`, logIn())];
    case "not_a_user":
      return [bad(`${variable} belongs to an application, not to an account`, logIn())];
    case "invalid":
      return [judgeInvalid(given), ...judgeUnused(given)];
    case "valid":
      return judgeValid(given, answer.identity);
  }
}

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

function judgeInvalid({ bad, check, config, logIn, tokens, variable }: TokenCase): Finding {
  if (tokens.refreshToken === null)
    return bad(
      `Twitch does not take ${variable} any more: it ran out or was withdrawn, and cannot be renewed`,
      logIn(),
    );
  if (config.twitch.clientId === "")
    return bad(
      `${variable} has run out, and without twitch.clientId it cannot be renewed`,
      `set twitch.clientId to the id of the application that the token is of, or ${logIn()}`,
    );
  return ok(check, "the access token has run out; the bot renews it at its next start");
}

function judgeValid(given: TokenCase, identity: TokenIdentity): readonly Finding[] {
  const { bad, check, config, logIn, tokens, variable, whose } = given;
  const { login, scopes } = identity;
  const { bot, channels } = config;
  const belongs = `${variable} belongs to ${login}`;
  if (whose === "bot" && login !== bot.login)
    return [
      bad(`${belongs}, bot.login is ${bot.login}`, `set bot.login to ${login}, or ${logIn()}`),
    ];
  if (whose === "streamer" && !channels.includes(login))
    return [bad(`${belongs}, which is none of the channels: it is not used`, logIn())];
  const expiry = judgeExpiry(given, identity);
  const until = expiry.length > 0 ? "" : `, and ${expiryText(tokens, identity)}`;
  return [
    ok(check, `Twitch takes the token: it is ${login}'s${until}`),
    ...expiry,
    ...judgeUnused(given),
    ...(whose === "bot" ? judgeChatScopes(given, scopes) : []),
    ...judgeActionScopes(given, scopes),
  ];
}

function judgeExpiry(given: TokenCase, identity: TokenIdentity): readonly Finding[] {
  const { config, logIn, nowMs, tokens, warn } = given;
  const { expiresAtMs, clientId } = identity;
  if (expiresAtMs === null) return [];
  const text = `it ${expiryText(tokens, identity)}`;
  if (tokens.refreshToken === null)
    return when(expiresAtMs - nowMs <= EXPIRY_TOLD_BEFORE_MS, warn(text, logIn()));
  const found = `${text} while it runs, but not at a start after that: twitch.clientId is not set`;
  return when(config.twitch.clientId === "", warn(found, `set twitch.clientId to ${clientId}`));
}

function expiryText({ refreshToken }: TwitchTokens, { expiresAtMs }: TokenIdentity): string {
  if (expiresAtMs === null) return "never runs out";
  const text = `runs out at ${timeText(expiresAtMs)}`;
  return refreshToken === null ? `${text} and cannot be renewed` : `${text}; the bot renews it`;
}

function judgeUnused(given: TokenCase): readonly Finding[] {
  const { logIn, nowMs, tokens, unusedSinceMs, warn } = given;
  if (tokens.refreshToken === null || unusedSinceMs === null) return [];
  if (nowMs - unusedSinceMs < REFRESH_MS_WARNED) return [];
  const endsAtMs = unusedSinceMs + REFRESH_MS_MAX;
  const since = `the refresh token was not used since ${timeText(unusedSinceMs)}, and Twitch lets it die after 30 days`;
  return nowMs < endsAtMs
    ? [warn(since, `start the bot before ${timeText(endsAtMs)}, or you have to log in again`)]
    : [warn(`${since}: it may be dead`, `start the bot once to see; if it is, ${logIn()}`)];
}

function judgeChatScopes({ bad, config, logIn, warn }: TokenCase, scopes: readonly string[]) {
  const lacks = (scope: string) => !scopes.includes(scope);
  const writes = config.mode !== "shadow";
  const [noWrite, noSend] = [writes && lacks(WRITE_SCOPE), writes && lacks(SEND_SCOPE)];
  const troubles = [
    [lacks(READ_SCOPE), bad, `${READ_SCOPE}: the bot cannot read chat`],
    [noWrite && noSend, bad, `${WRITE_SCOPE} and ${SEND_SCOPE}: the bot cannot write in chat`],
    [
      !noWrite && noSend,
      warn,
      `${SEND_SCOPE}: the bot cannot see when Twitch drops what it writes`,
    ],
    [noWrite && !noSend, warn, `${WRITE_SCOPE}: the bot can write by Twitch's API only`],
  ] as const;
  return troubles.flatMap(([isSo, say, what]) =>
    when(isSo, say(`it lacks ${what}`, logIn(WITH_SCOPES))),
  );
}

function judgeActionScopes(given: TokenCase, scopes: readonly string[]): readonly Finding[] {
  const { config, logIn, warn, whose } = given;
  const roles = whose === "bot" && isOwnAccount(config) ? (["bot", "streamer"] as const) : [whose];
  const lacking = roles.flatMap((role) => lackingScopes(config, role, scopes));
  const found = `it lacks ${lacking.join(", ")}: the bot does not offer these`;
  const mend = `${logIn(WITH_SCOPES)}; or set their actions.classes to off`;
  return when(lacking.length > 0, warn(found, mend));
}

function lackingScopes(config: Config, whose: Whose, scopes: readonly string[]): string[] {
  const wanted = wantedActions(config, whose);
  const needed = new Set(wanted.map((name) => CATALOGUE[name].scope));
  return [...needed].flatMap((scope) => {
    if (scope === null || scopes.includes(scope)) return [];
    const names = wanted.filter((name) => CATALOGUE[name].scope === scope);
    return [`${scope} (${names.map((name) => CATALOGUE[name].plural).join(", ")})`];
  });
}

/** The actions that need a scope of this log-in, and that the configuration allows. */
function wantedActions({ actions }: Config, whose: Whose): ActionName[] {
  return configuredActions(actions).filter((name) => {
    const { scope, token } = CATALOGUE[name];
    return scope !== null && token === whose;
  });
}

function isOwnAccount({ bot, channels }: Config): boolean {
  return bot.login !== null && channels.includes(bot.login);
}
