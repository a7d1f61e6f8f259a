import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { startProgram } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

/** A rehearsal with a folder of its own for temporary files. */
function rehearsal(...args: string[]) {
  const folder = temporaryFolder();
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const environment = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  const program = startProgram({ main, folder, environment }, ...args);
  onTestFinished(() => program.kill("SIGKILL"));
  return { program, left: () => [...readdirSync(folder), ...readdirSync(temporary)] };
}

test("a rehearsal shows chat and replies, ends with a summary at Ctrl-C, and leaves nothing behind", async () => {
  const { program, left } = rehearsal("rehearse", "--speed", "200", "--seed", "7");
  await program.says("▸ automark");
  program.kill("SIGINT");
  expect(await program.ended).toBe(0);
  expect(program.output()).toContain("Nothing leaves this machine");
  expect(program.output()).toMatch(/The rehearsal is over\.\n {2}\d+ events from \d+ people/);
  expect(program.output()).toMatch(/ {2}[1-9]\d* replies sent; not sent: /);
  expect(program.errors()).toBe("");
  expect(left()).toEqual(["tmp"]);
});

test("without a config.json the program is a rehearsal", async () => {
  const { program, left } = rehearsal();
  await program.says("A rehearsal: the real bot in a simulated channel.");
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(left()).toEqual(["tmp"]);
});
