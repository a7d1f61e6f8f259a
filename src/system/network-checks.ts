import { Helix } from "../twitch/helix.ts";
import { reachChat, readTwitchClock } from "../twitch/reach-twitch.ts";
import {
  type ExaminedBot,
  formatTime,
  NETWORK_FIX,
  NOT_TWITCH,
  notChecked,
  ok,
  problem,
  type Seen,
  warning,
} from "./check.ts";

/** A channel needs up to two requests, one after the other. */
const REQUEST_MS_MAX = 4_000;
const CHAT_MS_MAX = 5_000;

const OFF_MS_WARNED = 30_000;
const OFF_MS_MAX = 5 * 60_000;

/** Compares this machine's clock with Twitch's. */
export async function checkClock({ asksTwitch, now, stop }: ExaminedBot): Promise<Seen> {
  if (!asksTwitch) return NOT_TWITCH;
  const clock = await readTwitchClock(now, stop);
  const here = `here it is ${formatTime(now())}`;
  if (clock.kind === "unreachable")
    return notChecked(`Twitch's log-in server does not answer; ${here}`);
  const offMs = Math.abs(clock.aheadMs);
  if (offMs <= OFF_MS_WARNED) return ok(`right by Twitch's; ${here}`);
  const way = clock.aheadMs > 0 ? "ahead of" : "behind";
  const severe = offMs > OFF_MS_MAX ? problem : warning;
  return severe(`${formatDuration(offMs)} ${way} Twitch's; ${here}`);
}

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Checks that each channel exists on Twitch, and whether it is live. */
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
      const since = startedAtMs === null ? "" : ` since ${formatTime(startedAtMs)}`;
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
