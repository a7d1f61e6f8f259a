import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A bot's process, from its start. */
export interface BotProcess {
  readonly process: ChildProcess;
  /** When it was started, by `performance.now()`. */
  readonly startedAtMs: number;
  /** Resolves when it said on its output that it has joined. */
  readonly joined: Promise<void>;
  /** Asks what it takes of the machine. */
  pulse(): Promise<Pulse>;
  /** Asks it to end; gives the ms that took. */
  stop(): Promise<number>;
}

/** What a process says of itself, the same on every system: `/proc` is Linux's alone. */
export interface Pulse {
  readonly atMs: number;
  readonly residentBytes: number;
  /** Both kinds of processor time together, in µs. */
  readonly processorUs: number;
}

/** Runs in the bot's process before it, and does nothing until asked. */
const PULSE_MODULE = `
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ residentBytes: process.memoryUsage().rss, processorUs: user + system });
});
process.channel?.unref();
`;

/** Starts `command`, a file for Node with its arguments. */
export function startBotProcess(command: readonly string[]): BotProcess {
  const startedAtMs = performance.now();
  const pulse = `data:text/javascript,${encodeURIComponent(PULSE_MODULE)}`;
  const child = spawn(process.execPath, ["--import", pulse, ...command], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const joined = saysJoined(child);
  joined.catch(() => undefined); // whoever waits for it hears of it
  return {
    process: child,
    startedAtMs,
    joined,
    pulse: async () => {
      const answered = once(child, "message");
      child.send({});
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
