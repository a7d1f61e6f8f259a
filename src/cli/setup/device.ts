import type { TwitchTokens } from "../../platform/config/secrets.ts";
import { within } from "../../twitch/bounded-call.ts";
import { type DeviceFailure, startDeviceLogin } from "../../twitch/device-login.ts";
import { refreshTokens, validateToken } from "../../twitch/token-keeper.ts";
import type { Choices } from "./ask.ts";
import { type Login, loginFrom } from "./setup-answers.ts";
import type { SetupState } from "./setup-draft.ts";
import { loginTrouble } from "./setup-words.ts";

export interface Who {
  /** As it stands in a sentence: "the bot's account". */
  readonly name: string;
  /** How to log in as just that account. */
  readonly advice: readonly string[];
  /** Whether the address is opened at once, since it is their own usual browser that logs them in. */
  readonly opens: boolean;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The person may do without this log-in. */
  readonly canSkip: boolean;
}

/** `application`: the person wants to change the client id. `skip`: they do without. */
type DeviceEnd =
  | { readonly kind: "login"; readonly login: Login }
  | { readonly kind: "application" }
  | { readonly kind: "skip" };
type Step = DeviceEnd | { readonly kind: "again" };

/** Logs somebody in by a code on Twitch's page, as often as it takes. */
export async function logInByDevice(state: SetupState, who: Who): Promise<DeviceEnd> {
  for (;;) {
    const step = await tryOnce(state, who);
    if (step.kind !== "again") return step;
  }
}

async function tryOnce(state: SetupState, who: Who): Promise<Step> {
  const { ask, now, wait } = state;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ask.signal]);
  const { clientId, scopes } = who;
  const started = await ask.during(startDeviceLogin({ clientId, scopes, now, wait, signal }));
  if (started.kind !== "started") return await askAfter(state, who, started.kind);
  try {
    const met = await waitForLogin(state, who, started);
    if (!("event" in met)) return { kind: met.chosen };
    if (met.event.kind === "approved") return await examine(state, who, met.event.tokens);
    return await askAfter(state, who, met.event.kind);
  } finally {
    over.abort();
  }
}

/** Shows address and code until Twitch tells what came of them, or the person wants something else. */
async function waitForLogin(
  { ask, open }: SetupState,
  who: Who,
  { address, userCode, outcome }: Started,
): Promise<{ event: Awaited<Started["outcome"]> } | { chosen: "again" | "application" | "skip" }> {
  const show = () =>
    ask.say(
      `Log in as ${who.name}.`,
      ...who.advice,
      "",
      `   ${address}`,
      "",
      `   Code: ${userCode}`,
      "",
      "Twitch asks whether the code is right, and what the bot may do.",
    );
  const choices: Choices<"show" | "open" | "again" | "application" | "skip"> = {
    show: "Show me the address and the code again",
    again: "Give me a new code",
    open: "Open the address in my usual browser window",
    application: BACK,
    ...(who.canSkip && { skip: "Do without" }),
  };
  show();
  if (who.opens) open(address);
  for (;;) {
    const message = "Waiting until you have logged in there …";
    const met = await ask.chooseUnless({ message, choices }, outcome);
    if ("event" in met) return met;
    if (met.chosen === "show") show();
    else if (met.chosen !== "open") return { chosen: met.chosen };
    else if (!open(address)) ask.warn("There is no browser here: open the address yourself.");
  }
}

type Started = Extract<Awaited<ReturnType<typeof startDeviceLogin>>, { readonly kind: "started" }>;

const BACK = "Go back and change the Client ID";

async function askAfter(
  { ask }: SetupState,
  { canSkip }: Who,
  failure: DeviceFailure,
): Promise<Step> {
  ask.warn(loginTrouble(failure));
  const isClient = failure === "client_refused" || failure === "refused";
  const kind = await ask.choose<"again" | "application" | "skip">({
    message: "What now?",
    choices: {
      again: failure === "expired" ? "Give me a new code" : "Try once more",
      application: BACK,
      ...(canSkip && { skip: "Do without" }),
    },
    initial: isClient ? "application" : "again",
  });
  return { kind };
}

/** Renews the tokens once, which Twitch does for public applications only, and asks whose they are. */
async function examine(state: SetupState, who: Who, tokens: TwitchTokens): Promise<Step> {
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
    if (next !== "on") return { kind: next };
  }
  const kept = renewal.kind === "renewed" ? renewal.tokens : tokens;
  const { accessToken } = kept;
  const found = await ask.during(whoseToken(accessToken, now));
  if (found.kind !== "valid")
    return await askAfter(state, who, found.kind === "unreachable" ? "unreachable" : "refused");
  ask.good(`Logged in as ${found.identity.login}.`);
  return { kind: "login", login: loginFrom({ accessToken, identity: found.identity }, kept) };
}

const REQUEST_MS_MAX = 10_000;
const UNREACHABLE = { kind: "unreachable" } as const;

/** Whose token it is, as Twitch says within 10 s. Never rejects. */
export function whoseToken(accessToken: string, now: () => number) {
  return within(validateToken(accessToken, now), REQUEST_MS_MAX, UNREACHABLE);
}

/**
 * New tokens for a refresh token, where Twitch gives them within 10 s. `onRenewed` gets them even when they come too late
 * for the answer: Twitch takes the old ones no more by then. Rejects only with what it throws.
 */
export function renewTokens(
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
  return within(renew(), REQUEST_MS_MAX, UNREACHABLE);
}
