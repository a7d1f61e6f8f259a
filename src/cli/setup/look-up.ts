import { openHelix } from "../../twitch/helix.ts";
import { type VouchedToken, vouchedAuth } from "../../twitch/vouched-auth.ts";
import type { Ask } from "./ask.ts";
import type { Answers, Login } from "./setup-answers.ts";

const REQUEST_MS_MAX = 4_000;

/** Which of the channels Twitch does not know; none where it cannot be asked. */
export async function missingChannels(
  ask: Ask,
  { bot, channels }: Answers,
): Promise<readonly string[]> {
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
