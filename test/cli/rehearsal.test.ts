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
  const again = (...words: string[]) => {
    const started = startProgram({ main, folder, environment }, ...words);
    onTestFinished(() => started.kill("SIGKILL"));
    return started;
  };
  const left = () => [...readdirSync(folder), ...readdirSync(temporary)];
  return { program: again(...args), left, again };
}

test("a rehearsal shows chat and replies, ends with a summary at Ctrl-C, and leaves nothing behind", async () => {
  const { program, left } = rehearsal("rehearse", "--speed", "20", "--seed", "7");
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

test("in a second stream a regular is known by what the first one taught, and what has changed since is put right", async () => {
  const length = ["--streams", "2", "--minutes", "2", "--speed", "30"];
  const { program, again } = rehearsal("rehearse", ...length, "--data", "kept here");
  expect(await program.ended).toBe(0);
  const output = program.output();
  expect(output).toContain("a night went by, and it starts again: stream 2.");
  const memory = output.slice(output.indexOf("\nWhat memory did:"));
  expect(memory).toContain("Of the stream before, 0 lines of chat are left; it taught ");
  expect(memory).toMatch(
    /In this stream it knew tinhatTove by note \d+:\n +tinhatTove: hey @automark, good evening\n +▸ automark: .*tinhatTove lives in bergen/,
  );
  expect(memory).toMatch(
    /\[\d+\] tinhatTove lives in bergen {2}→ {2}\[\d+\] tinhatTove moved to utrecht/,
  );
  const [, typed = ""] = /^ +forgetmenot (.+)$/m.exec(memory) ?? [];
  expect(typed).toMatch(/^memory list -c ".*kept here.*"$/);
  const words = typed.match(/"[^"]+"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
  const looked = again(...words);
  expect(await looked.ended, looked.errors()).toBe(0);
  expect(looked.output()).toMatch(/^ +\d+ {2}\w+ +tinhatTove +tinhatTove moved to utrecht/m);
}, 180_000);
