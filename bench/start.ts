import { spawnSync } from "node:child_process";
import { CHANNEL } from "./bench-names.ts";
import type { BotProcess } from "./bot-process.ts";
import { median, type Row } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";

const RUNS = 7;
const JOINED_MS_MAX = 400;
const SHUTDOWN_MS_MAX = 2_000;

/** From the process's start to joined and to the end, and how long commands take that start nothing; medians. */
export async function measureStart({ daemon, plainBot }: Programs): Promise<Row[]> {
  const channel = await openLoopbackChannel();
  try {
    const runs: Run[] = [];
    const plainMs: number[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      runs.push(await runOnce(channel, daemon));
      plainMs.push(await startPlain(channel, plainBot));
    }
    const ms = (what: string, of: (run: Run) => number, rest: Partial<Row> = {}): Row => ({
      what,
      unit: "ms",
      digits: 0,
      ours: median(runs.map(of)),
      ...rest,
    });
    return [
      ms("the first run, which makes the database → joined", ({ firstJoinedMs }) => firstJoinedMs),
      ms("run → joined", ({ joinedMs }) => joinedMs, {
        beside: "a bot that sends the last 20 lines",
        theirs: median(plainMs),
        goal: { of: "ours", atMost: JOINED_MS_MAX },
      }),
      ms("SIGTERM → ended", ({ shutdownMs }) => shutdownMs, {
        goal: { of: "ours", atMost: SHUTDOWN_MS_MAX },
      }),
      ms("--version", ({ versionMs }) => versionMs, {
        beside: "Node that does nothing",
        theirs: median(runs.map(({ nothingMs }) => nothingMs)),
      }),
      ms("status --json, beside the daemon", ({ statusMs }) => statusMs),
    ];
  } finally {
    await channel.close();
  }
}

interface Run {
  readonly firstJoinedMs: number;
  readonly joinedMs: number;
  readonly statusMs: number;
  readonly shutdownMs: number;
  readonly versionMs: number;
  readonly nothingMs: number;
}

async function runOnce(channel: LoopbackChannel, daemon: Programs["daemon"]): Promise<Run> {
  const bot = channel.startDaemon(daemon);
  const firstJoinedMs = await joinedAfterMs(bot);
  if (channel.irc.listeners(CHANNEL) !== 1) throw new Error("the stand-in saw no JOIN");
  const status = bot.command("status", "--json");
  if (!/"joined": true/.test(status.output)) throw new Error("status knows of no JOIN");
  const shutdownMs = await bot.stop();
  const again = bot.startAgain();
  const joinedMs = await joinedAfterMs(again);
  await again.stop();
  return {
    firstJoinedMs,
    joinedMs,
    statusMs: status.ms,
    shutdownMs,
    versionMs: timeNode(daemon.main, "--version"),
    nothingMs: timeNode("-e", "0"),
  };
}

async function joinedAfterMs(bot: BotProcess): Promise<number> {
  await bot.joined;
  return performance.now() - bot.startedAtMs;
}

async function startPlain(channel: LoopbackChannel, plainBot: string): Promise<number> {
  const bot = channel.startPlain(plainBot, { kind: "last20" });
  const joinedMs = await joinedAfterMs(bot);
  await bot.stop();
  return joinedMs;
}

function timeNode(...args: readonly string[]): number {
  const begunAtMs = performance.now();
  spawnSync(process.execPath, args);
  return performance.now() - begunAtMs;
}
