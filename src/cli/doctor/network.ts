import type { Config } from "../../platform/config/load.ts";
import type { TwitchAuth } from "../../twitch/auth.ts";
import { openHelix } from "../../twitch/helix.ts";
import type { HelixFailure } from "../../twitch/helix-call.ts";
import { type Reached, reachChat } from "../../twitch/reach-chat.ts";
import { readTwitchClock, type TwitchClock } from "../../twitch/twitch-clock.ts";
import { within } from "../../twitch/wait.ts";
import { type Finding, notChecked, ok, problem, timeText, warning } from "./finding.ts";

/** How long one of Twitch's servers may take, ms. */
export const TWITCH_MS_MAX = 8_000;
export const NETWORK_MEND =
  "look whether this machine is online, and whether a firewall or proxy stands in between";
/** What a channel needs are up to two requests, one after the other. */
const REQUEST_MS_MAX = 4_000;
const CHAT_MS_MAX = 5_000;

const OFF_MS_WARNED = 30_000;
const OFF_MS_MAX = 5 * 60_000;

/** This machine's clock against Twitch's. */
export async function checkClock(now: () => number, stop: AbortSignal): Promise<Finding[]> {
  const late = { kind: "unreachable" } as const;
  const clock = await within(readTwitchClock(now, stop), TWITCH_MS_MAX, late);
  return [clockFinding(clock, now())];
}

function clockFinding(clock: TwitchClock, nowMs: number): Finding {
  const here = `${timeText(nowMs)}, ${zoneText(timeText(nowMs))}`;
  if (clock.kind === "unreachable")
    return notChecked("clock", `Twitch's log-in server does not answer; here it is ${here}`);
  const offMs = Math.abs(clock.aheadMs);
  if (offMs <= OFF_MS_WARNED) return ok("clock", `right by Twitch's; here it is ${here}`);
  const found = `${durationText(offMs)} ${clock.aheadMs > 0 ? "ahead of" : "behind"} Twitch's; here it is ${here}`;
  const mend = "let the system set the clock by the internet, in its settings of date and time";
  return offMs > OFF_MS_MAX ? problem("clock", found, mend) : warning("clock", found, mend);
}

/** `2 h ahead of UTC`, from the end of a local time. */
function zoneText(time: string): string {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? [];
  const parts = [
    ...(Number(hours) === 0 ? [] : [`${Number(hours)} h`]),
    ...(Number(minutes) === 0 ? [] : [`${Number(minutes)} min`]),
  ];
  if (parts.length === 0) return "which is UTC";
  return `${parts.join(" ")} ${sign === "-" ? "behind" : "ahead of"} UTC`;
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Whether each channel is on Twitch, and live. */
export async function checkChannels(
  { channels, replies, mode }: Config,
  auth: Pick<TwitchAuth, "credentials" | "check" | "identity">,
  stop: AbortSignal,
): Promise<Finding[]> {
  const helix = openHelix({ auth, timeoutMs: REQUEST_MS_MAX });
  stop.addEventListener("abort", helix.close, { once: true });
  const silent = replies.whenOffline || mode === "shadow" ? "" : ": the bot is silent until then";
  return Promise.all(
    channels.map(async (channel) => {
      const found = await helix.channelInfo(channel);
      if (!found.ok) return channelFailure(channel, found);
      const { startedAtMs, isLive } = found.value;
      const since = startedAtMs === null ? "" : ` since ${timeText(startedAtMs)}`;
      const state = isLive ? `live${since}` : `not live now${silent}`;
      return ok("channel", `#${channel} is on Twitch, ${state}`);
    }),
  );
}

function channelFailure(channel: string, { reason }: HelixFailure): Finding {
  if (reason === "not_found") {
    const found = `there is no channel called ${channel} on Twitch`;
    return problem("channel", found, "set channel to the name at the end of its address on Twitch");
  }
  const isOurs = reason === "network" || reason === "timeout";
  return problem(
    "channel",
    `#${channel}: Twitch's API does not answer as it should (${reason})`,
    isOurs ? NETWORK_MEND : "try again in some minutes: this is Twitch's",
  );
}

/** Whether chat can be connected to from here. Nobody logs in. */
export async function checkChatServer(chatUrl: string, stop: AbortSignal): Promise<Finding[]> {
  const { host } = new URL(chatUrl);
  return [chatFinding(host, await reachChat(chatUrl, CHAT_MS_MAX, stop))];
}

const LOST_NAMES = new Set(["ENOTFOUND", "EAI_AGAIN"]);

function chatFinding(host: string, reached: Reached): Finding {
  if (reached.kind === "answered")
    return ok("chat_server", `${host} answers, after ${Math.round(reached.tookMs)} ms`);
  if (reached.kind === "timeout")
    return problem("chat_server", `${host} does not answer in 5 s`, NETWORK_MEND);
  const { kind, detail } = reached;
  if (kind === "status") {
    const found = `${host} is no chat server: it answers with HTTP ${detail}`;
    return problem("chat_server", found, `set twitch.chatUrl right, or ${NETWORK_MEND}`);
  }
  if (LOST_NAMES.has(detail)) {
    const found = `${host} cannot be found (${detail})`;
    return problem("chat_server", found, `${NETWORK_MEND}; twitch.chatUrl may be misspelt`);
  }
  return problem("chat_server", `${host} cannot be connected to (${detail})`, NETWORK_MEND);
}
