#!/usr/bin/env node
import process from "node:process";
import { asTyped } from "./cli/plain-text.ts";
import { runProgram } from "./cli/program.ts";
import { startSmall } from "./cli/small-start.ts";

/** A second signal does not wait for an orderly end. */
const EXIT_BY_SIGNAL = 130;

startSmall();
const stop = new AbortController();
// Closing its window is SIGHUP.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT_BY_SIGNAL);
    stop.abort();
  });
}

process.exitCode = await runProgram(process.argv.slice(2), {
  print: (text) => process.stdout.write(`${asTyped(text)}\n`),
  complain: (text) => process.stderr.write(`${asTyped(text)}\n`),
  isTerminal: process.stdout.isTTY === true,
  columns: () => process.stdout.columns ?? 100,
  write: (text) => process.stdout.write(text),
  stop: stop.signal,
  // Only when asked for: a keyboard that was opened once holds its terminal.
  person: () =>
    process.stdin.isTTY && process.stdout.isTTY
      ? { input: process.stdin, output: process.stdout }
      : null,
});
// Nothing may hold the process once its work is done: a socket that Twitch keeps half open would.
process.exit();
