/**
 * Start: from the process's start to joined (the stand-in acknowledged the JOIN, and the daemon's heartbeat says so),
 * and how long a command takes that starts nothing. Medians of five. `npm run bench:start`; exit code 1 over the bar.
 */
import { spawnSync } from "node:child_process";
import { buildProgram } from "./built-program.ts";
import { median, report } from "./figures.ts";
import { CHANNEL, type LoopbackChannel, openLoopbackChannel } from "./loopback-channel.ts";

const RUNS = 5;
const JOINED_MS_MAX = 1_000;
const SHUTDOWN_MS_MAX = 2_000;

interface Run {
  readonly joinedMs: number;
  readonly statusMs: number;
  readonly shutdownMs: number;
}

async function measure(channel: LoopbackChannel, main: string): Promise<Run> {
  const bot = channel.startBot(main);
  await bot.joined;
  const joinedMs = performance.now() - bot.startedAtMs;
  if (channel.irc.listeners(CHANNEL) !== 1) throw new Error("the stand-in saw no JOIN");
  const status = bot.command("status", "--json");
  if (!/"joined": true/.test(status.output))
    throw new Error("the heartbeat says nothing of a JOIN");
  const shutdownMs = await bot.stop();
  return { joinedMs, statusMs: status.ms, shutdownMs };
}

function timeVersion(main: string): number {
  const begunAtMs = performance.now();
  spawnSync(process.execPath, [main, "--version"]);
  return performance.now() - begunAtMs;
}

async function times<T>(count: number, make: () => T | Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += 1) made.push(await make());
  return made;
}

const program = buildProgram();
const channel = await openLoopbackChannel();
try {
  const runs = await times(RUNS, () => measure(channel, program.main));
  const versionMs = await times(RUNS, () => timeVersion(program.main));
  report([
    {
      name: "run → joined",
      value: median(runs.map(({ joinedMs }) => joinedMs)),
      unit: "ms",
      digits: 0,
      bar: { atMost: JOINED_MS_MAX },
    },
    {
      name: "SIGTERM → ended",
      value: median(runs.map(({ shutdownMs }) => shutdownMs)),
      unit: "ms",
      digits: 0,
      bar: { atMost: SHUTDOWN_MS_MAX },
    },
    { name: "--version", value: median(versionMs), unit: "ms", digits: 0, bar: null },
    {
      name: "status --json, beside the daemon",
      value: median(runs.map(({ statusMs }) => statusMs)),
      unit: "ms",
      digits: 0,
      bar: null,
    },
  ]);
} finally {
  await channel.close();
  program.remove();
}
