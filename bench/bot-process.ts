import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A bot's process, from its start. */
export interface BotProcess {
  readonly process: ChildProcess;
  /** When it was started, by `performance.now()`. */
  readonly startedAtMs: number;
  /** Resolves when it said on its output that it has joined. */
  readonly joined: Promise<void>;
  /** Asks it how it is; `isCollected` has the heap collected first. */
  pulse(isCollected?: boolean): Promise<Pulse>;
  /** Asks it to end; gives the ms that took. */
  stop(): Promise<number>;
}

/** What a process says of itself, the same on every system: `/proc` is Linux's alone. */
export interface Pulse {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Both kinds of processor time together, in µs. */
  readonly processorUs: number;
  /** Blocks of 512 bytes on Linux; other systems count otherwise. */
  readonly blocksWritten: number;
}

export const BLOCK_BYTES = 512;

/** Runs in the bot's process before it, and does nothing until asked. */
const PULSE_MODULE = `
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
process.on("message", ({ isCollected }) => {
  if (isCollected) {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    collect();
    collect();
  }
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { fsWrite } = process.resourceUsage();
  process.send({ residentBytes: rss, heapBytes: heapUsed, processorUs: user + system, blocksWritten: fsWrite });
});
process.channel?.unref();
`;

/** Starts `command`, a file for Node with its arguments. `before`: a module that runs there first. */
export function startBotProcess(
  command: readonly string[],
  flags: readonly string[] = [],
  before = "",
): BotProcess {
  const startedAtMs = performance.now();
  const first = [PULSE_MODULE, before]
    .filter((source) => source !== "")
    .flatMap((source) => ["--import", `data:text/javascript,${encodeURIComponent(source)}`]);
  const child = spawn(process.execPath, [...flags, ...first, ...command], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const joined = saysJoined(child);
  joined.catch(() => undefined); // whoever waits for it hears of it
  return {
    process: child,
    startedAtMs,
    joined,
    pulse: async (isCollected = false) => {
      const answered = once(child, "message");
      child.send({ isCollected });
      const [said] = (await answered) as [Omit<Pulse, "atMs">];
      return { ...said, atMs: performance.now() };
    },
    stop: async () => {
      if (child.exitCode !== null) return 0;
      const askedAtMs = performance.now();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      return performance.now() - askedAtMs;
    },
  };
}

function saysJoined(child: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      if (said.length < SAID_MAX) said += chunk.toString("utf8");
      if (said.includes("Joined #")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the bot ended with ${code}: ${said}`)));
  });
}

const SAID_MAX = 100_000;
