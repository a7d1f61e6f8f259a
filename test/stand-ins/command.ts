import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { Launch } from "./program.ts";

/** What a command line ended with, and what a person read of it. */
export interface Ended {
  readonly exit: number;
  readonly output: string;
  readonly errors: string;
}

const VARIABLES = [
  "TWITCH_ACCESS_TOKEN",
  "TWITCH_REFRESH_TOKEN",
  "TWITCH_STREAMER_ACCESS_TOKEN",
  "TWITCH_STREAMER_REFRESH_TOKEN",
  "GEMINI_API_KEY",
  "OPENAI_API_KEY",
  "TWURPLE_MOCK_API_PORT",
];

/** Runs a command on the configuration of `launch`, in this process: one of its own takes far longer to start. */
export function runCommand(
  { folder, environment }: Omit<Launch, "main">,
  ...args: readonly string[]
): Promise<Ended> {
  return runLine([...args, "--config", join(folder, "config.json")], environment);
}

/** Runs a command line in this process, with nothing in its environment but what is given. It ends with the test. */
export async function runLine(
  args: readonly string[],
  environment: Launch["environment"] = {},
): Promise<Ended> {
  for (const name of VARIABLES) vi.stubEnv(name, environment[name]);
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    vi.unstubAllEnvs();
  });
  const written = { output: "", errors: "" };
  const exit = await runProgram(args, {
    print: (text) => {
      written.output += `${text}\n`;
    },
    complain: (text) => {
      written.errors += `${text}\n`;
    },
    write: (text) => {
      written.output += text;
    },
    isTerminal: false,
    columns: () => 100,
    stop: stop.signal,
  });
  return { exit, ...written };
}
