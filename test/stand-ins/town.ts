import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { wait as realWait, type Wait } from "../../src/twitch/bounded-call.ts";
import { openGeminiServer, openWorkingGeminiServer } from "./gemini-server.ts";
import { type HelixServer, startHelixServer } from "./helix-server.ts";
import type { ModelServer } from "./model-server.ts";
import type { Launch } from "./program.ts";
import { startTwitchServer, type TwitchServer } from "./twitch-server.ts";

export const CHANNEL = "lanternroom";
export const BOT = "automark";
/** As long as those of Twitch: a shorter one stands in some time stamp. */
export const BOT_ID = "700183265";
export const STREAMER_ID = "400192734";
export const TWITCH_TOKEN = "tok3nofthebot";
export const MODEL_KEY = "k3yofthemodel";
const CHAT_SCOPES = ["chat:read", "chat:edit"];

/** Twitch and the model, as the daemon sees them. They outlive the daemons of a test. */
export interface Town {
  /** The one clock of Twitch and of the daemons here, epoch ms, and how to wait by it. */
  readonly now: () => number;
  readonly wait: Wait;
  readonly irc: TwitchServer;
  readonly helix: HelixServer;
  readonly model: ModelServer;
  readonly dataDir: string;
  /** Texts that reached chat, by either way, in order. */
  readonly said: readonly Said[];
  close(): Promise<void>;
}

interface Said {
  readonly text: string;
  readonly replyTo: string | null;
  readonly via: "helix" | "irc";
}

export interface TownGiven {
  /** The chat's channel, and the login of its streamer. */
  readonly channel?: string;
  readonly bot?: string;
  readonly now?: () => number;
  readonly wait?: Wait;
  /** Of the bot's token, beside reading and writing chat. One of a moderator's makes it one in the channel. */
  readonly scopes?: readonly string[];
  readonly live?: boolean;
  /** The model sums up, sorts and proposes, instead of saying "ok" to everything. */
  readonly isWorkingModel?: boolean;
}

/** Builds the stand-ins on loopback. The daemon's data will be in `folder`. */
export async function buildTown(folder: string, given: TownGiven = {}): Promise<Town> {
  const { now = Date.now, wait = realWait, channel = CHANNEL, bot: login = BOT } = given;
  const said: Said[] = [];
  const isModerator = given.scopes?.some((scope) => scope.startsWith("moderator:")) ?? false;
  const badgesIn = isModerator ? { [channel]: "moderator/1" } : {};
  const irc = await startTwitchServer({
    now,
    users: { [login]: { userId: BOT_ID, displayName: login, badgesIn } },
    roomIds: { [channel]: STREAMER_ID },
    onPrivmsg: ({ text, replyTo }) => void said.push({ text, replyTo, via: "irc" }),
  });
  const helix = await startHelixServer({
    now,
    onChatMessage: ({ text, replyTo }) => {
      said.push({ text, replyTo, via: "helix" });
      return { kind: "taken", messageId: irc.sayAs(login, channel, text, replyTo) };
    },
  });
  const model = await (given.isWorkingModel === true
    ? openWorkingGeminiServer()
    : openGeminiServer());
  introduce(helix, { ...given, channel, bot: login });
  return {
    now,
    wait,
    irc,
    helix,
    model,
    said,
    dataDir: join(folder, "data"),
    close: async () => {
      await Promise.all([irc.close(), helix.close(), model.close()]);
    },
  };
}

interface Introduced extends TownGiven {
  readonly channel: string;
  readonly bot: string;
}

function introduce(helix: HelixServer, { channel, bot, ...given }: Introduced): void {
  const { scopes = ["user:write:chat"], live = true } = given;
  helix.setUser({ id: STREAMER_ID, login: channel, displayName: channel });
  helix.setUser({ id: BOT_ID, login: bot, displayName: bot });
  helix.setToken(TWITCH_TOKEN, {
    userId: BOT_ID,
    login: bot,
    clientId: "client",
    scopes: [...CHAT_SCOPES, ...scopes],
    expiresInSeconds: null,
  });
  helix.setStream(STREAMER_ID, {
    isLive: live,
    title: "lamps",
    category: "Crafts",
    startedAtMs: 1,
  });
}

/** What a configuration file in this town says. */
export function configFileOf(town: Town, over: Readonly<Record<string, unknown>> = {}) {
  return {
    channel: CHANNEL,
    bot: { login: BOT, aliases: ["mark"] },
    dataDir: town.dataDir,
    twitch: { chatUrl: town.irc.url },
    llm: { baseUrl: town.model.url },
    replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 },
    dashboard: { port: false },
    ...over,
  };
}

/** Writes the configuration and the environment that lead a program to `town`. */
export function launchIn(
  town: Town,
  main: string,
  over: Readonly<Record<string, unknown>> = {},
): Launch {
  const folder = dirname(town.dataDir);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify(configFileOf(town, over)));
  const environment = {
    TWITCH_ACCESS_TOKEN: TWITCH_TOKEN,
    GEMINI_API_KEY: MODEL_KEY,
    TWURPLE_MOCK_API_PORT: String(town.helix.port),
  };
  return { main, folder, environment };
}
