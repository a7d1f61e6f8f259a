import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { OWN_VARIABLES } from "./no-environment.ts";
import type { Launch } from "./program.ts";

/** What a command line ended with, and what a person read of it. */
export interface Ended {
  readonly exit: number;
  readonly output: string;
  readonly errors: string;
}

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
  for (const name of OWN_VARIABLES) vi.stubEnv(name, environment[name]);
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
