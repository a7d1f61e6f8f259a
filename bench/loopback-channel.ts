import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment, useHelixStandIn } from "../src/config/environment.ts";
import { saveApiKey, saveTokens } from "../src/config/secrets.ts";
import { makePrivateFolder } from "../src/database/open-database.ts";
import { type HelixServer, startHelixServer } from "../test/stand-ins/helix-server.ts";
import { startTwitchServer, type TwitchServer } from "../test/stand-ins/twitch-server.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import { type BotProcess, startBotProcess } from "./bot-process.ts";

const BOT_USER_ID = "1000001";
/** A moderator may send a hundred messages in 30 s. */
const BOT_BADGES = "moderator/1";
const ACCESS_TOKEN = "bench";
const SCOPES = ["chat:read", "chat:edit", "user:read:chat", "user:write:chat"];

/** A channel on loopback, chat and API. It starts bots, each in its own process. */
export interface LoopbackChannel {
  readonly irc: TwitchServer;
  readonly helix: HelixServer;
  /** Starts the daemon on a new data folder. */
  startDaemon(main: string, start?: DaemonStart): Daemon;
  /** Starts a bot of `plain-bot.ts`, compiled. */
  startPlain(file: string, start: PlainStart): PlainBot;
  /** Resolves with the time of the next message of a bot, by `performance.now()`. */
  nextSaid(): Promise<number>;
  /** Returns how many messages bots sent. */
  countSaid(): number;
  close(): Promise<void>;
}

interface DaemonStart {
  /** Keys that replace those of the usual configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Makes the database before the start. */
  readonly fill?: (databaseFile: string) => void;
}

interface PlainStart {
  readonly kind: "batched" | "each" | "last20";
  /** Default: this channel's chat. */
  readonly chatUrl?: string;
  readonly modelUrl?: string;
}

export interface PlainBot extends BotProcess {
  readonly databaseFile: string;
}

export interface Daemon extends PlainBot {
  /** Starts it again on its data folder, after it was stopped. */
  startAgain(): BotProcess;
}

export async function openLoopbackChannel(): Promise<LoopbackChannel> {
  const awaiting: ((atMs: number) => void)[] = [];
  let count = 0;
  const noteSaid = (): void => {
    const atMs = performance.now();
    count += 1;
    for (const resolve of awaiting.splice(0)) resolve(atMs);
  };
  const irc = await startTwitchServer({
    now: Date.now,
    users: {
      [BOT]: {
        userId: BOT_USER_ID,
        displayName: BOT,
        badgesIn: { [CHANNEL]: BOT_BADGES },
      },
    },
    onPrivmsg: noteSaid,
  });
  const helix = await openHelix(irc, noteSaid);
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "forgetmenot-bench-"));
    folders.push(folder);
    return folder;
  };
  return {
    irc,
    helix,
    startDaemon: (main, { config = {}, fill } = {}) => {
      // The daemon's process inherits it: nothing it says to Twitch leaves the machine.
      useHelixStandIn(helix.port);
      const folder = newFolder();
      const file = writeConfig(folder, irc.url, config);
      const databaseFile = join(folder, "data", "forgetmenot.db");
      fill?.(databaseFile);
      const startAgain = () => startBotProcess([main, "run", "--config", file]);
      return { ...startAgain(), startAgain, databaseFile };
    },
    startPlain: (file, { kind, chatUrl = irc.url, modelUrl = "" }) => {
      const databaseFile = join(newFolder(), "plain.db");
      return { ...startBotProcess([file, kind, chatUrl, databaseFile, modelUrl]), databaseFile };
    },
    nextSaid: () => new Promise((resolve) => awaiting.push(resolve)),
    countSaid: () => count,
    close: async () => {
      await Promise.all([irc.close(), helix.close()]);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openHelix(irc: TwitchServer, noteSaid: () => void): Promise<HelixServer> {
  const helix = await startHelixServer({
    now: Date.now,
    onChatMessage: ({ text }) => {
      noteSaid();
      const bot = { userId: BOT_USER_ID, login: BOT, displayName: BOT, badges: BOT_BADGES };
      return { kind: "taken", messageId: irc.say(CHANNEL, { ...bot, text }) };
    },
  });
  const identity = { userId: BOT_USER_ID, login: BOT, clientId: "bench", expiresInSeconds: null };
  helix.setToken(ACCESS_TOKEN, { ...identity, scopes: SCOPES });
  helix.setUser({ id: BOT_USER_ID, login: BOT, displayName: BOT });
  const id = irc.roomId(CHANNEL);
  helix.setUser({ id, login: CHANNEL, displayName: CHANNEL });
  const live = { isLive: true, title: "a benchmark", category: "Chess", startedAtMs: Date.now() };
  helix.setStream(id, live);
  return helix;
}

function writeConfig(
  folder: string,
  chatUrl: string,
  over: Readonly<Record<string, unknown>>,
): string {
  const file = join(folder, "config.json");
  const config = {
    channel: CHANNEL,
    bot: { login: BOT },
    dataDir: "./data",
    twitch: { chatUrl },
    llm: { provider: "offline", model: "offline-rules" },
    dashboard: { port: 0 },
    ...over,
  };
  writeFileSync(file, JSON.stringify(config));
  const dataDir = join(folder, "data");
  makePrivateFolder(dataDir);
  saveTokens(dataDir, readEnvironment(), { accessToken: ACCESS_TOKEN, refreshToken: null });
  saveApiKey(dataDir, "geminiApiKey", ACCESS_TOKEN);
  return file;
}
