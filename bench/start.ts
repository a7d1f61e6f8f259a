import { CHANNEL } from "./bench-names.ts";
import type { BotProcess } from "./bot-process.ts";
import { getMedian, type Row } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";

const RUNS = 5;
/** Our time by that of a bot that sends the last 20 lines. */
const JOINED_RATIO_MAX = 1.6;
const SHUTDOWN_MS_MAX = 2_000;

/** Measures the medians from the start of the process to joined, and from SIGTERM to its end. */
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
      ours: getMedian(runs.map(of)),
      ...rest,
    });
    return [
      ms("first run (creates the database) → joined", ({ firstJoinedMs }) => firstJoinedMs),
      ms("run → joined", ({ joinedMs }) => joinedMs, {
        peer: "a bot that sends the last 20 lines",
        theirs: getMedian(plainMs),
        goal: { of: "ratio", atMost: JOINED_RATIO_MAX },
      }),
      ms("SIGTERM → ended", ({ shutdownMs }) => shutdownMs, {
        goal: { of: "ours", atMost: SHUTDOWN_MS_MAX },
      }),
    ];
  } finally {
    await channel.close();
  }
}

interface Run {
  readonly firstJoinedMs: number;
  readonly joinedMs: number;
  readonly shutdownMs: number;
}

async function runOnce(channel: LoopbackChannel, daemon: string): Promise<Run> {
  const bot = channel.startDaemon(daemon);
  const firstJoinedMs = await measureJoinMs(bot);
  if (channel.irc.listeners(CHANNEL) !== 1) throw new Error("the stand-in saw no JOIN");
  const shutdownMs = await bot.stop();
  const again = bot.startAgain();
  const joinedMs = await measureJoinMs(again);
  await again.stop();
  return { firstJoinedMs, joinedMs, shutdownMs };
}

async function measureJoinMs(bot: BotProcess): Promise<number> {
  await bot.joined;
  return performance.now() - bot.startedAtMs;
}

async function startPlain(channel: LoopbackChannel, plainBot: string): Promise<number> {
  const bot = channel.startPlain(plainBot, { kind: "last20" });
  const joinedMs = await measureJoinMs(bot);
  await bot.stop();
  return joinedMs;
}
