import { listConfigured } from "../actions/execute.ts";
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import type { Config } from "../config/load.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { Secrets, TwitchTokens } from "../config/secrets.ts";
import { makeAccount, type TwitchAccount } from "../twitch/auth.ts";
import { reachChat } from "../twitch/connection.ts";
import { Helix } from "../twitch/helix.ts";
import {
  READ_SCOPE,
  SEND_SCOPE,
  type TokenIdentity,
  type Validation,
  validateToken,
  WRITE_SCOPE,
} from "../twitch/tokens.ts";
import {
  ELSEWHERE,
  type ExaminedBot,
  NETWORK_FIX,
  NOT_TWITCH,
  notChecked,
  ok,
  problem,
  type Seen,
  UNREAD,
  warning,
} from "./check.ts";

/** Twitch's answers about both log-ins; null if there is no token. */
export interface TwitchLogins {
  readonly bot: Validation | null;
  readonly streamer: Validation | null;
  /** A log-in that Twitch accepts, to ask its API with. It never renews anything. */
  readonly auth: TwitchAccount | null;
}

/** Asks Twitch about the bot's log-in and the streamer's. Renews nothing: that would log a running bot out. */
export async function askLogins(
  { bot: { login } }: Config,
  secrets: Secrets | null,
  now: () => number,
): Promise<TwitchLogins> {
  const botTokens = login === null ? null : (secrets?.twitch ?? null);
  const streamerTokens = secrets?.streamer ?? null;
  const [bot, streamer] = await Promise.all([
    botTokens && validateToken(botTokens.accessToken, now),
    streamerTokens && validateToken(streamerTokens.accessToken, now),
  ]);
  const auth = makeValidAccount(botTokens, bot) ?? makeValidAccount(streamerTokens, streamer);
  return { bot, streamer, auth };
}

/** Returns the account of a token that Twitch accepts; else null. */
function makeValidAccount(
  tokens: TwitchTokens | null,
  answer: Validation | null,
): TwitchAccount | null {
  if (tokens === null || answer?.kind !== "valid") return null;
  return makeAccount({ accessToken: tokens.accessToken, identity: answer.identity });
}

/** Checks the bot's log-in: its validity, its owner and its scopes. */
export async function checkBotLogin(bot: ExaminedBot): Promise<Seen[]> {
  if (bot.secrets === null) return [UNREAD];
  if (!bot.asksTwitch) return [NOT_TWITCH];
  const { login } = bot.config.bot;
  const tokens = bot.secrets.twitch;
  if (login === null) return [ok("none needed: the bot listens without an account")];
  if (tokens !== null) return judgeToken(bot, BOT, tokens, (await bot.logins()).bot);
  // A bot does not start without a token. Another window or a service does not have its variables.
  if (bot.running)
    return [notChecked(`the running bot has a token that is not set here; ${ELSEWHERE}`)];
  const fix = `log ${login} in with \`forgetmenot setup\`, or set TWITCH_ACCESS_TOKEN`;
  return [problem(`there is no token of ${login}`, fix)];
}

/** Checks the streamer's own log-in. The bot works without it, so it only warns, unless Twitch does not answer. */
export async function checkStreamerLogin(bot: ExaminedBot): Promise<Seen[]> {
  if (bot.secrets === null) return [UNREAD];
  if (!bot.asksTwitch) return [NOT_TWITCH];
  const tokens = bot.secrets.streamer;
  if (tokens !== null) return judgeToken(bot, STREAMER, tokens, (await bot.logins()).streamer);
  const names = listWantedActions(bot.config, "streamer").map((name) => ACTIONS[name].plural);
  if (names.length === 0 || speaksAsStreamer(bot.config)) return [ok("none, and nothing needs it")];
  const found = `none: there are no ${names.join(" and no ")}, which Twitch lets only you make`;
  const fix =
    "log in as yourself with `forgetmenot setup`, or set actions.classes.stream to off if you want none";
  return [warning(found, fix)];
}

const DAY_MS = 86_400_000;
/** The characters that can be sent to Twitch. */
const TOKEN_LIKE = /^[\x21-\x7e]+$/;

interface Owner {
  readonly role: "bot" | "streamer";
  readonly variable: string;
  /** Makes the fix. `token`: words before the variable's name, such as `a fresh`. */
  readonly logIn: (token: string) => string;
  /** Makes the finding for a useless log-in. */
  readonly bad: typeof problem;
}

const LOG_IN = "in again with `forgetmenot setup`, or set";
const BOT: Owner = {
  role: "bot",
  variable: "TWITCH_ACCESS_TOKEN",
  logIn: (token) => `log the bot ${LOG_IN} ${token} TWITCH_ACCESS_TOKEN`,
  bad: problem,
};
const STREAMER: Owner = {
  role: "streamer",
  variable: "TWITCH_STREAMER_ACCESS_TOKEN",
  logIn: (token) => `log yourself ${LOG_IN} ${token} TWITCH_STREAMER_ACCESS_TOKEN`,
  bad: warning,
};

function judgeToken(
  bot: ExaminedBot,
  owner: Owner,
  { accessToken, refreshToken }: TwitchTokens,
  answer: Validation | null,
): Seen[] {
  const { variable, bad } = owner;
  const again = owner.logIn("a fresh");
  if (!TOKEN_LIKE.test(accessToken))
    return [bad(`${variable} is not a token: it has a character that no token has`, again)];
  if (answer?.kind === "valid")
    return judgeIdentity(bot, owner, answer.identity, refreshToken !== null);
  if (answer?.kind === "not_a_user")
    return [bad(`${variable} belongs to an application, not to an account`, again)];
  if (answer?.kind !== "invalid")
    return [problem("Twitch's log-in server does not answer", NETWORK_FIX)];
  if (refreshToken === null) {
    const found = `Twitch does not accept ${variable} any more: it expired or was withdrawn, and cannot be renewed`;
    return [bad(found, again)];
  }
  if (bot.config.twitch.clientId !== "")
    return [ok("the access token has expired; the bot renews it at its next start")];
  const fix = `set twitch.clientId to the id of the application that made the token, or ${again}`;
  return [bad(`${variable} has expired, and without twitch.clientId it cannot be renewed`, fix)];
}

function judgeIdentity(
  { config, now }: ExaminedBot,
  { role, variable, logIn, bad }: Owner,
  { login, scopes, expiresAtMs, clientId }: TokenIdentity,
  isRenewable: boolean,
): Seen[] {
  const { bot, channels, twitch } = config;
  const again = logIn("a fresh");
  const belongs = `${variable} belongs to ${login}`;
  if (role === "bot" && login !== bot.login)
    return [bad(`${belongs}, bot.login is ${bot.login}`, `set bot.login to ${login}, or ${again}`)];
  if (role === "streamer" && !channels.includes(login))
    return [bad(`${belongs}, which is not one of the channels, so it is not used`, again)];
  const fix = logIn("one that has them as");
  const scopeFindings = [
    ...(role === "bot" ? judgeChatScopes(config, scopes, fix) : []),
    ...judgeActionScopes(config, role, scopes, fix),
  ];
  const accepted = `Twitch accepts the token: it is ${login}'s`;
  if (expiresAtMs === null) return [ok(`${accepted}, and never expires`), ...scopeFindings];
  const end = `expires at ${formatLocalTime(expiresAtMs)}`;
  if (!isRenewable) {
    const text = `${end} and cannot be renewed`;
    if (expiresAtMs - now() > DAY_MS) return [ok(`${accepted}, and ${text}`), ...scopeFindings];
    return [ok(accepted), warning(`it ${text}`, again), ...scopeFindings];
  }
  const text = `${end}; the bot renews it`;
  if (twitch.clientId !== "") return [ok(`${accepted}, and ${text}`), ...scopeFindings];
  const found = `it ${text} while it runs, but not at a start after that: twitch.clientId is not set`;
  return [ok(accepted), warning(found, `set twitch.clientId to ${clientId}`), ...scopeFindings];
}

function judgeChatScopes({ mode }: Config, scopes: readonly string[], fix: string): Seen[] {
  const found: Seen[] = [];
  const canWrite = scopes.includes(WRITE_SCOPE);
  const canSend = scopes.includes(SEND_SCOPE);
  if (!scopes.includes(READ_SCOPE))
    found.push(problem(`it lacks ${READ_SCOPE}: the bot cannot read chat`, fix));
  if (mode === "shadow") return found;
  if (!canWrite && !canSend) {
    const both = `it lacks ${WRITE_SCOPE} and ${SEND_SCOPE}: the bot cannot write in chat`;
    found.push(problem(both, fix));
  } else if (!canSend) {
    const drops = `it lacks ${SEND_SCOPE}: the bot cannot see when Twitch drops what it writes`;
    found.push(warning(drops, fix));
  } else if (!canWrite) {
    const only = `it lacks ${WRITE_SCOPE}: the bot can write by Twitch's API only`;
    found.push(warning(only, fix));
  }
  return found;
}

function judgeActionScopes(
  config: Config,
  role: Owner["role"],
  scopes: readonly string[],
  fix: string,
): Seen[] {
  const roles =
    role === "bot" && speaksAsStreamer(config) ? (["bot", "streamer"] as const) : [role];
  const lacking = new Map<string, string[]>();
  for (const name of roles.flatMap((one) => listWantedActions(config, one))) {
    const { plural, scope } = ACTIONS[name];
    if (scope !== null && !scopes.includes(scope))
      lacking.set(scope, [...(lacking.get(scope) ?? []), plural]);
  }
  if (lacking.size === 0) return [];
  const list = [...lacking].map(([scope, names]) => `${scope} (${names.join(", ")})`).join(", ");
  const found = `it lacks ${list}: the bot does not offer these`;
  return [warning(found, `${fix}; or set their actions.classes to off`)];
}

/** Returns the actions that the configuration allows and that need a scope of this log-in, whether it has it or not. */
function listWantedActions({ actions }: Config, role: Owner["role"]): ActionName[] {
  return listConfigured(actions).filter((name) => {
    const { scope, token } = ACTIONS[name];
    return scope !== null && token === role;
  });
}

/** True if the bot speaks with the account of a channel, not with one of its own. */
function speaksAsStreamer({ bot, channels }: Config): boolean {
  return bot.login !== null && channels.includes(bot.login);
}

/** A channel needs up to two requests, one after the other. */
const REQUEST_MS_MAX = 4_000;
const CHAT_MS_MAX = 5_000;

/**
 * Checks that each channel exists on Twitch, and whether it is live: a result for each channel. One for all without a
 * log-in, or on another chat.
 */
export async function checkChannels(bot: ExaminedBot): Promise<Seen[]> {
  if (!bot.asksTwitch) return [NOT_TWITCH];
  const auth = bot.secrets === null ? null : (await bot.logins()).auth;
  if (auth === null) return [notChecked("needs a log-in that Twitch accepts")];
  const { channels, replies, mode } = bot.config;
  const helix = new Helix(auth, REQUEST_MS_MAX);
  bot.stop.addEventListener("abort", () => helix.close(), { once: true });
  const silent = replies.whenOffline || mode === "shadow" ? "" : ": the bot is silent until then";
  return Promise.all(
    channels.map(async (channel) => {
      const found = await helix.channelInfo(channel);
      if (!found.ok && found.reason === "not_found")
        return problem(`there is no channel called ${channel} on Twitch`);
      if (!found.ok) {
        const isOurs = found.reason === "network" || found.reason === "timeout";
        return problem(
          `#${channel}: Twitch's API does not answer as it should (${found.reason})`,
          isOurs ? NETWORK_FIX : "try again in some minutes: the fault is Twitch's",
        );
      }
      const { startedAtMs, isLive } = found.value;
      const since = startedAtMs === null ? "" : ` since ${formatLocalTime(startedAtMs)}`;
      return ok(`#${channel} is on Twitch, ${isLive ? `live${since}` : `not live now${silent}`}`);
    }),
  );
}

/** Checks that this machine can connect to chat, without a log-in. */
export async function checkChatServer({ config, stop }: ExaminedBot): Promise<Seen> {
  const { chatUrl } = config.twitch;
  const { host } = new URL(chatUrl);
  const reached = await reachChat(chatUrl, CHAT_MS_MAX, stop);
  if (reached.kind === "answered")
    return ok(`${host} answers, after ${Math.round(reached.tookMs)} ms`);
  if (reached.kind === "timeout") return problem(`${host} does not answer in 5 s`);
  const { kind, detail } = reached;
  if (kind === "status") {
    const found = `${host} is not a chat server: it answers with HTTP ${detail}`;
    return problem(found, `correct twitch.chatUrl, or ${NETWORK_FIX}`);
  }
  const isUnknown = detail === "ENOTFOUND" || detail === "EAI_AGAIN";
  return isUnknown
    ? problem(`${host} is unknown (${detail})`, `${NETWORK_FIX}; twitch.chatUrl may be misspelt`)
    : problem(`${host} cannot be connected to (${detail})`);
}
