import { listConfigured } from "../actions/execute.ts";
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import type { Config } from "../config/load.ts";
import type { TwitchTokens } from "../config/secrets.ts";
import { makeAccount, type TwitchAccount } from "../twitch/auth.ts";
import {
  READ_SCOPE,
  SEND_SCOPE,
  type TokenIdentity,
  validateToken,
  WRITE_SCOPE,
} from "../twitch/tokens.ts";
import {
  type ExaminedBot,
  formatTime,
  NETWORK_FIX,
  NOT_TWITCH,
  notChecked,
  ok,
  problem,
  type Seen,
  UNREAD,
  warning,
} from "./check.ts";

type Answer = Awaited<ReturnType<typeof validateToken>>;

/** Twitch's answers about both log-ins; null if there is no token. */
export interface TwitchLogins {
  readonly bot: Answer | null;
  readonly streamer: Answer | null;
  /** A log-in that Twitch accepts, to ask its API with. It never renews anything. */
  readonly auth: TwitchAccount | null;
}

/** Asks Twitch about the bot's log-in and the streamer's. Renews nothing: that would log a running bot out. */
export async function askLogins(
  { config, secrets }: Pick<ExaminedBot, "config" | "secrets">,
  now: () => number,
): Promise<TwitchLogins> {
  const ask = async (tokens: TwitchTokens | null) =>
    tokens === null ? null : await validateToken(tokens.accessToken, now);
  const botTokens = config.bot.login === null ? null : (secrets?.twitch ?? null);
  const ownTokens = secrets?.streamer ?? null;
  const [bot, streamer] = await Promise.all([ask(botTokens), ask(ownTokens)]);
  const vouch = (answer: Answer | null, tokens: TwitchTokens | null) =>
    answer?.kind === "valid" && tokens !== null
      ? makeAccount({ accessToken: tokens.accessToken, identity: answer.identity })
      : null;
  return { bot, streamer, auth: vouch(bot, botTokens) ?? vouch(streamer, ownTokens) };
}

/** Checks the bot's log-in: its validity, its owner and its scopes. */
export async function checkBotLogin(bot: ExaminedBot): Promise<Seen[]> {
  if (bot.secrets === null) return [UNREAD];
  if (!bot.asksTwitch) return [NOT_TWITCH];
  const { login } = bot.config.bot;
  const tokens = bot.secrets.twitch;
  if (login === null) {
    const rest = tokens === null ? "" : "; the token that is there is not used";
    return [ok(`none needed: the bot listens without an account${rest}`)];
  }
  if (tokens !== null) return judgeToken(bot, "bot", tokens, (await bot.logins()).bot);
  // A bot does not start without a token. Another window or a service does not have its variables.
  if (bot.running)
    return [
      notChecked(
        "the running bot has a token that is not set here; run this where the bot was started",
      ),
    ];
  const fix = `log ${login} in with \`forgetmenot setup\`, or set TWITCH_ACCESS_TOKEN`;
  return [problem(`there is no token of ${login}`, fix)];
}

/** Checks the streamer's own log-in. The bot works without it, so it only warns. */
export async function checkStreamerLogin(bot: ExaminedBot): Promise<Seen[]> {
  if (bot.secrets === null) return [UNREAD];
  if (!bot.asksTwitch) return [NOT_TWITCH];
  const tokens = bot.secrets.streamer;
  if (tokens !== null) return judgeToken(bot, "streamer", tokens, (await bot.logins()).streamer);
  const names = listWantedActions(bot.config, "streamer").map((name) => ACTIONS[name].plural);
  if (names.length === 0) return [ok("none, and nothing needs it")];
  if (isOwnAccount(bot.config)) return [ok("none: the bot runs on your own account")];
  return [
    warning(
      `none: there are no ${names.join(" and no ")}, which Twitch lets only you make`,
      "log in as yourself with `forgetmenot setup`, or set actions.classes.stream to off if you want none",
    ),
  ];
}

type TokenOwner = "bot" | "streamer";

const DAY_MS = 86_400_000;
/** Nothing else can be sent to Twitch at all. */
const TOKEN_LIKE = /^[\x21-\x7e]+$/;

/** Words about a log-in: its variable, how to log in again, and the severity of a useless one. */
function describeOwner(whose: TokenOwner) {
  const isBot = whose === "bot";
  const variable = isBot ? "TWITCH_ACCESS_TOKEN" : "TWITCH_STREAMER_ACCESS_TOKEN";
  const logIn = (a = "a fresh") =>
    `log ${isBot ? "the bot" : "yourself"} in again with \`forgetmenot setup\`, or set ${a} ${variable}`;
  // The bot works without the streamer's log-in.
  return { variable, logIn, bad: isBot ? problem : warning };
}

function judgeToken(
  bot: ExaminedBot,
  whose: TokenOwner,
  tokens: TwitchTokens,
  answer: Answer | null,
): Seen[] {
  const { variable, logIn, bad } = describeOwner(whose);
  switch (answer?.kind) {
    case undefined:
    case "unreachable":
      return TOKEN_LIKE.test(tokens.accessToken)
        ? [problem("Twitch's log-in server does not answer", NETWORK_FIX)]
        : [bad(`${variable} is not a token: it has a character that no token has`, logIn())];
    case "not_a_user":
      return [bad(`${variable} belongs to an application, not to an account`, logIn())];
    case "valid":
      return judgeValid(bot, whose, tokens, answer.identity);
    case "invalid":
      break;
  }
  if (tokens.refreshToken === null) {
    const found = `Twitch does not accept ${variable} any more: it expired or was withdrawn, and cannot be renewed`;
    return [bad(found, logIn())];
  }
  if (bot.config.twitch.clientId !== "")
    return [ok("the access token has expired; the bot renews it at its next start")];
  const fix = `set twitch.clientId to the id of the application that made the token, or ${logIn()}`;
  return [bad(`${variable} has expired, and without twitch.clientId it cannot be renewed`, fix)];
}

function judgeValid(
  { config, now }: ExaminedBot,
  whose: TokenOwner,
  { refreshToken }: TwitchTokens,
  { login, scopes, expiresAtMs, clientId }: TokenIdentity,
): Seen[] {
  const { variable, logIn, bad } = describeOwner(whose);
  const { bot, channels, twitch } = config;
  const belongs = `${variable} belongs to ${login}`;
  if (whose === "bot" && login !== bot.login) {
    const fix = `set bot.login to ${login}, or ${logIn()}`;
    return [bad(`${belongs}, bot.login is ${bot.login}`, fix)];
  }
  if (whose === "streamer" && !channels.includes(login))
    return [bad(`${belongs}, which is not one of the channels, so it is not used`, logIn())];
  const fix = logIn("one that has them as");
  const scopeFindings = [
    ...(whose === "bot" ? judgeChatScopes(config, scopes, fix) : []),
    ...judgeActionScopes(config, whose, scopes, fix),
  ];
  const accepted = `Twitch accepts the token: it is ${login}'s`;
  if (expiresAtMs === null) return [ok(`${accepted}, and never expires`), ...scopeFindings];
  const end = `expires at ${formatTime(expiresAtMs)}`;
  if (refreshToken === null) {
    const text = `${end} and cannot be renewed`;
    if (expiresAtMs - now() > DAY_MS) return [ok(`${accepted}, and ${text}`), ...scopeFindings];
    return [ok(accepted), warning(`it ${text}`, logIn()), ...scopeFindings];
  }
  const text = `${end}; the bot renews it`;
  if (twitch.clientId !== "") return [ok(`${accepted}, and ${text}`), ...scopeFindings];
  const found = `it ${text} while it runs, but not at a start after that: twitch.clientId is not set`;
  return [ok(accepted), warning(found, `set twitch.clientId to ${clientId}`), ...scopeFindings];
}

function judgeChatScopes({ mode }: Config, scopes: readonly string[], fix: string): Seen[] {
  const lacks = (scope: string) => !scopes.includes(scope);
  const [noWrite, noSend] = [lacks(WRITE_SCOPE), lacks(SEND_SCOPE)];
  const found: Seen[] = [];
  if (lacks(READ_SCOPE))
    found.push(problem(`it lacks ${READ_SCOPE}: the bot cannot read chat`, fix));
  if (mode === "shadow") return found;
  if (noWrite && noSend) {
    const both = `it lacks ${WRITE_SCOPE} and ${SEND_SCOPE}: the bot cannot write in chat`;
    found.push(problem(both, fix));
  } else if (noSend) {
    const drops = `it lacks ${SEND_SCOPE}: the bot cannot see when Twitch drops what it writes`;
    found.push(warning(drops, fix));
  } else if (noWrite) {
    const only = `it lacks ${WRITE_SCOPE}: the bot can write by Twitch's API only`;
    found.push(warning(only, fix));
  }
  return found;
}

function judgeActionScopes(
  config: Config,
  whose: TokenOwner,
  scopes: readonly string[],
  fix: string,
): Seen[] {
  const roles = whose === "bot" && isOwnAccount(config) ? (["bot", "streamer"] as const) : [whose];
  const lacking = roles.flatMap((role) => {
    const wanted = listWantedActions(config, role);
    const needed = new Set(wanted.map((name) => ACTIONS[name].scope));
    return [...needed].flatMap((scope) => {
      if (scope === null || scopes.includes(scope)) return [];
      const names = wanted.filter((name) => ACTIONS[name].scope === scope);
      return [`${scope} (${names.map((name) => ACTIONS[name].plural).join(", ")})`];
    });
  });
  if (lacking.length === 0) return [];
  const found = `it lacks ${lacking.join(", ")}: the bot does not offer these`;
  return [warning(found, `${fix}; or set their actions.classes to off`)];
}

/** The actions that need a scope of this log-in, and that the configuration allows. */
function listWantedActions({ actions }: Config, whose: TokenOwner): ActionName[] {
  return listConfigured(actions).filter((name) => {
    const { scope, token } = ACTIONS[name];
    return scope !== null && token === whose;
  });
}

function isOwnAccount({ bot, channels }: Config): boolean {
  return bot.login !== null && channels.includes(bot.login);
}
