import { ACTION_NAMES, type ActionName } from "../platform/config/names.ts";
import type { HelixCaller } from "../twitch/helix-call.ts";
import type { ActionPolicy } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";

/** A log-in that actions go out with. */
export interface ActionLogin {
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose it is and what it may do; null as long as Twitch has not said. */
  readonly identity: () => { readonly userId: string; readonly scopes: readonly string[] } | null;
  /** Whether Twitch asked to wait with it; missing where nobody keeps that. */
  readonly isHeldBack?: () => boolean;
}

export interface ActionLogins {
  readonly bot: ActionLogin;
  /** The streamer's own log-in for a channel, where there is one. */
  readonly streamer: (channel: string) => ActionLogin | null;
}

/** The log-in that may do an action in a channel; null where there is none. */
export function loginFor(
  name: ActionName,
  logins: ActionLogins,
  channel: string,
  streamerId: string,
): ActionLogin | null {
  if (CATALOGUE[name].token === "bot") return logins.bot;
  const own = [logins.streamer(channel), logins.bot];
  return own.find((login) => login?.identity()?.userId === streamerId) ?? null;
}

/** Twitch's buckets are full again within a minute; a clock that is wrong must not hold anything back for longer. */
const WAIT_MS_MAX = 60_000;

/** The log-ins, each of which knows whether Twitch asked it to wait. `now`: epoch ms. */
export function heedLimits(logins: ActionLogins, now: () => number): ActionLogins {
  const untilMs = new Map<string, number>();
  const heeding = (whose: string, login: ActionLogin): ActionLogin => ({
    identity: login.identity,
    isHeldBack: () => {
      const leftMs = (untilMs.get(whose) ?? 0) - now();
      return leftMs > 0 && leftMs <= WAIT_MS_MAX;
    },
    caller: {
      call: async (work) => {
        const result = await login.caller.call(work);
        if (!result.ok && result.reason === "rate_limited")
          untilMs.set(whose, Math.min(result.retryAtMs ?? 0, now() + WAIT_MS_MAX));
        return result;
      },
    },
  });
  return {
    bot: heeding("", logins.bot),
    streamer: (channel) => {
      const own = logins.streamer(channel);
      return own === null ? null : heeding(channel, own);
    },
  };
}

/**
 * The lines that tell the model what it may propose in a channel, in the catalogue's order: nothing whose class is
 * off, that is denied, or that neither a log-in nor memory may do. `streamerId` is null where it is not known.
 */
export function offeredLines(
  policy: ActionPolicy,
  { logins, memory }: { readonly logins: ActionLogins; readonly memory: object | null },
  channel: string,
  streamerId: string | null,
): string[] {
  const isOffered = (name: ActionName): boolean => {
    const { class: actionClass, scope } = CATALOGUE[name];
    if (actionClass === "memory") return memory !== null;
    if (scope === null || streamerId === null) return scope === null;
    const login = loginFor(name, logins, channel, streamerId);
    return login?.identity()?.scopes.includes(scope) ?? false;
  };
  const names = policy.safeMode ? [] : configuredActions(policy);
  return names.filter(isOffered).map((name) => CATALOGUE[name].line);
}

/** The most that can be offered with this configuration, whatever Twitch allows. */
export function offerableLines(policy: ActionPolicy): string[] {
  return policy.safeMode ? [] : configuredActions(policy).map((name) => CATALOGUE[name].line);
}

/** The actions that the configuration allows, safe mode aside, in the catalogue's order. */
export function configuredActions({
  classes,
  denylist,
}: Pick<ActionPolicy, "classes" | "denylist">): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[CATALOGUE[name].class] !== "off" && !denylist.actions.includes(name),
  );
}
