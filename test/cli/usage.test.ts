import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runLine } from "../stand-ins/command.ts";
import { startProgram } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();

/** In a process of its own. */
async function call(...args: string[]) {
  const folder = temporaryFolder();
  const program = startProgram({ main, folder }, ...args);
  const exit = await program.ended;
  return { exit, output: program.output(), errors: program.errors(), left: readdirSync(folder) };
}

test("--help names every command and shows examples", async () => {
  const { exit, output, errors } = await call("--help");
  expect(exit).toBe(0);
  expect(errors).toBe("");
  for (const command of ["run", "rehearse", "status", "pause", "resume"]) {
    expect(output).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  }
  expect(output).toContain("forgetmenot rehearse --speed 20");
  expect(output).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.");
});

test("--version prints the package's version", async () => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect(await call("--version")).toMatchObject({ exit: 0, output: `${manifest.version}\n` });
});

test("a mistyped command is wrong usage, and nothing is made", async () => {
  const { exit, errors, left } = await call("rehears");
  expect(exit).toBe(2);
  expect(errors).toMatch(/^error: unknown command 'rehears'\n/);
  expect(left).toEqual([]);
});

test("a mistyped option is wrong usage, and nothing is made", async () => {
  const { exit, errors, left } = await call("run", "--confg", "x.json");
  expect(exit).toBe(2);
  expect(errors).toMatch(/^error: unknown option '--confg'/);
  expect(left).toEqual([]);
});

test.for([
  [["bogus"], "error: unknown command 'bogus'\n"],
  [["rehears"], "error: unknown command 'rehears'\n(Did you mean rehearse?)\n"],
  [["stauts", "--json"], "error: unknown option '--json'\n"],
  [["stauts"], "error: unknown command 'stauts'\n(Did you mean status?)\n"],
] as const)("a command that there is not is told as such: %j", async ([args, line]) => {
  const { exit, errors } = await runLine(args);
  expect(exit).toBe(2);
  expect(errors.startsWith(line)).toBe(true);
});

test.for([
  ["--spede"],
  ["rehears"],
  ["run", "--confg", "x.json"],
  ["rehearse", "--speed", "fast"],
  ["rehearse", "--speed", "0"],
  ["rehearse", "--seed", "-1"],
  ["status", "surplus"],
])("`%s` is wrong usage: exit code 2 and one line that says so", async (args) => {
  const { exit, output, errors } = await runLine(args);
  expect(exit).toBe(2);
  expect(output).toBe("");
  expect(errors).toMatch(/^error: .+\n/);
  expect(errors).toContain("forgetmenot --help");
});
