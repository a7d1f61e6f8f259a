import type { ActionLogin, ActionLogins } from "./execute.ts";

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
