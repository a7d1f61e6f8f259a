import process from "node:process";
import { z } from "zod";
import { withShellCommands } from "./config/environment.ts";
import { describeBug } from "./errors.ts";

/** The exit code if a second signal interrupts an orderly end. */
const EXIT_BY_SIGNAL = 130;
/** One Ctrl-C at `npm start` arrives twice: from the terminal and from npm. */
const ECHO_MS_MAX = 500;
const EXIT_BY_BUG = 1;
/** Time limit of the work before a crash ends the program. */
const CRASH_MS_MAX = 2_000;
/** SIGHUP is a closed terminal, and SIGBREAK a closed one on Windows. */
const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

// Before any schema is made. Most are used once, and compiling one costs more than that use.
z.config({ jitless: true });

const stop = new AbortController();
let firstSignalAtMs = Number.POSITIVE_INFINITY;
for (const signal of ENDINGS) {
  process.on(signal, () => {
    const isAgain = performance.now() - firstSignalAtMs > ECHO_MS_MAX;
    // A closed terminal repeats its signal.
    if (isAgain && signal !== "SIGHUP" && signal !== "SIGBREAK") process.exit(EXIT_BY_SIGNAL);
    firstSignalAtMs = Math.min(firstSignalAtMs, performance.now());
    stop.abort();
  });
}
// A closed terminal must not interrupt an orderly end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

let isCrashing = false;
let workOnCrash = async (_thrown: unknown): Promise<void> => undefined;
process.on("uncaughtException", (thrown) => {
  if (isCrashing) return;
  isCrashing = true;
  setTimeout(() => process.exit(EXIT_BY_BUG), CRASH_MS_MAX).unref();
  const { bug, at } = describeBug(thrown);
  // Its message could quote chat.
  process.stderr.write(`This is a bug in ForgetMeNot, please report it: ${bug} ${at ?? ""}\n`);
  workOnCrash(thrown)
    .catch(() => undefined)
    .finally(() => process.exit(EXIT_BY_BUG));
});

void start();

async function start(): Promise<void> {
  const { runProgram } = await import("./cli/program.ts");
  process.exitCode = await runProgram(process.argv.slice(2), {
    print: (text) => process.stdout.write(`${withShellCommands(text)}\n`),
    complain: (text) => process.stderr.write(`${withShellCommands(text)}\n`),
    isTerminal: process.stdout.isTTY === true,
    columns: () => process.stdout.columns ?? 100,
    write: (text) => process.stdout.write(withShellCommands(text)),
    stop: stop.signal,
    onCrash: (work) => {
      workOnCrash = work;
    },
    // Opened only if needed: an open keyboard holds its terminal.
    person: () =>
      process.stdin.isTTY && process.stdout.isTTY
        ? { input: process.stdin, output: process.stdout }
        : null,
  });
  // A crash ends the program itself.
  if (!isCrashing) process.exit();
}
