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

/** Runs a command line in this process, which starts far sooner than one of its own, on the configuration of `launch`. */
export async function runCommand(
  { folder, environment }: Omit<Launch, "main">,
  ...args: readonly string[]
): Promise<Ended> {
  for (const name of VARIABLES) vi.stubEnv(name, environment?.[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const written = { output: "", errors: "" };
  const exit = await runProgram([...args, "--config", join(folder, "config.json")], {
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
    stop: new AbortController().signal,
  });
  return { exit, ...written };
}
