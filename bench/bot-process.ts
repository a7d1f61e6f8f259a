import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A bot's process, from its start. */
export interface BotProcess {
  readonly process: ChildProcess;
  /** When it was started, by `performance.now()`. */
  readonly startedAtMs: number;
  /** Resolves when its output says that it joined. Rejects if it ends before. */
  readonly joined: Promise<void>;
  /** Asks for its memory and processor time. */
  pulse(): Promise<Pulse>;
  /** Asks it to end. Resolves with the ms that took; 0 if it had ended. */
  stop(): Promise<number>;
}

/** Memory and processor time by the process itself, since only Linux has `/proc`. */
export interface Pulse {
  readonly atMs: number;
  readonly residentBytes: number;
  /** User and system time together, µs. */
  readonly processorUs: number;
}

/** Runs in the process before the bot, and answers each message. */
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
  const joined = waitForJoin(child);
  joined.catch(() => undefined); // a caller who awaits it gets the error
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

function waitForJoin(child: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      if (said.length < OUTPUT_CHARS_MAX) said += chunk.toString("utf8");
      if (said.includes("Joined #")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the bot ended with ${code}: ${said}`)));
  });
}

const OUTPUT_CHARS_MAX = 100_000;
