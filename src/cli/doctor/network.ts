import type { Config } from "../../platform/config/load.ts";
import type { Secrets } from "../../platform/config/secrets.ts";
import type { LlmFailure } from "../../platform/models/model-port.ts";
import { type Probe, probeModel } from "../../platform/models/probe.ts";
import type { TwitchAuth } from "../../twitch/auth.ts";
import { within } from "../../twitch/bounded-call.ts";
import { type HelixFailure, openHelix } from "../../twitch/helix.ts";
import { reachChat, readTwitchClock } from "../../twitch/reach-twitch.ts";
import { when } from "../terminal.ts";
import { type Finding, notChecked, ok, problem, timeText, warning } from "./finding.ts";

/** A bot with a configuration, and secrets that can be read. */
export interface Examined {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Whether a daemon runs: it renews tokens by itself, and may have what is not set here. */
  readonly running: boolean;
  readonly now: () => number;
}

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
  const time = timeText(now());
  const here = `here it is ${time}, ${zoneText(time)}`;
  if (clock.kind === "unreachable")
    return [notChecked("clock", `Twitch's log-in server does not answer; ${here}`)];
  const offMs = Math.abs(clock.aheadMs);
  if (offMs <= OFF_MS_WARNED) return [ok("clock", `right by Twitch's; ${here}`)];
  const way = clock.aheadMs > 0 ? "ahead of" : "behind";
  const severe = offMs > OFF_MS_MAX ? problem : warning;
  return [
    severe(
      "clock",
      `${durationText(offMs)} ${way} Twitch's; ${here}`,
      "let the system set the clock by the internet, in its settings of date and time",
    ),
  ];
}

/** `2 h ahead of UTC`, from the end of a local time. */
function zoneText(time: string): string {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? [];
  const parts = [
    ...when(Number(hours) !== 0, `${Number(hours)} h`),
    ...when(Number(minutes) !== 0, `${Number(minutes)} min`),
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
  const mend = isOurs ? NETWORK_MEND : "try again in some minutes: this is Twitch's";
  return problem(
    "channel",
    `#${channel}: Twitch's API does not answer as it should (${reason})`,
    mend,
  );
}

const LOST_NAMES = new Set(["ENOTFOUND", "EAI_AGAIN"]);

/** Whether chat can be connected to from here. Nobody logs in. */
export async function checkChatServer(chatUrl: string, stop: AbortSignal): Promise<Finding[]> {
  const { host } = new URL(chatUrl);
  const reached = await reachChat(chatUrl, CHAT_MS_MAX, stop);
  if (reached.kind === "answered")
    return [ok("chat_server", `${host} answers, after ${Math.round(reached.tookMs)} ms`)];
  const bad = (found: string, mend = NETWORK_MEND) => [
    problem("chat_server", `${host} ${found}`, mend),
  ];
  if (reached.kind === "timeout") return bad("does not answer in 5 s");
  const { kind, detail } = reached;
  if (kind === "status") {
    const found = `is no chat server: it answers with HTTP ${detail}`;
    return bad(found, `set twitch.chatUrl right, or ${NETWORK_MEND}`);
  }
  return LOST_NAMES.has(detail)
    ? bad(`cannot be found (${detail})`, `${NETWORK_MEND}; twitch.chatUrl may be misspelt`)
    : bad(`cannot be connected to (${detail})`);
}

const ELSEWHERE =
  "no key is set here; the running bot may have one: look from where it was started";

/** Asks each model that the configuration names one question. */
export async function checkModel(bot: Examined, stop: AbortSignal): Promise<Finding[]> {
  const { config, secrets, running, now } = bot;
  const { llm } = config;
  if (llm.provider === "offline") return [ok("model", "none is asked: rules answer")];
  if (llm.provider === "gemini" && secrets.geminiApiKey === null) {
    if (running) return [notChecked("model", ELSEWHERE)];
    const mend =
      "get a key at https://aistudio.google.com, and save it with `forgetmenot setup` or set GEMINI_API_KEY";
    return [problem("model", "there is no key for Gemini (GEMINI_API_KEY)", mend)];
  }
  const apiKeys = { gemini: secrets.geminiApiKey, openai: secrets.openaiApiKey };
  const probes = await Promise.all(
    namedModels(config).map((reply) =>
      probeModel({
        config: { ...llm, models: { ...llm.models, reply } },
        apiKeys,
        budgetTokens: config.prompt.budgetTokens,
        now,
        signal: stop,
      }),
    ),
  );
  return probes.flatMap((probe) => judgeProbe(probe, config));
}

/** Each once, the one that answers in chat first. */
function namedModels({ llm: { model, models }, memory }: Config): string[] {
  const { reply, summarise, extract, rerank } = models;
  const used = [reply, summarise, extract, ...(memory.recall.rerank === "off" ? [] : [rerank])];
  return [...new Set(used.map((name) => name ?? model))];
}

function judgeProbe(probe: Probe, { llm }: Config): Finding[] {
  if (probe.ok) {
    const answered = ok(
      "model",
      `${probe.model} answers, after ${(probe.latencyMs / 1_000).toFixed(1)} s`,
    );
    return [answered, ...probe.warnings.map(warned)];
  }
  const { failure, model, detail } = probe;
  if (failure === "aborted") return [notChecked("model", "stopped")];
  const say = failure === "rate_limit" ? warning : problem;
  const words = FAILURES[failure] ?? { found: `failed (${failure})`, mend: "try again" };
  const found = `${model} ${words.found}${detail === "" ? "" : ` (${detail})`}`;
  const key = llm.provider === "gemini" ? "GEMINI_API_KEY" : "OPENAI_API_KEY";
  return [say("model", found, words.mend.replace("KEY", key))];
}

/** The bot's own warnings say what to do about them in their second sentence. */
function warned(text: string): Finding {
  const [found = "", ...mend] = text.split(/(?<=\.) /);
  return warning("model", found.replace(/\.$/, ""), mend.join(" ").replace(/\.$/, ""));
}

const FAILURES: Readonly<
  Partial<Record<LlmFailure, { readonly found: string; readonly mend: string }>>
> = {
  auth: {
    found: "cannot be asked: the key is refused",
    mend: "look whether KEY is whole and still in force with the provider, or save a fresh one with `forgetmenot setup`",
  },
  quota: {
    found: "cannot be asked: what the account may use is used up",
    mend: "wait until it is filled up again, as the provider's site tells, or raise it there",
  },
  rate_limit: {
    found: "was asked too often just now",
    mend: "try again in a minute; if it stays so, the account's limit is too low for your chat",
  },
  model: {
    found: "is not known to the provider",
    mend: "set llm.model, or the one in llm.models, to a model that the provider has",
  },
  request: {
    found: "does not take the bot's question",
    mend: "look whether llm.model is one for text, llm.baseUrl is right, and the server's context is large enough",
  },
  network: {
    found: "cannot be reached",
    mend: `${NETWORK_MEND}; with a server of your own, whether it runs and llm.baseUrl is right`,
  },
  server: {
    found: "has a failure of its own",
    mend: "try again in some minutes; with a server of your own, look into its log",
  },
  timeout: {
    found: "does not answer in time",
    mend: "try again, as a model that was just loaded is slow; then raise llm.timeoutSeconds or take a smaller model",
  },
};
