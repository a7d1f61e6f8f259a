import { saveTokens, type TwitchTokens } from "../../config/secrets.ts";
import { type VouchedToken, vouchedAuth } from "../../twitch/auth.ts";
import { within } from "../../twitch/bounded-call.ts";
import { type DeviceFailure, startDeviceLogin } from "../../twitch/device-login.ts";
import { openHelix } from "../../twitch/helix.ts";
import { refreshTokens, validateToken } from "../../twitch/token-keeper.ts";
import type { Ask } from "./ask.ts";
import {
  type Answers,
  botScopes,
  isEnough,
  isRightAccount,
  type Login,
  type LoginKind,
  loginFrom,
  streamerScopes,
} from "./setup-answers.ts";
import type { SetupState } from "./setup-state.ts";
import { askApplication, askChannel } from "./setup-twitch.ts";
import { loginTrouble } from "./setup-words.ts";

/**
 * The client id of the application that the project has registered at Twitch, which setup takes without asking. Empty as
 * long as there is none: then every streamer registers one. docs/maintaining.md says how to get one.
 */
export const DEFAULT_CLIENT_ID: string = "";

/**
 * Asks for log-ins until there is one for each account that the answers need, and it may do what it should; with it,
 * asks Twitch whether the channels exist.
 */
export async function settleLogins(state: SetupState, before: Answers): Promise<Answers> {
  const { ask } = state;
  let answers = before;
  for (;;) {
    while (answers.account !== "none" && !isSettled(answers))
      answers = await logInBot(state, answers);
    const missing = await missingChannels(ask, answers);
    if (missing.length === 0) return await logInStreamer(state, answers);
    ask.warn(...missing.map((channel) => `There is no channel called ${channel} on Twitch.`));
    answers = await askChannel(state, answers);
  }
}

function isSettled(answers: Answers): boolean {
  const { bot, clientId } = answers;
  return (
    bot !== null &&
    isEnough(bot, clientId, botScopes(answers)) &&
    isRightAccount(answers, bot.login)
  );
}

async function logInBot(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask } = state;
  const { account, bot, channels, clientId } = answers;
  const scopes = botScopes(answers);
  if (bot !== null) {
    if (!isRightAccount(answers, bot.login)) return await askAboutAccount(state, answers, bot);
    ask.say("What you chose needs more rights than this log-in has: log in once more.");
  }
  const kept = bot === null ? await keptLogin(state, "bot", { clientId, scopes }) : null;
  if (kept !== null) return { ...answers, bot: kept };
  const advice = ["Open this address in your browser:"];
  const own = { name: channels.join(" or "), advice, opens: true };
  const who = account === "streamer" ? own : BOT;
  const end = await logInByDevice(state, { ...who, clientId, scopes, canSkip: false });
  if (end === "application") return await changeApplication(state, answers);
  return end === "skip" ? answers : { ...answers, bot: end };
}

const BOT = {
  // The usual window would log in the streamer.
  opens: false,
  name: "the bot's account, not as yourself",
  advice: [
    "Open this address in a private window of your browser (Ctrl-Shift-N in Chrome and Edge, Ctrl-Shift-P in Firefox), where you are not logged in as yourself:",
  ],
};

/** Another account than was meant: either that was the slip, or the answer before. */
async function askAboutAccount(state: SetupState, answers: Answers, bot: Login): Promise<Answers> {
  const { ask } = state;
  const { login } = bot;
  const isOwn = answers.account === "bot";
  ask.warn(
    isOwn
      ? `${login} is your channel's own account, not one of the bot's.`
      : `${login} is not your channel's account (${answers.channels.join(", ")}).`,
  );
  const other: LoginKind = isOwn ? "streamer" : "bot";
  const next = await ask.choose<"again" | "account" | "channel">({
    message: "Which is right?",
    choices: {
      again: isOwn ? "Log in again, as the bot" : "Log in again, as myself",
      account: isOwn ? "The bot speaks by my own account" : `${login} is the bot's own account`,
      ...(!isOwn && { channel: `My channel is ${login}` }),
    },
  });
  if (next === "account") return { ...answers, account: other };
  if (next === "channel") return { ...answers, channels: [login] };
  return { ...answers, bot: null };
}

async function changeApplication(state: SetupState, answers: Answers): Promise<Answers> {
  return await askApplication(state, { ...answers, clientId: "", bot: null, streamer: null });
}

/** The streamer's own log-in, where something was chosen that Twitch lets nobody else do. */
async function logInStreamer(state: SetupState, before: Answers): Promise<Answers> {
  const scopes = streamerScopes(before);
  const { clientId, channels, streamer } = before;
  const isOwn = (found: Login | null) => found !== null && channels.includes(found.login);
  if (scopes.length === 0) return { ...before, streamer: null };
  if (streamer !== null && isEnough(streamer, clientId, scopes) && isOwn(streamer)) return before;
  const kept = await keptLogin(state, "streamer", { clientId, scopes });
  return isOwn(kept) ? { ...before, streamer: kept } : await logInAsStreamer(state, before);
}

async function logInAsStreamer(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask } = state;
  const { clientId, channels } = answers;
  let message = "Polls and markers Twitch lets only you make. Log in as yourself, too?";
  for (;;) {
    const next = await ask.choose({
      message,
      choices: {
        "log in": ["Log in", "used for polls and markers, for nothing else"],
        skip: "Do without polls and markers",
      },
    });
    if (next === "skip") return { ...answers, streamer: null };
    const end = await logInByDevice(state, {
      name: `yourself (${channels.join(" or ")})`,
      advice: ["Open this address in your usual browser window:"],
      opens: true,
      clientId,
      scopes: streamerScopes(answers),
      canSkip: true,
    });
    if (end === "skip") return { ...answers, streamer: null };
    if (end === "application")
      return await settleLogins(state, await changeApplication(state, answers));
    if (channels.includes(end.login)) return { ...answers, streamer: end };
    ask.warn(`${end.login} is not your channel's account (${channels.join(", ")}).`);
    message = "Log in as yourself?";
  }
}

/** A log-in that is kept already, where it will do and the person wants it. */
async function keptLogin(
  state: SetupState,
  whose: "bot" | "streamer",
  { clientId, scopes }: { readonly clientId: string; readonly scopes: readonly string[] },
): Promise<Login | null> {
  const { ask } = state;
  // Not to be left half-way: a renewed log-in has to be kept.
  const found = await examineKept(state, whose, clientId);
  if (found === null) return null;
  if (!isEnough(found, clientId, scopes)) {
    ask.say(`The log-in of ${found.login} that is kept here does not do for what you chose.`);
    return null;
  }
  const next = await ask.choose({
    message: `A log-in of ${found.login} is kept here already, and is good.`,
    choices: { keep: "Keep it", new: "Log in anew" },
  });
  return next === "keep" ? found : null;
}

/** Whose log-in is kept; null where there is none that lasts, or Twitch takes it no more. */
async function examineKept(state: SetupState, whose: "bot" | "streamer", clientId: string) {
  const { ask, base, environment, now, secrets } = state;
  const tokens = secrets[whose === "bot" ? "twitch" : "streamer"];
  if (tokens === null) return null;
  const { accessToken, refreshToken } = tokens;
  const found = await whoseToken(accessToken, now);
  if (found.kind === "valid") {
    const lasts = refreshToken !== null || found.identity.expiresAtMs === null;
    return lasts ? loginFrom({ accessToken, identity: found.identity }, null) : null;
  }
  if (found.kind !== "invalid" || refreshToken === null) return null;
  const fresh = await renewTokens(clientId, refreshToken, now, (renewed) => {
    saveTokens(base.dataDir, environment, renewed, whose);
    state.renewed = true;
  });
  if (fresh.kind !== "renewed") return null;
  ask.say("The log-in that is kept here had run out; Twitch renewed it.");
  const renewed = await whoseToken(fresh.tokens.accessToken, now);
  if (renewed.kind !== "valid") return null;
  return loginFrom({ accessToken: fresh.tokens.accessToken, identity: renewed.identity }, null);
}

const REQUEST_MS_MAX = 4_000;

/** Which of the channels Twitch does not know; none where it cannot be asked. */
async function missingChannels(ask: Ask, { bot, channels }: Answers): Promise<readonly string[]> {
  const others = channels.filter((channel) => channel !== bot?.login);
  const found = await lookUp(ask, bot?.vouched ?? null, others);
  return others.filter((_, at) => {
    const user = found[at];
    return user !== undefined && !user.ok && user.reason === "not_found";
  });
}

/** How Twitch writes the name of an account, capitals and all; its login where Twitch cannot be asked. */
export async function displayNameOf(ask: Ask, { login, vouched }: Login): Promise<string> {
  const [user] = await lookUp(ask, vouched, [login]);
  return user?.ok ? user.value.displayName : login;
}

async function lookUp(ask: Ask, vouched: VouchedToken | null, logins: readonly string[]) {
  if (vouched === null || logins.length === 0) return [];
  const helix = openHelix({ auth: vouchedAuth(vouched), timeoutMs: REQUEST_MS_MAX });
  try {
    return await ask.during(Promise.all(logins.map((login) => helix.userByLogin(login))));
  } finally {
    helix.close();
  }
}

interface Who {
  /** As it stands in a sentence: "the bot's account". */
  readonly name: string;
  /** How to log in as just that account. */
  readonly advice: readonly string[];
  /** Whether the address is opened at once, since it is their own usual browser that logs them in. */
  readonly opens: boolean;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly canSkip: boolean;
}

/** `application`: the person wants to change the client id. `skip`: they do without. */
type DeviceEnd = Login | "application" | "skip";

/** Logs somebody in by a code on Twitch's page, as often as it takes. */
async function logInByDevice(state: SetupState, who: Who): Promise<DeviceEnd> {
  for (;;) {
    const step = await tryOnce(state, who);
    if (step !== "again") return step;
  }
}

async function tryOnce(state: SetupState, who: Who): Promise<DeviceEnd | "again"> {
  const { ask, now, open, wait } = state;
  const { signal } = ask;
  const { clientId, scopes } = who;
  const started = await ask.during(startDeviceLogin({ clientId, scopes, now, wait, signal }));
  if (started.kind !== "started") return await askAfter(state, who, started.kind);
  const { address, userCode } = started;
  ask.say(
    `Log in as ${who.name}.`,
    ...who.advice,
    "",
    `   ${address}`,
    "",
    `   Code: ${userCode}`,
    "",
    "Twitch asks whether the code is right, and what the bot may do.",
    "Waiting until you have logged in there … (Ctrl-C stops)",
  );
  if (who.opens) open(address);
  const end = await ask.during(started.outcome);
  if (end.kind === "approved") return await examine(state, who, end.tokens);
  return await askAfter(state, who, end.kind);
}

const BACK = "Go back and change the Client ID";

async function askAfter({ ask }: SetupState, { canSkip }: Who, failure: DeviceFailure) {
  ask.warn(loginTrouble(failure));
  const isClient = failure === "client_refused" || failure === "refused";
  return await ask.choose<"again" | "application" | "skip">({
    message: "What now?",
    choices: {
      again: failure === "expired" ? "Give me a new code" : "Try once more",
      application: BACK,
      ...(canSkip && { skip: "Do without" }),
    },
    initial: isClient ? "application" : "again",
  });
}

/** Renews the tokens once, which Twitch does for public applications only, and asks whose they are. */
async function examine(state: SetupState, who: Who, tokens: TwitchTokens) {
  const { ask, now } = state;
  const { refreshToken } = tokens;
  // Without a refresh token there is nothing that Twitch could renew.
  const renewal =
    refreshToken === null
      ? ({ kind: "refused" } as const)
      : await ask.during(renewTokens(who.clientId, refreshToken, now));
  if (renewal.kind === "unreachable") return await askAfter(state, who, "unreachable");
  if (renewal.kind === "refused") {
    ask.warn(
      "Twitch does not renew this log-in: after some hours the bot would be locked out. Most often the application's Client Type is Confidential. Make a new application with the Client Type Public.",
    );
    const next = await ask.choose({
      message: "What now?",
      choices: {
        application: BACK,
        again: "Try once more",
        on: ["Go on all the same", "a new log-in every few hours"],
      },
    });
    if (next !== "on") return next;
  }
  const kept = renewal.kind === "renewed" ? renewal.tokens : tokens;
  const { accessToken } = kept;
  const found = await ask.during(whoseToken(accessToken, now));
  if (found.kind !== "valid")
    return await askAfter(state, who, found.kind === "unreachable" ? "unreachable" : "refused");
  ask.good(`Logged in as ${found.identity.login}.`);
  return loginFrom({ accessToken, identity: found.identity }, kept);
}

const TOKEN_MS_MAX = 10_000;
const UNREACHABLE = { kind: "unreachable" } as const;

/** Whose token it is, as Twitch says within 10 s. Never rejects. */
function whoseToken(accessToken: string, now: () => number) {
  return within(validateToken(accessToken, now), TOKEN_MS_MAX, UNREACHABLE);
}

/**
 * New tokens for a refresh token, where Twitch gives them within 10 s. `onRenewed` gets them even when they come too late
 * for the answer: Twitch takes the old ones no more by then. Rejects only with what it throws.
 */
function renewTokens(
  clientId: string,
  refreshToken: string,
  now: () => number,
  onRenewed: (tokens: TwitchTokens) => void = () => undefined,
) {
  const renew = async () => {
    const fresh = await refreshTokens(clientId, refreshToken, now);
    if (fresh.kind !== "refreshed") return { kind: fresh.kind };
    const tokens = { ...fresh.tokens, refreshToken: fresh.tokens.refreshToken ?? refreshToken };
    onRenewed(tokens);
    return { kind: "renewed", tokens } as const;
  };
  return within(renew(), TOKEN_MS_MAX, UNREACHABLE);
}
