import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
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
    onCrash: () => undefined,
    person: () => null,
  });
  return { exit, ...written };
}

/** A terminal that nobody watches, and what a command printed on it. */
export function quietTerminal(over: Partial<Terminal> = {}) {
  const printed: string[] = [];
  const complained: string[] = [];
  const terminal: Terminal = {
    print: (text) => void printed.push(text),
    complain: (text) => void complained.push(text),
    write: () => undefined,
    isTerminal: false,
    columns: () => 80,
    stop: new AbortController().signal,
    onCrash: () => undefined,
    person: () => null,
    ...over,
  };
  return { terminal, printed, complained };
}

/** Runs a command line in this process, with its environment as it is. */
export async function runHere(...args: readonly string[]): Promise<Ended> {
  const { terminal, printed, complained } = quietTerminal();
  const exit = await runProgram(args, terminal);
  return { exit, output: printed.join("\n"), errors: complained.join("\n") };
}
