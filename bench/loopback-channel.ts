import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HelixServer, startHelixServer } from "../src/lab/rehearsal/helix-server.ts";
import { startTwitchServer, type TwitchServer } from "../src/lab/rehearsal/twitch-server.ts";
import { readEnvironment, useHelixStandIn } from "../src/platform/config/environment.ts";
import { saveApiKey, saveTokens } from "../src/platform/config/secrets.ts";
import { makePrivateFolder } from "../src/platform/database/open-database.ts";

export const CHANNEL = "benchroom";
export const BOT = "benchbot";
const BOT_USER_ID = "1000001";
const ACCESS_TOKEN = "bench";
const SCOPES = ["chat:read", "chat:edit", "user:read:chat", "user:write:chat"];

/** A channel on loopback, chat and API, that the real daemon can be started against. */
export interface LoopbackChannel {
  readonly irc: TwitchServer;
  readonly helix: HelixServer;
  /** Starts the daemon in a process of its own, on a data folder of its own. */
  startBot(main: string): Bot;
  /** Resolves with the time by `performance.now()` at which the bot says the next thing. */
  nextSaid(): Promise<number>;
  close(): Promise<void>;
}

/** The daemon's process, from its start. */
export interface Bot {
  readonly process: ChildProcess;
  /** When the process was started, by `performance.now()`. */
  readonly startedAtMs: number;
  /** Resolves when it said on its output that it has joined, which it does after writing its heartbeat. */
  readonly joined: Promise<void>;
  /** What it said about itself last; null before it did. */
  pulse(): Pulse | null;
  /** Runs another command beside it, to its end; gives its output and how long it took, ms. */
  command(...args: readonly string[]): { readonly output: string; readonly ms: number };
  /** Asks it to end; gives the ms that took. */
  stop(): Promise<number>;
}

/** Of `process.memoryUsage().rss`, in bytes, and of `process.cpuUsage()`, both kinds together, in µs. */
export interface Pulse {
  readonly residentBytes: number;
  readonly processorUs: number;
}

const PULSE_EVERY_MS = 250;
/** Runs in the daemon's process before it: works alike on every system, where `/proc` does not. */
const PULSE_MODULE = `data:text/javascript,${encodeURIComponent(`
const beat = () => {
  const { user, system } = process.cpuUsage();
  process.send({ residentBytes: process.memoryUsage.rss(), processorUs: user + system });
};
if (process.send) setInterval(beat, ${PULSE_EVERY_MS}).unref();
process.channel?.unref();
`)}`;

/** `over`: keys of the bots' configuration in place of the usual ones. */
export async function openLoopbackChannel(
  over: Readonly<Record<string, unknown>> = {},
): Promise<LoopbackChannel> {
  const awaiting: ((atMs: number) => void)[] = [];
  const irc = await startTwitchServer({
    now: Date.now,
    users: { [BOT]: { userId: BOT_USER_ID, displayName: BOT } },
  });
  const helix = await startHelixServer({
    now: Date.now,
    onChatMessage: ({ text }) => {
      const atMs = performance.now();
      for (const resolve of awaiting.splice(0)) resolve(atMs);
      const messageId = irc.say(CHANNEL, {
        userId: BOT_USER_ID,
        login: BOT,
        displayName: BOT,
        text,
      });
      return { kind: "taken", messageId };
    },
  });
  // The daemon's process inherits it: nothing it says to Twitch leaves the machine.
  useHelixStandIn(helix.port);
  const identity = { userId: BOT_USER_ID, login: BOT, clientId: "bench", expiresInSeconds: null };
  helix.setToken(ACCESS_TOKEN, { ...identity, scopes: SCOPES });
  helix.setUser({ id: BOT_USER_ID, login: BOT, displayName: BOT });
  helix.setUser({ id: irc.roomId(CHANNEL), login: CHANNEL, displayName: CHANNEL });
  const live = { isLive: true, title: "a benchmark", category: "Chess", startedAtMs: Date.now() };
  helix.setStream(irc.roomId(CHANNEL), live);
  const folders: string[] = [];
  return {
    irc,
    helix,
    startBot: (main) => {
      const folder = mkdtempSync(join(tmpdir(), "forgetmenot-bench-"));
      folders.push(folder);
      return startBot(main, writeConfig(folder, irc.url, over));
    },
    nextSaid: () => new Promise((resolve) => awaiting.push(resolve)),
    close: async () => {
      await Promise.all([irc.close(), helix.close()]);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
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

function startBot(main: string, config: string): Bot {
  let pulse: Pulse | null = null;
  let said = "";
  const startedAtMs = performance.now();
  const child = spawn(
    process.execPath,
    ["--import", PULSE_MODULE, main, "run", "--config", config],
    {
      stdio: ["ignore", "pipe", "ignore", "ipc"],
    },
  );
  child.on("message", (message: Pulse) => {
    pulse = message;
  });
  const joined = new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (said.includes(`Joined #${CHANNEL}`)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the daemon ended with ${code}: ${said}`)));
  });
  return {
    process: child,
    startedAtMs,
    joined,
    pulse: () => pulse,
    command: (...args) => {
      const begunAtMs = performance.now();
      const { stdout } = spawnSync(process.execPath, [main, ...args, "--config", config], {
        encoding: "utf8",
      });
      return { output: stdout, ms: performance.now() - begunAtMs };
    },
    stop: async () => {
      if (child.exitCode !== null) return 0;
      const askedAtMs = performance.now();
      child.kill("SIGTERM");
      await once(child, "exit");
      return performance.now() - askedAtMs;
    },
  };
}
