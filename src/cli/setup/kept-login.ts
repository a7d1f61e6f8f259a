import { saveTokens, type TwitchTokens } from "../../platform/config/secrets.ts";
import { isEnough, type Login, loginOf } from "./setup-answers.ts";
import type { Desk } from "./setup-service.ts";
import { renewTokens, whoseToken } from "./setup-tokens.ts";

interface Wanted {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** A log-in that is kept already, where it will do and the person wants it. */
export async function keptLogin(
  desk: Desk,
  whose: "bot" | "streamer",
  { clientId, scopes }: Wanted,
): Promise<Login | null> {
  const { ask } = desk;
  // Not to be left half-way: a renewed log-in has to be kept.
  const found = await examineKept(desk, whose, clientId);
  if (found === null) return null;
  if (!isEnough(found, clientId, scopes)) {
    ask.say(`The log-in of ${found.login} that is kept here does not do for what you chose.`);
    return null;
  }
  const keptBySetup = desk.kept.includes(whose === "bot" ? "twitch" : "streamer");
  if (keptBySetup && !desk.taken.has(whose)) {
    desk.taken.add(whose);
    ask.good(`Logged in as ${found.login}, from before.`);
    return found;
  }
  const next = await ask.choose({
    message: `A log-in of ${found.login} is kept here already, and is good.`,
    choices: [
      { value: "keep", label: "Keep it" },
      { value: "new", label: "Log in anew" },
    ],
  });
  return next === "keep" ? found : null;
}

/** Whose log-in is kept; null where there is none that lasts, or Twitch takes it no more. */
async function examineKept(
  desk: Desk,
  whose: "bot" | "streamer",
  clientId: string,
): Promise<Login | null> {
  const { now, secrets } = desk;
  const tokens = whose === "bot" ? secrets.twitch : secrets.streamer;
  if (tokens === null) return null;
  const { accessToken, refreshToken } = tokens;
  const found = await whoseToken(accessToken, now);
  if (found.kind === "valid") {
    const lasts = refreshToken !== null || found.identity.expiresAtMs === null;
    return lasts ? loginOf({ accessToken, identity: found.identity }, null) : null;
  }
  if (found.kind !== "invalid" || refreshToken === null) return null;
  return await renewKept(desk, whose, { clientId, refreshToken });
}

async function renewKept(
  desk: Desk,
  whose: "bot" | "streamer",
  given: { readonly clientId: string; readonly refreshToken: string },
): Promise<Login | null> {
  const { ask, base, environment, now } = desk;
  const onRenewed = (tokens: TwitchTokens): void => {
    saveTokens(base.dataDir, environment, tokens, whose);
    desk.renewed = true;
  };
  const fresh = await renewTokens({ ...given, now, onRenewed });
  if (fresh.kind !== "renewed") return null;
  ask.say("The log-in that is kept here had run out; Twitch renewed it.");
  const { accessToken } = fresh.tokens;
  const found = await whoseToken(accessToken, now);
  return found.kind === "valid" ? loginOf({ accessToken, identity: found.identity }, null) : null;
}
