import { spawn } from "node:child_process";
import { platform } from "node:process";
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { hasScreen, wantsColour } from "../config/environment.ts";
import type { Beat } from "../demo/script.ts";
import { makeUsageFault } from "../errors.ts";
import type { CommandOutput } from "./open-folder.ts";

export interface Terminal {
  readonly print: (text: string) => void;
  /** Prints a line to standard error. */
  readonly complain: (text: string) => void;
  /** Writes to standard output without a line break. */
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly columns: () => number;
  /** Aborts when the operator wants the command to end. */
  readonly stop: AbortSignal;
  /** Registers the work to do before an uncaught error ends the program. */
  readonly onCrash: (work: (thrown: unknown) => Promise<void>) => void;
  /** Opens the keyboard and its screen; null if there is none. */
  readonly person: () => { readonly input: Readable; readonly output: Writable } | null;
}

/** Exit codes for scripts. README.md lists them. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USE = 2;

/** Ends the program with this exit code when thrown. Nothing more is printed. */
export class Exit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

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

/**
 * Returns at once if `--yes` was given. Else prints what the command would do, and asks. Returns for a yes; for anything
 * else, or a stop, throws the exit with 1. Throws a Fault without a keyboard.
 */
export async function confirm(
  lines: readonly string[],
  { yes }: { readonly yes?: true },
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return;
  const person = terminal.person();
  if (person === null) {
    throw makeUsageFault(
      `this cannot be undone:\n${lines.join("\n")}`,
      "nothing was changed; repeat the command with --yes",
    );
  }
  terminal.print(lines.join("\n"));
  const asking = createInterface({ input: person.input, output: person.output });
  const signal = terminal.stop;
  const answer = await asking.question("Go on? [y/N] ", { signal }).catch(() => "");
  asking.close();
  if (/^y(?:es)?$/iu.test(answer.trim())) return;
  terminal.print("Nothing was changed.");
  throw new Exit(EXIT_FAILED);
}

/** Returns the values if the condition holds, else none; mostly lines of a text. */
export function linesIf<T>(isSo: boolean, ...these: readonly T[]): readonly T[] {
  return isSo ? these : [];
}

export function printResult(
  terminal: Terminal,
  { json }: { readonly json?: true },
  { value, text }: CommandOutput,
): void {
  terminal.print(json === true ? JSON.stringify(value, null, 2) : [text].flat().join("\n"));
}

const CLEAR_LINE = "\r\u001b[2K";
const NAME_COLUMNS = 16;
/** A level of the log. */
const WARN = 40;

/** Draws chat and replies. Text from the demo is fixed and harmless; the bot's replies passed the guard. */
export class Painter {
  readonly #terminal: Terminal;
  readonly #hasColour = wantsColour();
  #live = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Prints lines that stay, above the live line. */
  above(...lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#terminal.isTerminal) this.#terminal.write(`${CLEAR_LINE}${line}\n${this.#live}`);
      else this.#terminal.print(line);
    }
  }

  /** Replaces the live line. There is none without a terminal. */
  below(line: string): void {
    if (!this.#terminal.isTerminal) return;
    this.#live = this.#paint(2, line.slice(0, this.#terminal.columns() - 1));
    this.#terminal.write(`${CLEAR_LINE}${this.#live}`);
  }

  /** Prints a line of the log (JSON) as a sentence if it is a warning or an error. */
  printLogged(line: string): void {
    const { level, msg, code } = JSON.parse(line);
    if (level >= WARN) this.above(`! ${msg}${code === undefined ? "" : ` (${code})`}`);
  }

  /** Removes the live line and prints the last lines. */
  end(lines: readonly string[]): void {
    if (this.#terminal.isTerminal) this.#terminal.write(CLEAR_LINE);
    for (const line of lines) this.#terminal.print(line);
  }

  printBeat(beat: Beat): void {
    switch (beat.kind) {
      case "message": {
        const name = beat.person.displayName.padStart(NAME_COLUMNS);
        this.above(`${this.#paint(beat.isToBot ? 36 : 2, name)}  ${beat.text}`);
        break;
      }
      case "action":
        this.printEvent(`${beat.person.displayName} ${beat.text}`);
        break;
      case "raid":
        this.printEvent(`${beat.person.displayName} raids with ${beat.raiders} viewers`);
        break;
      case "live":
        this.printEvent(`live: ${beat.title}`);
        break;
      case "offline":
        this.printEvent("the stream is over");
    }
  }

  printEvent(text: string): void {
    this.above(this.#paint(33, `${" ".repeat(NAME_COLUMNS)}  ${text}`));
  }

  printReply(name: string, text: string): void {
    this.above(`${this.#paint(32, `▸ ${name}`.padStart(NAME_COLUMNS))}  ${this.#paint(32, text)}`);
  }

  #paint(code: number, text: string): string {
    return this.#hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
