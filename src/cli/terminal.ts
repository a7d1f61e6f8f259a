import { spawn } from "node:child_process";
import { platform } from "node:process";
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { CommanderError } from "commander";
import { hasScreen } from "../config/environment.ts";
import { makeUsageFault } from "../errors.ts";

/** The terminal that a command was called from. */
export interface Terminal {
  /** Prints a line of the result to standard output. */
  readonly print: (text: string) => void;
  /** Prints a line about a problem to standard error. */
  readonly complain: (text: string) => void;
  /** Raw output without a line break, for a line that is redrawn. */
  readonly write: (text: string) => void;
  /** True if a user watches standard output. */
  readonly isTerminal: boolean;
  readonly columns: () => number;
  /** Aborts when the operator wants the command to end. */
  readonly stop: AbortSignal;
  /** Registers the work to do before an uncaught error ends the program. */
  readonly onCrash?: (tell: (thrown: unknown) => Promise<void>) => void;
  /** Opens the keyboard. Null, or no such function, if there is none. */
  readonly person?: () => Typist | null;
}

/** A keyboard and a screen. */
interface Typist {
  readonly input: Readable;
  /** Has the size of the terminal; a pipe has none. */
  readonly output: Writable & { readonly columns?: number; readonly rows?: number };
}

/** Exit codes for scripts. README.md lists them. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USE = 2;

const TOLD = "forgetmenot.told";

/** To be thrown by a command that said all there is to say, and does not end with 0. */
export function makeExit(exitCode: number): CommanderError {
  return new CommanderError(exitCode, TOLD, "");
}

/** True if a command printed everything before it ended with the error's exit code. */
export function isAlreadyPrinted(error: CommanderError): boolean {
  return error.code === TOLD;
}

/** Resolves once the signal aborts. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/**
 * Opens an address in the browser, without a shell, if there is a screen. Never throws. Print the address too: a browser
 * that fails to start says nothing.
 */
export function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[platform] ?? [];
  if (command === undefined || !hasScreen()) return;
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

/** Upper limit of lines in a question. */
const LINES_MAX = 20;

/**
 * Shows the effect of a command, and asks. Returns for a yes, or if `--yes` was given. For a no, throws the exit with 1.
 * Throws a Fault without a keyboard.
 */
export async function confirm(
  lines: readonly string[],
  { yes }: { readonly yes?: true },
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return;
  const person = terminal.person?.() ?? null;
  if (person === null) {
    throw makeUsageFault(
      `this cannot be undone:\n${cutLines(lines).join("\n")}`,
      "nothing was changed; repeat the command with --yes",
    );
  }
  for (const line of cutLines(lines)) terminal.print(line);
  const asking = createInterface({ input: person.input, output: person.output });
  const signal = terminal.stop;
  const answer = await asking.question("Go on? [y/N] ", { signal }).catch(() => "");
  asking.close();
  if (/^y(?:es)?$/iu.test(answer.trim())) return;
  terminal.print("Nothing was changed.");
  throw makeExit(EXIT_FAILED);
}

function cutLines(lines: readonly string[]): string[] {
  const more = lines.length - LINES_MAX;
  return [...lines.slice(0, LINES_MAX), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Returns the values if the condition holds, else none; mostly lines of a text. */
export function linesIf<T>(isSo: boolean, ...these: readonly T[]): readonly T[] {
  return isSo ? these : [];
}
