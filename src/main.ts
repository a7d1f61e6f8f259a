import process from "node:process";
import { z } from "zod";
import { withShellCommands } from "./config/environment.ts";
import { describeBug } from "./errors.ts";

/** A second signal does not wait for an orderly end. */
const EXIT_BY_SIGNAL = 130;
/** One Ctrl-C at `npm start` arrives twice: from the terminal and from npm. */
const ECHO_MS_MAX = 500;
const EXIT_BY_BUG = 1;
/** The most time for last words. */
const LAST_WORDS_MS_MAX = 2_000;
/** SIGHUP is a closed terminal, and SIGBREAK a closed one on Windows. */
const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

// Before any schema is made: most are used once, and to compile one costs more than its use.
z.config({ jitless: true });

const stop = new AbortController();
const asked = { firstAtMs: Number.POSITIVE_INFINITY };
for (const signal of ENDINGS) {
  process.on(signal, () => {
    const isAgain = performance.now() - asked.firstAtMs > ECHO_MS_MAX;
    // A terminal that closes says so again and again, and is no impatience.
    if (isAgain && signal !== "SIGHUP" && signal !== "SIGBREAK") process.exit(EXIT_BY_SIGNAL);
    asked.firstAtMs = Math.min(asked.firstAtMs, performance.now());
    stop.abort();
  });
}
// A closed terminal must not interrupt an orderly end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const crash = {
  isUnderWay: false,
  /** Runs before the program ends by a crash. */
  lastWords: (_thrown: unknown): Promise<void> => Promise.resolve(),
};
process.on("uncaughtException", (thrown) => {
  if (crash.isUnderWay) return;
  crash.isUnderWay = true;
  setTimeout(() => process.exit(EXIT_BY_BUG), LAST_WORDS_MS_MAX).unref();
  const { bug, at } = describeBug(thrown);
  // Its message could quote chat.
  process.stderr.write(`This is a bug in ForgetMeNot, please report it: ${bug} ${at ?? ""}\n`);
  crash
    .lastWords(thrown)
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
    onCrash: (tell) => {
      crash.lastWords = tell;
    },
    // Only when asked for: a keyboard that was opened once holds its terminal.
    person: () =>
      process.stdin.isTTY && process.stdout.isTTY
        ? { input: process.stdin, output: process.stdout }
        : null,
  });
  // While last words are being written, their end is the program's.
  if (!crash.isUnderWay) process.exit();
}
