import type { Config } from "../../platform/config/load.ts";
import { secretsSavedAtMs, type TwitchTokens } from "../../platform/config/secrets.ts";
import type { TwitchAuth } from "../../twitch/auth.ts";
import { type TokenIdentity, validateToken } from "../../twitch/token-calls.ts";
import { vouchedAuth } from "../../twitch/vouched-auth.ts";
import { within } from "../../twitch/wait.ts";
import type { SecretsSeen } from "./check-secrets.ts";
import { type Finding, notChecked, ok, problem } from "./finding.ts";
import { TWITCH_MS_MAX } from "./network.ts";
import { judgeToken, streamerMissing } from "./token.ts";

export interface LoginsSeen {
  readonly findings: readonly Finding[];
  /** A log-in that Twitch takes, to ask its API with; it never renews anything. */
  readonly auth: Pick<TwitchAuth, "credentials" | "check" | "identity"> | null;
}

export interface LoginsGiven extends SecretsSeen {
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
